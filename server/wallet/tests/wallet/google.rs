//! Google Wallet's save links.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use itinerary_wallet::{Failure, Flight, Google, Hotel, Item, MAX_SERIAL, Pass};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sha::sha256;
use openssl::sign::Verifier;
use serde_json::{Value, json};

use crate::chain::rsa;
use crate::items::{flight_saying, full_flight, full_hotel, hotel_saying, least_flight, least_hotel, now, pass};

const SAVE: &str = "https://pay.google.com/gp/v/save/";
const ISSUER: &str = "3388000000012345678";
const EMAIL: &str = "wallet@example-project.iam.gserviceaccount.com";

static KEY: LazyLock<PKey<Private>> = LazyLock::new(rsa);

/// A service account's key file.
pub(crate) fn account(key: &PKey<Private>) -> Value {
    json!({
        "type": "service_account",
        "project_id": "example-project",
        "private_key_id": "0123456789abcdef",
        "private_key": String::from_utf8(key.private_key_to_pem_pkcs8().unwrap()).unwrap(),
        "client_email": EMAIL,
        "client_id": "100000000000000000000",
    })
}

pub(crate) fn google() -> Google {
    Google::new(ISSUER, account(&KEY).to_string().as_bytes(), ["https://example.com"]).unwrap()
}

/// The claims of a link, after its signature has been verified.
fn claims(link: &str) -> Value {
    let token = link.strip_prefix(SAVE).unwrap();
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    let verifies = |content: &str| {
        let mut verifier = Verifier::new(MessageDigest::sha256(), &KEY).unwrap();
        verifier.verify_oneshot(&signature, content.as_bytes()).unwrap()
    };
    assert!(verifies(signed));
    assert!(!verifies(&signed[1..]));
    let (header, claims) = signed.split_once('.').unwrap();
    let decode = |part| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    assert_eq!(decode(header), json!({"alg": "RS256", "typ": "JWT"}));
    decode(claims)
}

fn link(item: Item) -> String {
    google().link(&pass(item), now()).unwrap()
}

fn payload(item: Item) -> Value {
    claims(&link(item))["payload"].clone()
}

/// The class of the flights here: the beginning of the serial's digest.
fn class_id() -> String {
    format!("{ISSUER}.{}", &URL_SAFE_NO_PAD.encode(sha256(b"0196-flight_1.a"))[..16])
}

fn localized(value: &str) -> Value {
    json!({"defaultValue": {"language": "en", "value": value}})
}

fn module(id: &str, header: &str, body: &str) -> Value {
    json!({"id": id, "header": header, "body": body})
}

#[test]
fn the_claims_of_a_full_flight() {
    let expected = json!({
        "iss": EMAIL,
        "aud": "google",
        "typ": "savetowallet",
        "iat": 1_775_001_600,
        "origins": ["https://example.com"],
        "payload": {
            "flightClasses": [{
                "id": class_id(),
                "issuerName": "Itinerary",
                "reviewStatus": "UNDER_REVIEW",
                "localScheduledDepartureDateTime": "2026-05-01T10:20:00",
                "localScheduledArrivalDateTime": "2026-05-01T12:55:00",
                "flightHeader": {
                    "carrier": {"carrierIataCode": "LH", "airlineName": localized("Lufthansa")},
                    "flightNumber": "400",
                },
                "origin": {"airportIataCode": "FRA", "terminal": "1", "gate": "Z54"},
                "destination": {"airportIataCode": "JFK", "terminal": "4", "gate": "B22"},
            }],
            "flightObjects": [{
                "id": "3388000000012345678.0196-flight_1.a",
                "classId": class_id(),
                "state": "ACTIVE",
                "passengerName": "Ada Lovelace",
                "reservationInfo": {},
                "boardingAndSeatingInfo": {"seatNumber": "25A", "seatClass": "Premium Economy"},
                "hexBackgroundColor": "#15527f",
            }],
        },
    });
    assert_eq!(claims(&link(Item::Flight(full_flight()))), expected);
}

#[test]
fn a_flight_with_no_more_than_google_requires() {
    let required = Flight {
        airline_code: Some("EZY".into()),
        number: Some("12".into()),
        passenger: "Ada".into(),
        ..least_flight()
    };
    let expected = json!({
        "flightClasses": [{
            "id": class_id(),
            "issuerName": "Itinerary",
            "reviewStatus": "UNDER_REVIEW",
            "localScheduledDepartureDateTime": "2026-05-01T10:20:00",
            "flightHeader": {"carrier": {"carrierIcaoCode": "EZY"}, "flightNumber": "12"},
            "origin": {"airportIataCode": "FRA"},
            "destination": {"airportIataCode": "JFK"},
        }],
        "flightObjects": [{
            "id": "3388000000012345678.0196-flight_1.a",
            "classId": class_id(),
            "state": "ACTIVE",
            "passengerName": "Ada",
            "reservationInfo": {},
            "hexBackgroundColor": "#15527f",
        }],
    });
    assert_eq!(payload(Item::Flight(required)), expected);
}

#[test]
fn a_flight_that_lacks_what_google_requires_is_a_generic_pass() {
    let mut abroad = full_flight();
    abroad.arrival.code = "KJFK".into();
    let lacking = [
        Flight { airline_code: None, ..full_flight() },
        Flight { airline_code: Some("Lufthansa".into()), ..full_flight() },
        Flight { number: None, ..full_flight() },
        Flight { number: Some("400A".into()), ..full_flight() },
        Flight { passenger: " ".into(), ..full_flight() },
        abroad,
    ];
    for flight in lacking {
        let payload = payload(Item::Flight(flight.clone()));
        assert!(payload.get("genericObjects").is_some(), "{flight:?}: {payload}");
        assert!(payload.get("flightObjects").is_none());
    }
    let expected = json!({
        "genericClasses": [{"id": "3388000000012345678.generic"}],
        "genericObjects": [{
            "id": "3388000000012345678.0196-flight_1.a",
            "classId": "3388000000012345678.generic",
            "state": "ACTIVE",
            "cardTitle": localized("Spring in New York"),
            "header": localized("FRA – JFK"),
            "textModulesData": [module("departs", "Departs", "Fri 1 May 2026, 10:20")],
            "hexBackgroundColor": "#15527f",
        }],
    });
    assert_eq!(payload(Item::Flight(least_flight())), expected);
}

#[test]
fn a_full_hotel() {
    let expected = json!({
        "genericClasses": [{"id": "3388000000012345678.generic"}],
        "genericObjects": [{
            "id": "3388000000012345678.0196-flight_1.a",
            "classId": "3388000000012345678.generic",
            "state": "ACTIVE",
            "cardTitle": localized("Spring in New York"),
            "header": localized("Hotel Chelsea"),
            "subheader": localized("Hotel"),
            "textModulesData": [
                module("check-in", "Check-in", "Fri 1 May 2026, 15:00"),
                module("check-out", "Check-out", "Mon 4 May 2026, 11:00"),
                module("guest", "Guest", "Ada Lovelace"),
                module("room", "Room", "Double"),
                module("address", "Address", "222 West 23rd Street, New York"),
                module("phone", "Telephone", "+1 212 555 0100"),
            ],
            "hexBackgroundColor": "#15527f",
        }],
    });
    let link = link(Item::Hotel(full_hotel()));
    assert_eq!(claims(&link)["payload"], expected);
    assert!(link.len() < 1_800, "{}", link.len());
}

#[test]
fn the_least_hotel_has_no_empty_parts() {
    let object = &payload(Item::Hotel(least_hotel()))["genericObjects"][0];
    assert!(object.get("textModulesData").is_none());
    assert_eq!(object["header"], localized("Hotel Chelsea"));
}

#[test]
fn the_operator_can_be_named() {
    let name = |google: Google| {
        let link = google.link(&pass(Item::Flight(full_flight())), now()).unwrap();
        claims(&link)["payload"]["flightClasses"][0]["issuerName"].as_str().map(str::to_owned)
    };
    assert_eq!(name(google().with_issuer_name("Example Travel")).as_deref(), Some("Example Travel"));
    assert_eq!(name(google().with_issuer_name(" ")).as_deref(), Some("Itinerary"));
}

#[test]
fn texts_come_through_whole_while_there_is_room() {
    for odd in ["مرحبا \u{202B}בית", "\"quoted\" \\ <a>&amp;", "👩‍👩‍👧🏳️‍🌈", "two\nlines"]
    {
        let hotel = Hotel { name: odd.into(), ..full_hotel() };
        assert_eq!(payload(Item::Hotel(hotel))["genericObjects"][0]["header"], localized(odd));
        let flight = Flight { passenger: odd.into(), ..full_flight() };
        assert_eq!(payload(Item::Flight(flight))["flightObjects"][0]["passengerName"], odd);
    }
}

#[test]
fn long_texts_are_shortened_until_the_link_is_safe() {
    for long in ["a".repeat(500), "é".repeat(500), "👩‍👩‍👧".repeat(60), "\"".repeat(500), "\u{1}".repeat(500)]
    {
        let generic = Flight { number: None, ..flight_saying(&long) };
        let items = [Item::Flight(flight_saying(&long)), Item::Flight(generic), Item::Hotel(hotel_saying(&long))];
        for item in items {
            let pass = Pass { serial: "s".repeat(MAX_SERIAL), title: long.clone(), item };
            let google = google().with_issuer_name(&long);
            let link = google.link(&pass, now()).unwrap();
            assert!(link.len() < 1_800, "{}: {}", link.len(), claims(&link));
            assert!(claims(&link).to_string().contains('…'));
        }
    }
}

#[test]
fn the_times_stay_on_a_shortened_pass() {
    let pass = Pass { title: "é".repeat(500), ..pass(Item::Hotel(hotel_saying(&"é".repeat(500)))) };
    let claims = claims(&google().link(&pass, now()).unwrap());
    let modules = &claims["payload"]["genericObjects"][0]["textModulesData"];
    assert_eq!(modules[0], module("check-in", "Check-in", "Fri 1 May 2026, 15:00"));
    assert_eq!(modules[1], module("check-out", "Check-out", "Mon 4 May 2026, 11:00"));
}

#[test]
fn the_longest_serial_still_gives_a_link() {
    let pass = Pass { serial: "s".repeat(MAX_SERIAL), ..pass(Item::Flight(full_flight())) };
    let link = google().link(&pass, now()).unwrap();
    assert!(link.len() < 1_800, "{}", link.len());
    let refused = google().link(&Pass { serial: "s".repeat(MAX_SERIAL + 1), ..pass }, now());
    assert!(matches!(refused, Err(Failure::Invalid(_))));
}
