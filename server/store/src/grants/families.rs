//! Refresh tokens: one family per grant, of which only the current token is stored.
//!
//! A token contains the name of its family. Any token of the family except the current one has been used before, or was
//! made up by somebody who has seen one; the caller decides what follows. Refreshing updates the grant's row and adds
//! none.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::NewToken;
use crate::query::{query, text};
use crate::row::row;
use crate::transaction::{End, Transaction};
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
        pub grant_id: Uuid = "g.id",
        pub client_id: String = "g.client_id",
        pub account_id: Uuid = "g.account_id",
        pub scope: String = "g.scope",
        /// The resource to which the grant is bound (RFC 8707).
        pub resource: Option<String> = "g.resource",
        /// The hash of the current token.
        pub current: Option<Hash> = "g.refresh_hash",
        /// The expiry of the current token.
        pub expires_at: DateTime<Utc> = "g.expires_at",
        pub revoked_at: Option<DateTime<Utc>> = "g.revoked_at",
    }
}

/// Tokens that were issued before there were families: an unused one has its own hash as the name of its family, used
/// ones are in `tokens`.
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
