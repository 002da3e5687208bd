//! Passkeys. An account is found by the id of the credential, which is unique.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::accounts;
use crate::entity::passkeys::{self, Column, Entity};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Account, Hash, RemovalOutcome, Result, Store, WaysIn};

/// The maximum number of passkeys of an account.
pub const PASSKEYS: i64 = 20;

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PasskeyRow {
        pub id: Uuid = passkeys::Column::Id,
        pub account_id: Uuid = passkeys::Column::AccountId,
        pub credential_id: Vec<u8> = passkeys::Column::CredentialId,
        /// The public key and what else checks a signature, as JSON.
        pub passkey: String = passkeys::Column::Passkey,
        pub counter: i64 = passkeys::Column::Counter,
        pub name: String = passkeys::Column::Name,
        pub created_at: DateTime<Utc> = passkeys::Column::CreatedAt,
        /// Days since 1970-01-01. `None` before the first use.
        pub last_used_day: Option<i64> = passkeys::Column::LastUsedDay,
    }
}

/// The outcome of adding a passkey to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasskeyOutcome {
    Added,
    /// An account has a passkey with this credential id.
    Exists,
    /// The account has the maximum number.
    TooMany,
    /// The session that began it has ended.
    SignedOut,
}

statements! {
    const LIST = Entity::find()
        .select_row::<PasskeyRow>()
        .filter(Column::AccountId.eq(p(1)))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id);

    const FIND = Entity::find().select_row::<PasskeyRow>().filter(Column::CredentialId.eq(p(1)));

    const ACCOUNT = Entity::find()
        .inner_join(accounts::Entity)
        .select_row::<Account>()
        .filter(Column::Id.eq(p(1)))
        .filter(accounts::Column::DeletedAt.is_null());

    const COUNT = Entity::find().select_count().filter(Column::AccountId.eq(p(1)));

    const INSERT = insert([
        Column::Id,
        Column::AccountId,
        Column::CredentialId,
        Column::Passkey,
        Column::Counter,
        Column::Name,
        Column::CreatedAt,
    ])
    .or_nothing([Column::CredentialId]);

    const USE = Entity::update_many()
        .col_expr(Column::Counter, p(3))
        .col_expr(Column::Passkey, p(4))
        .col_expr(Column::LastUsedDay, p(5))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::Counter.eq(p(2)));

    const RENAME = Entity::update_many()
        .col_expr(Column::Name, p(3))
        .filter(Column::AccountId.eq(p(1)))
        .filter(Column::Id.eq(p(2)));

    const REMOVE = Entity::delete_many().filter(Column::AccountId.eq(p(1))).filter(Column::Id.eq(p(2)));

    const REMOVE_ALL = Entity::delete_many().filter(Column::AccountId.eq(p(1)));
}

impl Store {
    /// The passkeys of an account, oldest first.
    pub async fn passkeys(&self, account: Uuid) -> Result<Vec<PasskeyRow>> {
        self.fetch_all(&query!(LIST, account)).await
    }

    /// The passkey with this credential id, and its account.
    pub async fn passkey(&self, credential_id: &[u8]) -> Result<Option<(PasskeyRow, Account)>> {
        let Some(row) = self.fetch_optional::<PasskeyRow>(&query!(FIND, credential_id.to_vec())).await? else {
            return Ok(None);
        };
        let account = self.fetch_optional(&query!(ACCOUNT, row.id)).await?;
        Ok(account.map(|account| (row, account)))
    }

    /// Adds a passkey to the account of a session.
    pub async fn passkey_add(&self, row: &PasskeyRow, session: &Hash) -> Result<PasskeyOutcome> {
        self.transaction((row.clone(), *session), |(row, session), transaction| {
            Box::pin(async move {
                let PasskeyRow { id, account_id, credential_id, passkey, counter, name, created_at, .. } = row;
                transaction.lock_account(*account_id).await?;
                if !transaction.is_signed_in(*account_id, session).await? {
                    return Ok(End::Rollback(PasskeyOutcome::SignedOut));
                }
                let count: Option<i64> = transaction.fetch_optional(&query!(COUNT, *account_id)).await?;
                if count.unwrap_or_default() >= PASSKEYS {
                    return Ok(End::Rollback(PasskeyOutcome::TooMany));
                }
                let id_bytes = credential_id.clone();
                let insert = query!(INSERT, *id, *account_id, id_bytes, passkey, *counter, name, *created_at);
                if transaction.execute(&insert).await? != 1 {
                    return Ok(End::Rollback(PasskeyOutcome::Exists));
                }
                Ok(End::Commit(PasskeyOutcome::Added))
            })
        })
        .await
    }

    /// Records the use of a passkey: its counter and state afterwards, and the day. `false` if the counter is not `former`
    /// any more, because the passkey was used concurrently, or if it was removed.
    pub async fn passkey_use(&self, id: Uuid, former: i64, counter: i64, passkey: &str, day: i64) -> Result<bool> {
        Ok(self.execute(query!(USE, id, former, counter, passkey, day)).await? == 1)
    }

    /// Renames a passkey; `false` if the account has no such passkey.
    pub async fn passkey_rename(&self, account: Uuid, id: Uuid, name: &str) -> Result<bool> {
        Ok(self.execute(query!(RENAME, account, id, name)).await? == 1)
    }

    /// Removes a passkey in a session, and ends the other sessions, unless it is the last way into the account.
    pub async fn passkey_remove(
        &self,
        account: Uuid,
        id: Uuid,
        ways: &WaysIn,
        session: &Hash,
    ) -> Result<RemovalOutcome> {
        self.transaction((account, id, ways.clone(), *session), |(account, id, ways, session), transaction| {
            Box::pin(async move {
                // Otherwise each of two could be removed because there is the other.
                transaction.lock_account(*account).await?;
                if !transaction.is_signed_in(*account, session).await? {
                    return Ok(End::Rollback(RemovalOutcome::SignedOut));
                }
                if transaction.execute(&query!(REMOVE, *account, *id)).await? != 1 {
                    return Ok(End::Rollback(RemovalOutcome::Unknown));
                }
                if !transaction.has_way_in(*account, ways).await? {
                    return Ok(End::Rollback(RemovalOutcome::LastWayIn));
                }
                transaction.end_other_sessions(*account, session).await?;
                Ok(End::Commit(RemovalOutcome::Removed))
            })
        })
        .await
    }

    /// Removes all passkeys of an account and turns its one-time codes off, even if nobody can sign in to it afterwards.
    /// Returns the number of passkeys, and whether the codes were on.
    pub async fn factors_remove(&self, account: Uuid) -> Result<(u64, bool)> {
        self.transaction(account, |account, transaction| {
            Box::pin(async move {
                transaction.lock_account(*account).await?;
                Ok(End::Commit(transaction.remove_factors(*account).await?))
            })
        })
        .await
    }
}

impl Transaction {
    /// Removes the passkeys, one-time codes and recovery codes of an account.
    pub(crate) async fn remove_factors(&mut self, account: Uuid) -> Result<(u64, bool)> {
        let passkeys = self.execute(&query!(REMOVE_ALL, account)).await?;
        Ok((passkeys, self.turn_off_one_time_codes(account).await?))
    }
}
