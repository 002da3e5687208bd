//! The rule for names: a setting's key is its flag's name with `_` for `-`, and its variable is `ITINERARY_` and the key in
//! upper case. There are no exceptions, so no name is written twice.
//!
//! Only settings have variables and keys. The options of a single command, such as `--retry-after`, say what this one call
//! does: a forgotten variable must not change that.

use std::path::PathBuf;

use clap::{Arg, Command, value_parser};

/// How every variable begins.
pub(super) const PREFIX: &str = "ITINERARY_";

/// The flag that names the config file. It has a variable, but no key.
pub(super) const CONFIG: &str = "config";

/// Gives each setting its variable, and accepts it before or after the command.
pub(super) fn with_variables(command: Command) -> Command {
    let file = Arg::new(CONFIG).long(CONFIG).value_name("FILE").value_parser(value_parser!(PathBuf));
    let file = file.help_heading(None::<&str>).help("A TOML file with settings: the flags' names with _ for -");
    command.arg(file).mut_args(|arg| {
        let variable = variable(&key(&arg));
        // A URL may contain a password.
        let is_hidden = arg.is_hide_env_values_set() || is_url(&arg);
        // The help says the rule once.
        arg.env(variable).hide_env(true).hide_env_values(is_hidden).global(true)
    })
}

/// A setting's key in the config file.
pub(super) fn key(arg: &Arg) -> String {
    arg.get_long().unwrap_or_default().replace('-', "_")
}

/// A key's environment variable.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase())
}

/// The settings among the arguments of the program.
pub(super) fn settings(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| arg.get_env().is_some() && arg.get_id() != CONFIG)
}

/// Whether the value is a URL by its placeholder in the help.
pub(super) fn is_url(arg: &Arg) -> bool {
    arg.get_value_names().unwrap_or_default().iter().any(|name| name.contains("URL"))
}

/// The name that is most similar to a misspelt one, if any is similar.
pub(super) fn most_similar<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let scored = names.map(|known| (strsim::jaro_winkler(name, known), known));
    let similar = scored.filter(|(score, _)| *score > 0.85);
    similar.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}
