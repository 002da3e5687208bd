//! Browser sessions.
//!
//! A session is identified by the hash of its cookie.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{query, text};
use crate::store::BATCH;
use crate::transaction::End;
use crate::{Account, Hash, Result, Store};

#[derive(Clone, Debug)]
pub struct Session {
    pub hash: Hash,
    pub account_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

const INSERT: &str = "INSERT INTO sessions (hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)";

const ACCOUNT: &str = text!(
    "SELECT ",
    Account::COLUMNS,
    " FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1 AND s.expires_at > $2 AND a.deleted_at IS NULL"
);

/// The maximum number of sessions of an account: a further one ends the oldest.
pub const SESSIONS: i64 = 20;

const TRIM: &str = "DELETE FROM sessions WHERE account_id = $1 AND hash <> $2 AND hash NOT IN \
     (SELECT hash FROM sessions WHERE account_id = $1 AND hash <> $2 ORDER BY created_at DESC, hash LIMIT $3)";

const HAS_PASSWORD: &str = "SELECT 1 FROM accounts WHERE id = $1 AND password_hash = $2 AND deleted_at IS NULL";

const DELETE: &str = "DELETE FROM sessions WHERE hash = $1";

const EXPIRE: &str = "DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires_at <= $1 LIMIT $2)";

impl Store {
    /// Stores a session, and ends the oldest ones of the account beyond the maximum. If the hash of the checked
    /// password is given and is no longer the account's, returns `false` and stores nothing.
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

    /// The account of a valid session.
    pub async fn session(&self, hash: &Hash, now: DateTime<Utc>) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, hash, now)).await
    }

    pub async fn session_delete(&self, hash: &Hash) -> Result<()> {
        self.execute(query!(DELETE, hash)).await.map(|_| ())
    }

    /// Deletes expired sessions; returns how many.
    pub async fn sessions_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now, BATCH)).await
    }
}
