//! Removes what the generators emit and the API does not mean.

use serde_json::{Value, json};

/// A field that may be left out is not one whose default is null: in a merge patch null clears.
/// A parameter that may be left out cannot be null either: there is no null in an address.
pub(super) fn tidy(document: &mut Value) {
    remove_null_defaults(document);
    keep_null_where_it_means_something(document);
    super::for_each_operation(document, |path, _, operation| {
        let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else { return };
        for parameter in parameters.iter_mut() {
            if let Some(schema) = parameter["schema"].as_object_mut() {
                schema.remove("nullable");
            }
        }
        // Generated functions take their arguments in this order. A query parameter keeps its place behind the path's.
        parameters.sort_by_key(|parameter| {
            let name = format!("{{{}}}", parameter["name"].as_str().unwrap_or_default());
            path.find(&name).unwrap_or(usize::MAX)
        });
    });
}

/// Null means something in a patch, and in a field that is always there. Elsewhere an absent field is simply absent: no
/// answer has a null there. Beside a reference `nullable` says nothing in OpenAPI 3.0, and generators disagree on it: null is
/// stated as a schema of its own.
fn keep_null_where_it_means_something(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut().expect("a document has schemas");
    for (name, schema) in schemas {
        // `nextCursor` is always present; the generator treats nullable fields as optional.
        if name.ends_with("Page") {
            schema["required"] = json!(["data", "nextCursor"]);
        }
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { continue };
        for (field, property) in properties {
            let Some(property) = property.as_object_mut() else { continue };
            if !name.ends_with("Patch") && !required.contains(&Value::from(field.as_str())) {
                property.remove("nullable");
            }
            if let Some(reference) = property.get("allOf").map(|all| all[0].clone())
                && property.remove("nullable").is_some()
            {
                property.remove("allOf");
                let nothing = json!({ "type": "object", "nullable": true, "enum": [null] });
                property.insert("oneOf".to_owned(), json!([reference, nothing]));
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
