//! Access tokens.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::row;
use crate::{Hash, Result, Store};

/// An access token to store.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub hash: Hash,
    /// Separated by spaces.
    pub scope: String,
    /// The resource to which it is bound (RFC 8707).
    pub resource: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct TokenGrant {
        pub grant_id: Uuid = "g.id",
        pub client_id: String = "g.client_id",
    }
}

const GRANT: &str = text!(
    "SELECT ",
    TokenGrant::COLUMNS,
    " FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE t.hash = $1 AND t.kind = 'access'"
);

const INSERT: &str = "INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at) \
     VALUES ($1, $2, 'access', $3, $4, $5, $6)";

impl NewToken {
    pub(super) fn insert(&self, grant_id: Uuid) -> Query {
        let Self { hash, scope, resource, created_at, expires_at } = self;
        query!(INSERT, hash, grant_id, scope, resource.as_deref(), *created_at, *expires_at)
    }
}

impl Store {
    /// The grant of an access token, even if the token is expired or revoked.
    pub async fn token_grant(&self, hash: &Hash) -> Result<Option<TokenGrant>> {
        self.fetch_optional(&query!(GRANT, hash)).await
    }
}
