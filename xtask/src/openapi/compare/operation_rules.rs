//! The rules of operations by pairs of small documents.

use serde_json::{Value, json};

use super::breaks;
use super::rules::{document, lines};

#[test]
fn operations_and_their_names() {
    let old = json!({ "paths": { "/a": { "get": { "operationId": "a_get" }, "put": {}, "parameters": [] }, "/b": { "get": {} } } });
    let new = json!({ "paths": { "/a": { "get": { "operationId": "a_view" }, "post": {} }, "/c": {} } });
    let found: Vec<_> = breaks(&old, &new).into_iter().map(|found| found.line).collect();
    assert_eq!(
        found,
        ["GET /a: operationId changed from a_get to a_view", "GET /b: operation removed", "PUT /a: operation removed"]
    );
}

/// What is found if `POST /a` changes so.
fn check_operations(rows: &[(Value, Value, &[&str])]) {
    for (old, new, wanted) in rows {
        assert_eq!(lines(&document(old, &json!({})), &document(new, &json!({}))), *wanted, "{old} becomes {new}");
    }
}

#[test]
fn parameters() {
    let parameter = |kind: &str, name: &str, required: bool, schema: Value| json!({ "in": kind, "name": name, "required": required, "schema": schema });
    let limit = |required: bool, maximum: u32| parameter("query", "limit", required, json!({ "maximum": maximum }));
    let header = |name: &str| parameter("header", name, false, json!({}));
    let with = |parameters: &[Value]| json!({ "parameters": parameters });
    check_operations(&[
        (with(&[limit(false, 9)]), with(&[]), &["query parameter limit removed"]),
        (with(&[]), with(&[limit(false, 9)]), &[]),
        (with(&[]), with(&[limit(true, 9)]), &["query parameter limit added as required"]),
        (with(&[limit(false, 9)]), with(&[limit(true, 9)]), &["query parameter limit is required now"]),
        (with(&[limit(true, 9)]), with(&[limit(false, 9)]), &[]),
        (with(&[limit(true, 9)]), with(&[limit(true, 8)]), &["query parameter limit has maximum 8 instead of 9"]),
        (with(&[header("If-Match")]), with(&[header("if-match")]), &[]),
        (
            with(&[header("If-Match")]),
            with(&[parameter("query", "If-Match", false, json!({}))]),
            &["header parameter if-match removed"],
        ),
        (
            with(&[parameter("query", "tags", false, json!({ "items": { "maxLength": 5 } }))]),
            with(&[parameter("query", "tags", false, json!({ "items": { "maxLength": 4 } }))]),
            &["query parameter tags[] has maxLength 4 instead of 5"],
        ),
        (
            with(&[json!({ "in": "query", "name": "tags", "explode": true })]),
            with(&[json!({ "in": "query", "name": "tags", "explode": false })]),
            &["query parameter tags has another explode"],
        ),
    ]);
}

#[test]
fn parameters_by_reference_and_of_the_path() {
    let shape = |required: bool| json!({ "in": "header", "name": "Shape", "required": required, "schema": { "type": "string" } });
    let reference = json!([{ "$ref": "#/components/parameters/Shape" }]);
    let old = document(&json!({ "parameters": [shape(false)] }), &json!({}));
    for required in [false, true] {
        let wanted: &[_] = if required { &["header parameter shape is required now"] } else { &[] };
        let mut new = document(&json!({ "parameters": reference }), &json!({}));
        new["components"]["parameters"] = json!({ "Shape": shape(required) });
        assert_eq!(lines(&old, &new), wanted);

        let mut new = document(&json!({}), &json!({}));
        new["paths"]["/a"]["parameters"] = json!([shape(required)]);
        assert_eq!(lines(&old, &new), wanted);
    }
}

#[test]
fn request_bodies() {
    let body = |required: bool, types: &[&str]| {
        let content: serde_json::Map<_, _> = types.iter().map(|kind| ((*kind).to_owned(), json!({}))).collect();
        json!({ "requestBody": { "required": required, "content": content } })
    };
    check_operations(&[
        (body(true, &["a/a"]), json!({}), &["request body removed"]),
        (json!({}), body(false, &["a/a"]), &[]),
        (json!({}), body(true, &["a/a"]), &["request body is required now"]),
        (body(false, &["a/a"]), body(true, &["a/a"]), &["request body is required now"]),
        (body(true, &["a/a"]), body(false, &["a/a", "b/b"]), &[]),
        (body(true, &["a/a", "b/b"]), body(true, &["b/b"]), &["request body can no longer be a/a"]),
    ]);
}

#[test]
fn responses() {
    let content = |kind: &str, nullable: bool| json!({ "content": { kind: { "schema": { "nullable": nullable } } } });
    let with = |status: &str, response: Value| json!({ "responses": { status: response } });
    let header = |name: &str, kind: &str| json!({ "headers": { name: { "schema": { "type": kind } } } });
    check_operations(&[
        (with("200", json!({})), with("201", json!({})), &["200 response removed"]),
        (with("304", json!({})), with("200", json!({})), &["304 response removed"]),
        (with("409", json!({})), json!({}), &[]),
        (json!({}), with("409", json!({})), &[]),
        (
            with("200", content("a/a", false)),
            with("200", content("b/b", false)),
            &["200 response body can no longer be a/a"],
        ),
        (with("409", content("a/a", false)), with("409", content("a/a", true)), &["409 response body may be null now"]),
        (with("409", content("a/a", true)), with("409", content("a/a", false)), &[]),
        (with("200", header("ETag", "string")), with("200", json!({})), &["200 response header ETag removed"]),
        (with("200", json!({})), with("200", header("ETag", "string")), &[]),
        (with("200", header("ETag", "string")), with("200", header("etag", "string")), &[]),
        (
            with("200", header("Age", "integer")),
            with("200", header("Age", "string")),
            &["200 response header Age changed its type from integer to string"],
        ),
        (
            with("409", json!({ "x-error-codes": ["conflict", "other"] })),
            with("409", json!({ "x-error-codes": ["conflict"], "description": "Conflicts." })),
            &[],
        ),
    ]);
}

#[test]
fn responses_by_reference() {
    let operation = json!({ "responses": { "409": { "$ref": "#/components/responses/Conflict" } } });
    let with = |kind: &str| {
        let mut document = document(&operation, &json!({}));
        document["components"]["headers"] = json!({ "Age": { "schema": { "type": kind } } });
        let headers = json!({ "Age": { "$ref": "#/components/headers/Age" } });
        document["components"]["responses"] = json!({ "Conflict": { "headers": headers } });
        document
    };
    assert_eq!(lines(&with("integer"), &with("integer")), Vec::<String>::new());
    let wanted = ["409 response header Age changed its type from integer to string"];
    assert_eq!(lines(&with("integer"), &with("string")), wanted);
}

#[test]
fn scopes() {
    let oauth = |scopes: &[&str]| json!({ "security": [{ "oauth2": scopes }] });
    let none = || json!({ "security": [] });
    check_operations(&[
        (none(), oauth(&[]), &["needs oauth2 now"]),
        (none(), oauth(&["read"]), &["needs oauth2 now", "needs the scope read now"]),
        (json!({}), oauth(&[]), &["needs oauth2 now"]),
        (oauth(&["read"]), none(), &[]),
        (oauth(&["read", "write"]), oauth(&["read"]), &[]),
        (oauth(&["read"]), oauth(&["write"]), &["needs the scope write now"]),
        (oauth(&["read"]), json!({ "security": [{ "key": [] }, { "oauth2": ["read"] }] }), &[]),
        (json!({ "security": [{}, { "oauth2": [] }] }), oauth(&[]), &["needs oauth2 now"]),
    ]);
    let (old, mut new) = (document(&json!({}), &json!({})), document(&json!({}), &json!({})));
    new["security"] = json!([{ "oauth2": ["read"] }]);
    assert_eq!(lines(&old, &new), ["needs oauth2 now", "needs the scope read now"]);
}
