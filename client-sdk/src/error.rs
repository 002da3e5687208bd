//! The details of an error. Whether to retry is the caller's decision.

use std::time::Duration;

use progenitor_client::{Error, ResponseValue};
use reqwest::Response;
use reqwest::header::{ETAG, HeaderMap, RETRY_AFTER};

use crate::{code, types};

/// Why an operation failed: the service rejected it in its documented shape (`Error::ErrorResponse`), or it did not
/// complete.
pub type ApiError = Error<types::ApiError>;

/// The start of the message of an error that only a new sign-in resolves.
const SIGN_IN_AGAIN: &str = "sign in again:";

/// The details of an error. Each is `None` if the service did not send it.
pub trait ErrorExt {
    /// The error code: one of the constants in [`code`](crate::code), or a newer one. Branch on this, never on the
    /// message.
    fn code(&self) -> Option<&str>;

    /// Whether the error has this code, such as [`code::CONFLICT`](crate::code::CONFLICT).
    fn is(&self, code: &str) -> bool {
        self.code() == Some(code)
    }

    /// An explanation for people, in English.
    fn message(&self) -> Option<&str>;

    /// The field, scope, itinerary or section that the code is about.
    fn details(&self) -> Option<&types::ErrorDetails>;

    /// The invalid field: a path in the body, a parameter or a header.
    fn field(&self) -> Option<&str> {
        self.details()?.field.as_deref()
    }

    /// The id of the request in the service's log. Quote it when reporting a problem.
    fn request_id(&self) -> Option<&str>;

    /// The current version of the itinerary, quotes included, if the version that was sent is out of date.
    fn current_etag(&self) -> Option<&str>;

    /// The time to wait before retrying.
    fn retry_after(&self) -> Option<Duration>;

    /// Whether only a new sign-in of the traveller helps.
    fn needs_sign_in(&self) -> bool;
}

impl ErrorExt for ApiError {
    fn code(&self) -> Option<&str> {
        Some(&body(self)?.code)
    }

    fn message(&self) -> Option<&str> {
        Some(&body(self)?.message)
    }

    fn details(&self) -> Option<&types::ErrorDetails> {
        body(self)?.details.as_ref()
    }

    fn request_id(&self) -> Option<&str> {
        match body(self) {
            Some(body) => Some(&body.request_id),
            None => headers(self)?.get("x-request-id")?.to_str().ok(),
        }
    }

    fn current_etag(&self) -> Option<&str> {
        headers(self)?.get(ETAG)?.to_str().ok()
    }

    fn retry_after(&self) -> Option<Duration> {
        let seconds = headers(self)?.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    fn needs_sign_in(&self) -> bool {
        match self {
            Error::Custom(message) => message.starts_with(SIGN_IN_AGAIN),
            other => other.is(code::UNAUTHENTICATED),
        }
    }
}

/// Converts a response other than the expected one, for hand-written operations.
pub(crate) async fn refused(answer: Response) -> ApiError {
    if !(answer.status().is_client_error() || answer.status().is_server_error()) {
        return Error::UnexpectedResponse(answer);
    }
    match ResponseValue::from_response(answer).await {
        Ok(answer) => Error::ErrorResponse(answer),
        Err(error) => error,
    }
}

fn body(error: &ApiError) -> Option<&types::ErrorBody> {
    match error {
        Error::ErrorResponse(answer) => Some(&answer.error),
        _ => None,
    }
}

fn headers(error: &ApiError) -> Option<&HeaderMap> {
    match error {
        Error::ErrorResponse(answer) => Some(answer.headers()),
        Error::UnexpectedResponse(answer) => Some(answer.headers()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;
    use reqwest::header::HeaderValue;

    use super::*;
    use crate::TokenError;

    fn refused(status: StatusCode, body: &serde_json::Value, headers: &[(&'static str, &'static str)]) -> ApiError {
        let headers = headers
            .iter()
            .map(|(name, value)| (reqwest::header::HeaderName::from_static(name), HeaderValue::from_static(value)));
        let body = serde_json::from_value(serde_json::json!({ "error": body })).unwrap();
        Error::ErrorResponse(ResponseValue::new(body, status, headers.collect()))
    }

    #[test]
    fn a_refusal_says_what_is_wrong() {
        let details = serde_json::json!({ "field": "destination.name" });
        let body = serde_json::json!({
            "code": "validationFailed", "message": "m", "requestId": "r", "details": details });
        let error = refused(StatusCode::UNPROCESSABLE_ENTITY, &body, &[]);
        assert!(error.is(code::VALIDATION_FAILED) && !error.needs_sign_in());
        assert_eq!((error.message(), error.request_id()), (Some("m"), Some("r")));
        assert_eq!((error.field(), error.current_etag()), (Some("destination.name"), None));
    }

    #[test]
    fn headers_say_the_version_and_the_wait() {
        let body = serde_json::json!({ "code": "rateLimited", "message": "m", "requestId": "r" });
        let headers = [("etag", "\"v3.m\""), ("retry-after", "7")];
        let error = refused(StatusCode::TOO_MANY_REQUESTS, &body, &headers);
        assert_eq!(error.current_etag(), Some("\"v3.m\""));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    }

    #[test]
    fn a_token_error_that_asks_for_a_sign_in_is_known_by_it() {
        let needed = TokenError::SignInRequired { reason: "expired".to_owned() };
        assert!(ApiError::Custom(needed.to_string()).needs_sign_in());
        assert!(!ApiError::Custom(TokenError::Interrupted.to_string()).needs_sign_in());
        let body = serde_json::json!({ "code": "unauthenticated", "message": "m", "requestId": "r" });
        assert!(refused(StatusCode::UNAUTHORIZED, &body, &[]).needs_sign_in());
    }
}
