//! The command line. Every flag is also an environment variable and a key of the config file.

mod account;
mod demo;
mod integrations;
mod places;
mod reports;
mod serve;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use itinerary_core::legs::Speeds;

use crate::config::{self, Config, Storage};
use crate::context::Service;
use crate::serve::{load_key, open_store, service};
use crate::system::{SystemClock, SystemRandom};

type CliResult = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// The Itinerary Planning Service
#[derive(Parser)]
#[command(name = "itinerary-server", version, about, args_conflicts_with_subcommands = false)]
struct Cli {
    #[command(flatten)]
    storage: Storage,
    #[command(flatten)]
    serve: Config,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve requests (the default command)
    Serve,
    /// Migrate the database to the current schema
    Migrate,
    /// Create, list and change accounts
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Pause and resume access by apps
    #[command(subcommand)]
    Integrations(integrations::IntegrationsCommand),
    /// List and resolve travellers' reports
    #[command(subcommand)]
    Reports(reports::ReportsCommand),
    /// Import places, so that more stops are found by name
    #[command(subcommand)]
    Places(places::PlacesCommand),
    /// Fill an empty database with demo travellers and public itineraries
    Demo(demo::DemoCommand),
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let run = || {
        let (cli, speeds) = config::parse::<Cli>()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(dispatch(cli, speeds))
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("itinerary-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(Cli { storage, serve, command }: Cli, speeds: Speeds) -> CliResult {
    match command {
        None | Some(Command::Serve) => {
            // Boxed, because the future contains the whole service while it starts.
            Box::pin(serve::serve(&storage, Config { speeds, ..serve }.with_base_url()?)).await
        }
        Some(Command::Migrate) => migrate(&storage).await,
        Some(Command::Account(command)) => account::run(&storage, command).await,
        Some(Command::Integrations(command)) => integrations::run(&storage, command).await,
        Some(Command::Reports(command)) => reports::run(&storage, command).await,
        Some(Command::Places(command)) => places::run(&storage, command).await,
        Some(Command::Demo(command)) => demo::run(&storage, &command).await,
    }
}

/// The service without a listener. A server may be running on the same database.
async fn offline(storage: &Storage) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    let store = open_store(storage).await?;
    store.migrate().await?;
    let key = load_key(&storage.key_file(), &SystemRandom)?;
    let config = Config::new(SocketAddr::from(([127, 0, 0, 1], 8080)));
    Ok(service(storage, store, config, key, Arc::new(SystemClock), Arc::new(SystemRandom))?)
}

async fn migrate(storage: &Storage) -> CliResult {
    let applied = open_store(storage).await?.migrate().await?;
    println!("{applied} migrations applied; the database is up to date.");
    Ok(())
}
