//! A connection to an SQLite file: its settings, and running statements.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, ErrorCode, OpenFlags, ToSql};
use sea_orm::Value;

use super::{BUSY_TIMEOUT, Settings};
use crate::query::Query;
use crate::query::row::{Columns, FromRow};
use crate::{DatabaseKind, Result, StoreError};

const REOPEN_PAUSE: Duration = Duration::from_millis(20);

/// The capacity of the cache of prepared statements; more than there are texts.
const STATEMENTS: usize = 256;

/// The number of SQLite's instructions between checks of the time; takes a fraction of a millisecond.
const INSTRUCTIONS: i32 = 20_000;

/// For reading and writing connections.
const BOTH_SIDES: &str = "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;";
const READING: &str = "PRAGMA query_only = ON;";
/// Small, because a change writes one page of each of about eight b-trees. The page size is fixed when the file is created.
const PAGES: &str = "PRAGMA page_size = 4096;";
const WAL: &str = "PRAGMA journal_mode = WAL;";
/// The size of the write-ahead log, in bytes, at which a commit checkpoints it.
const CHECKPOINT_AT: i64 = 16_000_000;
/// SQLite maps at most what it was built for (`.cargo/config.toml`).
const WHOLE_FILE: i64 = i64::MAX;
const JOURNAL_LIMIT: &str = "PRAGMA journal_size_limit = 67108864;";

/// Updates SQLite's statistics for the query planner, if they are outdated.
const OPTIMIZE: &str = "PRAGMA analysis_limit = 400; PRAGMA optimize;";

/// A connection, used by one thread at a time.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "it wraps rusqlite's connection")]
pub(crate) struct Connection {
    pub(super) connection: rusqlite::Connection,
    clock: StatementTimer,
    /// Whether a write has found the disk full.
    full: Cell<bool>,
}

impl Connection {
    /// A read-only connection.
    pub(super) fn reading(settings: &Settings) -> Result<Self> {
        let this = Self::open(settings)?;
        this.connection.pragma_update(None, "mmap_size", if settings.mmap { WHOLE_FILE } else { 0 })?;
        this.connection.execute_batch(READING)?;
        Ok(this)
    }

    /// A writing connection; switches the file to WAL mode.
    pub(super) fn writing(settings: &Settings) -> Result<Self> {
        let deadline = Instant::now() + BUSY_TIMEOUT;
        loop {
            match Self::try_writing(settings) {
                // Another process is switching the file to WAL mode or, as the last one to close it, is checkpointing
                // the WAL. SQLite waits for neither, whatever the busy timeout.
                Err(error) if error.retries() > 0 && Instant::now() < deadline => sleep(REOPEN_PAUSE),
                outcome => return outcome,
            }
        }
    }

    fn try_writing(settings: &Settings) -> Result<Self> {
        let this = Self::open(settings)?;
        // Without a memory map, because its page cache then keeps the pages that it writes again and again.
        this.connection.pragma_update(None, "mmap_size", 0)?;
        let synchronous = if settings.full_sync { "FULL" } else { "NORMAL" };
        this.connection.execute_batch(PAGES)?;
        if settings.use_wal {
            this.connection.execute_batch(WAL)?;
        }
        let page: i64 = this.connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        this.connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_AT / page)?;
        this.connection.execute_batch(JOURNAL_LIMIT)?;
        this.connection.pragma_update(None, "synchronous", synchronous)?;
        Ok(this)
    }

    fn open(settings: &Settings) -> Result<Self> {
        // Without SQLite's own mutex: a connection is never used by two threads at once.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = rusqlite::Connection::open_with_flags(&settings.file, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Otherwise SQLite plans a prepared statement again whenever a value is bound to its LIMIT.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(BOTH_SIDES)?;
        // A negative number is a size in KiB.
        connection.pragma_update(None, "cache_size", -i64::from(settings.cache_mb) * 1024)?;
        let clock = StatementTimer::new(settings.statement_timeout);
        let watch = clock.clone();
        connection.progress_handler(INSTRUCTIONS, Some(move || watch.has_run_out()))?;
        Ok(Self { connection, clock, full: Cell::new(false) })
    }

    /// The first row, if any.
    pub(crate) fn fetch_optional<R: FromRow>(&self, query: &Query) -> Result<Option<R>> {
        let mut statement = self.bound(query)?;
        let mut rows = statement.raw_query();
        rows.next()?.map(|row| Columns::from(row).take()).transpose()
    }

    pub(crate) fn fetch_all<R: FromRow>(&self, query: &Query) -> Result<Vec<R>> {
        Self::rows(self.bound(query)?)
    }

    /// All rows, or `None` if the statement takes longer than `limit`.
    pub(super) fn fetch_all_within<R: FromRow>(&self, query: &Query, limit: Duration) -> Result<Option<Vec<R>>> {
        let statement = self.bound(query)?;
        self.clock.start(limit.min(self.clock.limit));
        match Self::rows(statement) {
            Err(error) if error.is_interrupted() => Ok(None),
            rows => rows.map(Some),
        }
    }

    fn rows<R: FromRow>(mut statement: CachedStatement<'_>) -> Result<Vec<R>> {
        let (mut rows, mut fetched) = (statement.raw_query(), Vec::new());
        while let Some(row) = rows.next()? {
            fetched.push(Columns::from(row).take()?);
        }
        Ok(fetched)
    }

    pub(crate) fn execute(&self, query: &Query) -> Result<u64> {
        Ok(self.noted(self.bound(query)?.raw_execute())? as u64)
    }

    /// Executes a statement that takes no values and changes no rows, such as `BEGIN`.
    pub(super) fn command(&self, text: &'static str) -> Result<()> {
        self.clock.start(self.clock.limit);
        self.noted(self.connection.prepare_cached(text)?.raw_execute())?;
        Ok(())
    }

    fn noted<T>(&self, outcome: rusqlite::Result<T>) -> Result<T> {
        let code = outcome.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
        if code == Some(ErrorCode::DiskFull) {
            self.full.set(true);
        }
        Ok(outcome?)
    }

    /// Whether a write has found the disk full since the last call.
    pub(super) fn take_full(&self) -> bool {
        self.full.take()
    }

    pub(super) fn is_in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    /// Updates the statistics and closes the writing connection.
    pub(super) fn finish(self) -> Result<()> {
        self.clock.start(self.clock.limit);
        self.connection.execute_batch(OPTIMIZE)?;
        self.connection.close().map_err(|(_, error)| error.into())
    }

    /// A statement with its values bound; its time limit starts now.
    fn bound(&self, query: &Query) -> Result<CachedStatement<'_>> {
        self.clock.start(self.clock.limit);
        let mut statement = self.connection.prepare_cached(query.text(DatabaseKind::Sqlite))?;
        for (value, name) in query.values().iter().zip(NAMES) {
            // By name: SQLite numbers parameters by first appearance, not by their digits.
            if let Some(index) = statement.parameter_index(name)? {
                statement.raw_bind_parameter(index, Bound(value))?;
            }
        }
        Ok(statement)
    }
}

/// Names of parameters, as many as a statement can have.
const NAMES: [&str; 40] = [
    "$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$16", "$17",
    "$18", "$19", "$20", "$21", "$22", "$23", "$24", "$25", "$26", "$27", "$28", "$29", "$30", "$31", "$32", "$33",
    "$34", "$35", "$36", "$37", "$38", "$39", "$40",
];

/// Converts a sea-orm value for SQLite: UUIDs are blobs, booleans are 0 and 1.
struct Bound<'v>(&'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Bool(value) => value.map(|value| ValueRef::Integer(value.into())),
            Value::SmallInt(value) => value.map(|value| ValueRef::Integer(value.into())),
            Value::BigInt(value) => value.map(ValueRef::Integer),
            Value::Double(value) => value.map(ValueRef::Real),
            Value::String(value) => value.as_ref().map(|value| ValueRef::Text(value.as_bytes())),
            Value::Bytes(value) => value.as_ref().map(|value| ValueRef::Blob(value)),
            Value::Uuid(value) => value.as_ref().map(|value| ValueRef::Blob(value.as_bytes())),
            other => return Err(rusqlite::Error::ToSqlConversionFailure(format!("no column takes {other:?}").into())),
        };
        Ok(ToSqlOutput::Borrowed(value.unwrap_or(ValueRef::Null)))
    }
}

/// Interrupts a statement at its time limit, as PostgreSQL does. Waiting for another process is limited by the busy
/// timeout instead.
#[derive(Clone, Debug)]
struct StatementTimer {
    origin: Instant,
    limit: Duration,
    /// The deadline of the running statement, in nanoseconds after the origin.
    end: Arc<AtomicU64>,
}

impl StatementTimer {
    fn new(limit: Duration) -> Self {
        Self { origin: Instant::now(), limit, end: Arc::new(AtomicU64::new(u64::MAX)) }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Starts the time limit of a statement.
    fn start(&self, limit: Duration) {
        let limit = u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX);
        self.end.store(self.now().saturating_add(limit), Ordering::Relaxed);
    }

    fn has_run_out(&self) -> bool {
        self.now() > self.end.load(Ordering::Relaxed)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Unavailable(error.into())
    }
}
