//! Marks (likes, dislikes) and reads of itineraries, with their counters.
//!
//! A counter is updated in the transaction that changes the rows that it counts, by the number of changed rows. Callers
//! check permissions, and whose reads count.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::itinerary_counters::Column as Counter;
use crate::entity::reactions::{self, Column};
use crate::entity::views;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{query, text};
use crate::{DatabaseKind, Result, Store, StoreError};

/// A mark; an account has at most one per itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Like,
    /// The traveller does not want to see it in Explore.
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
    /// The marks of an account ($2) on an itinerary ($1), and the counters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct MarksRow {
        pub liked: bool =
            "EXISTS (SELECT 1 FROM reactions WHERE itinerary_id = $1 AND account_id = $2 AND kind = 'like')",
        pub disliked: bool =
            "EXISTS (SELECT 1 FROM reactions WHERE itinerary_id = $1 AND account_id = $2 AND kind = 'dislike')",
        /// The account's saved copy. It has at most one.
        pub copy: Option<Uuid> = "(SELECT id FROM itineraries WHERE owner_id = $2 AND saved_from = $1)",
        pub likes: i64 = "COALESCE((SELECT likes FROM itinerary_counters WHERE itinerary_id = $1), 0)",
        pub saves: i64 = "COALESCE((SELECT saves FROM itinerary_counters WHERE itinerary_id = $1), 0)",
    }
}

statements! {
    const SET = insert([Column::ItineraryId, Column::AccountId, Column::Kind, Column::CreatedAt])
        .or_nothing([Column::ItineraryId, Column::AccountId]);

    const CLEAR = reactions::Entity::delete_many()
        .filter(Column::ItineraryId.eq(p(1)))
        .filter(Column::AccountId.eq(p(2)))
        .filter(Column::Kind.eq(p(3)));

    const COUNT_LIKES = insert([Counter::ItineraryId, Counter::Likes]).on_conflict(
        OnConflict::column(Counter::ItineraryId)
            .value(Counter::Likes, Counter::Likes.col().add(excluded(Counter::Likes)))
            .to_owned(),
    );

    const COUNT_VIEWS = insert([Counter::ItineraryId, Counter::Views]).on_conflict(
        OnConflict::column(Counter::ItineraryId)
            .value(Counter::Views, Counter::Views.col().add(excluded(Counter::Views)))
            .to_owned(),
    );

    const EXPIRE_VIEWS = delete_batch(views::Entity::find().filter(views::Column::Day.lt(p(1))));

    const MARKS = text!("SELECT ", MarksRow::COLUMNS);
}

/// A condition that itinerary and account exist.
macro_rules! of_both {
    ($columns:literal) => {
        concat!("SELECT ", $columns, " FROM itineraries i CROSS JOIN accounts a WHERE i.id = $1 AND a.id = $2")
    };
}

/// Prevents deletion of the rows until the transaction ends; on SQLite the write lock does.
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
    /// The marks of an account on an itinerary, and the counters.
    pub async fn marks(&self, itinerary: Uuid, account: Uuid) -> Result<MarksRow> {
        self.fetch_optional(&query!(MARKS, itinerary, account)).await?.ok_or_else(no_marks)
    }

    /// Sets a mark and removes the opposite one; returns the marks afterwards. `None` if itinerary or account do not
    /// exist.
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

    /// Removes a mark, if there is one; returns the marks afterwards. `None` if itinerary or account do not exist.
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

    /// Counts reads of itineraries (first) by accounts (second) on a day (days since 1970), each account once a day.
    /// Skips deleted ones. Returns how many were counted.
    pub async fn views_add(&self, views: &[(Uuid, Uuid)], day: i64) -> Result<u64> {
        // All writers lock rows of views in this order, and then the counters in the same order, to avoid deadlocks.
        let mut views = views.to_vec();
        views.sort_unstable();
        views.dedup();
        self.transaction((views, day), |(views, day), transaction| Box::pin(transaction.add_views(views, *day))).await
    }

    /// Deletes records of reads before a day, which are not needed any more; returns how many.
    pub async fn views_expire(&self, day: i64) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE_VIEWS, day)).await
    }
}

impl Transaction {
    /// Locks the account against other marks, and both rows against deletion, until the transaction ends; `false` if
    /// one does not exist.
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

    /// Adds to the counter of likes; returns the marks afterwards.
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

/// The statement always returns a row.
fn no_marks() -> StoreError {
    StoreError::Corrupt("a statement for marks returned no row".to_owned())
}
