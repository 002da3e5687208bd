//! Compares a booking with an item of the trip, field by field.

use itinerary_api::types::ImportedChange;
use itinerary_api::values::limits;
use serde_json::Value;

use super::{Known, visible};
use crate::finish::{self, finish};
use crate::item::{Fields, Item, fold, kilometres};
use crate::lookup::Lookup;
use crate::same::{Traits, add_time, merge_tickets};

/// Coordinates that are so near are the same, in kilometres.
const NEAR: f64 = 0.5;

/// What comparing results in.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The item's new form, if it changes.
    pub result: Option<Item>,
    pub changes: Vec<ImportedChange>,
}

/// The item of the trip that is the same booking: of several, the one with the most equal fields.
pub(crate) fn find(known: &[Known], item: &Item, lookup: &dyn Lookup) -> Option<usize> {
    let traits = Traits::of(item);
    let same = known.iter().enumerate().filter(|(_, other)| other.traits.is_same(&traits));
    let candidates: Vec<usize> = same.map(|(at, _)| at).collect();
    if let [only] = candidates.as_slice() {
        return Some(*only);
    }
    let score = |at: &usize| {
        let finished = adapted(&known[*at].item, item, lookup);
        let equal = visible(&finished.fields).filter(|(path, value)| has(&known[*at].item.fields, path, value)).count();
        (equal, std::cmp::Reverse(*at))
    };
    if !candidates.is_empty() {
        return candidates.into_iter().max_by_key(score);
    }
    known.iter().position(|other| other.traits.may_share_confirmation(&traits) && contains(&other.item, item, lookup))
}

/// Whether the trip's item has all that the booking says.
fn contains(known: &Item, item: &Item, lookup: &dyn Lookup) -> bool {
    let mut finished = item.clone();
    finish(&mut finished, lookup);
    let has_tickets = item.tickets.iter().all(|ticket| known.tickets.contains(ticket));
    has_tickets && visible(&finished.fields).all(|(path, value)| has(&known.fields, path, value))
}

fn has(fields: &Fields, path: &str, value: &Value) -> bool {
    fields.get(path).is_some_and(|own| is_equal(path, own, value))
}

/// The booking's fields as they would be in the trip's item: a time without an offset gets that of the trip's.
fn adapted(known: &Item, item: &Item, lookup: &dyn Lookup) -> Item {
    let mut adapted = item.clone();
    for end in item.part.ends() {
        let mut times = known.clone();
        add_time(&mut times, item, end);
        let has_time = item.day(end).is_some();
        for path in [Some(end.date), Some(end.local), Some(end.local_day), end.day].into_iter().flatten() {
            adapted.fields.remove(path);
            if let Some(value) = times.fields.get(path).filter(|_| has_time) {
                adapted.fields.insert(path.to_owned(), value.clone());
            }
        }
    }
    finish(&mut adapted, lookup);
    adapted
}

/// Compares a booking with the trip's item.
pub(crate) fn compare(known: &Item, item: &Item, overwrite: bool, lookup: &dyn Lookup) -> Compared {
    let adapted = adapted(known, item, lookup);
    let mut result = known.clone();
    let mut changes = differences(&known.fields, &adapted.fields, &mut result.fields, overwrite);
    restore_disorder(known, &mut result, &mut changes);
    let replaced = merge_tickets(&known.tickets, &item.tickets, false);
    result.tickets = if overwrite { replaced.clone() } else { merge_tickets(&known.tickets, &item.tickets, true) };
    result.tickets.truncate(limits::TICKETS);
    if replaced != known.tickets {
        let json = |tickets| serde_json::to_value(tickets).ok();
        let was = if known.tickets.is_empty() { None } else { json(&known.tickets) };
        changes.push(ImportedChange { field: "tickets".to_owned(), was, now: json(&replaced) });
    }
    let is_same = visible(&result.fields).eq(visible(&known.fields)) && result.tickets == known.tickets;
    Compared { result: (!is_same).then_some(result), changes }
}

/// Fills empty fields of `result`, and replaces others with `overwrite`. Returns all fields that differ.
pub(crate) fn differences(known: &Fields, new: &Fields, result: &mut Fields, overwrite: bool) -> Vec<ImportedChange> {
    let mut changes = Vec::new();
    for (path, now) in visible(new) {
        let was = known.get(path);
        if was.is_some_and(|was| is_equal(path, was, now) || is_vague(path, new, now)) || is_superseded(path, known) {
            continue;
        }
        changes.push(ImportedChange { field: path.clone(), was: was.cloned(), now: Some(now.clone()) });
        if was.is_none() || overwrite {
            result.insert(path.clone(), now.clone());
        }
    }
    changes
}

/// Whether a value only stands for a missing one, or follows from another.
fn is_vague(path: &str, new: &Fields, now: &Value) -> bool {
    match path {
        "name" => new.contains_key("@unnamed"),
        "category" | "seatNumber" => true,
        "mode" => matches!(now.as_str(), Some("other" | "transfer")),
        _ => false,
    }
}

/// A day is of no use where the trip has the time.
fn is_superseded(path: &str, known: &Fields) -> bool {
    let date = match path {
        "departureDay" => "departureDate",
        "startDay" => "startDate",
        "endDay" => "endDate",
        _ => return false,
    };
    known.contains_key(date)
}

/// Whether two values are the same for people: texts but for case and accents, times as instants, near coordinates.
fn is_equal(path: &str, a: &Value, b: &Value) -> bool {
    if a == b {
        return true;
    }
    match (a, b) {
        (Value::String(a), Value::String(b)) if path.ends_with("Date") => finish::is_same_time(a, b),
        (Value::String(_), Value::String(_)) if path.ends_with("Url") => false,
        (Value::String(a), Value::String(b)) => fold(a) == fold(b),
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Object(_), Value::Object(_)) => {
            let point = |value: &Value| Some((value.get("latitude")?.as_f64()?, value.get("longitude")?.as_f64()?));
            matches!((point(a), point(b)), (Some(a), Some(b)) if kilometres(a, b) < NEAR)
        }
        _ => false,
    }
}

/// Keeps the trip's times where the new ones would end before they start.
fn restore_disorder(known: &Item, result: &mut Item, changes: &mut Vec<ImportedChange>) {
    let [start, end] = result.part.ends();
    let times = matches!((result.instant(start), result.instant(end)), (Some(first), Some(last)) if first >= last);
    let day = |item: &Item, path: Option<&str>| path.and_then(|path| item.text(path).map(str::to_owned));
    let (first, last) = (day(result, start.day), day(result, end.day));
    let days = first.is_some() && last.is_some() && last < first;
    if !times && !days {
        return;
    }
    for path in [Some(start.date), start.day, Some(end.date), end.day].into_iter().flatten() {
        result.fields.remove(path);
        if let Some(value) = known.fields.get(path) {
            result.fields.insert(path.to_owned(), value.clone());
        }
        changes.retain(|change| change.field != path || change.was.is_some());
    }
}
