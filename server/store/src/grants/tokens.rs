//! Access and refresh tokens: looked up by hash, rotated at most once.

use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, IntoActiveModel};
use uuid::Uuid;

use crate::entity::tokens;
use crate::row::{Columns, bytes, millis};
use crate::store::retry;
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

    fn from_column(name: &str) -> Result<Self> {
        match name {
            "access" => Ok(Self::Access),
            "refresh" => Ok(Self::Refresh),
            other => Err(StoreError::Corrupt(format!("a token's kind is {other:?}"))),
        }
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

/// A stored token with what its grant says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its hash.
    pub hash: Hash,
    /// What it is good for.
    pub kind: TokenKind,
    /// Its grant.
    pub grant_id: Uuid,
    /// The grant's app.
    pub client_id: String,
    /// The grant's traveller.
    pub account_id: Uuid,
    /// The token's scopes, separated by spaces.
    pub scope: String,
    /// The resource the token is for, if it is bound to one.
    pub resource: Option<String>,
    /// The grant's scopes.
    pub grant_scope: String,
    /// The resource the grant is bound to, if any.
    pub grant_resource: Option<String>,
    /// When it was issued.
    pub created_at: DateTime<Utc>,
    /// Until when it holds.
    pub expires_at: DateTime<Utc>,
    /// When it was rotated (refresh tokens only).
    pub used_at: Option<DateTime<Utc>>,
    /// When its grant was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

const TOKEN: &str = "SELECT t.hash, t.kind, t.grant_id, g.client_id, g.account_id, t.scope, t.resource, g.scope, \
     g.resource, t.created_at, t.expires_at, t.used_at, g.revoked_at \
     FROM tokens t JOIN grants g ON g.id = t.grant_id WHERE t.hash = $1";

const ROTATE: &str = "UPDATE tokens SET used_at = $2 \
     WHERE hash = $1 AND kind = 'refresh' AND used_at IS NULL AND expires_at > $2 \
     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = tokens.grant_id AND g.revoked_at IS NULL) \
     RETURNING grant_id";

impl Store {
    /// The token of a hash; used, expired and revoked ones too.
    pub async fn token(&self, hash: &Hash) -> Result<Option<Token>> {
        let Some(row) = self.reader.query_one_raw(self.statement(TOKEN, [bytes(hash)])).await? else {
            return Ok(None);
        };
        let mut columns = Columns::of(&row);
        Ok(Some(Token {
            hash: columns.hash()?,
            kind: TokenKind::from_column(&columns.take::<String>()?)?,
            grant_id: columns.take()?,
            client_id: columns.take()?,
            account_id: columns.take()?,
            scope: columns.take()?,
            resource: columns.take()?,
            grant_scope: columns.take()?,
            grant_resource: columns.take()?,
            created_at: columns.time()?,
            expires_at: columns.time()?,
            used_at: columns.time_or_null()?,
            revoked_at: columns.time_or_null()?,
        }))
    }

    /// Uses up a refresh token (unused, not run out, its grant not revoked) for the next pair; `false` when it
    /// is not such a token (any more), and then nothing is stored.
    pub async fn refresh_rotate(
        &self,
        hash: &Hash,
        now: DateTime<Utc>,
        access: &NewToken,
        refresh: &NewToken,
    ) -> Result<bool> {
        retry(|| self.try_rotate(hash, now, access, refresh)).await
    }

    async fn try_rotate(&self, hash: &Hash, now: DateTime<Utc>, access: &NewToken, refresh: &NewToken) -> Result<bool> {
        let transaction = self.begin().await?;
        let claimed = transaction.query_one_raw(self.statement(ROTATE, [bytes(hash), millis(now).into()])).await?;
        let Some(row) = claimed else {
            transaction.rollback().await?;
            return Ok(false);
        };
        let grant_id = Columns::of(&row).take()?;
        insert(&transaction, grant_id, TokenKind::Access, access).await?;
        insert(&transaction, grant_id, TokenKind::Refresh, refresh).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// Inserts a token's row.
pub(super) async fn insert(
    transaction: &DatabaseTransaction,
    grant_id: Uuid,
    kind: TokenKind,
    token: &NewToken,
) -> Result<()> {
    let row = tokens::Model {
        hash: token.hash.to_vec(),
        grant_id,
        kind: kind.as_str().to_owned(),
        scope: token.scope.clone(),
        resource: token.resource.clone(),
        created_at: millis(token.created_at),
        expires_at: millis(token.expires_at),
        used_at: None,
    };
    tokens::Entity::insert(row.into_active_model().reset_all()).exec_without_returning(transaction).await?;
    Ok(())
}
