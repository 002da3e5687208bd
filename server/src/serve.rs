//! Starts and stops the service: storage, key, service, listener.
//!
//! Tests start it the same way, in their own process and with their own clock.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::TryStreamExt;
use itinerary_api::policy::POLICIES;
use itinerary_app::itineraries::{covers, documents};
use itinerary_app::{changes, mails, webhooks};
use itinerary_core::clock::{Clock, Random};
use itinerary_core::seal::Key;
use itinerary_http::{ConnectionLimits, Contexts, Listener, PolicyMissing, Stopped};
use itinerary_platform::account_limit::AccountLimit;
use itinerary_platform::addresses::Addresses;
use itinerary_platform::change_streams::ChangeStreams;
use itinerary_platform::content_cache::ContentCache;
use itinerary_platform::context::Service;
use itinerary_platform::cpu_time::CpuTime;
use itinerary_platform::error_chain::chain;
use itinerary_platform::fair_pool::{FairPool, PoolLimits};
use itinerary_platform::kept_calendars::KeptCalendars;
use itinerary_platform::library_clock::LibraryClock;
use itinerary_platform::limits::{Limiter, Unreachable};
use itinerary_platform::long_work::LongWork;
use itinerary_platform::metrics::Metrics;
use itinerary_platform::passwords::Queue;
use itinerary_platform::pictures::Pictures;
use itinerary_platform::ports::blobs::make_private_folder;
use itinerary_platform::ports::{Ports, PortsError, providers};
use itinerary_platform::reads::Reads;
use itinerary_platform::response_budget::ResponseBudget;
use itinerary_platform::settings::{Access, Config, Durability, Limits, Pooler, Storage};
use itinerary_platform::tls::{Identity, TlsError};
use itinerary_platform::turns::Turns;
use itinerary_store::{Options, Store, StoreError, sqlite_file};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout_at};

use crate::jobs;
use crate::metrics_server;
use crate::server_key::{self, KeyError};

/// How long stopping waits for responses in progress. The rest is short, so that the process ends within
/// [`LONGEST_STOP`].
const PATIENCE: Duration = Duration::from_secs(8);
/// How long stopping takes at most, after the delay that is configured.
pub(crate) const LONGEST_STOP: Duration = Duration::from_secs(10);
/// How long counting the last reads may go on after the beginning of a stop, because the database may hang.
const LAST_COUNT: Duration = Duration::from_secs(9);

/// The maximum number of concurrent document uploads of an account, which use storage before they count against the
/// quota.
const UPLOADS: usize = 16;
/// The maximum number of imports that are read at once.
const IMPORTS: usize = 4;
/// The maximum number of concurrent downloads of an account's data, each of which reads all of it.
const EXPORTS: usize = 1;

/// The maximum number of concurrent attempts to deliver events to webhooks.
const WEBHOOK_ATTEMPTS: usize = 256;

/// The maximum number of concurrent fetches of client metadata documents.
const DOCUMENT_FETCHES: usize = 16;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the data folder {0} cannot be created: {1}")]
    DataFolder(PathBuf, io::Error),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the database cannot be used: {}", chain(.0))]
    Store(#[from] StoreError),
    #[error("the database {0} does not exist: check `data` and `database_url`, or create it with the command migrate")]
    NoDatabase(String),
    #[error(
        "the database is empty, but {0} has files of a service: the database is lost, or `data` or `database_url` is \
         wrong. Restore a backup (docs/operating/backups.md), or move the files away to begin a new service"
    )]
    FilesWithoutDatabase(String),
    #[error("the replica cannot be used: {}", chain(.0))]
    Replica(StoreError),
    #[error(
        "the database lacks {0} of this version's migrations: run the command migrate, or serve without --no-migrate"
    )]
    NotMigrated(u32),
    #[error(transparent)]
    Ports(#[from] PortsError),
    #[error("the URL in limits {0}")]
    LimitsUrl(&'static str),
    #[error("the shared rate limits cannot be reached: {0}")]
    Limits(#[from] Unreachable),
    #[error(transparent)]
    Policy(#[from] PolicyMissing),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("cannot listen on {address}: {error}{}", remedy(.error, .setting))]
    Listen { setting: &'static str, address: SocketAddr, error: io::Error },
    #[error("dropshot's internal server cannot be started on a loopback port: {0}")]
    Contexts(io::Error),
}

/// What to do about an address that cannot be used.
fn remedy(error: &io::Error, setting: &str) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(". Another process uses it: end that process, or choose another address with --{setting}")
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::AddrNotAvailable => {
            format!(". Choose another address with --{setting}")
        }
        _ => String::new(),
    }
}

/// Opens the database. Creates it and the data folder if they are missing and the access permits it.
pub async fn open_store(storage: &Storage) -> Result<Store, StartError> {
    if storage.access == Access::Create {
        make_private_folder(&storage.data).map_err(|error| StartError::DataFolder(storage.data.clone(), error))?;
    }
    let store = match Store::open(&storage.database_url(), &store_options(storage)).await {
        Err(StoreError::Missing(file)) => return Err(StartError::NoDatabase(file)),
        opened => opened?,
    };
    if storage.access == Access::Create && !store.has_schema().await? {
        refuse_lost_database(storage).await?;
    }
    Ok(store)
}

/// Refuses to begin a new service beside the files of another, whose images the new one would delete as unused. A server
/// key alone may have been prepared for a new service.
async fn refuse_lost_database(storage: &Storage) -> Result<(), StartError> {
    let folder = storage.files_folder();
    if storage.files_url.is_some() || folder.exists() {
        let blobs = providers::blobs(storage)?;
        for name in [documents::FOLDER, covers::FOLDER] {
            if blobs.list(name).try_next().await.map_err(PortsError::Files)?.is_some() {
                let place = storage.files_url.clone().unwrap_or_else(|| folder.display().to_string());
                return Err(StartError::FilesWithoutDatabase(place));
            }
        }
    }
    let key = storage.key_file();
    if sqlite_file(&storage.database_url())?.is_some() && key.exists() {
        warn_of_lost_database(&key);
    }
    Ok(())
}

/// Only `serve` has a log; `migrate` says it.
fn warn_of_lost_database(key: &Path) {
    const WARNING: &str = "the database is empty, but there is a server key: this begins a new service. If there was one \
         before, stop and restore its database";
    if tracing::dispatcher::has_been_set() {
        tracing::warn!(key_file = %key.display(), "{WARNING}");
    } else {
        eprintln!("itinerary-server: warning: {WARNING} ({})", key.display());
    }
}

fn store_options(storage: &Storage) -> Options {
    let settings = &storage.database;
    Options {
        full_sync: storage.sqlite_durability == Durability::Full,
        cache_mb: storage.sqlite_cache_mb,
        mmap: storage.sqlite_mmap && Options::default().mmap,
        connections: settings.database_connections,
        wait: settings.database_wait_seconds,
        transaction_pooler: settings.database_pooler == Pooler::Transaction,
        create: storage.access == Access::Create,
        ..Options::default()
    }
}

/// Opens a database that exists and has the current schema.
pub(crate) async fn open_migrated(storage: &Storage) -> Result<Store, StartError> {
    let store = open_store(storage).await?;
    prepare_schema(&store, true).await?;
    Ok(store)
}

/// Creates the key and the folder for files if they are missing.
pub(crate) async fn prepare_files(storage: &Storage, store: &Store, random: &dyn Random) -> Result<(), StartError> {
    server_key::load(storage, store, random).await?;
    if storage.files_url.is_none() {
        let folder = storage.files_folder();
        make_private_folder(&folder).map_err(|error| StartError::DataFolder(folder, error))?;
    }
    Ok(())
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
    let metrics = Metrics::default();
    let cpu_time = Arc::new(CpuTime::new(config.has_limits().then_some(config.limit_settings.cpu), Arc::clone(&clock)));
    let ports = Ports::configured(&config, storage, &store, &clock, &random, metrics.provider_calls())?;
    Ok(Service {
        policies: POLICIES,
        addresses: Addresses::new(&config),
        long_work: LongWork::new(cores, Arc::clone(&cpu_time)),
        merges: Turns::default(),
        cpu_time,
        calendars: KeptCalendars::default(),
        contents: ContentCache::default(),
        pictures: Pictures::new(config.has_limits()),
        document_fetches: tokio::sync::Semaphore::new(DOCUMENT_FETCHES),
        imports: FairPool::new(PoolLimits { slots: IMPORTS, running_per_key: 1, waiting_per_key: UPLOADS }),
        uploads: AccountLimit::new(config.has_limits().then_some(UPLOADS)),
        responses: ResponseBudget::new(config.answers_memory, config.has_limits()),
        change_streams: Arc::new(ChangeStreams::new(config.has_limits())),
        webhook_attempts: Arc::new(tokio::sync::Semaphore::new(WEBHOOK_ATTEMPTS)),
        exports: AccountLimit::new(config.has_limits().then_some(EXPORTS)),
        erasing: tokio::sync::Notify::new(),
        mail_due: tokio::sync::Notify::new(),
        ports,
        store: store.with_quotas(config.quotas()),
        clock,
        library_clock: LibraryClock::default(),
        random,
        limits: limiter(&config, &key)?,
        metrics,
        key,
        hashing: Queue::new(cores, config.password_cost, config.has_limits()),
        reads: Reads::default(),
        stopping: AtomicBool::new(false),
        config,
    })
}

fn limiter(config: &Config, key: &Key) -> Result<Limiter, StartError> {
    match &config.limit_settings.from {
        Limits::Shared(url) if config.has_limits() => {
            Ok(Limiter::shared(&url.parse().map_err(StartError::LimitsUrl)?, &config.limit_settings, key))
        }
        _ => Ok(Limiter::new(config.has_limits())),
    }
}

/// A running server.
pub struct Running {
    pub service: Arc<Service>,
    /// The address it listens on.
    pub address: SocketAddr,
    listener: Listener,
    /// The certificate, with TLS.
    pub(crate) identity: Option<Arc<Identity>>,
    /// Serves metrics, reads the certificate's files and watches the replicas, until it is dropped.
    _tasks: JoinSet<()>,
}

/// Migrates the database if configured; fails if it is outdated otherwise.
pub(crate) async fn prepare_schema(store: &Store, no_migrate: bool) -> Result<(), StartError> {
    match store.pending().await? {
        0 => {}
        pending if no_migrate => return Err(StartError::NotMigrated(pending)),
        _ => {
            let is_new = !store.has_schema().await?;
            let applied = store.migrate().await?;
            if is_new {
                let seconds: f64 = applied.iter().map(|migration| migration.took.as_secs_f64()).sum();
                tracing::info!(migrations = applied.len(), seconds, "created the schema of a new database");
                return Ok(());
            }
            for migration in applied {
                tracing::info!(name = migration.name, seconds = migration.took.as_secs_f64(), "migrated the database");
            }
        }
    }
    Ok(())
}

/// The same store, with its replicas if any are configured.
pub fn with_replicas(store: Store, storage: &Storage, config: &Config) -> Result<Store, StartError> {
    let settings = &config.replica;
    let Some(url) = &settings.database_replica_url else { return Ok(store) };
    let replicated = store.with_replicas(url, &store_options(storage), settings.database_replica_lag_seconds);
    replicated.map_err(StartError::Replica)
}

/// Migrates the database if configured, and starts serving.
pub async fn start(mut service: Service) -> Result<Running, StartError> {
    let identity = Identity::load(&service.config.tls, &service.clock)?;
    let acceptor = identity.as_ref().map(Identity::acceptor).transpose()?;
    prepare_schema(&service.store, service.config.no_migrate).await?;
    service.library_clock.start(&service.store).await?;
    changes::settle(&service).await?;
    service.addresses.settle(&service.store, &service.config, service.clock.now()).await?;
    service.limits.connect().await?;
    if let Some(identity) = &identity {
        service.metrics.watch_certificate(identity);
    }
    let service = Arc::new(service);
    let Config { listen, metrics_listen, deadlines, .. } = service.config;
    let connections =
        ConnectionLimits { total: service.config.connections, per_address: service.config.connections_per_address() };
    let mut tasks = JoinSet::new();
    if let Some(address) = metrics_listen {
        let task = metrics_server::serve(Arc::clone(&service), address).await;
        tasks = task.map_err(|error| StartError::Listen { setting: "metrics-listen", address, error })?;
    }
    let contexts = Contexts::new(Arc::clone(&service))?;
    contexts.fill().await.map_err(StartError::Contexts)?;
    let listener = Listener::start(listen, acceptor, connections, deadlines, contexts);
    let listener = listener.map_err(|error| StartError::Listen { setting: "listen", address: listen, error })?;
    tasks.extend(identity.clone().map(Identity::keep_current));
    tasks.spawn(service.store.clone().watch_replicas());
    tasks.spawn(mails::run(Arc::clone(&service)));
    tasks.spawn(expire_caches(Arc::clone(&service)));
    let mut webhooks = webhooks::Worker::new(Arc::clone(&service));
    tasks.spawn(changes::watch(Arc::clone(&service), move |seen| webhooks.on_changes(seen)));
    Ok(Running { service, address: listener.address(), listener, identity, _tasks: tasks })
}

/// Frees the memory of what the caches no longer return, also while nobody uses them.
async fn expire_caches(service: Arc<Service>) {
    loop {
        sleep(Duration::from_mins(1)).await;
        let now = service.clock.now();
        service.contents.remove_expired(now);
        service.calendars.remove_expired(now);
    }
}

impl Running {
    /// Makes `/readyz` answer 503, and ends streams of changes. Everything else is served as before.
    pub(crate) fn drain(&self) {
        self.service.stopping.store(true, Ordering::Relaxed);
        self.service.change_streams.close();
    }

    /// Stores what is only in memory: the time of the last change, and the last reads.
    async fn store_last(&self) -> Result<(), StoreError> {
        self.service.library_clock.stop(&self.service.store).await?;
        jobs::count_reads(&self.service).await.map(|_| ())
    }

    /// Stops accepting requests and waits for those in progress, at most 8 seconds.
    pub async fn stop(self) -> Stopped {
        let began = Instant::now();
        self.drain();
        let stopped = self.listener.stop(PATIENCE).await;
        if stopped.cut_off > 0 {
            tracing::warn!(connections = stopped.cut_off, "requests that took too long were cut off");
        }
        match timeout_at(began + LAST_COUNT, self.store_last()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "the last reads were not counted");
            }
            Err(_) => tracing::warn!("the last reads were not counted in time"),
        }
        stopped
    }
}
