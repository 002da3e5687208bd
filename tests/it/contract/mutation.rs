//! Faults of a server, each a change of requests or responses.

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, Uri, header};
use serde_json::{Value, json};

/// A fault of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mutation {
    /// Responses have no `ETag`.
    DropsEtags,
    /// Creating answers 200 instead of 201.
    Answers200,
    /// Itineraries have no `visibility`.
    ForgetsField,
    /// Writes are carried out whatever the version is.
    IgnoresIfMatch,
    /// The same `Idempotency-Key` writes twice.
    ReplaysNothing,
    /// A cursor leads to the first page again.
    RepeatsPage,
    /// An itinerary that the caller may not see answers 403, so that the caller learns that it exists.
    Leaks403,
    /// Rejections that can be retried do not say when.
    DropsRetryAfter,
    /// The departure of a flight loses its offset.
    ShiftsTime,
    /// Two error codes with the same status are exchanged.
    SwapsCodes,
    /// Writes accept any `Service-Itinerary-Shape`.
    AcceptsShapes,
    /// Pictures are served after their itinerary was deleted.
    KeepsPictures,
    /// Entries of lists have a field that the document does not declare.
    AddsField,
    /// Registering a client answers 200 instead of 201.
    Registers200,
    /// A public client is given a secret.
    GivesSecret,
}

impl Mutation {
    /// Those that are found with the tokens of travellers. The others concern registration.
    pub(super) const WITH_TOKENS: [Self; 13] = [
        Self::DropsEtags,
        Self::Answers200,
        Self::ForgetsField,
        Self::IgnoresIfMatch,
        Self::ReplaysNothing,
        Self::RepeatsPage,
        Self::Leaks403,
        Self::DropsRetryAfter,
        Self::ShiftsTime,
        Self::SwapsCodes,
        Self::AcceptsShapes,
        Self::KeepsPictures,
        Self::AddsField,
    ];

    pub(super) fn change_request(self, request: &mut Request<Bytes>) {
        match self {
            Self::IgnoresIfMatch if request.headers().contains_key(header::IF_MATCH) => {
                request.headers_mut().insert(header::IF_MATCH, header::HeaderValue::from_static("*"));
            }
            Self::AcceptsShapes if request.method() != Method::GET => {
                drop(request.headers_mut().remove("service-itinerary-shape"));
            }
            Self::ReplaysNothing => drop(request.headers_mut().remove("idempotency-key")),
            Self::RepeatsPage => *request.uri_mut() = without_cursor(request.uri()),
            _ => {}
        }
    }

    pub(super) fn change_response(self, method: &Method, uri: &Uri, response: &mut Response<Bytes>) {
        let is_itinerary = uri.path().starts_with("/v1/itineraries/");
        match self {
            Self::DropsEtags => drop(response.headers_mut().remove(header::ETAG)),
            Self::Answers200 if method == Method::POST && response.status() == StatusCode::CREATED => {
                *response.status_mut() = StatusCode::OK;
            }
            Self::ForgetsField if method == Method::GET && is_itinerary => {
                change_json(response, |body| drop(body.as_object_mut().and_then(|body| body.remove("visibility"))));
            }
            Self::Leaks403 if is_itinerary && response.status() == StatusCode::NOT_FOUND => {
                *response.status_mut() = StatusCode::FORBIDDEN;
                change_json(response, |body| body["error"]["code"] = json!("forbidden"));
            }
            Self::DropsRetryAfter => drop(response.headers_mut().remove(header::RETRY_AFTER)),
            Self::ShiftsTime if is_itinerary && response.status().is_success() => {
                change_json(response, |body| each_flight(body, drop_offset));
            }
            Self::KeepsPictures if uri.path().starts_with("/images/") && response.status() == StatusCode::NOT_FOUND => {
                *response.status_mut() = StatusCode::OK;
            }
            Self::AddsField => change_json(response, |body| {
                let entries = body.get_mut("data").and_then(Value::as_array_mut).into_iter().flatten();
                entries.filter(|entry| entry.is_object()).for_each(|entry| entry["score"] = json!(1));
            }),
            Self::Registers200 if is_registered(uri, response) => *response.status_mut() = StatusCode::OK,
            Self::GivesSecret if is_registered(uri, response) => {
                change_json(response, |client| {
                    if client["token_endpoint_auth_method"] == "none" {
                        client["client_secret"] = json!("s".repeat(43));
                    }
                });
            }
            Self::SwapsCodes if !response.status().is_success() => change_json(response, |body| {
                let code = &mut body["error"]["code"];
                match code.as_str() {
                    Some("itineraryModified") => *code = json!("conflict"),
                    Some("conflict") => *code = json!("itineraryModified"),
                    _ => {}
                }
            }),
            _ => {}
        }
    }
}

fn is_registered(uri: &Uri, response: &Response<Bytes>) -> bool {
    uri.path() == "/oauth/register" && response.status() == StatusCode::CREATED
}

/// Changes a JSON object; anything else is left as it is.
fn change_json(response: &mut Response<Bytes>, change: impl FnOnce(&mut Value)) {
    if let Ok(mut body) = serde_json::from_slice::<Value>(response.body())
        && body.is_object()
    {
        change(&mut body);
        *response.body_mut() = Bytes::from(body.to_string());
    }
}

fn without_cursor(uri: &Uri) -> Uri {
    let Some(query) = uri.query() else { return uri.clone() };
    let kept: Vec<&str> = query.split('&').filter(|pair| !pair.starts_with("cursor=")).collect();
    format!("{}?{}", uri.path(), kept.join("&")).parse().expect("part of an address")
}

/// Visits the flights of an itinerary or of a list of flights.
fn each_flight(body: &mut Value, change: fn(&mut Value)) {
    for list in ["flights", "data"] {
        if let Some(flights) = body.get_mut(list).and_then(Value::as_array_mut) {
            flights.iter_mut().for_each(change);
        }
    }
}

/// Takes local time for UTC, as a database column without an offset does.
fn drop_offset(flight: &mut Value) {
    for field in ["departureDate", "arrivalDate"] {
        let Some(time) = flight.get(field).and_then(Value::as_str) else { continue };
        flight[field] = json!(format!("{}Z", time.get(..19).unwrap_or(time)));
    }
}
