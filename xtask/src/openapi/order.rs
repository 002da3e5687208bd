//! The order of fields in the published text: sorted, except that examples of common error codes come first. Mock servers
//! return the first example of a response.

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

/// The codes that a client meets most among those of their status.
const COMMON: [&str; 4] = ["validationFailed", "itineraryModified", "duplicateItinerary", "invalid_request"];

/// A value that is written in this order.
pub(super) struct CommonFirst<'a>(pub(super) &'a Value);

impl Serialize for CommonFirst<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(fields) => {
                let mut fields: Vec<_> = fields.iter().map(|(name, field)| (name, CommonFirst(field))).collect();
                fields.sort_by_key(|(name, _)| !COMMON.contains(&name.as_str()));
                serializer.collect_map(fields)
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(CommonFirst)),
            plain => plain.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_common_error_is_the_first_example() {
        let examples = json!({ "examples": { "imageRejected": 1, "validationFailed": [{ "b": 2, "a": null }] } });
        let text = serde_json::to_string(&CommonFirst(&examples)).expect("JSON");
        assert_eq!(text, r#"{"examples":{"validationFailed":[{"a":null,"b":2}],"imageRejected":1}}"#);
    }

    #[test]
    fn every_422_of_the_published_document_begins_with_validation_failed() {
        let (document, text) = (super::super::document().expect("a document"), super::super::text().expect("its text"));
        let responses = document["components"]["responses"].as_object().expect("shared responses");
        let of_422: Vec<_> = responses.keys().filter(|name| name.contains("ValidationFailed")).collect();
        assert!(of_422.len() > 3, "{of_422:?}");
        for name in of_422 {
            let (_, response) = text.split_once(&format!("\"{name}\": {{")).expect("its response");
            let (_, examples) = response.split_once("\"examples\": {").expect("its examples");
            assert!(examples.trim_start().starts_with("\"validationFailed\": {"), "{name}");
        }
    }
}
