//! Reads what some models and clients send in place of what the schemas ask for, where it can have only one meaning: an
//! object or list as JSON in a string, an airport as its code, and an empty text for an optional id.
//!
//! Goes by the names of fields, because most schemas describe inner objects only in words. Anything else is left as it is,
//! for the check against the schema.

use serde_json::{Map, Value, json};

use crate::json::Unique;

/// Fields that are objects wherever they occur.
const OBJECTS: [&str; 15] = [
    "activity",
    "arrivalAirport",
    "belongsTo",
    "coordinate",
    "cost",
    "coverImage",
    "departureAirport",
    "destination",
    "flight",
    "flightAirline",
    "hotel",
    "image",
    "origin",
    "place",
    "stop",
];

/// Fields that are lists of objects.
const LISTS_OF_OBJECTS: [&str; 7] = ["days", "expenses", "flights", "hotels", "legs", "packing", "stops"];

/// Fields that are lists of texts.
const LISTS_OF_TEXTS: [&str; 2] = ["regions", "tags"];

const AIRPORTS: [&str; 2] = ["arrivalAirport", "departureAirport"];

/// Arguments and fields that identify something and are optional, except where the schema requires them.
const IDS: [&str; 10] =
    ["afterStopId", "beforeStopId", "cursor", "day", "flightId", "hotelId", "id", "idempotencyKey", "placeId", "toDay"];

/// Rewrites a tool's arguments. `required` are those that the tool's schema requires.
pub(super) fn rewrite(arguments: &mut Map<String, Value>, required: &Value) {
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|it| it == name));
    arguments.retain(|name, value| is_required(name) || !is_empty_id(name, value));
    arguments.iter_mut().for_each(|(name, value)| rewrite_field(name, value));
}

/// Parses text that is a JSON object; other values stay.
pub(crate) fn parse_object(value: &mut Value) {
    parse(value, Value::is_object);
}

fn rewrite_field(name: &str, value: &mut Value) {
    if OBJECTS.contains(&name) {
        parse_object(value);
    } else if LISTS_OF_OBJECTS.contains(&name) {
        parse(value, Value::is_array);
        value.as_array_mut().into_iter().flatten().for_each(parse_object);
    } else if LISTS_OF_TEXTS.contains(&name) {
        parse(value, Value::is_array);
    }
    if AIRPORTS.contains(&name)
        && let Some(code) = value.as_str().filter(|text| is_airport_code(text))
    {
        *value = json!({ "code": code });
    }
    match value {
        Value::Object(fields) => rewrite_object(name, fields),
        Value::Array(items) => {
            items.iter_mut().filter_map(Value::as_object_mut).for_each(|fields| rewrite_object(name, fields));
        }
        _ => {}
    }
}

fn rewrite_object(name: &str, fields: &mut Map<String, Value>) {
    // The id in `belongsTo` is required.
    if name != "belongsTo" {
        fields.retain(|name, value| !is_empty_id(name, value));
    }
    fields.iter_mut().for_each(|(name, value)| rewrite_field(name, value));
}

fn is_empty_id(name: &str, value: &Value) -> bool {
    value == "" && IDS.contains(&name)
}

fn is_airport_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Replaces text by the JSON in it, if that is of the wanted kind and has no duplicate names.
fn parse(value: &mut Value, is_wanted: impl Fn(&Value) -> bool) {
    let parsed = value.as_str().and_then(|text| serde_json::from_str(text).ok());
    if let Some(Unique(parsed)) = parsed.filter(|Unique(parsed)| is_wanted(parsed)) {
        *value = parsed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(arguments: Value) -> Value {
        let Value::Object(mut arguments) = arguments else { panic!("no object") };
        rewrite(&mut arguments, &json!(["id"]));
        arguments.into()
    }

    #[test]
    fn objects_and_lists_are_parsed_from_strings() {
        for (sent, read) in [
            (json!({ "stop": r#"{"name": "a"}"# }), json!({ "stop": { "name": "a" } })),
            (
                json!({ "stop": r#"{"name": "a", "place": "{\"name\": \"b\"}"}"# }),
                json!({ "stop": { "name": "a", "place": { "name": "b" } } }),
            ),
            (
                json!({ "days": r#"[{"stops": ["{\"name\": \"a\"}"]}]"# }),
                json!({ "days": [{ "stops": [{ "name": "a" }] }] }),
            ),
            (json!({ "tags": r#"["a", "{}"]"# }), json!({ "tags": ["a", "{}"] })),
        ] {
            assert_eq!(rewritten(sent), read);
        }
    }

    #[test]
    fn airports_are_read_from_their_codes() {
        let read = rewritten(json!({
            "flight": { "departureAirport": "LIS" },
            "flights": [{ "arrivalAirport": "opo", "departureAirport": r#"{"code": "JFK"}"# }],
        }));
        let flights = json!([{ "arrivalAirport": { "code": "opo" }, "departureAirport": { "code": "JFK" } }]);
        assert_eq!(read, json!({ "flight": { "departureAirport": { "code": "LIS" } }, "flights": flights }));
    }

    #[test]
    fn empty_optional_ids_are_absent() {
        let read = rewritten(json!({
            "beforeStopId": "", "day": "", "id": "", "days": [{ "id": "", "stops": [{ "id": "s", "placeId": "" }] }],
        }));
        assert_eq!(read, json!({ "id": "", "days": [{ "stops": [{ "id": "s" }] }] }));
    }

    #[test]
    fn everything_else_stays() {
        for sent in [
            json!({ "title": r#"{"a": 1}"#, "summary": "", "origin": "Porto", "place": "null" }),
            json!({ "stop": r#"{"name": "a", "name": "b"}"#, "days": "{}", "destination": "[]", "tags": "a" }),
            json!({ "flight": { "departureAirport": "Lisbon", "arrivalAirport": "L1S" } }),
            json!({ "expenses": [{ "belongsTo": { "kind": "stop", "id": "" } }], "ifMatch": "" }),
        ] {
            assert_eq!(rewritten(sent.clone()), sent);
        }
    }
}
