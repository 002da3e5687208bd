//! Backups: one tar file with the database, the files that it refers to, and the server's key.
//!
//! The entries are in ascending order of their names:
//!
//! | name | content |
//! |---|---|
//! | `backup.json` | [`Description`] |
//! | `database/itinerary.db` | SQLite: the database |
//! | `database/NN-TABLE/NNNNNN.copy` | PostgreSQL: pieces of the tables, as `COPY` writes them |
//! | `files/documents/ID`, `files/images/NAME` | files, as they are named in the file store |
//! | `server.key` | the server's key |
//! | `sha256sums` | the SHA-256 of every entry before it, as `sha256sum` writes them |

mod archive;
mod new_file;
mod restore;
mod save;

use chrono::{DateTime, Utc};
use itinerary_platform::error_chain::chain;
use itinerary_platform::ports::PortsError;
use itinerary_platform::ports::blobs::BlobError;
use itinerary_store::{DatabaseKind, StoreError, Table};
use serde::{Deserialize, Serialize};

use crate::serve::StartError;

pub(crate) use new_file::NewFile;
pub(crate) use restore::restore;
pub(crate) use save::{BackupSource, SavedBackup, save};

const DESCRIPTION: &str = "backup.json";
const SQLITE: &str = "database/itinerary.db";
const TABLES: &str = "database/";
const FILES: &str = "files/";
const KEY: &str = "server.key";
const SUMS: &str = "sha256sums";

/// The version of this format.
const FORMAT: u32 = 1;
/// The length of a server's key, in bytes.
const KEY_BYTES: u64 = 32;

/// What a backup contains.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Description {
    format: u32,
    /// The version of the program that wrote it.
    program: String,
    /// When the database's snapshot was taken.
    pub(crate) created_at: DateTime<Utc>,
    database: PartKind,
    /// The names of the applied migrations.
    migrations: Vec<String>,
    /// PostgreSQL: the tables, in an order in which they can be filled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tables: Vec<Table>,
    /// Whether it has the files too.
    pub(crate) files: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PartKind {
    Sqlite,
    PostgreSql,
}

impl PartKind {
    fn of(kind: DatabaseKind) -> Self {
        match kind {
            DatabaseKind::Sqlite => Self::Sqlite,
            DatabaseKind::Postgres => Self::PostgreSql,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::PostgreSql => "PostgreSQL",
        }
    }
}

/// The entry of a piece of a table.
fn piece(table: usize, name: &str, number: usize) -> String {
    format!("{TABLES}{table:02}-{name}/{number:06}.copy")
}

/// The index of the table of an entry with a piece of it.
fn table_of(entry: &str, tables: &[Table]) -> Option<usize> {
    let index: usize = entry.strip_prefix(TABLES)?.split_once('-')?.0.parse().ok()?;
    let number = entry.strip_suffix(".copy")?.rsplit('/').next()?.parse().ok()?;
    (piece(index, &tables.get(index)?.name, number) == entry).then_some(index)
}

/// Why a backup or a restore failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BackupError {
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    /// Writing or reading the backup.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the database failed: {}", chain(.0))]
    Store(#[from] StoreError),
    #[error("the file store failed: {}", chain(.0))]
    Files(#[from] BlobError),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Ports(#[from] PortsError),
    /// There is something in the way, or missing.
    #[error("{0}")]
    Refused(String),
    /// The backup cannot be used.
    #[error("the backup is damaged: {0}")]
    Damaged(String),
}

type Result<T, E = BackupError> = std::result::Result<T, E>;

fn damaged<T>(why: impl Into<String>) -> Result<T> {
    Err(BackupError::Damaged(why.into()))
}

fn refused<T>(why: impl Into<String>) -> Result<T> {
    Err(BackupError::Refused(why.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_belong_to_the_table_that_they_name() {
        let table = |name: &str| Table { name: name.to_owned(), columns: Vec::new() };
        let tables = [table("accounts"), table("sessions")];
        assert_eq!(piece(1, "sessions", 7), "database/01-sessions/000007.copy");
        assert_eq!(table_of("database/01-sessions/000007.copy", &tables), Some(1));
        for other in [
            "database/1-sessions/000007.copy",
            "database/01-accounts/000007.copy",
            "database/02-x/000000.copy",
            "database/01-sessions/../000007.copy",
            "database/01-sessions/7.copy",
            "database/itinerary.db",
        ] {
            assert_eq!(table_of(other, &tables), None, "{other}");
        }
    }
}
