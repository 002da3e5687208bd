//! The store's handle: reading, writing, transactions, attempts; the same for both engines.
//!
//! Deliberately without time-outs around a statement: one that is cancelled from outside may leave a pooled connection
//! inside a transaction. The database's own time-outs hold instead.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::postgres::Postgres;
use crate::query::Query;
use crate::row::{Found, FromRow};
use crate::sqlite::Sqlite;
use crate::transaction::{End, Transaction};
use crate::{Quotas, Result};

/// How long to wait before each further attempt, in milliseconds.
const PAUSES: [u64; 3] = [5, 20, 80];

/// How many rows a clean-up deletes in one transaction.
pub(crate) const BATCH: i64 = 500;

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
    pub(crate) engine: Engine,
    pub(crate) quotas: Quotas,
}

/// The database and the way to it.
#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Postgres),
}

impl Store {
    /// Which kind of database this is.
    pub fn kind(&self) -> DatabaseKind {
        match self.engine {
            Engine::Sqlite(_) => DatabaseKind::Sqlite,
            Engine::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    /// Asks the database for a sign of life.
    pub async fn ping(&self) -> Result<()> {
        self.exists(&Query::new("SELECT 1", [])).await.map(|_| ())
    }

    /// Closes all connections, of every clone, after what they are doing.
    pub async fn close(self) -> Result<()> {
        match self.engine {
            Engine::Sqlite(sqlite) => sqlite.close().await,
            Engine::Postgres(postgres) => postgres.close().await,
        }
    }

    /// The first row that a statement gives, if it gives one.
    pub(crate) async fn fetch_optional<R: FromRow>(&self, query: &Query) -> Result<Option<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_optional(query),
            Engine::Postgres(postgres) => postgres.connection().await?.fetch_optional(query).await,
        }
    }

    /// The rows that a statement gives. For statements that read a few rows by an index.
    pub(crate) async fn fetch_all<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_all(query),
            Engine::Postgres(postgres) => postgres.connection().await?.fetch_all(query).await,
        }
    }

    /// The rows that a statement gives which may look through many. Only so many such run at once.
    pub(crate) async fn fetch_all_long<R: FromRow + Send + 'static>(&self, query: Query) -> Result<Vec<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_all_long(query).await,
            Engine::Postgres(postgres) => postgres.fetch_all_long(&query).await,
        }
    }

    /// The rows of a page. On SQLite the statement runs in the calling thread; after about a millisecond it is
    /// interrupted and run again as a long read.
    pub(crate) async fn fetch_page<R: FromRow + Send + 'static>(&self, query: Query) -> Result<Vec<R>> {
        if let Engine::Sqlite(sqlite) = &self.engine
            && let Some(rows) = sqlite.fetch_all_briefly(&query)?
        {
            return Ok(rows);
        }
        self.fetch_all_long(query).await
    }

    /// Whether a statement gives any row.
    pub(crate) async fn exists(&self, query: &Query) -> Result<bool> {
        Ok(self.fetch_optional::<Found>(query).await?.is_some())
    }

    /// Executes one statement in its own transaction; returns how many rows it changed.
    pub(crate) async fn execute(&self, query: Query) -> Result<u64> {
        match &self.engine {
            Engine::Sqlite(_) => {
                self.transaction(query, |query, transaction| Box::pin(execute(query, transaction))).await
            }
            Engine::Postgres(postgres) => retry(|| async { postgres.connection().await?.execute(&query).await }).await,
        }
    }

    /// Does some work, with this input, in a write transaction: on SQLite with the write lock from the start, on
    /// PostgreSQL READ COMMITTED, which is the connection's default. It is done again from the beginning after a
    /// passing conflict, so it must not change anything but the database, and wait for nothing else.
    pub(crate) async fn transaction<I, T, W>(&self, input: I, work: W) -> Result<T>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>> + Copy + Send + Sync + 'static,
    {
        let input = Arc::new(input);
        match &self.engine {
            Engine::Sqlite(sqlite) => retry(|| sqlite.transaction(Arc::clone(&input), work)).await,
            Engine::Postgres(postgres) => retry(|| postgres_transaction(postgres, &*input, work)).await,
        }
    }

    /// Repeats a bounded `DELETE` until it finds less than a batch; returns how many rows went.
    /// Between batches others may write.
    pub(crate) async fn delete_in_batches(&self, delete: Query) -> Result<u64> {
        let mut deleted = 0;
        loop {
            let batch = self.execute(delete.clone()).await?;
            deleted += batch;
            if batch < BATCH.unsigned_abs() {
                return Ok(deleted);
            }
        }
    }
}

async fn execute(query: &Query, transaction: &mut Transaction) -> Result<End<u64>> {
    transaction.execute(query).await.map(End::Commit)
}

async fn postgres_transaction<I, T, W>(postgres: &Postgres, input: &I, work: W) -> Result<T>
where
    W: for<'t> Fn(&'t I, &'t mut Transaction) -> BoxFuture<'t, Result<End<T>>>,
{
    let mut connection = postgres.connection().await?;
    connection.begin().await?;
    let mut transaction = Transaction::Postgres(connection);
    // If this future is dropped, the connection is closed, which rolls back.
    let end = work(input, &mut transaction).await;
    let Transaction::Postgres(mut connection) = transaction else { unreachable!("it was begun on PostgreSQL") };
    let (command, outcome) = match end {
        Ok(End::Commit(outcome)) => ("COMMIT", Ok(outcome)),
        Ok(End::Rollback(outcome)) => ("ROLLBACK", Ok(outcome)),
        Err(error) => ("ROLLBACK", Err(error)),
    };
    let ended = connection.end(command).await;
    // The first error is the one to report.
    outcome.and_then(|outcome| ended.map(|()| outcome))
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
