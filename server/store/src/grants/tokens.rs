//! Access tokens: looked up by hash.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::row;
use crate::{Hash, Result, Store};

/// An access token to be stored; its grant follows from where it is given.
#[derive(Clone, Debug)]
pub struct NewToken {
    pub hash: Hash,
    /// Its scopes, separated by spaces.
    pub scope: String,
    /// The resource it is for, if it is bound to one.
    pub resource: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

row! {
    /// The grant of an access token.
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
    /// Inserts its row.
    pub(super) fn insert(&self, grant_id: Uuid) -> Query {
        let Self { hash, scope, resource, created_at, expires_at } = self;
        query!(INSERT, hash, grant_id, scope, resource.as_deref(), *created_at, *expires_at)
    }
}

impl Store {
    /// The grant of an access token; of an expired or revoked one too.
    pub async fn token_grant(&self, hash: &Hash) -> Result<Option<TokenGrant>> {
        self.fetch_optional(&query!(GRANT, hash)).await
    }
}
