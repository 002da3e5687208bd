//! The store's handle: reads, writes, transactions and retries, for both engines.
//!
//! Without timeouts around a statement: the database's own time limits apply, and `postgres.rs` closes a connection whose
//! statement it stops waiting for.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::engine::observed;
use crate::engine::postgres::Postgres;
use crate::engine::replica::{LaggingReads, Replicas};
use crate::engine::sqlite::Sqlite;
use crate::engine::transaction::{End, Transaction};
use crate::query::Query;
use crate::query::row::{AnyRow, FromRow};
use crate::query::statement::BATCH;
use crate::{DatabaseKind, Quotas, Result};

/// The delays before retries, in milliseconds.
const PAUSES: [u64; 3] = [5, 20, 80];

/// The storage of the service. Cheap to clone: clones share their connections.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) engine: Engine,
    pub(crate) quotas: Quotas,
    /// Servers that follow the database, for reads that may lag.
    pub(crate) replicas: Option<Arc<Replicas>>,
    /// Set in a handle whose reads may lag.
    pub(crate) reading: Option<Arc<LaggingReads>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Engine {
    Sqlite(Arc<Sqlite>),
    Postgres(Postgres),
}

impl Store {
    pub fn kind(&self) -> DatabaseKind {
        match self.engine {
            Engine::Sqlite(_) => DatabaseKind::Sqlite,
            Engine::Postgres(_) => DatabaseKind::Postgres,
        }
    }

    #[must_use]
    pub fn with_quotas(self, quotas: Quotas) -> Self {
        Self { quotas, ..self }
    }

    pub fn quotas(&self) -> &Quotas {
        &self.quotas
    }

    /// Checks that the database responds.
    pub async fn ping(&self) -> Result<()> {
        self.exists(&Query::new("SELECT 1", [])).await.map(|_| ())
    }

    /// Closes all connections, of every clone, after their current work.
    pub async fn close(self) -> Result<()> {
        if let Some(replicas) = &self.replicas {
            replicas.close().await?;
        }
        match self.engine {
            Engine::Sqlite(sqlite) => sqlite.close().await,
            Engine::Postgres(postgres) => postgres.close().await,
        }
    }

    /// The first row, if any.
    pub(crate) async fn fetch_optional<R: FromRow>(&self, query: &Query) -> Result<Option<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_optional(query),
            Engine::Postgres(postgres) => {
                if let Some(reads) = self.lagging_reads()
                    && let Some(outcome) = reads.accept(reads.replica().fetch_optional(query).await)
                {
                    return outcome;
                }
                postgres.fetch_optional(query).await
            }
        }
    }

    /// All rows, for statements that read few rows by an index.
    pub(crate) async fn fetch_all<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_all(query),
            Engine::Postgres(postgres) => {
                if let Some(reads) = self.lagging_reads()
                    && let Some(outcome) = reads.accept(reads.replica().fetch_all(query).await)
                {
                    return outcome;
                }
                postgres.fetch_all(query).await
            }
        }
    }

    /// The rows of a slow statement. The number of concurrent ones is limited.
    pub(crate) async fn fetch_all_long<R: FromRow + Send + 'static>(&self, query: Query) -> Result<Vec<R>> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.fetch_all_long(query).await,
            Engine::Postgres(postgres) => {
                if let Some(reads) = self.lagging_reads()
                    && let Some(outcome) = reads.accept(reads.replica().fetch_all_long(&query).await)
                {
                    return outcome;
                }
                postgres.fetch_all_long(&query).await
            }
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

    /// Whether a statement returns a row.
    pub(crate) async fn exists(&self, query: &Query) -> Result<bool> {
        Ok(self.fetch_optional::<AnyRow>(query).await?.is_some())
    }

    /// Executes one statement in its own transaction; returns the number of changed rows.
    pub(crate) async fn execute(&self, query: Query) -> Result<u64> {
        match &self.engine {
            Engine::Sqlite(_) => {
                self.transaction(query, |query, transaction| Box::pin(execute(query, transaction))).await
            }
            Engine::Postgres(postgres) => retry(|| async { postgres.connection().await?.execute(&query).await }).await,
        }
    }

    /// Executes one statement that changes rows and returns their number, for PostgreSQL.
    pub(crate) async fn execute_counted(&self, query: &Query) -> Result<i64> {
        let Engine::Postgres(postgres) = &self.engine else { unreachable!("SQLite has no such statements") };
        let count = retry(|| async { postgres.connection().await?.fetch_optional(query).await }).await?;
        Ok(count.unwrap_or_default())
    }

    /// Runs a write transaction with this input: on SQLite with the write lock from the start, on PostgreSQL READ
    /// COMMITTED, which is the connection's default. After a transient conflict it runs again from the beginning, so it
    /// must have no effects outside the database, and wait for nothing else.
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

    /// Repeats a `DELETE` with a limit until it deletes less than a batch; returns the number of rows. Other writes run
    /// between batches.
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

/// Retries a write after transient conflicts: the only place that repeats statements. After a serialization failure
/// (`40001`) or a deadlock (`40P01`) of PostgreSQL three times, and once when SQLite was busy
/// ([`StoreError::retries`]). The database has rolled the attempt back in these cases.
pub(crate) async fn retry<T, F>(attempt: impl Fn() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    let mut made = 0;
    loop {
        match attempt().await {
            Err(error) if made < error.retries() => {
                tracing::debug!(%error, "retrying a write");
                observed::retried();
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
