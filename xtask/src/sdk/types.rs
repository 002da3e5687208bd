//! Hand-written types of the SDK, set in the derived document as `x-rust-type`.

use std::collections::{BTreeMap, BTreeSet};

use itinerary_api::values::OffsetTime;
use serde_json::{Map, Value, json};

use crate::openapi::directions::DATE_TIME;

use super::derived::{each_object, operations, remove_parameter, schemas};

/// Gives times `format: date-time`, because the SDK's type for it keeps the offset.
pub(super) fn keep_offsets(document: &mut Value) {
    each_object(document, &mut |object| {
        let (mark, format) = DATE_TIME;
        let is_marked = object.remove(mark).is_some_and(|value| value == format);
        if is_marked || object.get("pattern").is_some_and(|pattern| pattern == OffsetTime::PATTERN) {
            object.insert("format".to_owned(), "date-time".into());
        }
    });
}

/// Changes the derived document, in this order.
pub(super) fn adapt(document: &mut Value) {
    read_conditionally_by_hand(document);
    take_document_ids_as_text(document);
    name_values(document);
    take_dates_as_text(document);
    open_enums(document);
    make_patches_nullable(document);
}

/// Removes `If-None-Match`: `itinerary_view_if_changed` sends the header and handles the 304.
fn read_conditionally_by_hand(document: &mut Value) {
    for operation in operations(document) {
        remove_parameter(operation, "If-None-Match");
    }
}

/// The ids in an itinerary are text, also those of its documents: a document that was read can be passed on by its id.
fn take_document_ids_as_text(document: &mut Value) {
    for operation in operations(document) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["name"] == "documentId") {
            parameter["schema"].as_object_mut().map(|schema| schema.remove("format"));
        }
    }
}

/// Replaces the open enum of responses and the closed one of requests by one enum. Error codes stay strings: programs compare
/// them with the constants in `code`.
fn name_values(document: &mut Value) {
    let mut closed = BTreeMap::new();
    for (name, schema) in schemas(document).iter_mut() {
        let Some(values) = schema.as_object_mut().and_then(|schema| schema.remove("x-extensible-enum")) else {
            continue;
        };
        if !["ErrorCode", "OAuthErrorCode"].contains(&name.as_str()) {
            schema["enum"] = values;
            closed.insert(format!("{name}Input"), name.clone());
        }
    }
    schemas(document).retain(|name, _| !closed.contains_key(name));
    each_object(document, &mut |object| {
        if let Some(Value::String(reference)) = object.get_mut("$ref")
            && let Some((path, name)) = reference.rsplit_once('/')
            && let Some(name) = closed.get(name)
        {
            *reference = format!("{path}/{name}");
        }
    });
}

/// Fields of requests have the types `DateInput` and `TimeInput`, which are made from text too: a malformed one is an error
/// of the request. Responses have the types of chrono.
fn take_dates_as_text(document: &mut Value) {
    let (mut requests, mut responses) = (BTreeSet::new(), BTreeSet::new());
    for operation in operations(&mut document.clone()) {
        reach(document, &operation["requestBody"], &mut requests);
        reach(document, &operation["responses"], &mut responses);
    }
    for name in requests.difference(&responses) {
        let properties = document["components"]["schemas"][name].get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            match property["format"].as_str() {
                Some("date") => wrap_plainly(property, "itinerary_sdk::DateInput"),
                Some("date-time") => wrap_plainly(property, "itinerary_sdk::TimeInput"),
                _ => {}
            }
        }
    }
}

/// Collects the names of the schemas that a value refers to, also through other schemas.
fn reach(document: &Value, value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                let name = reference.rsplit('/').next().unwrap_or_default().to_owned();
                let is_schema = reference.contains("/schemas/");
                if !is_schema || names.insert(name) {
                    let target = document.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
                    reach(document, target, names);
                }
            }
            object.values().for_each(|value| reach(document, value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| reach(document, item, names)),
        _ => {}
    }
}

/// Fields have the type `Open<T>`, so that responses with values that were added later can be parsed.
fn open_enums(document: &mut Value) {
    let is_list = |schema: &Value| schema.get("enum").is_some();
    let lists: BTreeSet<_> =
        schemas(document).iter().filter(|(_, schema)| is_list(schema)).map(|(name, _)| name.clone()).collect();
    for schema in schemas(document).values_mut() {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            let value = if property["type"] == "array" { &mut property["items"] } else { property };
            if referred(value).is_some_and(|name| lists.contains(&name)) {
                wrap(value, "itinerary_sdk::Open");
            }
        }
    }
}

/// A field of a patch has three states: absent, null or a value. `Nullable` contains `Open` if the value is an enum.
fn make_patches_nullable(document: &mut Value) {
    let patches = schemas(document).iter_mut().filter(|(name, _)| name.ends_with("Patch"));
    for (_, schema) in patches {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for property in properties.into_iter().flat_map(Map::values_mut) {
            let object = property.as_object_mut().expect("a schema is an object");
            if object.remove("nullable").is_some() {
                wrap(property, "itinerary_sdk::Nullable");
            }
        }
    }
}

/// Gives a property a hand-written type that is not generic.
fn wrap_plainly(property: &mut Value, path: &str) {
    property["x-rust-type"] = json!({ "crate": "itinerary_sdk", "version": "*", "path": path });
}

/// Wraps the type of a property in a hand-written generic type.
fn wrap(property: &mut Value, path: &str) {
    let description = property.get("description").cloned();
    let nullable = property.get("nullable").cloned();
    let mut inner = property.take();
    for outer in ["description", "nullable", "default"] {
        inner.as_object_mut().map(|inner| inner.remove(outer));
    }
    // The generator supports only a plain reference here, not `allOf` with one reference.
    let reference = inner.pointer("/allOf/0").cloned();
    if let Some(reference) = reference.clone()
        && inner.get("x-rust-type").is_none()
    {
        inner = reference;
    }
    let mut outer = json!({
        "x-rust-type": { "crate": "itinerary_sdk", "version": "*", "path": path, "parameters": [inner.clone()] },
    });
    // The generator ignores the schema beside the extension; it keeps the document valid.
    for (name, value) in [("description", description), ("nullable", nullable)] {
        if let Some(value) = value {
            outer[name] = value;
        }
    }
    if let Some(reference) = reference.or_else(|| inner.get("$ref").is_some().then(|| inner.clone())) {
        outer["allOf"] = json!([reference]);
    } else if let Some(fields) = inner.as_object() {
        let fields = fields.clone().into_iter().filter(|(name, _)| name != "x-rust-type");
        outer.as_object_mut().expect("an object").extend(fields);
    }
    *property = outer;
}

/// The named schema of a property, if it has one.
fn referred(property: &Value) -> Option<String> {
    let reference = property.get("$ref").or_else(|| property.pointer("/allOf/0/$ref"))?;
    Some(reference.as_str()?.rsplit('/').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(schemas: &Value, operation: &Value) -> Value {
        json!({ "paths": { "/a": { "post": operation } }, "components": { "schemas": schemas } })
    }

    #[test]
    fn an_id_of_a_document_is_text() {
        let uuid = json!({ "type": "string", "format": "uuid" });
        let parameters = json!([{ "name": "id", "schema": uuid }, { "name": "documentId", "schema": uuid }]);
        let mut document = document(&json!({}), &json!({ "parameters": parameters }));
        take_document_ids_as_text(&mut document);
        let parameters = document.pointer("/paths/~1a/post/parameters").expect("they stay");
        assert_eq!((&parameters[0]["schema"], &parameters[1]["schema"]), (&uuid, &json!({ "type": "string" })));
    }

    #[test]
    fn fields_of_enums_are_open_and_patches_nullable() {
        let reference = json!({ "$ref": "#/components/schemas/Mode" });
        let mut document = document(
            &json!({
                "Mode": { "type": "string", "enum": ["walk"] },
                "Leg": { "properties": { "mode": reference } },
                "Day": { "properties": { "modes": { "type": "array", "items": reference } } },
                "LegPatch": { "properties": {
                    "mode": { "allOf": [reference], "nullable": true, "type": "string" },
                    "note": { "type": "string", "nullable": true, "description": "d" },
                    "time": { "type": "string", "nullable": true, "x-rust-type": { "path": "T" } },
                } },
            }),
            &json!({}),
        );
        open_enums(&mut document);
        make_patches_nullable(&mut document);
        let schemas = &document["components"]["schemas"];
        let mode = &schemas["Leg"]["properties"]["mode"]["x-rust-type"];
        assert_eq!((&mode["path"], &mode["parameters"]), (&json!("itinerary_sdk::Open"), &json!([reference])));
        let modes = &schemas["Day"]["properties"]["modes"]["items"]["x-rust-type"];
        assert_eq!((&modes["path"], &modes["parameters"]), (&json!("itinerary_sdk::Open"), &json!([reference])));
        let note = &schemas["LegPatch"]["properties"]["note"];
        assert_eq!(note["x-rust-type"]["path"], "itinerary_sdk::Nullable");
        assert_eq!(note["x-rust-type"]["parameters"], json!([{ "type": "string" }]));
        assert_eq!((&note["description"], note.get("nullable")), (&json!("d"), None));
        let time = &schemas["LegPatch"]["properties"]["time"]["x-rust-type"];
        assert_eq!(
            (&time["path"], &time["parameters"][0]["x-rust-type"]["path"]),
            (&json!("itinerary_sdk::Nullable"), &json!("T"))
        );
        let mode = &schemas["LegPatch"]["properties"]["mode"]["x-rust-type"];
        assert_eq!(mode["path"], "itinerary_sdk::Nullable");
        let inner = &mode["parameters"][0]["x-rust-type"];
        assert_eq!((&inner["path"], &inner["parameters"]), (&json!("itinerary_sdk::Open"), &json!([reference])));
    }

    #[test]
    fn dates_of_requests_are_text_and_those_of_responses_are_not() {
        let flight = json!({ "properties": {
            "departureDate": { "type": "string", "format": "date-time" }, "day": { "type": "string", "format": "date" },
        } });
        let body = |name: &str| json!({ "schema": { "$ref": format!("#/components/schemas/{name}") } });
        let trip = json!({ "properties": { "flights": { "items": body("FlightInput")["schema"] } } });
        let mut document = document(
            &json!({ "Trip": trip, "FlightInput": flight, "Flight": flight, "Both": flight }),
            &json!({
                "requestBody": { "content": { "a": body("Trip"), "b": body("Both") } },
                "responses": { "200": { "$ref": "#/components/responses/Flight" } },
            }),
        );
        document["components"]["responses"] = json!({ "Flight": { "a": body("Flight"), "b": body("Both") } });
        take_dates_as_text(&mut document);
        let schemas = &document["components"]["schemas"];
        assert_eq!((&schemas["Flight"], &schemas["Both"]), (&flight, &flight));
        let fields = &schemas["FlightInput"]["properties"];
        assert_eq!(fields["departureDate"]["x-rust-type"]["path"], "itinerary_sdk::TimeInput");
        assert_eq!(fields["day"]["x-rust-type"]["path"], "itinerary_sdk::DateInput");
    }

    #[test]
    fn a_list_of_values_is_one_enum_in_both_directions() {
        let open = json!({ "type": "string", "x-extensible-enum": ["walk"] });
        let mut document = document(
            &json!({
                "Mode": open,
                "ModeInput": { "type": "string", "enum": ["walk"] },
                "LegInput": { "properties": { "mode": { "$ref": "#/components/schemas/ModeInput" } } },
                "ErrorCode": open,
            }),
            &json!({}),
        );
        name_values(&mut document);
        let expected = json!({
            "Mode": { "type": "string", "enum": ["walk"] },
            "LegInput": { "properties": { "mode": { "$ref": "#/components/schemas/Mode" } } },
            "ErrorCode": { "type": "string" },
        });
        assert_eq!(document["components"]["schemas"], expected);
    }
}
