//! Secret addresses of calendars, and the itineraries that a calendar contains.
//!
//! An address is identified by the hash of its secret. An account has at most one.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::accounts::IS_ACTIVE;
use crate::caller::Pause;
use crate::engine::transaction::{End, Transaction};
use crate::entity::calendars::{Column, Entity};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{Hash, Result, Store};

row! {
    /// An itinerary of a calendar.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CalendarEntry {
        pub id: Uuid = "i.id",
        pub version: i64 = "i.version",
        /// `YYYY-MM-DD`.
        pub start_date: String = "i.start_date",
        /// The fields of a list's entry, as JSON.
        pub card: String = "i.card",
    }
}

row! {
    /// Whose calendar is at an address.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct CalendarOwner {
        pub account: Uuid = "a.id",
        /// Set while integrations are paused.
        pub paused: Option<Pause> = "(SELECT value FROM settings WHERE name = 'integrations_paused')",
    }
}

statements! {
    const SET = insert([Column::AccountId, Column::Hash, Column::CreatedAt])
        .or_update([Column::AccountId], [Column::Hash, Column::CreatedAt]);

    const END = Entity::delete_many().filter(Column::AccountId.eq(p(1)));

    const SINCE = Entity::find().select_only().column(Column::CreatedAt).filter(Column::AccountId.eq(p(1)));

    const OWNER = text!(
        "SELECT ",
        CalendarOwner::COLUMNS,
        " FROM calendars k JOIN accounts a ON a.id = k.account_id AND a.deleted_at IS NULL \
         AND a.suspended_at IS NULL WHERE k.hash = $1"
    );

    /// `CROSS JOIN` fixes the order: from the memberships to the itineraries. SQLite may otherwise scan all accounts.
    const ENTRIES = text!(
        "SELECT ",
        CalendarEntry::COLUMNS,
        " FROM (SELECT o.id, o.start_date, 1 AS own FROM itineraries o WHERE o.owner_id = $1 AND o.start_date >= $2 UNION ALL \
         SELECT o.id, o.start_date, 0 AS own FROM members x CROSS JOIN itineraries o WHERE x.account_id = $1 \
         AND o.id = x.itinerary_id AND o.start_date >= $2 \
         AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = o.owner_id AND a.deleted_at IS NULL) \
         ORDER BY 3 DESC, 2 DESC, 1 DESC LIMIT $3) AS k JOIN itineraries i ON i.id = k.id \
         ORDER BY k.own DESC, i.start_date DESC, i.id DESC"
    );
}

impl Store {
    /// Sets the address of an account's calendar, in place of an earlier one. `false` if the account is deleted or
    /// suspended, or the session in which it is made has ended.
    pub async fn calendar_set(&self, account: Uuid, hash: &Hash, session: &Hash, now: DateTime<Utc>) -> Result<bool> {
        self.transaction((account, *hash, *session, now), |(account, hash, session, now), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(&query!(IS_ACTIVE, *account)).await?
                    || !transaction.is_signed_in(*account, session).await?
                {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(SET, *account, hash, *now)).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Ends the address of an account's calendar. Idempotent.
    pub async fn calendar_end(&self, account: Uuid) -> Result<()> {
        self.execute(query!(END, account)).await.map(|_| ())
    }

    /// When the address of an account's calendar was made, if it has one.
    pub async fn calendar_since(&self, account: Uuid) -> Result<Option<DateTime<Utc>>> {
        self.fetch_optional(&query!(SINCE, account)).await
    }

    /// The account of an address, and whether integrations are paused.
    pub async fn calendar_owner(&self, hash: &Hash) -> Result<Option<CalendarOwner>> {
        self.fetch_optional(&query!(OWNER, hash)).await
    }

    /// The itineraries that an account owns or is a member of and that start on this date (`YYYY-MM-DD`) or later. Its own
    /// come first, so that itineraries that others share cannot take their place; then the latest first.
    pub async fn calendar_entries(&self, account: Uuid, from: &str, limit: u32) -> Result<Vec<CalendarEntry>> {
        self.fetch_page(query!(ENTRIES, account, from, i64::from(limit))).await
    }
}

impl Transaction {
    /// Ends the address of an account's calendar.
    pub(crate) async fn end_calendar(&mut self, account: Uuid) -> Result<()> {
        self.execute(&query!(END, account)).await.map(|_| ())
    }
}
