//! Queues the changes of the feed as deliveries, and pauses webhooks whose app has no grant.
//!
//! Each webhook has its own position in the feed, which moves in the transaction that queues the changes before it, so
//! that each is queued once, also if two servers do it or one is killed. The position in `webhook_queue` is the
//! position up to which some server has looked up the webhooks that changes concern.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{LAST_POSTGRES, LAST_SQLITE};
use crate::engine::transaction::{End, Transaction};
use crate::query::row::row;
use crate::query::statement::{BATCH, Texts, statements};
use crate::query::{query, text};
use crate::{Result, Store};

/// The days after which a webhook without a grant is deleted.
const DAYS_WITHOUT_GRANT: i64 = 7;

/// Whether the app of the webhook `w` has a grant with this scope, or is a personal access token with it, at the time of
/// this parameter.
macro_rules! granted {
    ($scope:literal, $now:literal) => {
        $crate::query::text!(
            "(EXISTS (SELECT 1 FROM grants g WHERE g.account_id = w.account_id AND g.client_id = w.client_id \
             AND g.revoked_at IS NULL AND g.expires_at > ",
            $now,
            " AND ' ' || g.scope || ' ' LIKE '% ",
            $scope,
            " %') OR EXISTS (SELECT 1 FROM personal_tokens t WHERE t.account_id = w.account_id \
             AND t.client_id = w.client_id AND t.expires_at > ",
            $now,
            " AND ' ' || t.scope || ' ' LIKE '% ",
            $scope,
            " %'))"
        )
    };
}
pub(super) use granted;

row! {
    /// A webhook whose changes can be queued.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct QueuedWebhook {
        pub id: Uuid = "w.id",
        pub account_id: Uuid = "w.account_id",
        /// Separated by spaces.
        pub types: String = "w.types",
        /// The position of the last change that was queued.
        pub position: i64 = "w.position",
        /// Whether the app has a grant to read itineraries.
        pub is_granted: bool = granted!("itineraries:read", "$2"),
        /// Whether the app has a grant to read documents.
        pub documents: bool = granted!("documents:read", "$2"),
    }
}

/// An event to deliver.
#[derive(Clone, Debug)]
pub struct NewDelivery {
    pub id: Uuid,
    pub kind: String,
    pub itinerary_id: Uuid,
    pub etag: Option<String>,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The kind of earlier events of this itinerary in whose place it is sent, if they are not delivered yet.
    pub replaces: Option<&'static str>,
}

/// The maximum number of deliveries of a webhook that wait. Further events fail at once.
const MOST_WAITING: i64 = 10_000;

/// Inserts a delivery whose first attempt is due now, $6.
pub(super) const INSERT: &str = "INSERT INTO webhook_deliveries \
     (id, webhook_id, kind, itinerary_id, etag, at, state, attempts, created_at, next_at) \
     VALUES ($1, $2, $3, $4, $5, $7, 'pending', 0, $6, $6)";

/// The same for one that is not attempted.
const INSERT_FAILED: &str = "INSERT INTO webhook_deliveries \
     (id, webhook_id, kind, itinerary_id, etag, at, state, attempts, created_at, failure) \
     VALUES ($1, $2, $3, $4, $5, $7, 'failed', 0, $6, 'too many events are waiting')";

macro_rules! restart {
    ($last:expr) => {
        text!(
            "UPDATE webhooks SET epoch = $1, position = CASE WHEN position < ",
            $last,
            " THEN position ELSE ",
            $last,
            " END WHERE epoch <> $1"
        )
    };
}

macro_rules! restart_queue {
    ($last:expr) => {
        text!(
            "INSERT INTO webhook_queue (id, epoch, position) \
             SELECT 1, $1, COALESCE((SELECT min(position) FROM webhooks WHERE disabled IS NULL AND paused_since IS NULL), ",
            $last,
            // SQLite would take ON for the beginning of a join otherwise.
            ") WHERE TRUE ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, position = excluded.position \
             WHERE webhook_queue.epoch <> excluded.epoch"
        )
    };
}

macro_rules! lock {
    ($end:literal) => {
        text!("SELECT 1 FROM webhooks WHERE id = $1", $end)
    };
}

statements! {
    const RESTART = Texts::for_engines(restart!(LAST_SQLITE), restart!(LAST_POSTGRES));

    const RESTART_QUEUE = Texts::for_engines(restart_queue!(LAST_SQLITE), restart_queue!(LAST_POSTGRES));

    /// To the first position that an enabled webhook needs, if that is later.
    const SKIP = "UPDATE webhook_queue SET position = (SELECT min(position) FROM webhooks \
         WHERE disabled IS NULL AND paused_since IS NULL) WHERE epoch = $1 AND position = $2 \
         AND position < (SELECT min(position) FROM webhooks WHERE disabled IS NULL AND paused_since IS NULL)";

    const MOVE_QUEUE = "UPDATE webhook_queue SET position = $3 WHERE epoch = $1 AND position = $2";

    /// Of the accounts in the JSON array $1.
    const OF_ACCOUNTS = Texts::for_engines(
        text!(
            "SELECT ",
            QueuedWebhook::COLUMNS,
            " FROM webhooks w WHERE w.disabled IS NULL AND w.paused_since IS NULL \
             AND w.account_id IN (SELECT unhex(value) FROM json_each($1))"
        ),
        text!(
            "SELECT ",
            QueuedWebhook::COLUMNS,
            " FROM webhooks w WHERE w.disabled IS NULL AND w.paused_since IS NULL \
             AND w.account_id IN (SELECT value::uuid FROM json_array_elements_text($1::json))"
        ),
    );

    const MOVE = "UPDATE webhooks SET position = $3 WHERE id = $1 AND position = $2 AND disabled IS NULL";

    /// Updates a delivery that was not attempted yet.
    const RENEW = "UPDATE webhook_deliveries SET etag = $4, at = $5 WHERE webhook_id = $1 AND itinerary_id = $2 \
         AND kind = $3 AND state = 'pending' AND attempts = 0 AND next_at IS NOT NULL";

    /// One that was attempted may have arrived: a receiver would ignore its id.
    const REPLACE = "UPDATE webhook_deliveries SET state = 'replaced', next_at = NULL WHERE webhook_id = $1 \
         AND itinerary_id = $2 AND kind = $3 AND state = 'pending' AND next_at IS NOT NULL";

    pub(super) const SET_DUE = "UPDATE webhooks SET due_at = (SELECT min(d.next_at) FROM webhook_deliveries d \
         WHERE d.webhook_id = $1 AND d.next_at IS NOT NULL) WHERE id = $1 AND disabled IS NULL AND paused_since IS NULL";

    const COUNT_WAITING = "SELECT count(*) FROM (SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 \
         AND next_at IS NOT NULL LIMIT $2) AS w";

    const FORGET_FORMER_SECRETS =
        "UPDATE webhooks SET former_secret = NULL, former_until = NULL WHERE former_until <= $1";

    const PAUSE = text!(
        "UPDATE webhooks AS w SET paused_since = $1, due_at = NULL WHERE w.paused_since IS NULL AND NOT ",
        granted!("itineraries:read", "$1")
    );

    const PAUSE_ONE = "UPDATE webhooks SET paused_since = $2, due_at = NULL WHERE id = $1 AND paused_since IS NULL";

    const RESUMABLE = text!(
        "SELECT ",
        QueuedWebhook::COLUMNS,
        " FROM webhooks w WHERE w.paused_since IS NOT NULL AND ",
        granted!("itineraries:read", "$2"),
        " ORDER BY w.paused_since LIMIT $1"
    );

    const LOCK = Texts::for_engines(lock!(""), lock!(" FOR NO KEY UPDATE"));

    const RESUME =
        "UPDATE webhooks SET paused_since = NULL, failing_since = NULL WHERE id = $1 AND paused_since IS NOT NULL";

    /// Changes that were examined during the pause are examined again.
    const STEP_BACK = "UPDATE webhook_queue SET position = (SELECT position FROM webhooks WHERE id = $1) \
         WHERE position > (SELECT position FROM webhooks WHERE id = $1)";

    const DELETE_PAUSED = text!(
        "DELETE FROM webhooks WHERE id IN (SELECT w.id FROM webhooks w WHERE w.paused_since <= $1 AND NOT ",
        granted!("itineraries:read", "$2"),
        " LIMIT 10)"
    );
}

impl Store {
    /// Begins a new epoch. Webhooks keep their positions, because they are in the database of the feed; none is beyond
    /// its last one.
    pub async fn webhooks_restart(&self, epoch: &str) -> Result<()> {
        self.transaction(epoch.to_owned(), |epoch, transaction| {
            Box::pin(async move {
                transaction.execute(&query!(RESTART, epoch)).await?;
                transaction.execute(&query!(RESTART_QUEUE, epoch)).await?;
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Moves the queue to the first position that an enabled webhook needs. `false` if that is not after this position.
    pub async fn webhooks_skip(&self, epoch: &str, position: i64) -> Result<bool> {
        Ok(self.execute(query!(SKIP, epoch, position)).await? == 1)
    }

    /// Records that changes up to a position were examined. Does nothing if another server has.
    pub async fn webhooks_examined(&self, epoch: &str, from: i64, to: i64) -> Result<()> {
        self.execute(query!(MOVE_QUEUE, epoch, from, to)).await.map(|_| ())
    }

    /// The webhooks of these accounts that are neither disabled nor paused.
    pub async fn webhooks_of(&self, accounts: &[Uuid], now: DateTime<Utc>) -> Result<Vec<QueuedWebhook>> {
        let named = accounts.iter().map(|account| format!("\"{}\"", account.simple())).collect::<Vec<_>>().join(",");
        self.fetch_page(query!(OF_ACCOUNTS, format!("[{named}]"), now)).await
    }

    /// Queues events for a webhook and moves its position. `false` if it was moved meanwhile, or the webhook is disabled
    /// or deleted.
    pub async fn webhook_queue(
        &self,
        webhook: Uuid,
        from: i64,
        to: i64,
        events: Vec<NewDelivery>,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        self.transaction((webhook, from, to, events, now), |(webhook, from, to, events, now), transaction| {
            Box::pin(async move {
                if transaction.execute(&query!(MOVE, *webhook, *from, *to)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                if events.is_empty() {
                    return Ok(End::Commit(true));
                }
                let waiting = query!(COUNT_WAITING, *webhook, MOST_WAITING);
                let mut waiting = transaction.fetch_optional::<i64>(&waiting).await?.unwrap_or_default();
                for event in events {
                    waiting += i64::from(transaction.queue(*webhook, event, waiting < MOST_WAITING, *now).await?);
                }
                transaction.set_due(*webhook).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Pauses a webhook whose app has no grant.
    pub async fn webhook_pause(&self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.execute(query!(PAUSE_ONE, id, now)).await.map(|_| ())
    }

    /// Pauses all webhooks whose app has no grant, and deletes those that are paused for seven days. Returns the number of
    /// both. Also deletes former secrets that are not used any more.
    pub async fn webhooks_pause(&self, now: DateTime<Utc>) -> Result<u64> {
        self.execute(query!(FORGET_FORMER_SECRETS, now)).await?;
        let mut changed = self.execute(query!(PAUSE, now)).await?;
        loop {
            match self.execute(query!(DELETE_PAUSED, now - TimeDelta::days(DAYS_WITHOUT_GRANT), now)).await? {
                0 => return Ok(changed),
                deleted => changed += deleted,
            }
        }
    }

    /// Paused webhooks whose app has a grant again; at most a batch.
    pub async fn webhooks_resumable(&self, now: DateTime<Utc>) -> Result<Vec<QueuedWebhook>> {
        self.fetch_page(query!(RESUMABLE, BATCH, now)).await
    }

    /// Ends the pause of a webhook. The next turn queues the changes since its position.
    pub async fn webhook_resume(&self, id: Uuid) -> Result<()> {
        self.transaction(id, |id, transaction| {
            Box::pin(async move {
                transaction.exists(&query!(LOCK, *id)).await?;
                transaction.execute(&query!(RESUME, *id)).await?;
                transaction.execute(&query!(STEP_BACK, *id)).await?;
                transaction.set_due(*id).await?;
                Ok(End::Commit(()))
            })
        })
        .await
    }
}

impl Transaction {
    /// Queues an event; `true` if that is one more that waits.
    async fn queue(&mut self, webhook: Uuid, event: &NewDelivery, has_room: bool, now: DateTime<Utc>) -> Result<bool> {
        let NewDelivery { id, kind, itinerary_id, etag, at, replaces } = event;
        if let Some(replaced) = *replaces {
            let renew = query!(RENEW, webhook, *itinerary_id, kind, etag.clone(), *at);
            if replaced == kind && self.execute(&renew).await? > 0 {
                return Ok(false);
            }
            self.execute(&query!(REPLACE, webhook, *itinerary_id, replaced)).await?;
        }
        let insert = if has_room { INSERT } else { INSERT_FAILED };
        let insert = query!(insert, *id, webhook, kind, Some(*itinerary_id), etag.clone(), now, *at);
        self.execute(&insert).await?;
        Ok(has_room)
    }

    /// Sets when the next attempt of a webhook is due, under its lock.
    pub(super) async fn set_due(&mut self, webhook: Uuid) -> Result<()> {
        self.execute(&query!(SET_DUE, webhook)).await.map(|_| ())
    }

    /// Locks a webhook; `false` if it does not exist.
    pub(super) async fn lock_any_webhook(&mut self, webhook: Uuid) -> Result<bool> {
        self.exists(&query!(LOCK, webhook)).await
    }
}
