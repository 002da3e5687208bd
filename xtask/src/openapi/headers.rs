//! Request and response headers of each operation, from the policy table.

use itinerary_api::policy::{POLICIES, Policy, Surface};
use itinerary_api::values::limits;
use serde_json::{Map, Value, json};

/// A header: its name, its description, an example.
type Header = (&'static str, &'static str, &'static str);

const REQUEST_ID: Header = (
    "X-Request-Id",
    "The id of the request, as in error bodies and in the server's log.",
    "7e4e9a52-4d4b-4a2e-9b6f-0c1f6f2d8a11",
);
const ETAG: Header = (
    "ETag",
    "The version of the itinerary as the caller sees it. Send it back in `If-Match` with the next write.",
    "\"v12.m\"",
);
const LOCATION: Header =
    ("Location", "The path of the created itinerary.", "/v1/itineraries/0197a1f0-6a3e-7c1d-9d3f-2b8a4c5d6e7f");
const RATE_LIMIT: Header =
    ("RateLimit-Limit", "The number of requests of this kind that are allowed in a window.", "120");
const RATE_POLICY: Header = ("RateLimit-Policy", "The limit with its window in seconds.", "120;w=60");
const RATE_REMAINING: Header = ("RateLimit-Remaining", "The number of requests left in the current window.", "119");
const RATE_RESET: Header = ("RateLimit-Reset", "The seconds until the current window ends.", "42");
const REPLAYED: Header = (
    "Idempotency-Replayed",
    "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    "true",
);
const PREFERENCE_APPLIED: Header = (
    "Preference-Applied",
    "`merge` if the change was merged into a newer version than that in `If-Match` (RFC 7240).",
    "merge",
);
const SHAPE: Header = ("Service-Itinerary-Shape", "The shape of the itinerary: always `clean`.", "clean");
const RETRY_AFTER: Header = ("Retry-After", "The seconds to wait before the next attempt.", "30");
const CHALLENGE: Header = (
    "WWW-Authenticate",
    "Why the token was rejected, or which scope it lacks (RFC 6750).",
    "Bearer error=\"invalid_token\"",
);

/// Only of deprecated operations.
const DEPRECATION: Header =
    ("Deprecation", "When the operation was or will be deprecated, in seconds since 1970 (RFC 9745).", "@1798761600");
const LINK: Header =
    ("Link", "The deprecation policy (RFC 8288).", "<https://trips.example/docs/deprecation>; rel=\"deprecation\"");
const SUNSET: Header =
    ("Sunset", "The first day on which a release may lack the operation (RFC 8594).", "Thu, 01 Jul 2027 00:00:00 GMT");

const ALL: [Header; 12] = [
    REQUEST_ID,
    ETAG,
    LOCATION,
    RATE_LIMIT,
    RATE_POLICY,
    RATE_REMAINING,
    RATE_RESET,
    REPLAYED,
    PREFERENCE_APPLIED,
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
    let is_used = POLICIES.iter().any(|policy| policy.deprecation.is_some());
    let deprecation = [DEPRECATION, LINK, SUNSET];
    let used = ALL.iter().chain(deprecation.iter().filter(|_| is_used));
    document["components"]["headers"] = Value::Object(used.map(component).collect());
    document["components"]["parameters"] = request_components();
    document["components"]["schemas"]["ItineraryShape"] =
        json!({ "description": "The shape of itineraries in responses.", "type": "string", "enum": ["clean"] });
    super::for_each_operation(document, |_, policy, operation| {
        let parameters = operation.as_object_mut().expect("an object").entry("parameters").or_insert(json!([]));
        parameters.as_array_mut().expect("a list").extend(request_headers(policy));
        if parameters.as_array().is_some_and(Vec::is_empty) {
            operation.as_object_mut().expect("an object").remove("parameters");
        }
        mark_deprecated(policy, operation);
        let responses = operation["responses"].as_object_mut().expect("an operation has responses");
        for (status, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
            response["headers"] = references(&success_headers(policy, status));
        }
        if policy.preload.is_some() {
            responses.insert("304".to_owned(), not_modified(policy));
        }
    });
}

/// Marks a deprecated operation.
fn mark_deprecated(policy: &Policy, operation: &mut Value) {
    if policy.deprecation.is_some() {
        operation["deprecated"] = Value::Bool(true);
    }
}

/// The headers that requests may carry, each described once under `components/parameters`.
const IF_MATCH: &str = "If-Match";
const IF_NONE_MATCH: &str = "If-None-Match";
const PREFER: &str = "Prefer";
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// `*`, or entity tags with their quotes, separated by commas.
const TAGS: &str = r#"^(\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$"#;
/// A UUID, bare or in quotes. Without `format: uuid`, for which some generators send another type than a string.
const KEY: &str =
    r#"^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")$"#;

fn request_components() -> Value {
    let header = |name: &str, required: bool, description: &str, schema: Value, example: &str| {
        let header = json!({ "in": "header", "name": name, "required": required, "description": description, "schema": schema, "example": example });
        (name.to_owned(), header)
    };
    let tags = json!({ "type": "string", "pattern": TAGS, "maxLength": limits::ENTITY_TAGS });
    Value::Object(Map::from_iter([
        header(
            IF_MATCH,
            true,
            "The `ETag` that was last read, with its quotes; a comma-separated list of them; or `*` for any version. If the \
             itinerary has another version, the request fails with `itineraryModified`.",
            tags.clone(),
            "\"v12.m\"",
        ),
        header(
            IF_NONE_MATCH,
            false,
            "An `ETag` that was read earlier, with its quotes. If it is current, the response is 304 without a body.",
            tags,
            "\"v12.m\"",
        ),
        header(
            PREFER,
            false,
            "`merge`: if `If-Match` has one strong tag of an older version, the change is merged into the current version \
             (RFC 7240), and the response has `Preference-Applied: merge`. If another change has changed the same fields, \
             or that version is not kept, the request fails with `itineraryModified` and `details.reason`. Other preferences \
             are ignored.",
            json!({ "type": "string" }),
            "merge",
        ),
        header(
            IDEMPOTENCY_KEY,
            false,
            "A UUID, new for each change, bare or in quotes. Repeating the request with the same key within 24 hours returns \
             the first response and changes nothing. A key covers the retries of one change. For a rerun, give items ids of \
             your own and read first; do not derive keys from your data.",
            json!({ "type": "string", "pattern": KEY }),
            "0190b5a0-7f3e-4c55-9a2e-6d1c0f4b8e21",
        ),
        header(
            LAST_EVENT_ID,
            false,
            "With `Accept: text/event-stream`: the `id` of the last event that was received. The stream continues after it. \
             Takes precedence over `cursor`.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]*$", "maxLength": limits::CURSOR }),
            "hN2vX8bQ5mLzR0tYwKcF7sDgJ4pA9uEo1iT6xZkVyBnM3qWrHfUeCjSl",
        ),
        header(
            SHAPE.0,
            false,
            "The shape of itineraries in the response. Defaults to `clean`, the only one.",
            // A named schema: some generators create a type for each inline enum.
            json!({ "$ref": "#/components/schemas/ItineraryShape" }),
            "clean",
        ),
    ]))
}

fn request_headers(policy: &Policy) -> impl Iterator<Item = Value> {
    let rules = [
        (policy.if_match, IF_MATCH),
        (policy.merge, PREFER),
        (policy.preload.is_some(), IF_NONE_MATCH),
        (policy.idempotent, IDEMPOTENCY_KEY),
        (policy.operation == "change_list", LAST_EVENT_ID),
        (policy.shape, SHAPE.0),
    ];
    let names = rules.into_iter().filter(|(applies, _)| *applies);
    names.map(|(_, name)| json!({ "$ref": format!("#/components/parameters/{name}") }))
}

fn success_headers(policy: &Policy, status: &str) -> Vec<Header> {
    let limited = policy.rate_limit().is_some();
    let counted = policy.surface == Surface::Api || policy.operation == "oauth_register";
    let rules: [(bool, &[Header]); 10] = [
        (true, &[REQUEST_ID]),
        (policy.deprecation.is_some(), &[DEPRECATION, LINK]),
        (policy.deprecation.is_some_and(|it| it.sunset.is_some()), &[SUNSET]),
        (limited, &[RATE_LIMIT, RATE_POLICY]),
        (counted, &[RATE_REMAINING, RATE_RESET]),
        (policy.shape && !policy.untagged, &[ETAG]),
        (policy.shape, &[SHAPE]),
        (policy.operation.starts_with("itinerary") && status == "201", &[LOCATION]),
        (policy.idempotent, &[REPLAYED]),
        (policy.merge, &[PREFERENCE_APPLIED]),
    ];
    rules.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, headers)| headers).copied().collect()
}

/// The headers of an error response of this status.
pub(super) fn error_headers(policy: &Policy, status: u16) -> Value {
    let api = policy.surface == Surface::Api;
    let rules: [(bool, &[Header]); 7] = [
        (true, &[REQUEST_ID]),
        (policy.deprecation.is_some(), &[DEPRECATION, LINK]),
        (policy.deprecation.is_some_and(|it| it.sunset.is_some()), &[SUNSET]),
        (policy.rate_limit().is_some(), &[RATE_LIMIT, RATE_POLICY]),
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
    json!({ "description": "Not modified: the `ETag` in `If-None-Match` is current. No body.", "headers": references(&headers) })
}

fn references(headers: &[Header]) -> Value {
    let reference =
        |(name, _, _): &Header| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(headers.iter().map(reference).collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;
    use itinerary_api::deprecation::Deprecation;

    use super::*;

    #[test]
    fn a_deprecated_operation_is_marked_and_has_its_headers() {
        let since = NaiveDate::from_ymd_opt(2027, 1, 1).expect("a date");
        let row = Policy::of("marks_view").expect("a row");
        let undecided = Policy { deprecation: Some(Deprecation { since, sunset: None }), ..*row };
        let dated = Policy { deprecation: Some(Deprecation { since, sunset: Some(since) }), ..*row };
        for (policy, names) in [(*row, &[][..]), (undecided, &["Deprecation"]), (dated, &["Deprecation", "Sunset"])] {
            let mut operation = json!({ "operationId": "made_up" });
            mark_deprecated(&policy, &mut operation);
            assert_eq!(operation["deprecated"] == true, !names.is_empty());
            for headers in [references(&success_headers(&policy, "200")), error_headers(&policy, 404)] {
                for name in ["Deprecation", "Sunset"] {
                    assert_eq!(headers.get(name).is_some(), names.contains(&name), "{name}");
                }
            }
        }
    }
}
