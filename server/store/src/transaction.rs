//! A write transaction, on either engine, and how it ends.
//!
//! On SQLite it runs whole in the writer's thread; on PostgreSQL it goes on where it was begun. What it does is written
//! once: on SQLite each statement is answered at once, so nothing ever waits.

use crate::query::Query;
use crate::row::{Found, FromRow};
use crate::{DatabaseKind, Result, postgres, sqlite};

/// A transaction that is under way.
pub(crate) enum Transaction {
    Sqlite(sqlite::Connection),
    Postgres(postgres::Connection),
}

/// How a transaction ends, and what it came to.
pub(crate) enum End<T> {
    /// What it wrote stays.
    Commit(T),
    /// Nothing of it stays.
    Rollback(T),
}

impl Transaction {
    /// The kind of database that it is on.
    pub(crate) fn kind(&self) -> DatabaseKind {
        match self {
            Self::Sqlite(_) => DatabaseKind::Sqlite,
            Self::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// The first row that a statement gives, if it gives one.
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

    /// Whether a statement gives any row.
    pub(crate) async fn exists(&mut self, query: &Query) -> Result<bool> {
        Ok(self.fetch_optional::<Found>(query).await?.is_some())
    }

    pub(crate) async fn execute(&mut self, query: &Query) -> Result<u64> {
        match self {
            Self::Sqlite(connection) => connection.execute(query),
            Self::Postgres(connection) => connection.execute(query).await,
        }
    }
}
