//! The command line. Every setting is a flag, an environment variable and a key of the config file; the options of a single
//! command are flags only.

mod account;
mod account_access;
mod account_factors;
mod account_identities;
mod account_invitations;
mod account_moderation;
mod account_tokens;
mod audit;
mod backup;
mod config;
mod demo;
mod files;
mod integrations;
mod jobs;
mod mail;
mod migrate;
mod output;
mod places;
mod reports;
mod review;
mod serve;
mod shell;
mod signals;

use std::fs;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Parser, Subcommand};
use itinerary_core::clock::Clock;
use itinerary_platform::context::Service;
use itinerary_platform::log::LogFormat;
use itinerary_platform::settings::{Access, Config, Storage};
use itinerary_platform::system::{SystemClock, SystemRandom};
use itinerary_store::{Store, sqlite_file};

use crate::config::ConfigError;
use crate::serve::{StartError, open_migrated, open_store, service};
use crate::server_key;
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
    /// Check the configuration, and print the settings in force with their sources
    Config,
    /// Migrate the database to the current schema, and list what was applied; create it, the key and the folder for files if they
    /// are missing
    Migrate(migrate::MigrateCommand),
    /// Create, list and change accounts
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Pause and resume access by apps
    #[command(subcommand)]
    Integrations(integrations::IntegrationsCommand),
    /// Test the settings of mail
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// List and resolve travellers' reports
    #[command(subcommand)]
    Reports(reports::ReportsCommand),
    /// Print the audit log of a year, newest first: sign-ins, changes of accounts, moderation
    Audit(audit::AuditCommand),
    /// Write database, files and key to one file, while servers run
    Backup(backup::BackupCommand),
    /// Restore a backup to an empty data folder or database
    Restore(backup::RestoreCommand),
    /// List and run periodic jobs
    #[command(subcommand)]
    Jobs(jobs::JobsCommand),
    /// Compare the file store with the database
    #[command(subcommand)]
    Files(files::FilesCommand),
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

/// How long the process waits for its threads at the end.
const LONGEST_END: Duration = Duration::from_secs(1);

/// What the exit codes mean.
const EXIT_CODES: [(&str, &str); 3] = [("0", "success"), ("1", "failure"), ("2", "invalid arguments")];

/// The end of the help.
fn exit_codes() -> String {
    let lines: Vec<_> = EXIT_CODES.iter().map(|(code, meaning)| format!("  {code}  {meaning}")).collect();
    format!("Exit codes:\n{}", lines.join("\n"))
}

/// The command line, for its documentation and its tests.
pub fn command() -> clap::Command {
    crate::config::command::<Cli>()
}

/// The command line without the names of variables.
#[cfg(test)]
pub(crate) fn bare_command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Runs the command line of this process.
pub fn run() -> ExitCode {
    run_with(Arc::new(SystemClock))
}

/// The same, with a server that reads this clock. Tests set it back while the server runs.
pub fn run_with(clock: Arc<dyn Clock>) -> ExitCode {
    let parsed = match crate::config::parse::<Cli>() {
        Ok(parsed) => parsed,
        Err(ConfigError::Arguments(error)) => return invalid_arguments(&error),
        Err(error) => {
            Output::by_words(std::env::args_os()).fail(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
    let Cli { output, command, serve, .. } = &parsed.settings;
    // A log whose lines are JSON ends with such a line too.
    let serves = matches!(command, None | Some(Command::Serve));
    let output = Output { json: output.json || serves && serve.log_format == LogFormat::Json, ..*output };
    let run = || {
        if let Some(Command::Config) = parsed.settings.command {
            return config::run(&parsed, output);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let outcome = runtime.block_on(dispatch(parsed.settings, clock));
        // Work in a blocking thread, such as a look-up of a name, must not delay the end.
        runtime.shutdown_timeout(LONGEST_END);
        outcome
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

/// Prints why the arguments are invalid; or the help or the version, which clap reports as errors too.
fn invalid_arguments(error: &clap::Error) -> ExitCode {
    let output = Output::by_words(std::env::args_os());
    if !error.use_stderr() {
        // If nobody reads it, that is no failure.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    if output.json {
        output.fail(&message(error));
    } else {
        let _ = error.print();
    }
    ExitCode::from(2)
}

/// The message of an invalid argument without the usage after it.
fn message(error: &clap::Error) -> String {
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "the command is incomplete; see its --help".to_owned();
    }
    let text = error.render().to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    let text = text.split("\n\nFor more information").next().unwrap_or_default();
    let words: Vec<_> = text.trim_start_matches("error: ").split_whitespace().collect();
    words.join(" ")
}

async fn dispatch(Cli { output, storage, serve, command }: Cli, clock: Arc<dyn Clock>) -> CliResult {
    match command {
        None | Some(Command::Serve) => {
            // Boxed, because the future contains the whole service while it starts.
            Box::pin(serve::serve(&storage, serve.with_base_url()?, output, clock)).await
        }
        // It needs no runtime, and has already been run.
        Some(Command::Config) => Ok(()),
        Some(Command::Migrate(command)) => migrate::run(&storage, &command, output).await,
        Some(Command::Account(command)) => Box::pin(account::run(&storage, &serve, command, output)).await,
        Some(Command::Integrations(command)) => integrations::run(&storage, command, output).await,
        Some(Command::Mail(command)) => Box::pin(mail::run(serve.with_base_url()?, command, output)).await,
        Some(Command::Reports(command)) => reports::run(&storage, command, output).await,
        Some(Command::Audit(command)) => audit::run(&storage, command, output).await,
        Some(Command::Backup(command)) => Box::pin(backup::backup(&storage, &command, output)).await,
        Some(Command::Restore(command)) => Box::pin(backup::restore(&storage, &command, output)).await,
        Some(Command::Jobs(command)) => jobs::run(&storage, &serve, command, output).await,
        Some(Command::Files(command)) => files::run(&storage, command, output).await,
        Some(Command::Places(command)) => places::run(&storage, command, output).await,
        Some(Command::Demo(command)) => demo::run(&storage, serve.no_migrate, &command, output).await,
        Some(Command::Completion { shell }) => shell::completion(self::command(), shell),
        Some(Command::Man) => shell::man(self::command()),
    }
}

/// The service on an existing, migrated database, with its key and its files. Creates nothing. A server may be running on the
/// same database.
async fn offline(storage: &Storage) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    let storage = storage.with_access(Access::Existing);
    assemble(&storage, open_migrated(&storage).await?).await
}

/// The same for commands that use neither the key nor files: neither need exist on the machine.
async fn offline_database(storage: &Storage) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    let storage = storage.with_access(Access::DatabaseOnly);
    assemble(&storage, open_migrated(&storage).await?).await
}

/// The service for commands that a new server may begin with: what is missing is created, and the database is migrated,
/// unless `no_migrate` is set. A key without a database belongs to a service whose database is elsewhere.
async fn prepared(storage: &Storage, no_migrate: bool) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    if no_migrate {
        return offline(storage).await;
    }
    if let Some(file) = sqlite_file(&storage.database_url())?
        && storage.key_file().exists()
        && fs::metadata(&file).map_or(true, |file| file.len() == 0)
    {
        return Err(StartError::NoDatabase(file.display().to_string()).into());
    }
    let store = open_store(storage).await?;
    store.migrate().await?;
    assemble(storage, store).await
}

/// The service that queues mails if the settings have a mail server: commands have the same notices as pages.
fn with_mail(mut service: Service, config: &Config) -> Service {
    service.config.mail = config.mail.clone();
    service
}

async fn assemble(storage: &Storage, store: Store) -> Result<Service, Box<dyn std::error::Error + Send + Sync>> {
    let key = server_key::load(storage, &store, &SystemRandom).await?;
    let config = Config::new(SocketAddr::from(([127, 0, 0, 1], 8080)));
    Ok(service(storage, store, config, key, Arc::new(SystemClock), Arc::new(SystemRandom))?)
}
