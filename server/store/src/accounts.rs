//! Accounts.
//!
//! Callers fold names and hash passwords.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
use crate::{Result, Store};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    Free,
    /// Includes packing, expenses and documents.
    Pro,
}

impl Plan {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pro => "pro",
        }
    }
}

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Account {
        pub id: Uuid = "a.id",
        /// As the traveller spelt it.
        pub username: String = "a.username",
        /// The key for uniqueness.
        pub username_folded: String = "a.username_folded",
        pub display_name: String = "a.display_name",
        /// A PHC string.
        pub password_hash: String = "a.password_hash",
        pub plan: Plan = "a.plan",
        pub image_url: Option<String> = "a.image_url",
        /// A place, as JSON.
        pub home_place: Option<String> = "a.home_place",
        pub created_at: DateTime<Utc> = "a.created_at",
    }
}

#[derive(Clone, Debug)]
pub struct NewAccount {
    pub id: Uuid,
    pub username: String,
    pub username_folded: String,
    pub display_name: String,
    /// A PHC string.
    pub password_hash: String,
    pub plan: Plan,
    pub created_at: DateTime<Utc>,
}

/// The fields that travellers change themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountColumns {
    pub display_name: String,
    pub image_url: Option<String>,
    /// A place, as JSON.
    pub home_place: Option<String>,
}

const ACCOUNT: &str = text!("SELECT ", Account::COLUMNS, " FROM accounts a WHERE a.id = $1 AND a.deleted_at IS NULL");

const BY_USERNAME: &str = text!("SELECT ", Account::COLUMNS, " FROM accounts a WHERE a.username_folded = $1");

const ALL: &str =
    text!("SELECT ", Account::COLUMNS, " FROM accounts a WHERE a.deleted_at IS NULL ORDER BY a.username_folded");

const INSERT: &str = "INSERT INTO accounts \
     (id, username, username_folded, display_name, password_hash, plan, created_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (username_folded) DO NOTHING";

const IS_RESERVED: &str = "SELECT 1 FROM former_usernames WHERE code = $1 AND free_at > $2";

const SET_PLAN: &str = "UPDATE accounts SET plan = $2 WHERE username_folded = $1";

const UPDATE: &str = "UPDATE accounts SET display_name = $1, image_url = $2, home_place = $3 WHERE id = $4 \
     AND display_name = $5 AND image_url IS NOT DISTINCT FROM $6 AND home_place IS NOT DISTINCT FROM $7";

const SET_PASSWORD: &str = "UPDATE accounts SET password_hash = $2 WHERE username_folded = $1 RETURNING id";

const CHANGE_PASSWORD: &str =
    "UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash = $2 AND deleted_at IS NULL";

const END_SESSIONS: &str = "DELETE FROM sessions WHERE account_id = $1";

const END_CODES: &str = "DELETE FROM codes WHERE account_id = $1 AND used_at IS NULL";

const END_GRANTS: &str = "UPDATE grants SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL";

impl NewAccount {
    fn insert(&self) -> Query {
        let Self { id, username, username_folded, display_name, password_hash, plan, created_at } = self;
        query!(INSERT, *id, username, username_folded, display_name, password_hash, *plan, *created_at)
    }
}

impl Store {
    /// Creates an account; `false` if the username is taken. Ignores reservations of usernames.
    pub async fn account_insert(&self, account: &NewAccount) -> Result<bool> {
        Ok(self.execute(account.insert()).await? == 1)
    }

    /// Creates an account; `false` if the username is taken, or if `code` is reserved since another account was
    /// deleted.
    pub async fn account_create(&self, account: &NewAccount, username_code: &str) -> Result<bool> {
        let reserved = query!(IS_RESERVED, username_code, account.created_at);
        self.transaction((account.insert(), reserved), |(insert, reserved), transaction| {
            Box::pin(async move {
                // After the insert, because the insert waits for a concurrent deletion of the account with this name.
                let made = transaction.execute(insert).await? == 1 && !transaction.exists(reserved).await?;
                Ok(if made { End::Commit(true) } else { End::Rollback(false) })
            })
        })
        .await
    }

    pub async fn account_by_username(&self, username_folded: &str) -> Result<Option<Account>> {
        self.fetch_optional(&query!(BY_USERNAME, username_folded)).await
    }

    pub async fn account(&self, id: Uuid) -> Result<Option<Account>> {
        self.fetch_optional(&query!(ACCOUNT, id)).await
    }

    pub async fn account_list(&self) -> Result<Vec<Account>> {
        self.fetch_all_long(query!(ALL)).await
    }

    /// Sets an account's plan; `false` if the account does not exist.
    pub async fn account_set_plan(&self, username_folded: &str, plan: Plan) -> Result<bool> {
        Ok(self.execute(query!(SET_PLAN, username_folded, plan)).await? == 1)
    }

    /// Compare-and-set of the profile; `false` if it has been changed since, or the account does not exist.
    pub async fn account_update(&self, id: Uuid, from: &AccountColumns, to: &AccountColumns) -> Result<bool> {
        let update = query!(
            UPDATE,
            &to.display_name,
            to.image_url.as_deref(),
            to.home_place.as_deref(),
            id,
            &from.display_name,
            from.image_url.as_deref(),
            from.home_place.as_deref(),
        );
        Ok(self.execute(update).await? == 1)
    }

    /// Sets an account's password, ends its sessions and the address of its calendar, revokes its grants and deletes its
    /// unredeemed codes. `false` if the account does not exist.
    pub async fn account_set_password(
        &self,
        username_folded: &str,
        password_hash: &str,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let update = query!(SET_PASSWORD, username_folded, password_hash);
        self.transaction((update, now), |(update, now), transaction| {
            Box::pin(async move {
                let Some(id) = transaction.fetch_optional::<Uuid>(update).await? else {
                    return Ok(End::Rollback(false));
                };
                transaction.end_sessions(id).await?;
                transaction.end_grants(id, *now).await?;
                transaction.end_calendar(id).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }

    /// Changes an account's password if its hash is still `from`, and ends every session; with `end_grants` also
    /// unredeemed codes, grants and the address of its calendar. `false` if the password has been changed since, or the
    /// account does not exist.
    pub async fn account_change_password(
        &self,
        id: Uuid,
        from: &str,
        to: &str,
        end_grants: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        let input = (id, query!(CHANGE_PASSWORD, id, from, to), end_grants, now);
        self.transaction(input, |(id, change, end_grants, now), transaction| {
            Box::pin(async move {
                if transaction.execute(change).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.end_sessions(*id).await?;
                if *end_grants {
                    transaction.end_grants(*id, *now).await?;
                    transaction.end_calendar(*id).await?;
                }
                Ok(End::Commit(true))
            })
        })
        .await
    }
}

impl Transaction {
    pub(crate) async fn end_sessions(&mut self, id: Uuid) -> Result<()> {
        self.execute(&query!(END_SESSIONS, id)).await.map(|_| ())
    }

    /// Ends the grants of an account and its unredeemed codes.
    pub(crate) async fn end_grants(&mut self, id: Uuid, now: DateTime<Utc>) -> Result<()> {
        // Codes before grants: this waits for a concurrent redemption of a code, whose grant is then visible to, and
        // revoked by, the statement below.
        self.execute(&query!(END_CODES, id)).await?;
        self.execute(&query!(END_GRANTS, id, now)).await.map(|_| ())
    }
}
