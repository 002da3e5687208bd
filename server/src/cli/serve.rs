//! The command `serve`.

use std::sync::Arc;

use super::CliResult;
use crate::config::{Config, Storage};
use crate::jobs;
use crate::log;
use crate::serve::{load_key, open_store, service, start};
use crate::system::{SystemClock, SystemRandom};

pub(super) async fn serve(storage: &Storage, config: Config) -> CliResult {
    let _log = log::start(config.log_format)?;
    let first = !storage.key_file.exists();
    let store = open_store(storage).await?;
    let key = load_key(&storage.key_file, &SystemRandom)?;
    let running = start(service(store, config, key, Arc::new(SystemClock), Arc::new(SystemRandom))).await?;
    let (config, address) = (&running.service.config, running.address);
    println!("{}", welcome(storage, config, address, first));
    let jobs = jobs::start(&running.service);
    stop_signal().await;
    println!("Stopping: requests that are in are finished first.");
    running.stop().await;
    drop(jobs);
    Ok(())
}

fn welcome(storage: &Storage, config: &Config, address: std::net::SocketAddr, first: bool) -> String {
    let base = &config.base_url;
    let data = storage.data.canonicalize().unwrap_or_else(|_| storage.data.clone());
    let mut lines = vec![
        format!("Itinerary Planning Service on http://{address}"),
        format!("  for travellers and apps  {base}"),
        format!("  make an account          {base}/sign-up"),
        format!("  OpenAPI document         {base}/openapi.json"),
        format!("  data folder              {}", data.display()),
    ];
    if first {
        let key = storage.key_file.display();
        lines.push(format!("  new server key           {key} (keep it with your backups)"));
    }
    if !config.limits {
        lines.push("  LIMITS ARE OFF: nobody is refused for calling too often. This is for load tests.".to_owned());
    }
    lines.join("\n")
}

/// Waits for Ctrl-C, or for the signal that service managers send.
async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = interrupt.await;
}
