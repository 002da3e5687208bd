//! The command `integrations`. A pause applies to every app and, with the next request, to every server.

use clap::Subcommand;
use itinerary_core::clock::Clock;
use itinerary_platform::settings::{Access, Storage};
use itinerary_platform::system::SystemClock;
use serde_json::json;

use super::CliResult;
use super::output::Output;
use crate::serve::open_migrated;

#[derive(Subcommand)]
pub(super) enum IntegrationsCommand {
    /// Answer apps with 503
    Pause {
        /// The value of Retry-After, in seconds
        #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=86_400))]
        retry_after: u32,
    },
    /// Answer apps again
    Resume,
    /// Print whether apps are paused
    Status,
}

pub(super) async fn run(storage: &Storage, command: IntegrationsCommand, output: Output) -> CliResult {
    let store = open_migrated(&storage.with_access(Access::DatabaseOnly)).await?;
    let now = SystemClock.now();
    match command {
        IntegrationsCommand::Pause { retry_after } => store.pause_set(Some(retry_after), now).await?,
        IntegrationsCommand::Resume => store.pause_set(None, now).await?,
        IntegrationsCommand::Status => {}
    }
    let pause = store.pause().await?;
    let text = match pause {
        Some(seconds) => format!("Integrations are paused; apps are told to retry after {seconds} seconds."),
        None => "Integrations are running.".to_owned(),
    };
    let short = if pause.is_some() { "paused" } else { "running" };
    output.print(&json!({ "paused": pause.is_some(), "retryAfter": pause }), short, &text)
}
