//! Webhooks of an app and an account: creating, reading, changing and deleting them.
//!
//! `queue.rs` queues changes of the feed as deliveries, `deliveries.rs` claims and records attempts, `log.rs` lists
//! deliveries. Callers check URLs and seal secrets; types of events are opaque names.
//!
//! `due_at` of a webhook is only changed under the lock of its row, so that it is computed from all deliveries.

pub(crate) mod deliveries;
pub(crate) mod log;
pub(crate) mod queue;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::follows::IS_THERE;
use crate::query::row::{FromColumn, row};
use crate::query::statement::{Texts, statements};
use crate::query::{ToColumn, query, text};
use crate::{Result, Store, StoreError};

pub use deliveries::{Attempt, AttemptOutcome, ClaimedDelivery, DeliveryState, SendingWebhook};
pub use log::{DeliveryRow, QueueOutcome};
pub use queue::{NewDelivery, QueuedWebhook};

/// The maximum number of webhooks of an app and an account.
pub const WEBHOOKS_PER_APP: i64 = 10;

/// The maximum number of webhooks of an account, in all apps.
pub const WEBHOOKS_PER_ACCOUNT: i64 = 50;

/// Why a webhook is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookDisabled {
    /// An app has disabled it.
    App,
    /// The receiver has responded with 410.
    Gone,
    /// All attempts have failed for too long.
    Failing,
}

impl WebhookDisabled {
    const ALL: [Self; 3] = [Self::App, Self::Gone, Self::Failing];

    fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Gone => "gone",
            Self::Failing => "failing",
        }
    }
}

impl ToColumn for WebhookDisabled {
    fn to_column(self) -> sea_orm::Value {
        self.as_str().into()
    }
}

impl FromColumn for WebhookDisabled {
    type Stored = String;

    fn from_column(name: String) -> Result<Self> {
        let reason = Self::ALL.into_iter().find(|reason| reason.as_str() == name);
        reason.ok_or_else(|| StoreError::Corrupt(format!("no webhook is disabled as {name:?}")))
    }
}

row! {
    /// A webhook as its app sees it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct WebhookRow {
        pub id: Uuid = "w.id",
        pub url: String = "w.url",
        /// Separated by spaces.
        pub types: String = "w.types",
        pub description: Option<String> = "w.description",
        /// `None` while it is enabled.
        pub disabled: Option<WebhookDisabled> = "w.disabled",
        pub failing_since: Option<DateTime<Utc>> = "w.failing_since",
        pub created_at: DateTime<Utc> = "w.created_at",
    }
}

/// A webhook to create.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    pub url: String,
    /// The host and port of the URL.
    pub host: String,
    /// Separated by spaces.
    pub types: String,
    pub description: Option<String>,
    /// Sealed.
    pub secret: String,
    pub created_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookCreated {
    Created,
    /// The app has [`WEBHOOKS_PER_APP`] for the account, or the account has [`WEBHOOKS_PER_ACCOUNT`].
    Full,
    /// The account does not exist.
    NoAccount,
}

/// Fields to change; `None` keeps a field.
#[derive(Clone, Debug, Default)]
pub struct WebhookChange {
    /// The URL, with its host and port.
    pub url: Option<(String, String)>,
    /// Separated by spaces.
    pub types: Option<String>,
    pub description: Option<Option<String>>,
    pub enabled: Option<bool>,
}

/// The last position of the feed.
const LAST_SQLITE: &str = "COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'changes'), 0)";
const LAST_POSTGRES: &str = "COALESCE((SELECT last_position FROM change_feed), 0)";

/// The epoch of the feed.
const EPOCH: &str = "COALESCE((SELECT epoch FROM change_feed), '')";

macro_rules! create {
    ($last:expr) => {
        text!(
            "INSERT INTO webhooks (id, account_id, client_id, url, host, types, description, secret, created_at, position, epoch) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, ",
            $last,
            ", ",
            EPOCH,
            " WHERE (SELECT count(*) FROM webhooks WHERE account_id = $2 AND client_id = $3) < $10 \
             AND (SELECT count(*) FROM webhooks WHERE account_id = $2) < $11"
        )
    };
}

macro_rules! enable {
    ($last:expr) => {
        text!(
            "UPDATE webhooks SET disabled = NULL, failing_since = NULL, position = ",
            $last,
            ", epoch = ",
            EPOCH,
            " WHERE id = $1"
        )
    };
}

/// The webhook $1 of the account $2 and the client $3.
const OWN: &str = " WHERE id = $1 AND account_id = $2 AND client_id = $3";

macro_rules! lock {
    ($end:literal) => {
        text!("SELECT disabled FROM webhooks", OWN, $end)
    };
}

statements! {
    const CREATE = Texts::for_engines(create!(LAST_SQLITE), create!(LAST_POSTGRES));

    const ENABLE = Texts::for_engines(enable!(LAST_SQLITE), enable!(LAST_POSTGRES));

    const LOCK = Texts::for_engines(lock!(""), lock!(" FOR NO KEY UPDATE"));

    const LIST = text!(
        "SELECT ",
        WebhookRow::COLUMNS,
        " FROM webhooks w WHERE account_id = $1 AND client_id = $2 ORDER BY created_at DESC, id DESC"
    );

    const VIEW = text!("SELECT ", WebhookRow::COLUMNS, " FROM webhooks w", OWN);

    const CHANGE = "UPDATE webhooks SET url = COALESCE($2, url), host = COALESCE($3, host), types = COALESCE($4, types), \
         description = CASE WHEN $5 = 1 THEN $6 ELSE description END, \
         failing_since = CASE WHEN $2 IS NULL THEN failing_since END WHERE id = $1";

    const DISABLE = "UPDATE webhooks SET disabled = $2, due_at = NULL WHERE id = $1";

    const GIVE_UP = "UPDATE webhook_deliveries SET state = 'failed', next_at = NULL, \
         failure = COALESCE(failure, 'the webhook was disabled') WHERE webhook_id = $1 AND next_at IS NOT NULL";

    const DELETE = text!("DELETE FROM webhooks", OWN);

    const ROTATE = text!("UPDATE webhooks SET former_secret = secret, former_until = $5, secret = $4", OWN);
}

impl Store {
    /// Creates a webhook, which gets changes from now on.
    pub async fn webhook_create(&self, webhook: NewWebhook) -> Result<WebhookCreated> {
        self.transaction(webhook, |webhook, transaction| {
            Box::pin(async move {
                let NewWebhook { id, account_id, client_id, url, host, types, description, secret, created_at } =
                    webhook;
                transaction.lock_account(*account_id).await?;
                if !transaction.exists(&query!(IS_THERE, *account_id)).await? {
                    return Ok(End::Rollback(WebhookCreated::NoAccount));
                }
                let create = query!(
                    CREATE,
                    *id,
                    *account_id,
                    client_id,
                    url,
                    host,
                    types,
                    description.clone(),
                    secret,
                    *created_at,
                    WEBHOOKS_PER_APP,
                    WEBHOOKS_PER_ACCOUNT
                );
                match transaction.execute(&create).await? {
                    0 => Ok(End::Rollback(WebhookCreated::Full)),
                    _ => Ok(End::Commit(WebhookCreated::Created)),
                }
            })
        })
        .await
    }

    /// The webhooks of an app and an account, newest first.
    pub async fn webhooks(&self, account: Uuid, client: &str) -> Result<Vec<WebhookRow>> {
        self.fetch_all(&query!(LIST, account, client)).await
    }

    /// A webhook of an app and an account.
    pub async fn webhook(&self, id: Uuid, account: Uuid, client: &str) -> Result<Option<WebhookRow>> {
        self.fetch_optional(&query!(VIEW, id, account, client)).await
    }

    /// Changes a webhook. Disabling it gives up its deliveries; enabling it begins with the changes from now on. Returns
    /// the changed webhook, or `None` if it does not exist.
    pub async fn webhook_update(
        &self,
        id: Uuid,
        account: Uuid,
        client: &str,
        change: WebhookChange,
    ) -> Result<Option<WebhookRow>> {
        self.transaction((id, account, client.to_owned(), change), |(id, account, client, change), transaction| {
            Box::pin(async move {
                let Some(disabled) = transaction.lock_webhook(*id, *account, client).await? else {
                    return Ok(End::Rollback(None));
                };
                let (url, host) = change.url.clone().unzip();
                let has_description = i64::from(change.description.is_some());
                let description = change.description.clone().flatten();
                let query = query!(CHANGE, *id, url, host, change.types.clone(), has_description, description);
                transaction.execute(&query).await?;
                match (change.enabled, disabled) {
                    (Some(true), Some(_)) => transaction.execute(&query!(ENABLE, *id)).await.map(|_| ())?,
                    (Some(false), None) => transaction.disable_webhook(*id, WebhookDisabled::App).await?,
                    _ => {}
                }
                Ok(End::Commit(transaction.fetch_optional(&query!(VIEW, *id, *account, client)).await?))
            })
        })
        .await
    }

    /// Deletes a webhook with its deliveries. `false` if it does not exist.
    pub async fn webhook_delete(&self, id: Uuid, account: Uuid, client: &str) -> Result<bool> {
        Ok(self.execute(query!(DELETE, id, account, client)).await? == 1)
    }

    /// Replaces the secret of a webhook. Deliveries are signed with the former one, too, until an instant. `false` if the
    /// webhook does not exist.
    pub async fn webhook_rotate_secret(
        &self,
        id: Uuid,
        account: Uuid,
        client: &str,
        secret: &str,
        former_until: DateTime<Utc>,
    ) -> Result<bool> {
        Ok(self.execute(query!(ROTATE, id, account, client, secret, former_until)).await? == 1)
    }
}

impl Transaction {
    /// Locks a webhook of an app and an account; returns why it is disabled, if it is. `None` if it does not exist.
    async fn lock_webhook(&mut self, id: Uuid, account: Uuid, client: &str) -> Result<Option<Option<WebhookDisabled>>> {
        self.fetch_optional(&query!(LOCK, id, account, client)).await
    }

    /// Disables a webhook, and gives up its deliveries.
    async fn disable_webhook(&mut self, id: Uuid, reason: WebhookDisabled) -> Result<()> {
        self.execute(&query!(DISABLE, id, reason)).await?;
        self.execute(&query!(GIVE_UP, id)).await.map(|_| ())
    }
}
