//! Bringing a database's schema up to this program's, and telling how far it is. Migrations are sea-orm's on both
//! engines; on SQLite they have a connection for themselves.
//!
//! Never goes back: an old program refuses a newer schema instead.

use std::collections::HashSet;

use sea_orm::{
    ConnectionTrait, Database, DatabaseConnection, DbBackend, SqliteTransactionMode, TransactionOptions,
    TransactionTrait,
};
use sea_orm_migration::MigratorTrait;

use crate::connect::connect_options;
use crate::migration::Migrator;
use crate::query::query;
use crate::store::{Engine, retry};
use crate::{DatabaseKind, Result, Store, StoreError};

/// Takes an advisory lock under which PostgreSQL is migrated, for this transaction; the key is any number that others do
/// not use. The lock and the work may take longer than a request may.
const ALONE: &str = "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; \
     SELECT pg_advisory_xact_lock(7598814394150183282)";

const APPLIED: &str = "SELECT version FROM seaql_migrations";

impl Store {
    /// Applies what is missing, all of it or nothing; returns how many migrations that was. Of two
    /// servers that start together the second waits and finds nothing left to do.
    pub async fn migrate(&self) -> Result<u32> {
        self.pending().await?;
        match &self.engine {
            Engine::Postgres(pool, _) => retry(|| try_migrate(pool)).await,
            Engine::Sqlite(_) => {
                let own = Database::connect(connect_options(&self.url, 1)).await?;
                let applied = retry(|| try_migrate(&own)).await;
                own.close().await?;
                applied
            }
        }
    }

    /// How many migrations this database still lacks.
    pub async fn pending(&self) -> Result<u32> {
        let applied = self.applied().await?;
        let known: HashSet<String> = Migrator::migrations().iter().map(|migration| migration.name().into()).collect();
        match applied.difference(&known).max() {
            Some(unknown) => Err(StoreError::NewerSchema(unknown.clone())),
            None => Ok(count(known.difference(&applied).count())),
        }
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

async fn try_migrate(db: &DatabaseConnection) -> Result<u32> {
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let transaction = db.begin_with_options(options).await?;
    if db.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared(ALONE).await?;
    }
    let missing = Migrator::get_pending_migrations(&transaction).await?.len();
    if missing > 0 {
        Migrator::up(&transaction, None).await?;
    }
    transaction.commit().await?;
    Ok(count(missing))
}

fn count(migrations: usize) -> u32 {
    u32::try_from(migrations).expect("migrations are few")
}
