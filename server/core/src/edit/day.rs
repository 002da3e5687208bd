//! Changes of the stops of a day.

use itinerary_api::read::FieldError;
use itinerary_api::types::{Day, Stop, StopMove};
use itinerary_api::values::ItemId;

use super::item::{find, find_id, index, insert};
use super::{ItemEdit, Refusal};
use crate::entry::Entry;
use crate::sent::Sent;
use crate::spot::Spot;

/// The place of a stop in a day.
pub(super) fn find_stop(day: &Entry<Day>, stop: &ItemId) -> Option<usize> {
    find_id(day.outline().stops.iter().map(|stop| stop.id.as_deref()), stop)
}

/// Changes one stop of a day.
pub(super) fn edit_stop(days: &mut [Entry<Day>], day: &ItemId, edit: ItemEdit<Stop>) -> Result<Sent, Refusal> {
    let day = find(days, day).ok_or(Refusal::NotFound)?;
    let stop = days[day].change(|day| edit.apply(&mut day.stops, "stops"))??;
    Ok(stop.map_or(Sent::Nothing, |stop| Sent::Item(Spot::stop(day, stop))))
}

/// Moves a stop within its day or to another one.
pub(super) fn move_stop(days: &mut [Entry<Day>], day: &ItemId, stop: &ItemId, to: &StopMove) -> Result<Sent, Refusal> {
    let from = find(days, day).ok_or(Refusal::NotFound)?;
    let place = find_stop(&days[from], stop).ok_or(Refusal::NotFound)?;
    let to_day = match &to.day_id {
        Some(id) => find(days, id).ok_or_else(|| FieldError::new("dayId", "names no day of this itinerary"))?,
        None => from,
    };
    let stop = days[from].change(|day| day.stops.remove(place))?.ok_or(Refusal::NotFound)?;
    days[to_day].change(|day| insert(&mut day.stops, to.position.map(index), stop, "dayId"))??;
    Ok(Sent::Nothing)
}
