//! The last step from a booking's fields to the API's item: times get the offset of their place, and what the API has no field
//! for becomes words in the notes.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use itinerary_api::types::{Flight, Hotel, Reservation, Ticket, Tickets, Transport};
use itinerary_api::values::{ItemId, List, OffsetTime, limits};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::item::{End, Fields, Item, Part, unflatten};
use crate::lookup::{self, Lookup};
use crate::normalise::{text, time};

/// Check-in and check-out of a hotel whose file has days only: what most hotels ask for.
const CHECK_IN: (u32, u32) = (15, 0);
const CHECK_OUT: (u32, u32) = (11, 0);

/// Gives an item its final fields. Fields that begin with `@` stay, for comparing.
pub(crate) fn finish(item: &mut Item, lookup: &dyn Lookup) {
    let [start, end] = item.part.ends();
    let mut words = Vec::new();
    for end in [start, end] {
        words.extend(finish_time(item, end, lookup));
    }
    remove_disorder(item);
    add_words(&mut item.fields, &words);
    name_places(item);
    if item.tickets.len() > limits::TICKETS {
        item.tickets.truncate(limits::TICKETS);
    }
    if item.part == Part::Flights
        && let [Ticket { seat_number: Some(seat), .. }] = item.tickets.as_slice()
    {
        item.fields.entry("seatNumber".to_owned()).or_insert_with(|| (**seat).into());
    }
}

/// Sets the date-time or the day of an end. Returns words for what no field holds.
fn finish_time(item: &mut Item, end: End, lookup: &dyn Lookup) -> Option<String> {
    if item.fields.contains_key(end.date) {
        localise(item, end, lookup);
        if let Some(day) = end.day {
            item.fields.remove(day);
        }
        return None;
    }
    let day: NaiveDate = item.text(end.local_day)?.parse().ok()?;
    let local = time::local(item, end);
    let assumed = if item.part == Part::Hotels { usual(end, day) } else { None };
    if let Some(local) = local.or(assumed)
        && let Some(zone) = lookup::zone(item, end, lookup)
        && let Some(date) = time::in_zone(local, &zone)
    {
        item.fields.insert(end.date.to_owned(), (*date).into());
        return None;
    }
    if let Some(field) = end.day {
        item.fields.insert(field.to_owned(), day.to_string().into());
    }
    match (local, end.day) {
        (Some(local), _) => Some(format!("{}: {} local time.", end.word, local.format("%-d %B %Y, %H:%M"))),
        (None, None) if item.part == Part::Hotels || item.day(item.part.start()) != Some(day) => {
            Some(format!("{}: {}.", end.word, day.format("%-d %B %Y")))
        }
        (None, _) => None,
    }
}

/// Gives a time in UTC the offset of its place: many files write all times in UTC. Other offsets stay.
fn localise(item: &mut Item, end: End, lookup: &dyn Lookup) {
    let Some(time) = item.instant(end).filter(|time| time::minutes_of(time) == 0) else { return };
    let local = lookup::zone(item, end, lookup).and_then(|zone| time::local_in(&time, &zone));
    let minutes = local.and_then(|local| i32::try_from((local - time.naive_utc()).num_minutes()).ok());
    let date = local.zip(minutes).and_then(|(local, minutes)| time::with_offset(local, minutes));
    if let Some(date) = date.filter(|_| minutes != Some(0)) {
        item.fields.insert(end.date.to_owned(), (*date).into());
    }
}

/// The usual time of a hotel's check-in or check-out.
fn usual(end: End, day: NaiveDate) -> Option<NaiveDateTime> {
    let (hour, minute) = if end.date == "checkInDate" { CHECK_IN } else { CHECK_OUT };
    Some(day.and_time(NaiveTime::from_hms_opt(hour, minute, 0)?))
}

/// Removes an end that is not after the start: the API rejects it.
fn remove_disorder(item: &mut Item) {
    let [start, end] = item.part.ends();
    if let (Some(first), Some(last)) = (item.instant(start), item.instant(end))
        && first >= last
    {
        item.fields.remove(end.date);
    }
    if let (Some(first), Some(last)) = (start.day, end.day)
        && let (Some(first), Some(until)) = (item.text(first), item.text(last))
        && until < first
    {
        item.fields.remove(last);
    }
}

/// Adds sentences to the notes, and cuts the notes before them if both do not fit.
fn add_words(fields: &mut Fields, words: &[String]) {
    if words.is_empty() {
        return;
    }
    let words = words.join("\n");
    let notes = fields.get("notes").and_then(Value::as_str).unwrap_or_default();
    if notes.ends_with(&words) {
        return;
    }
    let room = limits::NOTES.saturating_sub(words.chars().count() + 1);
    let (notes, _) = text::cut(notes.to_owned(), room);
    let notes = if notes.is_empty() { words } else { format!("{notes}\n{words}") };
    fields.insert("notes".to_owned(), notes.into());
}

/// Names places that have nothing by which the API knows a place: by the item, the town or the address.
pub(crate) fn name_places(item: &mut Item) {
    for end in item.part.ends() {
        let has = |field: &str| item.at(end.place, field).is_some();
        if ["name", "code", "coordinate", "placeId"].into_iter().any(has) {
            continue;
        }
        let prefix = format!("{}.", end.place);
        let has_any = item.fields.keys().any(|path| path.starts_with(&prefix));
        let is_named = !item.part.is_way() && !item.fields.contains_key("@unnamed");
        let own = item.text("name").filter(|_| is_named);
        let name =
            own.or_else(|| item.text(end.city)).or_else(|| item.at(end.place, "address").and_then(Value::as_str));
        let (has_city, name) = (item.text(end.city).is_some(), name.map(str::to_owned));
        match name.and_then(|name| text::line(&name)) {
            Some(name) if has_any || has_city => {
                item.fields.insert(format!("{prefix}name"), text::cut(name, limits::NAME).0.into());
            }
            Some(_) => {}
            None => item.fields.retain(|path, _| !path.starts_with(&prefix)),
        }
    }
}

/// A finished item of the API's type. `None` if it has no field at all.
pub(crate) trait Typed: DeserializeOwned {
    fn of(item: &Item) -> Option<Self> {
        let object = unflatten(&item.fields);
        if object.is_empty() && item.tickets.is_empty() {
            return None;
        }
        let mut typed: Self = serde_json::from_value(Value::Object(object)).ok()?;
        typed.set_id(item.id.clone());
        typed.set_tickets(List::new(item.tickets.clone())?);
        Some(typed)
    }

    fn set_id(&mut self, id: Option<ItemId>);

    fn set_tickets(&mut self, tickets: Tickets);
}

macro_rules! typed {
    ($($name:ident),+) => {
        $(impl Typed for $name {
            fn set_id(&mut self, id: Option<ItemId>) {
                self.id = id;
            }

            fn set_tickets(&mut self, tickets: Tickets) {
                self.tickets = tickets;
            }
        })+
    };
}

typed!(Flight, Hotel, Transport, Reservation);

/// Whether two texts are the same date-time with the same offset.
pub(crate) fn is_same_time(a: &str, b: &str) -> bool {
    match (OffsetTime::new(a), OffsetTime::new(b)) {
        (Ok(a), Ok(b)) => a.instant() == b.instant() && a.instant().offset() == b.instant().offset(),
        _ => false,
    }
}
