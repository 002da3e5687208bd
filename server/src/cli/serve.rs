use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use clap::ArgMatches;
use serde_json::json;
use tokio::task::JoinSet;

use super::CliResult;
use super::output::Output;
use crate::config::{Config, Storage};
use crate::jobs;
use crate::log::{self, level::Levels};
use crate::serve::{load_key, open_store, service, start};
use crate::system::{SystemClock, SystemRandom, room_for_connections};

pub(super) async fn serve(storage: &Storage, mut config: Config, arguments: ArgMatches, output: Output) -> CliResult {
    let log = log::start(config.log_format, config.log_level.as_deref())?;
    let _levels = reload_level(log.levels().clone(), arguments)?;
    config.connections = room_for_connections(config.connections);
    let first = !storage.key_file().exists();
    let store = open_store(storage).await?;
    let key = load_key(&storage.key_file(), &SystemRandom)?;
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
    let value = json!({ "address": address, "baseUrl": config.base_url, "dataFolder": data, "newKey": first });
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
    if first {
        let key = storage.key_file();
        lines.push(format!("  new server key           {} (keep it with your backups)", key.display()));
    }
    if !config.limits {
        lines.push("  LIMITS ARE OFF: requests are not rate-limited. Only for load tests.".to_owned());
    }
    lines.join("\n")
}

/// Reads the log level again at each SIGHUP, until the result is dropped.
#[cfg(unix)]
fn reload_level(levels: Levels, arguments: ArgMatches) -> io::Result<JoinSet<()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut asked, mut task) = (signal(SignalKind::hangup())?, JoinSet::new());
    task.spawn(async move {
        while asked.recv().await.is_some() {
            levels.read_again(&arguments);
        }
    });
    Ok(task)
}

/// There is no such signal.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere listening may fail")]
fn reload_level(_: Levels, _: ArgMatches) -> io::Result<JoinSet<()>> {
    Ok(JoinSet::new())
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
