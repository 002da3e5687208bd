//! The `pass.json` of an Apple pass.

use std::collections::HashSet;

use itinerary_wallet::{Failure, Flight, Hotel, Item, Pass};
use serde_json::{Value, json};

use crate::apple_archive::files;
use crate::chain::{PASS_TYPE, TEAM, apple};
use crate::items::{at, flight_saying, full_flight, full_hotel, hotel_saying, least_flight, least_hotel, pass};

/// The keys of a pass, from Apple's documentation.
const PASS_KEYS: &str = "accessibilityURL appLaunchURL associatedStoreIdentifiers authenticationToken backgroundColor \
    barcode barcodes beacons boardingPass coupon description eventTicket expirationDate footerBackgroundColor \
    foregroundColor formatVersion generic groupingIdentifier labelColor locations logoText maxDistance nfc \
    organizationName passTypeIdentifier preferredStyleSchemes relevantDate relevantDates semantics serialNumber \
    sharingProhibited storeCard suppressStripShine teamIdentifier userInfo voided webServiceURL";
/// The keys of a style.
const STYLE_KEYS: &str =
    "auxiliaryFields backFields headerFields primaryFields secondaryFields transitType additionalInfoFields";
/// The keys of a field.
const FIELD_KEYS: &str = "attributedValue changeMessage currencyCode dataDetectorTypes dateStyle ignoresTimeZone \
    isRelative key label numberStyle row semantics textAlignment timeStyle value";
/// The keys of a location.
const LOCATION_KEYS: &str = "altitude latitude longitude relevantText";

fn content(pass: &Pass) -> Value {
    serde_json::from_slice(&files(&apple().pass(pass).unwrap())[0].1).unwrap()
}

fn flight(flight: Flight) -> Value {
    content(&pass(Item::Flight(flight)))
}

fn hotel(hotel: Hotel) -> Value {
    content(&pass(Item::Hotel(hotel)))
}

fn text(key: &str, label: &str, value: &str) -> Value {
    json!({"key": key, "label": label, "value": value})
}

fn date(key: &str, label: &str, value: &str) -> Value {
    json!({"key": key, "label": label, "value": value, "dateStyle": "PKDateStyleMedium",
        "timeStyle": "PKDateStyleShort", "ignoresTimeZone": true})
}

fn note() -> Value {
    text("note", "Note", "For your information. Not valid for boarding: use the airline's boarding pass.")
}

/// The keys of every pass, plus these.
fn with_base(own: Value) -> Value {
    let mut base = json!({
        "formatVersion": 1,
        "passTypeIdentifier": PASS_TYPE,
        "teamIdentifier": TEAM,
        "organizationName": "Example Travel",
        "serialNumber": "0196-flight_1.a",
        "logoText": "Spring in New York",
        "backgroundColor": "rgb(21, 82, 127)",
        "foregroundColor": "rgb(255, 255, 255)",
        "labelColor": "rgb(191, 230, 230)",
    });
    let Value::Object(own) = own else { panic!("not an object") };
    base.as_object_mut().unwrap().extend(own);
    base
}

#[test]
fn a_full_flight() {
    let expected = with_base(json!({
        "description": "Flight LH 400 from FRA to JFK",
        "relevantDate": "2026-05-01T10:20:00+02:00",
        "boardingPass": {
            "transitType": "PKTransitTypeAir",
            "headerFields": [text("flight", "Flight", "LH 400")],
            "primaryFields": [text("from", "Frankfurt am Main", "FRA"), text("to", "John F. Kennedy", "JFK")],
            "secondaryFields": [
                date("departs", "Departs", "2026-05-01T10:20:00+02:00"),
                date("arrives", "Arrives", "2026-05-01T12:55:00-04:00"),
            ],
            "auxiliaryFields": [
                text("passenger", "Passenger", "Ada Lovelace"),
                text("terminal", "Terminal", "1"),
                text("gate", "Gate", "Z54"),
                text("seat", "Seat", "25A"),
                text("cabin", "Class", "Premium Economy"),
            ],
            "backFields": [
                text("itinerary", "Itinerary", "Spring in New York"),
                text("airline", "Airline", "Lufthansa"),
                text("departure-airport", "Departure airport", "Frankfurt am Main (FRA)"),
                text("arrival-airport", "Arrival airport", "John F. Kennedy (JFK)"),
                text("arrival-terminal", "Arrival terminal", "4"),
                text("arrival-gate", "Arrival gate", "B22"),
                note(),
            ],
        },
    }));
    assert_eq!(flight(full_flight()), expected);
}

#[test]
fn the_least_flight() {
    let expected = with_base(json!({
        "description": "Flight from FRA to JFK",
        "relevantDate": "2026-05-01T10:20:00+02:00",
        "boardingPass": {
            "transitType": "PKTransitTypeAir",
            "primaryFields": [text("from", "From", "FRA"), text("to", "To", "JFK")],
            "secondaryFields": [date("departs", "Departs", "2026-05-01T10:20:00+02:00")],
            "backFields": [
                text("itinerary", "Itinerary", "Spring in New York"),
                text("departure-airport", "Departure airport", "FRA"),
                text("arrival-airport", "Arrival airport", "JFK"),
                note(),
            ],
        },
    }));
    assert_eq!(flight(least_flight()), expected);
}

#[test]
fn a_full_hotel() {
    let expected = with_base(json!({
        "description": "Stay at Hotel Chelsea",
        "relevantDate": "2026-05-01T15:00:00-04:00",
        "locations": [{"latitude": 40.744_444, "longitude": -73.996_944, "relevantText": "Hotel Chelsea"}],
        "generic": {
            "headerFields": [text("room", "Room", "Double")],
            "primaryFields": [text("hotel", "Hotel", "Hotel Chelsea")],
            "secondaryFields": [
                date("check-in", "Check-in", "2026-05-01T15:00:00-04:00"),
                date("check-out", "Check-out", "2026-05-04T11:00:00-04:00"),
            ],
            "auxiliaryFields": [text("guest", "Guest", "Ada Lovelace")],
            "backFields": [
                text("itinerary", "Itinerary", "Spring in New York"),
                text("address", "Address", "222 West 23rd Street, New York"),
                text("phone", "Telephone", "+1 212 555 0100"),
            ],
        },
    }));
    assert_eq!(hotel(full_hotel()), expected);
}

#[test]
fn the_least_hotel() {
    let expected = with_base(json!({
        "description": "Stay at Hotel Chelsea",
        "generic": {
            "primaryFields": [text("hotel", "Hotel", "Hotel Chelsea")],
            "backFields": [text("itinerary", "Itinerary", "Spring in New York")],
        },
    }));
    assert_eq!(hotel(least_hotel()), expected);
}

#[test]
fn blank_texts_are_unknown() {
    assert_eq!(
        hotel(Hotel { room: Some(" ".into()), phone: Some(String::new()), guest: "\t".into(), ..least_hotel() }),
        hotel(least_hotel())
    );
    let blank = Flight { number: Some(" ".into()), airline_code: Some(String::new()), ..least_flight() };
    assert_eq!(flight(blank), flight(least_flight()));
}

#[test]
fn the_airline_code_is_shown_once() {
    let shown = |code: Option<&str>, number: &str| {
        let (airline_code, number) = (code.map(str::to_owned), Some(number.to_owned()));
        let content = flight(Flight { airline_code, number, ..full_flight() });
        content["boardingPass"]["headerFields"][0]["value"].as_str().map(str::to_owned)
    };
    assert_eq!(shown(Some("LH"), "400").as_deref(), Some("LH 400"));
    assert_eq!(shown(Some("LH"), "lh 400").as_deref(), Some("LH 400"));
    assert_eq!(shown(Some("LH"), "LH-400").as_deref(), Some("LH 400"));
    assert_eq!(shown(Some("U2"), "U2123A").as_deref(), Some("U2 123A"));
    assert_eq!(shown(None, "LH400").as_deref(), Some("LH400"));
    assert_eq!(shown(Some("LH"), "É4").as_deref(), Some("LH É4"));
    assert_eq!(shown(Some("LH"), "LH"), None);
}

fn assert_keys(object: &Value, allowed: &str) {
    let allowed: HashSet<&str> = allowed.split(' ').collect();
    let unknown: Vec<&String> = object.as_object().unwrap().keys().filter(|key| !allowed.contains(&***key)).collect();
    assert!(unknown.is_empty(), "not documented: {unknown:?}");
}

#[test]
fn every_key_is_documented_and_every_field_key_is_unique() {
    let contents = [flight(full_flight()), flight(least_flight()), hotel(full_hotel()), hotel(least_hotel())];
    for content in contents {
        assert_keys(&content, PASS_KEYS);
        assert!(content.get("barcodes").or(content.get("barcode")).is_none());
        content["locations"].as_array().into_iter().flatten().for_each(|place| assert_keys(place, LOCATION_KEYS));
        let style = content.get("boardingPass").or(content.get("generic")).unwrap();
        assert_keys(style, STYLE_KEYS);
        let mut seen = HashSet::new();
        for field in style.as_object().unwrap().values().filter_map(Value::as_array).flatten() {
            assert_keys(field, FIELD_KEYS);
            assert_ne!(field["value"], "");
            assert_ne!(field["label"], "");
            assert!(seen.insert(field["key"].clone()), "{} is not unique", field["key"]);
        }
    }
}

#[test]
fn odd_texts_come_through() {
    let long = "é".repeat(500);
    let odd = ["مرحبا \u{202B}בית\u{202C}", "\"quoted\" \\ <a href='x'>&amp;</a>", "line\nbreak\u{0}", "👩‍👩‍👧🏳️‍🌈", &long];
    for odd in odd {
        let content = flight(flight_saying(odd));
        let style = &content["boardingPass"];
        assert_eq!(style["auxiliaryFields"][0]["value"], odd);
        assert_eq!(style["primaryFields"][0]["label"], odd);
        assert_eq!(style["backFields"][2]["value"], format!("{odd} (FRA)"));
        let content = content_titled(odd);
        assert_eq!(content["logoText"], odd);
        assert_eq!(content["description"], format!("Stay at {odd}"));
        assert_eq!(content["generic"]["backFields"][1]["value"], odd);
    }
}

fn content_titled(text: &str) -> Value {
    content(&Pass { title: text.into(), ..pass(Item::Hotel(hotel_saying(text))) })
}

#[test]
fn values_that_do_not_do_are_refused() {
    let good = || pass(Item::Hotel(full_hotel()));
    let with_hotel = |hotel| pass(Item::Hotel(hotel));
    let nowhere = |latitude, longitude| Hotel { coordinate: Some((latitude, longitude)), ..full_hotel() };
    let mut no_code = full_flight();
    no_code.arrival.code = " ".into();
    let late = at("9999-12-31T23:00:00-02:00") + chrono::TimeDelta::hours(1);
    let bad = [
        ("serial", Pass { serial: String::new(), ..good() }),
        ("serial", Pass { serial: "a/b".into(), ..good() }),
        ("serial", Pass { serial: "é".into(), ..good() }),
        ("serial", Pass { serial: "a".repeat(129), ..good() }),
        ("title", Pass { title: " ".into(), ..good() }),
        ("name", with_hotel(Hotel { name: String::new(), ..full_hotel() })),
        ("coordinate", with_hotel(nowhere(90.1, 0.0))),
        ("coordinate", with_hotel(nowhere(0.0, -180.1))),
        ("coordinate", with_hotel(nowhere(f64::NAN, 0.0))),
        ("codes", pass(Item::Flight(no_code))),
        ("time", pass(Item::Flight(Flight { departs: late, ..full_flight() }))),
    ];
    for (word, bad) in bad {
        let failure = apple().pass(&bad).unwrap_err();
        assert!(matches!(failure, Failure::Invalid(message) if message.contains(word)), "{word}: {failure}");
    }
    assert!(apple().pass(&Pass { serial: "a".repeat(128), ..good() }).is_ok());
}
