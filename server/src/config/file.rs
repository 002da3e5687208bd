//! Reads the settings: command line, environment and config file.
//!
//! Every flag also has a variable and a key, so none is listed twice. The file's values replace the flags' defaults; the
//! flags' own parsers check them.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgMatches, Command, CommandFactory, Parser, value_parser};
use itinerary_core::legs::Speeds;
use toml::{Table, Value};

/// Why the settings cannot be used. No message repeats a flag's value from the file: it may be a password.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The config file cannot be read.
    #[error("the config file {0} cannot be read: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The config file is invalid.
    #[error("the config file {0} is invalid: {1}")]
    Invalid(PathBuf, String),
    /// The address has no port, and no base URL says how the server is reached.
    #[error("`listen` with port 0 needs `base_url`, because the port is not known in advance")]
    NoPort,
    /// One of the settings of TLS without the other.
    #[error("`{0}` needs `{1}`")]
    TlsNeeds(&'static str, &'static str),
    /// The server speaks TLS, but its base URL says otherwise.
    #[error("`base_url` must begin with https://, because `tls_certificate` is set")]
    TlsNeedsHttps,
}

/// Parses the command line of this process, and with it the environment and the config file. Exits the process if the command
/// line or a variable is invalid. The speeds are the file's table `[legs]`.
pub fn parse<C: Parser>() -> Result<(C, Speeds), ConfigError> {
    let command = with_variables(C::command());
    let matches = in_help_of_serve(command.clone()).get_matches();
    let Some(path) = matches.get_one::<PathBuf>("config") else { return Ok((from(&matches), Speeds::default())) };
    let (command, speeds) = read(command, path)?;
    Ok((from(&in_help_of_serve(command).get_matches()), speeds))
}

/// The command line with every flag's variable, for its completion script and manual page.
pub fn command<C: CommandFactory>() -> Command {
    in_help_of_serve(with_variables(C::command()))
}

fn from<C: Parser>(matches: &ArgMatches) -> C {
    C::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

/// Gives each flag its variable, and accepts it before or after the command.
pub(super) fn with_variables(command: Command) -> Command {
    let file = Arg::new("config").long("config").value_name("FILE").value_parser(value_parser!(PathBuf));
    let file = file.help("A TOML file with settings: the flags' names with _ for -");
    command.arg(file).mut_args(|arg| {
        let variable = format!("ITINERARY_{}", key(&arg).to_uppercase());
        arg.env(variable).global(true)
    })
}

/// A flag's key in the config file.
fn key(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// Hides the settings of `serve` from the help of other commands.
fn in_help_of_serve(mut command: Command) -> Command {
    fn hide(command: Command) -> Command {
        let is_of_serve = |arg: &Arg| arg.get_help_heading().is_some();
        command.mut_args(|arg| if is_of_serve(&arg) { arg.hide(true) } else { arg }).mut_subcommands(hide)
    }
    command.build();
    command.mut_subcommands(|command| if command.get_name() == "serve" { command } else { hide(command) })
}

fn read(command: Command, path: &Path) -> Result<(Command, Speeds), ConfigError> {
    let text = std::fs::read_to_string(path).map_err(|error| ConfigError::Unreadable(path.to_owned(), error))?;
    apply(command, &text).map_err(|message| ConfigError::Invalid(path.to_owned(), message))
}

/// Replaces the flags' defaults by the values of a config file. The keys of a table have its name before them: `[oauth]
/// strict_refresh` is `oauth_strict_refresh`.
pub(super) fn apply(mut command: Command, text: &str) -> Result<(Command, Speeds), String> {
    let mut table: Table = toml::from_str(text).map_err(|error| syntax(&error, text))?;
    let legs = table.remove("legs").unwrap_or_else(|| Table::new().into());
    let speeds: Speeds =
        legs.try_into().map_err(|error: toml::de::Error| format!("[legs]: {error}").trim_end().replace('\n', " "))?;
    if !speeds.are_usable() {
        return Err("[legs]: kmh must be more than 0, detour at least 1, and no number negative".to_owned());
    }
    for (name, value) in table {
        let values = match value {
            Value::Table(table) => table.into_iter().map(|(key, value)| (format!("{name}_{key}"), value)).collect(),
            value => vec![(name, value)],
        };
        for (name, value) in values {
            command = set(command, &name, &value)?;
        }
    }
    Ok((command, speeds))
}

fn set(command: Command, name: &str, value: &Value) -> Result<Command, String> {
    let flag = command.get_arguments().find(|arg| key(arg) == name && name != "config");
    let Some(flag) = flag else { return Err(unknown(command, name)) };
    let words: Option<Vec<String>> = match value {
        Value::Array(values) if flag.get_value_delimiter().is_some() => values.iter().map(word).collect(),
        value => word(value).map(|word| vec![word]),
    };
    let words = words.ok_or_else(|| {
        format!("`{name}` must be a string, a number or a boolean, or an array of them if it is a list")
    })?;
    let (id, long) = (flag.get_id().clone(), name.replace('_', "-"));
    let line = words.iter().map(|word| format!("--{long}={word}"));
    let tried = command.clone().try_get_matches_from([command.get_name().to_owned()].into_iter().chain(line));
    tried.map_err(|error| format!("`{name}`: {}", reason(&error)))?;
    Ok(command.mut_arg(id, |arg| arg.default_values(words)))
}

/// The value as text for the command line.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => Some(value.to_string()),
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => None,
    }
}

fn unknown(command: Command, name: &str) -> String {
    let line = [command.get_name().to_owned(), format!("--{}", name.replace('_', "-"))];
    let error = command.try_get_matches_from(line).err();
    match error.as_ref().and_then(|error| error.get(ContextKind::SuggestedArg)) {
        Some(ContextValue::String(flag)) => {
            let similar = flag.trim_start_matches('-').replace('-', "_");
            format!("there is no key `{name}`; did you mean `{similar}`?")
        }
        _ => format!("there is no key `{name}`"),
    }
}

/// The reason why a flag's value is invalid, without the value.
fn reason(error: &clap::Error) -> String {
    match (error.get(ContextKind::ValidValue), error.source()) {
        (Some(ContextValue::Strings(valid)), _) if !valid.is_empty() => format!("must be one of {}", valid.join(", ")),
        (_, Some(source)) => source.to_string(),
        _ => "must not be empty".to_owned(),
    }
}

/// A syntax error with its line, without the file's text.
fn syntax(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, error.message())
}
