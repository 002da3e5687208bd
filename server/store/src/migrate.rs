//! Applies migrations, and reports pending ones.
//!
//! Never downgrades: an old program rejects a newer schema. The table of applied migrations is that of
//! sea-orm-migration.

use std::collections::HashSet;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::migration::{MIGRATIONS, Migration};
use crate::query::{Query, query};
use crate::store::{Engine, retry};
use crate::transaction::{End, Transaction};
use crate::{DatabaseKind, Result, Store, StoreError};

/// Takes PostgreSQL's advisory lock for migrations for this transaction; the key is an arbitrary number. Lifts the time
/// limits of requests.
const ALONE: [&str; 3] = [
    "SET LOCAL lock_timeout = 0",
    "SET LOCAL statement_timeout = 0",
    "SELECT pg_advisory_xact_lock(7598814394150183282)",
];

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS seaql_migrations (version TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)";
pub(crate) const APPLIED: &str = "SELECT version FROM seaql_migrations";
const APPLY: &str = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, $2)";

impl Store {
    /// Applies all pending migrations in one transaction; returns how many. If two servers start together, the second
    /// waits and finds none pending.
    pub async fn migrate(&self) -> Result<u32> {
        self.pending().await?;
        match &self.engine {
            Engine::Postgres(_) => self.transaction((), boxed).await,
            Engine::Sqlite(sqlite) => retry(|| sqlite.transaction_without_limit(Arc::new(()), boxed)).await,
        }
    }

    /// The number of pending migrations.
    pub async fn pending(&self) -> Result<u32> {
        let applied = self.applied().await?;
        match applied.iter().filter(|name| MIGRATIONS.iter().all(|known| known.name != *name)).max() {
            Some(unknown) => Err(StoreError::NewerSchema(unknown.clone())),
            None => Ok(count(missing(&applied).count())),
        }
    }

    /// Whether any migration has been applied.
    pub(crate) async fn has_schema(&self) -> Result<bool> {
        Ok(!self.applied().await?.is_empty())
    }

    /// The schema that this program uses: the name of the newest migration.
    pub fn schema() -> &'static str {
        MIGRATIONS.last().map_or("", |migration| migration.name)
    }

    async fn applied(&self) -> Result<HashSet<String>> {
        let table = match self.kind() {
            DatabaseKind::Sqlite => "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'",
            DatabaseKind::Postgres => "SELECT 1 WHERE to_regclass('seaql_migrations') IS NOT NULL",
        };
        if !self.exists(&query!(table)).await? {
            return Ok(HashSet::new());
        }
        Ok(self.fetch_all(&query!(APPLIED)).await?.into_iter().collect())
    }
}

fn boxed<'t>((): &'t (), transaction: &'t mut Transaction) -> BoxFuture<'t, Result<End<u32>>> {
    Box::pin(apply(transaction))
}

async fn apply(transaction: &mut Transaction) -> Result<End<u32>> {
    if transaction.kind() == DatabaseKind::Postgres {
        for statement in ALONE {
            transaction.execute(&query!(statement)).await?;
        }
    }
    transaction.execute(&query!(TABLE)).await?;
    let applied = transaction.fetch_all(&query!(APPLIED)).await?.into_iter().collect();
    let mut steps = 0;
    for migration in missing(&applied) {
        for statement in migration.statements(transaction.kind()) {
            transaction.execute(&Query::new(statement, [])).await?;
        }
        transaction.execute(&query!(APPLY, migration.name, seconds_since_1970())).await?;
        steps += 1;
    }
    Ok(End::Commit(steps))
}

#[expect(clippy::disallowed_methods, reason = "told to people only")]
pub(crate) fn seconds_since_1970() -> i64 {
    chrono::Utc::now().timestamp()
}

pub(crate) fn missing(applied: &HashSet<String>) -> impl Iterator<Item = &'static Migration> {
    MIGRATIONS.iter().filter(|migration| !applied.contains(migration.name))
}

fn count(migrations: usize) -> u32 {
    u32::try_from(migrations).expect("migrations are few")
}
