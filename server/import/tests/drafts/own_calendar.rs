//! Calendars of this service come back with every booking as it was.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use itinerary_api::types::{ExportFormat, Itinerary, ItineraryDraft};
use itinerary_export::{Trip, export};
use serde_json::{Value, json};

use super::own::demo;
use super::places::Places;
use super::trips::stored;
use super::{drafted, source};
use itinerary_import::{Context, into_trip};

const LISTS: [&str; 4] = ["flights", "hotels", "transports", "reservations"];

fn calendar(trip: &Itinerary) -> String {
    let trip = Trip::new(trip, 1, "https://trips.example/trips/1".to_owned());
    String::from_utf8(export(&trip, ExportFormat::Ics)).unwrap()
}

/// The bookings of an itinerary by list, without ids, in the order of their content. Those that are at no known time are in
/// no calendar.
fn bookings(itinerary: &Value) -> Vec<(&'static str, Vec<String>)> {
    let dates = ["departureDate", "arrivalDate", "departureDay", "checkInDate", "checkOutDate"].into_iter().chain([
        "startDate",
        "endDate",
        "startDay",
        "endDay",
    ]);
    let dates: Vec<&str> = dates.collect();
    let of = |list: &'static str| {
        let items = itinerary[list].as_array().into_iter().flatten();
        let with_dates = items.filter(|item| dates.iter().any(|date| item.get(date).is_some()));
        let mut items: Vec<String> = with_dates
            .map(|item| {
                let mut item = item.clone();
                item.as_object_mut().unwrap().remove("id");
                item.to_string()
            })
            .collect();
        items.sort();
        (list, items)
    };
    LISTS.map(of).into()
}

/// A trip with a booking of each kind, every field set, texts that need escapes, and lines that are folded.
fn whole() -> Itinerary {
    let odd = "Comma, semicolon; backslash \\ quote \" and newline\nÉvora \u{1F684} ".repeat(3);
    let tickets = json!([
        {"holder": "Ana Reis", "seatNumber": "14C", "coachNumber": "21", "ticketNumber": "0871-22",
            "code": {"format": "aztec", "data": STANDARD.encode((0..=255).collect::<Vec<u8>>())}},
        {"holder": "Ben; Reis", "code": {"format": "qr", "text": " spaces  kept "}},
    ]);
    let common = json!({
        "confirmationNumber": "X7KQ2P", "provider": "Agency, Ltd", "bookingUrl": "https://example.com/b?x=1,2;3",
        "notes": odd.trim(), "phoneNumber": "+351 210 000 000", "tickets": tickets,
    });
    let with = |own: Value| {
        let (Value::Object(mut all), Value::Object(own)) = (common.clone(), own) else { panic!("objects") };
        all.extend(own);
        Value::Object(all)
    };
    let draft = json!({
        "flights": [with(json!({
            "id": "f1", "flightAirline": {"code": "TP", "name": "TAP"}, "flightNumber": "1363",
            "departureAirport": {"name": "Schiphol", "code": "AMS", "timeZone": "Europe/Amsterdam"},
            "arrivalAirport": {"name": "Lisbon, Humberto Delgado", "code": "LIS"},
            "departureDate": "2027-05-15T08:05:00+02:00", "arrivalDate": "2027-05-15T10:00:00+01:00",
            "cabinClass": "business", "seatNumber": "1A", "gateNumber": "S22", "departureTerminal": "1",
            "arrivalTerminal": "2",
        }))],
        "hotels": [with(json!({
            "id": "h1", "name": "Hotel; Exemplo", "roomNumber": "12",
            "place": {"address": "Rua 1, Lisboa", "coordinate": {"latitude": 38.7, "longitude": -9.1}},
            "checkInDate": "2027-05-15T15:00:00+01:00", "checkOutDate": "2027-05-20T11:00:00+01:00",
        }))],
        "transports": [
            with(json!({
                "id": "t1", "mode": "train", "operator": {"code": "CP", "name": "Comboios"}, "number": "IC 523",
                "departurePlace": {"name": "Lisboa Oriente"}, "arrivalPlace": {"name": "Porto Campanhã"},
                "departureDate": "2027-05-16T08:39:00+01:00", "arrivalDate": "2027-05-16T11:45:00+01:00",
                "travelClass": "2nd", "departurePlatform": "4", "arrivalPlatform": "7",
            })),
            {"id": "t2", "mode": "ferry", "departurePlace": {"name": "Belém"}, "departureDay": "2027-05-17"},
        ],
        "reservations": [with(json!({
            "id": "r1", "name": "Sr. Vinho", "category": "restaurant", "partySize": 2,
            "place": {"name": "Sr. Vinho", "address": "Rua do Meio à Lapa 18"},
            "startDate": "2027-05-17T20:00:00+01:00", "endDate": "2027-05-17T23:00:00+01:00",
        }))],
    });
    stored(None, &serde_json::from_value::<ItineraryDraft>(draft).unwrap())
}

fn comes_back(trip: &Itinerary) {
    let text = calendar(trip);
    let source = source("trip.ics", text.as_bytes());
    let import = drafted(std::slice::from_ref(&source));
    let (again, exported) = (serde_json::to_value(&import.itinerary).unwrap(), serde_json::to_value(trip).unwrap());
    assert_eq!(bookings(&again), bookings(&exported), "{}", trip.title);
    // Again, nothing is new.
    let places = Places::new();
    let update = into_trip(&[source], Context { lookup: &places, is_pro: true }, trip, true);
    let update = serde_json::to_value(&update.itinerary).unwrap();
    for list in LISTS {
        assert!(update.get(list).is_none(), "{list} of {}: {update}", trip.title);
    }
}

#[test]
fn bookings_of_every_demo_trip_come_back() {
    let demo = demo();
    assert!(demo.len() > 20);
    for value in demo {
        comes_back(&stored(None, &serde_json::from_value(value).unwrap()));
    }
}

#[test]
fn every_field_of_every_kind_comes_back() {
    let trip = whole();
    assert!(calendar(&trip).contains("X-ITINERARY-ITEM"));
    comes_back(&trip);
}

/// The calendar with this instead of the JSON of its items.
fn with_items(trip: &Itinerary, item: &str) -> String {
    let unfolded = calendar(trip).replace("\r\n ", "");
    let lines = unfolded.split("\r\n").map(|line| match line.split_once(':') {
        Some(("X-ITINERARY-ITEM", _)) => format!("X-ITINERARY-ITEM:{item}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\r\n")
}

#[test]
fn items_that_are_not_bookings_leave_the_words_of_the_event() {
    let trip = whole();
    let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    for item in [
        String::new(),
        "not base64!".to_owned(),
        STANDARD.encode("no JSON"),
        STANDARD.encode("[]"),
        STANDARD.encode(r#"{"name": 7}"#),
        STANDARD.encode(r#"{"departureDate": "tomorrow", "name": ["x"], "checkInDate": false}"#),
        STANDARD.encode(deep),
        STANDARD.encode(format!(r#"{{"name": "{}"}}"#, "x".repeat(200_000))),
    ] {
        let import = drafted(&[source("trip.ics", with_items(&trip, &item).as_bytes())]);
        let found = serde_json::to_value(&import.itinerary).unwrap();
        assert_eq!(found["flights"][0]["flightNumber"], "1363", "{item:.40}");
        assert_eq!(found["flights"][0]["departureDate"], "2027-05-15T08:05:00+02:00", "{item:.40}");
        assert_eq!(found["hotels"][0]["name"], "Hotel; Exemplo", "{item:.40}");
        assert_eq!(found["transports"].as_array().unwrap().len(), 2, "{item:.40}");
        assert_eq!(found["reservations"][0]["name"], "Sr. Vinho", "{item:.40}");
    }
}

#[test]
fn unknown_fields_of_an_item_are_left_out() {
    let newer = json!({
        "name": "Hotel", "stars": {"of": 5}, "checkInDate": "2027-05-15T15:00:00+01:00",
        "place": {"name": "Hotel", "floor": 3}, "tickets": [{"holder": "Ana", "colour": "red"}],
    });
    let text = with_items(&whole(), &STANDARD.encode(newer.to_string()));
    let import = drafted(&[source("trip.ics", text.as_bytes())]);
    let hotel = serde_json::to_value(&import.itinerary).unwrap()["hotels"][0].take();
    assert_eq!(hotel["tickets"], json!([{"holder": "Ana"}]), "{hotel}");
    assert_eq!((&hotel["stars"], &hotel["place"]), (&Value::Null, &json!({"name": "Hotel"})));
}
