//! From the published document to the one that the SDK is generated from: a list of named transforms, each for something
//! that the generator would refuse or make ugly.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// All of them, in their order.
pub(super) fn derive(document: &mut Value) {
    leave_out_browser_operations(document);
    leave_out_assistants(document);
    leave_out_uploads(document);
    keep_passes_as_bytes(document);
    keep_one_media_type(document);
    leave_out_not_modified(document);
    leave_out_the_shape_header(document);
    make_error_codes_plain(document);
    take_off_limits(document);
    open_objects(document);
    open_enums(document);
    make_patches_nullable(document);
    keep_absent_lists_absent(document);
}

/// The authorise address is for browsers: it answers pages and redirects.
fn leave_out_browser_operations(document: &mut Value) {
    paths(document).remove("/oauth/authorise");
}

/// The MCP endpoint is for MCP clients, which speak its protocol.
fn leave_out_assistants(document: &mut Value) {
    paths(document).remove("/mcp");
    schemas(document).remove("RpcMessage");
}

/// The generator knows no multipart bodies; uploading is written by hand.
fn leave_out_uploads(document: &mut Value) {
    for operations in paths(document).values_mut().filter_map(Value::as_object_mut) {
        operations.retain(|_, operation| operation.pointer("/requestBody/content/multipart~1form-data").is_none());
    }
}

/// A wallet pass is a file or JSON: the client gives the bytes of either.
fn keep_passes_as_bytes(document: &mut Value) {
    for operation in operations(document) {
        let content = operation.pointer_mut("/responses/200/content").and_then(Value::as_object_mut);
        if let Some(content) = content.filter(|content| content.contains_key("application/vnd.apple.pkpass")) {
            content.remove("application/json");
        }
    }
}

/// The generator takes one media type a body. A merge patch is JSON; a cover image is bytes, whose content tells the rest.
fn keep_one_media_type(document: &mut Value) {
    for operation in operations(document) {
        if let Some(content) = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut) {
            let only =
                ["application/octet-stream", "application/json"].into_iter().find(|one| content.contains_key(*one));
            content.retain(|media_type, _| only.is_none_or(|only| media_type == only));
        }
    }
}

/// The generator would make an error of a 304; reading on condition is written by hand.
fn leave_out_not_modified(document: &mut Value) {
    for operation in operations(document) {
        if let Some(responses) = operation["responses"].as_object_mut() {
            responses.remove("304");
        }
        remove_parameter(operation, "If-None-Match");
    }
}

/// There is one shape: the client sends it with every request.
fn leave_out_the_shape_header(document: &mut Value) {
    for operation in operations(document) {
        remove_parameter(operation, "Service-Itinerary-Shape");
    }
}

/// A code that this SDK does not know yet must not make an error unreadable.
fn make_error_codes_plain(document: &mut Value) {
    for name in ["ErrorCode", "OAuthErrorCode"] {
        if let Some(schema) = schemas(document).get_mut(name).and_then(Value::as_object_mut) {
            schema.remove("enum");
        }
    }
}

/// Each limit would make a type of its own, strict on answers too. The server checks what is sent.
fn take_off_limits(document: &mut Value) {
    each_object(document, &mut |object| {
        if object.get("type").is_some_and(Value::is_string) {
            for limit in ["minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems"] {
                object.remove(limit);
            }
        }
    });
}

/// A field that is added to an answer later must not make it unreadable.
fn open_objects(document: &mut Value) {
    each_object(document, &mut |object| {
        if object.get("additionalProperties") == Some(&Value::Bool(false)) {
            object.remove("additionalProperties");
        }
    });
}

/// A value that is added to a list later must not make an answer unreadable: fields hold `Open<T>`.
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

/// A patch has three states a field: absent, null, a value. A value of a list that may grow is one of those: `Open` is
/// inside then.
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

/// A list that may be left out would become an empty one: what a reader is not shown would look like what is not there.
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

/// Makes a property a hand-written generic type of what it was.
fn wrap(property: &mut Value, path: &str) {
    let description = property.get("description").cloned();
    let nullable = property.get("nullable").cloned();
    let mut inner = property.take();
    for outer in ["description", "nullable", "default"] {
        inner.as_object_mut().map(|inner| inner.remove(outer));
    }
    // The generator wants a plain reference where there is nothing but one.
    let reference = inner.pointer("/allOf/0").cloned();
    if let Some(reference) = reference.clone()
        && inner.get("x-rust-type").is_none()
    {
        inner = reference;
    }
    let mut outer = json!({
        "x-rust-type": { "crate": "itinerary_sdk", "version": "*", "path": path, "parameters": [inner.clone()] },
    });
    // Beside the extension the schema stays what it was: it decides nothing in Rust, and keeps the document valid.
    for (name, value) in [("description", description), ("nullable", nullable)] {
        if let Some(value) = value {
            outer[name] = value;
        }
    }
    if let Some(reference) = reference.or_else(|| inner.get("$ref").is_some().then(|| inner.clone())) {
        outer["allOf"] = json!([reference]);
    } else if let Some(fields) = inner.as_object() {
        outer.as_object_mut().expect("an object").extend(fields.clone());
    }
    *property = outer;
}

/// The schema that a property is, when it is one of the named ones.
fn referred(property: &Value) -> Option<String> {
    let reference = property.get("$ref").or_else(|| property.pointer("/allOf/0/$ref"))?;
    Some(reference.as_str()?.rsplit('/').next()?.to_owned())
}

fn remove_parameter(operation: &mut Value, name: &str) {
    if let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) {
        parameters.retain(|parameter| parameter["name"] != name);
    }
}

fn paths(document: &mut Value) -> &mut Map<String, Value> {
    document["paths"].as_object_mut().expect("a document has paths")
}

fn schemas(document: &mut Value) -> &mut Map<String, Value> {
    document["components"]["schemas"].as_object_mut().expect("a document has schemas")
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    paths(document).values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

fn each_object(value: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
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
            { "name": "If-None-Match" },
            { "name": "If-Match" },
            { "name": "Service-Itinerary-Shape" },
        ]);
        let operation = json!({ "parameters": parameters, "responses": { "200": {}, "304": {} } });
        let mut document = document(&json!({}), &operation);
        leave_out_not_modified(&mut document);
        leave_out_the_shape_header(&mut document);
        let expected = json!({ "parameters": [{ "name": "If-Match" }], "responses": { "200": {} } });
        assert_eq!(document.pointer("/paths/~1a/post"), Some(&expected));
    }

    #[test]
    fn error_codes_are_plain_strings() {
        let mut document = document(&json!({ "ErrorCode": { "type": "string", "enum": ["a"] } }), &json!({}));
        make_error_codes_plain(&mut document);
        assert_eq!(document["components"]["schemas"]["ErrorCode"], json!({ "type": "string" }));
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
    fn objects_are_open() {
        let mut document = document(
            &json!({ "A": { "additionalProperties": false }, "B": {
            "additionalProperties": { "type": "string" } } }),
            &json!({}),
        );
        open_objects(&mut document);
        let expected = json!({ "A": {}, "B": { "additionalProperties": { "type": "string" } } });
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
        let mode = &schemas["LegPatch"]["properties"]["mode"]["x-rust-type"];
        assert_eq!(mode["path"], "itinerary_sdk::Nullable");
        let inner = &mode["parameters"][0]["x-rust-type"];
        assert_eq!((&inner["path"], &inner["parameters"]), (&json!("itinerary_sdk::Open"), &json!([reference])));
    }
}
