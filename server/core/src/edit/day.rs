//! Changes of the stops of a day.

use itinerary_api::read::FieldError;
use itinerary_api::types::{Days, Stop, StopMove};
use itinerary_api::values::ItemId;

use super::item::{find, index, insert};
use super::{ItemEdit, Refusal};
use crate::sent::Sent;
use crate::spot::Spot;

/// Changes one stop of a day.
pub(super) fn edit_stop(days: &mut Days, day: &ItemId, edit: ItemEdit<Stop>) -> Result<Sent, Refusal> {
    let day = find(days, day).ok_or(Refusal::NotFound)?;
    let stop = edit.apply(&mut days[day].stops, "stops")?;
    Ok(stop.map_or(Sent::Nothing, |stop| Sent::Item(Spot::stop(day, stop))))
}

/// Moves a stop within its day or to another one.
pub(super) fn move_stop(days: &mut Days, day: &ItemId, stop: &ItemId, to: &StopMove) -> Result<Sent, Refusal> {
    let from = find(days, day).ok_or(Refusal::NotFound)?;
    let place = find(&days[from].stops, stop).ok_or(Refusal::NotFound)?;
    let to_day = match &to.day_id {
        Some(id) => find(days, id).ok_or_else(|| FieldError::new("dayId", "names no day of this itinerary"))?,
        None => from,
    };
    let stop = days[from].stops.remove(place).ok_or(Refusal::NotFound)?;
    insert(&mut days[to_day].stops, to.position.map(index), stop, "dayId")?;
    Ok(Sent::Nothing)
}
