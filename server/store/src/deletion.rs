//! Deletes accounts: first marks them, then erases their rows in batches.
//!
//! [`Store::account_delete`] marks an account as deleted in one short transaction. From then on nobody can sign in to
//! it, and statements that read accounts, or itineraries with their owner, exclude it. [`Store::account_erase`] then
//! deletes the account's rows in batches, and the account's row last. Other writes run between batches, and after a
//! kill the next run continues. Files of documents are added to `loose_files`.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::itineraries::{DELETE_ANSWERS, UNCOUNT_SAVE};
use crate::query::{query, text};
use crate::store::BATCH;
use crate::transaction::{End, Transaction};
use crate::{DatabaseKind, Result, Store};

#[derive(Clone, Debug)]
pub struct AccountDeletion {
    pub id: Uuid,
    /// The hash of the password that was checked. If the password has been changed since, nothing is deleted.
    pub password_hash: String,
    /// The code of the username, under which the name is reserved.
    pub username_code: String,
    /// The end of the reservation.
    pub username_free_at: DateTime<Utc>,
}

/// The new username is not a valid username, so nobody can sign in with it or find it.
const MARK: &str = "UPDATE accounts SET username = $3, username_folded = $3, display_name = 'Deleted account', \
     password_hash = '', plan = 'free', image_url = NULL, home_place = NULL, deleted_at = $4 \
     WHERE id = $1 AND password_hash = $2 AND deleted_at IS NULL";

const RESERVE: &str = "INSERT INTO former_usernames (code, free_at) VALUES ($1, $2) \
     ON CONFLICT (code) DO UPDATE SET free_at = excluded.free_at";

const FREE: &str = "DELETE FROM former_usernames WHERE code IN \
     (SELECT code FROM former_usernames WHERE free_at <= $1 LIMIT $2)";

const DELETED: &str = "SELECT id FROM accounts WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT $1";

const IS_DELETED: &str = "SELECT 1 FROM accounts WHERE id = $1 AND deleted_at IS NOT NULL";

/// While the row is locked, no row that refers to the account can be inserted.
const LOCK_DELETED: &str = text!(IS_DELETED, " FOR UPDATE");

/// Hidden itineraries whose open reports were all made by deleted accounts: once these reports are erased, the
/// itineraries would stay hidden without a report to review.
const HIDDEN_BY: &str = "SELECT r.itinerary_id FROM reports r JOIN hidden h ON h.itinerary_id = r.itinerary_id \
     WHERE r.account_id = $1 AND r.resolved_at IS NULL AND h.reviewed_at IS NULL AND NOT EXISTS \
     (SELECT 1 FROM reports o JOIN accounts a ON a.id = o.account_id \
     WHERE o.itinerary_id = r.itinerary_id AND o.resolved_at IS NULL AND a.deleted_at IS NULL) LIMIT $2";

/// Small, because an itinerary and its entries in the text index can be large.
const ITINERARIES: i64 = 10;

const OWNED: &str = "SELECT id FROM itineraries WHERE owner_id = $1 LIMIT $2";

const DELETE_ITINERARY: &str = "DELETE FROM itineraries WHERE id = $1 RETURNING saved_from";

const DELETE_ACCOUNT: &str = "DELETE FROM accounts WHERE id = $1";

/// One step of erasing an account. $1 is the account, $2 the batch size.
enum Step {
    /// A `DELETE`.
    Rows(&'static str),
    /// A `DELETE` of large rows.
    LargeRows(&'static str),
    /// A `DELETE` that returns an id for each row, and the statement that corrects the counter of that id.
    Counted(&'static str, &'static str),
    /// The itineraries, with their documents.
    Itineraries,
}

/// Deletes rows of a table by their key.
macro_rules! rows {
    ($table:literal, $key:literal, $condition:literal) => {
        Step::Rows(rows_text!($table, $key, $table, $key, $condition))
    };
}

macro_rules! rows_text {
    ($table:literal, $key:literal, $from:expr, $select:literal, $condition:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE (",
            $key,
            ") IN (SELECT ",
            $select,
            " FROM ",
            $from,
            " WHERE ",
            $condition,
            " LIMIT $2)"
        )
    };
}

/// Deletes marks and other rows of other accounts on the account's itineraries: a popular itinerary has too many for
/// one transaction.
macro_rules! rows_on_own {
    ($table:literal, $key:literal, $select:literal) => {
        Step::Rows(rows_text!(
            $table,
            $key,
            concat!("itineraries i JOIN ", $table, " x ON x.itinerary_id = i.id"),
            $select,
            "i.owner_id = $1"
        ))
    };
}

/// First the rows that are visible to others.
const STEPS: &[Step] = &[
    Step::LargeRows(
        "DELETE FROM explore WHERE itinerary_id IN (SELECT itinerary_id FROM explore WHERE owner_id = $1 LIMIT $2)",
    ),
    rows_on_own!("reactions", "itinerary_id, account_id", "x.itinerary_id, x.account_id"),
    rows_on_own!("views", "itinerary_id, account_id", "x.itinerary_id, x.account_id"),
    rows_on_own!("reports", "id", "x.id"),
    rows_on_own!("departures", "itinerary_id, account_id", "x.itinerary_id, x.account_id"),
    Step::Itineraries,
    Step::LargeRows(
        "UPDATE itineraries SET saved_author = NULL \
         WHERE id IN (SELECT id FROM itineraries WHERE saved_author = $1 LIMIT $2)",
    ),
    Step::Counted(
        "DELETE FROM reactions WHERE account_id = $1 AND kind = 'like' AND itinerary_id IN \
         (SELECT itinerary_id FROM reactions WHERE account_id = $1 AND kind = 'like' LIMIT $2) RETURNING itinerary_id",
        "UPDATE itinerary_counters SET likes = likes - 1 WHERE itinerary_id = $1",
    ),
    Step::Counted(
        "DELETE FROM follows WHERE follower_id = $1 AND followed_id IN \
         (SELECT followed_id FROM follows WHERE follower_id = $1 LIMIT $2) RETURNING followed_id",
        "UPDATE account_counters SET followers = followers - 1 WHERE account_id = $1",
    ),
    Step::Counted(
        "DELETE FROM follows WHERE followed_id = $1 AND follower_id IN \
         (SELECT follower_id FROM follows WHERE followed_id = $1 LIMIT $2) RETURNING follower_id",
        "UPDATE account_counters SET following = following - 1 WHERE account_id = $1",
    ),
    rows!("reactions", "itinerary_id, account_id", "account_id = $1"),
    rows!("views", "itinerary_id, account_id", "account_id = $1"),
    rows!("members", "itinerary_id, account_id", "account_id = $1"),
    rows!("departures", "itinerary_id, account_id", "account_id = $1"),
    rows!("invitations", "itinerary_id, account_id", "account_id = $1"),
    rows!("blocks", "account_id, blocked_id", "account_id = $1"),
    rows!("blocks", "account_id, blocked_id", "blocked_id = $1"),
    rows!("removed_followers", "account_id, follower_id", "account_id = $1"),
    rows!("removed_followers", "account_id, follower_id", "follower_id = $1"),
    rows!("reports", "id", "account_id = $1"),
    rows!("idempotency", "account_id, client_id, operation, key", "account_id = $1"),
    Step::Rows(
        "DELETE FROM tokens WHERE hash IN \
         (SELECT t.hash FROM grants g JOIN tokens t ON t.grant_id = g.id WHERE g.account_id = $1 LIMIT $2)",
    ),
    rows!("grants", "id", "account_id = $1"),
    rows!("codes", "hash", "account_id = $1"),
    rows!("sessions", "hash", "account_id = $1"),
];

impl Store {
    /// Marks an account as deleted: removes its name, picture and home, ends its sessions and grants, and reserves its
    /// username. `false` if the password has been changed since, or the account is deleted or unknown.
    pub async fn account_delete(&self, deletion: &AccountDeletion, now: DateTime<Utc>) -> Result<bool> {
        let AccountDeletion { id, password_hash, username_code, username_free_at } = deletion;
        let mark = query!(MARK, *id, password_hash, format!("deleted:{id}"), now);
        let reserve = query!(RESERVE, username_code, *username_free_at);
        self.transaction((*id, mark, reserve, now), |(id, mark, reserve, now), transaction| {
            Box::pin(async move {
                if transaction.execute(mark).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(reserve).await?;
                transaction.end_sessions(*id).await?;
                transaction.end_grants(*id, *now).await?;
                transaction.end_calendar(*id).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Accounts that are deleted and not erased yet, oldest deletion first; at most a batch.
    pub async fn accounts_deleted(&self) -> Result<Vec<Uuid>> {
        self.fetch_all(&query!(DELETED, BATCH)).await
    }

    /// Itineraries that are hidden only because of reports by deleted accounts, including this one; at most a batch.
    pub async fn account_hides(&self, id: Uuid) -> Result<Vec<Uuid>> {
        self.fetch_all(&query!(HIDDEN_BY, id, BATCH)).await
    }

    /// Erases the next batch of rows of a deleted account, and finally the account itself. `false` if nothing is left.
    pub async fn account_erase(&self, id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        self.transaction((id, now), |&(id, now), transaction| {
            Box::pin(async move {
                if !transaction.lock_deleted(id).await? {
                    return Ok(End::Rollback(false));
                }
                for step in STEPS {
                    if transaction.erase(id, step, now).await? {
                        return Ok(End::Commit(true));
                    }
                }
                transaction.execute(&query!(DELETE_ACCOUNT, id)).await?;
                Ok(End::Commit(false))
            })
        })
        .await
    }

    /// Deletes expired reservations of usernames; returns how many.
    pub async fn usernames_free(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(FREE, now, BATCH)).await
    }
}

impl Transaction {
    async fn lock_deleted(&mut self, id: Uuid) -> Result<bool> {
        let lock = match self.kind() {
            DatabaseKind::Sqlite => IS_DELETED,
            DatabaseKind::Postgres => LOCK_DELETED,
        };
        self.exists(&query!(lock, id)).await
    }

    /// Erases a batch of one step; `false` if there were no rows.
    async fn erase(&mut self, id: Uuid, step: &Step, now: DateTime<Utc>) -> Result<bool> {
        match step {
            Step::Rows(delete) => Ok(self.execute(&query!(*delete, id, BATCH)).await? > 0),
            Step::LargeRows(delete) => Ok(self.execute(&query!(*delete, id, ITINERARIES)).await? > 0),
            Step::Counted(delete, count) => {
                let mut counted: Vec<Uuid> = self.fetch_all(&query!(*delete, id, BATCH)).await?;
                // All code locks counters in the order of their ids.
                counted.sort_unstable();
                for of in &counted {
                    self.execute(&query!(*count, *of)).await?;
                }
                Ok(!counted.is_empty())
            }
            Step::Itineraries => {
                let owned: Vec<Uuid> = self.fetch_all(&query!(OWNED, id, ITINERARIES)).await?;
                for itinerary in &owned {
                    self.erase_itinerary(*itinerary, now).await?;
                }
                Ok(!owned.is_empty())
            }
        }
    }

    /// Deletes an itinerary like `itinerary_delete`, whatever its version is.
    async fn erase_itinerary(&mut self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        self.lock_itinerary(id).await?;
        self.loosen_documents(id, now).await?;
        self.loosen_pictures(id).await?;
        let saved_from: Option<Option<Uuid>> = self.fetch_optional(&query!(DELETE_ITINERARY, id)).await?;
        self.execute(&query!(DELETE_ANSWERS, id)).await?;
        if let Some(saved_from) = saved_from.flatten() {
            self.execute(&query!(UNCOUNT_SAVE, saved_from)).await?;
        }
        Ok(())
    }
}
