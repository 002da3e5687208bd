//! Splits schemas into one for requests and one for responses where these differ.
//!
//! One wire type describes both. A request's schema is closed: it rejects unknown fields, and requires only the fields that
//! must be sent. A response's schema is open, because later versions of the service may add fields and values, and requires
//! the fields that are always present. A schema used by both becomes two: `StopInput` for requests, `Stop` for responses.

use std::collections::BTreeSet;

use itinerary_api::values::OffsetTime;
use serde_json::{Map, Value, json};

/// Marks a date-time in a response that is text with the offset that was sent: an extension, because generated clients would
/// parse a `format: date-time` and lose the offset.
pub(crate) const DATE_TIME: (&str, &str) = ("x-format", "date-time");

const SCHEMAS: &str = "#/components/schemas/";
/// Appended to the name of a request's schema if the response's differs.
const SUFFIX: &str = "Input";

pub(super) fn separate(document: &mut Value) {
    let sent = used(document, &["parameters", "requestBody"]);
    let answered = used(document, &["responses"]);
    let schemas = document["components"]["schemas"].as_object_mut().expect("a document has schemas");
    let both: BTreeSet<_> =
        sent.intersection(&answered).filter(|name| differs(schemas, name, &mut BTreeSet::new())).cloned().collect();
    for (name, mut schema) in std::mem::take(schemas) {
        if both.contains(&name) {
            let mut input = schema.clone();
            close(&mut input);
            point_to_inputs(&mut input, &both);
            schemas.insert(format!("{name}{SUFFIX}"), input);
            open(&mut schema);
        } else if sent.contains(&name) {
            close(&mut schema);
            point_to_inputs(&mut schema, &both);
        } else {
            open(&mut schema);
        }
        schemas.insert(name, schema);
    }
    for (name, schema) in schemas.iter_mut() {
        name_constants(name, schema);
    }
    super::for_each_operation(document, |_, _, operation| {
        for part in ["parameters", "requestBody"] {
            if let Some(part) = operation.get_mut(part) {
                point_to_inputs(part, &both);
            }
        }
    });
}

/// The schemas that these parts of operations and components use, directly or through others.
fn used(document: &Value, parts: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let operations = document["paths"].as_object().into_iter().flatten().filter_map(|(_, path)| path.as_object());
    for operation in operations.flat_map(Map::values).chain([&document["components"]]) {
        for part in parts {
            references(&operation[*part], &mut names);
        }
    }
    let mut found: Vec<_> = names.iter().cloned().collect();
    while let Some(name) = found.pop() {
        let mut inner = BTreeSet::new();
        references(&document["components"]["schemas"][&name], &mut inner);
        found.extend(inner.into_iter().filter(|name| names.insert(name.clone())));
    }
    names
}

fn references(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix(SCHEMAS));
            names.extend(name.map(str::to_owned));
            fields.values().for_each(|field| references(field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

/// Whether a schema, or one that it uses, differs between requests and responses.
fn differs(schemas: &Map<String, Value>, name: &str, seen: &mut BTreeSet<String>) -> bool {
    let (mut input, mut output) = (schemas[name].clone(), schemas[name].clone());
    close(&mut input);
    open(&mut output);
    let mut inner = BTreeSet::new();
    references(&schemas[name], &mut inner);
    input != output || inner.iter().any(|name| seen.insert(name.clone()) && differs(schemas, name, seen))
}

fn point_to_inputs(value: &mut Value, both: &BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && reference.strip_prefix(SCHEMAS).is_some_and(|name| both.contains(name))
            {
                reference.push_str(SUFFIX);
            }
            fields.values_mut().for_each(|field| point_to_inputs(field, both));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point_to_inputs(item, both)),
        _ => {}
    }
}

/// Turns a schema into a request's. Moves defaults into the descriptions: generators treat a field with the keyword
/// `default` as always present.
fn close(schema: &mut Value) {
    for property in properties(schema) {
        let Some(default) = property.remove("default") else { continue };
        let text = match &default {
            Value::Array(_) => "an empty array".to_owned(),
            other => format!("`{}`", other.as_str().map_or_else(|| other.to_string(), str::to_owned)),
        };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if !description.contains("Defaults to") {
            property.insert("description".to_owned(), format!("{description} Defaults to {text}.").into());
        }
    }
}

/// Names the constants of a closed enum. In Go the constants of all enums share a namespace, so each is prefixed with its
/// type's name.
fn name_constants(name: &str, schema: &mut Value) {
    let Some(values) = schema.get("enum").and_then(Value::as_array) else { return };
    let constant = |value: &str| format!("{}_{}", screaming(name.trim_end_matches(SUFFIX)), screaming(value));
    let names: Vec<_> = values.iter().filter_map(Value::as_str).map(constant).collect();
    schema["x-enum-varnames"] = json!(names);
}

/// `boardingPass` as `BOARDING_PASS`, and `itinerary.updated` as `ITINERARY_UPDATED`.
fn screaming(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() {
            words.push('_');
            continue;
        }
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_uppercase());
    }
    words
}

/// Turns a schema into a response's. Ids and fields with defaults are always present, so they are required.
fn open(schema: &mut Value) {
    remove_patterns(schema);
    let mut required = BTreeSet::new();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties {
            let property = property.as_object_mut().expect("a schema is an object");
            if property.remove("default").is_some() || name == "id" {
                required.insert(name.clone());
            }
        }
        let stated = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        required.extend(stated.filter_map(Value::as_str).map(str::to_owned));
        schema["additionalProperties"] = Value::Bool(true);
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
    }
    open_enum(schema);
}

/// A response needs no pattern: the server has checked the value, and a client that checks it again fails on responses of
/// later versions. A date-time with its offset is marked, because its pattern was all that distinguished it from other text.
fn remove_patterns(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let pattern = fields.get("pattern").and_then(Value::as_str).map(str::to_owned);
            if let Some(pattern) = pattern {
                fields.remove("pattern");
                if pattern == OffsetTime::PATTERN {
                    fields.insert(DATE_TIME.0.to_owned(), DATE_TIME.1.into());
                }
            }
            fields.values_mut().for_each(remove_patterns);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_patterns),
        _ => {}
    }
}

/// Turns an enum into a string with known values, so that clients accept values added later.
fn open_enum(schema: &mut Value) {
    let Some(values) = schema.as_object_mut().and_then(|schema| schema.remove("enum")) else { return };
    let names: Vec<_> = values.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let known = format!("`{}`", names.join("`, `"));
    let description = schema["description"].as_str().unwrap_or_default();
    let separator = if description.is_empty() { "" } else { "\n\n" };
    schema["description"] =
        format!("{description}{separator}Known values: {known}. Later versions may add values.").into();
    schema["x-extensible-enum"] = values;
}

fn properties(schema: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}
