//! Removes what the generators emit and the API does not mean.

use serde_json::{Value, json};

/// Clients of some languages write Booleans in a query like this.
const BOOLEANS: &str = "`1`, `0`, `True` and `False` are accepted too.";

/// The default of an optional field is not null, which clears the field in a merge patch. Optional parameters are not
/// nullable either, since a URL cannot express null.
pub(super) fn tidy(document: &mut Value) {
    remove_null_defaults(document);
    keep_null_where_it_means_something(document);
    super::for_each_operation(document, |path, _, operation| {
        let Some(parameters) = operation.get_mut("parameters").and_then(Value::as_array_mut) else { return };
        for parameter in parameters.iter_mut() {
            if let Some(schema) = parameter["schema"].as_object_mut() {
                schema.remove("nullable");
            }
            if parameter["schema"]["type"] == "boolean" {
                let description = parameter["description"].as_str().unwrap_or_default();
                parameter["description"] = format!("{description} {BOOLEANS}").into();
            }
        }
        // Generated functions have their arguments in this order. Query parameters stay after those of the path.
        parameters.sort_by_key(|parameter| {
            let name = format!("{{{}}}", parameter["name"].as_str().unwrap_or_default());
            path.find(&name).unwrap_or(usize::MAX)
        });
    });
}

/// Null is meaningful in a patch, and in a field that is always present. Other fields are absent instead, and never null in
/// responses. Next to a reference, `nullable` has no meaning in OpenAPI 3.0 and generators disagree on it, so null is a
/// separate schema.
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
