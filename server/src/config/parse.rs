//! Parses the settings of this process: command line, environment and config file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Command, CommandFactory, Parser};
use itinerary_platform::settings::SettingsError;

use super::effective::masked;
use super::file::apply;
use super::names::{CONFIG, key, with_variables};

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

/// The command line with all settings, for its completion script, manual page and documentation.
pub fn command<C: CommandFactory>() -> Command {
    with_variables(C::command())
}

fn get_matches(command: &Command, words: &[OsString]) -> Result<ArgMatches, ConfigError> {
    let matches = with_short_help(command.clone()).try_get_matches_from(words);
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

/// The settings that the help of every command lists.
const COMMON: [&str; 5] = ["data", "database_url", "config", "json", "quiet"];
/// The settings of `serve` that its short help and the program's list.
const OF_SERVE: [&str; 2] = ["listen", "base_url"];
/// Where the other settings are.
const MORE: &str = "Settings are also environment variables: --data is ITINERARY_DATA. See all in\n\
    docs/operating/settings.md, and most in `itinerary-server serve --help`.";

/// Limits the help of each command to its own options and the settings that most callers need. `serve --help` lists all
/// settings except those of estimated legs, which are numbers for the config file.
fn with_short_help(mut command: Command) -> Command {
    fn hide(command: Command) -> Command {
        let is_own = |arg: &Arg| arg.get_env().is_none() || COMMON.contains(&&*key(arg));
        let command = command.mut_args(|arg| if is_own(&arg) { arg } else { arg.hide(true) });
        command.after_help(MORE).mut_subcommands(hide)
    }
    command.build();
    let is_of_serve = |arg: &Arg| arg.get_env().is_none() || [&COMMON[..], &OF_SERVE].concat().contains(&&*key(arg));
    let exit_codes = command.get_after_long_help().map(|codes| format!("{MORE}\n\n{codes}")).unwrap_or_default();
    let command = command.after_help(MORE).after_long_help(exit_codes);
    let command = command.mut_args(|arg| if is_of_serve(&arg) { arg } else { arg.hide(true) });
    command.mut_subcommands(|command| match command.get_name() {
        "serve" => command.after_help(MORE).mut_args(|arg| {
            let is_leg = key(&arg).starts_with("legs_");
            if is_of_serve(&arg) { arg } else { arg.hide_short_help(true).hide(is_leg) }
        }),
        _ => hide(command),
    })
}

fn read(command: Command, path: &Path) -> Result<(Command, BTreeSet<String>), ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable(path.to_owned(), error))?;
    apply(command, &text).map_err(|message| ConfigError::Invalid(path.to_owned(), message))
}
