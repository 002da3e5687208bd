//! The store's handle: its two sides (writing and reading), transactions, attempts.
//!
//! Deliberately without time-outs of its own: a statement that is cancelled from outside may leave a
//! pooled connection inside a transaction. The database's own time-outs hold instead.

use std::future::Future;
use std::time::Duration;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait, Value,
};

use crate::Result;

/// How long to wait before each further attempt, in milliseconds.
const PAUSES: [u64; 3] = [5, 20, 80];

/// How many rows a clean-up deletes in one transaction.
pub(crate) const BATCH: u64 = 500;

/// The kind of database behind a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseKind {
    /// An SQLite file.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}

/// The storage of the service. Cheap to clone: clones share their connections.
#[derive(Clone, Debug)]
pub struct Store {
    /// On SQLite the one connection that writes.
    pub(crate) writer: DatabaseConnection,
    /// On PostgreSQL the same pool as the writer's.
    pub(crate) reader: DatabaseConnection,
    pub(crate) kind: DatabaseKind,
}

impl Store {
    /// Which kind of database this is.
    pub fn kind(&self) -> DatabaseKind {
        self.kind
    }

    /// Asks the database for a sign of life.
    pub async fn ping(&self) -> Result<()> {
        Ok(self.reader.ping().await?)
    }

    /// Closes all connections, of every clone, after what they are doing.
    pub async fn close(self) -> Result<()> {
        self.reader.close().await?;
        Ok(self.writer.close().await?)
    }

    /// A statement with its values. Its text comes from a small fixed set, so that every connection prepares
    /// it once.
    pub(crate) fn statement(&self, sql: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Statement {
        let backend = match self.kind {
            DatabaseKind::Sqlite => DbBackend::Sqlite,
            DatabaseKind::Postgres => DbBackend::Postgres,
        };
        Statement::from_sql_and_values(backend, sql, values)
    }

    /// Begins a write transaction: on SQLite with the write lock from the start, on PostgreSQL READ
    /// COMMITTED, which is the connection's default. Dropped without a commit it rolls back.
    pub(crate) async fn begin(&self) -> Result<DatabaseTransaction> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        Ok(self.writer.begin_with_options(options).await?)
    }

    /// Executes one statement in its own transaction; returns how many rows it changed.
    pub(crate) async fn execute(&self, statement: Statement) -> Result<u64> {
        retry(|| async { execute(&self.writer, statement.clone()).await }).await
    }

    /// Repeats a bounded `DELETE` until it finds less than a batch; returns how many rows went.
    /// Between batches others may write.
    pub(crate) async fn delete_in_batches(&self, delete: Statement) -> Result<u64> {
        let mut deleted = 0;
        loop {
            let batch = self.execute(delete.clone()).await?;
            deleted += batch;
            if batch < BATCH {
                return Ok(deleted);
            }
        }
    }
}

/// Executes one statement on a connection or in a transaction; returns how many rows it changed.
pub(crate) async fn execute(db: &impl ConnectionTrait, statement: Statement) -> Result<u64> {
    Ok(db.execute_raw(statement).await?.rows_affected())
}

/// Makes one attempt at a write after another for as long as only a passing conflict is in the way.
pub(crate) async fn retry<T, F>(attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut made = 0;
    loop {
        match attempt().await {
            Err(error) if made < error.retries() => {
                tracing::debug!(%error, "write attempted again");
                tokio::time::sleep(Duration::from_millis(PAUSES[made])).await;
                made += 1;
            }
            outcome => return outcome,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::error::tests::coded;

    async fn attempts(code: &'static str, failures: usize) -> (usize, Result<()>) {
        let made = Cell::new(0);
        let outcome = retry(|| async {
            made.set(made.get() + 1);
            if made.get() > failures { Ok(()) } else { Err(coded(code)) }
        })
        .await;
        (made.get(), outcome)
    }

    #[tokio::test]
    async fn a_deadlock_is_attempted_four_times_and_a_broken_rule_once() {
        assert!(matches!(attempts("40P01", 3).await, (4, Ok(()))));
        assert!(matches!(attempts("40P01", 9).await, (4, Err(_))));
        assert!(matches!(attempts("5", 9).await, (2, Err(_))));
        assert!(matches!(attempts("23505", 9).await, (1, Err(_))));
    }
}
