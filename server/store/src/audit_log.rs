//! The audit log: what was done with accounts, by whom, and from where.
//!
//! Entries are only added. What they are about, and how they read, is decided by the callers.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::engine::transaction::Transaction;
use crate::entity::audit_log::{Column, Entity};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query, text};
use crate::{Result, Store};

/// How long entries are kept.
const KEPT: TimeDelta = TimeDelta::days(365);

/// How long failed sign-ins under unknown names are kept: anyone can add them.
const UNKNOWN: TimeDelta = TimeDelta::days(7);

/// How long addresses and failed sign-ins are kept; how far back an account sees its own entries.
pub const AUDIT_SHORT: TimeDelta = TimeDelta::days(90);

/// An entry to add.
#[derive(Clone, Debug)]
pub struct NewAuditEntry {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    /// The account that it is about; `None` for an unknown name.
    pub account_id: Option<Uuid>,
    /// Who acted: `traveller`, `app`, `moderator`, `operator` or `server`.
    pub actor: &'static str,
    /// The moderator's account.
    pub actor_id: Option<Uuid>,
    pub event: &'static str,
    /// The app or the personal access token that acted, or that it is about.
    pub client_id: Option<String>,
    pub address: Option<String>,
    pub detail: Option<String>,
}

row! {
    /// An entry with the names of what it refers to.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AuditRow {
        pub id: Uuid = "e.id",
        pub created_at: DateTime<Utc> = "e.created_at",
        pub account_id: Option<Uuid> = "e.account_id",
        pub username: Option<String> = "a.username",
        pub actor: String = "e.actor",
        /// The moderator's username.
        pub moderator: Option<String> = "m.username",
        pub event: String = "e.event",
        pub client_id: Option<String> = "e.client_id",
        /// The client's name, while the client exists.
        pub client_name: Option<String> = "c.name",
        pub address: Option<String> = "e.address",
        pub detail: Option<String> = "e.detail",
    }
}

const ROWS: &str = text!(
    "SELECT ",
    AuditRow::COLUMNS,
    " FROM audit_log e LEFT JOIN accounts a ON a.id = e.account_id LEFT JOIN accounts m ON m.id = e.actor_id \
     LEFT JOIN clients c ON c.id = e.client_id "
);
const NEWEST_FIRST: &str = " ORDER BY e.created_at DESC, e.id DESC LIMIT $1";

statements! {
    const INSERT = insert([
        Column::Id,
        Column::CreatedAt,
        Column::AccountId,
        Column::Actor,
        Column::ActorId,
        Column::Event,
        Column::ClientId,
        Column::Address,
        Column::Detail,
    ]);

    /// Entries before the position ($2, $3).
    const ALL = text!(ROWS, "WHERE (e.created_at, e.id) < ($2, $3)", NEWEST_FIRST);

    const OF_ACCOUNT =
        text!(ROWS, "WHERE (e.created_at, e.id) < ($2, $3) AND e.account_id = $4 AND e.created_at > $5", NEWEST_FIRST);

    const BY_MODERATORS = text!(ROWS, "WHERE (e.created_at, e.id) < ($2, $3) AND e.actor = 'moderator'", NEWEST_FIRST);

    const EXPIRE = delete_batch(Entity::find().filter(Column::CreatedAt.lte(p(1))));

    const EXPIRE_FAILURES =
        delete_batch(Entity::find().filter(Column::CreatedAt.lte(p(1))).filter(Column::Event.eq("signInFailed")));

    const EXPIRE_UNKNOWN = delete_batch(
        Entity::find()
            .filter(Column::CreatedAt.lte(p(1)))
            .filter(Column::Event.eq("signInFailed"))
            .filter(Column::AccountId.is_null()),
    );

    const FORGET_ADDRESSES = "UPDATE audit_log SET address = NULL WHERE id IN \
         (SELECT id FROM audit_log WHERE address IS NOT NULL AND created_at <= $1 LIMIT 500)";

    /// Makes entries of and by the account $1 anonymous, a batch at a time.
    pub(crate) const FORGET_ACCOUNT = "UPDATE audit_log SET account_id = NULL, \
         actor_id = CASE WHEN actor_id = $1 THEN NULL ELSE actor_id END, client_id = NULL, address = NULL, detail = NULL \
         WHERE id IN (SELECT id FROM audit_log WHERE account_id = $1 LIMIT 500)";

    pub(crate) const FORGET_MODERATOR = "UPDATE audit_log SET actor_id = NULL, address = NULL WHERE id IN \
         (SELECT id FROM audit_log WHERE actor_id = $1 LIMIT 500)";
}

/// Whose entries a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditFilter {
    All,
    /// Those about an account, after a time.
    Account(Uuid, DateTime<Utc>),
    /// The acts of moderators.
    Moderators,
}

impl NewAuditEntry {
    fn insert(&self) -> Query {
        let Self { id, created_at, account_id, actor, actor_id, event, client_id, address, detail } = self;
        let (client_id, address, detail) = (client_id.as_deref(), address.as_deref(), detail.as_deref());
        query!(INSERT, *id, *created_at, *account_id, *actor, *actor_id, *event, client_id, address, detail)
    }
}

impl Store {
    /// Adds an entry.
    pub async fn audit_add(&self, entry: &NewAuditEntry) -> Result<()> {
        self.execute(entry.insert()).await.map(|_| ())
    }

    /// Entries, newest first, at most `limit`; those before an entry, if its time and id are given.
    pub async fn audit_page(
        &self,
        filter: AuditFilter,
        before: Option<(DateTime<Utc>, Uuid)>,
        limit: u32,
    ) -> Result<Vec<AuditRow>> {
        let (at, id) = before.unwrap_or((DateTime::<Utc>::MAX_UTC, Uuid::max()));
        let limit = i64::from(limit);
        let query = match filter {
            AuditFilter::All => query!(ALL, limit, at, id),
            AuditFilter::Account(account, since) => query!(OF_ACCOUNT, limit, at, id, account, since),
            AuditFilter::Moderators => query!(BY_MODERATORS, limit, at, id),
        };
        self.fetch_all_long(query).await
    }

    /// Deletes entries after a year, failed sign-ins after 90 days and those under unknown names after a week, and forgets
    /// addresses after 90 days; returns how many entries it has deleted.
    pub async fn audit_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(FORGET_ADDRESSES, now - AUDIT_SHORT)).await?;
        let unknown = self.delete_in_batches(query!(EXPIRE_UNKNOWN, now - UNKNOWN)).await?;
        let failures = unknown + self.delete_in_batches(query!(EXPIRE_FAILURES, now - AUDIT_SHORT)).await?;
        Ok(failures + self.delete_in_batches(query!(EXPIRE, now - KEPT)).await?)
    }
}

impl Transaction {
    /// Adds an entry with what it is about.
    pub(crate) async fn audit(&mut self, entry: &NewAuditEntry) -> Result<()> {
        self.execute(&entry.insert()).await.map(|_| ())
    }
}
