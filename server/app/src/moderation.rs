//! Moderation: warnings, suspensions and moderators. [`reports`](super::reports) hides itineraries and shows them again.
//!
//! Moderators act on the pages under `/moderation`, the operator on the command line. Every act has an entry in the audit
//! log.

use itinerary_core::legible::is_deceptive;
use itinerary_platform::context::Service;
use itinerary_store::{Account, StoreError, SuspendOutcome};
use uuid::Uuid;

use super::audit::{self, Actor, Event};
use super::itineraries::restore;
use super::mails::{self, Notice};

/// The maximum length of a reason, a warning and an appeal, in characters.
pub const MESSAGE: usize = 1_000;

/// Why an act of moderation is refused.
#[derive(Debug, thiserror::Error)]
pub enum ModerationError {
    #[error("the text must have 1 to {MESSAGE} characters, without invisible ones")]
    Message,
    /// The account does not exist, or is not suspended.
    #[error("account not found, or not suspended")]
    Unknown,
    #[error("moderators cannot suspend a moderator; the operator can")]
    Moderator,
    /// Only one appeal against a suspension is accepted.
    #[error("there is an appeal already")]
    Appealed,
    /// The suspension is stored or ended, but Explore was not brought up to date.
    #[error("{0}")]
    Explore(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A text for other people: not empty, not too long, without characters that control a page or a terminal.
fn checked(message: &str) -> Result<&str, ModerationError> {
    let message = message.trim();
    let is_deceptive = |character: char| !matches!(character, '\n' | '\r') && is_deceptive(character);
    let fits = !message.is_empty() && message.chars().count() <= MESSAGE && !message.chars().any(is_deceptive);
    if fits { Ok(message) } else { Err(ModerationError::Message) }
}

/// Suspends an account, or replaces the reason of its suspension. Returns whether it was not suspended before. `reason` is
/// shown to its owner at sign-in.
pub async fn suspend(
    service: &Service,
    account: &Account,
    reason: &str,
    by: Actor<'_>,
) -> Result<bool, ModerationError> {
    let reason = checked(reason)?;
    if matches!(by, Actor::Moderator(..)) && account.moderator_since.is_some() {
        return Err(ModerationError::Moderator);
    }
    let entry = audit::entry(service, Event::Suspended, Some(account.id), by, reason);
    match service.store.account_suspend(account.id, reason, &entry, service.clock.now()).await? {
        SuspendOutcome::Suspended => {
            mails::notify(service, account.id, Notice::Suspended { reason }).await;
            Ok(true)
        }
        SuspendOutcome::Again => Ok(false),
        SuspendOutcome::Gone => Err(ModerationError::Unknown),
    }
}

/// Ends a suspension, and adds the account's itineraries to Explore again. The owner signs in as before; apps and tokens
/// have to be connected and made anew. Can be repeated if it was interrupted.
pub async fn unsuspend(service: &Service, account: Uuid, by: Actor<'_>) -> Result<(), ModerationError> {
    let entry = audit::entry(service, Event::Unsuspended, Some(account), by, "");
    let is_ended = service.store.account_unsuspend(account, &entry).await?;
    for itinerary in service.store.account_shared_itineraries(account).await? {
        restore(service, itinerary).await.map_err(|error| ModerationError::Explore(error.for_log()))?;
    }
    if is_ended { Ok(()) } else { Err(ModerationError::Unknown) }
}

/// Stores what the owner of a suspended account says to the suspension. Once for each suspension.
pub async fn appeal(service: &Service, account: Uuid, message: &str, by: Actor<'_>) -> Result<(), ModerationError> {
    let message = checked(message)?;
    let entry = audit::entry(service, Event::Appealed, Some(account), by, "");
    let is_stored = service.store.suspension_appeal(account, message, &entry).await?;
    if is_stored { Ok(()) } else { Err(ModerationError::Appealed) }
}

/// Shows a message to an account's owner on their account page, until they dismiss it.
pub async fn warn(service: &Service, account: Uuid, message: &str, by: Actor<'_>) -> Result<(), ModerationError> {
    let message = checked(message)?;
    let entry = audit::entry(service, Event::Warned, Some(account), by, message);
    if !service.store.warning_add(account, message, &entry).await? {
        return Err(ModerationError::Unknown);
    }
    mails::notify(service, account, Notice::Warned { message }).await;
    Ok(())
}

/// Makes an account a moderator's, or ends that. Only the operator does this.
pub async fn set_moderator(service: &Service, account: &Account, is_moderator: bool) -> Result<(), ModerationError> {
    let event = if is_moderator { Event::ModeratorAppointed } else { Event::ModeratorDismissed };
    let entry = audit::entry(service, event, Some(account.id), Actor::Operator, "");
    let since = is_moderator.then(|| account.moderator_since.unwrap_or_else(|| service.clock.now()));
    let is_stored = service.store.account_set_moderator(account.id, since, &entry).await?;
    if is_stored { Ok(()) } else { Err(ModerationError::Unknown) }
}
