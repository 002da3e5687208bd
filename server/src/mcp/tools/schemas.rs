//! The schemas of arguments and results of the tools, in JSON Schema 2020-12.
//!
//! Every byte takes up a model's context, so limits that are rarely reached are left to the API. Arguments are checked
//! against these schemas: see `arguments`.

use itinerary_core::content::Part;
use serde_json::{Map, Value, json};

use super::trip::lists;

const STOP_CATEGORIES: &[&str] = &[
    "beach",
    "landmark",
    "museum",
    "park",
    "nature",
    "viewpoint",
    "hike",
    "restaurant",
    "cafe",
    "bar",
    "nightlife",
    "shopping",
    "market",
    "activity",
    "tour",
    "entertainment",
    "sport",
    "wellness",
    "religious",
    "lodging",
    "transport",
    "airport",
    "station",
    "other",
];
const MODES: &[&str] = &["walk", "bicycle", "drive", "taxi", "transit", "bus", "train", "ferry", "flight"];
const CABINS: &[&str] = &["economy", "premiumEconomy", "business", "first"];

/// A schema of arguments, which allows no further properties.
fn arguments(properties: Value, required: &[&str]) -> Value {
    let mut schema = with_required(object(properties), required);
    schema["additionalProperties"] = json!(false);
    schema
}

fn object(properties: Value) -> Value {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = properties;
    schema
}

fn with_required(mut schema: Value, required: &[&str]) -> Value {
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// Merges the properties of several objects.
fn all<const N: usize>(objects: [Value; N]) -> Value {
    let mut properties = Map::new();
    for object in objects {
        if let Value::Object(object) = object {
            properties.extend(object);
        }
    }
    Value::Object(properties)
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn described(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

/// Also allows null, which clears the value.
fn nullable(mut schema: Value) -> Value {
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

fn one_of(values: &[&str]) -> Value {
    json!({ "enum": values })
}

const WHICH_DAY: &str = "Number (1 = first), date or id";
const CLOCK: &str = "Local HH:MM";
const STOP: &str = "name, category, place, startTime (local HH:MM), durationMinutes; as in plan_itinerary";

fn yes_or_no() -> Value {
    json!({ "type": "boolean" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

fn whole() -> Value {
    json!({ "type": "integer" })
}

/// An object whose fields are described in words.
fn open(description: &str) -> Value {
    json!({ "type": "object", "description": description })
}

/// An object that another tool's schema describes.
fn any_object() -> Value {
    json!({ "type": "object" })
}

fn which_day(description: &str) -> Value {
    json!({ "type": ["integer", "string"], "description": description })
}

/// The target of a stop: a day, and the stop before or after it or a position.
fn target(day: &str) -> Value {
    json!({
        day: which_day(WHICH_DAY),
        "beforeStopId": text(),
        "afterStopId": text(),
        "position": { "type": "integer", "minimum": 1, "description": "1 = first" },
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// An entry of a list, with an optional id.
fn entry(properties: Value, required: &[&str]) -> Value {
    with_required(object(all([json!({ "id": text() }), properties])), required)
}

/// The whole input of a create.
pub(super) fn plan_itinerary() -> Value {
    let (place, image) = (reference("place"), open("url, source"));
    let mut destination = with_required(place.clone(), &["name"]);
    destination["description"] = json!("A town: its name is enough. Anything else with its rough coordinate");
    let stop = json!({
        "name": text(),
        "category": one_of(STOP_CATEGORIES),
        "place": place,
        "startTime": described(CLOCK),
        "startTimeSuggested": yes_or_no(),
        "durationMinutes": whole(),
        "phoneNumber": text(),
        "activity": open("From suggest_activities"),
    });
    let day = json!({
        "image": image,
        "stops": list(&entry(stop, &["name"])),
        "legs": list(&open("from, to (stop ids), mode, minutes; can be computed")),
    });
    let flight = json!({
        "flightNumber": text(),
        "flightAirline": open("code, name"),
        "departureAirport": place,
        "arrivalAirport": place,
        "departureDate": text(),
        "arrivalDate": text(),
        "cabinClass": one_of(CABINS),
        "seatNumber": text(),
        "gateNumber": text(),
        "departureTerminal": text(),
        "arrivalTerminal": text(),
        "phoneNumber": text(),
    });
    let hotel = json!({
        "name": text(),
        "place": place,
        "checkInDate": text(),
        "checkOutDate": text(),
        "roomNumber": text(),
        "phoneNumber": text(),
    });
    let properties = json!({
        "destination": destination,
        "origin": place,
        "title": text(),
        "summary": text(),
        "startDate": described("YYYY-MM-DD"),
        "travellers": whole(),
        "tags": list(&text()),
        "currency": text(),
        "coverImage": image,
        "days": list(&entry(day, &[])),
        "flights": list(&entry(flight, &[])),
        "hotels": list(&entry(hotel, &["name"])),
        "expenses": list(&open("Pro: name, cost {amount, currency}, category, date, belongsTo {kind, id}")),
        "packing": list(&open("Pro: name, category, quantity, isPacked, belongsTo")),
        "dryRun": yes_or_no(),
        "allowDuplicate": yes_or_no(),
        "idempotencyKey": { "type": "string", "format": "uuid" },
    });
    let coordinate = object(json!({ "latitude": number(), "longitude": number() }));
    let place = json!({
        "name": text(),
        "address": text(),
        "coordinate": with_required(coordinate, &["latitude", "longitude"]),
        "placeId": text(),
        "countryCode": text(),
        "timeZone": text(),
        "code": described("Airport"),
    });
    let mut schema = arguments(properties, &["destination"]);
    schema["$defs"] = json!({ "place": object(place) });
    schema
}

/// A change of an itinerary, with its version.
fn change(fields: Value, required: &[&str]) -> Value {
    let shared = json!({ "itineraryId": text(), "ifMatch": described("Last ETag") });
    arguments(all([shared, fields]), &[&["itineraryId", "ifMatch"], required].concat())
}

/// A change that can be retried with an idempotency key.
fn retried_change(fields: Value, required: &[&str]) -> Value {
    change(all([json!({ "idempotencyKey": text() }), fields]), required)
}

pub(super) fn update_itinerary() -> Value {
    let fields = json!({
        "title": text(),
        "summary": nullable(text()),
        "destination": open("Another town: its name; else with coordinate, countryCode, timeZone"),
        "origin": nullable(open("Place")),
        "startDate": described("YYYY-MM-DD"),
        "travellers": whole(),
        "currency": text(),
        "tags": list(&text()),
        "expenses": list(&any_object()),
        "packing": list(&any_object()),
        "coverImage": nullable(open("url, source")),
        "visibility": one_of(&["private", "followers", "unlisted", "public"]),
    });
    retried_change(fields, &[])
}

pub(super) fn delete_itinerary() -> Value {
    change(json!({}), &[])
}

pub(super) fn list_itineraries() -> Value {
    let filters = ["all", "owned", "shared", "saved", "liked", "disliked"];
    arguments(all([json!({ "filter": one_of(&filters), "updatedSince": described("Date-time") }), paging()]), &[])
}

fn paging() -> Value {
    json!({
        "limit": { "type": "integer", "default": 10 },
        "cursor": described("Last nextCursor"),
    })
}

pub(super) fn explore_itineraries() -> Value {
    let fields = json!({
        "q": described("Words in title, destination, tags, stops"),
        "regions": { "type": "array", "items": text(), "description": "Countries or continents in English" },
        "following": { "type": "boolean", "description": "Only of people followed" },
    });
    arguments(all([fields, paging()]), &[])
}

pub(super) fn get_itinerary() -> Value {
    let fields = json!({
        "itineraryId": text(),
        "view": one_of(&["full", "outline"]),
        "day": which_day(&format!("Only this day. {WHICH_DAY}")),
    });
    arguments(fields, &["itineraryId"])
}

pub(super) fn add_day() -> Value {
    let fields = json!({
        "position": { "type": "integer", "minimum": 1 },
        "stops": { "type": "array", "items": open("As in plan_itinerary") },
    });
    retried_change(fields, &[])
}

pub(super) fn optimise_day() -> Value {
    let fields = json!({
        "day": which_day(WHICH_DAY),
        "mode": one_of(MODES),
        "startAt": described(CLOCK),
        "endAt": text(),
        "dryRun": yes_or_no(),
    });
    retried_change(fields, &["day"])
}

pub(super) fn refresh_places() -> Value {
    retried_change(json!({}), &[])
}

pub(super) fn add_stop() -> Value {
    let stop = with_required(open(STOP), &["name"]);
    retried_change(all([target("day"), json!({ "stop": stop })]), &["stop"])
}

pub(super) fn update_stop() -> Value {
    retried_change(json!({ "stopId": text(), "stop": open(STOP) }), &["stopId", "stop"])
}

pub(super) fn move_stop() -> Value {
    retried_change(all([json!({ "stopId": text() }), target("toDay")]), &["stopId"])
}

pub(super) fn remove_item() -> Value {
    let kinds: Vec<_> = ["day", "stop"].into_iter().chain(lists().map(Part::kind)).collect();
    change(json!({ "kind": one_of(&kinds), "id": which_day("Of a day also its number or date") }), &["kind", "id"])
}

pub(super) fn set_flight() -> Value {
    let flight =
        "flightNumber, departureAirport {code}, departureDate, arrivalAirport, arrivalDate; as in plan_itinerary";
    retried_change(json!({ "flightId": text(), "flight": open(flight) }), &["flight"])
}

pub(super) fn set_hotel() -> Value {
    let hotel = "name, place, checkInDate, checkOutDate; as in plan_itinerary";
    retried_change(json!({ "hotelId": text(), "hotel": open(hotel) }), &["hotel"])
}

pub(super) fn suggest_activities() -> Value {
    arguments(json!({ "itineraryId": text(), "stopId": text() }), &["itineraryId", "stopId"])
}

/// An itinerary that was read. The result may contain more.
pub(super) fn read() -> Value {
    object(json!({ "itinerary": { "type": "object" }, "etag": {} }))
}

/// An itinerary that was written. `etag` is absent if nothing was stored.
pub(super) fn written() -> Value {
    object(json!({ "itinerary": { "type": "object" }, "etag": {}, "needsAttention": {} }))
}

pub(super) fn deleted() -> Value {
    object(json!({ "deleted": text() }))
}

pub(super) fn page() -> Value {
    object(json!({ "data": { "type": "array" }, "nextCursor": { "type": ["string", "null"] } }))
}

pub(super) fn suggestions() -> Value {
    object(json!({ "data": { "type": "array" } }))
}
