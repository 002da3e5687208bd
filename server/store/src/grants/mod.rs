//! Grants of travellers to apps: codes, tokens, revocation.
//!
//! A token is valid only as long as its grant: revoking is one update of the grant's row, and also invalidates tokens
//! that are issued concurrently. This module detects reuse of codes and refresh tokens; the caller decides what
//! follows.

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

/// The maximum number of active grants of an account for one app: a further one deletes the least recently used.
pub const GRANTS: i64 = 20;

/// How long expired rows are kept, because the clocks of servers on one database may differ.
const KEPT: TimeDelta = TimeDelta::hours(1);

#[derive(Clone, Debug)]
pub struct NewGrant {
    pub id: Uuid,
    pub account_id: Uuid,
    pub client_id: String,
    pub scope: String,
    /// The resource to which it is bound (RFC 8707).
    pub resource: Option<String>,
    pub created_at: DateTime<Utc>,
}

const INSERT: &str = "INSERT INTO grants \
     (id, account_id, client_id, scope, resource, created_at, last_used_at, expires_at, family, refresh_hash) \
     VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, $9)";

/// Deletes instead of marking as revoked: nothing reads an ended grant, and otherwise the number of rows would be
/// unbounded.
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
    /// Inserts the row, with the first refresh token if there is one.
    fn insert(&self, refresh: Option<&NewRefresh>, expires_at: DateTime<Utc>) -> Query {
        let Self { id, account_id, client_id, scope, resource, created_at } = self;
        let family: Option<&Hash> = refresh.map(|refresh| &refresh.key.family);
        let current: Option<&Hash> = refresh.map(|refresh| &refresh.key.token);
        let resource = resource.as_deref();
        query!(INSERT, *id, *account_id, client_id, scope, resource, *created_at, expires_at, family, current)
    }
}

impl Store {
    /// Stores a grant with one access token and no refresh token. Their number is not limited: only the operator issues
    /// them, and they expire with their token.
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

    /// Revokes a grant with all its tokens; `false` if it is unknown or already revoked.
    pub async fn grant_revoke(&self, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE, grant_id, now)).await? == 1)
    }

    /// Revokes a grant of this account; `false` if it is another account's, unknown or already revoked.
    pub async fn grant_revoke_owned(&self, account_id: Uuid, grant_id: Uuid, now: DateTime<Utc>) -> Result<bool> {
        Ok(self.execute(query!(REVOKE_OWNED, grant_id, now, account_id)).await? == 1)
    }

    /// Deletes codes, records of consent pages, tokens and grants that expired, and grants that were revoked, more than
    /// an hour ago. Returns the number of rows, without tokens that are deleted with their grant.
    pub async fn tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut deleted = 0;
        for delete in EXPIRE {
            deleted += self.delete_in_batches(query!(delete, now - KEPT, BATCH)).await?;
        }
        Ok(deleted)
    }
}

impl Transaction {
    /// Stores a grant with its first pair of tokens, and deletes grants for the same app beyond the maximum. The caller
    /// holds the account's lock.
    async fn grant(&mut self, grant: &NewGrant, access: &NewToken, refresh: &NewRefresh) -> Result<()> {
        self.execute(&grant.insert(Some(refresh), refresh.expires_at)).await?;
        self.execute(&access.insert(grant.id)).await?;
        self.execute(&query!(TRIM, grant.account_id, &grant.client_id, grant.id, GRANTS - 1)).await?;
        Ok(())
    }
}
