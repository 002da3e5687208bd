//! Mail: what is queued, for whom, and how often.
//!
//! A request only queues. `worker.rs` sends: it finds the account, makes the link, and writes the text (`texts.rs`). So a
//! request takes the same time for an address of an account as for any other.

mod texts;
mod worker;

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_platform::limits::{Bucket, Verdict};
use itinerary_platform::mail_address::MailAddress;
use itinerary_platform::ports::mail::OutgoingMail;
use itinerary_store::{NewMail, StoreError, UnverifiedAddress, VerifyOutcome};
use uuid::Uuid;

use super::personal_tokens;
pub use texts::{MailKind, RenderedMail, Values, render, time};
pub use worker::run;

/// How long a link in a mail works. It is not sent later, either.
const LINK: TimeDelta = TimeDelta::minutes(60);

/// How long a notice is attempted.
const NOTICE: TimeDelta = TimeDelta::days(1);

/// Lets secret scanners recognise a link that verifies an address.
const VERIFY_PREFIX: &str = "itn_vfy_";

/// The number of tokens whose owners are told at once that they expire.
const TOKENS: i64 = 200;

/// Why a mail that somebody asks for is not queued.
#[derive(Debug)]
pub enum MailError {
    /// Too many were asked for from the client's address, or requests cannot be counted.
    TooMany(Verdict),
    Store(StoreError),
}

impl From<StoreError> for MailError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What the owner of an account is told.
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// The account was signed in to with a browser that it was not used with before, such as "Firefox on Linux".
    NewSignIn {
        browser: &'a str,
    },
    PasswordChanged,
    TokenMade {
        name: &'a str,
    },
    /// A way to sign in, or a second factor, was added. `name` is what its owner knows it by.
    MethodAdded {
        name: &'a str,
    },
    MethodRemoved {
        name: &'a str,
    },
    RecoveryCodeUsed,
    /// A moderator has written to the owner.
    Warned {
        message: &'a str,
    },
    /// The account is suspended.
    Suspended {
        reason: &'a str,
    },
}

/// Whether the server sends mail.
pub fn is_on(service: &Service) -> bool {
    service.config.mail.is_on()
}

/// Counts a mail that somebody asks for. `false` if the limit of the recipient is reached; the response does not say so.
async fn admits(service: &Service, client: IpAddr, address: &MailAddress) -> Result<bool, MailError> {
    let now = service.clock.now();
    for (bucket, is_secret) in [(Bucket::MailFrom(client), false), (Bucket::MailTo(ids::hash(&address.folded())), true)]
    {
        let verdict = service.limits.take(&[bucket], now).await;
        if !verdict.allowed {
            return if is_secret && verdict.counted { Ok(false) } else { Err(MailError::TooMany(verdict)) };
        }
    }
    Ok(true)
}

/// Queues the mail with which the owner of an address can set a new password. Nobody learns whether an account has the
/// address.
pub async fn request_reset(service: &Service, client: IpAddr, address: &MailAddress) -> Result<(), MailError> {
    if admits(service, client, address).await? {
        let mail = new_mail(service, MailKind::Reset, &Values::new(), LINK);
        service.store.mail_queue(&mail, address.as_str()).await?;
        service.mail_due.notify_one();
    }
    Ok(())
}

/// Notes that an account claims an address, and queues the mail that verifies it. Nobody learns whether another account has
/// the address.
pub async fn request_verification(
    service: &Service,
    client: IpAddr,
    account: Uuid,
    address: &MailAddress,
) -> Result<(), MailError> {
    if admits(service, client, address).await? {
        let mail = new_mail(service, MailKind::Verify, &Values::new(), LINK);
        service.store.mail_address_claim(account, address.as_str(), mail).await?;
        service.mail_due.notify_one();
    }
    Ok(())
}

/// The claim of an address that a link verifies. `None` if the link is unknown, used, replaced or expired.
pub async fn claimed(service: &Service, secret: &str) -> Result<Option<UnverifiedAddress>, StoreError> {
    if !secret.starts_with(VERIFY_PREFIX) {
        return Ok(None);
    }
    service.store.unverified_address_of_link(&ids::hash(secret), service.clock.now()).await
}

/// Uses a link: the address becomes that of the account. The former address is told.
pub async fn verify(service: &Service, account: Uuid, secret: &str) -> Result<VerifyOutcome, StoreError> {
    let notice = timed(service, MailKind::AddressChanged, []);
    let hash = ids::hash(secret);
    let outcome = service.store.mail_address_verify(&hash, account, notice, service.clock.now()).await?;
    service.mail_due.notify_one();
    Ok(outcome)
}

/// Removes the addresses of an account. The verified one is told.
pub async fn remove_address(service: &Service, account: Uuid) -> Result<(), StoreError> {
    service.store.mail_address_remove(account, timed(service, MailKind::AddressRemoved, [])).await?;
    service.mail_due.notify_one();
    Ok(())
}

/// Queues a notice to the verified address of an account, if it has one. What the notice is about has happened, so a failure
/// is only logged.
pub async fn notify(service: &Service, account: Uuid, notice: Notice<'_>) {
    if !is_on(service) {
        return;
    }
    let mail = match notice {
        Notice::NewSignIn { browser } => timed(service, MailKind::NewSignIn, [("browser", browser)]),
        Notice::PasswordChanged => timed(service, MailKind::PasswordChanged, []),
        Notice::TokenMade { name } => timed(service, MailKind::TokenMade, [("name", name)]),
        Notice::MethodAdded { name } => timed(service, MailKind::MethodAdded, [("name", name)]),
        Notice::MethodRemoved { name } => timed(service, MailKind::MethodRemoved, [("name", name)]),
        Notice::RecoveryCodeUsed => timed(service, MailKind::RecoveryCodeUsed, []),
        Notice::Warned { message } => timed(service, MailKind::Warned, [("message", message)]),
        Notice::Suspended { reason } => timed(service, MailKind::Suspended, [("reason", reason)]),
    };
    match service.store.mail_queue_to(mail, account).await {
        Ok(_) => service.mail_due.notify_one(),
        Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "a notice by mail was not queued"),
    }
}

/// The notice of an account's deletion, which its store queues with the deletion itself. `None` without mail.
pub(super) fn deletion_notice(service: &Service, username: &str) -> Option<NewMail> {
    is_on(service).then(|| timed(service, MailKind::AccountDeleted, [("username", username)]))
}

/// Tells the owners of personal access tokens that these expire within a week. Returns how many were told.
pub async fn note_expiring_tokens(service: &Service) -> Result<u64, StoreError> {
    if !is_on(service) {
        return Ok(0);
    }
    let now = service.clock.now();
    let mut noted = 0;
    for token in service.store.expiring_tokens(now, now + personal_tokens::EXPIRING, TOKENS).await? {
        let values = values([("name", &token.name), ("until", &time(token.expires_at))]);
        let mail = new_mail(service, MailKind::TokenExpiring, &values, NOTICE);
        noted += u64::from(service.store.expiring_token_note(&token, mail).await?);
    }
    if noted > 0 {
        service.mail_due.notify_one();
    }
    Ok(noted)
}

/// The mail with which the operator tests the settings.
pub fn test_mail(base_url: &str, to: &MailAddress, id: Uuid, date: DateTime<Utc>) -> OutgoingMail {
    let RenderedMail { subject, text, html } = render(MailKind::Test, &values([("service", base_url)]));
    OutgoingMail { id, to: to.as_str().to_owned(), subject, text, html, date }
}

/// A notice that says when it was queued.
fn timed<const N: usize>(service: &Service, kind: MailKind, pairs: [(&str, &str); N]) -> NewMail {
    let mut values = values(pairs);
    values.insert("time".to_owned(), time(service.clock.now()));
    new_mail(service, kind, &values, NOTICE)
}

fn new_mail(service: &Service, kind: MailKind, values: &Values, lifetime: TimeDelta) -> NewMail {
    let now = service.clock.now();
    let parameters = serde_json::to_string(values).expect("texts are plain data");
    NewMail {
        id: ids::uuid(now, &*service.random),
        kind: kind.name(),
        parameters,
        created_at: now,
        expires_at: now + lifetime,
    }
}

fn values<const N: usize>(pairs: [(&str, &str); N]) -> Values {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
