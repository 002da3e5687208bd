//! What a caller branches on in an error. It decides nothing: whether to try again is the caller's choice.

use std::time::Duration;

use progenitor_client::{Error, ResponseValue};
use reqwest::Response;
use reqwest::header::{ETAG, HeaderMap, RETRY_AFTER};

use crate::{code, types};

/// How an operation of the API fails: refused by the service in its documented shape (`Error::ErrorResponse`), or not
/// carried out at all.
pub type ApiError = Error<types::ApiError>;

/// Begins the message of an error that only a new sign-in mends.
const SIGN_IN_AGAIN: &str = "sign in again:";

/// What the service says about an error. Nothing, where it said nothing.
pub trait ErrorExt {
    /// The word to branch on, one of [`code`](crate::code)'s. Never branch on the message.
    fn code(&self) -> Option<&str>;

    /// Whether this is the word.
    fn is(&self, code: &str) -> bool {
        self.code() == Some(code)
    }

    /// What went wrong, for people.
    fn message(&self) -> Option<&str>;

    /// More about it.
    fn details(&self) -> Option<&types::ErrorDetails>;

    /// The field that is wrong: a path in the body, a parameter, or a header.
    fn field(&self) -> Option<&str> {
        self.details()?.field.as_deref()
    }

    /// The id under which the service's log has the request.
    fn request_id(&self) -> Option<&str>;

    /// The current version of the itinerary, quotes included, when the one that was sent is out of date.
    fn current_etag(&self) -> Option<&str>;

    /// How long to wait before trying again.
    fn retry_after(&self) -> Option<Duration>;

    /// Whether the traveller has to sign in again.
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

/// The error that an answer is which is not the expected one, for operations that are written by hand.
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
