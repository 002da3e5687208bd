use chrono::{NaiveDate, NaiveDateTime};

use super::*;
use crate::booking::{Category, Kind, Mode};

fn found(content: &str) -> Found {
    read(content.as_bytes(), &mut Budget::new(&|| false)).unwrap()
}

fn at(text: &str) -> NaiveDateTime {
    text.parse().unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn offset(text: &str, hours: i32) -> Time {
    Time::Offset(at(text), hours * 60)
}

fn zone(text: &str, name: &str) -> Time {
    Time::Zone(at(text), name.to_owned())
}

fn only_booking_of_kind(found: &Found, kind: Kind) -> &Booking {
    let mut bookings = found.bookings.iter().filter(|booking| booking.kind == kind);
    let first = bookings.next().unwrap();
    assert_eq!(bookings.next(), None);
    first
}

#[test]
fn the_feed_of_tripit() {
    let found = found(include_str!("../../../samples/calendar/tripit.ics"));
    assert_eq!(found.bookings.len(), 5, "{:#?}", found.bookings);
    let trip = found.trip.as_ref().unwrap();
    assert_eq!(trip.title.as_deref(), Some("Lisbon in May"));
    assert_eq!((trip.start, trip.end), (Some(day("2026-05-17")), Some(day("2026-05-21"))));
    assert_eq!(trip.destination.as_ref().unwrap().name.as_deref(), Some("Lisbon, Portugal"));

    let flight = only_booking_of_kind(&found, Kind::Flight);
    assert_eq!((flight.operator.code.as_deref(), flight.number.as_deref()), (Some("TP"), Some("1363")));
    assert_eq!(flight.operator.name.as_deref(), Some("TAP Portugal"));
    assert_eq!((flight.start.place.code.as_deref(), flight.end.place.code.as_deref()), (Some("AMS"), Some("LIS")));
    assert_eq!(flight.end.place.name.as_deref(), Some("Lisbon"));
    assert_eq!(
        (flight.start.time.clone(), flight.end.time.clone()),
        (Some(offset("2026-05-17T08:15:00", 2)), Some(offset("2026-05-17T10:20:00", 1)))
    );
    assert_eq!((flight.start.gate.as_deref(), flight.end.terminal.as_deref()), (Some("D5"), Some("1")));
    assert_eq!(flight.confirmation_number.as_deref(), Some("Q7RT2K"));
    assert_eq!(flight.booking_url, None);

    let hotel = only_booking_of_kind(&found, Kind::Hotel);
    assert_eq!(hotel.name.as_deref(), Some("Hotel Exemplo"));
    assert_eq!(
        (hotel.start.time.clone(), hotel.end.time.clone()),
        (Some(offset("2026-05-17T15:00:00", 1)), Some(offset("2026-05-21T11:00:00", 1)))
    );
    assert_eq!(hotel.start.place.address.as_deref(), Some("Rua do Exemplo 1 | Lisboa"));
    assert_eq!(hotel.confirmation_number.as_deref(), Some("H-4711"));

    let car = only_booking_of_kind(&found, Kind::Transport(Mode::Car));
    assert_eq!(car.operator.name.as_deref(), Some("Example Cars"));
    assert_eq!(
        (car.start.time.clone(), car.end.time.clone()),
        (Some(offset("2026-05-19T09:00:00", 1)), Some(offset("2026-05-20T18:00:00", 1)))
    );
    assert_eq!(car.start.place.name.as_deref(), Some("Lisbon Airport"));
    assert_eq!(car.end.place.name.as_deref(), Some("Porto Airport"));

    let train = only_booking_of_kind(&found, Kind::Transport(Mode::Train));
    assert_eq!(train.operator.name.as_deref(), Some("CP"));
    assert_eq!(train.start.place.name.as_deref(), Some("Lisboa Oriente"));
    assert_eq!(train.end.place.name.as_deref(), Some("Porto Campanhã"));
    assert_eq!(train.end.place.address.as_deref(), Some("Largo da Estação, Porto"));
    assert_eq!(
        (train.start.time.clone(), train.end.time.clone()),
        (Some(offset("2026-05-18T08:39:00", 1)), Some(offset("2026-05-18T11:25:00", 1)))
    );

    let tour = only_booking_of_kind(&found, Kind::Reservation(Category::Activity));
    assert_eq!(
        (tour.name.as_deref(), tour.start.time.clone()),
        (Some("Tram tour"), Some(offset("2026-05-20T10:00:00", 1)))
    );
}

#[test]
fn calendars_of_carriers_and_people() {
    let found = found(include_str!("../../../samples/calendar/carriers.ics"));
    assert_eq!(found.bookings.len(), 7, "{:#?}", found.bookings);
    let flight = only_booking_of_kind(&found, Kind::Flight);
    assert_eq!((flight.operator.code.as_deref(), flight.number.as_deref()), (Some("LX"), Some("1234")));
    assert_eq!((flight.start.place.code.as_deref(), flight.end.place.code.as_deref()), (Some("ZRH"), Some("LIS")));
    assert_eq!(flight.start.time, Some(zone("2026-05-17T08:15:00", "Europe/Berlin")));
    assert_eq!(flight.end.time, Some(zone("2026-05-17T11:10:00", "Europe/Berlin")));
    assert_eq!(flight.confirmation_number.as_deref(), Some("Q7RT2K"));
    assert_eq!(flight.start.gate.as_deref(), Some("16"));
    assert_eq!(flight.modified.unwrap().to_rfc3339(), "2026-04-02T11:00:00+00:00");
    let ticket = &flight.tickets[0];
    assert_eq!((ticket.holder.as_deref(), ticket.seat_number.as_deref()), (Some("Ana Costa"), Some("14C")));

    let trains: Vec<&Booking> =
        found.bookings.iter().filter(|booking| booking.kind == Kind::Transport(Mode::Train)).collect();
    assert_eq!(trains[0].number.as_deref(), Some("ICE 1234"));
    assert_eq!(
        (trains[0].start.place.name.as_deref(), trains[0].end.place.name.as_deref()),
        (Some("Berlin Hbf"), Some("Hamburg Hbf"))
    );
    assert_eq!(trains[0].start.platform.as_deref(), Some("5"));
    assert_eq!(trains[0].confirmation_number.as_deref(), Some("123456789012"));
    assert_eq!(trains[0].tickets[0].coach_number.as_deref(), Some("7"));
    assert_eq!((trains[1].number.as_deref(), trains[1].cancelled), (Some("ICE 579"), true));
    assert_eq!(
        (trains[1].start.place.name.as_deref(), trains[1].end.place.name.as_deref()),
        (Some("Hamburg"), Some("Hannover"))
    );

    let hotel = only_booking_of_kind(&found, Kind::Hotel);
    assert_eq!(hotel.name.as_deref(), Some("Hotel Exemplo"));
    assert_eq!(
        (hotel.start.time.clone(), hotel.end.time.clone()),
        (Some(Time::Day(day("2026-05-17"))), Some(Time::Day(day("2026-05-21"))))
    );
    assert_eq!(hotel.start.place.address.as_deref(), Some("Rua do Exemplo 1, Lisboa"));

    let dinner = only_booking_of_kind(&found, Kind::Reservation(Category::Restaurant));
    assert_eq!((dinner.name.as_deref(), dinner.party_size), (Some("Casa do Fado"), Some(4)));
    assert_eq!(dinner.start.place.coordinate, Some((38.711, -9.128)));
    assert_eq!(dinner.phone_number.as_deref(), Some("+351 21 555 0100"));

    let events: Vec<&Booking> =
        found.bookings.iter().filter(|booking| booking.kind == Kind::Reservation(Category::Event)).collect();
    assert_eq!((events[0].name.as_deref(), events[0].cancelled), (Some("Walking tour"), true));
    assert_eq!(events[0].start.time, Some(Time::Local(at("2026-05-19T10:00:00"))));
    assert_eq!(events[1].start.time, Some(Time::Day(day("2026-05-19"))));
}

#[test]
fn our_own_calendar_comes_back() {
    let found = found(include_str!("../../../samples/calendar/own.ics"));
    let trip = found.trip.as_ref().unwrap();
    assert_eq!((trip.title.as_deref(), trip.summary.as_deref()), (Some("Lisbon in May"), Some("Tiles and trams")));
    assert_eq!(found.bookings.len(), 2);
    let flight = only_booking_of_kind(&found, Kind::Flight);
    assert_eq!((flight.operator.code.as_deref(), flight.number.as_deref()), (Some("TP"), Some("1363")));
    assert_eq!(flight.operator.name.as_deref(), Some("TAP"));
    assert_eq!(flight.start.place.name.as_deref(), Some("Amsterdam Airport"));
    assert_eq!((flight.start.terminal.as_deref(), flight.start.gate.as_deref()), (Some("3"), Some("D5")));
    assert_eq!(flight.start.time, Some(zone("2026-05-17T08:15:00", "Europe/Amsterdam")));
    assert_eq!(flight.end.time, Some(zone("2026-05-17T10:20:00", "Europe/Lisbon")));
    assert_eq!((flight.end.place.code.as_deref(), flight.end.terminal.as_deref()), (Some("LIS"), Some("1")));
    assert_eq!(flight.travel_class.as_deref(), Some("Premium economy"));
    assert_eq!(flight.tickets[0].seat_number.as_deref(), Some("14C"));
    // The address of the trip's page is no booking's.
    assert_eq!(flight.booking_url, None);
    let hotel = only_booking_of_kind(&found, Kind::Hotel);
    assert_eq!((hotel.name.as_deref(), hotel.phone_number.as_deref()), (Some("Hotel Exemplo"), Some("+351 2")));
    assert_eq!(hotel.start.place.address.as_deref(), Some("Rua do Exemplo 1"));
    assert_eq!(hotel.end.time, Some(zone("2026-05-21T11:00:00", "Europe/Lisbon")));
    assert_eq!(hotel.notes.as_deref(), Some("Room: 12"));
    let names: Vec<&str> = found.waypoints.iter().filter_map(|stop| stop.place.name.as_deref()).collect();
    assert_eq!(names, ["Alfama", "Miradouro da Graça", "Oceanário"]);
    assert_eq!(found.waypoints[0].time, Some(Time::Day(day("2026-05-17"))));
    assert_eq!(found.waypoints[0].folder, ["Day 1"]);
    assert_eq!(found.waypoints[2].time, Some(zone("2026-05-18T10:00:00", "Europe/Lisbon")));
    assert_eq!(found.waypoints[2].place.address.as_deref(), Some("Esplanada Dom Carlos I"));
}

#[test]
fn folding_encodings_and_damage_are_tolerated() {
    // Folded in the middle of a character, with line breaks of Unix, and without an end.
    let text = b"BEGIN:VCALENDAR\nMETHOD:CANCEL\nBEGIN:VEVENT\nSUMMARY:Caf\xc3\n \xa9\nDTSTART:20260519T100000\nEND:VEVENT\nBEGIN:VEVENT\nSUMMARY:B";
    let found = read(text, &mut Budget::new(&|| false)).unwrap();
    assert_eq!(found.bookings.len(), 1);
    assert_eq!((found.bookings[0].name.as_deref(), found.bookings[0].cancelled), (Some("Café"), true));
    let latin =
        b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Caf\xe9\r\nDTSTART:20260519T100000\r\nEND:VEVENT\r\nEND:VCALENDAR";
    assert_eq!(read(latin, &mut Budget::new(&|| false)).unwrap().bookings[0].name.as_deref(), Some("Café"));
    assert!(is_one(b"\xef\xbb\xbfbegin:vcalendar\r\n") && is_one(b"\n BEGIN:VCALENDAR") && !is_one(b"<html>"));
    assert_eq!(read(b"hello", &mut Budget::new(&|| false)).unwrap_err().reason, Reason::Malformed);
}

#[test]
fn a_calendar_of_too_many_lines_is_too_large() {
    let wide = format!("BEGIN:VCALENDAR\r\n{}END:VCALENDAR\r\n", "X-A:b\r\n".repeat(MAX_CALENDAR_LINES));
    let refused = read(wide.as_bytes(), &mut Budget::new(&|| false)).unwrap_err();
    assert_eq!(refused.reason, Reason::TooLarge);
}

#[test]
fn an_event_that_repeats_is_read_once_and_the_rest_is_listed() {
    let event = |rule: &str| {
        let lines =
            ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "SUMMARY:Dinner at Exemplo", "DTSTART:20260618T190000Z"];
        format!("{}\r\n{rule}END:VEVENT\r\nEND:VCALENDAR\r\n", lines.join("\r\n"))
    };
    for rule in ["RRULE:FREQ=WEEKLY;COUNT=3\r\n", "RDATE:20260625T190000Z\r\n"] {
        let found = found(&event(rule));
        assert_eq!(found.bookings.len(), 1, "{rule}");
        let [ignored] = found.ignored.as_slice() else { panic!("{:?}", found.ignored) };
        assert_eq!(ignored.reason, Reason::Unsupported);
        assert!(ignored.message.contains("`Dinner at Exemplo` repeats"), "{}", ignored.message);
    }
    assert_eq!(found(&event("")).ignored, []);
}
