//! The server's log: one line for each event, on standard error.
//!
//! Lines are collected briefly and written together, because a system call for each request costs more than many
//! requests do. [`lines`] says when they are written. Every line within a request has the request id.

mod access;
mod format;
mod lines;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal, Stderr};
use std::sync::Arc;
use std::{env, panic, thread};

use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::prelude::*;

use crate::config::LogFormat;
use lines::{Lines, ToLines};

/// The running log. Dropping it writes the collected lines; later lines are written at once.
#[must_use = "dropping it writes what is gathered"]
pub(crate) struct Log(Arc<Lines<Stderr>>);

/// Starts the log. `RUST_LOG` filters it by level (`debug`) or by levels of targets (`info,access=off`). If the process
/// already has a log, keeps it.
pub(crate) fn start(format: LogFormat) -> io::Result<Log> {
    let lines = Arc::new(Lines::new(io::stderr()));
    let wanted = env::var("RUST_LOG").ok().and_then(|wanted| wanted.parse().ok());
    // The MCP library would write four lines for each request, where the access line is enough. Invalid certificates of
    // other sites are not errors of this server.
    let usual = || {
        let targets = Targets::new().with_default(Level::INFO).with_target("rmcp", Level::ERROR);
        targets.with_target("rustls_platform_verifier", tracing::level_filters::LevelFilter::OFF)
    };
    let filter = wanted.unwrap_or_else(usual);
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
        write_before_panics(Arc::clone(&lines));
    }
    Ok(Log(lines))
}

/// Writes the collected lines before the panic's message, which bypasses the log.
fn write_before_panics(lines: Arc<Lines<Stderr>>) {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        lines.write_now();
        print(info);
    }));
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.close();
    }
}
