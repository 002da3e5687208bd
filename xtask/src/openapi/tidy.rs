//! Removes what the generators emit and the API does not mean.

use serde_json::{Map, Value};

/// A field that may be left out is not one whose default is null: in a merge patch null clears.
/// A parameter that may be left out cannot be null either: there is no null in an address. A patch has a media type of its own.
pub(super) fn tidy(document: &mut Value) {
    remove_null_defaults(document);
    keep_null_where_it_means_something(document);
    super::for_each_operation(document, |_, _, operation| {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            if let Some(schema) = parameter["schema"].as_object_mut() {
                schema.remove("nullable");
            }
        }
        if let Some(content) = operation.pointer_mut("/requestBody/content").and_then(Value::as_object_mut) {
            name_patches_as_such(content);
        }
    });
}

/// A patch may also be sent as what it is.
fn name_patches_as_such(content: &mut Map<String, Value>) {
    let json = content.get("application/json").cloned().unwrap_or_default();
    if json["schema"]["$ref"].as_str().is_some_and(|schema| schema.ends_with("Patch")) {
        content.insert("application/merge-patch+json".to_owned(), json);
    }
}

/// Null means something in a patch, and in a field that is always there. Elsewhere an absent field is simply absent: no
/// answer has a null there. Where null stays beside a reference, the schema needs the type that the reference has.
fn keep_null_where_it_means_something(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut().expect("a document has schemas");
    let types: Map<_, _> = schemas.iter().map(|(name, schema)| (name.clone(), schema["type"].clone())).collect();
    for (name, schema) in schemas {
        // `nextCursor` is always present; the generator treats nullable fields as optional.
        if name.ends_with("Page") {
            schema["required"] = serde_json::json!(["data", "nextCursor"]);
        }
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { continue };
        for (field, property) in properties {
            let Some(property) = property.as_object_mut() else { continue };
            if !name.ends_with("Patch") && !required.contains(&Value::from(field.as_str())) {
                property.remove("nullable");
            }
            let reference = property.get("allOf").and_then(|all| all[0]["$ref"].as_str()).unwrap_or_default();
            let referred = reference.rsplit('/').next().and_then(|name| types.get(name)).cloned();
            if property.contains_key("nullable")
                && let Some(kind) = referred
            {
                property.insert("type".to_owned(), kind);
            }
        }
    }
}

fn remove_null_defaults(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, field| !(name == "default" && field.is_null()));
            fields.values_mut().for_each(remove_null_defaults);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_null_defaults),
        _ => {}
    }
}
