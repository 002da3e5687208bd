//! The log of a webhook's deliveries, and the attempts that an app asks for: a test, and a redelivery.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::OWN;
use super::deliveries::DeliveryState;
use super::queue::INSERT;
use crate::engine::transaction::End;
use crate::query::row::row;
use crate::query::statement::{BATCH, statements};
use crate::query::{Query, query, text};
use crate::{Result, Store};

/// The number of deliveries of a webhook that are kept.
const KEPT: i64 = 10_000;

/// The days for which deliveries are kept.
const DAYS: i64 = 30;

row! {
    /// A delivery as the log shows it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DeliveryRow {
        pub id: Uuid = "id",
        pub kind: String = "kind",
        pub itinerary_id: Option<Uuid> = "itinerary_id",
        pub state: DeliveryState = "state",
        pub attempts: i64 = "attempts",
        pub created_at: DateTime<Utc> = "created_at",
        /// When the last attempt began.
        pub last_at: Option<DateTime<Utc>> = "last_at",
        /// When the next attempt is due. While one is in progress, when it is given up.
        pub next_at: Option<DateTime<Utc>> = "next_at",
        /// The HTTP status of the last response.
        pub status: Option<i64> = "status",
        /// The start of the last response's body.
        pub body: Option<String> = "body",
        /// Why the last attempt has failed.
        pub failure: Option<String> = "failure",
    }
}

/// The outcome of queueing an attempt that an app asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueOutcome {
    Queued(DeliveryRow),
    /// The webhook is disabled.
    Disabled,
    /// The webhook or the delivery does not exist.
    Missing,
}

macro_rules! log_page {
    ($after:literal) => {
        text!(
            "SELECT ",
            DeliveryRow::COLUMNS,
            " FROM webhook_deliveries WHERE webhook_id = $1",
            $after,
            " ORDER BY created_at DESC, id DESC LIMIT $2"
        )
    };
}

statements! {
    const FIRST = log_page!("");

    const LATER = log_page!(" AND (created_at, id) < ($3, $4)");

    const DELIVERY = text!("SELECT ", DeliveryRow::COLUMNS, " FROM webhook_deliveries WHERE id = $1 AND webhook_id = $2");

    const AGAIN = "UPDATE webhook_deliveries SET state = 'pending', next_at = $3 \
         WHERE id = $1 AND webhook_id = $2 AND state <> 'sending'";

    const EXISTS = text!("SELECT 1 FROM webhooks", OWN);

    const EXPIRE = "DELETE FROM webhook_deliveries WHERE id IN \
         (SELECT id FROM webhook_deliveries WHERE created_at < $1 AND next_at IS NULL ORDER BY created_at LIMIT $2)";

    const OVER_LIMIT = "SELECT webhook_id FROM webhook_deliveries GROUP BY webhook_id HAVING count(*) > $1";

    /// Beyond the newest $2 of the webhook $1.
    const TRIM = "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries WHERE webhook_id = $1 \
         AND next_at IS NULL AND created_at < (SELECT created_at FROM webhook_deliveries WHERE webhook_id = $1 \
         ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $2) LIMIT $3)";
}

impl Store {
    /// Queues a test of a webhook.
    pub async fn webhook_test(
        &self,
        webhook: Uuid,
        account: Uuid,
        client: &str,
        (id, kind): (Uuid, &'static str),
        now: DateTime<Utc>,
    ) -> Result<QueueOutcome> {
        let insert = query!(INSERT, id, webhook, kind, None::<Uuid>, None::<String>, now, now);
        self.queue_attempt((webhook, account, client.to_owned()), id, insert).await
    }

    /// Makes the next attempt of a delivery due now, unless one is in progress.
    pub async fn webhook_redeliver(
        &self,
        webhook: Uuid,
        account: Uuid,
        client: &str,
        id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<QueueOutcome> {
        let again = query!(AGAIN, id, webhook, now);
        self.queue_attempt((webhook, account, client.to_owned()), id, again).await
    }

    async fn queue_attempt(&self, webhook: (Uuid, Uuid, String), id: Uuid, write: Query) -> Result<QueueOutcome> {
        self.transaction((webhook, id, write), |((webhook, account, client), id, write), transaction| {
            Box::pin(async move {
                match transaction.lock_webhook(*webhook, *account, client).await? {
                    None => return Ok(End::Rollback(QueueOutcome::Missing)),
                    Some(Some(_)) => return Ok(End::Rollback(QueueOutcome::Disabled)),
                    Some(None) => {}
                }
                transaction.execute(write).await?;
                transaction.set_due(*webhook).await?;
                match transaction.fetch_optional(&query!(DELIVERY, *id, *webhook)).await? {
                    Some(row) => Ok(End::Commit(QueueOutcome::Queued(row))),
                    None => Ok(End::Rollback(QueueOutcome::Missing)),
                }
            })
        })
        .await
    }

    /// A page of at most `limit` deliveries of a webhook, newest first; a later page continues after the `created_at` and
    /// `id` of a row. `None` if the webhook does not exist.
    pub async fn delivery_page(
        &self,
        webhook: Uuid,
        account: Uuid,
        client: &str,
        after: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Option<Vec<DeliveryRow>>> {
        if !self.exists(&query!(EXISTS, webhook, account, client)).await? {
            return Ok(None);
        }
        let limit = i64::from(limit);
        let page = match after {
            None => query!(FIRST, webhook, limit),
            Some((instant, id)) => query!(LATER, webhook, limit, instant, id),
        };
        self.fetch_page(page).await.map(Some)
    }

    /// Deletes deliveries of more than 30 days, and all but the last 10,000 of a webhook; returns how many.
    pub async fn deliveries_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut expired = self.delete_in_batches(query!(EXPIRE, now - TimeDelta::days(DAYS), BATCH)).await?;
        let over: Vec<Uuid> = self.fetch_all_long(query!(OVER_LIMIT, KEPT)).await?;
        for webhook in over {
            expired += self.delete_in_batches(query!(TRIM, webhook, KEPT - 1, BATCH)).await?;
        }
        Ok(expired)
    }
}
