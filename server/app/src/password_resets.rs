//! Links with which somebody who has forgotten their password sets a new one.
//!
//! The operator makes them, and sends them to the account's owner by other means; or the server sends them by mail
//! (`mails/worker.rs`).

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Account, StoreError};

use super::accounts::{AccountError, check_password, folded};
use super::mails::{self, Notice};

/// Lets secret scanners recognise a link.
pub(super) const PREFIX: &str = "itn_rst_";

/// How long a link is valid.
const LIFETIME: TimeDelta = TimeDelta::minutes(60);

/// A new link. Its address is shown once.
pub struct ResetLink {
    /// The address at which the password can be set.
    pub address: String,
    pub expires_at: DateTime<Utc>,
}

/// Makes the link of an account, which ends an earlier one. `base_url` is where its owner reaches the service.
pub async fn create(service: &Service, base_url: &str, username: &str) -> Result<ResetLink, AccountError> {
    let account = service.store.account_by_username(&folded(username)).await?.ok_or(AccountError::Unknown)?;
    let secret = ids::secret(PREFIX, &*service.random);
    let expires_at = service.clock.now() + LIFETIME;
    if !service.store.password_reset_set(account.id, &ids::hash(&secret), expires_at).await? {
        return Err(AccountError::Unknown);
    }
    Ok(ResetLink { address: address(base_url, &secret), expires_at })
}

/// The address at which a link's secret sets the password.
pub(super) fn address(base_url: &str, secret: &str) -> String {
    format!("{base_url}/reset-password?token={secret}")
}

/// The account whose password a secret sets now. `None` if the link is unknown, used, replaced or expired.
pub async fn account(service: &Service, secret: &str) -> Result<Option<Account>, StoreError> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    service.store.password_reset_account(&ids::hash(secret), service.clock.now()).await
}

/// Uses a link: sets the password and ends every session and, with `end_apps`, every connected app and personal access
/// token. `Unknown` if the link cannot be used any more.
pub async fn set_password(
    service: &Service,
    account: &Account,
    secret: &str,
    password: &str,
    end_apps: bool,
) -> Result<(), AccountError> {
    check_password(password, &account.username)?;
    let hash = service.hashing.turn().await.ok_or(AccountError::Busy)?.hash(password, service.random.bytes()).await;
    let store = &service.store;
    let is_set = store.password_reset_use(&ids::hash(secret), &hash, end_apps, service.clock.now()).await?;
    if !is_set {
        return Err(AccountError::Unknown);
    }
    mails::notify(service, account.id, Notice::PasswordChanged).await;
    Ok(())
}
