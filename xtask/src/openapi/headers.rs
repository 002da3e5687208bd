//! The headers that operations take and answer with, from the policy table.

use itinerary_api::policy::{Policy, Surface};
use serde_json::{Map, Value, json};

/// A header: its name, what it says, an example.
type Header = (&'static str, &'static str, &'static str);

const REQUEST_ID: Header =
    ("X-Request-Id", "The request's id; error bodies and the log have it too.", "7e4e9a52-4d4b-4a2e-9b6f-0c1f6f2d8a11");
const ETAG: Header =
    ("ETag", "The version of the itinerary, to be sent back in If-Match; it names the view as well.", "\"v12.m\"");
const LOCATION: Header =
    ("Location", "Where the new itinerary is.", "/v1/itineraries/0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f");
const RATE_LIMIT: Header = ("RateLimit-Limit", "How many requests of this kind a minute are allowed.", "120");
const RATE_POLICY: Header = ("RateLimit-Policy", "The same with its window in seconds.", "120;w=60");
const RATE_REMAINING: Header = ("RateLimit-Remaining", "How many are left in this window.", "119");
const RATE_RESET: Header = ("RateLimit-Reset", "How many seconds are left of this window.", "42");
const REPLAYED: Header =
    ("Idempotency-Replayed", "true when this is the first answer to the same request, sent again.", "true");
const SHAPE: Header = ("Service-Itinerary-Shape", "The shape of the itinerary.", "clean");
const RETRY_AFTER: Header = ("Retry-After", "How many seconds to wait before the next try.", "30");
const CHALLENGE: Header = ("WWW-Authenticate", "What is wrong with the token.", "Bearer error=\"invalid_token\"");

const ALL: [Header; 11] = [
    REQUEST_ID,
    ETAG,
    LOCATION,
    RATE_LIMIT,
    RATE_POLICY,
    RATE_REMAINING,
    RATE_RESET,
    REPLAYED,
    SHAPE,
    RETRY_AFTER,
    CHALLENGE,
];

pub(super) fn add(document: &mut Value) {
    let component = |(name, description, example): &Header| {
        let kind = if example.bytes().all(|b| b.is_ascii_digit()) { "integer" } else { "string" };
        let example = example.parse::<u64>().map_or_else(|_| Value::from(*example), Value::from);
        ((*name).to_owned(), json!({ "description": description, "schema": { "type": kind }, "example": example }))
    };
    document["components"]["headers"] = Value::Object(ALL.iter().map(component).collect());
    super::for_each_operation(document, |_, policy, operation| {
        let parameters = operation.as_object_mut().expect("an object").entry("parameters").or_insert(json!([]));
        parameters.as_array_mut().expect("a list").extend(request_headers(policy));
        if parameters.as_array().is_some_and(Vec::is_empty) {
            operation.as_object_mut().expect("an object").remove("parameters");
        }
        let responses = operation["responses"].as_object_mut().expect("an operation has responses");
        for (status, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
            response["headers"] = references(&success_headers(policy, status));
        }
        if policy.preload.is_some() {
            responses.insert("304".to_owned(), not_modified(policy));
        }
    });
}

fn request_headers(policy: &Policy) -> Vec<Value> {
    let header = |name: &str, required: bool, description: &str, schema: Value| json!({ "in": "header", "name": name, "required": required, "description": description, "schema": schema });
    let mut headers = Vec::new();
    if policy.if_match {
        let description = "The ETag that was last read, with its quotes; a list of them; or `*` for whatever is there.";
        headers.push(header("If-Match", true, description, json!({ "type": "string" })));
    }
    if policy.preload.is_some() {
        let description = "An ETag that was read: when it is still right, the answer is 304 without a body.";
        headers.push(header("If-None-Match", false, description, json!({ "type": "string" })));
    }
    if policy.idempotent {
        let description = "A new UUID for each change: the same request with the same key, sent again within 24 hours, \
                           gets the first answer and changes nothing.";
        headers.push(header("Idempotency-Key", false, description, json!({ "type": "string", "format": "uuid" })));
    }
    if policy.surface == Surface::Api && !policy.is_mcp() {
        let description = "The shape of itineraries; there is one.";
        let schema = json!({ "type": "string", "enum": ["clean"] });
        headers.push(header("Service-Itinerary-Shape", false, description, schema));
    }
    headers
}

fn success_headers(policy: &Policy, status: &str) -> Vec<Header> {
    let api = policy.surface == Surface::Api;
    let rules: [(bool, &[Header]); 5] = [
        (true, &[REQUEST_ID]),
        (api, &[RATE_LIMIT, RATE_POLICY, RATE_REMAINING, RATE_RESET]),
        (policy.shape, &[ETAG, SHAPE]),
        (policy.operation.starts_with("itinerary") && status == "201", &[LOCATION]),
        (policy.idempotent, &[REPLAYED]),
    ];
    rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, headers)| headers).copied().collect()
}

/// The headers that come with an error of this status.
pub(super) fn error_headers(policy: &Policy, status: u16) -> Value {
    let api = policy.surface == Surface::Api;
    let rules: [(bool, &[Header]); 5] = [
        (true, &[REQUEST_ID]),
        (api, &[RATE_LIMIT, RATE_POLICY]),
        (matches!(status, 429 | 502 | 503), &[RETRY_AFTER]),
        (api && matches!(status, 401 | 403), &[CHALLENGE]),
        (status == 409 && policy.if_match, &[ETAG]),
    ];
    let headers: Vec<_> =
        rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, headers)| headers).copied().collect();
    references(&headers)
}

fn not_modified(policy: &Policy) -> Value {
    let headers = success_headers(policy, "304");
    json!({ "description": "What was read before is still right.", "headers": references(&headers) })
}

fn references(headers: &[Header]) -> Value {
    let reference =
        |(name, _, _): &Header| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(headers.iter().map(reference).collect::<Map<_, _>>())
}
