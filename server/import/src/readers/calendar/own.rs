//! Events of this service's own calendars, whose ids say what they are: `f1.flight@…`.
//!
//! They come back as what they were: bookings, and stops as places to see. The words of a description have each end of a
//! journey in a line of its own: `Departs 2027-05-15 08:05 (Europe/Lisbon, UTC+01:00), Lisbon (LIS), terminal 1, gate 14`.

use super::details::Details;
use super::event::Event;
use super::{summary, ways};
use crate::booking::{Booking, Call, Category, Kind, Mode, Spot, Time, Waypoint};
use crate::file::Outline;
use crate::own_item::{OwnBooking, OwnItem};
use crate::readers::{number, text, when};

/// The name of the program in its calendars.
pub(super) const PROGRAM: &str = "Itinerary Planning Service";

/// What an event is of.
pub(super) enum Item {
    Trip(Outline),
    Booking(Box<Booking>),
    Stops(Vec<Waypoint>),
}

/// The booking that an event contains as JSON, whichever program the calendar comes from now. `None` if there is none, or
/// it is not what the event's id says; then the event is read by its words.
pub(super) fn item(event: &Event) -> Option<OwnItem> {
    let (item, _) = event.uid.split_once('@')?;
    let booking = OwnBooking::read(item.rsplit('.').next()?, event.item.as_deref()?)?;
    Some(OwnItem { booking, cancelled: event.is_cancelled, modified: event.modified })
}

/// Reads an event. `None` if its id is none of the known ones.
pub(super) fn read(event: &Event) -> Option<Item> {
    let (item, _) = event.uid.split_once('@')?;
    let details = Details::read(event);
    let mut booking = match item.rsplit('.').next()? {
        "flight" => flight(event, &details),
        "hotel" => hotel(event),
        "transport" => transport(event, &details),
        "reservation" => {
            let category = if event.has_category("Restaurant") { Category::Restaurant } else { category(event) };
            Booking { notes: None, ..summary::reservation(event, category, &event.summary) }
        }
        "trip" => return Some(Item::Trip(trip(event))),
        "day" => return Some(Item::Stops(stops_of_day(event))),
        "stop" => return Some(Item::Stops(vec![stop(event)])),
        _ => return None,
    };
    details.fill(&mut booking);
    booking.cancelled = event.is_cancelled;
    booking.modified = event.modified;
    Some(Item::Booking(Box::new(booking)))
}

fn category(event: &Event) -> Category {
    if event.has_category("Activity") { Category::Activity } else { Category::Event }
}

fn trip(event: &Event) -> Outline {
    Outline {
        title: text::some(&event.summary),
        summary: text::some(&event.description),
        destination: event.location.as_ref().map(|name| Spot {
            name: Some(name.clone()),
            coordinate: event.coordinate,
            ..Spot::default()
        }),
        start: event.start_date(),
        end: event.end_date().or(event.start_date()),
        days: Vec::new(),
    }
}

/// The stops of a day that have no time, one a line.
fn stops_of_day(event: &Event) -> Vec<Waypoint> {
    let day = event.start_date().map(Time::Day);
    let folder = event.summary.split(':').next().and_then(text::some);
    let stop = |name: &str| Waypoint {
        place: Spot { name: text::some(name), ..Spot::default() },
        notes: None,
        time: day.clone(),
        folder: folder.iter().cloned().collect(),
    };
    event.lines().map(stop).collect()
}

fn stop(event: &Event) -> Waypoint {
    let mut place = summary::place(event, Some(&event.summary));
    place.name = text::some(&event.summary);
    Waypoint { place, notes: None, time: event.start.clone(), folder: Vec::new() }
}

fn flight(event: &Event, details: &Details<'_>) -> Booking {
    let found = ways::flight(&format!("Flight {}", event.summary)).unwrap_or_default();
    let mut booking = journey(event, Kind::Flight);
    let named = event.summary.split(' ').next().unwrap_or_default();
    if let Some((code, number)) = found.number {
        (booking.operator.code, booking.number) = (Some(code), Some(number));
    } else if named.bytes().any(|byte| byte.is_ascii_digit()) {
        booking.number = Some(named.to_owned());
    }
    for (place, known) in [(&mut booking.start.place, found.from), (&mut booking.end.place, found.to)] {
        place.code = place.code.take().or(known.code);
    }
    booking.travel_class = details.of("cabin").map(str::to_owned);
    booking
}

fn transport(event: &Event, details: &Details<'_>) -> Booking {
    let modes = [
        ("Train", Mode::Train),
        ("Bus", Mode::Bus),
        ("Ferry", Mode::Ferry),
        ("Car", Mode::Car),
        ("Rental car", Mode::Car),
        ("Taxi", Mode::Taxi),
        ("Transfer", Mode::Transfer),
    ];
    let mode = modes.iter().find(|(name, _)| event.has_category(name)).map_or(Mode::Other, |(_, mode)| *mode);
    let mut booking = journey(event, Kind::Transport(mode));
    booking.number = details.of("number").map(str::to_owned);
    booking
}

/// A journey with its ends, from the lines of the description.
fn journey(event: &Event, kind: Kind) -> Booking {
    let mut booking = Booking::new(kind);
    for line in event.lines() {
        let end = |rest| end(rest, kind == Kind::Flight);
        if let Some(rest) = line.strip_prefix("Departs ").or_else(|| line.strip_prefix("Collection ")) {
            booking.start = end(rest);
        } else if let Some(rest) = line.strip_prefix("Arrives ").or_else(|| line.strip_prefix("Return ")) {
            booking.end = end(rest);
        }
    }
    if booking.start.time.is_none() && booking.end.time.is_none() {
        (booking.start.time, booking.end.time) = (event.start.clone(), event.end.clone());
    }
    let located = if booking.start.time.is_some() { &mut booking.start } else { &mut booking.end };
    located.place.coordinate = event.coordinate;
    booking
}

/// One end of a journey: time, place, terminal, gate and platform, as far as they are known.
fn end(words: &str, is_flight: bool) -> Call {
    let (time, mut rest) = moment(words);
    let mut call = Call { time, ..Call::default() };
    // The place's name may have commas, the rest has none.
    loop {
        let (before, last) = rest.rsplit_once(", ").unwrap_or(("", rest));
        let field = [("gate ", &mut call.gate), ("terminal ", &mut call.terminal), ("platform ", &mut call.platform)];
        let Some((value, field)) =
            field.into_iter().find_map(|(label, field)| Some((last.strip_prefix(label)?, field)))
        else {
            break;
        };
        *field = text::some(value);
        rest = before;
    }
    call.place = match number::airport_in_full(rest).filter(|_| is_flight) {
        Some((name, code)) => Spot { name: text::some(name), code: Some(code.to_owned()), ..Spot::default() },
        None if is_flight && number::is_airport(rest) => Spot { code: Some(rest.to_owned()), ..Spot::default() },
        None => Spot { name: text::some(rest), ..Spot::default() },
    };
    call
}

/// The time at the start of `2027-05-15 08:05 (Europe/Lisbon, UTC+01:00), …`, and what follows it.
pub(in crate::readers) fn moment(words: &str) -> (Option<Time>, &str) {
    let Some((local, rest)) = words.split_at_checked(16) else { return (None, words) };
    let Some(when::When { date: Some(date), time: Some(time), offset: None }) = when::iso(local) else {
        return (None, words);
    };
    let local = date.and_time(time);
    let (zone, rest) = match rest.strip_prefix(" (").and_then(|rest| rest.split_once(')')) {
        Some((zone, rest)) => (Some(zone), rest),
        None => (None, rest),
    };
    let time = match zone.map(|zone| zone.split_once(", ").map_or(("", zone), |(name, offset)| (name, offset))) {
        Some(("", "UTC")) => Time::Offset(local, 0),
        Some(("", offset)) => {
            let minutes = offset.strip_prefix("UTC").and_then(when::offset);
            minutes.map_or(Time::Local(local), |minutes| Time::Offset(local, minutes))
        }
        Some((name, _)) => Time::Zone(local, name.to_owned()),
        None => Time::Local(local),
    };
    (Some(time), rest.trim_start_matches(", "))
}

fn hotel(event: &Event) -> Booking {
    let is_end = event.summary.strip_prefix("Check-out: ");
    let name = is_end.unwrap_or(&event.summary);
    let mut booking = summary::stay(event, name);
    let of = |label: &str| event.lines().find_map(|line| moment(line.strip_prefix(label)?).0);
    let (arrives, leaves) = (of("Check-in: "), of("Check-out: "));
    if arrives.is_some() || leaves.is_some() {
        (booking.start.time, booking.end.time) = (arrives, leaves);
    }
    booking.notes = event.lines().find(|line| line.starts_with("Room: ")).map(str::to_owned);
    booking
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> chrono::NaiveDateTime {
        text.parse().unwrap()
    }

    #[test]
    fn ends_of_journeys() {
        let call = end(
            "2027-05-15 08:05 (Europe/Lisbon, UTC+01:00), Lisbon, Humberto Delgado (LIS), terminal 1, gate 14",
            true,
        );
        assert_eq!(call.time, Some(Time::Zone(at("2027-05-15T08:05:00"), "Europe/Lisbon".to_owned())));
        assert_eq!(call.place.name.as_deref(), Some("Lisbon, Humberto Delgado"));
        assert_eq!(call.place.code.as_deref(), Some("LIS"));
        assert_eq!((call.terminal.as_deref(), call.gate.as_deref()), (Some("1"), Some("14")));
        let call = end("2027-05-15 08:05 (UTC-03:30), LIS", true);
        assert_eq!(call.time, Some(Time::Offset(at("2027-05-15T08:05:00"), -210)));
        assert_eq!(call.place.code.as_deref(), Some("LIS"));
        let call = end("2027-05-15 08:05", true);
        assert_eq!((call.time, call.place), (Some(Time::Local(at("2027-05-15T08:05:00"))), Spot::default()));
        let call = end("Porto Campanhã, platform 3", false);
        assert_eq!((call.place.name.as_deref(), call.platform.as_deref()), (Some("Porto Campanhã"), Some("3")));
        for text in ["", ",", "2027-05-15", "2027-05-15 08:05 (", "2027-05-15 08:05 (), x", "ä"] {
            end(text, true);
        }
    }
}
