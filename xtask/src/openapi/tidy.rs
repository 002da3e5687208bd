//! Taking off what the generators say and do not mean.

use serde_json::Value;

/// A field that may be left out is not one whose default is null: in a merge patch null clears.
/// A parameter that may be left out cannot be null either: there is no null in an address.
pub(super) fn tidy(document: &mut Value) {
    remove_null_defaults(document);
    super::for_each_operation(document, |_, _, operation| {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            if let Some(schema) = parameter["schema"].as_object_mut() {
                schema.remove("nullable");
            }
        }
    });
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
