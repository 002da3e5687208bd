//! What an operation's doc comment says about tokens and errors: the required scope, and the codes that are particular to the
//! operation.

use serde_json::Value;

use super::names::snake_case;

/// Codes of nearly every operation. The SDK's README has them.
const COMMON: [&str; 5] = ["unauthenticated", "rateLimited", "internalError", "upstreamFailed", "featureUnavailable"];

/// The paragraphs about scope and errors. `shared` are the document's shared responses.
pub(super) fn describe(operation: &Value, shared: &Value) -> String {
    let codes = codes(operation, shared);
    let links = codes.iter().map(|code| {
        let name = snake_case(code).to_ascii_uppercase();
        format!("[`{name}`](crate::code::{name})")
    });
    let links = links.collect::<Vec<_>>().join(", ");
    let errors =
        if links.is_empty() { String::new() } else { format!("\n\nErrors, besides the common ones: {links}.") };
    format!("{}{errors}", scope(operation))
}

fn scope(operation: &Value) -> String {
    let requirements = operation["security"].as_array().map(Vec::as_slice).unwrap_or_default();
    let schemes = requirements.iter().filter_map(Value::as_object).flat_map(|schemes| schemes.values());
    let scopes = schemes.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    let scopes: Vec<_> = scopes.map(|scope| format!("`{scope}`")).collect();
    match (requirements, &scopes[..]) {
        ([], _) => "Needs no access token.".to_owned(),
        (_, []) => "Needs an access token.".to_owned(),
        (_, [scope]) => format!("Needs the scope {scope}."),
        (_, scopes) => format!("Needs the scopes {}.", scopes.join(", ")),
    }
}

/// The codes of the operation's errors, in the order of their statuses, without the common ones.
fn codes(operation: &Value, shared: &Value) -> Vec<String> {
    let responses = operation["responses"].as_object().into_iter().flatten();
    let responses =
        responses.map(|(_, response)| match response["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
            Some(name) => &shared[name],
            None => response,
        });
    let codes = responses.flat_map(|response| response["x-error-codes"].as_array().into_iter().flatten());
    let codes = codes.filter_map(Value::as_str).filter(|code| !COMMON.contains(code));
    codes.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scope_and_particular_errors_are_named() {
        let operation = json!({
            "security": [{ "oauth2": ["documents:write"] }],
            "responses": {
                "200": {},
                "404": { "$ref": "#/components/responses/NotFound" },
                "429": { "x-error-codes": ["rateLimited"] },
            },
        });
        let shared = json!({ "NotFound": { "x-error-codes": ["notFound"] } });
        let expected = "Needs the scope `documents:write`.\n\nErrors, besides the common ones: \
                        [`NOT_FOUND`](crate::code::NOT_FOUND).";
        assert_eq!(describe(&operation, &shared), expected);
    }

    #[test]
    fn an_operation_may_need_no_token() {
        assert_eq!(describe(&json!({ "responses": { "200": {} } }), &json!({})), "Needs no access token.");
        let signed_in = json!({ "security": [{ "oauth2": [] }] });
        assert_eq!(describe(&signed_in, &json!({})), "Needs an access token.");
    }
}
