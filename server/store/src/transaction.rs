//! A write transaction, on either engine, and how it ends.
//!
//! On SQLite it runs whole in the writer's thread; on PostgreSQL it goes on where it was begun. What it does is written
//! once: on SQLite each statement is answered at once, so nothing ever waits.

use sea_orm::{ConnectionTrait, DatabaseTransaction};

use crate::query::Query;
use crate::row::{Columns, Found, FromRow};
use crate::sqlite::Connection;
use crate::{DatabaseKind, Result};

/// A transaction that is under way.
pub(crate) enum Transaction {
    Sqlite(Connection),
    Postgres(DatabaseTransaction),
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
            Self::Postgres(transaction) => fetch_optional(transaction, query).await,
        }
    }

    /// The rows that a statement gives.
    pub(crate) async fn fetch_all<R: FromRow>(&mut self, query: &Query) -> Result<Vec<R>> {
        match self {
            Self::Sqlite(connection) => connection.fetch_all(query),
            Self::Postgres(transaction) => fetch_all(transaction, query).await,
        }
    }

    /// Whether a statement gives any row.
    pub(crate) async fn exists(&mut self, query: &Query) -> Result<bool> {
        Ok(self.fetch_optional::<Found>(query).await?.is_some())
    }

    /// Executes a statement; returns how many rows it changed.
    pub(crate) async fn execute(&mut self, query: &Query) -> Result<u64> {
        match self {
            Self::Sqlite(connection) => connection.execute(query),
            Self::Postgres(transaction) => execute(transaction, query).await,
        }
    }
}

/// The first row that a statement gives on PostgreSQL, if it gives one.
pub(crate) async fn fetch_optional<R: FromRow>(db: &impl ConnectionTrait, query: &Query) -> Result<Option<R>> {
    let row = db.query_one_raw(query.to_postgres()).await?;
    row.as_ref().map(|row| Columns::from(row).take()).transpose()
}

/// The rows that a statement gives on PostgreSQL.
pub(crate) async fn fetch_all<R: FromRow>(db: &impl ConnectionTrait, query: &Query) -> Result<Vec<R>> {
    db.query_all_raw(query.to_postgres()).await?.iter().map(|row| Columns::from(row).take()).collect()
}

/// Executes a statement on PostgreSQL; returns how many rows it changed.
pub(crate) async fn execute(db: &impl ConnectionTrait, query: &Query) -> Result<u64> {
    Ok(db.execute_raw(query.to_postgres()).await?.rows_affected())
}
