//! Puts the changes of the feed into the queues of webhooks.
//!
//! Several servers may do it at once: the position of a webhook moves in the transaction that queues the changes before
//! it. A webhook whose app has no grant is paused, and continues from its position when there is one again.

use itinerary_api::types::{Change, ChangeType};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{FeedState, NewDelivery, QueuedWebhook};
use uuid::Uuid;

use super::types_of;
use crate::changes::changes_after;
use crate::{Error, Result};

/// The number of changes that are examined, and of events that are queued, at once.
const CHANGES: u32 = 1_000;
const EVENTS: u32 = 100;

/// The number of accounts whose webhooks are looked up in one statement.
const ACCOUNTS: usize = 1_000;

/// Queues the changes after a position for all webhooks.
pub(super) async fn queue_after(service: &Service, state: &FeedState, mut position: i64) -> Result<()> {
    // After a time without webhooks, most of it concerns none.
    if state.last - position > i64::from(CHANGES) && service.store.webhooks_skip(&state.epoch, position).await? {
        return Ok(());
    }
    while position < state.last {
        let since = service.store.changes_since(position, CHANGES).await?;
        if since.state.epoch != state.epoch {
            return Ok(());
        }
        let reached = since.accounts.iter().map(|(_, position)| *position).max().unwrap_or(since.state.last);
        let accounts: Vec<Uuid> = since.accounts.into_iter().map(|(account, _)| account).collect();
        for accounts in accounts.chunks(ACCOUNTS) {
            for webhook in service.store.webhooks_of(accounts, service.clock.now()).await? {
                queue_or_skip(service, &webhook).await?;
            }
        }
        service.store.webhooks_examined(&state.epoch, position, reached).await?;
        position = reached;
    }
    Ok(())
}

/// Queues the changes after a webhook's position. Corrupt rows are logged, so that they do not stop other webhooks.
async fn queue_or_skip(service: &Service, webhook: &QueuedWebhook) -> Result<()> {
    match queue(service, webhook).await {
        Err(Error::Corrupt(what)) => {
            let error = Error::Corrupt(what).for_log();
            tracing::error!(error, webhook = %webhook.id, "events cannot be queued");
            Ok(())
        }
        outcome => outcome,
    }
}

/// Queues the changes after a webhook's position, or pauses the webhook if its app has no grant.
async fn queue(service: &Service, webhook: &QueuedWebhook) -> Result<()> {
    let now = service.clock.now();
    if !webhook.is_granted {
        return Ok(service.store.webhook_pause(webhook.id, now).await?);
    }
    let types = types_of(&webhook.types);
    let mut position = webhook.position;
    loop {
        let (account, documents) = (webhook.account_id, webhook.documents);
        let (changes, reached, has_more) = changes_after(service, account, documents, position, EVENTS).await?;
        let events = changes.into_iter().filter(|change| types.contains(&change.kind));
        let events: Vec<_> = events.map(|change| delivery(service, change)).collect();
        let is_ours =
            reached > position && service.store.webhook_queue(webhook.id, position, reached, events, now).await?;
        if !is_ours || !has_more {
            return Ok(());
        }
        position = reached;
    }
}

fn delivery(service: &Service, change: Change) -> NewDelivery {
    NewDelivery {
        id: ids::uuid(service.clock.now(), &*service.random),
        kind: change.kind.name().to_owned(),
        itinerary_id: change.itinerary_id,
        etag: change.etag,
        at: change.at.0,
        // Nobody needs the version of an itinerary that is gone, or may see it.
        replaces: (change.kind != ChangeType::Shared).then_some(ChangeType::Updated.name()),
    }
}

/// Pauses webhooks whose app has no grant, deletes those that are paused for seven days, and resumes those whose app has
/// one again. Returns how many.
pub async fn check(service: &Service) -> Result<u64> {
    let mut changed = 0;
    for webhook in service.store.webhooks_resumable(service.clock.now()).await? {
        // Before it resumes, so that few changes must be examined again.
        queue_or_skip(service, &webhook).await?;
        service.store.webhook_resume(webhook.id).await?;
        changed += 1;
    }
    Ok(changed + service.store.webhooks_pause(service.clock.now()).await?)
}
