//! Links with which a new password can be set without the old one.
//!
//! A link is identified by the hash of its secret. An account has at most one. Using it deletes its row in the transaction
//! that sets the password, so that it works once; every other change of the password deletes it too.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::accounts::SET_PASSWORD_OF;
use crate::engine::transaction::{End, Transaction};
use crate::entity::accounts;
use crate::entity::password_resets::{Column, Entity};
use crate::follows::IS_THERE;
use crate::query::query;
use crate::query::statement::statements;
use crate::{Account, Hash, Result, Store};

statements! {
    const SET = insert([Column::AccountId, Column::Hash, Column::ExpiresAt])
        .or_update([Column::AccountId], [Column::Hash, Column::ExpiresAt]);

    const ACCOUNT = Entity::find()
        .inner_join(accounts::Entity)
        .select_row::<Account>()
        .filter(Column::Hash.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)))
        .filter(accounts::Column::DeletedAt.is_null());

    const USE = Entity::delete_many()
        .filter(Column::Hash.eq(p(1)))
        .filter(Column::ExpiresAt.gt(p(2)))
        .into_query()
        .returning_col(Column::AccountId);

    const IS_OF = Entity::find().select_found().filter(Column::AccountId.eq(p(1))).filter(Column::Hash.eq(p(2)));

    const DELETE = Entity::delete_many().filter(Column::AccountId.eq(p(1)));

    const EXPIRE = delete_batch(Entity::find().filter(Column::ExpiresAt.lte(p(1))));
}

impl Store {
    /// Sets the reset link of an account, in place of an earlier one. `false` if the account is deleted.
    pub async fn password_reset_set(&self, account: Uuid, hash: &Hash, expires_at: DateTime<Utc>) -> Result<bool> {
        self.transaction((account, *hash, expires_at), |(account, hash, expires_at), transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                if !transaction.exists(&query!(IS_THERE, *account)).await? {
                    return Ok(End::Rollback(false));
                }
                transaction.set_password_reset(*account, hash, *expires_at).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// The account whose password a link sets. `None` if the link is unknown, used or expired.
    pub async fn password_reset_account(&self, hash: &Hash, now: DateTime<Utc>) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, hash, now)).await
    }

    /// Uses a link: sets the password and ends every session; with `end_grants` also unredeemed codes, grants, personal
    /// access tokens and the address of the calendar. `false` if the link is unknown, used or expired.
    pub async fn password_reset_use(
        &self,
        hash: &Hash,
        password_hash: &str,
        end_grants: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let input = (query!(USE, hash, now), password_hash.to_owned(), end_grants, now);
        self.transaction(input, |(take, password_hash, end_grants, now), transaction| {
            Box::pin(async move {
                let Some(account) = transaction.fetch_optional::<Uuid>(take).await? else {
                    return Ok(End::Rollback(false));
                };
                if transaction.execute(&query!(SET_PASSWORD_OF, account, password_hash)).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.end_sessions(account).await?;
                if *end_grants {
                    transaction.end_grants(account, *now).await?;
                    transaction.end_calendar(account).await?;
                }
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Deletes expired links; returns how many.
    pub async fn password_resets_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        self.delete_in_batches(query!(EXPIRE, now)).await
    }
}

impl Transaction {
    /// Sets the reset link of an account, in place of an earlier one.
    pub(crate) async fn set_password_reset(
        &mut self,
        account: Uuid,
        hash: &Hash,
        expires_at: DateTime<Utc>,
    ) -> Result<()> {
        self.execute(&query!(SET, account, hash, expires_at)).await.map(|_| ())
    }

    /// Whether this is the reset link of an account.
    pub(crate) async fn has_password_reset(&mut self, account: Uuid, hash: &Hash) -> Result<bool> {
        self.exists(&query!(IS_OF, account, hash)).await
    }

    /// Deletes the reset link of an account.
    pub(crate) async fn end_password_reset(&mut self, account: Uuid) -> Result<()> {
        self.execute(&query!(DELETE, account)).await.map(|_| ())
    }
}
