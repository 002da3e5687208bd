//! The error catalogue of the API: codes, their statuses, and the shape they travel in.
//!
//! The OAuth endpoints have a shape of their own: see [`crate::oauth_error`].

use std::fmt;

use http::header::{self, HeaderName, HeaderValue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::permission::{Scope, Section};
use crate::read::FieldError;

macro_rules! catalogue {
    ($($code:ident $name:literal $status:literal,)*) => {
        /// What went wrong, for programs to branch on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
        pub enum ErrorCode {
            $(#[serde(rename = $name)] $code,)*
        }

        impl ErrorCode {
            /// Every code there is.
            pub const ALL: &[Self] = &[$(Self::$code),*];

            /// The code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$code => $name),* }
            }

            /// The HTTP status it comes with.
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

/// More about an error, when there is more to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetails {
    /// The field that is wrong: a path in the body, a parameter, or a header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The scope that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// The itinerary that is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub itinerary_id: Option<Uuid>,
    /// The section that needs the Pro subscription.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<Section>,
}

/// An error in an answer's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// What went wrong, for programs to branch on.
    pub code: ErrorCode,
    /// What went wrong, for people.
    pub message: String,
    /// More about it, when there is more to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<ErrorDetails>,
    /// The request's id: the `X-Request-Id` header's, and the log's.
    pub request_id: String,
}

/// The body of every error answer of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ApiError")]
pub struct ErrorEnvelope {
    /// The error.
    pub error: ErrorBody,
}

/// How many characters are told of a field's path, and of what is wrong with it: both may repeat what was sent.
const SHOWN: usize = 300;

fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(end);
    }
    text
}

/// An error of the API on its way to the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// What went wrong.
    pub code: ErrorCode,
    /// The same for people; never anything internal.
    pub message: String,
    /// More about it.
    pub details: Option<Box<ErrorDetails>>,
    /// The headers that the contract promises with it.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl ApiError {
    /// An error without details.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, headers: Vec::new() }
    }

    /// There is no such thing, or none that the caller may know of.
    pub fn not_found() -> Self {
        Self::new(ErrorCode::NotFound, "Not found, or not visible to you.")
    }

    /// Something in the request is wrong.
    pub fn invalid(field: impl Into<String>, message: impl fmt::Display) -> Self {
        let (field, message) = (cut(field.into()), cut(message.to_string()));
        let mut error = Self::new(ErrorCode::ValidationFailed, format!("{field}: {message}."));
        error.details = Some(Box::new(ErrorDetails { field: Some(field), ..ErrorDetails::default() }));
        error
    }

    /// The token lacks the scope.
    pub fn missing_scope(scope: Scope) -> Self {
        let mut error = Self::new(ErrorCode::Forbidden, format!("The token lacks the scope {scope}."));
        error.details = Some(Box::new(ErrorDetails { required: Some(scope.to_string()), ..ErrorDetails::default() }));
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        error.with_header(header::WWW_AUTHENTICATE, &challenge)
    }

    /// The section needs the Pro subscription.
    pub fn subscription_required(section: Section) -> Self {
        let mut error = Self::new(ErrorCode::SubscriptionRequired, "This needs the Pro subscription.");
        error.details = Some(Box::new(ErrorDetails { section: Some(section), ..ErrorDetails::default() }));
        error
    }

    /// The itinerary changed since the caller read it; `etag` is its tag now.
    pub fn itinerary_modified(etag: &str) -> Self {
        let message = "The itinerary has changed since you read it: read it again and repeat your change.";
        Self::new(ErrorCode::ItineraryModified, message).with_header(header::ETAG, etag)
    }

    /// The caller has an itinerary with the same destination and start date.
    pub fn duplicate(itinerary: Uuid) -> Self {
        let message = "You have an itinerary with this destination and start date. allowDuplicate=true makes another.";
        let mut error = Self::new(ErrorCode::DuplicateItinerary, message);
        error.details = Some(Box::new(ErrorDetails { itinerary_id: Some(itinerary), ..ErrorDetails::default() }));
        error
    }

    /// A part behind the API did not answer; worth another try in a second.
    pub fn upstream_failed() -> Self {
        let message = "Something behind the API did not answer. Try again shortly.";
        Self::new(ErrorCode::UpstreamFailed, message).with_header(header::RETRY_AFTER, "1")
    }

    /// A fault of ours.
    pub fn internal() -> Self {
        Self::new(ErrorCode::InternalError, "Something went wrong here. The request id tells us what.")
    }

    /// The same with a header; a value that no header can carry is left out.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }

    /// The body that tells it.
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
            None => Self::new(ErrorCode::ValidationFailed, cut(error.message)),
        }
    }
}
