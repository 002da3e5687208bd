//! Environment variables that look like settings but are not.

use clap::Command;

use super::names::{PREFIX, most_similar};

/// Variables of the command line for travellers, `itinerary`, which may run in the same environment.
const OTHERS: [&str; 3] = ["ITINERARY_SERVER", "ITINERARY_TOKEN", "ITINERARY_PROFILE"];

/// A warning for each variable `ITINERARY_…` of this process that is no setting. A warning and no error, because wrappers
/// and other programs use the prefix too. Contains no values: one may be a password.
pub fn unknown_variables(command: &Command) -> Vec<String> {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    unknown(command, names)
}

pub(super) fn unknown(command: &Command, names: impl Iterator<Item = String>) -> Vec<String> {
    let known: Vec<&str> = command.get_arguments().filter_map(|arg| arg.get_env()?.to_str()).collect();
    let is_unknown =
        |name: &String| name.starts_with(PREFIX) && !known.contains(&name.as_str()) && !OTHERS.contains(&name.as_str());
    let mut names: Vec<String> = names.filter(is_unknown).collect();
    names.sort_unstable();
    // Without the prefix, which makes all names similar.
    let own: Vec<&str> = known.iter().filter_map(|name| name.strip_prefix(PREFIX)).collect();
    let warning = |name: String| match most_similar(name.trim_start_matches(PREFIX), own.iter().copied()) {
        Some(similar) => format!("the environment variable {name} is not a setting; did you mean {PREFIX}{similar}?"),
        None => format!("the environment variable {name} is not a setting"),
    };
    names.into_iter().map(warning).collect()
}
