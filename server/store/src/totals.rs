//! How much is stored, for the operator. Each number is one statement over an index or a small table, and a long read:
//! it delays no other statement, and ends at the time limit of statements.

use chrono::{DateTime, Utc};

use crate::entity::{documents, grants, sessions, tokens};
use crate::query::statement::statements;
use crate::query::{Query, query};
use crate::{Result, Store};

/// How much is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub access_tokens: i64,
    pub grants: i64,
    pub sessions: i64,
    pub documents: i64,
    pub document_bytes: i64,
}

statements! {
    const ACCESS_TOKENS = tokens::Entity::find()
        .select_count()
        .filter(tokens::Column::ExpiresAt.gt(p(1)))
        .filter(tokens::Column::Kind.eq("access"));

    const GRANTS = grants::Entity::find().select_count().filter(grants::Column::RevokedAt.is_null());

    const SESSIONS = sessions::Entity::find().select_count().filter(sessions::Column::ExpiresAt.gt(p(1)));

    const DOCUMENTS = documents::Entity::find().select_count();

    const DOCUMENT_BYTES = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM document_usage";
}

impl Store {
    /// Counts valid tokens, grants and sessions, and documents.
    pub async fn totals(&self, now: DateTime<Utc>) -> Result<Totals> {
        Ok(Totals {
            access_tokens: self.number(query!(ACCESS_TOKENS, now)).await?,
            grants: self.number(query!(GRANTS)).await?,
            sessions: self.number(query!(SESSIONS, now)).await?,
            documents: self.number(query!(DOCUMENTS)).await?,
            document_bytes: self.number(query!(DOCUMENT_BYTES)).await?,
        })
    }

    async fn number(&self, query: Query) -> Result<i64> {
        Ok(self.fetch_all_long(query).await?.pop().unwrap_or(0))
    }
}
