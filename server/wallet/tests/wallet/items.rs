//! Items of all kinds, with all fields and with required fields only.

use chrono::{DateTime, FixedOffset, Utc};
use itinerary_wallet::{
    Airport, Barcode, BarcodeContent, BarcodeFormat, Flight, Hotel, Item, Pass, Reservation, Station, Ticket,
    Transport, TransportMode, When,
};

pub(crate) fn at(time: &str) -> DateTime<FixedOffset> {
    DateTime::parse_from_rfc3339(time).unwrap()
}

pub(crate) fn now() -> DateTime<Utc> {
    at("2026-04-01T00:00:00Z").to_utc()
}

/// A pass without a ticket.
pub(crate) fn pass(item: Item) -> Pass {
    pass_with(item, Ticket::default())
}

pub(crate) fn pass_with(item: Item, ticket: Ticket) -> Pass {
    Pass { serial: "0196-flight_1.a".into(), title: "Spring in New York".into(), item, ticket }
}

/// A ticket that has only its traveller.
pub(crate) fn ticket_of(holder: &str) -> Ticket {
    Ticket { holder: Some(holder.to_owned()), ..Ticket::default() }
}

/// Ada's ticket, with this seat.
pub(crate) fn seated(seat: &str) -> Ticket {
    Ticket { seat: Some(seat.to_owned()), ..ticket_of("Ada Lovelace") }
}

pub(crate) fn barcode(format: BarcodeFormat, text: &str) -> Barcode {
    Barcode { format, content: BarcodeContent::Text(text.to_owned()) }
}

pub(crate) fn full_ticket() -> Ticket {
    Ticket {
        coach: Some("21".into()),
        number: Some("0871-22".into()),
        confirmation: Some("X7KQ2P".into()),
        barcode: Some(barcode(BarcodeFormat::Aztec, "M1LOVELACE/ADA  X7KQ2P ")),
        ..seated("14C")
    }
}

/// A ticket with this text everywhere but in its barcode.
pub(crate) fn ticket_saying(text: &str) -> Ticket {
    let some = || Some(text.to_owned());
    Ticket { holder: some(), seat: some(), coach: some(), number: some(), confirmation: some(), barcode: None }
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
    }
}

pub(crate) fn full_train() -> Transport {
    let text = |text: &str| Some(text.to_owned());
    Transport {
        mode: TransportMode::Train,
        operator: text("Comboios de Portugal"),
        number: text("IC 523"),
        departure: Station {
            name: text("Lisboa Oriente"),
            platform: text("4"),
            coordinate: Some((38.767_8, -9.099_1)),
        },
        arrival: Station { name: text("Porto Campanhã"), platform: text("7"), coordinate: None },
        departs: Some(When::Time(at("2026-05-15T08:39:00+01:00"))),
        arrives: Some(When::Time(at("2026-05-15T11:45:00+01:00"))),
        class: text("2nd"),
        phone: text("+351 210 900 032"),
    }
}

pub(crate) fn least_transport(mode: TransportMode) -> Transport {
    Transport {
        mode,
        operator: None,
        number: None,
        departure: Station { name: Some("Lisboa Oriente".into()), ..Station::default() },
        arrival: Station::default(),
        departs: None,
        arrives: None,
        class: None,
        phone: None,
    }
}

pub(crate) fn full_reservation() -> Reservation {
    Reservation {
        name: "Fado at Sr. Vinho".into(),
        address: Some("Rua do Meio à Lapa 18, Lisbon".into()),
        coordinate: Some((38.709, -9.158)),
        starts: Some(When::Time(at("2026-05-16T20:00:00+01:00"))),
        ends: Some(When::Time(at("2026-05-16T23:00:00+01:00"))),
        people: Some(2),
        phone: Some("+351 213 972 681".into()),
    }
}

pub(crate) fn least_reservation() -> Reservation {
    Reservation {
        name: "Fado at Sr. Vinho".into(),
        address: None,
        coordinate: None,
        starts: None,
        ends: None,
        people: None,
        phone: None,
    }
}

/// A flight with this text in all free-text fields.
pub(crate) fn flight_saying(text: &str) -> Flight {
    let some = || Some(text.to_owned());
    let airport = |code: &str| Airport { code: code.into(), name: some(), terminal: some(), gate: some() };
    Flight { airline_name: some(), departure: airport("FRA"), arrival: airport("JFK"), cabin: some(), ..full_flight() }
}

/// A hotel with this text in all free-text fields.
pub(crate) fn hotel_saying(text: &str) -> Hotel {
    let some = || Some(text.to_owned());
    Hotel { name: text.into(), address: some(), room: some(), phone: some(), ..full_hotel() }
}

/// A train with this text in all free-text fields.
pub(crate) fn train_saying(text: &str) -> Transport {
    let some = || Some(text.to_owned());
    let station = || Station { name: some(), platform: some(), coordinate: None };
    Transport {
        operator: some(),
        number: some(),
        departure: station(),
        arrival: station(),
        class: some(),
        phone: some(),
        ..full_train()
    }
}

/// A reservation with this text in all free-text fields.
pub(crate) fn reservation_saying(text: &str) -> Reservation {
    let some = || Some(text.to_owned());
    Reservation { name: text.into(), address: some(), phone: some(), ..full_reservation() }
}
