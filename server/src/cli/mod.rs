//! The command line. Every flag is also an environment variable and a key of the config file.

mod account;
mod demo;
mod integrations;
mod migrate;
mod output;
mod places;
mod reports;
mod serve;
mod shell;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};
use itinerary_core::legs::Speeds;

use crate::config::{self, Config, Storage};
use crate::context::Service;
use crate::serve::{load_key, open_store, service};
use crate::system::{SystemClock, SystemRandom};
use output::Output;

type CliResult = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// The Itinerary Planning Service
#[derive(Parser)]
#[command(name = "itinerary-server", version, about, args_conflicts_with_subcommands = false)]
#[command(after_long_help = exit_codes())]
struct Cli {
    #[command(flatten)]
    output: Output,
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
    /// Migrate the database to the current schema, and list what was applied
    Migrate(migrate::MigrateCommand),
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
    /// Print the completion script for a shell
    Completion {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// What the exit codes mean.
const EXIT_CODES: [(&str, &str); 3] = [("0", "success"), ("1", "failure"), ("2", "invalid arguments")];

/// The end of the help.
fn exit_codes() -> String {
    let lines: Vec<_> = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code}  {meaning}")).collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    let (cli, speeds) = match config::parse::<Cli>() {
        Ok(parsed) => parsed,
        Err(error) => {
            Output { json: false, quiet: false }.fail(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let output = cli.output;
    let run = || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(dispatch(cli, speeds))
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_broken_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            output.fail(&error.to_string());
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(Cli { output, storage, serve, command }: Cli, speeds: Speeds) -> CliResult {
    match command {
        None | Some(Command::Serve) => {
            // Boxed, because the future contains the whole service while it starts.
            Box::pin(serve::serve(&storage, Config { speeds, ..serve }.with_base_url()?, output)).await
        }
        Some(Command::Migrate(command)) => migrate::run(&storage, &command, output).await,
        Some(Command::Account(command)) => account::run(&storage, command, output).await,
        Some(Command::Integrations(command)) => integrations::run(&storage, command, output).await,
        Some(Command::Reports(command)) => reports::run(&storage, command, output).await,
        Some(Command::Places(command)) => places::run(&storage, command, output).await,
        Some(Command::Demo(command)) => demo::run(&storage, &command, output).await,
        Some(Command::Completion { shell }) => shell::completion(config::command::<Cli>(), shell),
        Some(Command::Man) => shell::man(config::command::<Cli>()),
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
