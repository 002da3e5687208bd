//! Applies migrations, and reports pending ones.
//!
//! Never downgrades: an old program rejects a newer schema. The table of applied migrations is that of
//! sea-orm-migration.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;

use crate::engine::store::{Engine, retry};
use crate::engine::transaction::{End, Transaction};
use crate::migration::{APPLIED, MIGRATIONS, missing};
use crate::query::query;
use crate::{DatabaseKind, Result, Store, StoreError};

/// Takes PostgreSQL's advisory lock for migrations for this transaction; the key is an arbitrary number. Lifts the time
/// limits of requests. A statement that waits for a table's lock makes all later statements on the table wait as well,
/// so it gives up soon, and the migration starts again: before PostgreSQL's `deadlock_timeout` of a second, which could
/// end a request's statement instead.
const ALONE: [&str; 4] =
    ["SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0", LOCK, "SET LOCAL lock_timeout = '400ms'"];

/// Held by whoever changes the schema on PostgreSQL, until the transaction ends.
pub(crate) const LOCK: &str = "SELECT pg_advisory_xact_lock(7598814394150183282)";

/// How often a migration starts again because another transaction holds a lock, and the pauses between, in which
/// waiting statements run.
const LOCK_ATTEMPTS: u32 = 100;
const LOCK_PAUSE: Duration = Duration::from_secs(1);

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS seaql_migrations (version TEXT NOT NULL PRIMARY KEY, applied_at BIGINT NOT NULL)";
const APPLY: &str = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, $2)";

/// An applied migration.
#[derive(Clone, Debug)]
pub struct Applied {
    pub name: String,
    /// How long its statements took.
    pub took: Duration,
}

/// A migration for one engine.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct MigrationSteps {
    pub name: String,
    pub statements: Vec<String>,
}

impl Store {
    /// Applies all pending migrations in one transaction, and returns them. If two servers start together, the second
    /// waits and finds none pending.
    pub async fn migrate(&self) -> Result<Vec<Applied>> {
        self.migrate_by(Self::migrations(self.kind())).await
    }

    /// The number of pending migrations.
    pub async fn pending(&self) -> Result<u32> {
        Ok(u32::try_from(self.pending_names().await?.len()).expect("migrations are few"))
    }

    /// The names of pending migrations, in the order in which they are applied.
    pub async fn pending_names(&self) -> Result<Vec<&'static str>> {
        let applied = self.applied().await?;
        let known: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name).collect();
        reject_unknown(&applied, &known)?;
        Ok(missing(&applied).map(|migration| migration.name).collect())
    }

    /// The migrations that this program knows.
    #[doc(hidden)]
    pub fn migrations(kind: DatabaseKind) -> Vec<MigrationSteps> {
        let steps = MIGRATIONS.iter().map(|migration| MigrationSteps {
            name: migration.name.to_owned(),
            statements: migration.statements(kind).collect(),
        });
        steps.collect()
    }

    /// Migrates as a program that knows these migrations. Tests use it for migrations that fail, and for those of a later
    /// version.
    #[doc(hidden)]
    pub async fn migrate_by(&self, migrations: Vec<MigrationSteps>) -> Result<Vec<Applied>> {
        let known: Vec<_> = migrations.iter().map(|migration| migration.name.as_str()).collect();
        reject_unknown(&self.applied().await?, &known)?;
        let migrations = Arc::new(migrations);
        let mut attempts = 1;
        loop {
            let outcome = match &self.engine {
                Engine::Postgres(_) => self.transaction(Arc::clone(&migrations), boxed).await,
                Engine::Sqlite(sqlite) => {
                    let input = Arc::new(Arc::clone(&migrations));
                    retry(|| sqlite.transaction_without_limit(Arc::clone(&input), boxed)).await
                }
            };
            match outcome {
                Err(error) if error.is_lock_timeout() && attempts < LOCK_ATTEMPTS => {
                    tracing::warn!("the migration waits for another transaction's lock");
                    tokio::time::sleep(LOCK_PAUSE).await;
                    attempts += 1;
                }
                outcome => return outcome,
            }
        }
    }

    /// Whether any migration has been applied.
    pub async fn has_schema(&self) -> Result<bool> {
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

fn reject_unknown(applied: &HashSet<String>, known: &[&str]) -> Result<()> {
    match applied.iter().filter(|name| !known.contains(&name.as_str())).max() {
        Some(unknown) => Err(StoreError::NewerSchema(unknown.clone())),
        None => Ok(()),
    }
}

fn boxed<'t>(
    migrations: &'t Arc<Vec<MigrationSteps>>,
    transaction: &'t mut Transaction,
) -> BoxFuture<'t, Result<End<Vec<Applied>>>> {
    Box::pin(apply(migrations, transaction))
}

async fn apply(migrations: &[MigrationSteps], transaction: &mut Transaction) -> Result<End<Vec<Applied>>> {
    if transaction.kind() == DatabaseKind::Postgres {
        transaction.without_limit();
        for statement in ALONE {
            transaction.execute(&query!(statement)).await?;
        }
    }
    transaction.execute(&query!(TABLE)).await?;
    let earlier: HashSet<String> = transaction.fetch_all(&query!(APPLIED)).await?.into_iter().collect();
    let mut applied = Vec::new();
    for migration in migrations.iter().filter(|migration| !earlier.contains(&migration.name)) {
        let started = Instant::now();
        transaction.execute_all(&migration.statements).await?;
        transaction.execute(&query!(APPLY, &migration.name, seconds_since_1970())).await?;
        applied.push(Applied { name: migration.name.clone(), took: started.elapsed() });
    }
    Ok(End::Commit(applied))
}

#[expect(clippy::disallowed_methods, reason = "told to people only")]
pub(crate) fn seconds_since_1970() -> i64 {
    chrono::Utc::now().timestamp()
}
