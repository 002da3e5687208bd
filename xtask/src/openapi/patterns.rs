//! Patterns that the regular expressions of all languages read alike.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Says which patterns break generated clients, and why.
fn faults(document: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_pattern(document, "", &mut |path, schema, pattern| {
        if schema.get("format").is_some() {
            found.insert(format!("{path}: a pattern beside a format"));
        }
        if !pattern.is_ascii() || highest_escape(pattern) > 0x7F {
            found.insert(format!("{path}: a character beyond ASCII, which some languages match by bytes"));
        }
    });
    let mut answered = BTreeSet::new();
    for response in responses(document) {
        collect(document, response, &mut answered);
        each_pattern(response, "a response", &mut |path, _, _| {
            found.insert(format!("{path}: a pattern"));
        });
    }
    for name in answered {
        each_pattern(&document["components"]["schemas"][&name], &name, &mut |path, _, _| {
            found.insert(format!("{path} is in responses and has a pattern"));
        });
    }
    found
}

/// The highest character that an escape of the pattern names.
fn highest_escape(pattern: &str) -> u32 {
    let escapes = pattern.split("\\x").skip(1).filter_map(|rest| u32::from_str_radix(rest.get(..2)?, 16).ok());
    escapes.max().unwrap_or_default()
}

fn each_pattern(value: &Value, path: &str, visit: &mut impl FnMut(&str, &Value, &str)) {
    match value {
        Value::Object(fields) => {
            if let Some(pattern) = fields.get("pattern").and_then(Value::as_str) {
                visit(path, value, pattern);
            }
            for (name, field) in fields.iter().filter(|(name, _)| !["example", "examples"].contains(&name.as_str())) {
                each_pattern(field, &format!("{path}/{name}"), visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| each_pattern(item, path, visit)),
        _ => {}
    }
}

/// The responses of all operations, and those that they share.
fn responses(document: &Value) -> Vec<&Value> {
    let items = document["paths"].as_object().into_iter().flatten().filter_map(|(_, item)| item.as_object());
    let mut found: Vec<_> = items.flatten().map(|(_, operation)| &operation["responses"]).collect();
    found.extend([&document["components"]["responses"], &document["components"]["headers"]]);
    found
}

/// Collects the names of the schemas that a value refers to, directly or through others.
fn collect(document: &Value, value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name =
                fields.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix("#/components/schemas/"));
            if let Some(name) = name.filter(|name| names.insert((*name).to_owned())) {
                collect(document, &document["components"]["schemas"][name], names);
            }
            fields.values().for_each(|field| collect(document, field, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(document, item, names)),
        _ => {}
    }
}

#[test]
fn no_pattern_breaks_a_generated_client() {
    assert_eq!(faults(&super::document().expect("a document")), BTreeSet::new());
}

#[test]
fn patterns_that_break_generated_clients_are_found() {
    let with = |sent: Value, answered: Value| {
        let content = |name: &str| json!({ "content": { "application/json": { "schema": { "$ref": name } } } });
        let operation = json!({ "responses": { "200": content("#/components/schemas/Trip") } });
        json!({
            "paths": { "/a": { "get": operation } },
            "components": { "schemas": {
                "TripInput": { "properties": { "pattern": sent } },
                "Trip": { "items": { "$ref": "#/components/schemas/Name" } },
                "Name": answered,
            } },
        })
    };
    let found = |sent: Value, answered: Value| faults(&with(sent, answered)).into_iter().collect::<Vec<_>>();
    let at = "/components/schemas/TripInput/properties/pattern";
    for (sent, wrong) in [
        (json!({ "pattern": "^[^\\x00-\\x1F\\x7F]*$" }), None),
        (
            json!({ "pattern": "^[^\\x00-\\x1F\\x7F-\\x9F]*$" }),
            Some("a character beyond ASCII, which some languages match by bytes"),
        ),
        (json!({ "pattern": "^[\u{e9}]$" }), Some("a character beyond ASCII, which some languages match by bytes")),
        (json!({ "pattern": "^a$", "format": "date" }), Some("a pattern beside a format")),
    ] {
        let wanted: Vec<_> = wrong.into_iter().map(|wrong| format!("{at}: {wrong}")).collect();
        assert_eq!(found(sent.clone(), json!({})), wanted, "{sent}");
    }
    assert_eq!(found(json!({}), json!({ "pattern": "^a$" })), ["Name is in responses and has a pattern"]);
}
