//! Parses the settings of this process: command line, environment and config file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Command, CommandFactory, Parser};
use itinerary_platform::settings::SettingsError;

use super::effective::masked;
use super::file::apply;
use super::names::{CONFIG, with_variables};

/// Why the settings cannot be used. No message repeats a value from the file or a secret.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The config file cannot be read.
    #[error("the config file {0} cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The config file is invalid.
    #[error("the config file {0} is invalid: {1}")]
    Invalid(PathBuf, String),
    /// Settings contradict each other.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The command line or a variable is invalid, or asks for the help or the version.
    #[error(transparent)]
    Arguments(#[from] clap::Error),
}

/// The settings, and where each one comes from.
pub struct Parsed<C> {
    /// The settings.
    pub settings: C,
    pub(super) command: Command,
    pub(super) matches: ArgMatches,
    /// The config file, and the keys in it.
    pub(super) file: Option<(PathBuf, BTreeSet<String>)>,
}

/// Parses the command line of this process, and with it the environment and the config file.
pub fn parse<C: Parser>() -> Result<Parsed<C>, ConfigError> {
    parse_words(&std::env::args_os().collect::<Vec<_>>())
}

fn parse_words<C: Parser>(words: &[OsString]) -> Result<Parsed<C>, ConfigError> {
    let command = with_variables(C::command());
    let matches = get_matches(&command, words)?;
    let Some(path) = matches.get_one::<PathBuf>(CONFIG).cloned() else {
        return Ok(Parsed { settings: from(&command, &matches)?, command, matches, file: None });
    };
    let (command, keys) = read(command, &path)?;
    let matches = get_matches(&command, words)?;
    Ok(Parsed { settings: from(&command, &matches)?, command, matches, file: Some((path, keys)) })
}

/// The command line with every setting's variable, for its completion script, manual page and documentation.
pub fn command<C: CommandFactory>() -> Command {
    in_help_of_serve(with_variables(C::command()))
}

fn get_matches(command: &Command, words: &[OsString]) -> Result<ArgMatches, ConfigError> {
    let matches = in_help_of_serve(command.clone()).try_get_matches_from(words);
    matches.map_err(|error| without_secrets(error, command).into())
}

fn from<C: Parser>(command: &Command, matches: &ArgMatches) -> Result<C, ConfigError> {
    C::from_arg_matches(matches).map_err(|error| error.format(&mut command.clone()).into())
}

/// An invalid value may be a password, and may come from the environment of a service, whose messages are logged.
fn without_secrets(mut error: clap::Error, command: &Command) -> clap::Error {
    let (Some(ContextValue::String(flag)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
    else {
        return error;
    };
    let long = flag.trim_start_matches('-').split([' ', '=']).next().unwrap_or_default();
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long));
    if let Some(hidden) = arg.and_then(|arg| masked(arg, value)) {
        error.insert(ContextKind::InvalidValue, ContextValue::String(hidden));
    }
    error
}

/// Hides the settings of `serve` from the help of other commands.
fn in_help_of_serve(mut command: Command) -> Command {
    fn hide(command: Command) -> Command {
        let is_of_serve = |arg: &Arg| arg.get_help_heading().is_some();
        command.mut_args(|arg| if is_of_serve(&arg) { arg.hide(true) } else { arg }).mut_subcommands(hide)
    }
    command.build();
    command.mut_subcommands(
        |command| {
            if ["serve", "config"].contains(&command.get_name()) { command } else { hide(command) }
        },
    )
}

fn read(command: Command, path: &Path) -> Result<(Command, BTreeSet<String>), ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable(path.to_owned(), error))?;
    apply(command, &text).map_err(|message| ConfigError::Invalid(path.to_owned(), message))
}
