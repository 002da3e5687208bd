//! Google Wallet's save links.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use itinerary_wallet::{
    BarcodeContent, BarcodeFormat, Failure, Flight, Google, Hotel, Item, MAX_SERIAL, Pass, Reservation, Ticket,
    Transport, TransportMode, When,
};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sha::sha256;
use openssl::sign::Verifier;
use serde_json::{Value, json};

use crate::chain::rsa;
use crate::items::{
    at, barcode, flight_saying, full_flight, full_hotel, full_reservation, full_ticket, full_train, hotel_saying,
    least_flight, least_hotel, least_reservation, least_transport, now, pass, pass_with, reservation_saying, seated,
    ticket_of, train_saying,
};

const SAVE: &str = "https://pay.google.com/gp/v/save/";
const ISSUER: &str = "3388000000012345678";
const LOGO: &str = "https://example.com/logo.png";
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
    Google::new(ISSUER, account(&KEY).to_string().as_bytes(), ["https://example.com"], LOGO).unwrap()
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

fn link(item: Item, ticket: Ticket) -> String {
    google().link(&pass_with(item, ticket), now()).unwrap()
}

fn payload(item: Item, ticket: Ticket) -> Value {
    claims(&link(item, ticket))["payload"].clone()
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
    assert_eq!(claims(&link(Item::Flight(full_flight()), seated("25A"))), expected);
}

#[test]
fn a_flight_with_no_more_than_google_requires() {
    let required = Flight { airline_code: Some("EZY".into()), number: Some("12".into()), ..least_flight() };
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
    assert_eq!(payload(Item::Flight(required), ticket_of("Ada")), expected);
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
        abroad,
    ];
    for flight in lacking {
        let payload = payload(Item::Flight(flight.clone()), seated("25A"));
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
    assert_eq!(payload(Item::Flight(least_flight()), Ticket::default()), expected);
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
    let link = link(Item::Hotel(full_hotel()), ticket_of("Ada Lovelace"));
    assert_eq!(claims(&link)["payload"], expected);
    assert!(link.len() < 1_800, "{}", link.len());
}

#[test]
fn the_least_hotel_has_no_empty_parts() {
    let object = &payload(Item::Hotel(least_hotel()), Ticket::default())["genericObjects"][0];
    assert!(object.get("textModulesData").is_none());
    assert_eq!(object["header"], localized("Hotel Chelsea"));
}

#[test]
fn the_operator_can_be_named() {
    let name = |google: Google| {
        let link = google.link(&pass_with(Item::Flight(full_flight()), seated("25A")), now()).unwrap();
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
        assert_eq!(payload(Item::Hotel(hotel), Ticket::default())["genericObjects"][0]["header"], localized(odd));
        let payload = payload(Item::Flight(full_flight()), ticket_of(odd));
        assert_eq!(payload["flightObjects"][0]["passengerName"], odd);
    }
}

#[test]
fn long_texts_are_shortened_until_the_link_is_safe() {
    for long in ["a".repeat(500), "é".repeat(500), "👩‍👩‍👧".repeat(60), "\"".repeat(500), "\u{1}".repeat(500)]
    {
        let generic = Flight { number: None, ..flight_saying(&long) };
        let car = Transport { mode: TransportMode::Car, ..train_saying(&long) };
        let items = [
            Item::Flight(flight_saying(&long)),
            Item::Flight(generic),
            Item::Hotel(hotel_saying(&long)),
            Item::Transport(train_saying(&long)),
            Item::Transport(car),
            Item::Reservation(reservation_saying(&long)),
        ];
        for item in items {
            let ticket = ticket_of(&long);
            let pass = Pass { serial: "s".repeat(MAX_SERIAL), title: long.clone(), item, ticket };
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
    let pass = Pass { serial: "s".repeat(MAX_SERIAL), ..pass_with(Item::Flight(full_flight()), seated("25A")) };
    let link = google().link(&pass, now()).unwrap();
    assert!(link.len() < 1_800, "{}", link.len());
    let refused = google().link(&Pass { serial: "s".repeat(MAX_SERIAL + 1), ..pass }, now());
    assert!(matches!(refused, Err(Failure::Invalid(_))));
}

#[test]
fn a_full_ticket_of_a_flight() {
    let payload = payload(Item::Flight(full_flight()), full_ticket());
    let object = &payload["flightObjects"][0];
    assert_eq!(object["reservationInfo"], json!({"confirmationCode": "X7KQ2P", "eticketNumber": "0871-22"}));
    assert_eq!(object["boardingAndSeatingInfo"]["seatNumber"], "14C");
    assert_eq!(object["textModulesData"], json!([module("coach", "Coach", "21")]));
    assert_eq!(object["barcode"], json!({"type": "AZTEC", "value": "M1LOVELACE/ADA  X7KQ2P "}));
}

#[test]
fn a_flight_without_a_passenger_is_generic() {
    for holder in [None, Some(" ".to_owned())] {
        let payload = payload(Item::Flight(full_flight()), Ticket { holder, ..full_ticket() });
        let object = &payload["genericObjects"][0];
        assert_eq!(object["barcode"]["type"], "AZTEC", "{payload}");
        let shown = object["textModulesData"].to_string();
        for text in ["14C", "21", "0871-22", "X7KQ2P"] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
    }
}

#[test]
fn a_full_train() {
    let expected = json!({
        "transitClasses": [{
            "id": class_id(),
            "issuerName": "Itinerary",
            "reviewStatus": "UNDER_REVIEW",
            "transitType": "RAIL",
            "logo": {"sourceUri": {"uri": LOGO}},
        }],
        "transitObjects": [{
            "id": "3388000000012345678.0196-flight_1.a",
            "classId": class_id(),
            "state": "ACTIVE",
            "tripType": "ONE_WAY",
            "passengerNames": "Ada Lovelace",
            "ticketNumber": "0871-22",
            "purchaseDetails": {"confirmationCode": "X7KQ2P"},
            "ticketLeg": {
                "originName": localized("Lisboa Oriente"),
                "destinationName": localized("Porto Campanhã"),
                "departureDateTime": "2026-05-15T08:39:00",
                "arrivalDateTime": "2026-05-15T11:45:00",
                "carriage": "IC 523",
                "ticketSeat": {"coach": "21", "seat": "14C"},
            },
            "barcode": {"type": "AZTEC", "value": "M1LOVELACE/ADA  X7KQ2P "},
            "hexBackgroundColor": "#15527f",
        }],
    });
    let link = link(Item::Transport(full_train()), full_ticket());
    assert_eq!(claims(&link)["payload"], expected);
    assert!(link.len() < 1_800, "{}", link.len());
    // With more room there is more.
    let leg = &payload(Item::Transport(full_train()), Ticket::default())["transitObjects"][0]["ticketLeg"];
    assert_eq!(leg["transitOperatorName"], localized("Comboios de Portugal"));
    assert_eq!(leg["ticketSeat"], json!({"customFareClass": localized("2nd")}));
    assert_eq!(leg["platform"], "4");
}

#[test]
fn transports_have_their_types_or_are_generic() {
    for (mode, kind) in [
        (TransportMode::Train, Some("RAIL")),
        (TransportMode::Bus, Some("BUS")),
        (TransportMode::Ferry, Some("FERRY")),
        (TransportMode::Transfer, Some("OTHER")),
        (TransportMode::Other, Some("OTHER")),
        (TransportMode::Car, None),
        (TransportMode::Taxi, None),
    ] {
        let payload = payload(Item::Transport(Transport { mode, ..full_train() }), Ticket::default());
        assert_eq!(payload["transitClasses"][0]["transitType"].as_str(), kind, "{payload}");
        assert_eq!(payload["genericObjects"].is_array(), kind.is_none());
    }
}

#[test]
fn a_transport_that_lacks_what_google_requires_is_generic() {
    let day = When::Day(at("2026-05-15T00:00:00Z").date_naive());
    let on_a_day = Transport { departs: Some(day), ..full_train() };
    let lacking = [least_transport(TransportMode::Train), on_a_day, Transport { departs: None, ..full_train() }];
    for transport in lacking {
        let payload = payload(Item::Transport(transport.clone()), full_ticket());
        let object = &payload["genericObjects"][0];
        assert_eq!(object["barcode"]["value"], "M1LOVELACE/ADA  X7KQ2P ", "{payload}");
        let departs = transport.departs.map(|_| json!("Fri 15 May 2026"));
        assert_eq!(object["textModulesData"][0]["id"] == "departs", departs.is_some());
        assert!(departs.is_none_or(|day| object["textModulesData"][0]["body"] == day));
    }
}

#[test]
fn a_full_reservation() {
    let expected = json!({
        "eventTicketClasses": [{
            "id": class_id(),
            "issuerName": "Itinerary",
            "reviewStatus": "UNDER_REVIEW",
            "eventName": localized("Fado at Sr. Vinho"),
            "dateTime": {"start": "2026-05-16T20:00:00", "end": "2026-05-16T23:00:00"},
        }],
        "eventTicketObjects": [{
            "id": "3388000000012345678.0196-flight_1.a",
            "classId": class_id(),
            "state": "ACTIVE",
            "ticketHolderName": "Ada Lovelace",
            "ticketNumber": "0871-22",
            "reservationInfo": {"confirmationCode": "X7KQ2P"},
            "seatInfo": {"seat": localized("14C")},
            "barcode": {"type": "AZTEC", "value": "M1LOVELACE/ADA  X7KQ2P "},
            "textModulesData": [
                module("coach", "Coach", "21"),
            ],
            "hexBackgroundColor": "#15527f",
        }],
    });
    let link = link(Item::Reservation(full_reservation()), full_ticket());
    assert_eq!(claims(&link)["payload"], expected);
    assert!(link.len() < 1_800, "{}", link.len());
    // With more room there is more.
    let payload = payload(Item::Reservation(full_reservation()), Ticket::default());
    let address = localized("Rua do Meio à Lapa 18, Lisbon");
    let venue = json!({"name": localized("Fado at Sr. Vinho"), "address": address});
    assert_eq!(payload["eventTicketClasses"][0]["venue"], venue);
    assert_eq!(payload["eventTicketObjects"][0]["textModulesData"], json!([module("people", "People", "2")]));
}

#[test]
fn the_least_reservation_has_no_empty_parts() {
    let least = payload(Item::Reservation(least_reservation()), Ticket::default());
    let (class, object) = (&least["eventTicketClasses"][0], &least["eventTicketObjects"][0]);
    for absent in ["venue", "dateTime"] {
        assert!(class.get(absent).is_none(), "{absent}: {class}");
    }
    for absent in ["ticketHolderName", "reservationInfo", "seatInfo", "barcode", "textModulesData"] {
        assert!(object.get(absent).is_none(), "{absent}: {object}");
    }
    let day = When::Day(at("2026-05-16T00:00:00Z").date_naive());
    let on_a_day = Reservation { starts: Some(day), ..least_reservation() };
    let on_a_day = payload(Item::Reservation(on_a_day), Ticket::default());
    assert!(on_a_day["eventTicketClasses"][0].get("dateTime").is_none());
    let modules = &on_a_day["eventTicketObjects"][0]["textModulesData"];
    assert_eq!(modules, &json!([module("starts", "Starts", "Sat 16 May 2026")]));
}

#[test]
fn barcodes_have_googles_names_and_keep_their_bytes() {
    let shown = |barcode| {
        payload(Item::Hotel(full_hotel()), Ticket { barcode: Some(barcode), ..Ticket::default() })["genericObjects"][0]
            ["barcode"]
            .clone()
    };
    for (format, name) in [
        (BarcodeFormat::Aztec, "AZTEC"),
        (BarcodeFormat::Qr, "QR_CODE"),
        (BarcodeFormat::Pdf417, "PDF_417"),
        (BarcodeFormat::Code128, "CODE_128"),
    ] {
        assert_eq!(shown(barcode(format, "A1")), json!({"type": name, "value": "A1"}));
    }
    let data = itinerary_wallet::Barcode {
        format: BarcodeFormat::Aztec,
        content: BarcodeContent::Data(vec![0, 0x7F, 0x80, 0xFF]),
    };
    assert_eq!(shown(data), json!({"type": "AZTEC", "value": "\u{0}\u{7F}\u{80}\u{FF}"}));
    let utf_8 = json!({"type": "QR_CODE", "value": "Łódź", "renderEncoding": "UTF_8"});
    assert_eq!(shown(barcode(BarcodeFormat::Qr, "Łódź")), utf_8);
    assert_eq!(shown(barcode(BarcodeFormat::Aztec, "Łódź")), json!({"type": "AZTEC", "value": "Łódź"}));
}

#[test]
fn a_long_barcode_stays_whole_and_shortens_nothing_in_vain() {
    let long = "0123456789".repeat(200);
    let ticket = Ticket { barcode: Some(barcode(BarcodeFormat::Qr, &long)), ..seated("14C") };
    let payload = payload(Item::Transport(full_train()), ticket);
    let object = &payload["transitObjects"][0];
    assert_eq!(object["barcode"]["value"], long);
    assert_eq!(object["ticketLeg"]["ticketSeat"]["seat"], "14C");
    assert_eq!(object["ticketLeg"]["transitOperatorName"], localized("Comboios de Portugal"));
}

#[test]
fn a_ticket_loses_other_texts_before_its_own() {
    let long = "é".repeat(500);
    let payload = payload(Item::Transport(train_saying(&long)), full_ticket());
    let object = &payload["transitObjects"][0];
    assert_eq!(object["ticketNumber"], "0871-22");
    assert_eq!(object["purchaseDetails"]["confirmationCode"], "X7KQ2P");
    assert_eq!(object["ticketLeg"]["ticketSeat"], json!({"coach": "21", "seat": "14C"}));
}
