//! The command `integrations`. A pause applies to every app and, with the next request, to every server.

use clap::Subcommand;
use itinerary_core::clock::Clock;

use super::CliResult;
use crate::config::Storage;
use crate::serve::open_store;
use crate::system::SystemClock;

#[derive(Subcommand)]
pub(super) enum IntegrationsCommand {
    /// Answer apps with 503
    Pause {
        /// The value of Retry-After, in seconds
        #[arg(long, env = "ITINERARY_RETRY_AFTER", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
        retry_after: u32,
    },
    /// Answer apps again
    Resume,
    /// Print whether apps are paused
    Status,
}

pub(super) async fn run(storage: &Storage, command: IntegrationsCommand) -> CliResult {
    let store = open_store(storage).await?;
    store.migrate().await?;
    let now = SystemClock.now();
    match command {
        IntegrationsCommand::Pause { retry_after } => store.pause_set(Some(retry_after), now).await?,
        IntegrationsCommand::Resume => store.pause_set(None, now).await?,
        IntegrationsCommand::Status => {}
    }
    match store.pause().await? {
        Some(seconds) => println!("Integrations are paused; apps are told to retry after {seconds} seconds."),
        None => println!("Integrations are running."),
    }
    Ok(())
}
