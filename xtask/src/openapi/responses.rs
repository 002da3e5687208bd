//! The descriptions of success responses, from the endpoint trait's doc comments.
//!
//! dropshot describes all of them as "successful operation". The last paragraph of an operation's doc comment, if it starts
//! with "Returns ", is used instead.

use serde_json::{Map, Value};

const START: &str = "Returns ";

/// Moves that paragraph from the operation's description to its success response.
pub(super) fn add(document: &mut Value) {
    super::for_each_operation(document, |_, _, operation| describe(operation));
}

fn describe(operation: &mut Value) {
    let description = operation["description"].as_str().unwrap_or_default();
    let (rest, last) = description.rsplit_once("\n\n").unwrap_or(("", description));
    let Some(sentence) = last.strip_prefix(START).map(capitalised) else { return };
    let rest = rest.to_owned();
    if let Some(success) = operation["responses"].as_object_mut().and_then(success) {
        success["description"] = sentence.into();
        operation["description"] = rest.into();
    }
}

/// dropshot makes one success response for each operation; `default` if its type says no status.
fn success(responses: &mut Map<String, Value>) -> Option<&mut Value> {
    responses
        .iter_mut()
        .find(|(status, _)| status.starts_with('2') || *status == "default")
        .map(|(_, response)| response)
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn described(description: &str) -> Value {
        let mut operation = json!({
            "description": description,
            "responses": { "201": { "description": "successful creation" }, "4XX": { "description": "an error" } },
        });
        describe(&mut operation);
        operation
    }

    #[test]
    fn the_last_paragraph_describes_the_success() {
        let operation = described("Adds a day.\n\nAt the end.\n\nReturns the updated itinerary.");
        assert_eq!(operation["description"], "Adds a day.\n\nAt the end.");
        assert_eq!(operation["responses"]["201"]["description"], "The updated itinerary.");
        assert_eq!(operation["responses"]["4XX"]["description"], "an error");
    }

    #[test]
    fn other_paragraphs_stay() {
        for description in ["Adds a day.", "Returns a day.\n\nAt the end.", "Adds a day. Returns the itinerary."] {
            let operation = described(description);
            assert_eq!(operation["description"], description);
            assert_eq!(operation["responses"]["201"]["description"], "successful creation");
        }
    }
}
