//! What goes wrong in the sign-in flow, in the words of OAuth.
//!
//! A refusal of the sign-in flow is an [`OAuthError`]; the routes under `/v1` have their own. It knows its status, its
//! headers and its body, and nothing of the server that sends it.

use std::fmt;

use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The words by which a program tells refusals apart.
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
    /// All of them.
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

    /// The word on the wire.
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

    /// The status that goes with it, unless the error says another.
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

/// A refusal of the sign-in flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    /// The word that programs branch on.
    pub error: OAuthErrorCode,
    /// The answer's status: that of the word, but for rate limits and what HTTP itself refuses.
    pub status: StatusCode,
    /// What is wrong, for the developer who reads it: printable ASCII without quotes and backslashes, and nothing that
    /// the caller sent.
    pub description: String,
    /// Headers that the answer carries besides.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl OAuthError {
    /// A refusal. Characters that a description may not have are replaced.
    pub fn new(error: OAuthErrorCode, description: &str) -> Self {
        let description = description.chars().map(printable).collect();
        Self { error, status: error.status(), description, headers: Vec::new() }
    }

    /// The request is malformed: a parameter is missing, repeated, or not what it must be.
    pub fn invalid_request(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidRequest, description)
    }

    /// A redirect address may not be registered, or is not registered.
    pub fn invalid_redirect_uri(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidRedirectUri, description)
    }

    /// The client is unknown or did not prove who it is.
    pub fn invalid_client(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidClient, description)
    }

    /// The code or refresh token is not good, or not for this client.
    pub fn invalid_grant(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidGrant, description)
    }

    /// A scope is unknown, or goes beyond what the traveller approved.
    pub fn invalid_scope(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidScope, description)
    }

    /// The `resource` is not one of this service.
    pub fn invalid_target(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidTarget, description)
    }

    /// Something in a registration, other than its redirect addresses, cannot be had.
    pub fn invalid_client_metadata(description: &str) -> Self {
        Self::new(OAuthErrorCode::InvalidClientMetadata, description)
    }

    /// Something behind the sign-in does not answer, or integrations are paused (503); to be tried again in so many
    /// seconds.
    pub fn unavailable(description: &str, retry_after: u32) -> Self {
        Self::new(OAuthErrorCode::TemporarilyUnavailable, description)
            .with_header(RETRY_AFTER, HeaderValue::from(retry_after))
    }

    /// Too many requests (429); to be tried again in so many seconds.
    pub fn too_many(description: &str, retry_after: u32) -> Self {
        Self::unavailable(description, retry_after).with_status(StatusCode::TOO_MANY_REQUESTS)
    }

    /// The same refusal, challenging the client to authenticate itself with the Basic scheme.
    #[must_use]
    pub fn with_basic_challenge(self) -> Self {
        self.with_header(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"oauth\", charset=\"UTF-8\""))
    }

    /// The same refusal with another status.
    #[must_use]
    pub fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same refusal with one more header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The answer's body.
    pub fn body(&self) -> OAuthErrorBody {
        OAuthErrorBody { error: self.error, error_description: self.description.clone() }
    }
}

/// RFC 6749 lets a description have printable ASCII but for the quote and the backslash.
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

/// The body of a refusal on the OAuth routes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OAuthErrorBody {
    /// The word to branch on.
    pub error: OAuthErrorCode,
    /// What is wrong, for the developer: ASCII text, which may change at any time.
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
