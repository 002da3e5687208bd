//! Events of TripIt's feed.
//!
//! Their times are in UTC; the description has the local time above each line that it belongs to:
//!
//! ```text
//! Sun, Aug 23
//! 5:30 AM CDT
//! Arrive Nashville (BNA)
//! ```
//!
//! A local time and the instant give the offset.

use chrono::{NaiveDateTime, NaiveTime, TimeDelta, Timelike};

use super::Part;
use super::details::Details;
use super::event::Event;
use super::{summary, ways};
use crate::booking::{Booking, Category, Kind, Mode, Spot, Time};
use crate::file::Outline;
use crate::readers::{text, when};

/// Whether an event is of the feed.
pub(super) fn is_one(event: &Event) -> bool {
    event.uid.ends_with("@tripit.com")
}

/// The trip of an event that stands for a whole trip. `None` for others.
pub(super) fn trip(event: &Event) -> Option<Outline> {
    let is_item = event.uid.starts_with("item-");
    let is_trip = is_one(event) && !is_item && matches!(event.start, Some(Time::Day(_)));
    is_trip.then(|| Outline {
        title: text::some(&event.summary),
        destination: event.location.as_ref().map(|location| Spot {
            name: Some(location.clone()),
            coordinate: event.coordinate,
            ..Spot::default()
        }),
        start: event.start_date(),
        end: event.end_date().or(event.start_date()),
        ..Outline::default()
    })
}

/// The booking of an event. `None` for what is no booking, such as directions and notes.
pub(super) fn read(event: &Event) -> Option<(Part, Booking)> {
    let lines: Vec<&str> = event.lines().take(200).collect();
    let marked = lines.iter().enumerate().find_map(|(at, line)| {
        let (kind, rest) = line.strip_prefix('[')?.split_once(']')?;
        Some((at, kind.to_lowercase(), rest.trim()))
    });
    let Some((at, kind, rest)) = marked else { return summary::read(event) };
    let details = Details::read(event);
    let event = &local(event, &lines, at);
    let (part, mut booking) = match kind.as_str() {
        "flight" => (Part::Whole, flight(event, &details, &lines[at..], rest)),
        "lodging" | "car rental" | "car" => summary::read(event).filter(|(_, booking)| is_kind(booking, &kind))?,
        "rail" | "train" => (Part::Whole, journey(event, Mode::Train, &lines[at..], rest)),
        "ferry" | "cruise" => (Part::Whole, journey(event, Mode::Ferry, &lines[at..], rest)),
        "transportation" | "transport" | "ground transportation" | "bus" => {
            let mode = if rest.to_lowercase().contains("bus") { Mode::Bus } else { Mode::Other };
            (Part::Whole, journey(event, mode, &lines[at..], rest))
        }
        "restaurant" => (Part::Whole, reservation(event, Category::Restaurant)),
        "activity" | "tour" => (Part::Whole, reservation(event, Category::Activity)),
        "meeting" | "concert" | "theater" | "event" | "parking" => (Part::Whole, reservation(event, Category::Event)),
        _ => return None,
    };
    details.fill(&mut booking);
    if kind.starts_with("car") {
        // `National Car Rental` is who hires out, not what is hired.
        booking.operator.name = booking.operator.name.take().or(booking.name.take());
    }
    summary::finish(event, &mut booking);
    Some((part, booking))
}

fn is_kind(booking: &Booking, kind: &str) -> bool {
    match booking.kind {
        Kind::Hotel => kind == "lodging",
        Kind::Transport(Mode::Car) => kind != "lodging",
        _ => false,
    }
}

fn reservation(event: &Event, category: Category) -> Booking {
    Booking { notes: None, ..summary::reservation(event, category, &event.summary) }
}

/// A flight: `LH463 MIA to FRA`, with `Lufthansa 463, Terminal 2, Gate 4` and `Arrive Frankfurt (FRA)` in its lines.
fn flight(event: &Event, details: &Details<'_>, lines: &[&str], rest: &str) -> Booking {
    let found = ways::flight(&format!("Flight {}", event.summary)).or_else(|| ways::flight(&format!("Flight {rest}")));
    let mut booking = summary::with_flight(event, details, found.unwrap_or_default());
    // The location is the airport of departure as a rule, but only by its city.
    booking.start.place.name = booking.start.place.name.filter(|_| booking.start.place.code.is_some());
    let mut is_arrival = false;
    for line in lines.iter().skip(1) {
        if let Some(to) = line.strip_prefix("Arrive ") {
            is_arrival = true;
            let to = ways::named(to);
            if booking.end.place.code.is_none() || booking.end.place.code == to.code {
                booking.end.place = to;
            }
            continue;
        }
        let call = if is_arrival { &mut booking.end } else { &mut booking.start };
        for (at, word) in line.split(',').map(str::trim).enumerate() {
            if let Some(terminal) = word.strip_prefix("Terminal ") {
                call.terminal = text::some(terminal);
            } else if let Some(gate) = word.strip_prefix("Gate ") {
                call.gate = text::some(gate);
            } else if at == 0 && !is_arrival && booking.operator.name.is_none() {
                booking.operator.name = airline(word, booking.number.as_deref());
            }
        }
    }
    booking
}

/// The airline of `Lufthansa 463`. Words with digits or punctuation are none, such as `1:10pm CEST Depart Frankfurt (FRA) LH`.
fn airline(words: &str, number: Option<&str>) -> Option<String> {
    let name = words.strip_suffix(number?)?.trim();
    let is_name = name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '&' | '.' | '\'' | '’' | '-'));
    (is_name && name.chars().count() > 3).then(|| name.to_owned())
}

/// A train and the like: `ÖBB - Wien Hauptbahnhof to Hamburg-Harburg`.
fn journey(event: &Event, mode: Mode, lines: &[&str], rest: &str) -> Booking {
    let mut booking = summary::timed(event, Kind::Transport(mode));
    let rest = text::some(rest).unwrap_or_else(|| event.summary.clone());
    let (operator, way) = rest.split_once(" - ").unwrap_or(("", &rest));
    booking.operator.name = text::some(operator);
    let (from, to) = way.split_once(" to ").unwrap_or_default();
    booking.start.place = Spot { coordinate: event.coordinate, ..spot(from, lines, "Depart ") };
    booking.end.place = spot(to, lines, "Arrive ");
    let number = lines.iter().find_map(|line| text::after(line, "Train ").or_else(|| text::after(line, "Train #")));
    booking.number = number.and_then(text::some).filter(|number| number.len() <= 20);
    booking
}

/// A station with the address of its line: `Arrive Hamburg-Harburg Hannoversche Str. 85, 21079 Hamburg, Germany`.
fn spot(name: &str, lines: &[&str], verb: &str) -> Spot {
    let line = lines.iter().find_map(|line| line.strip_prefix(verb)).unwrap_or_default();
    if name.is_empty() {
        return Spot { name: text::some(line), ..Spot::default() };
    }
    let address = line.strip_prefix(name).map(|rest| rest.trim_matches([',', ' ', ';']));
    let address = address.map(|address| address.strip_suffix(name).unwrap_or(address).trim_end_matches([',', ' ']));
    Spot { name: text::some(name), address: address.and_then(text::some), ..Spot::default() }
}

/// The event at its local times.
fn local(event: &Event, lines: &[&str], marker: usize) -> Event {
    let start_clock = clock_above(lines, marker);
    let start = localised(event.start.as_ref(), start_clock, None);
    let arrival = lines.iter().enumerate().skip(marker + 1).find(|(_, line)| line.starts_with("Arrive "));
    let end = match arrival {
        Some((at, _)) => localised(event.end.as_ref(), clock_above(lines, at), None),
        None => localised(event.end.as_ref(), None, start.as_ref()),
    };
    let mut local = event.clone();
    local.start = start.or(local.start);
    local.end = end.or(local.end);
    local
}

/// A time in UTC at the clock of its place, or at the offset of another time.
fn localised(time: Option<&Time>, clock: Option<NaiveTime>, like: Option<&Time>) -> Option<Time> {
    let Some(Time::Offset(utc, 0)) = time else { return None };
    let minutes = match (clock, like) {
        (Some(clock), _) => offset(*utc, clock)?,
        (None, Some(Time::Offset(_, minutes))) => *minutes,
        _ => return None,
    };
    Some(Time::Offset(utc.checked_add_signed(TimeDelta::minutes(minutes.into()))?, minutes))
}

/// The offset in minutes of a clock from an instant. `None` if two offsets are possible: those of -12 to -10 hours are a
/// day behind those of 12 to 14.
fn offset(utc: NaiveDateTime, clock: NaiveTime) -> Option<i32> {
    let minutes = |time: NaiveTime| i32::try_from(time.num_seconds_from_midnight() / 60).unwrap_or_default();
    let difference = minutes(clock) - minutes(utc.time());
    let day = 24 * 60;
    let mut possible = [difference - day, difference, difference + day]
        .into_iter()
        .filter(|offset| (-12 * 60..=14 * 60).contains(offset));
    let first = possible.next()?;
    possible.next().is_none().then_some(first)
}

/// The clock above a line: nothing but a date may stand between.
fn clock_above(lines: &[&str], at: usize) -> Option<NaiveTime> {
    for line in lines[..at].iter().rev().take(2) {
        let when = when::words(line, None);
        let is_clock = line.starts_with(|c: char| c.is_ascii_digit()) && line.len() <= 20;
        if let Some(time) = when.time.filter(|_| is_clock) {
            return Some(time);
        }
        if !line.contains(", ") || line.len() > 20 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_clocks() {
        let utc: NaiveDateTime = "2026-08-23T06:05:00".parse().unwrap();
        let at = |clock: &str| offset(utc, clock.parse().unwrap());
        assert_eq!(at("23:05:00"), Some(-420));
        assert_eq!(at("08:05:00"), Some(120));
        assert_eq!(at("11:50:00"), Some(345));
        // Ten hours behind or fourteen ahead.
        assert_eq!(at("20:05:00"), None);
    }

    #[test]
    fn a_line_about_a_departure_names_no_airline() {
        for (line, number, name) in [
            ("Lufthansa 463", "463", Some("Lufthansa")),
            ("1:10pm CEST Depart Frankfurt (FRA) LH716", "716", None),
            ("LH716", "716", None),
        ] {
            assert_eq!(airline(line, Some(number)).as_deref(), name, "{line}");
        }
    }
}
