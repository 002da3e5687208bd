//! Calendars: which events there are, and their properties.

use itinerary_api::types::ExportFormat::Ics;
use itinerary_export::{Trip, ics};
use serde_json::json;

use super::calendar::Calendar;
use super::{ADDRESS, day, exported, itinerary, lisbon};

fn calendar(itinerary: &itinerary_api::types::Itinerary) -> Calendar {
    Calendar::read(&exported(itinerary, Ics))
}

#[test]
fn every_item_with_a_time_is_an_event_and_the_ids_are_stable() {
    let itinerary = itinerary(json!({
        "summary": "Two days;\nthree, perhaps",
        "tags": ["city", "a,b"],
        "days": [
            day("d1", &[
                json!({ "id": "s1", "name": "Castle", "startTime": "09:30", "durationMinutes": 90, "category": "landmark",
                        "place": { "address": "Rua 1", "coordinate": { "latitude": 38.71, "longitude": -9.13 } } }),
                json!({ "id": "s2", "name": "Lunch", "startTime": "13:00", "startTimeSuggested": true }),
                json!({ "id": "s3", "name": "Somewhere" }),
            ]),
            day("d2", &[]),
        ],
        "flights": [
            { "id": "f1", "flightNumber": "TP1363", "departureDate": "2027-03-27T08:05:00+01:00",
              "arrivalDate": "2027-03-27T09:50:00Z", "seatNumber": "14C",
              "departureAirport": { "code": "AMS", "timeZone": "Europe/Amsterdam" },
              "arrivalAirport": { "code": "LIS", "timeZone": "Europe/Lisbon" } },
            { "id": "f2" },
        ],
        "hotels": [
            { "id": "h1", "name": "Quinta", "checkInDate": "2027-03-27T15:00:00Z", "checkOutDate": "2027-03-29T11:00:00+01:00",
              "place": { "timeZone": "Europe/Lisbon" }, "roomNumber": "12" },
            { "id": "h2", "name": "Undated" },
        ],
    }));
    let calendar = calendar(&itinerary);
    assert_eq!((calendar.head.get("VERSION"), calendar.head.get("NAME")), (Some("2.0"), Some("Lisbon")));
    let uids: Vec<&str> = calendar.events.iter().filter_map(|event| event.get("UID")).collect();
    let expected = ["trip", "f1.flight", "h1.hotel", "d1.day", "s1.stop", "s2.stop"];
    assert_eq!(uids, expected.map(|uid| format!("{uid}@{}", itinerary.id)));
    for event in &calendar.events {
        assert_eq!(
            (event.get("DTSTAMP"), event.get("LAST-MODIFIED")),
            (Some("20270111T131415Z"), Some("20270111T131415Z"))
        );
        assert_eq!((event.get("SEQUENCE"), event.get("URL")), (Some("12"), Some(ADDRESS)));
    }

    let trip = calendar.event("trip");
    assert_eq!((trip.get("DTSTART"), trip.get("DTEND")), (Some("20270327"), Some("20270329")));
    assert_eq!(trip.full_name("DTSTART"), "DTSTART;VALUE=DATE");
    assert_eq!(trip.text("DESCRIPTION"), "Two days;\nthree, perhaps");
    assert_eq!(trip.get("CATEGORIES"), Some("city,a\\,b"));

    let flight = calendar.event("f1");
    assert_eq!(flight.text("SUMMARY"), "TP1363 AMS → LIS");
    assert_eq!(flight.full_name("DTSTART"), "DTSTART;TZID=Europe/Amsterdam");
    assert_eq!(flight.full_name("DTEND"), "DTEND;TZID=Europe/Lisbon");
    assert_eq!((flight.get("DTSTART"), flight.get("DTEND")), (Some("20270327T080500"), Some("20270327T095000")));
    let description = flight.text("DESCRIPTION");
    for words in [
        "Departs 2027-03-27 08:05 (Europe/Amsterdam, UTC+01:00), AMS",
        "Arrives 2027-03-27 09:50 (Europe/Lisbon, UTC), LIS",
        "Seat: 14C",
    ] {
        assert!(description.contains(words), "{description}");
    }

    let hotel = calendar.event("h1");
    assert_eq!((hotel.get("DTSTART"), hotel.get("DTEND")), (Some("20270327T150000"), Some("20270329T110000")));
    assert_eq!(hotel.get("TRANSP"), Some("TRANSPARENT"));

    let untimed = calendar.event("d1");
    assert_eq!((untimed.get("DTSTART"), untimed.get("DTEND")), (Some("20270327"), Some("20270328")));
    assert_eq!(untimed.text("DESCRIPTION"), "Somewhere");

    let stop = calendar.event("s1");
    assert_eq!((stop.get("DTSTART"), stop.get("DTEND")), (Some("20270327T093000"), Some("20270327T110000")));
    assert_eq!((stop.get("GEO"), stop.get("STATUS")), (Some("38.71;-9.13"), None));
    assert_eq!((stop.text("LOCATION"), stop.get("CATEGORIES")), ("Castle, Rua 1".to_owned(), Some("Landmark")));
    let suggested = calendar.event("s2");
    assert_eq!((suggested.get("DTEND"), suggested.get("STATUS")), (None, Some("TENTATIVE")));
}

#[test]
fn the_example_has_an_event_for_each_time() {
    let itinerary = lisbon();
    let timed = itinerary.days.iter().flat_map(|day| day.stops.iter()).filter(|stop| stop.start_time.is_some()).count();
    let calendar = calendar(&itinerary);
    let events = |kind: &str| {
        let is = |uid: &str| uid.contains(&format!("{kind}@"));
        calendar.events.iter().filter(|event| event.get("UID").is_some_and(is)).count()
    };
    assert_eq!((events(".stop"), timed > 20), (timed, true));
    let lists = (itinerary.flights.as_ref().map(|all| all.len()), itinerary.hotels.as_ref().map(|all| all.len()));
    assert_eq!((Some(events(".flight")), Some(events(".hotel"))), lists);
    assert!(calendar.zones().contains(&"Europe/Lisbon"));
}

#[test]
fn sections_that_are_absent_have_no_events() {
    let fields = json!({ "days": [day("d1", &[json!({ "id": "s1", "name": "Castle", "startTime": "09:30" })])] });
    let calendar = calendar(&itinerary(fields));
    assert_eq!(calendar.events.len(), 2);
}

#[test]
fn a_full_calendar_takes_no_more_events() {
    let itinerary = lisbon();
    let trip = Trip::new(&itinerary, 1, ADDRESS.to_owned());
    let mut calendar = ics::Calendar::new("Mine", 5);
    calendar.refresh_hours(6);
    calendar.add(&trip);
    assert!(calendar.is_full());
    let calendar = Calendar::read(&calendar.finish());
    assert_eq!(calendar.events.len(), 5);
    assert_eq!(calendar.head.get("REFRESH-INTERVAL"), Some("PT6H"));
}
