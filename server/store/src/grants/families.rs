//! Refresh tokens: one family a grant, of which only the current token is known.
//!
//! A token tells which family it is of. Any other token of a family than the current one has been used before, or was
//! made up by somebody who has seen one: what follows is decided elsewhere. Refreshing changes the grant's row and adds
//! none.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::NewToken;
use crate::query::{query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
use crate::{Hash, Result, Store};

/// How many access tokens of a grant are kept: a further one ends the oldest.
pub const ACCESS_TOKENS: i64 = 50;

/// What is stored of a refresh token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshKey {
    /// The hash of its family's id.
    pub family: Hash,
    /// The hash of the whole token.
    pub token: Hash,
}

/// A refresh token to be stored.
#[derive(Clone, Debug)]
pub struct NewRefresh {
    /// What is stored of it.
    pub key: RefreshKey,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

row! {
    /// A family of refresh tokens with what its grant says.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Family {
        pub grant_id: Uuid = "g.id",
        pub client_id: String = "g.client_id",
        pub account_id: Uuid = "g.account_id",
        pub scope: String = "g.scope",
        /// The resource the grant is bound to, if any.
        pub resource: Option<String> = "g.resource",
        /// The hash of the token that can be used.
        pub current: Option<Hash> = "g.refresh_hash",
        /// Until when that one holds.
        pub expires_at: DateTime<Utc> = "g.expires_at",
        pub revoked_at: Option<DateTime<Utc>> = "g.revoked_at",
    }
}

/// Tokens from before there were families: the one that was unused then has its own hash as its family's, used ones are
/// in `tokens`.
const FAMILY: &str = text!(
    "SELECT ",
    Family::COLUMNS,
    " FROM grants g WHERE g.family IN ($1, $2) \
     OR g.id = (SELECT t.grant_id FROM tokens t WHERE t.hash = $2 AND t.kind = 'refresh')"
);

const ROTATE: &str = "UPDATE grants SET family = $3, refresh_hash = $4, expires_at = $5, last_used_at = $6 \
     WHERE id = $1 AND refresh_hash = $2 AND expires_at > $6 AND revoked_at IS NULL";

const TRIM: &str = "DELETE FROM tokens WHERE grant_id = $1 AND kind = 'access' AND hash <> $2 AND hash NOT IN \
     (SELECT hash FROM tokens WHERE grant_id = $1 AND kind = 'access' AND hash <> $2 \
     ORDER BY created_at DESC, hash LIMIT $3)";

impl Store {
    /// The family that a refresh token says it is of; revoked and expired ones too.
    pub async fn refresh_family(&self, key: RefreshKey) -> Result<Option<Family>> {
        self.fetch_optional(&query!(FAMILY, &key.family, &key.token)).await
    }

    /// Puts another token in the place of a grant's current one, `used`, and issues an access token with it; `false` when
    /// `used` is not current (any more), has expired or is revoked, and then nothing is stored.
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
    /// Stores an access token, and ends the oldest of its grant that are too many.
    async fn issue_access(&mut self, grant_id: Uuid, access: &NewToken) -> Result<()> {
        self.execute(&access.insert(grant_id)).await?;
        self.execute(&query!(TRIM, grant_id, &access.hash, ACCESS_TOKENS - 1)).await?;
        Ok(())
    }
}
