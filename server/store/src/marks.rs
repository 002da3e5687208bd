//! Marks: what travellers think of itineraries, and that they read them, with the counters of both.
//!
//! A counter changes in the transaction of what it counts, by as many rows as that has changed. Who may mark
//! what, and whose reading counts, is for those who call.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::row::row;
use crate::store::BATCH;
use crate::transaction::{End, Transaction};
use crate::{DatabaseKind, Result, Store, StoreError};

/// What a traveller may think of an itinerary: one of the two at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Like,
    /// Less of this kind is wanted.
    Dislike,
}

impl Mark {
    fn as_str(self) -> &'static str {
        match self {
            Self::Like => "like",
            Self::Dislike => "dislike",
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::Like => Self::Dislike,
            Self::Dislike => Self::Like,
        }
    }
}

row! {
    /// What an account ($2) has marked an itinerary ($1) with, and how many have.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MarksRow {
        pub liked: bool =
            "EXISTS (SELECT 1 FROM reactions WHERE itinerary_id = $1 AND account_id = $2 AND kind = 'like')",
        pub disliked: bool =
            "EXISTS (SELECT 1 FROM reactions WHERE itinerary_id = $1 AND account_id = $2 AND kind = 'dislike')",
        pub saved: bool = "EXISTS (SELECT 1 FROM itineraries WHERE owner_id = $2 AND saved_from = $1)",
        pub likes: i64 = "COALESCE((SELECT likes FROM itinerary_counters WHERE itinerary_id = $1), 0)",
        pub saves: i64 = "COALESCE((SELECT saves FROM itinerary_counters WHERE itinerary_id = $1), 0)",
    }
}

const MARKS: &str = text!("SELECT ", MarksRow::COLUMNS);

const SET: &str = "INSERT INTO reactions (itinerary_id, account_id, kind, created_at) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (itinerary_id, account_id) DO NOTHING";

const CLEAR: &str = "DELETE FROM reactions WHERE itinerary_id = $1 AND account_id = $2 AND kind = $3";

const COUNT_LIKES: &str = "INSERT INTO itinerary_counters (itinerary_id, likes) VALUES ($1, $2) \
     ON CONFLICT (itinerary_id) DO UPDATE SET likes = itinerary_counters.likes + excluded.likes";

const COUNT_VIEWS: &str = "INSERT INTO itinerary_counters (itinerary_id, views) VALUES ($1, $2) \
     ON CONFLICT (itinerary_id) DO UPDATE SET views = itinerary_counters.views + excluded.views";

const EXPIRE_VIEWS: &str = "DELETE FROM views WHERE (itinerary_id, account_id) IN \
     (SELECT itinerary_id, account_id FROM views WHERE day < $1 LIMIT $2)";

/// What an itinerary and an account give when both are there.
macro_rules! of_both {
    ($columns:literal) => {
        concat!("SELECT ", $columns, " FROM itineraries i CROSS JOIN accounts a WHERE i.id = $1 AND a.id = $2")
    };
}

/// Keeps rows from being deleted until the transaction ends. On SQLite the transaction's write lock does.
macro_rules! held {
    ($select:expr) => {
        concat!($select, " FOR KEY SHARE")
    };
}

macro_rules! view {
    ($both:expr) => {
        concat!(
            "INSERT INTO views (itinerary_id, account_id, day) ",
            $both,
            " ON CONFLICT (itinerary_id, account_id) DO UPDATE SET day = excluded.day WHERE views.day < excluded.day"
        )
    };
}

impl Store {
    /// What an account has marked an itinerary with, and how many have.
    pub async fn marks(&self, itinerary: Uuid, account: Uuid) -> Result<MarksRow> {
        self.fetch_optional(&query!(MARKS, itinerary, account)).await?.ok_or_else(no_marks)
    }

    /// Marks an itinerary, taking the opposite mark back; says what is there afterwards. `None` when there is
    /// no such itinerary or account.
    pub async fn mark_set(
        &self,
        itinerary: Uuid,
        account: Uuid,
        mark: Mark,
        now: DateTime<Utc>,
    ) -> Result<Option<MarksRow>> {
        self.transaction((itinerary, account, mark, now), |&(itinerary, account, mark, now), transaction| {
            Box::pin(async move {
                if !transaction.hold(itinerary, account).await? {
                    return Ok(End::Rollback(None));
                }
                let cleared = transaction.clear(itinerary, account, mark.opposite()).await?;
                let set = transaction.execute(&query!(SET, itinerary, account, mark.as_str(), now)).await?;
                let likes = match mark {
                    Mark::Like => set.cast_signed(),
                    Mark::Dislike => -cleared.cast_signed(),
                };
                transaction.marked(itinerary, account, likes).await
            })
        })
        .await
    }

    /// Takes a mark back, if it is there; says what is there afterwards. `None` when there is no such
    /// itinerary or account.
    pub async fn mark_clear(&self, itinerary: Uuid, account: Uuid, mark: Mark) -> Result<Option<MarksRow>> {
        self.transaction((itinerary, account, mark), |&(itinerary, account, mark), transaction| {
            Box::pin(async move {
                if !transaction.hold(itinerary, account).await? {
                    return Ok(End::Rollback(None));
                }
                let cleared = transaction.clear(itinerary, account, mark).await?;
                let likes = match mark {
                    Mark::Like => -cleared.cast_signed(),
                    Mark::Dislike => 0,
                };
                transaction.marked(itinerary, account, likes).await
            })
        })
        .await
    }

    /// Counts itineraries (first) as read by accounts (second) on a day since 1970, each account once a day;
    /// says how many were counted. What has gone is passed over.
    pub async fn views_add(&self, views: &[(Uuid, Uuid)], day: i64) -> Result<u64> {
        // Whoever writes views takes their rows in this order, and the counters' after them in the same: two at once
        // wait for each other in one direction only.
        let mut views = views.to_vec();
        views.sort_unstable();
        views.dedup();
        self.transaction((views, day), |(views, day), transaction| Box::pin(transaction.add_views(views, *day))).await
    }

    /// Forgets who read what before a day: it makes no difference any more. Gives how many rows went.
    pub async fn views_expire(&self, day: i64) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE_VIEWS, day, BATCH)).await
    }
}

impl Transaction {
    /// Makes other marks of this account wait, and deletions of both, until the transaction ends; `false`
    /// when one of the two is not there.
    async fn hold(&mut self, itinerary: Uuid, account: Uuid) -> Result<bool> {
        self.lock_account(account).await?;
        let there = match self.kind() {
            DatabaseKind::Sqlite => of_both!("1"),
            DatabaseKind::Postgres => held!(of_both!("1")),
        };
        self.exists(&query!(there, itinerary, account)).await
    }

    async fn clear(&mut self, itinerary: Uuid, account: Uuid, mark: Mark) -> Result<u64> {
        self.execute(&query!(CLEAR, itinerary, account, mark.as_str())).await
    }

    /// Counts so many more likes; gives what is there then.
    async fn marked(&mut self, itinerary: Uuid, account: Uuid, likes: i64) -> Result<End<Option<MarksRow>>> {
        if likes != 0 {
            self.execute(&query!(COUNT_LIKES, itinerary, likes)).await?;
        }
        let marks: Option<MarksRow> = self.fetch_optional(&query!(MARKS, itinerary, account)).await?;
        Ok(End::Commit(Some(marks.ok_or_else(no_marks)?)))
    }

    async fn add_views(&mut self, views: &[(Uuid, Uuid)], day: i64) -> Result<End<u64>> {
        let view = match self.kind() {
            DatabaseKind::Sqlite => view!(of_both!("i.id, a.id, $3")),
            DatabaseKind::Postgres => view!(held!(of_both!("i.id, a.id, $3"))),
        };
        let mut counted: BTreeMap<Uuid, i64> = BTreeMap::new();
        for (itinerary, account) in views {
            if self.execute(&query!(view, *itinerary, *account, day)).await? == 1 {
                *counted.entry(*itinerary).or_default() += 1;
            }
        }
        for (itinerary, count) in &counted {
            self.execute(&query!(COUNT_VIEWS, *itinerary, *count)).await?;
        }
        Ok(End::Commit(counted.values().sum::<i64>().cast_unsigned()))
    }
}

/// The statement gives a row whatever there is.
fn no_marks() -> StoreError {
    StoreError::Corrupt("a row of marks is none".to_owned())
}
