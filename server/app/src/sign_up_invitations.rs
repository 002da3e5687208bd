//! Invitations to create an account, for a service whose setting `sign_up` is `invite`.
//!
//! Whoever has the address of an invitation can create one account with it. Only the hash of its secret is stored.

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::ids;
use itinerary_core::legible::is_legible;
use itinerary_platform::context::Service;
use itinerary_store::{Hash, NewSignUpInvitation, StoreError};
use uuid::Uuid;

/// Lets secret scanners recognise an invitation.
const PREFIX: &str = "itn_inv_";

/// The maximum length of a note, in characters.
pub const NOTE: usize = 200;

/// Why nobody can be invited.
#[derive(Debug, thiserror::Error)]
pub enum InviteError {
    #[error("the note must have at most {NOTE} characters, without invisible ones")]
    Note,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A new invitation. Its address is shown once.
pub struct Invited {
    pub hash: Hash,
    /// The address at which an account can be created.
    pub address: String,
    pub expires_at: DateTime<Utc>,
}

/// Invites somebody: by the operator, or by an account. `base_url` is where the invited person reaches the service.
pub async fn invite(
    service: &Service,
    base_url: &str,
    note: Option<&str>,
    lifetime: TimeDelta,
    created_by: Option<Uuid>,
) -> Result<Invited, InviteError> {
    let note = note.map(str::trim).filter(|note| !note.is_empty());
    if note.is_some_and(|note| note.chars().count() > NOTE || !is_legible(note)) {
        return Err(InviteError::Note);
    }
    let secret = ids::secret(PREFIX, &*service.random);
    let (hash, now) = (ids::hash(&secret), service.clock.now());
    let expires_at = now + lifetime;
    let invitation =
        NewSignUpInvitation { hash, created_at: now, expires_at, note: note.map(str::to_owned), created_by };
    service.store.sign_up_invitation_insert(&invitation).await?;
    Ok(Invited { hash, address: format!("{base_url}/sign-up?invitation={secret}"), expires_at })
}

/// The hash of a secret with which an account can be created now; `None` if it is unknown, used, revoked or expired.
pub async fn valid(service: &Service, secret: &str) -> Result<Option<Hash>, StoreError> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    let hash = ids::hash(secret);
    let is_valid = service.store.sign_up_invitation_is_valid(&hash, service.clock.now()).await?;
    Ok(is_valid.then_some(hash))
}
