//! Calendars: iCalendar (RFC 5545).
//!
//! KDE's events contain the booking as JSON-LD, and this service's as its own JSON. TripIt's events, and this service's
//! without JSON, are read by the form of their descriptions, others by their names. What is no journey and no stay is a
//! reservation with a time.
//! Recurrence is not followed: of an event that repeats the first time is read, and the others are listed as ignored.

mod details;
mod event;
mod own;
mod pairs;
mod summary;
mod tripit;
mod ways;

use calcard::icalendar::{ICalendar, ICalendarComponentType, ICalendarMethod, ICalendarProperty, ICalendarValue};
use calcard::{Entry, Parser};

use crate::booking::{Booking, Spot, Time};
use crate::budget::{Budget, Exceeded, MAX_CALENDAR_LINES};
use crate::file::{Found, Ignored, Outline, Reason};
use crate::readers::{json, schema_org, text};
use event::Event;
pub(super) use own::moment;

/// The number and the places of a flight in words such as `TP1363 AMS → LIS`.
pub(super) fn flight_words(words: &str) -> (Option<(String, String)>, Spot, Spot) {
    let found = ways::flight(&format!("Flight {words}")).unwrap_or_default();
    (found.number, found.from, found.to)
}

/// Which part of a booking an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// A check-in or a collection.
    Start,
    /// A check-out or a return.
    End,
}

/// Whether the bytes begin as a calendar.
pub fn is_one(content: &[u8]) -> bool {
    let start = crate::text::decode(&content[..content.len().min(200)], None).trim_start().to_ascii_uppercase();
    start.starts_with("BEGIN:VCALENDAR") || start.starts_with("BEGIN:VEVENT")
}

/// Reads a calendar, or several in one file.
pub fn read(content: &[u8], budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let content = unfolded(content);
    if memchr::memchr_iter(b'\n', &content).count() > MAX_CALENDAR_LINES {
        return Err(Exceeded::Elements.into());
    }
    let text = crate::text::decode(&content, None);
    let mut parser = Parser::new(&text);
    let mut reading = Reading::default();
    let mut has_calendar = false;
    loop {
        budget.check()?;
        match parser.entry() {
            Entry::ICalendar(calendar) => {
                has_calendar = true;
                reading.calendar(&calendar, budget)?;
            }
            Entry::Eof => break,
            // Lines outside of a calendar.
            _ => {}
        }
    }
    if !has_calendar {
        return Err(Ignored { reason: Reason::Malformed, message: "The file is not a calendar.".to_owned() });
    }
    Ok(reading.finish())
}

/// Without the line breaks that fold long lines. Some programs fold in the middle of a character, so this comes before
/// the bytes are read as text.
fn unfolded(content: &[u8]) -> Vec<u8> {
    let mut unfolded = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = memchr::memchr(b'\n', rest) {
        let (line, after) = rest.split_at(at);
        if matches!(after.get(1), Some(b' ' | b'\t')) {
            unfolded.extend_from_slice(line.strip_suffix(b"\r").unwrap_or(line));
            rest = &after[2..];
        } else {
            unfolded.extend_from_slice(line);
            unfolded.push(b'\n');
            rest = &after[1..];
        }
    }
    unfolded.extend_from_slice(rest);
    unfolded
}

/// What is read so far.
#[derive(Default)]
struct Reading {
    found: Found,
    parts: Vec<(Part, Booking)>,
    trips: Vec<Outline>,
}

impl Reading {
    fn calendar(&mut self, calendar: &ICalendar, budget: &mut Budget<'_>) -> Result<(), Ignored> {
        let zones = calendar.build_tz_resolver();
        let root = calendar.components.first();
        let values = |name: ICalendarProperty| {
            let entries = root.into_iter().flat_map(|root| &root.entries);
            entries.filter(move |entry| entry.name == name).flat_map(|entry| &entry.values)
        };
        let is_cancel = |value: &ICalendarValue| matches!(value, ICalendarValue::Method(ICalendarMethod::Cancel));
        let is_cancelled = values(ICalendarProperty::Method).any(is_cancel);
        let is_program =
            |value: &ICalendarValue| matches!(value, ICalendarValue::Text(name) if name.contains(own::PROGRAM));
        let is_own = values(ICalendarProperty::Prodid).any(is_program);
        for component in &calendar.components {
            if component.component_type != ICalendarComponentType::VEvent {
                continue;
            }
            budget.take_item()?;
            let mut event = Event::read(component, &zones);
            event.is_cancelled |= is_cancelled;
            let before = self.count();
            self.event(&event, is_own, budget)?;
            if event.repeats && self.count() > before {
                self.found.ignored.push(repeats(&event));
            }
        }
        Ok(())
    }

    /// How many bookings and places were read.
    fn count(&self) -> usize {
        let Found { bookings, items, waypoints, .. } = &self.found;
        bookings.len() + items.len() + waypoints.len() + self.parts.len()
    }

    fn event(&mut self, event: &Event, is_own: bool, budget: &mut Budget<'_>) -> Result<(), Ignored> {
        let reserved = event.reservations.as_deref().map(|text| bookings_in_json(text, event, budget));
        let reserved = reserved.transpose()?.unwrap_or_default();
        if !reserved.is_empty() {
            self.found.bookings.extend(reserved);
        } else if let Some(item) = own::item(event) {
            self.found.items.push(item);
        } else if let Some(item) = Some(event).filter(|_| is_own).and_then(own::read) {
            match item {
                own::Item::Trip(trip) => self.trips.push(trip),
                own::Item::Booking(booking) => self.found.bookings.push(*booking),
                own::Item::Stops(stops) => self.found.waypoints.extend(stops),
            }
        } else if let Some(trip) = trip_of_trek(event).or_else(|| tripit::trip(event)) {
            self.trips.push(trip);
        } else if tripit::is_one(event) {
            self.parts.extend(tripit::read(event));
        } else {
            self.parts.extend(summary::read(event));
        }
        Ok(())
    }

    /// What was found. A feed of several trips is of none.
    fn finish(mut self) -> Found {
        self.trips.dedup();
        if let [trip] = self.trips.as_mut_slice() {
            self.found.trip = Some(std::mem::take(trip));
        }
        self.found.bookings.extend(pairs::unite(self.parts));
        self.found
    }
}

/// What is left out of an event that repeats.
fn repeats(event: &Event) -> Ignored {
    let name: String = event.summary.chars().take(100).collect();
    let message = format!("The event `{name}` repeats. Only its first time was read.");
    Ignored { reason: Reason::Unsupported, message }
}

/// The trip of an event of TREK that stands for one.
fn trip_of_trek(event: &Event) -> Option<Outline> {
    let is_trip = event.uid.starts_with("trek-trip-") && matches!(event.start, Some(Time::Day(_)));
    is_trip.then(|| Outline {
        title: text::some(&event.summary),
        summary: text::some(&event.description),
        start: event.start_date(),
        end: event.end_date().or(event.start_date()),
        ..Outline::default()
    })
}

/// The bookings of KDE's property.
fn bookings_in_json(text: &str, event: &Event, budget: &mut Budget<'_>) -> Result<Vec<Booking>, Ignored> {
    let Ok(value) = json::parse(text.as_bytes()) else { return Ok(Vec::new()) };
    let mut bookings = Vec::new();
    schema_org::read(&[value], budget, &mut bookings)?;
    for booking in &mut bookings {
        booking.cancelled |= event.is_cancelled;
        booking.modified = booking.modified.or(event.modified);
    }
    Ok(bookings)
}

#[cfg(test)]
mod tests;
