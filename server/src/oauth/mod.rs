//! The sign-in flow: registration and client metadata documents, the authorise address with its pages, the token and revocation endpoints, discovery.
//!
//! A file each. What is allowed is decided in `itinerary_core::oauth`; what is kept is the store's; here the two meet
//! HTTP. Routing, reading bodies, CORS and request ids are the front door's.

pub mod authorise;
mod client;
mod client_documents;
pub mod discovery;
pub mod forms;
pub mod pages;
pub mod register;
pub mod revoke;
pub mod sessions;
pub mod token;

use std::error::Error;

use itinerary_api::oauth_error::OAuthError;
use itinerary_store::StoreError;

use crate::context::Service;

/// Seconds after which to try again when the database did not answer.
const RETRY_AFTER_FAULT: u32 = 1;

/// What a caller is told when the store fails: nothing of how. The log has the rest.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(crate) fn store_failed(error: StoreError) -> OAuthError {
    tracing::error!(error = &error as &dyn Error, "the store failed during sign-in");
    OAuthError::unavailable("the service cannot answer right now", RETRY_AFTER_FAULT)
}

/// Refuses while integrations are paused.
async fn refuse_while_paused(service: &Service) -> Result<(), OAuthError> {
    match service.store.pause().await.map_err(store_failed)? {
        None => Ok(()),
        Some(seconds) => Err(OAuthError::unavailable("integrations are paused", seconds)),
    }
}
