//! Opening a database: addresses, pools and what every connection is set to.
//!
//! Creates the SQLite file where it is missing, never its folder, and runs no migration.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, Database, DatabaseConnection};
use tokio::time::Instant;

use crate::{DatabaseKind, Result, Store, StoreError};

const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const REOPEN_PAUSE: Duration = Duration::from_millis(20);

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// SQLite: how many connections read beside the one that writes.
    pub readers: u32,
    /// SQLite: wait for the disk at every commit, so that a power cut loses no acknowledged write. A
    /// killed process loses none either way.
    pub full_sync: bool,
    /// PostgreSQL: how many connections at most.
    pub connections: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { readers: 4, full_sync: false, connections: 16 }
    }
}

impl Store {
    /// Opens `sqlite://path` or `postgres://…`. The schema may still be missing or old: see
    /// [`Store::migrate`] and [`Store::pending`].
    pub async fn open(url: &str, options: &Options) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", _)) => open_sqlite(url, options).await,
            Some(("postgres" | "postgresql", rest)) => open_postgres(format!("postgres:{rest}"), options).await,
            _ => Err(StoreError::Address("it begins neither with sqlite:// nor with postgres://".to_owned())),
        }
    }
}

async fn open_sqlite(url: &str, options: &Options) -> Result<Store> {
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(StoreError::Address("SQLite in memory cannot be shared by connections: name a file".to_owned()));
    }
    let parsed = SqliteConnectOptions::from_str(url).map_err(|error| StoreError::Address(error.to_string()))?;
    create_private(parsed.get_filename()).await?;
    // The writer first: it makes the file a WAL database, which readers may not.
    let writer = connect_sqlite(url, 1, writing(options.full_sync)).await?;
    let reader = connect_sqlite(url, options.readers.max(1), reading).await?;
    Ok(Store { writer, reader, kind: DatabaseKind::Sqlite })
}

/// Creates an absent file so that only its owner may read it; SQLite gives its journals the same mode.
async fn create_private(path: &Path) -> Result<()> {
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    options.mode(0o600);
    match options.open(path).await {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::Address(format!("{}: {error}", path.display()))),
    }
}

async fn connect_sqlite(
    url: &str,
    connections: u32,
    set: impl Fn(SqliteConnectOptions) -> SqliteConnectOptions + Send + Sync + 'static,
) -> Result<DatabaseConnection> {
    let mut options = connect_options(url, connections);
    // A file's connections do not go stale.
    options.min_connections(connections).idle_timeout(None).max_lifetime(None).map_sqlx_sqlite_opts(set);
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match Database::connect(options.clone()).await.map_err(StoreError::from) {
            // Another program is making the file a WAL database or, the last to leave, is folding its WAL in.
            // SQLite does not wait for either, however long the busy time-out.
            Err(error) if error.retries() > 0 && Instant::now() < deadline => tokio::time::sleep(REOPEN_PAUSE).await,
            outcome => return outcome,
        }
    }
}

fn both_sides(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options.busy_timeout(BUSY_TIMEOUT).foreign_keys(true).pragma("temp_store", "MEMORY").pragma("cache_size", "-16384")
}

fn reading(options: SqliteConnectOptions) -> SqliteConnectOptions {
    both_sides(options).pragma("query_only", "ON")
}

fn writing(full_sync: bool) -> impl Fn(SqliteConnectOptions) -> SqliteConnectOptions {
    let synchronous = if full_sync { SqliteSynchronous::Full } else { SqliteSynchronous::Normal };
    move |options| {
        both_sides(options)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(synchronous)
            .pragma("journal_size_limit", "67108864")
            .optimize_on_close(true, 400)
    }
}

async fn open_postgres(url: String, options: &Options) -> Result<Store> {
    let mut connect = connect_options(&url, options.connections.max(1));
    connect.map_sqlx_postgres_opts(|options| {
        options.options([
            ("statement_timeout", "10s"),
            ("lock_timeout", "5s"),
            ("idle_in_transaction_session_timeout", "30s"),
            ("default_transaction_isolation", "read committed"),
        ])
    });
    let pool = Database::connect(connect).await?;
    Ok(Store { writer: pool.clone(), reader: pool, kind: DatabaseKind::Postgres })
}

fn connect_options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .record_stmt_in_spans(false);
    options
}
