use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::json;

use super::CliResult;
use super::output::Output;
use crate::config::{Access, Config, KeyPlace, Storage, unknown_variables};
use crate::jobs;
use crate::log;
use crate::serve::{open_store, prepare_schema, service, start, with_replica};
use crate::server_key;
use crate::system::{SystemClock, SystemRandom, room_for_connections};

pub(super) async fn serve(storage: &Storage, mut config: Config, output: Output) -> CliResult {
    let _log = log::start(config.log_format)?;
    for warning in unknown_variables(&super::command()) {
        tracing::warn!("{warning}");
    }
    let storage = &storage.with_access(if config.no_migrate { Access::Existing } else { Access::Create });
    config.connections = room_for_connections(config.connections);
    let store = open_store(storage).await?;
    prepare_schema(&store, config.no_migrate).await?;
    let first = server_key::is_missing(storage, &store).await?;
    let key = server_key::load(storage, &store, &SystemRandom).await?;
    let store = with_replica(store, storage, &config).await?;
    let running = start(service(storage, store, config, key, Arc::new(SystemClock), Arc::new(SystemRandom))?).await?;
    let stop = stop_signal()?;
    let (config, address) = (&running.service.config, running.address);
    announce(storage, config, address, first, output)?;
    let jobs = jobs::start(&running.service);
    stop.await;
    // Stopping must not fail because nobody reads this.
    let _ = output.say("Stopping after the requests in progress.");
    running.stop().await;
    drop(jobs);
    Ok(())
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
        format!("Itinerary Planning Service on http://{address}"),
        format!("  for travellers and apps  {base}"),
        format!("  create an account        {base}/sign-up"),
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

/// Completes at Ctrl-C, or at the signal that service managers send. Listens from this call on, not only once awaited,
/// because the server may be stopped as soon as it reports that it runs.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Completes at Ctrl-C.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere listening may fail at once")]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
