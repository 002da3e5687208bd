//! A write transaction, on either engine.
//!
//! On SQLite it runs entirely in the writer's thread; on PostgreSQL in the calling task. Both use the same async code:
//! on SQLite each statement is immediately ready, so the code never waits.

use crate::engine::{postgres, sqlite};
use crate::query::Query;
use crate::query::row::{AnyRow, FromRow};
use crate::{DatabaseKind, Result};

pub(crate) enum Transaction {
    Sqlite(sqlite::Connection),
    Postgres(postgres::Connection),
}

/// The end of a transaction, with its result.
pub(crate) enum End<T> {
    Commit(T),
    Rollback(T),
}

impl Transaction {
    pub(crate) fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// The first row, if any.
    pub(crate) async fn fetch_optional<R: FromRow>(&mut self, query: &Query) -> Result<Option<R>> {
        match self {
            Self::Sqlite(connection) => connection.fetch_optional(query),
            Self::Postgres(connection) => connection.fetch_optional(query).await,
        }
    }

    pub(crate) async fn fetch_all<R: FromRow>(&mut self, query: &Query) -> Result<Vec<R>> {
        match self {
            Self::Sqlite(connection) => connection.fetch_all(query),
            Self::Postgres(connection) => connection.fetch_all(query).await,
        }
    }

    /// Waits for the ends of statements without limit. On SQLite their limit is that of the transaction.
    pub(crate) fn without_limit(&mut self) {
        if let Self::Postgres(connection) = self {
            connection.without_limit();
        }
    }

    pub(crate) async fn exists(&mut self, query: &Query) -> Result<bool> {
        Ok(self.fetch_optional::<AnyRow>(query).await?.is_some())
    }

    pub(crate) async fn execute(&mut self, query: &Query) -> Result<u64> {
        match self {
            Self::Sqlite(connection) => connection.execute(query),
            Self::Postgres(connection) => connection.execute(query).await,
        }
    }

    /// Executes statements without values, which are needed once: PostgreSQL receives them together.
    pub(crate) async fn execute_all(&mut self, statements: &[String]) -> Result<()> {
        match self {
            Self::Sqlite(connection) => {
                statements.iter().try_for_each(|text| connection.execute(&Query::new(text.clone(), [])).map(drop))
            }
            Self::Postgres(connection) => connection.execute_all(statements).await,
        }
    }
}
