//! iCalendar (RFC 5545).
//!
//! Events are a flight, a transport, a stay, a reservation, a stop with a time, the stops of a day that have none, and the
//! trip as a whole. The ids of events are made of the ids of their items, so a calendar program updates them.

mod bookings;
mod write;
mod zones;

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use itinerary_api::types::Place;
use itinerary_api::values::ItemId;
use jiff::civil;
use serde::Serialize;

use crate::details::{note_lines, notes};
use crate::moment::{Moment, Zone};
use crate::text::{clean, join, line, link};
use crate::trip::{GeoPoint, Trip, TripDay, TripStop};
use crate::words;
use write::{CalendarLines, escaped};
use zones::Zones;

/// The media type, with the encoding that some calendar programs do not assume.
pub const MEDIA_TYPE: &str = "text/calendar; charset=utf-8";

/// The longest JSON of a booking that is part of its event.
const ITEM_BYTES: usize = 8 * 1024;

/// A calendar with all events of one trip. Bookings are also in it as their JSON, so that it can be imported again without
/// loss.
pub(crate) fn export(trip: &Trip<'_>) -> String {
    let mut calendar = Calendar::new(&trip.itinerary.title, usize::MAX);
    calendar.has_items = true;
    calendar.add(trip);
    calendar.finish()
}

/// A calendar in the making.
pub struct Calendar {
    head: CalendarLines,
    events: CalendarLines,
    zones: Zones,
    /// The number of events that it still has room for.
    room: usize,
    /// Whether bookings are also in it as JSON. Not in calendars that programs read again and again: it would double them.
    has_items: bool,
}

impl Calendar {
    /// A calendar of at most so many events.
    pub fn new(name: &str, most_events: usize) -> Self {
        let mut head = CalendarLines::default();
        head.line("BEGIN", "VCALENDAR");
        head.line("VERSION", "2.0");
        head.line("PRODID", "-//Itinerary Planning Service//Exports//EN");
        head.line("CALSCALE", "GREGORIAN");
        let name = escaped(&line(name));
        head.line("NAME", &name);
        // Calendar programs that do not know RFC 7986 use this name.
        head.line("X-WR-CALNAME", &name);
        Self { head, events: CalendarLines::default(), zones: Zones::default(), room: most_events, has_items: false }
    }

    /// Asks programs that subscribe to this calendar to read it again after so many hours.
    pub fn refresh_hours(&mut self, hours: u32) {
        self.head.line("REFRESH-INTERVAL;VALUE=DURATION", &format!("PT{hours}H"));
        self.head.line("X-PUBLISHED-TTL", &format!("PT{hours}H"));
    }

    /// Its events in bytes.
    pub fn len(&self) -> usize {
        self.events.text.len()
    }

    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.events.text.is_empty()
    }

    /// Whether it has room for no further event.
    pub fn is_full(&self) -> bool {
        self.room == 0
    }

    /// Adds the events of a trip, as far as there is room.
    pub fn add(&mut self, trip: &Trip<'_>) {
        self.whole(trip);
        for flight in &trip.flights {
            self.flight(trip, flight);
        }
        for transport in &trip.transports {
            self.transport(trip, transport);
        }
        for hotel in &trip.hotels {
            self.hotel(trip, hotel);
        }
        for reservation in &trip.reservations {
            self.reservation(trip, reservation);
        }
        for day in &trip.days {
            self.day(trip, day);
            for stop in &day.stops {
                self.stop(trip, day, stop);
            }
        }
    }

    /// The calendar as a file.
    pub fn finish(mut self) -> String {
        self.zones.write(&mut self.head);
        let mut text = self.head.text + &self.events.text;
        text.push_str("END:VCALENDAR\r\n");
        text
    }

    /// The trip as a whole, on all its days.
    fn whole(&mut self, trip: &Trip<'_>) {
        let (first, last) = (trip.days.first().map(|day| day.date), trip.last_date());
        let Some((first, last)) = first.or(last).zip(last) else { return };
        let itinerary = trip.itinerary;
        let Some(mut event) = self.event(trip, "trip", None, &itinerary.title) else { return };
        event.all_day(first, last);
        let destination = &itinerary.destination;
        event.text("LOCATION", &line(&destination.name));
        event.point(Some(destination.coordinate.into()));
        event.text("DESCRIPTION", itinerary.summary.as_deref().unwrap_or_default());
        event.tags(itinerary.tags.iter().map(|tag| &**tag));
        event.end();
    }

    /// The title, the notes and the stops without a time of a day, as one event on the whole day. No event if it has none
    /// of them.
    fn day(&mut self, trip: &Trip<'_>, of: &TripDay<'_>) {
        let mut names = String::new();
        for stop in of.stops.iter().filter(|stop| stop.starts.is_none()) {
            _ = writeln!(names, "{}", line(&stop.stop.name));
            for note in note_lines(stop.stop.notes.as_deref()) {
                _ = writeln!(names, "  {}", line(note));
            }
        }
        let notes = notes(of.day.notes.as_deref()).unwrap_or_default();
        let title = of.day.title.as_deref().map(line);
        if names.is_empty() && notes.is_empty() && title.is_none() {
            return;
        }
        let title = format!("Day {}: {}", of.number, title.unwrap_or_else(|| line(&trip.itinerary.title)));
        let Some(mut event) = self.event(trip, "day", of.day.id.as_ref(), &title) else { return };
        event.all_day(of.date, of.date);
        event.text("DESCRIPTION", &join([notes.to_owned(), names.trim_end().to_owned()], "\n\n"));
        event.end();
    }

    fn stop(&mut self, trip: &Trip<'_>, day: &TripDay<'_>, of: &TripStop<'_>) {
        let (stop, Some(starts)) = (of.stop, &of.starts) else { return };
        let Some(mut event) = self.event(trip, "stop", stop.id.as_ref(), &line(&stop.name)) else { return };
        event.moment("DTSTART", starts);
        if let Some(ends) = &of.ends {
            event.moment("DTEND", ends);
        }
        if stop.start_time_suggested {
            event.lines.line("STATUS", "TENTATIVE");
        }
        event.text("LOCATION", &place_words(&stop.name, stop.place.as_ref()));
        event.point(of.point);
        let leg = of.leg.map(|leg| {
            let measures = [
                words::leg_minutes(leg).unwrap_or_default(),
                leg.metres.map(|metres| words::distance(metres.get())).unwrap_or_default(),
            ];
            let next = day.stops.get(of.number).map(|next| line(&next.stop.name)).unwrap_or_default();
            format!("Then to {next}: {}", join([words::leg_mode(leg.mode).to_owned(), join(measures, ", ")], ", "))
        });
        let activity = stop.activity.as_ref();
        event.text(
            "DESCRIPTION",
            &join(
                [
                    labelled("Phone:", stop.phone_number.as_deref()),
                    labelled(
                        "Booking:",
                        activity.and_then(|activity| link(activity.booking_url.as_deref()?)).as_deref(),
                    ),
                    notes(stop.notes.as_deref()).unwrap_or_default().to_owned(),
                    leg.unwrap_or_default(),
                ],
                "\n",
            ),
        );
        event.tags(stop.category.map(words::stop_category));
        event.end();
    }

    /// Begins an event of the trip itself or of an item of it. `None` if there is no room.
    fn event(&mut self, trip: &Trip<'_>, kind: &str, item: Option<&ItemId>, title: &str) -> Option<Event<'_>> {
        self.room = self.room.checked_sub(1)?;
        let (lines, zones, has_items) = (&mut self.events, &mut self.zones, self.has_items);
        let item = item.map(|item| format!("{}.", &**item)).unwrap_or_default();
        let changed = trip.itinerary.updated_at.0.format("%Y%m%dT%H%M%SZ").to_string();
        lines.line("BEGIN", "VEVENT");
        lines.line("UID", &format!("{item}{kind}@{}", trip.itinerary.id));
        lines.line("DTSTAMP", &changed);
        lines.line("LAST-MODIFIED", &changed);
        lines.line("SEQUENCE", &trip.version.min(i64::from(i32::MAX)).to_string());
        lines.line("SUMMARY", &escaped(&line(title)));
        lines.line("URL", &trip.address);
        Some(Event { lines, zones, has_items })
    }
}

struct Event<'c> {
    lines: &'c mut CalendarLines,
    zones: &'c mut Zones,
    has_items: bool,
}

impl Event<'_> {
    /// A property with text, cleaned and escaped. No property if the text is empty.
    fn text(&mut self, name: &str, text: &str) {
        let text = clean(text);
        if !text.is_empty() {
            self.lines.line(name, &escaped(&text));
        }
    }

    fn all_day(&mut self, first: civil::Date, last: civil::Date) {
        self.lines.line("DTSTART;VALUE=DATE", &first.strftime("%Y%m%d").to_string());
        // The end is exclusive.
        if let Ok(after) = last.tomorrow() {
            self.lines.line("DTEND;VALUE=DATE", &after.strftime("%Y%m%d").to_string());
        }
        self.lines.line("TRANSP", "TRANSPARENT");
    }

    /// A time: floating, in its zone, or in UTC if it has only an offset. Also in UTC if the local time occurs twice and
    /// this is the second, because a local time means the first.
    fn moment(&mut self, name: &str, moment: &Moment) {
        let local = moment.local.strftime("%Y%m%dT%H%M%S").to_string();
        match (&moment.zone, moment.instant) {
            (Zone::Named { name: zone_name, zone }, Some(instant))
                if !moment.is_repeated() && !zones::is_utc(zone_name) =>
            {
                self.zones.note(zone_name, zone, instant);
                self.lines.line(&format!("{name};TZID={zone_name}"), &local);
            }
            (_, Some(instant)) => self.lines.line(name, &instant.strftime("%Y%m%dT%H%M%SZ").to_string()),
            (_, None) => self.lines.line(name, &local),
        }
    }

    fn point(&mut self, point: Option<GeoPoint>) {
        if let Some(GeoPoint { latitude, longitude }) = point {
            self.lines.line("GEO", &format!("{latitude};{longitude}"));
        }
    }

    fn tags<'t>(&mut self, tags: impl IntoIterator<Item = &'t str>) {
        let tags: Vec<String> = tags.into_iter().map(|tag| escaped(&line(tag))).collect();
        if !tags.is_empty() {
            self.lines.line("CATEGORIES", &tags.join(","));
        }
    }

    /// The JSON of the booking that the event is about, in base64, unless it is too long.
    ///
    /// RFC 5545 gives a property without a registration the type TEXT (3.8.8.2), in which commas, semicolons, backslashes
    /// and line breaks are escaped (3.3.11). JSON is full of these, and programs that keep properties they do not know may
    /// escape them a second time. Base64 has none of them, so it is the same with and without escapes. The type BINARY
    /// would need two parameters, without which nobody could read it.
    fn item(&mut self, item: &impl Serialize) {
        if !self.has_items {
            return;
        }
        if let Some(json) = serde_json::to_vec(item).ok().filter(|json| json.len() <= ITEM_BYTES) {
            self.lines.line("X-ITINERARY-ITEM", &STANDARD.encode(json));
        }
    }

    fn end(self) {
        self.lines.line("END", "VEVENT");
    }
}

/// `Seat: 14C`. Empty if there is no value.
fn labelled(label: &str, value: Option<&str>) -> String {
    let value = line(value.unwrap_or_default());
    if value.is_empty() { value } else { format!("{label} {value}") }
}

/// The name of an item and what its place adds to it.
fn place_words(name: &str, place: Option<&Place>) -> String {
    let more = words::location(name, place);
    if more.is_empty() { more } else { join([line(name), more], ", ") }
}
