//! The errors of each operation, status by status, from the policy table.

use std::collections::BTreeMap;

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::{Policy, Surface};
use serde_json::{Map, Value, json};

/// Adds them. Those of the API and of OAuth are the same for many operations: each is described once, and referred to.
pub(super) fn add(document: &mut Value) {
    let mut shared = Map::new();
    super::for_each_operation(document, |path, policy, operation| {
        let responses = operation["responses"].as_object_mut().expect("an operation has responses");
        responses.remove("4XX");
        responses.remove("5XX");
        match policy.surface {
            Surface::OAuth => responses.extend(share(oauth_errors(policy), &mut shared)),
            Surface::Api => responses.extend(share(api_errors(policy, path.contains('{')), &mut shared)),
            Surface::Discovery | Surface::File | Surface::Page | Surface::Operations => {
                responses.extend(api_errors(policy, path.contains('{')));
            }
        }
    });
    document["components"]["responses"] = Value::Object(shared);
}

/// Puts the answers among the shared ones, and gives references to them.
fn share(responses: Map<String, Value>, shared: &mut Map<String, Value>) -> Map<String, Value> {
    let refer = |(status, response): (String, Value)| {
        let name = shared_name(&status, &response);
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        let earlier = shared.entry(name).or_insert_with(|| response.clone());
        assert_eq!(*earlier, response, "one name, one answer");
        (status, reference)
    };
    responses.into_iter().map(refer).collect()
}

/// `ForbiddenOrSubscriptionRequired`, or `OAuth400`, where one status stands for many words.
fn shared_name(status: &str, response: &Value) -> String {
    let Some(codes) = response["x-error-codes"].as_array() else { return format!("OAuth{status}") };
    let words = codes.iter().filter_map(Value::as_str).map(|code| code[..1].to_ascii_uppercase() + &code[1..]);
    words.collect::<Vec<_>>().join("Or")
}

fn api_errors(policy: &Policy, named: bool) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
    for code in policy.errors(named) {
        by_status.entry(code.status()).or_default().push(code);
    }
    let response = |(status, codes): (u16, Vec<ErrorCode>)| {
        let lines: Vec<_> = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), meaning(*code))).collect();
        let codes: Vec<_> = codes.iter().map(|code| code.as_str()).collect();
        let mut response = answer(policy, status, &lines.join("\n\n"), "ApiError");
        response["x-error-codes"] = json!(codes);
        (status.to_string(), response)
    };
    by_status.into_iter().map(response).collect()
}

/// The OAuth endpoints have error words of their own; which of them go with a status is in RFC 6749 and its kin.
fn oauth_errors(policy: &Policy) -> Map<String, Value> {
    let rows = [
        (400, "`invalid_request`, or the word for what is wrong with the request."),
        (401, "`invalid_client`: the client is unknown, or its secret is wrong."),
        (408, "`invalid_request`: the body did not arrive in time."),
        (413, "`invalid_request`: the body is larger than it may be."),
        (415, "`invalid_request`: the body is of another type."),
        (429, "`temporarily_unavailable`: too many tries; wait."),
        (503, "`temporarily_unavailable`: paused, or a part behind the service did not answer; wait."),
    ];
    let response = |(status, words): (u16, &str)| (status.to_string(), answer(policy, status, words, "OAuthErrorBody"));
    rows.into_iter().map(response).collect()
}

fn answer(policy: &Policy, status: u16, description: &str, schema: &str) -> Value {
    json!({
        "description": description,
        "headers": super::headers::error_headers(policy, status),
        "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } },
    })
}

fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Unauthenticated => "the token is missing, expired or revoked.",
        ErrorCode::Forbidden => "the token lacks a scope (`details.required`), or the caller may not do this.",
        ErrorCode::SubscriptionRequired => "the Pro subscription is needed; `details.section` says for what.",
        ErrorCode::NotFound => "it does not exist, or the caller cannot see it.",
        ErrorCode::MethodNotAllowed => "the address does not take that method; `Allow` names those it takes.",
        ErrorCode::RequestTimeout => "the body did not arrive in time.",
        ErrorCode::ItineraryModified => "it has changed since it was read; `ETag` has the version that is there now.",
        ErrorCode::DuplicateItinerary => {
            "the caller has one with the same destination and start date; `details.itineraryId` names it."
        }
        ErrorCode::Conflict => "conflicts with the current state.",
        ErrorCode::ItineraryTooLarge => "the itinerary would be larger than 256 KB.",
        ErrorCode::PayloadTooLarge => "the body is larger than it may be.",
        ErrorCode::UnsupportedMediaType => "the body is of another type than the operation takes.",
        ErrorCode::RangeNotSatisfiable => "the range starts beyond the end of the file.",
        ErrorCode::ValidationFailed => "something in the request is wrong; `details.field` names it where possible.",
        ErrorCode::IdempotencyKeyReused => "the same Idempotency-Key was sent with another request.",
        ErrorCode::ImageRejected => "the image cannot be used.",
        ErrorCode::DocumentNotSealed => "the document was not encrypted before it was uploaded.",
        ErrorCode::PreconditionRequired => "`If-Match` was not sent.",
        ErrorCode::RateLimited => "too many requests; wait for the seconds in `Retry-After`.",
        ErrorCode::InternalError => "a fault of the service; the request id leads to it.",
        ErrorCode::UpstreamFailed => "something behind the service did not answer; try again.",
        ErrorCode::FeatureUnavailable => {
            "integrations are paused, or the server is not configured for this; wait for the seconds in `Retry-After`."
        }
    }
}
