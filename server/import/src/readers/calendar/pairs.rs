//! Events that are one booking together: check-in and check-out, collection and return.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{Days, NaiveDate};

use super::Part;
use crate::booking::{Booking, Kind, Time};

/// The longest time, in days, between the two parts.
const LONGEST: u64 = 366;
/// The first parts that are tried for a second one.
const MOST_TRIED: usize = 50;

/// First parts without a second one, by kind and name, and by their day.
type Starts = HashMap<(Kind, Option<String>), BTreeMap<NaiveDate, Vec<usize>>>;

/// Bookings of events and of pairs of events, each once.
pub(super) fn unite(parts: Vec<(Part, Booking)>) -> Vec<Booking> {
    let mut bookings: Vec<Booking> = Vec::with_capacity(parts.len());
    let mut starts = Starts::new();
    let mut ends = Vec::new();
    for (part, booking) in parts {
        if part == Part::End {
            ends.push(booking);
            continue;
        }
        if let Some(day) = booking.start.time.as_ref().map(Time::date).filter(|_| part == Part::Start) {
            starts.entry(name(&booking)).or_default().entry(day).or_default().push(bookings.len());
        }
        bookings.push(booking);
    }
    for end in ends {
        match take_start(&mut starts, &bookings, &end) {
            Some(start) => join(&mut bookings[start], end),
            None => bookings.push(end),
        }
    }
    let mut once: Vec<Booking> = Vec::with_capacity(bookings.len());
    let mut seen = HashSet::new();
    for booking in bookings {
        // TripIt's feed has some events twice.
        if seen.insert(key(&booking)) {
            once.push(booking);
        }
    }
    once
}

/// What makes a booking the same as another of the same calendar: its kind, name, number and confirmation number, and its
/// times.
fn key(booking: &Booking) -> (Kind, [Option<String>; 3], [Option<Time>; 2]) {
    let name = booking.name.clone().or_else(|| booking.start.place.name.clone());
    (
        booking.kind,
        [name, booking.number.clone(), booking.confirmation_number.clone()],
        [booking.start.time.clone(), booking.end.time.clone()],
    )
}

/// What two parts of a booking have in common.
fn name(booking: &Booking) -> (Kind, Option<String>) {
    let name = booking.name.as_ref().or(booking.operator.name.as_ref());
    (booking.kind, name.map(|name| name.to_lowercase()))
}

/// Takes the last first part before a second one that has no other confirmation number.
fn take_start(starts: &mut Starts, bookings: &[Booking], end: &Booking) -> Option<usize> {
    let day = end.end.time.as_ref().map(Time::date)?;
    let earliest = day.checked_sub_days(Days::new(LONGEST))?;
    let is_same = |start: &usize| {
        let numbers = (&bookings[*start].confirmation_number, &end.confirmation_number);
        numbers.0.is_none() || numbers.1.is_none() || numbers.0 == numbers.1
    };
    let days = starts.get_mut(&name(end))?;
    let found = days.range(earliest..=day).rev().flat_map(|(day, starts)| starts.iter().map(|start| (*day, *start)));
    let (day, start) = found.take(MOST_TRIED).find(|(_, start)| is_same(start))?;
    let on_day = days.get_mut(&day)?;
    on_day.retain(|other| *other != start);
    if on_day.is_empty() {
        days.remove(&day);
    }
    Some(start)
}

/// Adds the second part to the first.
fn join(start: &mut Booking, end: Booking) {
    start.end = end.end;
    start.cancelled |= end.cancelled;
    start.modified = start.modified.max(end.modified);
    start.confirmation_number = start.confirmation_number.take().or(end.confirmation_number);
    start.phone_number = start.phone_number.take().or(end.phone_number);
    let (place, other) = (&mut start.start.place, end.start.place);
    if start.kind == Kind::Hotel {
        place.address = place.address.take().or(other.address);
        place.coordinate = place.coordinate.or(other.coordinate);
    }
}
