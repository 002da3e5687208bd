//! A snapshot of an SQLite database: a new file, written by `VACUUM INTO`.
//!
//! It reads in one transaction, which in WAL mode blocks no writer. The file has no free pages, so it contains nothing
//! that was deleted. SQLite's backup API would copy those too, and start again after each write of another process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, InterruptHandle, OpenFlags, Row};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::{DOCUMENTS, PICTURES, StoredFiles};
use crate::sqlite::Sqlite;
use crate::{Result, StoreError, address};

const MIGRATIONS: &str = "SELECT version FROM seaql_migrations ORDER BY version";

/// Without the shadow tables of the text index.
const TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'seaql_migrations'";

#[derive(Debug)]
pub(super) struct Snapshot {
    file: PathBuf,
}

/// Interrupts the statement of a dropped future; otherwise the program would end only after the statement.
struct Interrupt(InterruptHandle);

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.interrupt();
    }
}

impl Snapshot {
    pub(super) async fn take(sqlite: &Sqlite, file: &Path) -> Result<(Vec<String>, Self)> {
        let path = file.to_str().ok_or_else(|| StoreError::Address("a path must be UTF-8".to_owned()))?.to_owned();
        create_private(file)?;
        let connection = Connection::open_with_flags(
            sqlite.file(),
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )?;
        let interrupt = Arc::new(Interrupt(connection.get_interrupt_handle()));
        spawn(move || Ok(connection.execute("VACUUM INTO ?1", [path]).map(drop)?)).await?;
        drop(interrupt);
        let of = file.to_owned();
        let migrations = spawn(move || migrations_of(&of)).await?;
        Ok((migrations, Self { file: file.to_owned() }))
    }

    pub(super) async fn rows(&self) -> Result<u64> {
        let file = self.file.clone();
        spawn(move || {
            let connection = open(&file)?;
            let mut rows = 0;
            for table in all(&connection, TABLES, |row| row.get::<_, String>(0))? {
                let count = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
                rows += connection.query_row(&count, [], |row| row.get::<_, i64>(0))?.unsigned_abs();
            }
            Ok(rows)
        })
        .await
    }

    pub(super) async fn files(self) -> Result<StoredFiles> {
        spawn(move || {
            let connection = open(&self.file)?;
            let documents = all(&connection, DOCUMENTS, |row| Ok((row.get(0)?, row.get(1)?)))?;
            let pictures = all::<Uuid>(&connection, PICTURES, |row| row.get(0))?;
            Ok(StoredFiles { documents, pictures })
        })
        .await
    }
}

pub(super) fn migrations_of(file: &Path) -> Result<Vec<String>> {
    let connection = open(file)?;
    if all(&connection, "SELECT 1 FROM sqlite_master WHERE name = 'seaql_migrations'", |_| Ok(()))?.is_empty() {
        return Ok(Vec::new());
    }
    all(&connection, MIGRATIONS, |row| row.get(0))
}

fn open(file: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?)
}

fn all<T>(connection: &Connection, text: &str, read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>) -> Result<Vec<T>> {
    let mut statement = connection.prepare(text)?;
    let rows = statement.query_map([], read)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

async fn spawn<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|_| StoreError::unavailable("reading the snapshot panicked"))?
}

/// `VACUUM INTO` accepts an empty file, and keeps its mode.
fn create_private(file: &Path) -> Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::Address(format!("{}: {error}", address::shown(file)))),
    }
}
