//! Grants of travellers to apps: codes, tokens, revocation.
//!
//! A token is valid only as long as its grant: revoking is one update of the grant's row, and also invalidates tokens
//! that are issued concurrently. This module detects reuse of codes and refresh tokens; the caller decides what
//! follows.

pub(crate) mod codes;
pub(crate) mod families;
pub(crate) mod page;
pub(crate) mod tokens;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::engine::transaction::{End, Transaction};
use crate::entity::grants::{self, Column};
use crate::entity::{self, consent_answers};
use crate::query::statement::{Statement, statements};
use crate::query::{Query, query};
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

/// In this order: tokens refer to grants.
const EXPIRE: [&Statement; 5] = [EXPIRE_CONSENTS, EXPIRE_CODES, EXPIRE_TOKENS, EXPIRE_GRANTS, EXPIRE_REVOKED];

statements! {
    const INSERT = insert_values([
        (Column::Id, p(1)),
        (Column::AccountId, p(2)),
        (Column::ClientId, p(3)),
        (Column::Scope, p(4)),
        (Column::Resource, p(5)),
        (Column::CreatedAt, p(6)),
        (Column::LastUsedAt, p(6)),
        (Column::ExpiresAt, p(7)),
        (Column::Family, p(8)),
        (Column::RefreshHash, p(9)),
    ]);

    const REVOKE = grants::Entity::update_many()
        .col_expr(Column::RevokedAt, p(2))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::RevokedAt.is_null());

    const REVOKE_OWNED = grants::Entity::update_many()
        .col_expr(Column::RevokedAt, p(2))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::AccountId.eq(p(3)))
        .into_query()
        .returning_col(Column::ClientId);

    const EXPIRE_CONSENTS =
        delete_batch(consent_answers::Entity::find().filter(consent_answers::Column::ExpiresAt.lte(p(1))));
    const EXPIRE_CODES = delete_batch(entity::codes::Entity::find().filter(entity::codes::Column::ExpiresAt.lte(p(1))));
    const EXPIRE_TOKENS =
        delete_batch(entity::tokens::Entity::find().filter(entity::tokens::Column::ExpiresAt.lte(p(1))));
    const EXPIRE_GRANTS = delete_batch(grants::Entity::find().filter(Column::ExpiresAt.lte(p(1))));
    const EXPIRE_REVOKED = delete_batch(grants::Entity::find().filter(Column::RevokedAt.lte(p(1))));

    /// Deletes instead of marking as revoked: nothing reads an ended grant, and otherwise the number of rows would be
    /// unbounded.
    const TRIM = "DELETE FROM grants \
         WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL AND id <> $3 AND id NOT IN \
         (SELECT id FROM grants WHERE account_id = $1 AND client_id = $2 AND revoked_at IS NULL AND id <> $3 \
         ORDER BY last_used_at DESC, created_at DESC, id DESC LIMIT $4)";
}

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

    /// Revokes a grant of this account, and returns the client id of its app; `None` if it is another account's, unknown or
    /// already revoked.
    pub async fn grant_revoke_owned(
        &self,
        account_id: Uuid,
        grant_id: Uuid,
        now: DateTime<Utc>,
    ) -> Result<Option<String>> {
        let revoke = query!(REVOKE_OWNED, grant_id, now, account_id);
        self.transaction(revoke, |revoke, transaction| {
            Box::pin(async move { transaction.fetch_optional::<String>(revoke).await.map(End::Commit) })
        })
        .await
    }

    /// Deletes codes, records of consent pages, tokens and grants that expired, and grants that were revoked, more than
    /// an hour ago. Returns the number of rows, without tokens that are deleted with their grant.
    pub async fn tokens_expire(&self, now: DateTime<Utc>) -> Result<u64> {
        let mut deleted = 0;
        for delete in EXPIRE {
            deleted += self.delete_in_batches(query!(delete, now - KEPT)).await?;
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
