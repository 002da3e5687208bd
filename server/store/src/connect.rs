//! Opens a database: URLs, pools and connection settings.
//!
//! Creates a missing SQLite file, but not its folder, and runs no migrations.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use sea_orm::{ConnectOptions, Database};
use tokio::task::spawn_blocking;

use crate::postgres::Postgres;
use crate::sqlite::Sqlite;
use crate::store::Engine;
use crate::turns::ACQUIRE_TIMEOUT;
use crate::{Quotas, Result, Store, StoreError, address};

#[derive(Clone, Debug)]
pub struct Options {
    /// SQLite: the number of reading connections, one for each thread that reads.
    pub readers: usize,
    /// SQLite: sync to disk at every commit, so that a power cut loses no acknowledged write. Killing the process loses
    /// none in either case.
    pub full_sync: bool,
    /// SQLite: the page cache of each connection, in MB.
    pub cache_mb: u32,
    /// PostgreSQL: the maximum number of connections.
    pub connections: u32,
    /// The maximum number of concurrent long reads. On PostgreSQL at most half the connections.
    pub long_reads: u32,
    /// The time limit of a statement.
    pub statement_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            // The runtime's threads, and some others.
            readers: cores + 2,
            full_sync: true,
            cache_mb: 16,
            // If the database is on the same machine, more concurrent statements than processors slow each other down.
            connections: u32::try_from(cores * 3).unwrap_or(32).clamp(6, 32),
            // Half of the cores stay free for short reads.
            long_reads: u32::try_from(cores / 2).unwrap_or(1).max(1),
            statement_timeout: Duration::from_secs(10),
        }
    }
}

impl Store {
    /// Opens `sqlite://path` or `postgres://…`. The schema may be missing or outdated: see [`Store::migrate`] and
    /// [`Store::pending`].
    pub async fn open(url: &str, options: &Options) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", path)) => open_sqlite(file_of(path)?, options.clone()).await,
            Some(("postgres" | "postgresql", rest)) => {
                open_postgres(address::checked(&format!("postgres:{rest}"))?, options).await
            }
            _ => Err(StoreError::Address("it must begin with sqlite:// or postgres://".to_owned())),
        }
    }
}

/// The path in a URL `sqlite://path` or `sqlite:path`, percent-decoded.
fn file_of(path: &str) -> Result<PathBuf> {
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() || path.starts_with(':') {
        return Err(StoreError::Address(
            "connections cannot share an in-memory SQLite database; name a file".to_owned(),
        ));
    }
    if path.contains('?') {
        return Err(StoreError::Address("parameters are not supported for SQLite".to_owned()));
    }
    let path = percent_decode_str(path).decode_utf8().map_err(|error| StoreError::Address(error.to_string()))?;
    Ok(PathBuf::from(path.into_owned()))
}

async fn open_sqlite(file: PathBuf, options: Options) -> Result<Store> {
    create_private(&file).await?;
    let opening = spawn_blocking(move || Sqlite::open(file, &options));
    let sqlite = opening.await.map_err(|_| StoreError::unavailable("opening the database panicked"))??;
    Ok(Store { engine: Engine::Sqlite(Arc::new(sqlite)), quotas: Quotas::default() })
}

/// Creates a missing file with access for its owner only; SQLite gives its journals the same mode.
async fn create_private(path: &Path) -> Result<()> {
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    options.mode(0o600);
    match options.open(path).await {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::Address(format!("{}: {error}", address::shown(path)))),
    }
}

async fn open_postgres(url: String, options: &Options) -> Result<Store> {
    let connections = options.connections.max(1);
    let statement_timeout = format!("{}ms", options.statement_timeout.as_millis());
    let mut connect = ConnectOptions::new(url);
    connect
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .sqlx_logging(false)
        .record_stmt_in_spans(false);
    connect.map_sqlx_postgres_opts(move |options| {
        options.options([
            ("statement_timeout", statement_timeout.as_str()),
            ("lock_timeout", "5s"),
            ("idle_in_transaction_session_timeout", "30s"),
            ("default_transaction_isolation", "read committed"),
            // Statements are written for one plan. In a large database PostgreSQL would plan those with a LIMIT again at
            // every execution, which costs more than executing them.
            ("plan_cache_mode", "force_generic_plan"),
        ])
    });
    let pool = Database::connect(connect).await?;
    Ok(Store { engine: Engine::Postgres(Postgres::new(pool, connections)), quotas: Quotas::default() })
}
