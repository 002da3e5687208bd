//! A snapshot of an SQLite database: a copy, written by `VACUUM INTO`.
//!
//! It reads in one transaction, which in WAL mode blocks no writer. The copy has no free pages, so it contains nothing
//! that was deleted. SQLite's backup API would copy those too, and start again after each write of another process.
//!
//! The copy's name is deleted before anything is written to the file, so that nothing of it stays if the process is killed.
//! Without a name SQLite cannot open it again: what is read from the database itself comes from a transaction that sees
//! the same state.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, InterruptHandle, OpenFlags, Row};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::{DOCUMENTS, FEED, PICTURES, StoredFiles};
use crate::engine::connect::plain_path;
use crate::engine::sqlite::Sqlite;
use crate::{Result, StoreError, address};

const MIGRATIONS: &str = "SELECT version FROM seaql_migrations ORDER BY version";

/// Without the shadow tables of the text index.
const TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'seaql_migrations'";

/// How long to wait for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Begins to read, without which the transaction would see later changes.
const READ: &str = "BEGIN; SELECT 1 FROM sqlite_master LIMIT 1";

#[derive(Debug)]
pub(super) struct Snapshot {
    copy: File,
    rows: u64,
    files: StoredFiles,
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
        let path = file.to_str().ok_or_else(|| StoreError::Address("a path must be UTF-8".to_owned()))?;
        // A relative path that begins with `file:` would be a URI.
        let path = plain_path(Path::new(path));
        let copy = create_private(&path)?;
        let connections = Connections::open(sqlite.file())?;
        let interrupts = connections.interrupts();
        let taken = spawn(move || connections.copy(&path)).await;
        drop(interrupts);
        let (migrations, rows, files) = taken?;
        Ok((migrations, Self { copy, rows, files }))
    }

    /// The copy, which has no name.
    pub(super) fn copy(&self) -> &File {
        &self.copy
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn files(self) -> StoredFiles {
        self.files
    }
}

struct Connections {
    /// Copies.
    copying: Connection,
    /// Reads what is needed besides the copy.
    reading: Connection,
    /// Keeps other writers waiting until both others see the same state.
    holding: Connection,
}

impl Connections {
    fn open(database: &Path) -> Result<Self> {
        let open = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(database, flags)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            Ok::<_, StoreError>(connection)
        };
        Ok(Self { copying: open()?, reading: open()?, holding: open()? })
    }

    fn interrupts(&self) -> [Interrupt; 2] {
        [&self.copying, &self.reading].map(|connection| Interrupt(connection.get_interrupt_handle()))
    }

    /// Writes the copy. Returns the migrations, the number of rows, and the files of the same state.
    fn copy(self, path: &Path) -> Result<(Vec<String>, u64, StoredFiles)> {
        let Self { copying, reading, holding } = self;
        holding.execute_batch("BEGIN IMMEDIATE")?;
        reading.execute_batch(READ)?;
        let (name, journal) = (path.to_owned(), journal_of(path));
        let mut holding = Some(holding);
        // `VACUUM INTO` has begun to read when it prepares its first query. It opens a journal, for which the file must
        // have its name, while it creates the tables, and copies rows after that.
        copying.authorizer(Some(move |context: AuthContext<'_>| {
            if matches!(context.action, AuthAction::Select) {
                drop(holding.take());
                if journal.exists() {
                    // If it fails, the caller deletes the file in the end.
                    let _ = fs::remove_file(&name);
                }
            }
            Authorization::Allow
        }))?;
        let target = path.to_str().expect("it was checked");
        copying.execute("VACUUM INTO ?1", [target])?;
        drop(copying);
        Ok((applied(&reading)?, rows(&reading)?, files(&reading)?))
    }
}

/// The journal of a database. That of a new one has no content but its header.
fn journal_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

fn rows(connection: &Connection) -> Result<u64> {
    let mut rows = 0;
    for table in all(connection, TABLES, |row| row.get::<_, String>(0))? {
        let count = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
        rows += connection.query_row(&count, [], |row| row.get::<_, i64>(0))?.unsigned_abs();
    }
    Ok(rows)
}

fn files(connection: &Connection) -> Result<StoredFiles> {
    let documents = all(connection, DOCUMENTS, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let pictures = all::<Uuid>(connection, PICTURES, |row| row.get(0))?;
    Ok(StoredFiles { documents, pictures })
}

pub(super) fn migrations_of(file: &Path) -> Result<Vec<String>> {
    applied(&open(file)?)
}

/// Begins a new epoch of the change feed in the file of a snapshot.
pub(super) fn forget_changes(file: &Path) -> Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(plain_path(file), flags)?;
    let transaction = connection.transaction()?;
    for table in FEED {
        let is_there = transaction.prepare("SELECT 1 FROM sqlite_master WHERE name = ?1")?.exists([table])?;
        if is_there {
            transaction.execute(&format!("DELETE FROM {table}"), [])?;
        }
    }
    Ok(transaction.commit()?)
}

fn applied(connection: &Connection) -> Result<Vec<String>> {
    if all(connection, "SELECT 1 FROM sqlite_master WHERE name = 'seaql_migrations'", |_| Ok(()))?.is_empty() {
        return Ok(Vec::new());
    }
    all(connection, MIGRATIONS, |row| row.get(0))
}

pub(super) fn open(file: &Path) -> Result<Connection> {
    Ok(Connection::open_with_flags(
        plain_path(file),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?)
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
fn create_private(file: &Path) -> Result<File> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file).map_err(|error| StoreError::Address(format!("{}: {error}", address::shown(file))))
}
