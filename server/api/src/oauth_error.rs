//! The error catalogue of the OAuth endpoints: codes, statuses and the error shape of RFC 6749.
//!
//! Operations under `/v1` have another shape: see [`crate::error`].

use std::fmt;

use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The error codes of the OAuth endpoints (RFC 6749, 7591 and 8707).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum OAuthErrorCode {
    InvalidRequest,
    InvalidRedirectUri,
    InvalidClient,
    InvalidGrant,
    InvalidScope,
    InvalidTarget,
    InvalidClientMetadata,
    UnsupportedResponseType,
    UnsupportedGrantType,
    AccessDenied,
    TemporarilyUnavailable,
}

impl OAuthErrorCode {
    /// Every error code, for tests and documentation.
    pub const ALL: [Self; 11] = [
        Self::InvalidRequest,
        Self::InvalidRedirectUri,
        Self::InvalidClient,
        Self::InvalidGrant,
        Self::InvalidScope,
        Self::InvalidTarget,
        Self::InvalidClientMetadata,
        Self::UnsupportedResponseType,
        Self::UnsupportedGrantType,
        Self::AccessDenied,
        Self::TemporarilyUnavailable,
    ];

    /// The code on the wire, such as `invalid_grant`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::AccessDenied => "access_denied",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
        }
    }

    /// The default HTTP status of the code.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidClient => StatusCode::UNAUTHORIZED,
            Self::AccessDenied => StatusCode::FORBIDDEN,
            Self::TemporarilyUnavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::InvalidRequest
            | Self::InvalidRedirectUri
            | Self::InvalidGrant
            | Self::InvalidScope
            | Self::InvalidTarget
            | Self::InvalidClientMetadata
            | Self::UnsupportedResponseType
            | Self::UnsupportedGrantType => StatusCode::BAD_REQUEST,
        }
    }
}

impl fmt::Display for OAuthErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error of the OAuth endpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    /// The error code, for programs to branch on.
    pub error: OAuthErrorCode,
    /// The status of the response. Differs from the code's default for rate limits and for errors of HTTP itself.
    pub status: StatusCode,
    /// An explanation for developers: printable ASCII without quotes and backslashes, with nothing that the caller
    /// sent.
    pub description: String,
    /// Additional headers of the response.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl OAuthError {
    /// An error with its default status. Replaces characters that RFC 6749 does not allow in a description.
    pub fn new(error: OAuthErrorCode, description: &str) -> Self {
        let description = description.chars().map(printable).collect();
        Self { error, status: error.status(), description, headers: Vec::new() }
    }

    /// A parameter is missing, repeated or malformed (400).
    pub fn invalid_request(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidRequest, description)
    }

    /// A redirect address is not allowed, or is not registered (400).
    pub fn invalid_redirect_uri(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidRedirectUri, description)
    }

    /// The client is unknown, or its authentication failed (401).
    pub fn invalid_client(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidClient, description)
    }

    /// The code or refresh token is wrong, used, expired or issued to another client (400).
    pub fn invalid_grant(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidGrant, description)
    }

    /// A scope is unknown, or exceeds what the traveller approved (400).
    pub fn invalid_scope(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidScope, description)
    }

    /// The `resource` does not belong to this service (400).
    pub fn invalid_target(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidTarget, description)
    }

    /// Metadata of a registration, other than its redirect addresses, is not supported (400).
    pub fn invalid_client_metadata(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidClientMetadata, description)
    }

    /// A system that the service depends on does not respond, or integrations are paused (503). Retry after so many seconds.
    pub fn unavailable(description: &str, retry_after: u32) -> Self {
        Self::new(OAuthErrorCode::TemporarilyUnavailable, description)
            .with_header(RETRY_AFTER, HeaderValue::from(retry_after))
    }

    /// Too many requests (429). Retry after so many seconds.
    pub fn too_many(description: &str, retry_after: u32) -> Self {
        Self::unavailable(description, retry_after).with_status(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Adds a challenge to authenticate with HTTP Basic.
    #[must_use]
    pub fn with_basic_challenge(self) -> Self {
        self.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"oauth\", charset=\"UTF-8\""))
    }

    /// Replaces the code's default status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The body of the response (RFC 6749, section 5.2).
    pub fn body(&self) -> OAuthErrorBody {
        OAuthErrorBody { error: self.error, error_description: self.description.clone() }
    }
}

/// RFC 6749 allows printable ASCII without the quote and the backslash in a description.
fn printable(character: char) -> char {
    match character {
        '"' => '\'',
        ' '..='~' if character != '\\' => character,
        _ => '?',
    }
}

impl fmt::Display for OAuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error, self.description)
    }
}

impl std::error::Error for OAuthError {}

/// The body of every error response of the OAuth endpoints (RFC 6749).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OAuthErrorBody {
    /// A stable error code. Branch on this, never on `error_description`.
    pub error: OAuthErrorCode,
    /// An explanation for developers, in ASCII. It may change at any time.
    pub error_description: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_that_serde_writes() {
        for code in OAuthErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).expect("a word"), code.as_str());
        }
    }

    #[test]
    fn the_table_of_the_specification_holds() {
        let status = |code: OAuthErrorCode| code.status().as_u16();
        assert_eq!(status(OAuthErrorCode::InvalidRequest), 400);
        assert_eq!(status(OAuthErrorCode::InvalidRedirectUri), 400);
        assert_eq!(status(OAuthErrorCode::InvalidClient), 401);
        assert_eq!(status(OAuthErrorCode::InvalidGrant), 400);
        assert_eq!(status(OAuthErrorCode::InvalidScope), 400);
    }

    #[test]
    fn a_description_is_printable_ascii_without_quotes_and_backslashes() {
        let error = OAuthError::invalid_request("say \"no\" to \\ and é\nand \u{7f}");
        assert_eq!(error.description, "say 'no' to ? and ??and ?");
    }

    #[test]
    fn waiting_is_told_in_a_header() {
        let limited = OAuthError::too_many("slow down", 17);
        assert_eq!(limited.status, 429);
        assert_eq!(limited.error, OAuthErrorCode::TemporarilyUnavailable);
        assert_eq!(limited.headers, [(RETRY_AFTER, HeaderValue::from_static("17"))]);
        assert_eq!(OAuthError::unavailable("paused", 60).status, 503);
    }

    #[test]
    fn the_schema_lists_the_words() {
        let schema = serde_json::to_value(schemars::schema_for!(OAuthErrorCode)).expect("a schema");
        assert_eq!(schema["enum"].as_array().map(Vec::len), Some(OAuthErrorCode::ALL.len()));
    }
}
