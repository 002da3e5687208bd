//! Trips of a draft, for importing into.

use itinerary_api::types::{Itinerary, ItineraryDraft};
use serde_json::{Value, json};

/// The itinerary that a create or an update with this draft results in. The server places stops and fills in defaults beside it.
pub(crate) fn stored(base: Option<&Itinerary>, draft: &ItineraryDraft) -> Itinerary {
    let mut value = match base {
        Some(trip) => serde_json::to_value(trip).unwrap(),
        None => json!({
            "id": "01900000-0000-7000-8000-000000000001", "title": "Trip",
            "destination": {"name": "Nowhere", "coordinate": {"latitude": 0, "longitude": 0}},
            "startDate": "2027-05-15", "travellers": 1, "tags": [], "days": [], "flights": [], "hotels": [], "expenses": [],
            "packing": [], "visibility": "private", "role": "owner",
            "author": {"accountId": "01900000-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana", "isPro": false},
            "createdAt": "2027-01-01T00:00:00Z", "updatedAt": "2027-01-01T00:00:00Z", "likesCount": 0, "viewsCount": 0
        }),
    };
    let (Value::Object(value), Value::Object(draft)) = (&mut value, serde_json::to_value(draft).unwrap()) else {
        panic!("objects")
    };
    value.extend(draft);
    // The server gives ids to what has none.
    let made = if base.is_some() { "later" } else { "made" };
    let mut number = 0;
    for list in ["days", "flights", "hotels", "transports", "reservations", "expenses"] {
        for item in value.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            give_id(item, made, &mut number);
            for stop in item.get_mut("stops").and_then(Value::as_array_mut).into_iter().flatten() {
                give_id(stop, made, &mut number);
            }
        }
    }
    serde_json::from_value(Value::Object(std::mem::take(value))).expect("an itinerary")
}

fn give_id(item: &mut Value, made: &str, number: &mut u32) {
    *number += 1;
    if item.get("id").is_none() {
        item["id"] = format!("{made}-{number}").into();
    }
}

/// Checks the rules across fields that the server checks on writing.
pub(crate) fn assert_rules(trip: &Itinerary) {
    let value = serde_json::to_value(trip).unwrap();
    let mut ids = Vec::new();
    for list in ["days", "flights", "hotels", "transports", "reservations", "expenses"] {
        for item in value[list].as_array().into_iter().flatten() {
            ids.push(item["id"].as_str().unwrap().to_owned());
            ordered(item);
            places(item);
            for stop in item["stops"].as_array().into_iter().flatten() {
                ids.push(stop["id"].as_str().unwrap().to_owned());
                places(stop);
            }
            for ticket in item["tickets"].as_array().into_iter().flatten() {
                assert!(!ticket.as_object().unwrap().is_empty());
                let code = &ticket["code"];
                assert!(code.is_null() || code["text"].is_null() != code["data"].is_null(), "{code}");
            }
            if let Some(id) = item["belongsTo"]["id"].as_str() {
                assert!(ids.iter().any(|known| known == id), "{item}");
            }
            let has_field = item.as_object().unwrap().keys().any(|name| name != "id");
            assert!(has_field || list == "days", "{item}");
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
}

fn ordered(item: &Value) {
    let pairs = [("departureDate", "arrivalDate"), ("checkInDate", "checkOutDate"), ("startDate", "endDate")];
    for (first, last) in pairs {
        if let (Some(first), Some(last)) = (item[first].as_str(), item[last].as_str()) {
            let instant = |text| chrono::DateTime::parse_from_rfc3339(text).unwrap();
            assert!(instant(first) < instant(last), "{item}");
        }
    }
    if let (Some(first), Some(last)) = (item["startDay"].as_str(), item["endDay"].as_str()) {
        assert!(first <= last || item["startDate"].is_string() || item["endDate"].is_string(), "{item}");
    }
}

fn places(item: &Value) {
    for name in ["place", "departureAirport", "arrivalAirport", "departurePlace", "arrivalPlace"] {
        let place = &item[name];
        let known = ["name", "code", "coordinate", "placeId"].iter().any(|field| !place[field].is_null());
        assert!(place.is_null() || known, "{item}");
    }
}
