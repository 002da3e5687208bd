use std::sync::Arc;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use itinerary_platform::settings::Storage;
use serde_json::json;

use super::output::Output;
use super::{CliResult, prepared};
use crate::demo::{self, DemoSize};

#[derive(Args)]
pub(super) struct DemoCommand {
    /// The number of itineraries. Default: the built-in ones, about sixty, or ten for each account; more are copies, for
    /// benchmarks
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    itineraries: Option<u32>,
    /// The number of accounts of a large population, at least 100, for benchmarks: a few own hundreds of itineraries, most
    /// own few; two of five itineraries are public
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    accounts: Option<u32>,
}

pub(super) async fn run(storage: &Storage, no_migrate: bool, command: &DemoCommand, output: Output) -> CliResult {
    let service = Arc::new(prepared(storage, no_migrate).await?);
    let size = DemoSize {
        itineraries: command.itineraries.map(usize::try_from).transpose()?,
        accounts: command.accounts.map(usize::try_from).transpose()?,
    };
    // Only drawn on a terminal.
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {eta} {msg}")?);
    let filled = demo::fill(&service, size, &bar).await?;
    // Copies the rest of SQLite's log to the file.
    service.store.clone().close().await?;
    let (generated, public) = (filled.accounts - filled.usernames.len(), filled.public);
    let there = match command.accounts {
        None => format!("There are {public} public itineraries now."),
        Some(_) => format!(
            "There are {} accounts and {} itineraries now, {public} of them public; the accounts traveller-1 to \
             traveller-{generated} own most of them, the first ones hundreds.",
            filled.accounts, filled.itineraries,
        ),
    };
    let (usernames, password) = (filled.usernames.join(" "), &filled.password);
    let text = format!("{there} Sign in as one of\n  {usernames}\nwith the password {password}");
    let value = json!({
        "accounts": filled.accounts, "itineraries": filled.itineraries, "publicItineraries": public,
        "usernames": filled.usernames, "password": password });
    output.print(&value, password, &text)
}
