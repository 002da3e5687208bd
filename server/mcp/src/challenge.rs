//! The challenges of errors at the MCP endpoint.

use http::header::{self, HeaderValue};
use itinerary_api::error::ApiError;
use itinerary_api::policy::{Scope, Scopes};

/// Completes the challenge of an error at the MCP endpoint: the URL of the resource metadata, and the scopes to
/// request.
pub fn complete(base_url: &str, scopes: Scopes, mut error: ApiError) -> ApiError {
    for (_, challenge) in error.headers.iter_mut().filter(|(name, _)| *name == header::WWW_AUTHENTICATE) {
        let start = challenge.to_str().unwrap_or("Bearer").split(", scope=").next().unwrap_or("Bearer");
        let comma = if start == "Bearer" { "" } else { "," };
        let scopes = scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(" ");
        let metadata = format!("{base_url}/.well-known/oauth-protected-resource/mcp");
        let whole = format!("{start}{comma} scope=\"{scopes}\", resource_metadata=\"{metadata}\"");
        if let Ok(whole) = HeaderValue::from_str(&whole) {
            *challenge = whole;
        }
    }
    error
}
