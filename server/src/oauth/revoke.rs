//! Revoking a token (RFC 7009): the whole sign-in that it belongs to ends, at once.
//!
//! It goes on working while integrations are paused: nobody should have to wait to take a permission back.

use std::net::IpAddr;

use http::HeaderMap;
use itinerary_api::oauth_error::OAuthError;
use itinerary_core::ids;
use itinerary_core::oauth::client::SecretRule;
use itinerary_core::oauth::parameters::Parameters;

use super::client::Claimant;
use super::store_failed;
use crate::context::Service;

/// Revokes the grant of a token of this client. A token that is unknown or another client's changes nothing, and is
/// answered the same. Failures are counted, 30 a minute for each client and address.
pub async fn revoke(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<(), OAuthError> {
    let form = Parameters::new(form);
    let claimant = Claimant::read(headers, form, address);
    claimant.refuse_too_many(service)?;
    let outcome = end(service, &claimant, form).await;
    claimant.note(service, &outcome);
    outcome
}

async fn end(service: &Service, claimant: &Claimant, form: Parameters<'_>) -> Result<(), OAuthError> {
    let client = claimant.authenticate(service, SecretRule::Required).await?;
    let hash = ids::hash(form.required("token")?);
    let token = service.store.token(&hash).await.map_err(store_failed)?;
    if let Some(token) = token.filter(|token| token.client_id == client.id) {
        service.store.grant_revoke(token.grant_id, service.clock.now()).await.map_err(store_failed)?;
    }
    Ok(())
}
