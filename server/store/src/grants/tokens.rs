//! Access tokens.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::entity::grants;
use crate::entity::tokens::{self, Column};
use crate::query::row::row;
use crate::query::statement::statements;
use crate::query::{Query, query};
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
        pub grant_id: Uuid = grants::Column::Id,
        pub client_id: String = grants::Column::ClientId,
    }
}

statements! {
    const GRANT = tokens::Entity::find()
        .inner_join(grants::Entity)
        .select_row::<TokenGrant>()
        .filter(Column::Hash.eq(p(1)))
        .filter(Column::Kind.eq("access"));

    const INSERT = insert_values([
        (Column::Hash, p(1)),
        (Column::GrantId, p(2)),
        (Column::Kind, "access".into()),
        (Column::Scope, p(3)),
        (Column::Resource, p(4)),
        (Column::CreatedAt, p(5)),
        (Column::ExpiresAt, p(6)),
    ]);
}

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
