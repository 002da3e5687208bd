//! Descriptions of merge patches. `resource!` names the resource in them, and schemars reads only literal doc comments.

use serde_json::Value;

/// Describes every patch that has no description.
pub(super) fn add(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut().expect("a document has schemas");
    for (name, schema) in schemas {
        if let Some(resource) = name.strip_suffix("Patch").filter(|_| schema.get("description").is_none()) {
            let description = format!(
                "A JSON merge patch (RFC 7396) for `{resource}`: an absent field is kept, `null` clears a field, an object \
                 merges and an array replaces the whole array."
            );
            schema["description"] = description.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_patches_without_a_description_get_one() {
        let schemas = json!({ "Stop": {}, "StopPatch": {}, "AccountPatch": { "description": "A patch." } });
        let mut document = json!({ "components": { "schemas": schemas } });
        add(&mut document);
        let description = |name: &str| document["components"]["schemas"][name]["description"].as_str();
        assert!(description("StopPatch").is_some_and(|text| text.contains("`Stop`")));
        assert_eq!((description("Stop"), description("AccountPatch")), (None, Some("A patch.")));
    }
}
