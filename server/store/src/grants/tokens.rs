//! Access and refresh tokens: looked up by hash, rotated at most once.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::{FromColumn, row};
use crate::transaction::End;
use crate::{Hash, Result, Store, StoreError};

/// What a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Calling the service.
    Access,
    /// Getting the next pair of tokens.
    Refresh,
}

impl TokenKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Refresh => "refresh",
        }
    }
}

impl FromColumn for TokenKind {
    type Stored = String;

    fn from_column(name: String) -> Result<Self> {
        [Self::Access, Self::Refresh]
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| StoreError::Corrupt(format!("a token's kind is {name:?}")))
    }
}

/// A token to be stored; its kind and grant follow from where it is given.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Its hash.
    pub hash: Hash,
    /// Its scopes, separated by spaces.
    pub scope: String,
    /// The resource it is for, if it is bound to one.
    pub resource: Option<String>,
    /// Now.
    pub created_at: DateTime<Utc>,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
}

row! {
    /// A stored token with what its grant says.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Token {
        /// Its hash.
        pub hash: Hash = "t.hash",
        /// What it is good for.
        pub kind: TokenKind = "t.kind",
        /// Its grant.
        pub grant_id: Uuid = "t.grant_id",
        /// The grant's app.
        pub client_id: String = "g.client_id",
        /// The grant's traveller.
        pub account_id: Uuid = "g.account_id",
        /// The token's scopes, separated by spaces.
        pub scope: String = "t.scope",
        /// The resource the token is for, if it is bound to one.
        pub resource: Option<String> = "t.resource",
        /// The grant's scopes.
        pub grant_scope: String = "g.scope",
        /// The resource the grant is bound to, if any.
        pub grant_resource: Option<String> = "g.resource",
        /// When it was issued.
        pub created_at: DateTime<Utc> = "t.created_at",
        /// Until when it holds.
        pub expires_at: DateTime<Utc> = "t.expires_at",
        /// When it was rotated (refresh tokens only).
        pub used_at: Option<DateTime<Utc>> = "t.used_at",
        /// When its grant was revoked.
        pub revoked_at: Option<DateTime<Utc>> = "g.revoked_at",
    }
}

const TOKEN: &str =
    text!("SELECT ", Token::COLUMNS, " FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE t.hash = $1");

const INSERT: &str = "INSERT INTO tokens (hash, grant_id, kind, scope, resource, created_at, expires_at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7)";

const ROTATE: &str = "UPDATE tokens SET used_at = $2 \
     WHERE hash = $1 AND kind = 'refresh' AND used_at IS NULL AND expires_at > $2 \
     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = tokens.grant_id AND g.revoked_at IS NULL) \
     RETURNING grant_id";

impl NewToken {
    /// Inserts its row.
    pub(super) fn insert(&self, grant_id: Uuid, kind: TokenKind) -> Query {
        let Self { hash, scope, resource, created_at, expires_at } = self;
        query!(INSERT, hash, grant_id, kind.as_str(), scope, resource.as_deref(), *created_at, *expires_at)
    }
}

impl Store {
    /// The token of a hash; used, expired and revoked ones too.
    pub async fn token(&self, hash: &Hash) -> Result<Option<Token>> {
        self.fetch_optional(&query!(TOKEN, hash)).await
    }

    /// Uses up a refresh token (unused, not expired, its grant not revoked) for the next pair; `false` when it
    /// is not such a token (any more), and then nothing is stored.
    pub async fn refresh_rotate(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        access: &NewToken,
        refresh: &NewToken,
    ) -> Result<bool> {
        let input = (query!(ROTATE, hash, now), access.clone(), refresh.clone());
        self.transaction(input, |(rotate, access, refresh), transaction| {
            Box::pin(async move {
                let Some(grant_id) = transaction.fetch_optional(rotate).await? else {
                    return Ok(End::Rollback(false));
                };
                transaction.execute(&access.insert(grant_id, TokenKind::Access)).await?;
                transaction.execute(&refresh.insert(grant_id, TokenKind::Refresh)).await?;
                Ok(End::Commit(true))
            })
        })
        .await
    }
}
