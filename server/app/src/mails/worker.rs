//! Sends what is queued: one task for each server, which claims mails that are due and sends a few at once.
//!
//! A mail that the mail server rejects for ever is dropped, and one that it does not take now is attempted again after
//! growing pauses, for a day; one with a link only as long as the link works.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use chrono::TimeDelta;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_platform::mail_address::masked;
use itinerary_platform::ports::mail::{MailFailure, Mailer, OutgoingMail};
use itinerary_store::{ClaimedMail, LinkMail, Recipient, StoreError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::VERIFY_PREFIX;
use super::texts::{MailKind, RenderedMail, Values, render, time};
use crate::audit::{self, Actor, Event};
use crate::password_resets;

/// The maximum number of mails that a server sends at once.
const AT_ONCE: usize = 8;

/// How often the queue is looked at for mails of other servers and for further attempts.
const EVERY: Duration = Duration::from_secs(5);

/// How long a claimed mail is this server's, besides the time for handing it over.
const CLAIMED: TimeDelta = TimeDelta::seconds(60);

/// How long after each failed attempt the next one is made. None follows the eleventh.
const DELAYS: [TimeDelta; 10] = [
    TimeDelta::seconds(10),
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(10),
    TimeDelta::minutes(20),
    TimeDelta::hours(1),
    TimeDelta::hours(2),
    TimeDelta::hours(4),
    TimeDelta::hours(6),
    TimeDelta::hours(9),
];

/// Sends mails until it is dropped; what is being sent then goes on. Returns at once if the settings have no mail server.
pub async fn run(service: Arc<Service>) {
    if service.ports.mailer.is_none() {
        return;
    }
    let room = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        if let Err(error) = start_due(&service, &room).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "mails cannot be sent");
        }
        // A time-out, too: other servers queue, and attempts become due.
        let _ = timeout(EVERY, service.mail_due.notified()).await;
    }
}

/// Claims the mails that are due, as far as this server has room, and starts sending them.
async fn start_due(service: &Arc<Service>, room: &Arc<Semaphore>) -> Result<(), StoreError> {
    let Some(mailer) = &service.ports.mailer else { return Ok(()) };
    while !service.stopping.load(Ordering::Relaxed) {
        let free = room.available_permits();
        // Before the claim, so that each claimed mail is sent at once. Otherwise its claim could end first.
        let permits = Arc::clone(room).try_acquire_many_owned(u32::try_from(free).unwrap_or(0));
        let Ok(mut permits) = permits else { return Ok(()) };
        let now = service.clock.now();
        let until = now + TimeDelta::from_std(mailer.timeout()).unwrap_or(CLAIMED) + CLAIMED;
        let claimed = if free == 0 { Vec::new() } else { service.store.mails_claim(free, now, until).await? };
        if claimed.is_empty() {
            return Ok(());
        }
        for mail in claimed {
            start(Arc::clone(service), mail, permits.split(1));
        }
    }
    Ok(())
}

fn start(service: Arc<Service>, mail: ClaimedMail, permit: Option<OwnedSemaphorePermit>) {
    tokio::spawn(async move {
        if let Err(error) = process(&service, &mail).await {
            // The mail is due again once its claim has ended.
            tracing::warn!(error = &error as &dyn std::error::Error, kind = mail.kind, "a mail was not sent");
        }
        drop(permit);
        service.mail_due.notify_one();
    });
}

/// Sends a mail and records the outcome.
async fn process(service: &Service, mail: &ClaimedMail) -> Result<(), StoreError> {
    let store = &service.store;
    let Some(mailer) = &service.ports.mailer else { return Ok(()) };
    if mail.expires_at <= service.clock.now() {
        give_up(mail, "no mail server has taken it in time");
        return store.mail_done(mail).await.map(drop);
    }
    let Some(outgoing) = written(service, mail).await? else {
        return store.mail_done(mail).await.map(drop);
    };
    match send(service, mailer, &outgoing).await {
        Ok(()) => store.mail_done(mail).await.map(drop),
        Err(failure @ MailFailure::Rejected(_)) => {
            give_up(mail, &failure.to_string());
            store.mail_done(mail).await.map(drop)
        }
        Err(failure) => {
            let delay = usize::try_from(mail.attempts - 1).ok().and_then(|past| DELAYS.get(past));
            let next_at = delay.map(|delay| service.clock.now() + *delay).filter(|at| *at < mail.expires_at);
            let Some(next_at) = next_at else {
                give_up(mail, &failure.to_string());
                return store.mail_done(mail).await.map(drop);
            };
            let (kind, to) = (&mail.kind, masked(&outgoing.to));
            tracing::warn!(kind, to, attempt = mail.attempts, "a mail is sent later: {failure}");
            store.mail_retry(mail, next_at).await.map(drop)
        }
    }
}

async fn send(service: &Service, mailer: &Mailer, mail: &OutgoingMail) -> Result<(), MailFailure> {
    let outcome = mailer.send(mail).await;
    service.metrics.mail_attempt(match &outcome {
        Ok(_) => "ok",
        Err(MailFailure::Rejected(_)) => "rejected",
        Err(_) => "failed",
    });
    outcome.map(drop)
}

fn give_up(mail: &ClaimedMail, why: &str) {
    let (kind, to) = (&mail.kind, masked(&mail.address));
    tracing::warn!(kind, to, attempts = mail.attempts, "a mail is not sent: {why}");
}

/// A mail as it is sent now. `None` if there is nothing to send.
async fn written(service: &Service, mail: &ClaimedMail) -> Result<Option<OutgoingMail>, StoreError> {
    let Some(kind) = MailKind::from_name(&mail.kind) else {
        give_up(mail, "this version of the server does not know its kind");
        return Ok(None);
    };
    let Ok(mut values) = serde_json::from_str::<Values>(&mail.parameters) else {
        return Err(StoreError::Corrupt("the parameters of a mail".to_owned()));
    };
    let secret = |prefix: &str| format!("{prefix}{}", service.key.code("link in a mail", &mail.id.to_string()));
    let base = &service.config.base_url;
    let (kind, recipient, link) = match kind {
        MailKind::Reset => {
            let secret = secret(password_resets::PREFIX);
            let link = service.store.mail_reset_link(mail, &ids::hash(&secret)).await?;
            if let (LinkMail::Link(recipient), 1) = (&link, mail.attempts) {
                audit::record(service, Event::ResetLinkMade, Some(recipient.account_id), Actor::Server, "E-mail").await;
            }
            resolved(link, (kind, password_resets::address(base, &secret)), MailKind::ResetWithoutPassword)
        }
        MailKind::Verify => {
            let secret = secret(VERIFY_PREFIX);
            let link = service.store.mail_verification_link(mail, &ids::hash(&secret)).await?;
            resolved(link, (kind, format!("{base}/verify-email?token={secret}")), MailKind::AddressTaken)
        }
        kind => {
            let username = match mail.account_id {
                Some(id) => service.store.account(id).await?.map(|account| account.username),
                // The deletion of an account: the mail knows its name.
                None => values.get("username").cloned(),
            };
            (kind, username.map(|username| (username, mail.address.clone())), None)
        }
    };
    let Some((username, address)) = recipient else { return Ok(None) };
    let link = link.or_else(|| kind.page().map(|page| format!("{base}{page}")));
    values.insert("username".to_owned(), username);
    values.insert("service".to_owned(), base.clone());
    values.entry("until".to_owned()).or_insert_with(|| time(mail.expires_at));
    values.extend(link.map(|link| ("link".to_owned(), link)));
    let RenderedMail { subject, text, html } = render(kind, &values);
    Ok(Some(OutgoingMail { id: mail.id, to: address, subject, text, html, date: mail.created_at }))
}

/// The kind, the recipient (name and address) and the link of a mail: one with a link, or the other kind.
fn resolved(
    mail: LinkMail,
    (kind, link): (MailKind, String),
    other: MailKind,
) -> (MailKind, Option<(String, String)>, Option<String>) {
    match mail {
        LinkMail::Link(Recipient { username, address, .. }) => (kind, Some((username, address)), Some(link)),
        LinkMail::NoLink(Recipient { username, address, .. }) => (other, Some((username, address)), None),
        LinkMail::Nothing => (kind, None, None),
    }
}
