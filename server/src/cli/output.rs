//! What commands print: text, JSON, or only what scripts need.

use std::io::{self, Write as _};

use clap::{ArgAction, Args};
use serde_json::Value;

use super::CliResult;

/// How commands print.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Output {
    /// Print JSON: one object, or one line for each entry of a list; errors too
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    #[arg(action = ArgAction::Set, hide_default_value = true, hide_possible_values = true)]
    pub(super) json: bool,
    /// Print names and secrets only, or nothing
    #[arg(long, short, num_args = 0..=1, require_equals = true, default_missing_value = "true", default_value = "false")]
    #[arg(action = ArgAction::Set, hide_default_value = true, hide_possible_values = true)]
    pub(super) quiet: bool,
}

impl Output {
    /// How errors of the arguments themselves are printed, which could not be parsed then.
    pub(super) fn by_words(words: impl Iterator<Item = std::ffi::OsString>) -> Self {
        let mut flags = words.take_while(|word| word != "--");
        let is_variable = std::env::var("ITINERARY_JSON").is_ok_and(|value| value == "true");
        let json = flags.any(|word| word == "--json" || word == "--json=true") || is_variable;
        Self { json, quiet: false }
    }

    /// Prints an outcome, or an entry of a list. `short` is for `--quiet`; if empty, nothing is printed then.
    pub(super) fn print(self, value: &Value, short: &str, text: &str) -> CliResult {
        match self {
            Self { json: true, .. } => print(&value.to_string()),
            Self { quiet: true, .. } if short.is_empty() => Ok(()),
            Self { quiet: true, .. } => print(short),
            _ => print(text),
        }
    }

    /// Prints text for people.
    pub(super) fn say(self, text: &str) -> CliResult {
        if self.json || self.quiet { Ok(()) } else { print(text) }
    }

    /// Prints why the command failed, on standard error.
    pub(super) fn fail(self, message: &str) {
        // If standard error is closed, nobody can be told.
        let _ = if self.json {
            writeln!(io::stderr(), "{}", serde_json::json!({ "error": { "message": message } }))
        } else {
            writeln!(io::stderr(), "itinerary-server: {message}")
        };
    }
}

impl Output {
    /// Prints a warning on standard error.
    pub(super) fn warn(self, message: &str) {
        if !self.quiet {
            // If standard error is closed, nobody can be told.
            let _ = writeln!(io::stderr(), "itinerary-server: warning: {message}");
        }
    }
}

/// Prints lines on standard output. Unlike `println!`, does not panic if it is closed.
pub(super) fn print(text: &str) -> CliResult {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{text}")?;
    Ok(stdout.flush()?)
}

/// Whether an error only says that the reader of a pipe has seen enough.
pub(super) fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
