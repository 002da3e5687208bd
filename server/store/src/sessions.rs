//! Browser sessions.
//!
//! A session is identified by the hash of its cookie.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::End;
use crate::entity::accounts;
use crate::entity::sessions::{self, Column};
use crate::query::query;
use crate::query::statement::statements;
use crate::{Account, Hash, Result, Store};

#[derive(Clone, Debug)]
pub struct Session {
    pub hash: Hash,
    pub account_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// When the traveller last proved who they are.
    pub authenticated_at: DateTime<Utc>,
}

/// The maximum number of sessions of an account: a further one ends the oldest.
pub const SESSIONS: i64 = 20;

statements! {
    const INSERT = insert([
        Column::Hash,
        Column::AccountId,
        Column::CreatedAt,
        Column::ExpiresAt,
        Column::AuthenticatedAt,
    ]);

    const AUTHENTICATED_AT = "SELECT COALESCE(authenticated_at, created_at) FROM sessions WHERE hash = $1";

    const AUTHENTICATE =
        sessions::Entity::update_many().col_expr(Column::AuthenticatedAt, p(2)).filter(Column::Hash.eq(p(1)));

    const ACCOUNT = sessions::Entity::find()
        .inner_join(accounts::Entity)
        .select_row::<Account>()
        .filter(Column::Hash.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)))
        .filter(accounts::Column::DeletedAt.is_null())
        .filter(accounts::Column::SuspendedAt.is_null());

    const HAS_PASSWORD = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::PasswordHash.eq(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const IS_SUSPENDED = accounts::Entity::find()
        .select_found()
        .filter(accounts::Column::Id.eq(p(1)))
        .filter(accounts::Column::SuspendedAt.is_not_null());

    const DELETE = sessions::Entity::delete_many().filter(Column::Hash.eq(p(1)));

    const EXPIRE = delete_batch(sessions::Entity::find().filter(Column::ExpiresAt.lte(p(1))));

    /// The newest sessions besides $2 stay.
    const TRIM = "DELETE FROM sessions WHERE account_id = $1 AND hash <> $2 AND hash NOT IN \
         (SELECT hash FROM sessions WHERE account_id = $1 AND hash <> $2 ORDER BY created_at DESC, hash LIMIT $3)";
}

impl Store {
    /// Stores a session, and ends the oldest ones of the account beyond the maximum. If the hash of the checked
    /// password is given and is no longer the account's, or the account is suspended, returns `false` and stores nothing.
    pub async fn session_insert(&self, session: &Session, checked: Option<&str>) -> Result<bool> {
        self.transaction((session.clone(), checked.map(str::to_owned)), |(session, checked), transaction| {
            Box::pin(async move {
                let Session { hash, account_id, created_at, expires_at, authenticated_at } = session;
                transaction.lock_account(*account_id).await?;
                if let Some(checked) = checked
                    && !transaction.exists(&query!(HAS_PASSWORD, *account_id, checked)).await?
                {
                    return Ok(End::Rollback(false));
                }
                if transaction.exists(&query!(IS_SUSPENDED, *account_id)).await? {
                    return Ok(End::Rollback(false));
                }
                let insert = query!(INSERT, hash, *account_id, *created_at, *expires_at, *authenticated_at);
                transaction.execute(&insert).await?;
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

    /// When the traveller of a session last proved who they are.
    pub async fn session_authenticated_at(&self, hash: &Hash) -> Result<Option<DateTime<Utc>>> {
        self.fetch_optional(&query!(AUTHENTICATED_AT, hash)).await
    }

    /// Records that the traveller of a session has proved who they are.
    pub async fn session_authenticated(&self, hash: &Hash, at: DateTime<Utc>) -> Result<()> {
        self.execute(query!(AUTHENTICATE, hash, at)).await.map(|_| ())
    }

    pub async fn session_delete(&self, hash: &Hash) -> Result<()> {
        self.execute(query!(DELETE, hash)).await.map(|_| ())
    }

    /// Deletes expired sessions; returns how many.
    pub async fn sessions_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now)).await
    }
}
