//! Refresh tokens: one family per grant, of which only the current token is stored.
//!
//! A token contains the name of its family. Any token of the family except the current one has been used before, or was
//! made up by somebody who has seen one; the caller decides what follows. Refreshing updates the grant's row and adds
//! none.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::NewToken;
use crate::engine::transaction::{End, Transaction};
use crate::entity::grants::{self, Column};
use crate::entity::tokens;
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Hash, Result, Store};

/// The maximum number of access tokens of a grant: a further one deletes the oldest.
pub const ACCESS_TOKENS: i64 = 50;

/// The stored form of a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshKey {
    /// The hash of the family's name.
    pub family: Hash,
    /// The hash of the whole token.
    pub token: Hash,
}

/// A refresh token to store.
#[derive(Clone, Debug)]
pub struct NewRefresh {
    pub key: RefreshKey,
    pub expires_at: DateTime<Utc>,
}

row! {
    /// A family of refresh tokens with its grant.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Family {
        pub grant_id: Uuid = grants::Column::Id,
        pub client_id: String = grants::Column::ClientId,
        pub account_id: Uuid = grants::Column::AccountId,
        pub scope: String = grants::Column::Scope,
        /// The resource to which the grant is bound (RFC 8707).
        pub resource: Option<String> = grants::Column::Resource,
        /// The hash of the current token.
        pub current: Option<Hash> = grants::Column::RefreshHash,
        /// The expiry of the current token.
        pub expires_at: DateTime<Utc> = grants::Column::ExpiresAt,
        pub revoked_at: Option<DateTime<Utc>> = grants::Column::RevokedAt,
    }
}

statements! {
    /// Tokens that were issued before there were families: an unused one has its own hash as the name of its family,
    /// used ones are in `tokens`.
    const FAMILY = grants::Entity::find().select_row::<Family>().filter(
        Column::Family.col().is_in([p(1), p(2)]).or(Column::Id.eq(
            tokens::Entity::find()
                .select_only()
                .column(tokens::Column::GrantId)
                .filter(tokens::Column::Hash.eq(p(2)))
                .filter(tokens::Column::Kind.eq("refresh"))
                .into_query(),
        )),
    );

    const ROTATE = grants::Entity::update_many()
        .col_expr(Column::Family, p(3))
        .col_expr(Column::RefreshHash, p(4))
        .col_expr(Column::ExpiresAt, p(5))
        .col_expr(Column::LastUsedAt, p(6))
        .filter(Column::Id.eq(p(1)))
        .filter(Column::RefreshHash.eq(p(2)))
        .filter(Column::ExpiresAt.gt(p(6)))
        .filter(Column::RevokedAt.is_null());

    /// The newest tokens besides $2 stay.
    const TRIM = "DELETE FROM tokens WHERE grant_id = $1 AND kind = 'access' AND hash <> $2 AND hash NOT IN \
         (SELECT hash FROM tokens WHERE grant_id = $1 AND kind = 'access' AND hash <> $2 \
         ORDER BY created_at DESC, hash LIMIT $3)";
}

impl Store {
    /// The family that a refresh token names, even if it is revoked or expired.
    pub async fn refresh_family(&self, key: RefreshKey) -> Result<Option<Family>> {
        self.fetch_optional(&query!(FAMILY, &key.family, &key.token)).await
    }

    /// Replaces a grant's current token `used` by a new one and stores an access token. `false`, and nothing is stored,
    /// if `used` is not current, has expired or is revoked.
    pub async fn refresh_rotate(
        &self,
        grant_id: Uuid,
        used: &Hash,
        now: DateTime<Utc>,
        access: &NewToken,
        refresh: &NewRefresh,
    ) -> Result<bool> {
        let NewRefresh { key, expires_at } = refresh;
        let rotate = query!(ROTATE, grant_id, used, &key.family, &key.token, *expires_at, now);
        self.transaction((rotate, grant_id, access.clone()), |(rotate, grant_id, access), transaction| {
            Box::pin(async move {
                if transaction.execute(rotate).await? != 1 {
                    return Ok(End::Rollback(false));
                }
                transaction.issue_access(*grant_id, access).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }
}

impl Transaction {
    /// Stores an access token, and deletes the grant's oldest ones beyond the maximum.
    async fn issue_access(&mut self, grant_id: Uuid, access: &NewToken) -> Result<()> {
        self.execute(&access.insert(grant_id)).await?;
        self.execute(&query!(TRIM, grant_id, &access.hash, ACCESS_TOKENS - 1)).await?;
        Ok(())
    }
}
