//! Bringing a database's schema up to this program's, and telling how far it is.
//!
//! Never goes back: an old program refuses a newer schema instead.

use std::collections::HashSet;

use sea_orm::ConnectionTrait;
use sea_orm_migration::{IntoSchemaManagerConnection, MigratorTrait, SchemaManager};

use crate::migration::Migrator;
use crate::row::Columns;
use crate::store::retry;
use crate::{DatabaseKind, Result, Store, StoreError};

/// The key of the advisory lock under which PostgreSQL is migrated; any number that others do not use.
const LOCK: i64 = 0x6974_696e_6572_6172;

impl Store {
    /// Applies what is missing, all of it or nothing; returns how many migrations that was. Of two
    /// servers that start together the second waits and finds nothing left to do.
    pub async fn migrate(&self) -> Result<u32> {
        retry(|| self.try_migrate()).await
    }

    async fn try_migrate(&self) -> Result<u32> {
        let transaction = self.begin().await?;
        if self.kind == DatabaseKind::Postgres {
            // Only for this transaction: the lock and the work may take longer than a request may.
            transaction.execute_unprepared("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0").await?;
            transaction
                .query_one_raw(
                    self.statement("SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked", [LOCK.into()]),
                )
                .await?;
        }
        let missing = self.missing(&transaction).await?;
        if missing > 0 {
            Migrator::up(&transaction, None).await?;
        }
        transaction.commit().await?;
        Ok(missing)
    }

    /// How many migrations this database still lacks.
    pub async fn pending(&self) -> Result<u32> {
        self.missing(&self.reader).await
    }

    async fn missing<'c, C>(&self, db: &'c C) -> Result<u32>
    where
        C: ConnectionTrait,
        &'c C: IntoSchemaManagerConnection<'c>,
    {
        let applied = self.applied(db).await?;
        let known: HashSet<String> = Migrator::migrations().iter().map(|migration| migration.name().into()).collect();
        match applied.difference(&known).max() {
            Some(unknown) => Err(StoreError::NewerSchema(unknown.clone())),
            None => Ok(u32::try_from(known.difference(&applied).count()).expect("migrations are few")),
        }
    }

    async fn applied<'c, C>(&self, db: &'c C) -> Result<HashSet<String>>
    where
        C: ConnectionTrait,
        &'c C: IntoSchemaManagerConnection<'c>,
    {
        if !SchemaManager::new(db).has_table("seaql_migrations").await? {
            return Ok(HashSet::new());
        }
        let rows = db.query_all_raw(self.statement("SELECT version FROM seaql_migrations", [])).await?;
        rows.iter().map(|row| Columns::of(row).take()).collect()
    }
}
