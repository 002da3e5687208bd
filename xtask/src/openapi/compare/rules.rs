//! The rules of schemas by pairs of small documents.

use serde_json::{Value, json};

use super::breaks;

/// A document with one operation, `POST /a`, and these named schemas.
pub(super) fn document(operation: &Value, schemas: &Value) -> Value {
    json!({ "paths": { "/a": { "post": operation } }, "components": { "schemas": schemas } })
}

pub(super) fn lines(old: &Value, new: &Value) -> Vec<String> {
    let ours = |line: String| line.strip_prefix("POST /a: ").expect("there is one operation").to_owned();
    breaks(old, new).into_iter().map(|found| ours(found.line)).collect()
}

/// An operation that takes, or answers, a body with a field `x` of the schema.
fn with_field(request: bool, schema: &Value) -> Value {
    with_body(request, &json!({ "type": "object", "properties": { "x": schema } }))
}

fn with_body(request: bool, schema: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    if request {
        json!({ "requestBody": { "content": content } })
    } else {
        json!({ "responses": { "200": { "content": content } } })
    }
}

/// What is found if the first schema becomes the second in a request, and in a response. Empty for no break.
type Row = (Value, Value, &'static str, &'static str);

fn check(rows: &[Row], with: fn(bool, &Value) -> Value, request_place: &str, response_place: &str) {
    for (old, new, request, response) in rows {
        for (is_request, place, wanted) in [(true, request_place, request), (false, response_place, response)] {
            let wanted: Vec<_> = wanted.split_terminator("; ").map(|what| format!("{place}{what}")).collect();
            let old_document = document(&with(is_request, old), &json!({}));
            let new_document = document(&with(is_request, new), &json!({}));
            assert_eq!(lines(&old_document, &new_document), wanted, "{old} becomes {new}");
            assert_eq!(lines(&old_document, &old_document), Vec::<String>::new(), "{old}");
        }
    }
}

fn check_fields(rows: &[Row]) {
    check(rows, with_field, "request field x ", "200 response field x ");
}

fn check_bodies(rows: &[Row]) {
    check(rows, with_body, "request ", "200 response ");
}

#[test]
fn types_formats_and_null() {
    let of = |kind: &str| json!({ "type": kind });
    let format = |format: &str| json!({ "type": "string", "format": format });
    let null = || json!({ "type": "string", "nullable": true });
    check_fields(&[
        (
            of("string"),
            of("integer"),
            "changed its type from string to integer",
            "changed its type from string to integer",
        ),
        (of("integer"), of("number"), "", "changed its type from integer to number"),
        (of("number"), of("integer"), "changed its type from number to integer", ""),
        (json!({}), of("string"), "changed its type from none to string", ""),
        (of("string"), json!({}), "", "changed its type from string to none"),
        (of("string"), format("date"), "has format date instead of none", ""),
        (format("date"), of("string"), "", "has format none instead of date"),
        (format("date"), format("uuid"), "has format uuid instead of date", "has format uuid instead of date"),
        (format("int32"), format("int64"), "", "has format int64 instead of int32"),
        (null(), of("string"), "no longer takes null", ""),
        (of("string"), null(), "", "may be null now"),
        (
            null(),
            of("integer"),
            "changed its type from string to integer; no longer takes null",
            "changed its type from string to integer",
        ),
    ]);
}

#[test]
fn lists_of_values() {
    let closed = |values: &[&str]| json!({ "type": "string", "enum": values });
    let open = |values: &[&str]| json!({ "type": "string", "x-extensible-enum": values });
    let any = || json!({ "type": "string" });
    check_fields(&[
        (closed(&["a"]), closed(&["b", "a"]), "", r#"may be "b" now"#),
        (closed(&["a", "b"]), closed(&["b"]), r#"no longer takes "a""#, ""),
        (any(), closed(&["a", "b"]), r#"takes only "a", "b" now"#, ""),
        (closed(&["a"]), any(), "", "may have values that are not listed now"),
        (closed(&["a"]), open(&["a"]), "", "may have values that are not listed now"),
        (open(&["a"]), open(&["a", "b"]), "", ""),
        (open(&["a", "b"]), open(&["b"]), r#"no longer takes "a""#, ""),
        (open(&["a", "b"]), any(), "", ""),
        (open(&["a"]), closed(&["a"]), r#"takes only "a" now"#, ""),
        (closed(&["a", "b"]), open(&["b"]), r#"no longer takes "a""#, "may have values that are not listed now"),
        (json!({ "enum": ["a", null], "nullable": true }), json!({ "enum": ["a"], "nullable": true }), "", ""),
    ]);
}

#[test]
fn limits() {
    let text = |keyword: &str, limit: u32| json!({ "type": "string", keyword: limit });
    let number = |keyword: &str, limit: f64| json!({ "type": "number", keyword: limit });
    let any = || json!({ "type": "string" });
    check_fields(&[
        (text("maxLength", 9), text("maxLength", 8), "has maxLength 8 instead of 9", ""),
        (text("maxLength", 8), text("maxLength", 9), "", ""),
        (any(), text("maxLength", 9), "has maxLength 9 instead of none", ""),
        (text("maxLength", 9), any(), "", ""),
        (text("minLength", 1), text("minLength", 2), "has minLength 2 instead of 1", ""),
        (any(), text("minLength", 0), "", ""),
        (any(), text("minLength", 1), "has minLength 1 instead of none", ""),
        (number("minimum", -1.5), number("minimum", 0.0), "has minimum 0 instead of -1.5", ""),
        (json!({ "type": "number" }), number("minimum", 0.0), "has minimum 0 instead of none", ""),
        (number("maximum", 2.0), number("maximum", 1.0), "has maximum 1 instead of 2", ""),
        (number("maximum", 1.0), number("maximum", 2.0), "", ""),
        (number("multipleOf", 1.0), number("multipleOf", 5.0), "has multipleOf 5 instead of 1", ""),
        (
            json!({ "type": "number" }),
            json!({ "type": "number", "exclusiveMinimum": true }),
            "has exclusiveMinimum now",
            "",
        ),
        (json!({ "type": "array" }), json!({ "type": "array", "maxItems": 5 }), "has maxItems 5 instead of none", ""),
        (json!({ "type": "array", "minItems": 1 }), json!({ "type": "array" }), "", ""),
        (json!({ "type": "array" }), json!({ "type": "array", "uniqueItems": true }), "has uniqueItems now", ""),
        (any(), json!({ "type": "string", "pattern": "^a$" }), "has pattern ^a$ instead of none", ""),
        (json!({ "pattern": "^a$" }), json!({ "pattern": "^b$" }), "has pattern ^b$ instead of ^a$", ""),
        (json!({ "pattern": "^a$" }), json!({}), "", ""),
        (
            json!({ "pattern": r"^[^\x00-\x08\x0B-\x1F\x7F-\x9F]*$" }),
            json!({ "pattern": r"^[^\x00-\x08\x0B-\x1F\x7F]*$" }),
            "",
            "",
        ),
        (json!({ "default": 20 }), json!({ "default": 50 }), "has default 50 instead of 20", ""),
        (json!({ "default": 20 }), json!({}), "", ""),
    ]);
}

#[test]
fn objects_and_arrays() {
    let object = |fields: &[&str], required: &[&str]| {
        let properties: serde_json::Map<_, _> = fields.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    };
    let map = |of: Value| json!({ "type": "object", "additionalProperties": of });
    let nested = |kind: &str| {
        let leaf = json!({ "type": "object", "properties": { "leaf": { "type": kind } } });
        json!({ "type": "object", "properties": { "list": { "type": "array", "items": leaf } } })
    };
    check_bodies(&[
        (object(&["a", "b"], &[]), object(&["b"], &[]), "field a removed", "field a removed"),
        (object(&["a"], &["a"]), object(&[], &[]), "field a removed", "field a removed"),
        (object(&["a"], &[]), object(&["a", "b"], &[]), "", ""),
        (object(&["a"], &[]), object(&["a", "b"], &["b"]), "field b is required now", ""),
        (object(&["a"], &[]), object(&["a"], &["a"]), "field a is required now", ""),
        (object(&["a"], &["a"]), object(&["a"], &[]), "", "field a may be absent now"),
        (
            nested("string"),
            nested("boolean"),
            "field list[].leaf changed its type from string to boolean",
            "field list[].leaf changed its type from string to boolean",
        ),
        (map(json!(true)), map(json!(false)), "body no longer takes fields that are not listed", ""),
        (json!({ "type": "object" }), map(json!(false)), "body no longer takes fields that are not listed", ""),
        (map(json!(false)), map(json!(true)), "", ""),
        (map(json!({})), map(json!({ "type": "string" })), "body limits fields that are not listed now", ""),
        (
            map(json!({ "type": "string" })),
            map(json!(true)),
            "",
            "body may have any value in fields that are not listed now",
        ),
        (
            map(json!({ "type": "string" })),
            map(json!(false)),
            "body no longer takes fields that are not listed",
            "body no longer has fields that are not listed",
        ),
        (
            map(json!({ "type": "string" })),
            map(json!({ "type": "integer" })),
            "field {} changed its type from string to integer",
            "field {} changed its type from string to integer",
        ),
        (
            json!({ "type": "array" }),
            json!({ "type": "array", "items": { "type": "string" } }),
            "field [] changed its type from none to string",
            "",
        ),
        (
            json!({ "type": "object" }),
            json!({ "type": "array" }),
            "body changed its type from object to array",
            "body changed its type from object to array",
        ),
    ]);
}

#[test]
fn words_and_extensions_break_nothing_and_what_has_no_rule_always_does() {
    check_fields(&[
        (json!({ "description": "a", "example": 1, "x-note": 1 }), json!({ "title": "b", "deprecated": true }), "", ""),
        (json!({}), json!({ "oneOf": [{}] }), "has another oneOf", "has another oneOf"),
        (json!({ "not": {} }), json!({}), "has another not", "has another not"),
        (
            json!({ "allOf": [{}, {}] }),
            json!({ "allOf": [{}, { "type": "string" }] }),
            "has another allOf",
            "has another allOf",
        ),
    ]);
}

#[test]
fn references_are_followed_and_lead_back_without_end() {
    let day = |leaf: &str| {
        json!({
            "type": "object",
            "properties": {
                "note": { "type": leaf },
                "next": { "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Day" }] },
                "all": { "type": "array", "items": { "$ref": "#/components/schemas/Day" } },
            },
        })
    };
    let operation = with_field(true, &json!({ "$ref": "#/components/schemas/Day" }));
    let (old, new) = (
        document(&operation, &json!({ "Day": day("string") })),
        document(&operation, &json!({ "Day": day("integer") })),
    );
    let found = breaks(&old, &new);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.line, "POST /a: request field x.note changed its type from string to integer");
    assert_eq!(found.shared.as_deref(), Some("Day in requests: field note changed its type from string to integer"));
    assert_eq!(lines(&old, &old), Vec::<String>::new());

    let inline = document(&with_field(true, &day("boolean")), &json!({ "Day": day("string") }));
    let found = breaks(&old, &inline);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.line, "POST /a: request field x.note changed its type from string to boolean");
    let shared = "Day (now inline) in requests: field note changed its type from string to boolean";
    assert_eq!(found.shared.as_deref(), Some(shared));
}

#[test]
fn null_is_a_matter_of_the_field_and_values_of_the_schema() {
    let field = |nullable: bool| json!({ "nullable": nullable, "allOf": [{ "$ref": "#/components/schemas/Plan" }] });
    let trip = |nullable: bool| json!({ "type": "object", "properties": { "plan": field(nullable) } });
    let schemas = |nullable: bool, plans: &[&str]| json!({ "Trip": trip(nullable), "Plan": { "enum": plans } });
    let operation = with_body(false, &json!({ "$ref": "#/components/schemas/Trip" }));
    let found =
        breaks(&document(&operation, &schemas(false, &["a"])), &document(&operation, &schemas(true, &["a", "b"])));
    let shared: Vec<_> = found.iter().filter_map(|found| found.shared.as_deref()).collect();
    assert_eq!(shared, [r#"Plan in responses: may be "b" now"#, "Trip in responses: field plan may be null now"]);
}

#[test]
fn a_schema_with_several_successors_has_several_lines() {
    let body = |name: &str| with_body(true, &json!({ "$ref": format!("#/components/schemas/{name}") }));
    let stop = || json!({ "properties": { "name": { "type": "string" } } });
    let old = document(&body("Stop"), &json!({ "Stop": stop() }));
    for (name, successor) in [("Stop", ""), ("StopInput", " (now StopInput)")] {
        let new = document(&body(name), &json!({ name: { "properties": {} } }));
        let found = breaks(&old, &new);
        assert_eq!(found[0].shared, Some(format!("Stop{successor} in requests: field name removed")));
        let new = document(&body(name), &json!({ name: stop() }));
        assert_eq!(breaks(&old, &new), []);
    }
}
