//! Transports and reservations, and what all bookings have in common, in the formats for other programs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use itinerary_api::types::ExportFormat::{self, Geojson, Gpx, Ics, Kml, Md};
use itinerary_api::types::{Flight, Hotel, Itinerary, Reservation, Transport};
use itinerary_export::{Trip, ics};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::calendar::{Calendar, Component};
use super::{ADDRESS, day, exported, itinerary};

fn at(latitude: f64, longitude: f64) -> Value {
    json!({ "latitude": latitude, "longitude": longitude })
}

fn booked() -> Itinerary {
    let mut first =
        day("d1", &[json!({ "id": "s1", "name": "Castle", "startTime": "09:30", "notes": "Buy\ntickets." })]);
    (first["title"], first["notes"]) = (json!("Sintra"), json!("Bring water.\nLeave early."));
    itinerary(json!({
        "days": [first, day("d2", &[])],
        "flights": [{ "id": "f1", "flightNumber": "TP1", "departureDay": "2027-03-27", "confirmationNumber": "FL1" }],
        "hotels": [{ "id": "h1", "name": "Quinta", "checkInDate": "2027-03-27T15:00:00Z", "provider": "Booker" }],
        "transports": [
            {
                "id": "t1", "mode": "train", "operator": { "name": "CP" }, "number": "IC 523", "travelClass": "2nd",
                "departurePlace": { "name": "Oriente", "timeZone": "Europe/Lisbon", "coordinate": at(38.77, -9.1) },
                "arrivalPlace": { "name": "Chamartín", "timeZone": "Europe/Madrid", "coordinate": at(40.47, -3.68) },
                "departureDate": "2027-03-27T21:30:00Z", "arrivalDate": "2027-03-28T08:00:00+02:00",
                "departurePlatform": "3", "confirmationNumber": "X7KQ2P", "provider": "Omio",
                "bookingUrl": "https://omio.example/b?a=1&b=2", "notes": "First; line,\nsecond \\ line.",
                "tickets": [{ "holder": "Ana", "coachNumber": "7", "seatNumber": "14C", "code": { "format": "aztec", "text": " BAR " } }],
            },
            {
                "id": "t2", "mode": "car", "operator": { "name": "Hertz" },
                "departurePlace": { "name": "Airport", "coordinate": at(38.78, -9.13) },
                "arrivalPlace": { "name": "Airport", "coordinate": at(38.78, -9.13) },
                "departureDate": "2027-03-28T10:00:00+01:00", "arrivalDate": "2027-03-30T10:00:00+01:00",
            },
            { "id": "t3", "mode": "ferry", "departureDay": "2027-03-29" },
            { "id": "t4", "number": "without a date" },
        ],
        "reservations": [
            {
                "id": "r1", "name": "Fado", "category": "restaurant", "partySize": 2, "confirmationNumber": "RES1",
                "place": { "address": "Rua 1", "timeZone": "Europe/Lisbon", "coordinate": at(38.71, -9.13) },
                "startDate": "2027-03-27T20:00:00Z", "endDate": "2027-03-27T23:00:00Z",
            },
            { "id": "r2", "name": "Tour", "startDay": "2027-03-28", "endDay": "2027-03-30" },
            { "id": "r3", "name": "Show", "endDay": "2027-03-29" },
        ],
    }))
}

fn times(event: &Component) -> (Option<&str>, Option<&str>) {
    (event.get("DTSTART"), event.get("DTEND"))
}

#[test]
fn transports_and_reservations_are_events() {
    let itinerary = booked();
    let calendar = Calendar::read(&exported(&itinerary, Ics));
    let uids: Vec<&str> = calendar.events.iter().filter_map(|event| event.get("UID")?.split('@').next()).collect();
    let bookings = [
        "f1.flight",
        "t1.transport",
        "t2.transport",
        "t3.transport",
        "h1.hotel",
        "r1.reservation",
        "r2.reservation",
        "r3.reservation",
    ];
    assert_eq!(uids, [&["trip"], &bookings[..], &["d1.day", "s1.stop"]].concat());

    let train = calendar.event("t1");
    assert_eq!(train.text("SUMMARY"), "Train IC 523 Oriente → Chamartín");
    assert_eq!(times(train), (Some("20270327T213000"), Some("20270328T080000")));
    assert_eq!(train.full_name("DTEND"), "DTEND;TZID=Europe/Madrid");
    assert_eq!(
        (train.get("CATEGORIES"), train.get("GEO"), train.get("TRANSP")),
        (Some("Train"), Some("38.77;-9.1"), None)
    );
    assert_eq!(train.text("LOCATION"), "Oriente");
    assert_eq!(
        train.text("DESCRIPTION"),
        "Departs 2027-03-27 21:30 (Europe/Lisbon, UTC), Oriente, platform 3\n\
         Arrives 2027-03-28 08:00 (Europe/Madrid, UTC+02:00), Chamartín\n\
         Operator: CP\nClass: 2nd\n\
         Confirmation number: X7KQ2P\nBooked with: Omio\nBooking: https://omio.example/b?a=1&b=2\n\
         Ticket: Ana, coach 7, seat 14C\n\n\
         First; line,\nsecond \\ line."
    );
    let car = calendar.event("t2");
    assert_eq!(
        (car.text("SUMMARY"), car.get("TRANSP")),
        ("Hired car Hertz at Airport".to_owned(), Some("TRANSPARENT"))
    );
    assert_eq!(times(car), (Some("20270328T090000Z"), Some("20270330T090000Z")));
    assert!(car.text("DESCRIPTION").starts_with("Collection 2027-03-28 10:00"), "{}", car.text("DESCRIPTION"));

    let fado = calendar.event("r1");
    assert_eq!(times(fado), (Some("20270327T200000"), Some("20270327T230000")));
    assert_eq!((fado.text("LOCATION"), fado.get("CATEGORIES")), ("Fado, Rua 1".to_owned(), Some("Restaurant")));
    for words in ["People: 2", "Confirmation number: RES1"] {
        assert!(fado.text("DESCRIPTION").contains(words), "{}", fado.text("DESCRIPTION"));
    }
    assert!(calendar.event("h1").text("DESCRIPTION").contains("Booked with: Booker"));
}

#[test]
fn bookings_of_which_only_the_day_is_known_are_on_whole_days() {
    let calendar = Calendar::read(&exported(&booked(), Ics));
    for (id, title, expected) in [
        ("f1", "TP1", ("20270327", "20270328")),
        ("t3", "Ferry", ("20270329", "20270330")),
        ("r2", "Tour", ("20270328", "20270331")),
        ("r3", "End: Show", ("20270329", "20270330")),
    ] {
        let event = calendar.event(id);
        assert_eq!((event.text("SUMMARY").as_str(), times(event)), (title, (Some(expected.0), Some(expected.1))));
        assert_eq!(event.full_name("DTSTART"), "DTSTART;VALUE=DATE");
        assert_eq!(event.get("TRANSP"), Some("TRANSPARENT"));
    }
    assert!(calendar.event("t3").text("DESCRIPTION").starts_with("Departs 2027-03-29"));
}

#[test]
fn titles_and_notes_of_days_are_events() {
    let calendar = Calendar::read(&exported(&booked(), Ics));
    let first = calendar.event("d1");
    assert_eq!((first.text("SUMMARY"), first.get("DTSTART")), ("Day 1: Sintra".to_owned(), Some("20270327")));
    assert_eq!(first.text("DESCRIPTION"), "Bring water.\nLeave early.");
    assert_eq!(calendar.event("s1").text("DESCRIPTION"), "Buy\ntickets.");
}

/// The booking that an event has as JSON.
fn item<T: DeserializeOwned>(calendar: &Calendar, id: &str) -> T {
    let base64 = calendar.event(id).get("X-ITINERARY-ITEM").unwrap_or_else(|| panic!("no item of {id}"));
    let json = STANDARD.decode(base64).expect("base64");
    serde_json::from_slice(&json).expect("the API's JSON")
}

#[test]
fn a_trip_s_calendar_contains_its_bookings_without_loss() {
    let itinerary = booked();
    let calendar = Calendar::read(&exported(&itinerary, Ics));
    let flights = itinerary.flights.as_ref().expect("flights");
    assert_eq!(item::<Flight>(&calendar, "f1"), flights[0]);
    assert_eq!(item::<Hotel>(&calendar, "h1"), itinerary.hotels.as_ref().expect("hotels")[0]);
    let transports = itinerary.transports.as_ref().expect("transports");
    for transport in &transports[..3] {
        let id = transport.id.as_deref().expect("an id");
        assert_eq!(&item::<Transport>(&calendar, id), transport);
    }
    for reservation in itinerary.reservations.as_ref().expect("reservations") {
        let id = reservation.id.as_deref().expect("an id");
        assert_eq!(&item::<Reservation>(&calendar, id), reservation);
    }
    for other in ["trip", "d1", "s1"] {
        assert_eq!(calendar.event(other).get("X-ITINERARY-ITEM"), None);
    }
}

#[test]
fn the_account_s_calendar_and_long_bookings_have_no_json() {
    let short = booked();
    let mut calendar = ics::Calendar::new("Mine", 100);
    calendar.add(&Trip::new(&short, 1, ADDRESS.to_owned()));
    let text = calendar.finish();
    assert!(text.contains("UID:t1.transport@") && !text.contains("X-ITINERARY-ITEM"), "{text}");

    let with_tickets = |count: usize| {
        let ticket = json!({ "code": { "format": "qr", "text": "x".repeat(1_900) } });
        let tickets = vec![ticket; count];
        let trip =
            itinerary(json!({ "transports": [{ "id": "t1", "departureDay": "2027-03-27", "tickets": tickets }] }));
        Calendar::read(&exported(&trip, Ics)).event("t1").get("X-ITINERARY-ITEM").is_some()
    };
    assert!(with_tickets(4) && !with_tickets(5));
}

#[test]
fn markdown_lists_them() {
    let text = exported(&booked(), Md);
    let expected = "## Transport\n\n\
        - **Train IC 523 Oriente → Chamartín**\n  \
        - Departs 2027-03-27 21:30 (Europe/Lisbon, UTC), Oriente, platform 3\n  \
        - Arrives 2027-03-28 08:00 (Europe/Madrid, UTC+02:00), Chamartín\n  \
        - CP, 2nd class\n  \
        - Confirmation number: X7KQ2P\n  \
        - Booked with: Omio\n  \
        - [Booking](<https://omio.example/b?a=1&amp;b=2>)\n  \
        - Ticket: Ana, coach 7, seat 14C\n  \
        - First; line,\n  \
        - second \\\\ line.\n\
        - **Hired car Hertz at Airport**\n";
    assert!(text.contains(expected), "{text}");
    let expected = "## Reservations\n\n\
        - **Fado**\n  \
        - Rua 1\n  \
        - Starts 2027-03-27 20:00 (Europe/Lisbon, UTC)\n  \
        - Ends 2027-03-27 23:00 (Europe/Lisbon, UTC)\n  \
        - Restaurant, 2 people\n  \
        - Confirmation number: RES1\n\
        - **Tour**\n  \
        - Starts 2027-03-28\n  \
        - Ends 2027-03-30\n";
    assert!(text.contains(expected), "{text}");
    let expected = "## Day 1: Saturday, 27 March 2027 · Sintra\n\nBring water.\n\nLeave early.\n\n\
        1. 09:30 **Castle**\n   - Buy\n   - tickets.\n";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn maps_have_their_places_and_ways() {
    let itinerary = booked();
    let gpx = exported(&itinerary, Gpx);
    // The reservation, and the car that is returned where it was collected.
    assert_eq!((gpx.matches("<wpt ").count(), gpx.matches("<rte>").count(), gpx.matches("<rtept ").count()), (2, 1, 2));
    for words in [
        "<name>Train IC 523 Oriente → Chamartín</name>\n<desc>Confirmation number: X7KQ2P\n",
        "<rtept lat=\"40.47\" lon=\"-3.68\">\n<time>2027-03-28T06:00:00Z</time>\n<name>Chamartín</name>",
        "<name>Fado</name>\n<desc>2027-03-27, 20:00, Rua 1\nConfirmation number: RES1</desc>\n<type>Restaurant</type>",
    ] {
        assert!(gpx.contains(words), "{words} in {gpx}");
    }
    let kml = exported(&itinerary, Kml);
    let folders: Vec<&str> =
        kml.split("<Folder>\n<name>").skip(1).filter_map(|rest| rest.split("</name>").next()).collect();
    assert_eq!(folders, ["Day 1, 2027-03-27: Sintra", "Flights", "Transport", "Hotels", "Reservations"]);
    assert_eq!((kml.matches("<Point>").count(), kml.matches("<LineString>").count()), (2, 1));
    assert!(kml.contains("Confirmation number: X7KQ2P&lt;br&gt;Booked with: Omio"), "{kml}");

    let geojson: Value = serde_json::from_str(&exported(&itinerary, Geojson)).expect("JSON");
    let features = geojson["features"].as_array().expect("features");
    let feature = |id: &str| features.iter().find(|feature| feature["id"] == id).unwrap_or_else(|| panic!("no {id}"));
    assert_eq!(feature("t1")["geometry"]["type"], "LineString");
    assert_eq!(feature("t2")["geometry"], json!({ "type": "Point", "coordinates": [-9.13, 38.78] }));
    assert_eq!(
        feature("t3")["properties"],
        json!({ "kind": "transport", "name": "Ferry", "mode": "ferry", "from": "", "to": "", "departureDay": "2027-03-29" })
    );
    let fado = &feature("r1")["properties"];
    assert_eq!(
        (&fado["startDate"], &fado["endDateZone"], &fado["partySize"], &fado["confirmationNumber"]),
        (&json!("2027-03-27T20:00:00Z"), &json!("Europe/Lisbon"), &json!(2), &json!("RES1"))
    );
    assert_eq!(
        (&feature("r2")["properties"]["endDay"], &feature("r2")["geometry"]),
        (&json!("2027-03-30"), &Value::Null)
    );
    assert_eq!(feature("s1")["properties"]["notes"], "Buy\ntickets.");
}

#[test]
fn hidden_bookings_are_nowhere() {
    let mut itinerary = booked();
    (itinerary.flights, itinerary.hotels, itinerary.transports, itinerary.reservations) = (None, None, None, None);
    for format in ExportFormat::ALL {
        let text = exported(&itinerary, format);
        for secret in ["X7KQ2P", "RES1", "Omio", "Hertz", "Fado", "Transport", "Reservations", "X-ITINERARY-ITEM"] {
            assert!(!text.contains(secret), "{format:?} has {secret}");
        }
        // The notes of days and stops are as visible as these.
        assert!(text.contains("Leave early.") || matches!(format, Geojson | Gpx), "{format:?}: {text}");
    }
}
