//! The document that progenitor takes, derived from the published one: a list of named transforms, each for something that
//! progenitor refuses or makes unusable.
//!
//! It is published too, so that others can use it with progenitor.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// All transforms, in order.
pub(crate) fn derive(document: &mut Value) {
    leave_out_browser_operations(document);
    leave_out_assistants(document);
    leave_out_uploads(document);
    keep_files_as_bytes(document);
    leave_out_webhooks(document);
    leave_out_event_streams(document);
    keep_one_media_type(document);
    leave_out_not_modified(document);
    leave_out_errors_without_a_body(document);
    leave_out_the_shape_header(document);
    leave_out_examples(document);
    leave_out_samples(document);
    state_null_by_a_keyword(document);
    take_off_limits(document);
    open_objects(document);
    keep_absent_lists_absent(document);
}

/// The authorise endpoint is for browsers: it responds with pages and redirects.
fn leave_out_browser_operations(document: &mut Value) {
    paths(document).remove("/oauth/authorise");
}

/// The MCP endpoint is for MCP clients, which speak its protocol.
fn leave_out_assistants(document: &mut Value) {
    paths(document).remove("/mcp");
    schemas(document).remove("RpcMessage");
}

/// The generator does not support multipart bodies; the upload is hand-written.
fn leave_out_uploads(document: &mut Value) {
    for operations in paths(document).values_mut().filter_map(Value::as_object_mut) {
        operations.retain(|_, operation| operation.pointer("/requestBody/content/multipart~1form-data").is_none());
    }
}

/// A wallet pass and an export are files or JSON; the client returns the bytes of both.
fn keep_files_as_bytes(document: &mut Value) {
    for operation in operations(document) {
        let content = operation.pointer_mut("/responses/200/content").and_then(Value::as_object_mut);
        let files = ["application/vnd.apple.pkpass", "text/calendar"];
        if let Some(content) = content.filter(|content| files.iter().any(|file| content.contains_key(*file))) {
            content.remove("application/json");
        }
    }
}

/// A client receives no requests. The SDK has types of its own for those of webhooks, which accept unknown types of events.
fn leave_out_webhooks(document: &mut Value) {
    document.as_object_mut().expect("a document").remove("x-webhooks");
    for name in ["WebhookEvent", "WebhookEventData", "WebhookTest", "WebhookTestData", "WebhookTestType"] {
        schemas(document).remove(name);
    }
}

/// The generator supports one media type for each response, and no stream of events.
fn leave_out_event_streams(document: &mut Value) {
    for operation in operations(document) {
        if let Some(content) = operation.pointer_mut("/responses/200/content").and_then(Value::as_object_mut) {
            content.remove("text/event-stream");
        }
        remove_parameter(operation, "Last-Event-ID");
    }
}

/// The generator supports one media type for each body. A merge patch is JSON; a cover image is bytes, whose format the
/// server detects.
fn keep_one_media_type(document: &mut Value) {
    for operation in operations(document) {
        if let Some(content) = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut) {
            let only =
                ["application/octet-stream", "application/json"].into_iter().find(|one| content.contains_key(*one));
            content.retain(|media_type, _| only.is_none_or(|only| media_type == only));
        }
    }
}

/// The generator supports one success type. A 304 is returned as an unexpected response.
fn leave_out_not_modified(document: &mut Value) {
    for operation in operations(document) {
        if let Some(responses) = operation["responses"].as_object_mut() {
            responses.remove("304");
        }
    }
}

/// The generator supports one error type. An error without a body is returned as an unexpected response.
fn leave_out_errors_without_a_body(document: &mut Value) {
    let shared = document["components"]["responses"].as_object().into_iter().flatten();
    let without_body: BTreeSet<_> = shared
        .filter(|(_, response)| response.get("content").is_none())
        .map(|(name, _)| format!("#/components/responses/{name}"))
        .collect();
    for operation in operations(document) {
        if let Some(responses) = operation["responses"].as_object_mut() {
            responses.retain(|_, response| !response["$ref"].as_str().is_some_and(|name| without_body.contains(name)));
        }
    }
    if let Some(shared) = document["components"]["responses"].as_object_mut() {
        shared.retain(|_, response| response.get("content").is_some());
    }
}

/// There is only one shape, which the client sends with every request.
fn leave_out_the_shape_header(document: &mut Value) {
    for operation in operations(document) {
        remove_parameter(operation, "Service-Itinerary-Shape");
    }
}

/// The generator does not use them, and linters read the next transform's null more strictly than it is meant.
fn leave_out_examples(document: &mut Value) {
    each_object(document, &mut |object| {
        object.remove("example");
        object.remove("examples");
    });
}

/// The generator does not use them.
fn leave_out_samples(document: &mut Value) {
    for operation in operations(document) {
        if let Some(operation) = operation.as_object_mut() {
            operation.remove(crate::openapi::samples::FIELD);
        }
    }
}

/// A choice between a reference and null would become an enum.
fn state_null_by_a_keyword(document: &mut Value) {
    let types: BTreeMap<_, _> =
        schemas(document).iter().map(|(name, schema)| (name.clone(), schema["type"].clone())).collect();
    each_object(document, &mut |object| {
        if let Some([reference, null]) = object.get("oneOf").and_then(Value::as_array).map(Vec::as_slice)
            && null["nullable"] == true
        {
            let reference = reference.clone();
            let name = reference["$ref"].as_str().and_then(|name| name.rsplit('/').next()).unwrap_or_default();
            // `nullable` has a meaning beside a type only.
            object.extend(types.get(name).map(|kind| ("type".to_owned(), kind.clone())));
            object.remove("oneOf");
            object.insert("allOf".to_owned(), Value::Array(vec![reference]));
            object.insert("nullable".to_owned(), Value::Bool(true));
        }
    });
}

/// For each limit the generator would make a separate type, which also rejects responses. The server validates requests.
fn take_off_limits(document: &mut Value) {
    each_object(document, &mut |object| {
        if object.get("type").is_some_and(Value::is_string) {
            for limit in ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems"] {
                object.remove(limit);
            }
        }
    });
}

/// Responses with fields that were added later must still be parsed.
fn open_objects(document: &mut Value) {
    each_object(document, &mut |object| {
        if object.get("additionalProperties").is_some_and(Value::is_boolean) {
            object.remove("additionalProperties");
        }
    });
}

/// An absent list would be parsed as an empty one, so a hidden section would look like an empty section.
fn keep_absent_lists_absent(document: &mut Value) {
    for schema in schemas(document).values_mut() {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        for (name, property) in properties.into_iter().flatten() {
            let optional = !required.contains(&Value::from(name.as_str())) && property.get("default").is_none();
            if optional && property["type"] == "array" && property.get("x-rust-type").is_none() {
                property["nullable"] = Value::Bool(true);
            }
        }
    }
}

pub(super) fn remove_parameter(operation: &mut Value, name: &str) {
    if let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) {
        parameters.retain(|parameter| parameter["$ref"] != format!("#/components/parameters/{name}"));
    }
}

fn paths(document: &mut Value) -> &mut Map<String, Value> {
    document["paths"].as_object_mut().expect("a document has paths")
}

pub(super) fn schemas(document: &mut Value) -> &mut Map<String, Value> {
    document["components"]["schemas"].as_object_mut().expect("a document has schemas")
}

pub(super) fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    paths(document).values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

pub(super) fn each_object(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(object);
            object.values_mut().for_each(|field| each_object(field, visit));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, visit)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document(schemas: &Value, operation: &Value) -> Value {
        json!({ "paths": { "/a": { "post": operation } }, "components": { "schemas": schemas } })
    }

    #[test]
    fn browser_operations_are_left_out() {
        let mut document = json!({ "paths": { "/oauth/authorise": {}, "/oauth/token": {} } });
        leave_out_browser_operations(&mut document);
        assert_eq!(document, json!({ "paths": { "/oauth/token": {} } }));
    }

    #[test]
    fn the_mcp_endpoint_is_left_out() {
        let mut document = document(&json!({ "RpcMessage": {}, "Day": {} }), &json!({}));
        document["paths"]["/mcp"] = json!({ "post": {} });
        leave_out_assistants(&mut document);
        assert_eq!(document["paths"]["/mcp"], Value::Null);
        assert_eq!(document["components"]["schemas"], json!({ "Day": {} }));
    }

    #[test]
    fn event_streams_are_left_out() {
        let content = json!({ "application/json": {}, "text/event-stream": {} });
        let parameters = json!([{ "name": "limit" }, { "$ref": "#/components/parameters/Last-Event-ID" }]);
        let operation = json!({ "parameters": parameters, "responses": { "200": { "content": content } } });
        let mut document = document(&json!({}), &operation);
        leave_out_event_streams(&mut document);
        let expected = json!({ "parameters": [{ "name": "limit" }], "responses": { "200": { "content": { "application/json": {} } } } });
        assert_eq!(document.pointer("/paths/~1a/post"), Some(&expected));
    }

    #[test]
    fn a_body_has_one_media_type() {
        let content = json!({ "application/json": {}, "application/merge-patch+json": {} });
        let mut document = document(&json!({}), &json!({ "requestBody": { "content": content } }));
        keep_one_media_type(&mut document);
        let content = document.pointer("/paths/~1a/post/requestBody/content");
        assert_eq!(content, Some(&json!({ "application/json": {} })));
    }

    #[test]
    fn conditional_reading_and_the_shape_are_left_out() {
        let parameters = json!([
            { "name": "id" },
            { "$ref": "#/components/parameters/Service-Itinerary-Shape" },
        ]);
        let operation = json!({ "parameters": parameters, "responses": { "200": {}, "304": {} } });
        let mut document = document(&json!({}), &operation);
        leave_out_not_modified(&mut document);
        leave_out_the_shape_header(&mut document);
        let expected = json!({ "parameters": [{ "name": "id" }], "responses": { "200": {} } });
        assert_eq!(document.pointer("/paths/~1a/post"), Some(&expected));
    }

    #[test]
    fn samples_are_left_out() {
        let mut document = document(&json!({}), &json!({ "operationId": "a", "x-codeSamples": [{ "lang": "Rust" }] }));
        leave_out_samples(&mut document);
        assert_eq!(document.pointer("/paths/~1a/post"), Some(&json!({ "operationId": "a" })));
    }

    #[test]
    fn errors_without_a_body_are_left_out() {
        let reference = |name: &str| json!({ "$ref": format!("#/components/responses/{name}") });
        let operation = json!({ "responses": { "204": {}, "400": reference("Bare"), "500": reference("Whole") } });
        let mut document = document(&json!({}), &operation);
        document["components"]["responses"] = json!({ "Bare": {}, "Whole": { "content": {} } });
        leave_out_errors_without_a_body(&mut document);
        let expected = json!({ "204": {}, "500": reference("Whole") });
        assert_eq!(document.pointer("/paths/~1a/post/responses"), Some(&expected));
        assert_eq!(document["components"]["responses"], json!({ "Whole": { "content": {} } }));
    }

    #[test]
    fn limits_are_taken_off_schemas_and_not_off_fields_of_that_name() {
        let a = json!({ "type": "object", "properties": {
            "minimum": { "type": "integer", "minimum": 1, "maximum": 2, "format": "int32" },
        } });
        let mut document = document(&json!({ "A": a }), &json!({}));
        take_off_limits(&mut document);
        let expected = json!({ "type": "integer", "format": "int32" });
        assert_eq!(document["components"]["schemas"]["A"]["properties"]["minimum"], expected);
    }

    #[test]
    fn null_beside_a_reference_is_a_keyword() {
        let reference = json!({ "$ref": "#/components/schemas/Mode" });
        let choice = json!({ "oneOf": [reference, { "type": "object", "nullable": true, "enum": [null] }] });
        let patch = json!({ "properties": { "mode": choice } });
        let mut document = document(&json!({ "Mode": { "type": "string" }, "LegPatch": patch }), &json!({}));
        state_null_by_a_keyword(&mut document);
        let mode = &document["components"]["schemas"]["LegPatch"]["properties"]["mode"];
        assert_eq!(*mode, json!({ "allOf": [reference], "type": "string", "nullable": true }));
    }

    #[test]
    fn objects_are_open() {
        let mut document = document(
            &json!({ "A": { "additionalProperties": false }, "C": { "additionalProperties": true }, "B": {
            "additionalProperties": { "type": "string" } } }),
            &json!({}),
        );
        open_objects(&mut document);
        let expected = json!({ "A": {}, "C": {}, "B": { "additionalProperties": { "type": "string" } } });
        assert_eq!(document["components"]["schemas"], expected);
    }

    #[test]
    fn a_list_that_may_be_absent_stays_apart_from_an_empty_one() {
        let schema = json!({ "required": ["a"], "properties": {
            "a": { "type": "array" }, "b": { "type": "array" }, "c": { "type": "array", "default": [] },
        } });
        let mut document = document(&json!({ "A": schema }), &json!({}));
        keep_absent_lists_absent(&mut document);
        let properties = &document["components"]["schemas"]["A"]["properties"];
        assert_eq!(properties["b"]["nullable"], true);
        assert!(properties["a"].get("nullable").is_none() && properties["c"].get("nullable").is_none());
    }
}
