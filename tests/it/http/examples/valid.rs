//! Every example of the published document fits the schema that it stands beside.
//!
//! The validator supports the OpenAPI 3.0 keywords that the document uses, and panics on any other.

use std::fs;

use chrono::{DateTime, NaiveDate};
use regex::Regex;
use serde_json::{Map, Value, json};
use url::Url;
use uuid::Uuid;

#[test]
fn every_example_of_the_document_fits_its_schema() {
    // Read now: whoever has just generated the document need not build the tests again.
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/itinerary.json"));
    let document: Value = serde_json::from_str(&document.expect("a file")).expect("the document is JSON");
    let schemas = Schemas(&document);
    let (mut checked, mut wrong) = (0, Vec::new());
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let mut bodies = vec![("request".to_owned(), &operation["requestBody"])];
            for (status, response) in operation["responses"].as_object().expect("responses") {
                bodies.push((status.clone(), schemas.followed(response)));
            }
            for (what, body) in bodies {
                for (media_type, content) in body["content"].as_object().into_iter().flatten() {
                    for example in schemas.examples(content) {
                        checked += 1;
                        let at = format!("{method} {path} {what} {media_type}");
                        schemas.check(&content["schema"], example, &at, &mut wrong);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked >= 100, "{checked} examples");
}

#[test]
fn every_recorded_refusal_of_oauth_is_in_the_document() {
    let read = |file: &str| -> Value {
        let text = fs::read_to_string(format!("{}/../openapi/{file}.json", env!("CARGO_MANIFEST_DIR")));
        serde_json::from_str(&text.expect("a file")).expect("JSON")
    };
    let (document, recorded) = (read("itinerary"), &read("examples")["oauthErrors"]);
    let operations = document["paths"].as_object().expect("paths").values().filter_map(Value::as_object).flatten();
    let operations =
        operations.map(|(_, operation)| (operation["operationId"].as_str().unwrap_or_default(), operation));
    let (schemas, mut checked) = (Schemas(&document), 0);
    for (name, operation) in operations {
        for (status, codes) in recorded[name].as_object().into_iter().flatten() {
            let response = schemas.followed(&operation["responses"][status]);
            for code in codes.as_object().expect("codes").keys() {
                let example = &response["content"]["application/json"]["examples"][code];
                assert!(example.is_object(), "{name}, {status}: {code}");
                checked += 1;
            }
        }
    }
    assert!(checked >= 20, "{checked} refusals");
}

/// The schemas of a document.
struct Schemas<'d>(&'d Value);

impl<'d> Schemas<'d> {
    /// What a value refers to, or the value.
    fn followed<'v>(&self, value: &'v Value) -> &'v Value
    where
        'd: 'v,
    {
        let Some(reference) = value["$ref"].as_str() else { return value };
        let pointer = reference.strip_prefix('#').expect("a reference within the document");
        self.0.pointer(pointer).unwrap_or_else(|| panic!("{reference} is not there"))
    }

    fn examples<'v>(&'v self, content: &'v Value) -> Vec<&'v Value> {
        let named = content["examples"].as_object().into_iter().flatten();
        let named = named.map(|(_, example)| &self.followed(example)["value"]);
        content.get("example").into_iter().chain(named).collect()
    }

    /// Lists where a value does not fit a schema.
    fn check(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let schema = self.followed(schema);
        if value.is_null() && schema["nullable"] == true {
            return;
        }
        for (keyword, says) in schema.as_object().expect("a schema is an object") {
            let fits = match (keyword.as_str(), value) {
                ("allOf", _) => {
                    self.each(says, |part| self.check(part, value, at, wrong));
                    true
                }
                ("oneOf" | "anyOf", _) => {
                    let mut fitting = 0;
                    self.each(says, |part| fitting += usize::from(self.fits(part, value)));
                    fitting == 1 || keyword == "anyOf" && fitting > 1
                }
                ("not", _) => !self.fits(says, value),
                ("properties", Value::Object(fields)) => {
                    for (name, field) in fields {
                        if let Some(property) = says.get(name) {
                            self.check(property, field, &format!("{at}/{name}"), wrong);
                        }
                    }
                    true
                }
                ("additionalProperties", Value::Object(fields)) => {
                    let others = fields.iter().filter(|(name, _)| schema["properties"].get(name).is_none());
                    match says {
                        Value::Bool(allowed) => *allowed || others.count() == 0,
                        says => {
                            others.for_each(|(name, field)| self.check(says, field, &format!("{at}/{name}"), wrong));
                            true
                        }
                    }
                }
                ("items", Value::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        self.check(says, item, &format!("{at}/{index}"), wrong);
                    }
                    true
                }
                _ => fits(keyword, says, value),
            };
            if !fits {
                wrong.push(format!("{at}: {value} does not fit {keyword}: {says}"));
            }
        }
    }

    fn each(&self, parts: &Value, mut visit: impl FnMut(&Value)) {
        parts.as_array().expect("a list of schemas").iter().for_each(|part| visit(self.followed(part)));
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut wrong = Vec::new();
        self.check(schema, value, "", &mut wrong);
        wrong.is_empty()
    }
}

/// The keywords that say something of some values only, or of none.
const KNOWN: [&str; 20] = [
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "pattern",
    "format",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "nullable",
    "description",
    "title",
    "default",
    "example",
    "readOnly",
    "writeOnly",
    "deprecated",
];

/// Whether a value fits a keyword that has no schemas in it.
fn fits(keyword: &str, says: &Value, value: &Value) -> bool {
    let number = || says.as_f64().expect("a number");
    let length = |value: usize| value as u64;
    match (keyword, value) {
        ("type", _) => has_type(says.as_str().expect("a type"), value),
        ("enum", _) => says.as_array().expect("a list").contains(value),
        ("required", Value::Object(fields)) => {
            says.as_array().expect("a list").iter().all(|name| fields.contains_key(name.as_str().expect("a name")))
        }
        ("minItems", Value::Array(items)) => length(items.len()) >= says.as_u64().expect("a number"),
        ("maxItems", Value::Array(items)) => length(items.len()) <= says.as_u64().expect("a number"),
        ("minLength", Value::String(text)) => length(text.chars().count()) >= says.as_u64().expect("a number"),
        ("maxLength", Value::String(text)) => length(text.chars().count()) <= says.as_u64().expect("a number"),
        ("minimum", Value::Number(value)) => value.as_f64().is_some_and(|value| value >= number()),
        ("maximum", Value::Number(value)) => value.as_f64().is_some_and(|value| value <= number()),
        ("pattern", Value::String(text)) => {
            Regex::new(says.as_str().expect("a pattern")).expect("a pattern").is_match(text)
        }
        ("format", Value::String(text)) => has_format(says.as_str().expect("a format"), text),
        // A keyword of another type's values, or one that says nothing of values.
        (other, _) if KNOWN.contains(&other) || other.starts_with("x-") => true,
        (other, _) => panic!("the validator does not know {other}"),
    }
}

fn has_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_i64().is_some() || value.as_u64().is_some(),
        other => panic!("{other} is no type"),
    }
}

fn has_format(name: &str, text: &str) -> bool {
    match name {
        "uuid" => Uuid::try_parse(text).is_ok(),
        "date" => text.parse::<NaiveDate>().is_ok(),
        "date-time" => DateTime::parse_from_rfc3339(text).is_ok(),
        "uri" => Url::parse(text).is_ok(),
        "binary" | "email" | "int32" | "int64" | "uint32" | "uint64" | "double" | "float" => true,
        other => panic!("the validator does not know the format {other}"),
    }
}

#[test]
fn the_validator_finds_what_does_not_fit() {
    let document = json!({ "components": { "schemas": { "Trip": {
        "type": "object",
        "required": ["id", "days"],
        "additionalProperties": false,
        "properties": {
            "id": { "type": "string", "format": "uuid" },
            "days": { "type": "array", "maxItems": 1, "items": { "$ref": "#/components/schemas/Day" } },
            "code": { "type": "string", "pattern": "^[A-Z]{3}$", "nullable": true },
            "mode": { "allOf": [{ "type": "string", "enum": ["walk"] }], "description": "How." },
        },
    }, "Day": { "type": "object", "properties": { "stops": { "type": "integer", "minimum": 0, "maximum": 9 } } } } } });
    let schemas = Schemas(&document);
    let trip = json!({ "$ref": "#/components/schemas/Trip" });
    let good = json!({ "id": Uuid::nil(), "days": [{ "stops": 2 }], "code": null, "mode": "walk" });
    assert!(schemas.fits(&trip, &good));
    for (field, value) in [
        ("id", json!("1")),
        ("days", json!([{}, {}])),
        ("days", json!([{ "stops": 10 }])),
        ("days", json!([{ "stops": 1.5 }])),
        ("days", json!(null)),
        ("code", json!("ab")),
        ("mode", json!("fly")),
        ("note", json!("unknown")),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(!schemas.fits(&trip, &bad), "{bad}");
    }
    let mut without: Map<String, Value> = good.as_object().expect("an object").clone();
    without.remove("id");
    assert!(!schemas.fits(&trip, &without.into()));
}
