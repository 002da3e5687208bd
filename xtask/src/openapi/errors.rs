//! The error responses of each operation, by status, from the policy table.

use std::collections::BTreeMap;

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::{Policy, Surface};
use serde_json::{Map, Value, json};

/// Many operations share the error responses of the API and of OAuth: each is described once, and referred to.
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
        if !responses.keys().any(|status| status.starts_with('4')) {
            responses.insert("400".to_owned(), json!({ "$ref": format!("#/components/responses/{MALFORMED}") }));
            shared.insert(MALFORMED.to_owned(), json!({ "description": MALFORMED_MEANING }));
        }
    });
    document["components"]["responses"] = Value::Object(shared);
}

/// The only error of the caller in operations that take nothing. Others respond with it too, but have errors that matter more.
const MALFORMED: &str = "MalformedRequest";
const MALFORMED_MEANING: &str = "The request is malformed HTTP; for example, `Host` is missing. No body.";

/// Moves the responses to the shared ones, and returns references to them.
fn share(responses: Map<String, Value>, shared: &mut Map<String, Value>) -> Map<String, Value> {
    let refer = |(status, response): (String, Value)| {
        let name = shared_name(&status, &response);
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        let earlier = shared.entry(name).or_insert_with(|| response.clone());
        assert_eq!(*earlier, response, "two responses have one name");
        (status, reference)
    };
    responses.into_iter().map(refer).collect()
}

/// `ForbiddenOrSubscriptionRequired` for the API; `OAuth400` for OAuth, where one status has many codes.
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
        let mut response = error_response(policy, status, &lines.join("\n\n"), "ErrorEnvelope");
        response["x-error-codes"] = json!(codes);
        (status.to_string(), response)
    };
    by_status.into_iter().map(response).collect()
}

/// The error codes of the OAuth endpoints are those of RFC 6749, 7591 and 8707.
fn oauth_errors(policy: &Policy) -> Map<String, Value> {
    let rows = [
        (400, BAD_REQUEST),
        (401, "`invalid_client`: the client is unknown, or its secret is wrong or missing."),
        (408, "`invalid_request`: the body did not arrive in time."),
        (413, "`invalid_request`: the body exceeds 64 KiB."),
        (415, "`invalid_request`: the body is compressed."),
        (429, "`temporarily_unavailable`: too many attempts. Retry after the seconds in `Retry-After`."),
        (
            503,
            "`temporarily_unavailable`: integrations are paused, or a system that the service depends on does not respond. \
             Retry after the seconds in `Retry-After`.",
        ),
    ];
    let response =
        |(status, words): (u16, &str)| (status.to_string(), error_response(policy, status, words, "OAuthErrorBody"));
    rows.into_iter().map(response).collect()
}

/// What each code means, among the operations that respond with it.
const BAD_REQUEST: &str =
    "`invalid_request`: a parameter is missing, repeated or malformed, or the body has another media type.

`invalid_redirect_uri`: on registration, a redirect address is not `https` or a loopback address.

`invalid_client_metadata`: on registration, other metadata is not supported.

`unsupported_grant_type`: for tokens, `grant_type` is neither `authorization_code` nor `refresh_token`.

`invalid_grant`: for tokens, the code or refresh token is wrong, used, expired or issued to another client, or the \
verifier or redirect address does not match.

`invalid_scope`: for tokens, a scope is unknown or was not approved.

`invalid_target`: for tokens, `resource` does not belong to this service or exceeds what was approved.";

fn error_response(policy: &Policy, status: u16, description: &str, schema: &str) -> Value {
    json!({
        "description": description,
        "headers": super::headers::error_headers(policy, status),
        "content": { "application/json": { "schema": { "$ref": format!("#/components/schemas/{schema}") } } },
    })
}

fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Unauthenticated => "the access token is missing, expired or revoked.",
        ErrorCode::Forbidden => {
            "the token lacks the scope in `details.required`, or the caller is not allowed to do this."
        }
        ErrorCode::SubscriptionRequired => "the section in `details.section` needs the Pro subscription.",
        ErrorCode::NotFound => "not found, or not visible to the caller.",
        ErrorCode::MethodNotAllowed => "the path does not support the method; `Allow` lists those it supports.",
        ErrorCode::RequestTimeout => "the body did not arrive in time.",
        ErrorCode::ItineraryModified => {
            "the itinerary has changed since it was read; `ETag` has its current version. Read it again, then retry."
        }
        ErrorCode::DuplicateItinerary => {
            "the caller owns an itinerary with the same destination and start date; its id is in `details.itineraryId`."
        }
        ErrorCode::Conflict => "conflicts with the current state; the operation's description says when.",
        ErrorCode::CursorExpired => {
            "the cursor is older than the changes that are kept, or from before the service was restored. List the \
             itineraries again, then continue from a new cursor."
        }
        ErrorCode::ItineraryTooLarge => "the itinerary would exceed 256 KB.",
        ErrorCode::PayloadTooLarge => "the body exceeds its size limit.",
        ErrorCode::UnsupportedMediaType => {
            "the operation does not accept the media type of the body, or the body is compressed."
        }
        ErrorCode::RangeNotSatisfiable => "the requested range starts beyond the end of the file.",
        ErrorCode::ValidationFailed => {
            "the request is invalid; `details.field` names the invalid field where possible."
        }
        ErrorCode::IdempotencyKeyReused => "the `Idempotency-Key` was used for a different request within 24 hours.",
        ErrorCode::ImageRejected => "the image cannot be used, or the search found none.",
        ErrorCode::DocumentNotSealed => "the file was not encrypted before it was uploaded.",
        ErrorCode::PreconditionRequired => "the header `If-Match` is missing.",
        ErrorCode::RateLimited => "too many requests. Retry after the seconds in `Retry-After`.",
        ErrorCode::InternalError => "an internal error. Report it with the request id if it persists.",
        ErrorCode::UpstreamFailed => {
            "a system that the service depends on does not respond. Retry after the seconds in `Retry-After`."
        }
        ErrorCode::FeatureUnavailable => {
            "integrations are paused, or the server is not configured for this. Retry after the seconds in `Retry-After`."
        }
    }
}
