use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::output::Output;
use super::{CliResult, prepared};
use crate::config::Storage;
use crate::demo;

#[derive(Args)]
pub(super) struct DemoCommand {
    /// The number of itineraries. Default: the built-in ones, about sixty; more are copies, for benchmarks
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    itineraries: Option<u32>,
}

pub(super) async fn run(storage: &Storage, no_migrate: bool, command: &DemoCommand, output: Output) -> CliResult {
    let service = prepared(storage, no_migrate).await?;
    let wanted = command.itineraries.map(usize::try_from).transpose()?;
    // Only drawn on a terminal.
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {eta} {msg}")?);
    let filled = demo::fill(&service, wanted, &bar).await?;
    let text = format!(
        "There are {} public itineraries now. Sign in as one of\n  {}\nwith the password {}",
        filled.itineraries,
        filled.usernames.join(" "),
        filled.password,
    );
    let value = json!({
        "itineraries": filled.itineraries, "usernames": filled.usernames, "password": filled.password });
    output.print(&value, &filled.password, &text)
}
