//! Changes of the stops of a day.

use std::collections::{HashMap, HashSet};

use itinerary_api::read::FieldError;
use itinerary_api::types::{Day, Leg, Stop, StopMove};
use itinerary_api::values::ItemId;

use super::item::{find, find_id, index, insert};
use super::{ItemEdit, Refusal};
use crate::edit_scope::EditScope;
use crate::entry::Entry;
use crate::entry_path::EntryPath;
use crate::item_index::ItemIndex;
use crate::legs::{coordinate, is_ours};

/// The index of a stop in a day.
pub(super) fn find_stop(day: &ItemIndex, stop: &ItemId) -> Option<usize> {
    find_id(day.stops.iter().map(|stop| stop.id.as_deref()), stop)
}

/// Changes one stop of a day.
pub(super) fn edit_stop(days: &mut [Entry<Day>], day: &ItemId, edit: ItemEdit<Stop>) -> Result<EditScope, Refusal> {
    let day = find(days, day).ok_or(Refusal::NotFound)?;
    let stop = days[day].change(|day| edit.apply(&mut day.stops, "stops"))??;
    Ok(stop.map_or(EditScope::Nothing, |stop| EditScope::Item(EntryPath::stop(day, stop))))
}

/// Moves a stop within its day or to another one.
pub(super) fn move_stop(
    days: &mut [Entry<Day>],
    day: &ItemId,
    stop: &ItemId,
    to: &StopMove,
) -> Result<EditScope, Refusal> {
    let from = find(days, day).ok_or(Refusal::NotFound)?;
    let place = find_stop(days[from].index(), stop).ok_or(Refusal::NotFound)?;
    let to_day = match &to.day_id {
        Some(id) => {
            find(days, id).ok_or_else(|| FieldError::new("dayId", "must be the id of a day of this itinerary"))?
        }
        None => from,
    };
    let stop = days[from].change(|day| day.stops.remove(place))?.ok_or(Refusal::NotFound)?;
    days[to_day].change(|day| insert(&mut day.stops, to.position.map(index), stop, "dayId"))??;
    Ok(EditScope::Nothing)
}

/// Moves a day, with its stops and legs.
pub(super) fn move_day(days: &mut [Entry<Day>], day: &ItemId, position: usize) -> Result<EditScope, Refusal> {
    let from = find(days, day).ok_or(Refusal::NotFound)?;
    let last = days.len() - 1;
    if position > last {
        return Err(FieldError::new("position", format!("must be at most {last}, the end of the list")).into());
    }
    if from <= position {
        days[from..=position].rotate_left(1);
    } else {
        days[position..=from].rotate_right(1);
    }
    Ok(EditScope::Nothing)
}

/// Removes a leg that the server computed if one of its stops has moved. A leg that differs from the stored one is from
/// the request and stays.
pub(super) fn remove_outdated_legs(before: &[Entry<Day>], days: &mut [Entry<Day>]) -> serde_json::Result<()> {
    let before = before.iter().map(Entry::value).collect::<serde_json::Result<Vec<_>>>()?;
    let computed: Vec<_> = before.iter().flat_map(|day| day.legs.iter()).filter(|leg| is_ours(leg)).collect();
    if computed.is_empty() {
        return Ok(());
    }
    let stops = before.iter().flat_map(|day| day.stops.iter());
    let placed: HashMap<_, _> = stops.filter_map(|stop| Some((stop.id.as_deref()?, coordinate(stop)?))).collect();
    for day in days {
        let Some(now) = day.touched() else { continue };
        let has_moved = |stop: &&str, now: &Stop| placed.get(stop).is_some_and(|was| coordinate(now) != Some(*was));
        let moved = now.stops.iter().filter_map(|stop| stop.id.as_deref().filter(|id| has_moved(id, stop)));
        let moved: HashSet<_> = moved.map(str::to_owned).collect();
        let is_outdated =
            |leg: &Leg| (moved.contains(&*leg.from) || moved.contains(&*leg.to)) && computed.contains(&leg);
        if now.legs.iter().any(is_outdated) {
            day.change(|day| day.legs.retain(|leg| !is_outdated(leg)))?;
        }
    }
    Ok(())
}
