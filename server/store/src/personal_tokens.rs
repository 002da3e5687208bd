//! Personal access tokens.
//!
//! A token is identified by its hash. Each has a row of `clients`, so that rate limits, stored responses and webhooks
//! belong to one token; deleting that row deletes the token and its webhooks.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::accounts::IS_ACTIVE;
use crate::clients::PERSONAL_TOKEN;
use crate::engine::transaction::{End, Transaction};
use crate::entity::clients;
use crate::entity::personal_tokens::{self, Column, Entity};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

/// The maximum number of valid personal access tokens of an account.
pub const PERSONAL_TOKENS: i64 = 50;

/// How long expired tokens are listed.
const KEPT: TimeDelta = TimeDelta::days(30);

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PersonalToken {
        pub id: Uuid = personal_tokens::Column::Id,
        pub name: String = personal_tokens::Column::Name,
        /// Separated by spaces.
        pub scope: String = personal_tokens::Column::Scope,
        pub created_at: DateTime<Utc> = personal_tokens::Column::CreatedAt,
        pub expires_at: DateTime<Utc> = personal_tokens::Column::ExpiresAt,
        /// Days since 1970-01-01. `None` before the first use.
        pub last_used_day: Option<i64> = personal_tokens::Column::LastUsedDay,
    }
}

/// A personal access token to store.
#[derive(Clone, Debug)]
pub struct NewPersonalToken {
    pub id: Uuid,
    pub account_id: Uuid,
    /// The id of the token's row in `clients`.
    pub client_id: String,
    pub hash: Hash,
    pub name: String,
    /// Separated by spaces.
    pub scope: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// The session in which it is made: a new password and a suspension end sessions. `None` for the operator.
    pub session: Option<Hash>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCreated {
    Created,
    /// The account has [`PERSONAL_TOKENS`].
    Full,
    /// The account does not exist or is suspended, or the session has ended.
    NoAccount,
}

statements! {
    const COUNT = Entity::find()
        .select_count()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)));

    const INSERT_CLIENT = insert_values([
        (clients::Column::Id, p(1)),
        (clients::Column::Name, p(2)),
        (clients::Column::RedirectUris, "[]".into()),
        (clients::Column::Metadata, "{}".into()),
        (clients::Column::AuthMethod, PERSONAL_TOKEN.into()),
        (clients::Column::CreatedAt, p(3)),
    ]);

    const INSERT = insert([
        Column::Id,
        Column::AccountId,
        Column::ClientId,
        Column::Hash,
        Column::Name,
        Column::Scope,
        Column::CreatedAt,
        Column::ExpiresAt,
    ]);

    const LIST = Entity::find()
        .select_row::<PersonalToken>()
        .filter(Column::AccountId.eq(p(1)))
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id);

    const EXPIRING = Entity::find()
        .select_count()
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)))
        .filter(Column::ExpiresAt.lte(p(3)));

    const MARK_USED = "UPDATE personal_tokens SET last_used_day = $2 \
         WHERE id = $1 AND COALESCE(last_used_day, -1) < $2";

    const REVOKE = "DELETE FROM clients \
         WHERE id = (SELECT client_id FROM personal_tokens WHERE id = $1 AND account_id = $2)";

    const REVOKE_ALL = "DELETE FROM clients \
         WHERE id IN (SELECT client_id FROM personal_tokens WHERE account_id = $1)";

    const EXPIRE = "DELETE FROM clients \
         WHERE id IN (SELECT client_id FROM personal_tokens WHERE expires_at <= $1 LIMIT 500)";
}

impl Store {
    /// Stores a personal access token with its client.
    pub async fn personal_token_create(&self, token: NewPersonalToken) -> Result<TokenCreated> {
        self.transaction(token, |token, transaction| {
            Box::pin(async move {
                let NewPersonalToken { id, account_id, client_id, hash, name, scope, created_at, expires_at, session } =
                    token;
                transaction.lock_account(*account_id).await?;
                if !transaction.exists(&query!(IS_ACTIVE, *account_id)).await? {
                    return Ok(End::Rollback(TokenCreated::NoAccount));
                }
                if let Some(session) = session
                    && !transaction.is_signed_in(*account_id, session).await?
                {
                    return Ok(End::Rollback(TokenCreated::NoAccount));
                }
                let count: Option<i64> = transaction.fetch_optional(&query!(COUNT, *account_id, *created_at)).await?;
                if count.unwrap_or_default() >= PERSONAL_TOKENS {
                    return Ok(End::Rollback(TokenCreated::Full));
                }
                transaction.execute(&query!(INSERT_CLIENT, client_id, name, *created_at)).await?;
                let insert = query!(INSERT, *id, *account_id, client_id, hash, name, scope, *created_at, *expires_at);
                transaction.execute(&insert).await?;
                Ok(End::Commit(TokenCreated::Created))
            })
        })
        .await
    }

    /// The personal access tokens of an account, newest first, with those that expired in the last 30 days.
    pub async fn personal_tokens(&self, account: Uuid) -> Result<Vec<PersonalToken>> {
        self.fetch_all(&query!(LIST, account)).await
    }

    /// The number of an account's valid personal access tokens, and of those of them that expire by an instant.
    pub async fn personal_token_counts(
        &self,
        account: Uuid,
        now: DateTime<Utc>,
        by: DateTime<Utc>,
    ) -> Result<(i64, i64)> {
        let valid = self.fetch_optional(&query!(COUNT, account, now)).await?;
        let expiring = self.fetch_optional(&query!(EXPIRING, account, now, by)).await?;
        Ok((valid.unwrap_or_default(), expiring.unwrap_or_default()))
    }

    /// Records that a token was used on a day, in days since 1970-01-01.
    pub async fn personal_token_used(&self, id: Uuid, day: i64) -> Result<()> {
        self.execute(query!(MARK_USED, id, day)).await.map(|_| ())
    }

    /// Deletes a personal access token of an account; `false` if it has none with this id.
    pub async fn personal_token_revoke(&self, account: Uuid, id: Uuid) -> Result<bool> {
        Ok(self.execute(query!(REVOKE, id, account)).await? == 1)
    }

    /// Deletes all personal access tokens of an account; returns how many.
    pub async fn personal_tokens_revoke(&self, account: Uuid) -> Result<u64> {
        self.execute(query!(REVOKE_ALL, account)).await
    }

    /// Deletes tokens that expired more than 30 days ago; returns how many.
    pub async fn personal_tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now - KEPT)).await
    }
}

impl Transaction {
    /// Deletes all personal access tokens of an account.
    pub(crate) async fn end_personal_tokens(&mut self, account: Uuid) -> Result<()> {
        self.execute(&query!(REVOKE_ALL, account)).await.map(|_| ())
    }
}
