//! The queue of deliveries: which attempts are made now, and how they ended. The log of deliveries is in `log.rs`.
//!
//! A server claims attempts by moving `next_at` to when it must be done. If the server is killed, the attempt is due again
//! then. So an event arrives at least once.
//!
//! A slow receiver keeps at most [`AT_ONCE_PER_HOST`] attempts of all servers in progress, and an account
//! [`AT_ONCE_PER_ACCOUNT`]; webhooks beyond that are passed over, so that they delay no other.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::WebhookDisabled;
use super::queue::granted;
use crate::engine::transaction::{End, Transaction};
use crate::query::row::{FromColumn, row};
use crate::query::statement::{Texts, statements};
use crate::query::{ToColumn, query, text};
use crate::{Result, Store, StoreError};

/// The maximum number of attempts in progress to one host and port.
const AT_ONCE_PER_HOST: i64 = 4;

/// The maximum number of attempts in progress for one account.
const AT_ONCE_PER_ACCOUNT: i64 = 8;

/// The maximum number of webhooks whose deliveries are claimed at once.
const WEBHOOKS_AT_ONCE: i64 = 64;

/// How long all attempts must have failed until the webhook is disabled.
const FAILING: TimeDelta = TimeDelta::days(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeliveryState {
    /// An attempt follows.
    Pending,
    /// An attempt is in progress.
    Sending,
    Succeeded,
    /// No attempt follows.
    Failed,
    /// A newer event was queued in its place.
    Replaced,
}

impl DeliveryState {
    const ALL: [Self; 5] = [Self::Pending, Self::Sending, Self::Succeeded, Self::Failed, Self::Replaced];

    fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Sending => "sending",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Replaced => "replaced",
        }
    }
}

impl ToColumn for DeliveryState {
    fn to_column(self) -> sea_orm::Value {
        self.as_str().into()
    }
}

impl FromColumn for DeliveryState {
    type Stored = String;

    fn from_column(name: String) -> Result<Self> {
        let state = Self::ALL.into_iter().find(|state| state.as_str() == name);
        state.ok_or_else(|| StoreError::Corrupt(format!("no delivery is {name:?}")))
    }
}

row! {
    /// The webhook of an attempt.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SendingWebhook {
        pub id: Uuid = "w.id",
        pub account_id: Uuid = "w.account_id",
        pub host: String = "w.host",
        pub url: String = "w.url",
        /// Sealed.
        pub secret: String = "w.secret",
        /// Sealed; `None` once it is not used any more.
        pub former_secret: Option<String> = "CASE WHEN w.former_until > $1 THEN w.former_secret END",
    }
}

row! {
    /// An attempt to deliver an event.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Attempt {
        /// The id of the delivery.
        pub id: Uuid = "id",
        pub kind: String = "kind",
        /// `None` in a test.
        pub itinerary_id: Option<Uuid> = "itinerary_id",
        pub etag: Option<String> = "etag",
        /// When the event happened.
        pub at: DateTime<Utc> = "at",
        /// The number of this attempt, from 1.
        pub number: i64 = "attempts",
    }
}

/// An attempt that is this server's to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    pub webhook: SendingWebhook,
    pub attempt: Attempt,
}

/// How an attempt ended.
#[derive(Clone, Debug, Default)]
pub struct AttemptOutcome {
    /// The HTTP status, if there was a response.
    pub status: Option<i64>,
    /// The start of the response's body.
    pub body: Option<String>,
    /// Why it has failed; `None` if it has succeeded.
    pub failure: Option<String>,
    /// When the next attempt is due; `None` if none follows.
    pub next_at: Option<DateTime<Utc>>,
    /// Whether the response was 410.
    pub is_gone: bool,
    /// Whether the server could not send: that is no failure of the receiver.
    pub is_ours: bool,
}

row! {
    struct DueRow {
        webhook: SendingWebhook = SendingWebhook::COLUMNS,
        of_host: i64 = "(SELECT count(*) FROM busy b WHERE b.host = w.host)",
        of_account: i64 = "(SELECT count(*) FROM busy b WHERE b.account_id = w.account_id)",
    }
}

macro_rules! due {
    ($end:literal) => {
        text!(
            "WITH busy AS (SELECT v.host, v.account_id FROM webhook_deliveries d JOIN webhooks v ON v.id = d.webhook_id \
             WHERE d.state = 'sending' AND d.next_at > $1) SELECT ",
            DueRow::COLUMNS,
            " FROM webhooks w WHERE w.due_at <= $1 AND w.disabled IS NULL AND w.paused_since IS NULL AND ",
            granted!("itineraries:read", "$1"),
            " AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'integrations_paused') AND (SELECT count(*) FROM busy b WHERE b.host = w.host) < $2 \
             AND (SELECT count(*) FROM busy b WHERE b.account_id = w.account_id) < $3 \
             ORDER BY CASE WHEN w.failing_since IS NULL THEN 0 ELSE 1 END, COALESCE(w.claimed_at, 0), w.due_at \
             LIMIT $4",
            $end
        )
    };
}

statements! {
    /// One server claims at a time, so that the limits of hosts and accounts hold for all.
    const LOCK_QUEUE = Texts::for_engines(
        "SELECT 1 FROM webhook_queue",
        "SELECT 1 FROM webhook_queue FOR NO KEY UPDATE SKIP LOCKED",
    );

    const IS_ANY_DUE = "SELECT 1 FROM webhooks WHERE due_at <= $1 LIMIT 1";

    const DUE = Texts::for_engines(due!(""), due!(" FOR NO KEY UPDATE OF w SKIP LOCKED"));

    const CLAIM = text!(
        "UPDATE webhook_deliveries SET state = 'sending', attempts = attempts + 1, last_at = $2, next_at = $3 \
         WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND next_at <= $2 \
         ORDER BY next_at LIMIT 1) RETURNING ",
        Attempt::COLUMNS
    );

    const CLAIMED = "UPDATE webhooks SET claimed_at = $2 WHERE id = $1";

    const END = "UPDATE webhook_deliveries SET state = $3, next_at = $4, status = $5, body = $6, failure = $7 \
         WHERE id = $1 AND attempts = $2 AND state = 'sending'";

    const SUCCEEDED = "UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL";

    const FAILED = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $2) WHERE id = $1 \
         RETURNING failing_since";

    /// Whether a newer event was queued in place of the delivery $1 while it was attempted.
    const IS_OUTDATED = "SELECT 1 FROM webhook_deliveries d JOIN webhook_deliveries n ON n.webhook_id = d.webhook_id \
         AND n.itinerary_id = d.itinerary_id AND n.created_at > d.created_at WHERE d.id = $1 AND n.kind = d.kind \
         AND d.kind = $2 LIMIT 1";

    const FIRST_DUE = "SELECT min(due_at) FROM webhooks WHERE due_at IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'integrations_paused')";

}

impl Store {
    /// Claims at most `most` attempts that are due, until `until`. None while another server claims, or integrations are
    /// paused.
    pub async fn deliveries_claim(
        &self,
        most: usize,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Vec<ClaimedDelivery>> {
        // Most of the time none is, and a read costs less than a write that changes nothing.
        if !self.exists(&query!(IS_ANY_DUE, now)).await? {
            return Ok(Vec::new());
        }
        self.transaction((most, now, until), |&(most, now, until), transaction| {
            Box::pin(async move {
                if !transaction.exists(&query!(LOCK_QUEUE)).await? {
                    return Ok(End::Rollback(Vec::new()));
                }
                let due = query!(DUE, now, AT_ONCE_PER_HOST, AT_ONCE_PER_ACCOUNT, WEBHOOKS_AT_ONCE);
                let rows: Vec<DueRow> = transaction.fetch_all(&due).await?;
                let (mut shares, mut claimed) = (Shares::default(), Vec::new());
                // One for each webhook, then one more each, as long as there is room.
                let mut turns: VecDeque<DueRow> = rows.into();
                while let Some(row) = turns.pop_front()
                    && claimed.len() < most
                {
                    if shares.are_used(&row) {
                        continue;
                    }
                    let claim = query!(CLAIM, row.webhook.id, now, until);
                    let Some(attempt) = transaction.fetch_optional::<Attempt>(&claim).await? else { continue };
                    transaction.execute(&query!(CLAIMED, row.webhook.id, now)).await?;
                    transaction.set_due(row.webhook.id).await?;
                    shares.take(&row.webhook);
                    claimed.push(ClaimedDelivery { webhook: row.webhook.clone(), attempt });
                    turns.push_back(row);
                }
                Ok(End::Commit(claimed))
            })
        })
        .await
    }

    /// Records how an attempt ended. `false` if it was claimed again meanwhile, or the webhook is deleted. A delivery of the
    /// kind `replaces` that has failed is not attempted again if a newer one of its itinerary is queued.
    pub async fn delivery_end(
        &self,
        claimed: &ClaimedDelivery,
        outcome: AttemptOutcome,
        replaces: &'static str,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let input = (claimed.webhook.id, claimed.attempt.id, claimed.attempt.number, outcome, replaces, now);
        self.transaction(input, |(webhook, id, number, outcome, replaces, now), transaction| {
            Box::pin(async move {
                let AttemptOutcome { status, body, failure, next_at, is_gone, is_ours } = outcome;
                if !transaction.lock_any_webhook(*webhook).await? {
                    return Ok(End::Rollback(false));
                }
                let state = match (failure, next_at) {
                    (None, _) => DeliveryState::Succeeded,
                    (Some(_), _) if transaction.exists(&query!(IS_OUTDATED, *id, *replaces)).await? => {
                        DeliveryState::Replaced
                    }
                    (Some(_), Some(_)) => DeliveryState::Pending,
                    (Some(_), None) => DeliveryState::Failed,
                };
                let next_at = next_at.filter(|_| state == DeliveryState::Pending);
                let end = query!(END, *id, *number, state, next_at, *status, body.clone(), failure.clone());
                if transaction.execute(&end).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                if state == DeliveryState::Succeeded {
                    transaction.execute(&query!(SUCCEEDED, *webhook)).await?;
                } else if !is_ours {
                    let may_disable = *number > 1;
                    transaction.note_failure(*webhook, *is_gone, may_disable, *now).await?;
                }
                transaction.set_due(*webhook).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// When the first attempt is due. `None` if none is waited for, or integrations are paused.
    pub async fn deliveries_due(&self) -> Result<Option<DateTime<Utc>>> {
        Ok(self.fetch_optional::<Option<DateTime<Utc>>>(&query!(FIRST_DUE)).await?.flatten())
    }
}

impl Transaction {
    /// Disables a webhook whose attempts have failed for too long, or whose receiver has responded with 410.
    async fn note_failure(
        &mut self,
        webhook: Uuid,
        is_gone: bool,
        may_disable: bool,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let since: Option<DateTime<Utc>> = self.fetch_optional(&query!(FAILED, webhook, now)).await?;
        if is_gone {
            self.disable_webhook(webhook, WebhookDisabled::Gone).await
        } else if may_disable && since.is_some_and(|since| now - since >= FAILING) {
            self.disable_webhook(webhook, WebhookDisabled::Failing).await
        } else {
            Ok(())
        }
    }
}

/// The attempts that were claimed in one transaction.
#[derive(Debug, Default)]
struct Shares {
    of_hosts: HashMap<String, i64>,
    of_accounts: HashMap<Uuid, i64>,
}

impl Shares {
    /// Whether the host or the account of a webhook may have no more attempts.
    fn are_used(&self, row: &DueRow) -> bool {
        let of_host = row.of_host + self.of_hosts.get(&row.webhook.host).copied().unwrap_or_default();
        let of_account = row.of_account + self.of_accounts.get(&row.webhook.account_id).copied().unwrap_or_default();
        of_host >= AT_ONCE_PER_HOST || of_account >= AT_ONCE_PER_ACCOUNT
    }

    fn take(&mut self, webhook: &SendingWebhook) {
        *self.of_hosts.entry(webhook.host.clone()).or_default() += 1;
        *self.of_accounts.entry(webhook.account_id).or_default() += 1;
    }
}
