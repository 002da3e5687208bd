//! Sign-in: client registration and metadata documents, the authorisation endpoint and its pages, the token and
//! revocation endpoints, discovery.
//!
//! `itinerary_core::oauth` decides, the store keeps state, and this crate connects both to HTTP. The request pipeline
//! does routing, bodies, CORS and request ids.

mod audited;
pub mod authorise;
mod ceremonies;
mod client;
mod client_documents;
mod devices;
pub mod discovery;
pub mod forms;
pub mod pages;
mod providers;
mod reference_client;
pub mod register;
pub mod revoke;
mod sessions;
pub mod token;

use std::error::Error;

use http::HeaderValue;
use itinerary_api::oauth_error::OAuthError;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Verdict;
use itinerary_store::StoreError;

/// The `Retry-After` of a failure of the database, in seconds.
const RETRY_AFTER_FAULT: u32 = 1;

/// The error for a failure of the store. The details are only logged.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(crate) fn store_failed(error: StoreError) -> OAuthError {
    tracing::error!(error = &error as &dyn Error, "the store failed during sign-in");
    OAuthError::unavailable("the service is temporarily unavailable", RETRY_AFTER_FAULT)
}

/// Adds what is left of a limit to the error of a request that was counted.
fn with_remaining(mut error: OAuthError, verdict: Verdict) -> OAuthError {
    error.headers.extend(verdict.headers().map(|(name, value)| (name, HeaderValue::from(value))));
    error
}

/// The error for a request over its limit.
fn too_many(description: &str, verdict: Verdict) -> OAuthError {
    with_remaining(OAuthError::too_many(description, verdict.reset).with_status(verdict.status()), verdict)
}

/// Rejects requests while integrations are paused.
async fn refuse_while_paused(service: &Service) -> Result<(), OAuthError> {
    match service.store.pause().await.map_err(store_failed)? {
        None => Ok(()),
        Some(seconds) => Err(OAuthError::unavailable("integrations are paused", seconds)),
    }
}
