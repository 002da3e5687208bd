//! Backups: consistent snapshots of the whole database, and filling an empty one.
//!
//! On SQLite a snapshot is a file without a name; on PostgreSQL it is the data of each table, read in one transaction. The names of the
//! files that the snapshot refers to are read from the snapshot itself.

mod conversion;
pub(crate) mod hold;
mod postgres;
mod sqlite;

use std::fs::File;
use std::path::Path;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::engine::store::Engine;
use crate::migration::MIGRATIONS;
use crate::{Result, Store, StoreError};

pub use hold::HELD_FOR;
pub(crate) use hold::{files_held, since};
pub use postgres::Filling;

const DOCUMENTS: &str = "SELECT id, size FROM documents ORDER BY id";

const PICTURES: &str = "SELECT file_id AS file FROM pictures \
     UNION SELECT cover_id FROM itineraries WHERE cover_id IS NOT NULL AND picture_id IS DISTINCT FROM cover_id ORDER BY file";

/// The tables of the change feed and of the position to which webhooks have read it. A restored database begins a new one: positions that were given after the snapshot are
/// lost, and will be given again for other changes.
const FEED: [&str; 4] = ["changes", "new_changes", "change_feed", "webhook_queue"];

/// A consistent state of the whole database. Writes go on meanwhile.
#[derive(Debug)]
pub struct Snapshot {
    migrations: Vec<String>,
    source: SnapshotSource,
}

#[derive(Debug)]
enum SnapshotSource {
    Sqlite(sqlite::Snapshot),
    Postgres(Box<postgres::Snapshot>),
}

/// A table of a PostgreSQL snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    pub name: String,
    /// In the order of the data.
    pub columns: Vec<String>,
}

/// The files that a snapshot refers to, in ascending order.
#[derive(Debug, Default)]
pub struct StoredFiles {
    /// Documents with their sizes in bytes.
    pub documents: Vec<(Uuid, i64)>,
    /// What names the files of pictures. A drawn one has no file until it is first read.
    pub pictures: Vec<Uuid>,
}

impl Store {
    /// Takes a snapshot. On SQLite it is written to `scratch`, which is created with access for its owner only, and loses its
    /// name before anything is written to it, except on systems that keep the names of open files; on
    /// PostgreSQL a transaction stays open until the snapshot is dropped or [`Snapshot::files`] has been called.
    pub async fn snapshot(&self, scratch: &Path) -> Result<Snapshot> {
        let (migrations, source) = match &self.engine {
            Engine::Sqlite(sqlite) => {
                let (migrations, snapshot) = sqlite::Snapshot::take(sqlite, scratch).await?;
                (migrations, SnapshotSource::Sqlite(snapshot))
            }
            Engine::Postgres(postgres) => {
                let (migrations, snapshot) = postgres::Snapshot::take(postgres).await?;
                (migrations, SnapshotSource::Postgres(Box::new(snapshot)))
            }
        };
        Ok(Snapshot { migrations, source })
    }

    /// Fails if this program does not know one of these migrations.
    pub fn check_migrations(migrations: &[String]) -> Result<()> {
        match migrations.iter().filter(|name| MIGRATIONS.iter().all(|known| known.name != **name)).max() {
            Some(unknown) => Err(StoreError::NewerSchema(unknown.clone())),
            None => Ok(()),
        }
    }

    /// Whether this program has migrations that are not among these.
    pub fn has_pending(migrations: &[String]) -> bool {
        MIGRATIONS.iter().any(|known| migrations.iter().all(|name| name != known.name))
    }

    /// The migrations that the SQLite file of a snapshot has had.
    pub fn migrations_of(file: &Path) -> Result<Vec<String>> {
        sqlite::migrations_of(file)
    }

    /// Begins a new epoch of the change feed in the SQLite file of a snapshot, which is to be restored.
    pub fn forget_changes_of(file: &Path) -> Result<()> {
        sqlite::forget_changes(file)
    }

    /// Begins to fill an empty PostgreSQL database with the tables of a snapshot. `None` if the database is not empty.
    pub async fn fill(&self, migrations: &[String], tables: &[Table]) -> Result<Option<Filling>> {
        Self::check_migrations(migrations)?;
        match &self.engine {
            Engine::Postgres(postgres) => Filling::begin(postgres, migrations, Some(tables)).await,
            Engine::Sqlite(_) => Err(StoreError::Corrupt("the snapshot is not of an SQLite database".to_owned())),
        }
    }

    /// The same with the tables of this program, for [`Filling::copy_sqlite`].
    pub async fn fill_from_sqlite(&self) -> Result<Option<Filling>> {
        let migrations: Vec<_> = MIGRATIONS.iter().map(|migration| migration.name.to_owned()).collect();
        match &self.engine {
            Engine::Postgres(postgres) => Filling::begin(postgres, &migrations, None).await,
            Engine::Sqlite(_) => Err(StoreError::Corrupt("rows of SQLite are not copied to SQLite".to_owned())),
        }
    }
}

impl Snapshot {
    /// The names of the applied migrations, oldest first.
    pub fn migrations(&self) -> &[String] {
        &self.migrations
    }

    /// The tables in an order in which they can be filled. Empty on SQLite, where the snapshot is a file.
    pub fn tables(&self) -> &[Table] {
        match &self.source {
            SnapshotSource::Sqlite(_) => &[],
            SnapshotSource::Postgres(snapshot) => snapshot.tables(),
        }
    }

    /// Reads a table in pieces, each of whole rows; returns the number of rows.
    pub async fn read_table<E: From<StoreError>>(
        &mut self,
        table: usize,
        write: impl FnMut(Bytes) -> Result<(), E>,
    ) -> Result<u64, E> {
        match &mut self.source {
            SnapshotSource::Sqlite(_) => Ok(0),
            SnapshotSource::Postgres(snapshot) => snapshot.read_table(table, write).await,
        }
    }

    /// The database as a file. `None` on PostgreSQL.
    pub fn database(&self) -> Option<&File> {
        match &self.source {
            SnapshotSource::Sqlite(snapshot) => Some(snapshot.copy()),
            SnapshotSource::Postgres(_) => None,
        }
    }

    /// The number of rows in the file of an SQLite snapshot; 0 on PostgreSQL.
    pub fn rows(&self) -> u64 {
        match &self.source {
            SnapshotSource::Sqlite(snapshot) => snapshot.rows(),
            SnapshotSource::Postgres(_) => 0,
        }
    }

    /// The files that the snapshot refers to. Ends the snapshot.
    pub async fn files(self) -> Result<StoredFiles> {
        match self.source {
            SnapshotSource::Sqlite(snapshot) => Ok(snapshot.files()),
            SnapshotSource::Postgres(snapshot) => snapshot.files().await,
        }
    }
}
