//! The token endpoint: a code, or a refresh token, becomes a pair of tokens.
//!
//! Codes and refresh tokens work once, and the store's guarded statement decides who was first. There is no grace
//! window. Whoever comes second with everything else right has shown that two parties hold what one should hold, and
//! which of them is the thief cannot be told: what was given is revoked. That holds for the loser of two requests at
//! once too, or the outcome of a theft would depend on its timing; the winner then has tokens that are dead, and the
//! traveller signs in again. A second use that cannot prove itself (another client, a wrong verifier) revokes nothing.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use http::HeaderMap;
use itinerary_api::oauth_error::{OAuthError, OAuthErrorCode};
use itinerary_api::types::oauth::{TokenResponse, TokenType};
use itinerary_core::ids;
use itinerary_core::oauth::client::SecretRule;
use itinerary_core::oauth::grant::{self, Access, CodeState, IssuedCode, IssuedRefresh, Redemption, RefreshState};
use itinerary_core::oauth::parameters::Parameters;
use itinerary_core::oauth::resource::Resource;
use itinerary_core::oauth::scopes::ScopeList;
use itinerary_core::oauth::{ACCESS_LIFETIME, ACCESS_PREFIX, REFRESH_LIFETIME, REFRESH_PREFIX};
use itinerary_store::{Code, NewGrant, NewToken, Token, TokenKind};
use uuid::Uuid;

use super::client::Claimant;
use super::{refuse_while_paused, store_failed};
use crate::context::Service;

/// Answers a request for tokens. Failures are counted, 30 a minute for each client and address.
pub async fn token(
    service: &Service,
    headers: &HeaderMap,
    form: &[(String, String)],
    address: IpAddr,
) -> Result<TokenResponse, OAuthError> {
    refuse_while_paused(service).await?;
    let form = Parameters::new(form);
    let claimant = Claimant::read(headers, form, address);
    claimant.refuse_too_many(service)?;
    let outcome = exchange(service, &claimant, form).await;
    claimant.note(service, &outcome);
    outcome
}

async fn exchange(service: &Service, claimant: &Claimant, form: Parameters<'_>) -> Result<TokenResponse, OAuthError> {
    match form.required("grant_type")? {
        "authorization_code" => {
            let client = claimant.authenticate(service, SecretRule::Required).await?;
            redeem(service, &client.id, form).await
        }
        "refresh_token" => {
            let rule = if service.config.strict_refresh { SecretRule::Required } else { SecretRule::Optional };
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
        let pair = Pair::new(service, now, &access, &approved);
        let grant = new_grant(service, found, now);
        if service.store.code_redeem(&hash, now, &grant, &pair.access, &pair.refresh).await.map_err(store_failed)? {
            return Ok(pair.response);
        }
        // Somebody was faster: look at what the code is now.
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
    let hash = ids::hash(form.required("refresh_token")?);
    let now = service.clock.now();
    let mut token = service.store.token(&hash).await.map_err(store_failed)?;
    if let Some(found) = &token
        && state_of_refresh(found, client_id, now) == RefreshState::Usable
    {
        let approved = approved(&found.grant_scope, found.grant_resource.as_deref());
        let access = approved.refreshed(form, &service.config.base_url)?;
        let pair = Pair::new(service, now, &access, &approved);
        if service.store.refresh_rotate(&hash, now, &pair.access, &pair.refresh).await.map_err(store_failed)? {
            return Ok(pair.response);
        }
        // Somebody was faster: look at what the token is now.
        token = service.store.token(&hash).await.map_err(store_failed)?;
    }
    if let Some(found) = token
        && state_of_refresh(&found, client_id, now) == RefreshState::Replayed
    {
        revoke_given(service, found.grant_id, now, "a refresh token was used twice").await?;
    }
    Err(grant::refresh_refused())
}

fn state_of_refresh(token: &Token, client_id: &str, now: DateTime<Utc>) -> RefreshState {
    if token.kind != TokenKind::Refresh {
        return RefreshState::Refused;
    }
    let issued = IssuedRefresh {
        client_id: &token.client_id,
        expires_at: token.expires_at,
        used: token.used_at.is_some(),
        revoked: token.revoked_at.is_some(),
    };
    issued.state(client_id, now)
}

async fn revoke_given(service: &Service, grant: Uuid, now: DateTime<Utc>, why: &str) -> Result<(), OAuthError> {
    if service.store.grant_revoke(grant, now).await.map_err(store_failed)? {
        tracing::warn!(%grant, "{why}: its grant is revoked");
    }
    Ok(())
}

/// What the traveller approved, as it is stored.
fn approved(scope: &str, resource: Option<&str>) -> Access {
    Access { scopes: ScopeList::known(scope), resource: Resource::from_stored(resource) }
}

/// A new pair of tokens: as it is stored, and as it is sent.
struct Pair {
    access: NewToken,
    refresh: NewToken,
    response: TokenResponse,
}

impl Pair {
    /// The access token may be narrower than what was approved; the refresh token never is.
    fn new(service: &Service, now: DateTime<Utc>, access: &Access, approved: &Access) -> Self {
        let access_token = ids::secret(ACCESS_PREFIX, &*service.random);
        let refresh_token = ids::secret(REFRESH_PREFIX, &*service.random);
        let stored = |token: &str, allows: &Access, lifetime| NewToken {
            hash: ids::hash(token),
            scope: allows.scopes.to_string(),
            resource: allows.resource.stored(&service.config.base_url),
            created_at: now,
            expires_at: now + lifetime,
        };
        Self {
            access: stored(&access_token, access, ACCESS_LIFETIME),
            refresh: stored(&refresh_token, approved, REFRESH_LIFETIME),
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
