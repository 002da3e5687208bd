//! The formats, read back.

mod bookings;
mod calendar;
mod hostile;
mod ics;
mod instants;
mod large;
mod texts;

use itinerary_api::types::{ExportFormat, Itinerary};
use itinerary_export::{Trip, export};
use serde_json::{Value, json};

const ADDRESS: &str = "https://trips.example/trips/0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f";

/// An itinerary in Lisbon with these fields besides the required ones.
fn itinerary(fields: Value) -> Itinerary {
    let mut whole = json!({
        "id": "0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f",
        "title": "Lisbon",
        "destination": {
            "name": "Lisbon", "coordinate": { "latitude": 38.72, "longitude": -9.14 }, "timeZone": "Europe/Lisbon",
        },
        "startDate": "2027-03-27",
        "travellers": 2,
        "tags": [],
        "days": [],
        "visibility": "private",
        "role": "owner",
        "author": {
            "accountId": "0190b5a0-0000-7000-8000-00000000c0de", "username": "ana", "displayName": "Ana", "isPro": false,
        },
        "createdAt": "2027-01-10T12:00:00.000Z",
        "updatedAt": "2027-01-11T13:14:15.678Z",
        "likesCount": 0,
        "viewsCount": 0,
    });
    let (Value::Object(whole_fields), Value::Object(fields)) = (&mut whole, fields) else { panic!("no objects") };
    whole_fields.extend(fields);
    serde_json::from_value(whole).expect("an itinerary")
}

/// The itinerary of the SDK's example, as its owner sees it.
fn lisbon() -> Itinerary {
    itinerary(serde_json::from_str(include_str!("../../../../client-sdk/examples/lisbon.json")).expect("JSON"))
}

/// A day with these stops.
fn day(id: &str, stops: &[Value]) -> Value {
    json!({ "id": id, "stops": stops, "legs": [] })
}

fn exported(itinerary: &Itinerary, format: ExportFormat) -> String {
    let trip = Trip::new(itinerary, 12, ADDRESS.to_owned());
    String::from_utf8(export(&trip, format)).expect("UTF-8")
}
