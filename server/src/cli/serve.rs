//! The command `serve`: starts a server, says where it listens, and stops it in order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use itinerary_core::clock::Clock;
use itinerary_platform::log::{self, level::Levels};
use itinerary_platform::settings::{Access, Config, KeyPlace, SignUpMode, Storage};
use itinerary_platform::system::{SystemRandom, room_for_connections};
use itinerary_platform::tls::Identity;
use itinerary_store::{DatabaseKind, postgres_name, sqlite_file};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::output::Output;
use super::signals::{SighupStream, Signals};
use super::{Cli, CliResult};

use crate::config::{self, unknown_variables};
use crate::jobs;
use crate::serve::{LONGEST_STOP, Running, open_store, prepare_schema, service, start, with_replicas};
use crate::server_key;
use crate::service_manager::ServiceManager;

pub(super) async fn serve(storage: &Storage, mut config: Config, output: Output, clock: Arc<dyn Clock>) -> CliResult {
    let log = log::start(config.log_format, config.log_level.as_deref())?;
    // Without a listener SIGHUP would end the process, perhaps within a long migration.
    let sighups = SighupStream::listen()?;
    for warning in unknown_variables(&super::command()) {
        tracing::warn!("{warning}");
    }
    let storage = &storage.with_access(if config.no_migrate { Access::Existing } else { Access::Create });
    config.connections = room_for_connections(config.connections);
    let store = open_store(storage).await?;
    prepare_schema(&store, config.no_migrate).await?;
    let first = server_key::is_missing(storage, &store).await?;
    let key = server_key::load(storage, &store, &SystemRandom).await?;
    let store = with_replicas(store, storage, &config)?;
    let running = start(service(storage, store, config, key, clock, Arc::new(SystemRandom))?).await?;
    let mut signals = Signals::listen()?;
    let manager = Arc::new(ServiceManager::of_environment());
    let mut reloading = JoinSet::new();
    reloading.spawn(reload(sighups, log.levels().clone(), running.identity.clone(), Arc::clone(&manager)));
    log_start(storage, &running);
    announce(storage, &running.service.config, running.address, first, output)?;
    let jobs = jobs::start(&running.service);
    manager.ready();
    let signal = signals.next().await;
    reloading.abort_all();
    stop(running, jobs, signal, &mut signals, &manager, output).await;
    Ok(())
}

/// Reads the log level and the certificate again at each SIGHUP.
async fn reload(
    mut sighups: SighupStream,
    levels: Levels,
    identity: Option<Arc<Identity>>,
    manager: Arc<ServiceManager>,
) {
    loop {
        sighups.next().await;
        manager.reloading();
        match config::parse::<Cli>() {
            Ok(parsed) => levels.set(parsed.settings.serve.log_level.as_deref()),
            Err(error) => tracing::error!(%error, "the settings are invalid: the log level stays as it was"),
        }
        if let Some(identity) = &identity {
            Arc::clone(identity).reload(true).await;
        }
        manager.ready();
    }
}

/// Stops in order: `/readyz` answers 503; after the delay the listener closes, and requests in progress are completed.
async fn stop(
    running: Running,
    mut jobs: JoinSet<()>,
    signal: &'static str,
    signals: &mut Signals,
    manager: &ServiceManager,
    output: Output,
) {
    let (began, delay) = (Instant::now(), running.service.config.drain_delay);
    running.drain();
    manager.stopping(delay + LONGEST_STOP);
    tracing::info!(signal, drain_delay = delay.as_secs(), "stopping");
    // Stopping must not fail because nobody reads this.
    let _ = output.say(&stopping(delay));
    if !delay.is_zero() {
        tokio::select! {
            () = sleep(delay) => {}
            signal = signals.next() => tracing::info!(signal, "the rest of the drain delay is skipped"),
        }
    }
    let stopped = running.stop().await;
    // A job is cut off between two statements; the next run of a server continues it.
    jobs.shutdown().await;
    let seconds = began.elapsed().as_secs_f64();
    tracing::info!(signal, completed = stopped.completed, cut_off = stopped.cut_off, seconds, "stopped");
}

fn stopping(delay: Duration) -> String {
    match delay.as_secs() {
        0 => "Stopping after the requests in progress.".to_owned(),
        seconds => format!("Stopping in {seconds} s, after the requests in progress. A second signal skips the delay."),
    }
}

/// Logs what an operator needs to know about a server that runs. Contains no secrets.
fn log_start(storage: &Storage, running: &Running) {
    let config = &running.service.config;
    let (database, database_at) = match running.service.store.kind() {
        DatabaseKind::Sqlite => ("SQLite", file_of(&storage.database_url())),
        DatabaseKind::Postgres => ("PostgreSQL", postgres_name(&storage.database_url())),
    };
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        address = %running.address,
        base_url = config.base_url,
        tls = config.tls.is_on(),
        database,
        database_at,
        schema = itinerary_store::Store::schema(),
        files = storage.files_url.as_deref().unwrap_or("folder"),
        limits = config.has_limits(),
        connections = config.connections,
        drain_delay = config.drain_delay.as_secs(),
        trusted_proxies = ?config.trusted_proxies,
        "started"
    );
}

/// The path in an address of SQLite, as people know it.
fn file_of(database_url: &str) -> String {
    sqlite_file(database_url).ok().flatten().map(|file| file.display().to_string()).unwrap_or_default()
}

/// Says that the server runs, and where.
fn announce(storage: &Storage, config: &Config, address: SocketAddr, first: bool, output: Output) -> CliResult {
    let data = storage.data.canonicalize().unwrap_or_else(|_| storage.data.clone());
    let value = json!({ "address": address, "baseUrl": config.base_url, "dataFolder": data, "newKey": first,
        "serverKey": storage.database.server_key.name() });
    tracing::info!(server_key = storage.database.server_key.name(), new = first, "the server key is loaded");
    output.print(&value, "", &welcome(storage, config, address, first))
}

fn welcome(storage: &Storage, config: &Config, address: SocketAddr, first: bool) -> String {
    let base = &config.base_url;
    let data = storage.data.canonicalize().unwrap_or_else(|_| storage.data.clone());
    let mut lines = vec![
        format!("Itinerary Planning Service on {}://{address}", config.scheme()),
        format!("  for travellers and apps  {base}"),
        match config.sign_in.sign_up {
            SignUpMode::Open => format!("  create an account        {base}/sign-up"),
            SignUpMode::Invite => "  invite somebody          itinerary-server account invite".to_owned(),
            SignUpMode::Closed => "  create an account        itinerary-server account create NAME".to_owned(),
        },
        format!("  API reference            {base}/docs"),
        format!("  OpenAPI document         {base}/openapi.json"),
        format!("  data folder              {}", data.display()),
    ];
    let key = match storage.database.server_key {
        KeyPlace::File => storage.key_file().display().to_string(),
        KeyPlace::Database => "in the database".to_owned(),
    };
    lines.push(match (first, storage.database.server_key) {
        (true, KeyPlace::File) => format!("  new server key           {key} (keep it with your backups)"),
        (true, KeyPlace::Database) => format!("  new server key           {key} (its backups contain the key)"),
        (false, _) => format!("  server key               {key}"),
    });
    if !config.has_limits() {
        lines.push("  LIMITS ARE OFF: requests are not rate-limited. Only for load tests.".to_owned());
    }
    lines.join("\n")
}
