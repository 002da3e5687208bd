//! Changes of days and stops, and what they mean for the legs between stops.

use std::collections::HashSet;

use itinerary_api::read::FieldError;
use itinerary_api::types::{Day, Days, Stop, StopMove};
use itinerary_api::values::ItemId;

use super::item::{find, insert};
use super::{ItemEdit, Refusal};
use crate::spot::Spot;

/// Changes the days. A day whose stops are replaced keeps the legs that still fit, unless legs were sent as well.
pub(super) fn edit(days: &mut Days, edit: ItemEdit<Day>) -> Result<Option<Spot>, Refusal> {
    let only_stops = match &edit {
        ItemEdit::Update { patch, .. } => !patch.stops.is_absent() && patch.legs.is_absent(),
        ItemEdit::Add { .. } | ItemEdit::Remove { .. } => false,
    };
    let spot = edit.apply(days, "days")?;
    if let Some(spot) = spot.filter(|_| only_stops) {
        keep_neighbours(&mut days[spot.index]);
    }
    Ok(spot)
}

/// Changes the stops of a day.
pub(super) fn edit_stop(days: &mut Days, day: &ItemId, edit: ItemEdit<Stop>) -> Result<Option<Spot>, Refusal> {
    let index = find(days, day).ok_or(Refusal::NotFound)?;
    let spot = edit.apply(&mut days[index].stops, "stops")?;
    keep_neighbours(&mut days[index]);
    Ok(spot.map(|spot| Spot::stop(index, spot.index)))
}

/// Moves a stop within its day or to another one.
pub(super) fn move_stop(days: &mut Days, day: &ItemId, stop: &ItemId, to: &StopMove) -> Result<Option<Spot>, Refusal> {
    let from = find(days, day).ok_or(Refusal::NotFound)?;
    let to_day = match &to.day_id {
        Some(id) => find(days, id).ok_or_else(|| FieldError::new("dayId", "names no day of this itinerary"))?,
        None => from,
    };
    let index = find(&days[from].stops, stop).ok_or(Refusal::NotFound)?;
    let stop = days[from].stops.remove(index).ok_or(Refusal::NotFound)?;
    let position = to.position.and_then(|position| usize::try_from(position.get()).ok());
    insert(&mut days[to_day].stops, position, stop, "dayId")?;
    keep_neighbours(&mut days[from]);
    keep_neighbours(&mut days[to_day]);
    Ok(None)
}

/// Takes out the legs whose ends do not follow each other any more.
fn keep_neighbours(day: &mut Day) {
    let ids: Vec<_> = day.stops.iter().map(|stop| stop.id.as_deref()).collect();
    let neighbours: HashSet<_> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
    day.legs.retain(|leg| neighbours.contains(&(Some(&*leg.from), Some(&*leg.to))));
}
