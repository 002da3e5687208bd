//! Token revocation (RFC 7009): ends the whole sign-in that the token belongs to, at once.
//!
//! Works while integrations are paused, because nobody should have to wait to revoke a permission.

use std::net::IpAddr;

use http::HeaderMap;
use itinerary_api::oauth_error::OAuthError;
use itinerary_core::ids;
use itinerary_core::oauth::client::SecretRule;
use itinerary_core::oauth::parameters::Parameters;
use itinerary_platform::context::Service;
use itinerary_store::{StoreError, TokenGrant};

use super::client::Claimant;
use super::store_failed;
use super::token::refresh_key;

/// Revokes the grant of a token of this client. An unknown token, or one of another client, changes nothing and gets
/// the same response. Client authentication may fail 30 times a minute for each client and address.
pub async fn revoke(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<(), OAuthError> {
    let form = Parameters::new(form);
    let claimant = Claimant::read(headers, form, address);
    claimant.refuse_too_many(service).await?;
    let outcome = end(service, &claimant, form).await;
    claimant.count(service, outcome).await
}

async fn end(service: &Service, claimant: &Claimant, form: Parameters<'_>) -> Result<(), OAuthError> {
    let client = claimant.authenticate(service, SecretRule::Required).await?;
    let given = given(service, form.required("token")?).await.map_err(store_failed)?;
    if let Some(given) = given.filter(|given| given.client_id == client.id) {
        service.store.grant_revoke(given.grant_id, service.clock.now()).await.map_err(store_failed)?;
    }
    Ok(())
}

/// The grant of an access or refresh token.
async fn given(service: &Service, token: &str) -> Result<Option<TokenGrant>, StoreError> {
    let Some((_, key)) = refresh_key(token) else { return service.store.token_grant(&ids::hash(token)).await };
    let family = service.store.refresh_family(key).await?;
    Ok(family.map(|family| TokenGrant { grant_id: family.grant_id, client_id: family.client_id }))
}
