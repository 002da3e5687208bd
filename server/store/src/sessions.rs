//! Sessions: browsers that have signed in.
//!
//! Knows a session by the hash of its cookie alone.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::store::BATCH;
use crate::transaction::End;
use crate::{Account, Hash, Result, Store};

/// A session to be stored.
#[derive(Clone, Debug)]
pub struct Session {
    /// The hash of its cookie.
    pub hash: Hash,
    pub account_id: Uuid,
    pub created_at: DateTime<Utc>,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

const INSERT: &str = "INSERT INTO sessions (hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";

const ACCOUNT: &str = text!(
    "SELECT ",
    Account::COLUMNS,
    " FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1 AND s.expires_at > $2 AND a.deleted_at IS NULL"
);

/// How many sessions an account may have: a further one ends the oldest.
pub const SESSIONS: i64 = 20;

const TRIM: &str = "DELETE FROM sessions WHERE account_id = $1 AND hash <> $2 AND hash NOT IN \
     (SELECT hash FROM sessions WHERE account_id = $1 AND hash <> $2 ORDER BY created_at DESC, hash LIMIT $3)";

const HAS_PASSWORD: &str = "SELECT 1 FROM accounts WHERE id = $1 AND password_hash = $2 AND deleted_at IS NULL";

const DELETE: &str = "DELETE FROM sessions WHERE hash = $1";

const EXPIRE: &str = "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= $1 LIMIT $2)";

impl Store {
    /// Stores a session, and ends the oldest of its account that are too many. With the hash of the password that was
    /// checked, `false` if the account has another one by now, and then nothing is stored.
    pub async fn session_insert(&self, session: &Session, checked: Option<&str>) -> Result<bool> {
        self.transaction((session.clone(), checked.map(str::to_owned)), |(session, checked), transaction| {
            Box::pin(async move {
                let Session { hash, account_id, created_at, expires_at } = session;
                transaction.lock_account(*account_id).await?;
                if let Some(checked) = checked
                    && !transaction.exists(&query!(HAS_PASSWORD, *account_id, checked)).await?
                {
                    return Ok(End::Rollback(false));
                }
                transaction.execute(&query!(INSERT, hash, *account_id, *created_at, *expires_at)).await?;
                transaction.execute(&query!(TRIM, *account_id, hash, SESSIONS - 1)).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// The account behind a session that holds now.
    pub async fn session(&self, hash: &Hash, now: DateTime<Utc>) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, hash, now)).await
    }

    /// Ends a session, if it is there.
    pub async fn session_delete(&self, hash: &Hash) -> Result<()> {
        self.execute(query!(DELETE, hash)).await.map(|_| ())
    }

    /// Deletes the sessions that have expired; returns how many.
    pub async fn sessions_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now, BATCH)).await
    }
}
