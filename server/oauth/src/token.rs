//! The token endpoint: exchanges a code or a refresh token for a new pair of tokens.
//!
//! Codes and refresh tokens are single-use; the store's guarded statement decides who was first. There is no grace
//! period. A second, otherwise valid use shows that two parties hold the token, and the server cannot tell which of
//! them is the thief, so it revokes what was issued. This includes the loser of two concurrent requests, or the outcome
//! of a theft would depend on timing: the winner's tokens become invalid too, and the traveller signs in again. A
//! second use that fails another check (another client, a wrong verifier) revokes nothing.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use http::HeaderMap;
use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};
use itinerary_api::types::oauth::{TokenResponse, TokenType};
use itinerary_core::ids;
use itinerary_core::oauth::client::SecretRule;
use itinerary_core::oauth::grant::{
    self, CodeState, GrantedAccess, IssuedCode, IssuedRefresh, Redemption, RefreshState,
};
use itinerary_core::oauth::parameters::Parameters;
use itinerary_core::oauth::resource::Resource;
use itinerary_core::oauth::scopes::ScopeList;
use itinerary_core::oauth::{ACCESS_LIFETIME, ACCESS_PREFIX, REFRESH_LIFETIME, family};
use itinerary_platform::context::Service;
use itinerary_store::{Code, Family, NewGrant, NewRefresh, NewToken, RefreshKey};
use uuid::Uuid;

use super::client::Claimant;
use super::{refuse_while_paused, store_failed};

/// Answers a token request. Client authentication may fail 30 times a minute for each client and address.
pub async fn token(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<TokenResponse, OAuthError> {
    refuse_while_paused(service).await?;
    let form = Parameters::new(form);
    let claimant = Claimant::read(headers, form, address);
    claimant.refuse_too_many(service).await?;
    let outcome = exchange(service, &claimant, form).await;
    claimant.count(service, outcome).await
}

async fn exchange(service: &Service, claimant: &Claimant, form: Parameters<'_>) -> Result<TokenResponse, OAuthError> {
    match form.required("grant_type")? {
        "authorization_code" => {
            let client = claimant.authenticate(service, SecretRule::Required).await?;
            redeem(service, &client.id, form).await
        }
        "refresh_token" => {
            let rule = if service.config.oauth_strict_refresh { SecretRule::Required } else { SecretRule::Optional };
            let client = claimant.authenticate(service, rule).await?;
            refresh(service, &client.id, form).await
        }
        _ => {
            let error = OAuthErrorCode::UnsupportedGrantType;
            Err(OAuthError::new(error, "grant_type must be authorization_code or refresh_token"))
        }
    }
}

async fn redeem(service: &Service, client_id: &str, form: Parameters<'_>) -> Result<TokenResponse, OAuthError> {
    let redemption = Redemption::read(form)?;
    let hash = ids::hash(redemption.code);
    let now = service.clock.now();
    let mut code = service.store.code(&hash).await.map_err(store_failed)?;
    if let Some(found) = &code
        && state_of_code(found, redemption, client_id, now) == CodeState::Redeemable
    {
        let approved = approved(&found.scope, found.resource.as_deref());
        let access = approved.redeemed(form, &service.config.base_url)?;
        let pair = Pair::new(service, now, &access, family::first(&*service.random));
        let grant = new_grant(service, found, now);
        if service.store.code_redeem(&hash, now, &grant, &pair.access, &pair.refresh).await.map_err(store_failed)? {
            return Ok(pair.response);
        }
        // Another request was faster: read the code's new state.
        code = service.store.code(&hash).await.map_err(store_failed)?;
    }
    if let Some(found) = code
        && state_of_code(&found, redemption, client_id, now) == CodeState::Replayed
        && let Some(given) = found.grant_id
    {
        revoke_given(service, given, now, "a code was used twice").await?;
    }
    Err(grant::code_refused())
}

fn state_of_code(code: &Code, redemption: Redemption<'_>, client_id: &str, now: DateTime<Utc>) -> CodeState {
    let issued = IssuedCode {
        client_id: &code.client_id,
        redirect_uri: &code.redirect_uri,
        challenge: &code.challenge,
        expires_at: code.expires_at,
        used: code.used_at.is_some(),
    };
    issued.state(redemption, client_id, now)
}

fn new_grant(service: &Service, code: &Code, now: DateTime<Utc>) -> NewGrant {
    NewGrant {
        id: ids::uuid(now, &*service.random),
        account_id: code.account_id,
        client_id: code.client_id.clone(),
        scope: code.scope.clone(),
        resource: code.resource.clone(),
        created_at: now,
    }
}

async fn refresh(service: &Service, client_id: &str, form: Parameters<'_>) -> Result<TokenResponse, OAuthError> {
    let token = form.required("refresh_token")?;
    let (id, key) = refresh_key(token).ok_or_else(grant::refresh_refused)?;
    let now = service.clock.now();
    let mut family = service.store.refresh_family(key).await.map_err(store_failed)?;
    if let Some(found) = &family
        && state_of_refresh(found, key, client_id, now) == RefreshState::Usable
    {
        let approved = approved(&found.scope, found.resource.as_deref());
        let access = approved.refreshed(form, &service.config.base_url)?;
        let pair = Pair::new(service, now, &access, family::next(id, &*service.random));
        let rotated = service.store.refresh_rotate(found.grant_id, &key.token, now, &pair.access, &pair.refresh).await;
        if rotated.map_err(store_failed)? {
            return Ok(pair.response);
        }
        // Another request was faster: read the family's new state.
        family = service.store.refresh_family(key).await.map_err(store_failed)?;
    }
    if let Some(found) = family
        && state_of_refresh(&found, key, client_id, now) == RefreshState::Replayed
    {
        revoke_given(service, found.grant_id, now, "a refresh token was used twice").await?;
    }
    Err(grant::refresh_refused())
}

/// The id of a refresh token's family, and the stored key of the token. `None` if the token is malformed.
pub(super) fn refresh_key(token: &str) -> Option<(&str, RefreshKey)> {
    let id = family::of(token)?;
    Some((id, RefreshKey { family: ids::hash(id), token: ids::hash(token) }))
}

fn state_of_refresh(family: &Family, key: RefreshKey, client_id: &str, now: DateTime<Utc>) -> RefreshState {
    let issued = IssuedRefresh {
        client_id: &family.client_id,
        expires_at: family.expires_at,
        used: family.current != Some(key.token),
        revoked: family.revoked_at.is_some(),
    };
    issued.state(client_id, now)
}

async fn revoke_given(service: &Service, grant: Uuid, now: DateTime<Utc>, why: &str) -> Result<(), OAuthError> {
    if service.store.grant_revoke(grant, now).await.map_err(store_failed)? {
        tracing::warn!(%grant, "{why}: its grant is revoked");
    }
    Ok(())
}

/// Reads a stored approval.
fn approved(scope: &str, resource: Option<&str>) -> GrantedAccess {
    GrantedAccess { scopes: ScopeList::known(scope), resource: Resource::from_stored(resource) }
}

/// A new pair of tokens: as stored and as sent.
struct Pair {
    access: NewToken,
    refresh: NewRefresh,
    response: TokenResponse,
}

impl Pair {
    /// The access token may be narrower than the approval. The refresh token never is.
    fn new(service: &Service, now: DateTime<Utc>, access: &GrantedAccess, refresh_token: String) -> Self {
        let access_token = ids::secret(ACCESS_PREFIX, &*service.random);
        let (_, key) = refresh_key(&refresh_token).expect("it was made here");
        Self {
            access: NewToken {
                hash: ids::hash(&access_token),
                scope: access.scopes.to_string(),
                resource: access.resource.stored(&service.config.base_url),
                created_at: now,
                expires_at: now + ACCESS_LIFETIME,
            },
            refresh: NewRefresh { key, expires_at: now + REFRESH_LIFETIME },
            response: TokenResponse {
                access_token,
                token_type: TokenType::Bearer,
                expires_in: ACCESS_LIFETIME.num_seconds(),
                refresh_token,
                scope: access.scopes.to_string(),
            },
        }
    }
}
