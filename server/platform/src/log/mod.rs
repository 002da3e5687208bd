//! The server's log: one line for each event, on standard error.
//!
//! Lines are collected briefly and written together, because a system call for each request costs more than many
//! requests do. `lines.rs` says when they are written. Every line within a request has the request id.

mod access;
mod format;
pub mod level;
mod lines;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal, Stderr};
use std::panic::{self, Location, PanicHookInfo};
use std::sync::Arc;
use std::thread;

use clap::ValueEnum;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::prelude::*;
use tracing_subscriber::reload;

use level::Levels;
use lines::{LogLines, ToLines};

/// The panic's message, without values.
pub fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    without_values(text.unwrap_or("no message"))
}

/// The running log. Dropping it writes the collected lines; later lines are written at once.
#[must_use = "dropping it writes what is gathered"]
pub struct Log {
    lines: Arc<LogLines<Stderr>>,
    levels: Levels,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Starts the log with the setting `log_level`, if it is given. If the process already has a log, keeps it.
pub fn start(format: LogFormat, level: Option<&str>) -> io::Result<Log> {
    let lines = Arc::new(LogLines::new(io::stderr()));
    let (filter, levels) = reload::Layer::new(level::at_start(level));
    let (log, layer) = (
        tracing_subscriber::registry().with(filter),
        tracing_subscriber::fmt::layer().with_writer(ToLines(Arc::clone(&lines))),
    );
    let started = match format {
        LogFormat::Text => {
            let layer = layer.with_ansi(io::stderr().is_terminal());
            log.with(layer.event_format(format::Text::default())).try_init().is_ok()
        }
        LogFormat::Json => {
            let layer = layer.fmt_fields(JsonFields::new());
            log.with(layer.event_format(format::Json::default())).try_init().is_ok()
        }
    };
    if started {
        let writer = Arc::clone(&lines);
        thread::Builder::new().name("log".to_owned()).spawn(move || writer.keep_writing())?;
        panic::set_hook(Box::new(log_panic));
    }
    Ok(Log { lines, levels: Levels(levels) })
}

/// Logs a panic as any other error, which also writes the collected lines.
fn log_panic(info: &PanicHookInfo<'_>) {
    let at = info.location().map(Location::to_string).unwrap_or_default();
    let thread = thread::current();
    let message = panic_message(info.payload());
    tracing::error!(target: "panic", message, at, thread = thread.name());
}

/// A panic's message up to the first value that it repeats, which may be a traveller's text. The rest is seldom needed,
/// because the place of the panic is known.
pub(crate) fn without_values(message: &str) -> &str {
    let end = message.find([':', '`', '"', ';', '\n']).unwrap_or(message.len());
    message[..end].trim_end()
}

/// A library's message up to the first text that it quotes, which may be a traveller's.
pub fn without_quotes(message: &str) -> &str {
    let end = message.find(['`', '"', '\n']).unwrap_or(message.len());
    message[..end].trim_end()
}

impl Log {
    /// Changes the level while the log runs.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.lines.close();
    }
}
