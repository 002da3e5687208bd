//! Opens a database: URLs, pools and connection settings.
//!
//! Creates a missing SQLite file if the options permit it, but not its folder, and runs no migrations.

#[cfg(unix)]
use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use tokio::task::spawn_blocking;

use crate::address::{Address, Target};
use crate::engine::postgres::{Begin, PoolSettings, Postgres};
use crate::engine::sqlite::Sqlite;
use crate::engine::store::Engine;
use crate::{Quotas, Result, Store, StoreError, address};

#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "settings are independent yes-or-no questions")]
pub struct Options {
    /// SQLite: the number of reading connections, one for each thread that reads.
    pub readers: usize,
    /// SQLite: create a missing file, and switch an existing one to WAL mode. Otherwise a missing file is an error.
    pub create: bool,
    /// SQLite: sync to disk at every commit, so that a power cut loses no acknowledged write. Killing the process loses
    /// none in either case.
    pub full_sync: bool,
    /// SQLite: the page cache of each connection, in MiB.
    pub cache_mb: u32,
    /// SQLite: connections that only read use a memory map of the file, without system calls and copies of pages. A read error
    /// of the disk ends the process (SIGBUS).
    pub mmap: bool,
    /// PostgreSQL: the maximum number of connections.
    pub connections: u32,
    /// The maximum number of concurrent long reads. On PostgreSQL at most half the connections.
    pub long_reads: u32,
    /// The time limit of a statement.
    pub statement_timeout: Duration,
    /// PostgreSQL: how long to wait for a connection.
    pub wait: Duration,
    /// PostgreSQL: whether the address is that of PgBouncer in transaction mode.
    pub transaction_pooler: bool,
}

impl Default for Options {
    fn default() -> Self {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self {
            // The runtime's threads, and some others.
            readers: cores + 2,
            create: true,
            full_sync: true,
            cache_mb: 16,
            // Not where the file may be larger than the address space.
            mmap: cfg!(target_pointer_width = "64"),
            // If the database is on the same machine, more concurrent statements than processors slow each other down.
            connections: u32::try_from(cores * 3).unwrap_or(32).clamp(6, 32),
            // Half of the cores stay free for short reads.
            long_reads: u32::try_from(cores / 2).unwrap_or(1).max(1),
            statement_timeout: Duration::from_secs(10),
            wait: Duration::from_secs(2),
            transaction_pooler: false,
        }
    }
}

impl Store {
    /// Whether a URL is one that [`Store::open`] accepts. Opens nothing.
    pub fn check_url(url: &str) -> Result<()> {
        match url.split_once(':') {
            Some(("sqlite", path)) => file_of(path).map(|_| ()),
            Some(("postgres" | "postgresql", rest)) => primary(rest).map(|_| ()),
            _ => Err(unsupported()),
        }
    }

    /// Opens `sqlite://path` or `postgres://…`. If the URL names several hosts, the primary among them is used, and the
    /// next one after a failover. The schema may be missing or outdated: see [`Store::migrate`] and
    /// [`Store::pending`].
    pub async fn open(url: &str, options: &Options) -> Result<Self> {
        match url.split_once(':') {
            Some(("sqlite", path)) => open_sqlite(file_of(path)?, options.clone()).await,
            Some(("postgres" | "postgresql", rest)) => open_postgres(primary(rest)?, options).await,
            _ => Err(unsupported()),
        }
    }
}

/// The characters of a path that a URL of SQLite contains as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The address of an SQLite file, whatever characters its path has.
pub fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", percent_encode(file.as_os_str().as_encoded_bytes(), PLAIN))
}

/// The file that an address names. `None` if it is not an address of SQLite.
pub fn sqlite_file(url: &str) -> Result<Option<PathBuf>> {
    match url.split_once(':') {
        Some(("sqlite", path)) => file_of(path).map(Some),
        _ => Ok(None),
    }
}

/// The address of a database that is written to, without its scheme.
fn primary(rest: &str) -> Result<Address> {
    let address = address::checked(&format!("postgres:{rest}"))?;
    let is_list = address.hosts.len() > 1;
    match address.target {
        None | Some(Target::ReadWrite | Target::Primary) => Ok(address),
        Some(Target::Any) if !is_list => Ok(address),
        Some(Target::Any) => Err(StoreError::Address(
            "with several hosts, target_session_attrs must be read-write or primary".to_owned(),
        )),
        Some(Target::ReadOnly | Target::Standby | Target::PreferStandby) => Err(StoreError::Address(
            "the server writes to its database: target_session_attrs must be read-write, primary or any".to_owned(),
        )),
    }
}

fn unsupported() -> StoreError {
    StoreError::Address("it must begin with sqlite:// or postgres://".to_owned())
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
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    // A path need not be UTF-8 there.
    #[cfg(unix)]
    let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let path = String::from_utf8(bytes).map_err(|error| StoreError::Address(error.to_string()))?;
    Ok(PathBuf::from(path))
}

/// The file for SQLite, which reads a path that begins with `file:` as a URI.
pub(crate) fn plain_path(file: &Path) -> PathBuf {
    if file.is_absolute() { file.to_owned() } else { Path::new(".").join(file) }
}

async fn open_sqlite(file: PathBuf, options: Options) -> Result<Store> {
    if options.create {
        create_private(&file).await?;
    } else if !has_content(&file).await? {
        return Err(StoreError::Missing(address::shown(&file)));
    }
    let opening = spawn_blocking(move || Sqlite::open(plain_path(&file), &options));
    let sqlite = opening.await.map_err(|_| StoreError::unavailable("opening the database panicked"))??;
    Ok(Store { engine: Engine::Sqlite(Arc::new(sqlite)), quotas: Quotas::default(), replicas: None, reading: None })
}

/// Creates a missing file with access for its owner only; SQLite gives its journals the same mode.
async fn create_private(path: &Path) -> Result<()> {
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    options.mode(0o600);
    match options.open(path).await {
        Ok(_) => Ok(()),
        Err(error) => Err(StoreError::File(address::shown(path), error)),
    }
}

/// Whether the file exists and has been a database: SQLite itself treats an empty file as an empty database.
async fn has_content(path: &Path) -> Result<bool> {
    match tokio::fs::metadata(path).await {
        Ok(metadata) => Ok(metadata.len() > 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::File(address::shown(path), error)),
    }
}

async fn open_postgres(address: Address, options: &Options) -> Result<Store> {
    let postgres = postgres(address, options);
    // Fails at once if the address is wrong.
    drop(postgres.connection().await?);
    Ok(Store { engine: Engine::Postgres(postgres), quotas: Quotas::default(), replicas: None, reading: None })
}

/// The pool of a PostgreSQL database, without a connection yet.
pub(crate) fn postgres(address: Address, options: &Options) -> Postgres {
    let statement_timeout = format!("{}ms", options.statement_timeout.as_millis());
    let settings = [
        // Compiling a statement to machine code takes longer than running any of these. PostgreSQL does it where it
        // overestimates a cost, as in new tables without statistics.
        ("jit", "off".to_owned()),
        ("statement_timeout", statement_timeout),
        ("lock_timeout", "5s".to_owned()),
        ("idle_in_transaction_session_timeout", "30s".to_owned()),
    ];
    let hosts = address.hosts.into_iter().map(|host| {
        if options.transaction_pooler {
            // PgBouncer refuses unknown parameters at the start of a connection, or loses them.
            return host.extra_float_digits(None).statement_cache_capacity(0);
        }
        host.options(settings.clone()).options([
            ("default_transaction_isolation", "read committed"),
            // Statements are written for one plan. In a large database PostgreSQL would plan those with a LIMIT again
            // at every execution, which costs more than executing them.
            ("plan_cache_mode", "force_generic_plan"),
        ])
    });
    let hosts = hosts.collect();
    let begin = if options.transaction_pooler {
        let set = settings.iter().map(|(name, value)| format!("; SET LOCAL {name} = '{value}'"));
        Begin::WithSettings(("BEGIN ISOLATION LEVEL READ COMMITTED".to_owned() + &set.collect::<String>()).into())
    } else {
        Begin::Plain
    };
    let Options { connections, wait, statement_timeout, .. } = *options;
    Postgres::new(hosts, address.target, PoolSettings { connections, wait, statement_timeout, begin })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_an_address() {
        for path in
            ["/data/itinerary.db", "e%20p/i.db", "what?/i.db", "a b/#1/é/i.db", ":memory:/i.db", "file:x/i.db", "?"]
        {
            let url = sqlite_url(Path::new(path));
            assert_eq!(sqlite_file(&url).expect("an address"), Some(PathBuf::from(path)), "{url}");
            assert!(Store::check_url(&url).is_ok(), "{url}");
        }
        assert_eq!(sqlite_url(Path::new("/data/itinerary.db")), "sqlite:///data/itinerary.db");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_need_not_be_utf_8() {
        let path: OsString = std::os::unix::ffi::OsStringExt::from_vec(b"a\xff/i.db".to_vec());
        let path = PathBuf::from(path);
        assert_eq!(sqlite_file(&sqlite_url(&path)).expect("an address"), Some(path));
    }
}
