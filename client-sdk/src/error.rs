//! Why an operation failed, after the retries.

use std::error::Error as StdError;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use bytes::Bytes;
use progenitor_client::{Error as ClientError, ResponseValue};
use reqwest::header::{ETAG, HeaderMap, InvalidHeaderValue, RETRY_AFTER};
use reqwest::{Response, StatusCode};

use crate::{code, types};

/// Why an operation failed. `Display` and `Debug` write one line, without headers and bodies; [`ErrorExt`] has the details.
///
/// `E` is the body of the error response: [`types::ErrorEnvelope`], or [`types::OAuthErrorBody`] for the OAuth endpoints.
///
/// ```
/// use itinerary_sdk::{ApiError, Error};
///
/// fn explain(error: &ApiError) -> &'static str {
///     match error {
///         Error::ErrorResponse(_) => "the service rejected the request",
///         Error::CommunicationError(_) | Error::ResponseBodyError(_) => "the connection failed",
///         _ => "something else failed",
///     }
/// }
/// ```
#[non_exhaustive]
pub enum Error<E = types::ErrorEnvelope> {
    /// The service rejected the request, in its documented shape.
    ErrorResponse(ResponseValue<E>),
    /// The response has a status that the document does not mention for this operation.
    UnexpectedResponse(Response),
    /// The request was not sent, because it could not be built: for example, a value is not allowed in a header.
    InvalidRequest(String),
    /// The connection failed before the response arrived.
    CommunicationError(reqwest::Error),
    /// The connection failed while the body of the response arrived.
    ResponseBodyError(reqwest::Error),
    /// The body of the response does not have the documented type.
    InvalidResponsePayload(Bytes, serde_json::Error),
    /// The SDK could not complete the operation: for example, it has no valid token.
    Custom(String),
}

/// The error of every operation but those of OAuth.
pub type ApiError = Error<types::ErrorEnvelope>;

impl<E> Error<E> {
    /// Returns the status of the response, if there was one.
    ///
    /// ```
    /// let error = itinerary_sdk::ApiError::InvalidRequest("a newline in a header".to_owned());
    /// assert_eq!(error.status(), None);
    /// ```
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::ErrorResponse(answer) => Some(answer.status()),
            Self::UnexpectedResponse(answer) => Some(answer.status()),
            Self::CommunicationError(error) | Self::ResponseBodyError(error) => error.status(),
            Self::InvalidRequest(_) | Self::InvalidResponsePayload(..) | Self::Custom(_) => None,
        }
    }

    /// The code of an error that the service did not send.
    fn own_code(&self) -> &'static str {
        match self {
            Self::ErrorResponse(_) => "errorResponse",
            Self::UnexpectedResponse(_) => "unexpectedResponse",
            Self::InvalidRequest(_) => "invalidRequest",
            Self::CommunicationError(_) => "communicationError",
            Self::ResponseBodyError(_) => "responseBodyError",
            Self::InvalidResponsePayload(..) => "invalidResponsePayload",
            Self::Custom(message) if message.starts_with(SIGN_IN_AGAIN) => SIGN_IN_REQUIRED,
            Self::Custom(_) => "custom",
        }
    }
}

impl<E: Display> Display for Error<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorResponse(answer) => write!(f, "{} {}", answer.status().as_u16(), **answer),
            Self::UnexpectedResponse(answer) => {
                write!(f, "unexpected response: {}", answer.status())?;
                match request_id(answer.headers()) {
                    Some(id) => write!(f, " (request {id})"),
                    None => Ok(()),
                }
            }
            Self::InvalidRequest(text) => write!(f, "invalid request: {text}"),
            Self::CommunicationError(error) => write!(f, "the request failed: {}", Causes(error)),
            Self::ResponseBodyError(error) => write!(f, "failed to read the response: {}", Causes(error)),
            Self::InvalidResponsePayload(_, error) => write!(f, "failed to parse the response: {error}"),
            Self::Custom(text) => f.write_str(text),
        }
    }
}

/// The line that `Display` writes, because `main` and `unwrap` print errors with `Debug`.
impl<E: Display> fmt::Debug for Error<E> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl<E: Display> StdError for Error<E> {}

/// An error and what caused it, on one line.
struct Causes<'a>(&'a dyn StdError);

impl Display for Causes<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self.0, f)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl Display for types::ErrorEnvelope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let types::ErrorBody { code, message, request_id, .. } = &self.error;
        write!(f, "{}: {message} (request {request_id})", code.as_str())
    }
}

impl Display for types::OAuthErrorBody {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error.as_str(), self.error_description)
    }
}

impl<E> From<ClientError<E>> for Error<E> {
    fn from(error: ClientError<E>) -> Self {
        match error {
            ClientError::ErrorResponse(answer) => Self::ErrorResponse(answer),
            ClientError::UnexpectedResponse(answer) => Self::UnexpectedResponse(answer),
            ClientError::InvalidRequest(text) => Self::InvalidRequest(text),
            ClientError::CommunicationError(error) | ClientError::InvalidUpgrade(error) => {
                Self::CommunicationError(error)
            }
            ClientError::ResponseBodyError(error) => Self::ResponseBodyError(error),
            ClientError::InvalidResponsePayload(body, error) => Self::InvalidResponsePayload(body, error),
            ClientError::Custom(text) => Self::Custom(text),
        }
    }
}

impl<E> From<reqwest::Error> for Error<E> {
    fn from(error: reqwest::Error) -> Self {
        Self::CommunicationError(error)
    }
}

impl<E> From<InvalidHeaderValue> for Error<E> {
    fn from(error: InvalidHeaderValue) -> Self {
        Self::InvalidRequest(error.to_string())
    }
}

/// The start of the message of an error that only a new sign-in resolves.
const SIGN_IN_AGAIN: &str = "sign in again:";
/// The code of an error that only a new sign-in resolves, like that of `TokenError::SignInRequired`.
pub(crate) const SIGN_IN_REQUIRED: &str = "signInRequired";

/// What every error of the SDK says about itself: its code, and what the service sent, if it responded. Each detail is
/// `None` if the service did not send it.
///
/// ```
/// use itinerary_sdk::{ApiError, ErrorExt, code};
///
/// fn explain(error: &ApiError) -> String {
///     match error.field() {
///         Some(field) if error.is(code::VALIDATION_FAILED) => format!("please correct {field}"),
///         _ => error.message().unwrap_or("the service cannot be reached").to_owned(),
///     }
/// }
/// ```
pub trait ErrorExt {
    /// The error code, in camelCase. Branch on this, never on the message.
    ///
    /// If the service rejected the request, this is its code: one of the constants in [`code`](crate::code), or a newer
    /// one. Otherwise it is the name of the error's variant: `communicationError` for
    /// [`Error::CommunicationError`], `wrongKey` for `SealingError::WrongKey`. An error that contains another one, such
    /// as `SealingError::Api`, has the code of the inner error. Codes do not change between versions of the SDK.
    fn code(&self) -> &str;

    /// The error of the operation: this error, or the one that it contains. `None` if no operation failed.
    fn api_error(&self) -> Option<&ApiError>;

    /// Whether the error has this code, such as [`code::CONFLICT`](crate::code::CONFLICT).
    fn is(&self, code: &str) -> bool {
        self.code() == code
    }

    /// An explanation for people, in English.
    fn message(&self) -> Option<&str> {
        Some(&body(self.api_error()?)?.message)
    }

    /// The field, scope, itinerary or section that the code is about.
    fn details(&self) -> Option<&types::ErrorDetails> {
        body(self.api_error()?)?.details.as_ref()
    }

    /// The invalid field, as it is named in JSON: a path in the body such as `days[0].stops[2].startTime`, a parameter or
    /// a header.
    fn field(&self) -> Option<&str> {
        self.details()?.field.as_deref()
    }

    /// What the request and another change have both changed, differently: the conflicts of a change that was sent with
    /// `prefer("merge")`, at most 20. Empty for any other error.
    fn conflicts(&self) -> &[types::MergeConflict] {
        self.details().and_then(|details| details.conflicts.as_deref()).unwrap_or_default()
    }

    /// The id of the request in the service's log. Quote it when reporting a problem.
    fn request_id(&self) -> Option<&str> {
        let error = self.api_error()?;
        match body(error) {
            Some(body) => Some(&body.request_id),
            None => request_id(headers(error)?),
        }
    }

    /// The current version of the itinerary, quotes included, if the version that was sent is out of date.
    fn current_etag(&self) -> Option<&str> {
        headers(self.api_error()?)?.get(ETAG)?.to_str().ok()
    }

    /// The time to wait before retrying.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = headers(self.api_error()?)?.get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// Whether only a new sign-in of the traveller helps.
    fn needs_sign_in(&self) -> bool {
        self.is(code::UNAUTHENTICATED) || self.is(SIGN_IN_REQUIRED)
    }
}

impl ErrorExt for ApiError {
    fn code(&self) -> &str {
        match body(self) {
            Some(body) => &body.code,
            None => self.own_code(),
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        Some(self)
    }
}

/// The code is that of OAuth, such as `invalid_grant`, if the service rejected the request.
impl ErrorExt for Error<types::OAuthErrorBody> {
    fn code(&self) -> &str {
        match self {
            Self::ErrorResponse(answer) => &answer.error,
            other => other.own_code(),
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        None
    }

    fn message(&self) -> Option<&str> {
        match self {
            Self::ErrorResponse(answer) => Some(&answer.error_description),
            _ => None,
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
        Err(error) => Error::from(error),
    }
}

fn request_id(headers: &HeaderMap) -> Option<&str> {
    headers.get("x-request-id")?.to_str().ok()
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
    fn an_error_is_one_line_without_headers() {
        let body =
            serde_json::json!({ "code": "itineraryModified", "message": "Read it again.", "requestId": "0190a" });
        let headers = [("etag", "\"v3.m\""), ("set-cookie", "hush")];
        let error = refused(StatusCode::CONFLICT, &body, &headers);
        let line = "409 itineraryModified: Read it again. (request 0190a)";
        assert_eq!((error.to_string(), format!("{error:?}")), (line.to_owned(), line.to_owned()));

        let response = |status: u16| {
            Response::from(
                hyper::Response::builder()
                    .status(status)
                    .header("x-request-id", "r")
                    .header("set-cookie", "hush")
                    .body("hush")
                    .unwrap(),
            )
        };
        let unexpected = ApiError::UnexpectedResponse(response(307));
        assert_eq!(unexpected.to_string(), "unexpected response: 307 Temporary Redirect (request r)");
        let malformed = serde_json::from_str::<String>("3").unwrap_err();
        let malformed = ApiError::InvalidResponsePayload(Bytes::from_static(b"hush"), malformed);
        assert!(
            malformed.to_string().starts_with("failed to parse the response: ")
                && !malformed.to_string().contains("hush")
        );
        let body = serde_json::json!({ "error": "invalid_grant", "error_description": "The code has expired." });
        let body: types::OAuthErrorBody = serde_json::from_value(body).unwrap();
        let error = Error::ErrorResponse(ResponseValue::new(body, StatusCode::BAD_REQUEST, HeaderMap::new()));
        assert_eq!(error.to_string(), "400 invalid_grant: The code has expired.");
    }

    #[tokio::test]
    async fn a_failed_connection_is_told_with_its_cause() {
        let client = crate::Client::builder("http://127.0.0.1:1").build().unwrap();
        let error = client.health_live().send().await.unwrap_err().to_string();
        assert!(error.starts_with("the request failed: error sending request") && error.contains("refused"), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }

    #[tokio::test]
    async fn an_error_that_the_service_did_not_send_has_the_code_of_its_variant() {
        let client = crate::Client::builder("http://127.0.0.1:1").build().unwrap();
        let failed = client.account_self().send().await.unwrap_err();
        assert_eq!((failed.code(), failed.message(), failed.request_id()), ("communicationError", None, None));
        assert_eq!(ApiError::InvalidRequest("a newline".to_owned()).code(), "invalidRequest");
        let body = serde_json::json!({ "error": "invalid_grant", "error_description": "The code has expired." });
        let body: types::OAuthErrorBody = serde_json::from_value(body).unwrap();
        let refused = Error::ErrorResponse(ResponseValue::new(body, StatusCode::BAD_REQUEST, HeaderMap::new()));
        assert_eq!((refused.code(), refused.message()), ("invalid_grant", Some("The code has expired.")));
        assert!(refused.api_error().is_none());
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
        assert!(needed.needs_sign_in());
        let sent = ApiError::Custom(needed.to_string());
        assert_eq!((sent.needs_sign_in(), sent.code()), (true, needed.code()));
        let interrupted = ApiError::Custom(TokenError::Interrupted.to_string());
        assert_eq!((interrupted.needs_sign_in(), interrupted.code()), (false, "custom"));
        let body = serde_json::json!({ "code": "unauthenticated", "message": "m", "requestId": "r" });
        assert!(refused(StatusCode::UNAUTHORIZED, &body, &[]).needs_sign_in());
    }
}
