//! The error catalogue of the API: codes, statuses and the error shape.
//!
//! The OAuth endpoints have another shape: see [`crate::oauth_error`].

use std::fmt;

use http::header::{self, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::permission::{Scope, Section};
use crate::read::FieldError;

macro_rules! catalogue {
    ($($code:ident $name:literal $status:literal,)*) => {
        /// A stable error code for programs to branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
        pub enum ErrorCode {
            $(#[serde(rename = $name)] $code,)*
        }

        impl ErrorCode {
            /// Every error code, in the order of their statuses.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The code on the wire, such as `notFound`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$code => $name),* }
            }

            /// The HTTP status of responses with this code.
            pub const fn status(self) -> u16 {
                match self { $(Self::$code => $status),* }
            }
        }
    };
}

catalogue! {
    Unauthenticated "unauthenticated" 401,
    Forbidden "forbidden" 403,
    SubscriptionRequired "subscriptionRequired" 403,
    NotFound "notFound" 404,
    MethodNotAllowed "methodNotAllowed" 405,
    RequestTimeout "requestTimeout" 408,
    ItineraryModified "itineraryModified" 409,
    DuplicateItinerary "duplicateItinerary" 409,
    Conflict "conflict" 409,
    CursorExpired "cursorExpired" 410,
    ItineraryTooLarge "itineraryTooLarge" 413,
    PayloadTooLarge "payloadTooLarge" 413,
    UnsupportedMediaType "unsupportedMediaType" 415,
    RangeNotSatisfiable "rangeNotSatisfiable" 416,
    ValidationFailed "validationFailed" 422,
    IdempotencyKeyReused "idempotencyKeyReused" 422,
    ImageRejected "imageRejected" 422,
    DocumentNotSealed "documentNotSealed" 422,
    PreconditionRequired "preconditionRequired" 428,
    RateLimited "rateLimited" 429,
    InternalError "internalError" 500,
    UpstreamFailed "upstreamFailed" 502,
    FeatureUnavailable "featureUnavailable" 503,
}

/// Why a change could not be merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum MergeReason {
    Conflict,
    BaseGone,
}

/// A field or an item that both the request and another change have changed, differently. A value is null if there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeConflict {
    /// The path of the field or item, with items by their ids, such as `days[id=day-2].stops[id=s7].name`.
    pub path: String,
    /// The value in the version in `If-Match`.
    pub base: serde_json::Value,
    /// The value in the current version.
    pub current: serde_json::Value,
    /// The value in the request.
    pub yours: serde_json::Value,
}

/// More about an error. Which fields are present depends on the code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetails {
    /// With `validationFailed`: the path of the invalid field in the body, such as `days[0].stops[2].name`, or the name
    /// of a parameter or header. With `conflict`: the field whose value is taken, if the conflict is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// With `forbidden`: the scope that the token lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// With `duplicateItinerary`: the id of the existing itinerary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// With `subscriptionRequired`: the section that needs the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
    /// With `itineraryModified` after `Prefer: merge`: `conflict` if the request and another change have changed the same
    /// field or item, or `baseGone` if the version in `If-Match` is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<MergeReason>,
    /// With the reason `conflict`: what both have changed; at most 20 conflicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<Vec<MergeConflict>>,
}

/// An error: a code for programs and a message for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// A stable error code. Branch on this, never on `message`.
    pub code: ErrorCode,
    /// An explanation for people, in English. It may change at any time.
    pub message: String,
    /// More about the error. Absent if there is nothing to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<ErrorDetails>,
    /// The id of the request, as in the `X-Request-Id` header. Quote it when reporting a problem.
    pub request_id: String,
}

/// The body of every error response of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorEnvelope {
    /// The error: a code, a message and details.
    pub error: ErrorBody,
}

/// Characters of a field's path and of the message about it. Both may repeat what was sent, at any length.
const SHOWN: usize = 300;

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
    }
    text
}

/// An error of the API, with the headers of its response.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The code on the wire, which implies the status.
    pub code: ErrorCode,
    /// The explanation for people. Contains nothing internal.
    pub message: String,
    /// The field, scope, itinerary or section that the code is about.
    pub details: Option<Box<ErrorDetails>>,
    /// Headers of the response, such as `Retry-After` or `ETag`.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl ApiError {
    /// An error without details and headers.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, headers: Vec::new() }
    }

    /// `notFound`: does not exist, or is not visible to the caller.
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "Not found, or not visible to you.")
    }

    /// `validationFailed`, with the field's path and what it must be.
    pub fn invalid(field: impl Into<String>, message: impl fmt::Display) -> Self {
        let (field, message) = (cut(field.into()), cut(message.to_string()));
        let mut error = Self::new(ErrorCode::ValidationFailed, format!("`{field}` {message}."));
        error.details = Some(Box::new(ErrorDetails { field: Some(field), ..ErrorDetails::default() }));
        error
    }

    /// `conflict`, with the field whose value is taken.
    pub fn taken(field: &str, message: &str) -> Self {
        let mut error = Self::new(ErrorCode::Conflict, message);
        error.details = Some(Box::new(ErrorDetails { field: Some(field.to_owned()), ..ErrorDetails::default() }));
        error
    }

    /// `forbidden`, with the scope that the token lacks and a challenge (RFC 6750) that asks for it.
    pub fn missing_scope(scope: Scope) -> Self {
        let mut error = Self::new(ErrorCode::Forbidden, format!("The token lacks the scope {scope}."));
        error.details = Some(Box::new(ErrorDetails { required: Some(scope.to_string()), ..ErrorDetails::default() }));
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        error.with_header(header::WWW_AUTHENTICATE, &challenge)
    }

    /// `subscriptionRequired`, with the section that needs the Pro subscription.
    pub fn subscription_required(section: Section) -> Self {
        let mut error = Self::new(ErrorCode::SubscriptionRequired, "This needs the Pro subscription.");
        error.details = Some(Box::new(ErrorDetails { section: Some(section), ..ErrorDetails::default() }));
        error
    }

    /// `itineraryModified`, with the current `ETag`.
    pub fn itinerary_modified(etag: &str) -> Self {
        let message = "The itinerary has changed since you read it. Read it again, then repeat the change.";
        Self::new(ErrorCode::ItineraryModified, message).with_header(header::ETAG, etag)
    }

    /// `itineraryModified`, with the current `ETag` and why the change could not be merged.
    pub fn not_merged(etag: &str, reason: MergeReason, conflicts: Option<Vec<MergeConflict>>) -> Self {
        let message = match reason {
            MergeReason::Conflict => {
                "Another change has changed the same fields. Read the itinerary again and choose between the values in \
                 `details.conflicts`."
            }
            MergeReason::BaseGone => {
                "The version in If-Match is not kept, so the change cannot be merged. Read the itinerary again, then repeat \
                 the change."
            }
        };
        let details = ErrorDetails { reason: Some(reason), conflicts, ..ErrorDetails::default() };
        let error = Self { details: Some(Box::new(details)), ..Self::new(ErrorCode::ItineraryModified, message) };
        error.with_header(header::ETAG, etag)
    }

    /// `duplicateItinerary`, with the id of the existing itinerary.
    pub fn duplicate(itinerary: Uuid) -> Self {
        let message = "You already own an itinerary with this destination and start date. Send allowDuplicate=true to create another.";
        let mut error = Self::new(ErrorCode::DuplicateItinerary, message);
        error.details = Some(Box::new(ErrorDetails { itinerary_id: Some(itinerary), ..ErrorDetails::default() }));
        error
    }

    /// `cursorExpired`: the changes after the cursor are not kept any more.
    pub fn cursor_expired() -> Self {
        let message = "The cursor is older than the changes that are kept, or from before the service was restored. \
             Request a new cursor, list the itineraries again, then continue from that cursor.";
        Self::new(ErrorCode::CursorExpired, message)
    }

    /// `upstreamFailed`, to be retried after a second.
    pub fn upstream_failed() -> Self {
        let message = "A system that the API depends on did not respond. Retry after the seconds in Retry-After.";
        Self::new(ErrorCode::UpstreamFailed, message).with_header(header::RETRY_AFTER, "1")
    }

    /// `featureUnavailable`: the server has been asked to stop.
    pub fn stopping() -> Self {
        let message = "The server is stopping. Send requests to another one.";
        Self::new(ErrorCode::FeatureUnavailable, message).with_header(header::RETRY_AFTER, "1")
    }

    /// `internalError`. The cause is in the log, never in the response.
    pub fn internal() -> Self {
        Self::new(ErrorCode::InternalError, "Internal error. Report it with the request id if it persists.")
    }

    /// Adds a header. A value that is not valid in a header is dropped.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// The body of the response.
    pub fn envelope(&self, request_id: &str) -> ErrorEnvelope {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.code,
                message: self.message.clone(),
                details: self.details.as_deref().cloned(),
                request_id: request_id.to_owned(),
            },
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for ApiError {}

impl From<FieldError> for ApiError {
    fn from(error: FieldError) -> Self {
        match error.field {
            Some(field) => Self::invalid(field, error.message),
            None if error.message.starts_with(char::is_lowercase) => {
                Self::new(ErrorCode::ValidationFailed, format!("The body {}.", cut(error.message)))
            }
            None => Self::new(ErrorCode::ValidationFailed, cut(error.message)),
        }
    }
}
