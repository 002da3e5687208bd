//! Flights and hotels, with all fields and with required fields only.

use chrono::{DateTime, FixedOffset, Utc};
use itinerary_wallet::{Airport, Flight, Hotel, Item, Pass};

pub(crate) fn at(time: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(time).unwrap()
}

pub(crate) fn now() -> DateTime<Utc> {
    at("2026-04-01T00:00:00Z").to_utc()
}

pub(crate) fn pass(item: Item) -> Pass {
    Pass { serial: "0196-flight_1.a".into(), title: "Spring in New York".into(), item }
}

pub(crate) fn full_flight() -> Flight {
    let text = |text: &str| Some(text.to_owned());
    Flight {
        airline_code: text("LH"),
        airline_name: text("Lufthansa"),
        number: text("LH400"),
        departure: Airport {
            code: "FRA".into(),
            name: text("Frankfurt am Main"),
            terminal: text("1"),
            gate: text("Z54"),
        },
        arrival: Airport { code: "JFK".into(), name: text("John F. Kennedy"), terminal: text("4"), gate: text("B22") },
        departs: at("2026-05-01T10:20:00+02:00"),
        arrives: Some(at("2026-05-01T12:55:00-04:00")),
        cabin: text("Premium Economy"),
        seat: text("25A"),
        passenger: "Ada Lovelace".into(),
    }
}

pub(crate) fn least_flight() -> Flight {
    let airport = |code: &str| Airport { code: code.into(), name: None, terminal: None, gate: None };
    Flight {
        airline_code: None,
        airline_name: None,
        number: None,
        departure: airport("FRA"),
        arrival: airport("JFK"),
        departs: at("2026-05-01T10:20:00+02:00"),
        arrives: None,
        cabin: None,
        seat: None,
        passenger: String::new(),
    }
}

pub(crate) fn full_hotel() -> Hotel {
    Hotel {
        name: "Hotel Chelsea".into(),
        address: Some("222 West 23rd Street, New York".into()),
        coordinate: Some((40.744_444, -73.996_944)),
        check_in: Some(at("2026-05-01T15:00:00-04:00")),
        check_out: Some(at("2026-05-04T11:00:00-04:00")),
        room: Some("Double".into()),
        phone: Some("+1 212 555 0100".into()),
        guest: "Ada Lovelace".into(),
    }
}

pub(crate) fn least_hotel() -> Hotel {
    Hotel {
        name: "Hotel Chelsea".into(),
        address: None,
        coordinate: None,
        check_in: None,
        check_out: None,
        room: None,
        phone: None,
        guest: String::new(),
    }
}

/// A flight with this text in all free-text fields.
pub(crate) fn flight_saying(text: &str) -> Flight {
    let some = || Some(text.to_owned());
    let airport = |code: &str| Airport { code: code.into(), name: some(), terminal: some(), gate: some() };
    Flight {
        airline_name: some(),
        departure: airport("FRA"),
        arrival: airport("JFK"),
        cabin: some(),
        seat: some(),
        passenger: text.to_owned(),
        ..full_flight()
    }
}

/// A hotel with this text in all free-text fields.
pub(crate) fn hotel_saying(text: &str) -> Hotel {
    let some = || Some(text.to_owned());
    Hotel { name: text.into(), address: some(), room: some(), phone: some(), guest: text.to_owned(), ..full_hotel() }
}
