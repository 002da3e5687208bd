//! Grants: what a traveller has allowed an app, from the code over the tokens to the end.
//!
//! A token lives and dies with its grant: revoking is one update of the grant's row, and whatever is issued
//! beside it at that moment is dead on arrival. Reuse of codes and refresh tokens is visible here; what follows
//! from it is decided elsewhere.

mod codes;
mod families;
mod page;
mod tokens;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::query::{Query, query};
use crate::store::BATCH;
use crate::transaction::{End, Transaction};
use crate::{Hash, Result, Store};

pub use codes::{Code, CodeOutcome, ConsentAnswer};
pub use families::{ACCESS_TOKENS, Family, NewRefresh, RefreshKey};
pub use page::ConnectedApp;
pub use tokens::{NewToken, TokenGrant};

/// How many living grants an account may have for one app: a further one ends the least recently used.
pub const GRANTS: i64 = 20;

/// How long what has expired is kept: the clocks of servers on one database may differ.
const KEPT: TimeDelta = TimeDelta::hours(1);

/// A grant to be stored.
#[derive(Clone, Debug)]
pub struct NewGrant {
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    pub scope: String,
    /// The resource it is bound to, if any.
    pub resource: Option<String>,
    pub created_at: DateTime<Utc>,
}

const INSERT: &str = "INSERT INTO grants \
     (id, account_id, client_id, scope, resource, created_at, last_used_at, expires_at, family, refresh_hash) \
     VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)";

/// Ends by deleting: nothing is to be learnt from an ended grant, and rows would remain of as many as are asked for.
const TRIM: &str = "DELETE FROM grants \
     WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL AND id <> $3 AND id NOT IN \
     (SELECT id FROM grants WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL AND id <> $3 \
     ORDER BY last_used_at DESC, created_at DESC, id DESC LIMIT $4)";

const REVOKE: &str = "UPDATE grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

const REVOKE_OWNED: &str = "UPDATE grants SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL AND account_id = $3";

const EXPIRE: [&str; 5] = [
    "DELETE FROM consent_answers WHERE id IN (SELECT id FROM consent_answers WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM codes WHERE hash IN (SELECT hash FROM codes WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE expires_at <= $1 LIMIT $2)",
    "DELETE FROM grants WHERE id IN (SELECT id FROM grants WHERE revoked_at <= $1 LIMIT $2)",
];

impl NewGrant {
    /// Inserts its row, with its first refresh token if it has one.
    fn insert(&self, refresh: Option<&NewRefresh>, expires_at: DateTime<Utc>) -> Query {
        let Self { id, account_id, client_id, scope, resource, created_at } = self;
        let family: Option<&Hash> = refresh.map(|refresh| &refresh.key.family);
        let current: Option<&Hash> = refresh.map(|refresh| &refresh.key.token);
        let resource = resource.as_deref();
        query!(INSERT, *id, *account_id, client_id, scope, resource, *created_at, expires_at, family, current)
    }
}

impl Store {
    /// Stores a grant with one access token and no way to refresh it. How many of these an account has is not limited: they
    /// come from the operator, and expire with their token.
    pub async fn grant_issue(&self, grant: &NewGrant, access: &NewToken) -> Result<()> {
        let inserts = [grant.insert(None, access.expires_at), access.insert(grant.id)];
        self.transaction(inserts, |inserts, transaction| {
            Box::pin(async move {
                for insert in inserts {
                    transaction.execute(insert).await?;
                }
                Ok(End::Commit(()))
            })
        })
        .await
    }

    /// Ends a grant with all its tokens; `false` when it is unknown or has ended before.
    pub async fn grant_revoke(&self, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE, grant_id, now)).await? == 1)
    }

    /// Ends a grant if it is this account's; `false` when it is not, is unknown or has ended before.
    pub async fn grant_revoke_owned(&self, account_id: Uuid, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE_OWNED, grant_id, now, account_id)).await? == 1)
    }

    /// Deletes codes, answers of consent pages and tokens that have expired, and grants that have expired or were
    /// revoked, an hour later; returns how many rows went. Tokens that go with their grant are not counted.
    pub async fn tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut deleted = 0;
        for delete in EXPIRE {
            deleted += self.delete_in_batches(query!(delete, now - KEPT, BATCH)).await?;
        }
        Ok(deleted)
    }
}

impl Transaction {
    /// Stores a grant with its first pair of tokens, and ends the grants for the same app that are too many. The account is
    /// locked.
    async fn grant(&mut self, grant: &NewGrant, access: &NewToken, refresh: &NewRefresh) -> Result<()> {
        self.execute(&grant.insert(Some(refresh), refresh.expires_at)).await?;
        self.execute(&access.insert(grant.id)).await?;
        self.execute(&query!(TRIM, grant.account_id, &grant.client_id, grant.id, GRANTS - 1)).await?;
        Ok(())
    }
}
