//! The `pass.json` of an Apple pass.

use std::collections::HashSet;

use itinerary_wallet::{
    Barcode, BarcodeContent, BarcodeFormat, Failure, Flight, Hotel, Item, Pass, Reservation, Station, Ticket,
    Transport, TransportMode, When,
};
use serde_json::{Value, json};

use crate::apple_archive::files;
use crate::chain::{PASS_TYPE, TEAM, apple};
use crate::items::{
    at, barcode, flight_saying, full_flight, full_hotel, full_reservation, full_ticket, full_train, hotel_saying,
    least_flight, least_hotel, least_reservation, least_transport, pass, pass_with, reservation_saying, seated,
    ticket_of, ticket_saying, train_saying,
};

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
/// The keys of a barcode.
const BARCODE_KEYS: &str = "altText format message messageEncoding";
/// The keys of a location.
const LOCATION_KEYS: &str = "altitude latitude longitude relevantText";

fn content(pass: &Pass) -> Value {
    serde_json::from_slice(&files(&apple().pass(pass).unwrap())[0].1).unwrap()
}

fn flight(flight: Flight) -> Value {
    content(&pass(Item::Flight(flight)))
}

fn ticketed(item: Item) -> Value {
    content(&pass_with(item, full_ticket()))
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
    assert_eq!(content(&pass_with(Item::Flight(full_flight()), seated("25A"))), expected);
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
    assert_eq!(content(&pass_with(Item::Hotel(full_hotel()), ticket_of("Ada Lovelace"))), expected);
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
        content(&pass_with(
            Item::Hotel(Hotel { room: Some(" ".into()), phone: Some(String::new()), ..least_hotel() }),
            Ticket { barcode: Some(barcode(BarcodeFormat::Qr, "")), ..ticket_of("\t") }
        )),
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
    let bare = |item| content(&pass(item));
    let contents = [
        ticketed(Item::Flight(full_flight())),
        flight(least_flight()),
        ticketed(Item::Hotel(full_hotel())),
        hotel(least_hotel()),
        ticketed(Item::Transport(full_train())),
        bare(Item::Transport(least_transport(TransportMode::Taxi))),
        ticketed(Item::Reservation(full_reservation())),
        bare(Item::Reservation(least_reservation())),
    ];
    for content in contents {
        assert_keys(&content, PASS_KEYS);
        content["barcodes"].as_array().into_iter().flatten().for_each(|barcode| assert_keys(barcode, BARCODE_KEYS));
        content["locations"].as_array().into_iter().flatten().for_each(|place| assert_keys(place, LOCATION_KEYS));
        let styles = ["boardingPass", "generic", "eventTicket"].map(|style| content.get(style));
        let [style] = styles.into_iter().flatten().collect::<Vec<_>>()[..] else { panic!("not one style: {content}") };
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
        let content = content(&pass_with(Item::Flight(flight_saying(odd)), ticket_saying(odd)));
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
        (
            "station",
            pass(Item::Transport(Transport { departure: Station::default(), ..least_transport(TransportMode::Bus) })),
        ),
        ("name", pass(Item::Reservation(Reservation { name: " ".into(), ..full_reservation() }))),
        ("time", pass(Item::Reservation(Reservation { starts: Some(When::Time(late)), ..full_reservation() }))),
        ("time", pass(Item::Flight(Flight { departs: late, ..full_flight() }))),
    ];
    for (word, bad) in bad {
        let failure = apple().pass(&bad).unwrap_err();
        assert!(matches!(failure, Failure::Invalid(message) if message.contains(word)), "{word}: {failure}");
    }
    assert!(apple().pass(&Pass { serial: "a".repeat(128), ..good() }).is_ok());
}

#[test]
fn a_full_train() {
    let expected = with_base(json!({
        "description": "Train IC 523: Lisboa Oriente – Porto Campanhã",
        "relevantDate": "2026-05-15T08:39:00+01:00",
        "locations": [{"latitude": 38.767_8, "longitude": -9.099_1, "relevantText": "Lisboa Oriente"}],
        "barcodes": [{
            "format": "PKBarcodeFormatAztec",
            "message": "M1LOVELACE/ADA  X7KQ2P ",
            "messageEncoding": "iso-8859-1",
        }],
        "boardingPass": {
            "transitType": "PKTransitTypeTrain",
            "headerFields": [text("number", "Train", "IC 523"), text("confirmation", "Booking", "X7KQ2P")],
            "primaryFields": [text("from", "From", "Lisboa Oriente"), text("to", "To", "Porto Campanhã")],
            "secondaryFields": [
                date("departs", "Departs", "2026-05-15T08:39:00+01:00"),
                date("arrives", "Arrives", "2026-05-15T11:45:00+01:00"),
            ],
            "auxiliaryFields": [
                text("passenger", "Passenger", "Ada Lovelace"),
                text("platform", "Platform", "4"),
                text("coach", "Coach", "21"),
                text("seat", "Seat", "14C"),
                text("class", "Class", "2nd"),
            ],
            "backFields": [
                text("itinerary", "Itinerary", "Spring in New York"),
                text("operator", "Operator", "Comboios de Portugal"),
                text("arrival-platform", "Arrival platform", "7"),
                text("phone", "Telephone", "+351 210 900 032"),
                text("ticket", "Ticket number", "0871-22"),
                text(
                    "note",
                    "Note",
                    "The barcode is the ticket's own. If it is not accepted, use the operator's ticket.",
                ),
            ],
        },
    }));
    assert_eq!(ticketed(Item::Transport(full_train())), expected);
}

#[test]
fn each_mode_has_its_transit_type() {
    for (mode, kind) in [
        (TransportMode::Train, "PKTransitTypeTrain"),
        (TransportMode::Bus, "PKTransitTypeBus"),
        (TransportMode::Ferry, "PKTransitTypeBoat"),
        (TransportMode::Car, "PKTransitTypeGeneric"),
        (TransportMode::Taxi, "PKTransitTypeGeneric"),
        (TransportMode::Transfer, "PKTransitTypeGeneric"),
        (TransportMode::Other, "PKTransitTypeGeneric"),
    ] {
        let content = content(&pass(Item::Transport(least_transport(mode))));
        assert_eq!(content["boardingPass"]["transitType"], kind);
        assert!(content["boardingPass"].get("headerFields").is_none(), "{content}");
    }
}

#[test]
fn a_time_that_is_unknown_is_a_day() {
    let day = When::Day(at("2026-05-15T00:00:00Z").date_naive());
    let car = Transport { departs: Some(day), ..least_transport(TransportMode::Car) };
    let content = content(&pass(Item::Transport(car)));
    let expected = json!({"key": "departs", "label": "Collection", "value": "2026-05-15T00:00:00Z",
        "dateStyle": "PKDateStyleMedium", "timeStyle": "PKDateStyleNone", "ignoresTimeZone": true});
    assert_eq!(content["boardingPass"]["secondaryFields"], json!([expected]));
    assert!(content.get("relevantDate").is_none());
    assert_eq!(content["description"], "Rental car: Lisboa Oriente");
}

#[test]
fn a_full_reservation() {
    let expected = with_base(json!({
        "description": "Reservation: Fado at Sr. Vinho",
        "relevantDate": "2026-05-16T20:00:00+01:00",
        "locations": [{"latitude": 38.709, "longitude": -9.158, "relevantText": "Fado at Sr. Vinho"}],
        "barcodes": [{
            "format": "PKBarcodeFormatAztec",
            "message": "M1LOVELACE/ADA  X7KQ2P ",
            "messageEncoding": "iso-8859-1",
        }],
        "eventTicket": {
            "headerFields": [text("confirmation", "Booking", "X7KQ2P")],
            "primaryFields": [text("name", "Reservation", "Fado at Sr. Vinho")],
            "secondaryFields": [
                date("starts", "Starts", "2026-05-16T20:00:00+01:00"),
                date("ends", "Ends", "2026-05-16T23:00:00+01:00"),
            ],
            "auxiliaryFields": [
                text("holder", "Name", "Ada Lovelace"),
                text("people", "People", "2"),
                text("seat", "Seat", "14C"),
            ],
            "backFields": [
                text("itinerary", "Itinerary", "Spring in New York"),
                text("address", "Address", "Rua do Meio à Lapa 18, Lisbon"),
                text("phone", "Telephone", "+351 213 972 681"),
                text("coach", "Coach", "21"),
                text("ticket", "Ticket number", "0871-22"),
            ],
        },
    }));
    assert_eq!(ticketed(Item::Reservation(full_reservation())), expected);
}

#[test]
fn a_flight_has_its_ticket_and_says_whose_the_barcode_is() {
    let content = ticketed(Item::Flight(full_flight()));
    let boarding = &content["boardingPass"];
    assert_eq!(boarding["headerFields"][1], text("confirmation", "Booking", "X7KQ2P"));
    assert_eq!(boarding["auxiliaryFields"][3], text("seat", "Seat", "14C"));
    let back = boarding["backFields"].as_array().unwrap();
    assert_eq!(back[back.len() - 2], text("ticket", "Ticket number", "0871-22"));
    assert!(back[back.len() - 1]["value"].as_str().unwrap().starts_with("The barcode is the ticket's own."));
}

#[test]
fn barcodes_have_apples_names_and_keep_their_bytes() {
    let shown = |barcode: Barcode| {
        let ticket = Ticket { barcode: Some(barcode), ..Ticket::default() };
        content(&pass_with(Item::Hotel(full_hotel()), ticket))["barcodes"].clone()
    };
    for (format, name) in [
        (BarcodeFormat::Aztec, "PKBarcodeFormatAztec"),
        (BarcodeFormat::Qr, "PKBarcodeFormatQR"),
        (BarcodeFormat::Pdf417, "PKBarcodeFormatPDF417"),
        (BarcodeFormat::Code128, "PKBarcodeFormatCode128"),
    ] {
        let expected = json!([{"format": name, "message": " é ", "messageEncoding": "iso-8859-1"}]);
        assert_eq!(shown(barcode(format, " é ")), expected);
    }
    let every = Barcode { format: BarcodeFormat::Aztec, content: BarcodeContent::Data((0..=255).collect()) };
    let shown_bytes = shown(every);
    assert_eq!(shown_bytes[0]["messageEncoding"], "iso-8859-1");
    let message = shown_bytes[0]["message"].as_str().unwrap();
    let bytes: Vec<u8> = message.chars().map(|character| u8::try_from(character).unwrap()).collect();
    assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
    assert_eq!(shown(barcode(BarcodeFormat::Qr, "Łódź"))[0]["messageEncoding"], "utf-8");
}

#[test]
fn odd_texts_of_bookings_come_through() {
    for odd in ["مرحبا \u{202B}בית\u{202C}", "\"quoted\" \\ <a href='x'>&amp;</a>", "line\nbreak\u{0}"] {
        let train = content(&pass_with(Item::Transport(train_saying(odd)), ticket_saying(odd)));
        assert_eq!(train["boardingPass"]["auxiliaryFields"][2]["value"], odd);
        let table = content(&pass_with(Item::Reservation(reservation_saying(odd)), ticket_saying(odd)));
        assert_eq!(table["eventTicket"]["primaryFields"][0]["value"], odd);
    }
}
