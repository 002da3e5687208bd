//! Examples of requests and responses, from `openapi/examples.json`. The tests record them from a server, and
//! fail when it answers something else.

use std::error::Error;

use serde_json::{Map, Value, json};

const EXAMPLES: &str = include_str!("../../../openapi/examples.json");

/// The media types whose examples are JSON. Those of a form are objects, too.
const OBJECTS: [&str; 3] = ["application/json", "application/merge-patch+json", "application/x-www-form-urlencoded"];

pub(super) fn add(document: &mut Value) -> Result<(), Box<dyn Error>> {
    let examples: Value = serde_json::from_str(EXAMPLES)?;
    let mut codes = Map::new();
    super::for_each_operation(document, |_, policy, operation| {
        let recorded = &examples["operations"][policy.operation];
        if let Some(request) = recorded.get("request") {
            set(operation.get_mut("requestBody"), "example", request);
        }
        let responses = operation["responses"].as_object_mut().expect("an operation has responses");
        for (status, response) in responses {
            // The recorded export is a calendar. As JSON it is the itinerary.
            let recorded = match policy.operation {
                "itinerary_export" => &examples["operations"]["itinerary_view"],
                _ => recorded,
            };
            if let Some(body) = recorded["responses"].get(status) {
                set(Some(response), "example", body);
            }
            add_codes(response, &mut codes);
            add_words(response, &examples["oauthErrors"][policy.operation][status]);
        }
    });
    let shared = document["components"]["responses"].as_object_mut().expect("responses are shared");
    for (name, response) in shared {
        add_codes(response, &mut codes);
        let status = name.strip_prefix("OAuth").unwrap_or_default();
        // The authorise address has responses of its own; the others share theirs.
        let mut words = examples["oauthErrors"]["oauth_register"][status].as_object().cloned().unwrap_or_default();
        words.extend(examples["oauthErrors"]["oauth_token"][status].as_object().cloned().unwrap_or_default());
        add_words(response, &words.into());
    }
    for (code, example) in &mut codes {
        *example = json!({ "value": examples["errors"][code] });
    }
    document["components"]["examples"] = codes.into();
    Ok(())
}

/// Sets a field of a body, where it is JSON or a form.
fn set(body: Option<&mut Value>, field: &str, value: &Value) {
    let content = body.and_then(|body| body.get_mut("content")).and_then(Value::as_object_mut);
    for (_, content) in content.into_iter().flatten().filter(|(name, _)| OBJECTS.contains(&name.as_str())) {
        content[field] = value.clone();
    }
}

/// Refers to the example of each of the response's error codes, and notes the codes.
fn add_codes(response: &mut Value, codes: &mut Map<String, Value>) {
    let Some(own) = response["x-error-codes"].as_array() else { return };
    let own: Vec<String> = own.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    codes.extend(own.iter().map(|code| (code.clone(), Value::Null)));
    let reference = |code: &String| (code.clone(), json!({ "$ref": format!("#/components/examples/{code}") }));
    let references: Map<_, _> = own.iter().map(reference).collect();
    set(Some(response), "examples", &references.into());
}

/// Adds an example of each word of OAuth that comes with the response.
fn add_words(response: &mut Value, words: &Value) {
    let Some(words) = words.as_object().filter(|words| !words.is_empty()) else { return };
    let named: Map<_, _> = words.iter().map(|(word, body)| (word.clone(), json!({ "value": body }))).collect();
    set(Some(response), "examples", &named.into());
}

#[cfg(test)]
mod tests {
    use itinerary_api::error::ErrorCode;

    use super::*;

    fn contents<'v>(document: &'v Value, body: &'v Value) -> Vec<&'v Value> {
        let reference = body["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let body = reference.map_or(body, |pointer| document.pointer(pointer).expect("it is there"));
        let contents = body["content"].as_object().into_iter().flatten();
        contents.filter(|(name, _)| OBJECTS.contains(&name.as_str())).map(|(_, content)| content).collect()
    }

    #[test]
    fn every_body_in_json_has_an_example() {
        let document = super::super::document().expect("a document");
        let mut operations = 0;
        super::super::for_each_operation(&mut document.clone(), |_, policy, operation| {
            let operation_id = policy.operation;
            let mut bodies = vec![("request", &operation["requestBody"])];
            let responses = operation["responses"].as_object().expect("responses");
            bodies.extend(responses.iter().map(|(status, response)| (status.as_str(), response)));
            for (what, body) in bodies {
                for content in contents(&document, body) {
                    let has = content.get("example").is_some() || content.get("examples").is_some();
                    assert!(has, "{operation_id} has no example of its {what}");
                }
            }
            operations += 1;
        });
        assert!(operations > 50, "{operations} operations");
    }

    #[test]
    fn every_error_code_has_an_example() {
        let document = super::super::document().expect("a document");
        let examples: Value = serde_json::from_str(EXAMPLES).expect("JSON");
        for code in ErrorCode::ALL {
            assert_eq!(examples["errors"][code.as_str()]["error"]["code"], code.as_str());
        }
        for (name, response) in document["components"]["responses"].as_object().expect("responses") {
            for code in response["x-error-codes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let reference = &response["content"]["application/json"]["examples"][code]["$ref"];
                let example = reference.as_str().and_then(|reference| document.pointer(&reference[1..]));
                assert_eq!(example.expect(name)["value"]["error"]["code"], code, "{name}");
            }
        }
    }
}
