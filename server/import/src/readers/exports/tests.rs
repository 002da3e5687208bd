use std::io::{Cursor, Write};

use serde_json::json;

use super::*;
use crate::booking::{Booking, Category, Kind, Mode, Price, Time};

const TRIPIT: &str = include_str!("../../../samples/exports/tripit.json");
const ADVENTURE_LOG: &str = include_str!("../../../samples/exports/adventure-log.json");
const TREK: &str = include_str!("../../../samples/exports/trek.json");

fn found(text: &str, expected: Format) -> Found {
    let (format, found) = read(&serde_json::from_str(text).unwrap(), &mut Budget::new(&|| false)).unwrap().unwrap();
    assert_eq!(format, expected);
    found
}

fn zone(text: &str, name: &str) -> Time {
    Time::Zone(text.parse().unwrap(), name.to_owned())
}

fn day(text: &str) -> Time {
    Time::Day(text.parse().unwrap())
}

fn bookings_of_kind(found: &Found, kind: Kind) -> Vec<&Booking> {
    found.bookings.iter().filter(|booking| booking.kind == kind).collect()
}

#[test]
fn tripit() {
    let found = found(TRIPIT, Format::TripIt);
    assert_eq!(found.bookings.len(), 8);
    let flights = bookings_of_kind(&found, Kind::Flight);
    let first = flights[0];
    assert_eq!((first.operator.code.as_deref(), first.number.as_deref()), (Some("TP"), Some("671")));
    assert_eq!(
        (first.start.place.code.as_deref(), first.start.place.city.as_deref()),
        (Some("AMS"), Some("Amsterdam"))
    );
    assert_eq!(
        (first.start.time.clone(), first.end.time.clone()),
        (Some(zone("2026-05-17T08:15:00", "Europe/Amsterdam")), Some(zone("2026-05-17T10:20:00", "Europe/Lisbon")))
    );
    assert_eq!((first.start.terminal.as_deref(), first.start.gate.as_deref()), (Some("3"), Some("D5")));
    assert_eq!(
        (first.confirmation_number.as_deref(), first.provider.as_deref()),
        (Some("Q7RT2K"), Some("Example Travel"))
    );
    assert_eq!(first.price, Some(Price { amount: "1299.50".to_owned(), currency: "USD".to_owned() }));
    assert_eq!(first.modified.unwrap().to_rfc3339(), "2026-04-01T10:00:00+00:00");
    let tickets: Vec<_> = first
        .tickets
        .iter()
        .map(|ticket| (ticket.holder.as_deref(), ticket.seat_number.as_deref(), ticket.ticket_number.as_deref()))
        .collect();
    assert_eq!(
        tickets,
        [(Some("Ana Costa"), Some("12A"), Some("0472401234567")), (Some("Rui Sousa"), Some("12B"), None)]
    );
    assert_eq!(
        (flights[1].price.clone(), flights[1].start.time.clone()),
        (None, Some(Time::Offset("2026-05-21T12:00:00".parse().unwrap(), 60)))
    );
    let hotel = bookings_of_kind(&found, Kind::Hotel)[0];
    assert_eq!(hotel.start.place.address.as_deref(), Some("Rua do Exemplo 1, Lisboa, 1100"));
    assert_eq!(
        (hotel.party_size, hotel.end.time.clone(), hotel.phone_number.as_deref()),
        (Some(2), Some(day("2026-05-21")), Some("+351 2"))
    );
    let car = bookings_of_kind(&found, Kind::Transport(Mode::Car))[0];
    assert_eq!(
        (car.operator.name.as_deref(), car.end.place.name.as_deref()),
        (Some("Example Cars"), Some("Porto Airport"))
    );
    let train = bookings_of_kind(&found, Kind::Transport(Mode::Train))[0];
    assert_eq!((train.number.as_deref(), train.tickets[0].coach_number.as_deref()), (Some("AP 123"), Some("5")));
    assert_eq!(train.confirmation_number.as_deref(), Some("CP77XQ"));
    assert_eq!(bookings_of_kind(&found, Kind::Transport(Mode::Ferry)).len(), 1);
    assert_eq!(bookings_of_kind(&found, Kind::Reservation(Category::Restaurant))[0].party_size, Some(4));
    assert_eq!(bookings_of_kind(&found, Kind::Reservation(Category::Activity))[0].name.as_deref(), Some("Tram tour"));
    let trip = found.trip.unwrap();
    assert_eq!((trip.title.as_deref(), trip.end.unwrap().to_string().as_str()), (Some("Lisbon in May"), "2026-05-21"));
    assert_eq!(trip.destination.unwrap().coordinate, Some((38.722, -9.139)));
    assert_eq!(trip.days[0].notes.as_deref(), Some("Bring the tickets"));
}

#[test]
fn adventure_log() {
    let found = found(ADVENTURE_LOG, Format::AdventureLog);
    assert_eq!(found.bookings.len(), 3);
    let flight = bookings_of_kind(&found, Kind::Flight)[0];
    assert_eq!((flight.operator.code.as_deref(), flight.number.as_deref()), (Some("TP"), Some("671")));
    assert_eq!(
        (flight.start.time.clone(), flight.end.time.clone()),
        (Some(zone("2026-05-17T08:15:00", "Europe/Amsterdam")), Some(zone("2026-05-17T10:20:00", "Europe/Lisbon")))
    );
    assert_eq!(flight.price.as_ref().unwrap().amount, "129.50");
    let hotel = bookings_of_kind(&found, Kind::Hotel)[0];
    assert_eq!(
        (hotel.start.time.clone(), hotel.confirmation_number.as_deref()),
        (Some(zone("2026-05-17T15:00:00", "Europe/Lisbon")), Some("H-4711"))
    );
    let stops: Vec<_> =
        found.waypoints.iter().map(|stop| (stop.place.name.as_deref().unwrap(), stop.time.clone())).collect();
    let tower = "Torre de Belém";
    assert_eq!(
        stops,
        [
            (tower, Some(zone("2026-05-18T10:00:00", "Europe/Lisbon"))),
            (tower, Some(day("2026-05-19"))),
            ("Alfama", None)
        ]
    );
    assert_eq!(found.waypoints[0].notes.as_deref(), Some("Go early\nSunny"));
    let trip = found.trip.unwrap();
    assert_eq!((trip.title.as_deref(), trip.days.len()), (Some("Lisbon in May"), 1));
    assert_eq!(trip.days[0].title.as_deref(), Some("Day one"));
}

#[test]
fn a_backup_is_a_zip_archive() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in [("images/a.jpg", "x"), ("data.json", ADVENTURE_LOG)] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    let content = zip.finish().unwrap().into_inner();
    let file = crate::File { name: "backup.zip", media_type: None, content: &content };
    let reading = crate::read(&file, "2026-04-01".parse().unwrap(), &mut Budget::new(&|| false));
    assert_eq!(reading.ignored, []);
    assert_eq!((reading.found[0].0, reading.found[0].1.waypoints.len()), (Format::AdventureLog, 3));
}

#[test]
fn trek() {
    let found = found(TREK, Format::Trek);
    assert_eq!(found.bookings.len(), 5, "{:#?}", found.bookings);
    let flights = bookings_of_kind(&found, Kind::Flight);
    let ends: Vec<_> = flights
        .iter()
        .map(|flight| (flight.number.as_deref(), flight.start.time.clone(), flight.end.time.clone()))
        .collect();
    assert_eq!(
        ends[0],
        (
            Some("671"),
            Some(zone("2026-05-17T08:15:00", "Europe/Amsterdam")),
            Some(zone("2026-05-17T10:20:00", "Europe/Lisbon"))
        )
    );
    assert_eq!(
        ends[1],
        (
            Some("1687"),
            Some(zone("2026-05-17T12:05:00", "Europe/Lisbon")),
            Some(zone("2026-05-17T13:50:00", "Atlantic/Madeira"))
        )
    );
    assert_eq!(flights[0].tickets[0].seat_number.as_deref(), Some("12C"));
    let [hotel] = bookings_of_kind(&found, Kind::Hotel)[..] else { panic!("one stay") };
    assert_eq!(
        (hotel.start.time.clone(), hotel.end.time.clone()),
        (
            Some(Time::Local("2026-05-17T15:00:00".parse().unwrap())),
            Some(Time::Local("2026-05-21T11:00:00".parse().unwrap()))
        )
    );
    let dinner = bookings_of_kind(&found, Kind::Reservation(Category::Restaurant))[0];
    assert_eq!(
        (dinner.cancelled, dinner.start.time.clone()),
        (true, Some(Time::Local("2026-05-18T20:00:00".parse().unwrap())))
    );
    let train = bookings_of_kind(&found, Kind::Transport(Mode::Train))[0];
    assert_eq!(train.start.time, Some(Time::Local("2026-05-18T08:39:00".parse().unwrap())));
    let stops: Vec<_> = found.waypoints.iter().map(|stop| stop.place.name.as_deref().unwrap()).collect();
    assert_eq!(stops, ["Oceanário", "Alfama"]);
    assert_eq!(found.waypoints[0].time, Some(Time::Local("2026-05-18T10:00:00".parse().unwrap())));
    let trip = found.trip.unwrap();
    assert_eq!((trip.title.as_deref(), trip.days.len()), (Some("Lisbon in May"), 1));
    assert_eq!(trip.days[0].notes.as_deref(), Some("Rest\n12:00 Buy a card"));
}

#[test]
fn formats() {
    let itinerary = json!({"id": "1", "title": "A", "startDate": "2026-05-17", "updatedAt": "2026-05-17T00:00:00Z", "days": [], "destination": {}});
    let (_, own) = read(&itinerary, &mut Budget::new(&|| false)).unwrap().unwrap();
    assert_eq!(own.itinerary, Some(itinerary));
    for other in [
        json!({}),
        json!([]),
        json!({"@type": "FlightReservation", "Trip": {}}),
        json!({"trip": {}}),
        json!({"locations": []}),
        json!(null),
    ] {
        assert_eq!(format(&other), None, "{other}");
    }
    for odd in [
        json!({"AirObject": "x"}),
        json!({"trip": {}, "days": [1, null]}),
        json!({"locations": [1], "collections": {}}),
        json!({"AirObject": [{"Segment": 5}]}),
    ] {
        read(&odd, &mut Budget::new(&|| false)).unwrap().unwrap();
    }
}
