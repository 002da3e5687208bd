use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{CliResult, offline};
use crate::config::Storage;
use crate::demo;

#[derive(Args)]
pub(super) struct DemoCommand {
    /// The number of itineraries. Default: the built-in ones, about sixty; more are copies, for benchmarks
    #[arg(long, env = "ITINERARY_DEMO_ITINERARIES", value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    itineraries: Option<u32>,
}

pub(super) async fn run(storage: &Storage, command: &DemoCommand) -> CliResult {
    let service = offline(storage).await?;
    let wanted = command.itineraries.map(usize::try_from).transpose()?;
    // Only drawn on a terminal.
    let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {eta} {msg}")?);
    let filled = demo::fill(&service, wanted, &bar).await?;
    println!("There are {} public itineraries now. Sign in as one of", filled.itineraries);
    println!("  {}", filled.usernames.join(" "));
    println!("with the password {}", filled.password);
    Ok(())
}
