//! Starts and stops the service: storage, key, service, listener.
//!
//! Tests start it the same way, in their own process and with their own clock.

use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::Bytes;
use itinerary_core::clock::{Clock, Random};
use itinerary_core::seal::Key;
use itinerary_providers::Misconfigured;
use itinerary_store::{Options, Store, StoreError};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::account_limit::AccountLimit;
use crate::config::{Config, Durability, Storage};
use crate::context::Service;
use crate::docs::Docs;
use crate::gazetteer;
use crate::http::{Compressed, Contexts, Listener, PolicyMissing};
use crate::jobs;
use crate::limits::Limiter;
use crate::metrics::{self, Metrics};
use crate::passwords::Queue;
use crate::pictures::Pictures;
use crate::ports::Ports;
use crate::ports::blobs::{BlobError, make_private_folder};
use crate::reads::Reads;
use crate::response_budget::ResponseBudget;

/// How long stopping waits for answers in progress. The rest is short, so that the process ends within 10 seconds.
const LONGEST_STOP: Duration = Duration::from_secs(8);

/// The maximum number of concurrent document uploads of an account, which use storage before they count against the
/// quota.
const UPLOADS: usize = 16;
/// The maximum number of concurrent downloads of an account's data, each of which reads all of it.
const EXPORTS: usize = 1;

/// The maximum number of concurrent fetches of client metadata documents.
const DOCUMENT_FETCHES: usize = 16;

/// The document that `cargo xtask openapi` writes.
const DOCUMENT: &str = include_str!("../../openapi/itinerary.json");
/// The server's address in the document.
const DOCUMENT_BASE_URL: &str = "http://127.0.0.1:8080";

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the data folder {0} cannot be created: {1}")]
    DataFolder(PathBuf, io::Error),
    #[error("the key file {0} cannot be used: {1}")]
    KeyFile(PathBuf, io::Error),
    #[error("the database cannot be used: {}", chain(.0))]
    Store(#[from] StoreError),
    #[error("the database lacks {0} migrations: run the command migrate, or serve without --no-migrate")]
    NotMigrated(u32),
    #[error("the folder for files cannot be used: {}", chain(.0))]
    Files(#[from] BlobError),
    #[error("files_url must be s3://BUCKET or s3://BUCKET/PREFIX: {0}")]
    FilesUrl(String),
    #[error("this build cannot keep files in S3: build the server with --features s3")]
    NoS3,
    #[error("the file {0} for wallet passes cannot be read: {1}")]
    WalletFile(PathBuf, io::Error),
    #[error("wallet passes also need the setting {0}")]
    WalletSetting(&'static str),
    #[error("wallet passes cannot be signed: {0}")]
    Wallet(#[from] itinerary_wallet::Misconfigured),
    #[error("a provider is misconfigured: {0}")]
    Provider(#[from] Misconfigured),
    #[error(transparent)]
    Policy(#[from] PolicyMissing),
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, io::Error),
    #[error("dropshot's internal server cannot be started on a loopback port: {0}")]
    Contexts(io::Error),
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Opens the database. Creates the data folder if it is missing.
pub async fn open_store(storage: &Storage) -> Result<Store, StartError> {
    make_private_folder(&storage.data).map_err(|error| StartError::DataFolder(storage.data.clone(), error))?;
    let options = Options {
        full_sync: storage.sqlite_durability == Durability::Full,
        cache_mb: storage.sqlite_cache_mb,
        connections: storage.database_connections,
        ..Options::default()
    };
    Ok(Store::open(&storage.database_url(), &options).await?)
}

/// Reads the server's key. Creates it at the first start, in a file that only its owner may read.
pub fn load_key(file: &Path, random: &dyn Random) -> Result<Key, StartError> {
    let failed = |error| StartError::KeyFile(file.to_owned(), error);
    if !file.exists() {
        make_key(file, random).map_err(failed)?;
    }
    let bytes = fs::read(file).map_err(failed)?;
    let bytes = bytes.try_into().map_err(|_| failed(io::Error::other("it must have 32 bytes")))?;
    Ok(Key::new(bytes))
}

/// Writes a new key to a temporary file and links it into place, so that readers never see half a key. If two processes
/// start together, one of them creates it.
fn make_key(file: &Path, random: &dyn Random) -> io::Result<()> {
    let draft = file.with_extension(itinerary_core::ids::item(random));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut written = options.open(&draft)?;
    written.write_all(&random.bytes::<32>()).and_then(|()| written.sync_all())?;
    let linked = fs::hard_link(&draft, file);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

pub fn service(
    storage: &Storage,
    store: Store,
    config: Config,
    key: Key,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<Service, StartError> {
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let ports = Ports::configured(&config, storage, &store, &clock)?;
    Ok(Service {
        pictures: Pictures::default(),
        drawing: tokio::sync::Mutex::default(),
        document_fetches: tokio::sync::Semaphore::new(DOCUMENT_FETCHES),
        uploads: AccountLimit::new(config.limits.then_some(UPLOADS)),
        responses: ResponseBudget::new(config.answers_memory, config.limits),
        exports: AccountLimit::new(config.limits.then_some(EXPORTS)),
        erasing: tokio::sync::Notify::new(),
        ports,
        store: store.with_quotas(config.quotas()),
        clock,
        random,
        limits: Limiter::new(config.limits),
        metrics: Metrics::default(),
        key,
        hashing: Queue::new(cores, config.password_cost, config.limits),
        reads: Reads::default(),
        document: document(&config.base_url),
        document_gzip: Compressed::default(),
        docs: Docs::default(),
        config,
    })
}

/// The document with this server's address.
fn document(base_url: &str) -> Bytes {
    static COMPACT: LazyLock<String> = LazyLock::new(|| {
        let document: Value = serde_json::from_str(DOCUMENT).expect("the published document is JSON");
        document.to_string()
    });
    let quoted = Value::from(base_url).to_string();
    COMPACT.replace(DOCUMENT_BASE_URL, &quoted[1..quoted.len() - 1]).into()
}

/// A running server.
pub struct Running {
    pub service: Arc<Service>,
    /// The address it listens on.
    pub address: SocketAddr,
    listener: Listener,
    /// Serves metrics until it is dropped.
    _metrics: Option<JoinSet<()>>,
}

/// Migrates the database if configured, and starts serving.
pub async fn start(service: Service) -> Result<Running, StartError> {
    let pending = service.store.pending().await?;
    if pending > 0 {
        if service.config.no_migrate {
            return Err(StartError::NotMigrated(pending));
        }
        service.store.migrate().await?;
    }
    if service.config.gazetteer {
        gazetteer::fill(&service).await?;
    }
    let service = Arc::new(service);
    let Config { listen, metrics_listen, connections, deadlines, .. } = service.config;
    let mut metrics = None;
    if let Some(address) = metrics_listen {
        let task = metrics::serve(Arc::clone(&service), address).await;
        metrics = Some(task.map_err(|error| StartError::Listen(address, error))?);
    }
    let contexts = Contexts::new(Arc::clone(&service))?;
    contexts.fill().await.map_err(StartError::Contexts)?;
    let listener = Listener::start(listen, connections, deadlines, contexts);
    let listener = listener.map_err(|error| StartError::Listen(listen, error))?;
    Ok(Running { service, address: listener.address(), listener, _metrics: metrics })
}

impl Running {
    /// Stops accepting requests and waits for those in progress, at most 8 seconds.
    pub async fn stop(self) {
        if !self.listener.stop(LONGEST_STOP).await {
            tracing::warn!("requests that took too long were cut off");
        }
        if let Err(error) = jobs::count_reads(&self.service).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "the last reads were not counted");
        }
    }
}
