//! AdventureLog's backup (`data.json`) and its export of one collection (`metadata.json`).

use chrono::NaiveDate;
use serde_json::Value;

use super::common::{coordinate, lines, link, price_of, time};
use crate::booking::{Booking, Call, Kind, Mode, Spot, Waypoint};
use crate::file::{Found, Outline, OutlineDay};
use crate::readers::json::{elements, member};
use crate::readers::{number, when};

pub(super) fn read(value: &Value) -> Found {
    let mut found =
        Found { written: member(value, "export_date").and_then(|date| when::instant(&date)), ..Found::default() };
    found.bookings.extend(elements(value, "transportation").iter().map(journey));
    found.bookings.extend(elements(value, "lodging").iter().map(stay));
    for name in ["locations", "adventures"] {
        found.waypoints.extend(elements(value, name).iter().flat_map(visits));
    }
    let collections = elements(value, "collections").iter().chain(elements(value, "collection"));
    if let [collection] = collections.collect::<Vec<_>>().as_slice() {
        let mut trip = outline(collection);
        trip.days = elements(value, "notes").iter().filter_map(note).collect();
        trip.days.sort_by_key(|day| day.date);
        found.trip = Some(trip);
    }
    found
}

fn outline(collection: &Value) -> Outline {
    let date = |name| member(collection, name).and_then(|date| date.parse::<NaiveDate>().ok());
    Outline {
        title: member(collection, "name"),
        summary: member(collection, "description"),
        start: date("start_date"),
        end: date("end_date"),
        ..Outline::default()
    }
}

/// A note of a day.
fn note(note: &Value) -> Option<OutlineDay> {
    let date = member(note, "date")?.get(..10)?.parse().ok()?;
    Some(OutlineDay { date, title: member(note, "name"), notes: member(note, "content") })
}

fn journey(transport: &Value) -> Booking {
    let kind = match member(transport, "type").unwrap_or_default().as_str() {
        "plane" => Kind::Flight,
        "train" => Kind::Transport(Mode::Train),
        "bus" => Kind::Transport(Mode::Bus),
        "boat" => Kind::Transport(Mode::Ferry),
        "car" => Kind::Transport(Mode::Car),
        _ => Kind::Transport(Mode::Other),
    };
    let end = |name: &str, code: &str, point: &str, date: &str, zone: &str| {
        let code = member(transport, code).filter(|code| kind == Kind::Flight && number::is_airport(code));
        let place = Spot {
            name: member(transport, name),
            code,
            coordinate: coordinate(transport, &format!("{point}_latitude"), &format!("{point}_longitude")),
            ..Spot::default()
        };
        let zone = member(transport, zone);
        let time = member(transport, date).and_then(|date| time(&date, zone.as_deref()));
        Call { place, time, ..Call::default() }
    };
    let mut booking = Booking::new(kind);
    booking.start = end("from_location", "start_code", "origin", "date", "start_timezone");
    booking.end = end("to_location", "end_code", "destination", "end_date", "end_timezone");
    let number = member(transport, "flight_number");
    match number.as_deref().and_then(number::flight).filter(|_| kind == Kind::Flight) {
        Some((code, number)) => (booking.operator.code, booking.number) = (Some(code), Some(number)),
        None => booking.number = number,
    }
    booking.name = member(transport, "name").filter(|_| kind != Kind::Flight);
    booking.notes = lines([
        member(transport, "name").filter(|_| kind == Kind::Flight),
        member(transport, "description").or_else(|| member(transport, "notes")),
    ]);
    booking.booking_url = link(transport, "link");
    booking.price = price_of(transport, "price", "price_currency");
    booking
}

fn stay(lodging: &Value) -> Booking {
    let zone = member(lodging, "timezone");
    let at = |name| member(lodging, name).and_then(|date| time(&date, zone.as_deref()));
    let place = Spot {
        address: member(lodging, "location"),
        coordinate: coordinate(lodging, "latitude", "longitude"),
        ..Spot::default()
    };
    Booking {
        name: member(lodging, "name"),
        start: Call { place, time: at("check_in"), ..Call::default() },
        end: Call { time: at("check_out"), ..Call::default() },
        confirmation_number: member(lodging, "reservation_number"),
        notes: member(lodging, "description").or_else(|| member(lodging, "notes")),
        booking_url: link(lodging, "link"),
        price: price_of(lodging, "price", "price_currency"),
        ..Booking::new(Kind::Hotel)
    }
}

/// A place for each visit, or once if it was never visited.
fn visits(location: &Value) -> Vec<Waypoint> {
    let place = Spot {
        name: member(location, "name"),
        address: member(location, "location"),
        city: member(location, "city").filter(|city| city.parse::<u64>().is_err()),
        country: member(location, "country"),
        coordinate: coordinate(location, "latitude", "longitude"),
        ..Spot::default()
    };
    if place.name.is_none() && place.coordinate.is_none() {
        return Vec::new();
    }
    let waypoint = |visit: Option<&Value>| {
        let zone = visit.and_then(|visit| member(visit, "timezone"));
        let date = visit.and_then(|visit| member(visit, "start_date"));
        Waypoint {
            place: place.clone(),
            notes: lines([member(location, "description"), visit.and_then(|visit| member(visit, "notes"))]),
            time: date.and_then(|date| time(&date, zone.as_deref())),
            folder: Vec::new(),
        }
    };
    let visits = elements(location, "visits");
    if visits.is_empty() {
        vec![waypoint(None)]
    } else {
        visits.iter().take(200).map(|visit| waypoint(Some(visit))).collect()
    }
}
