//! The command line.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::report::source;
use crate::runner::{is_selected, run};
use crate::{Options, junit, rows};

/// Exit code: every row passed or was skipped.
const PASSED: u8 = 0;
/// Exit code: at least one row failed.
const FAILED: u8 = 1;
/// Exit code: the rows could not be checked, or not all of them.
const NOT_RUN: u8 = 2;

/// Checks a server of the itinerary API against the specification, over HTTP alone.
///
/// Without --token, travellers sign up through the server's pages. What a run creates is deleted at its end, except for
/// at most four registered clients, which no operation deletes.
#[derive(Parser)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(
    version,
    after_help = "Exit codes: 0 all rows passed or were skipped, 1 a row failed, 2 the rows could not be checked."
)]
pub struct Arguments {
    /// The URL of the server
    #[arg(long, value_name = "URL", required_unless_present = "list", env = "CONFORMANCE_BASE_URL")]
    base_url: Option<String>,
    /// Another URL of the same service; requests to /v1 take turns. Can be repeated
    #[arg(long = "replica", value_name = "URL")]
    replicas: Vec<String>,
    /// An access token of a traveller, with all scopes. Can be repeated
    #[arg(
        long = "token",
        value_name = "TOKEN",
        env = "CONFORMANCE_TOKEN",
        hide_env_values = true,
        value_delimiter = ','
    )]
    tokens: Vec<String>,
    /// An access token of another traveller. Can be repeated
    #[arg(
        long = "second-token",
        value_name = "TOKEN",
        env = "CONFORMANCE_SECOND_TOKEN",
        hide_env_values = true,
        value_delimiter = ',',
        requires = "tokens"
    )]
    second_tokens: Vec<String>,
    /// An access token of a traveller with Pro. Can be repeated
    #[arg(
        long = "pro-token",
        value_name = "TOKEN",
        env = "CONFORMANCE_PRO_TOKEN",
        hide_env_values = true,
        value_delimiter = ','
    )]
    pro_tokens: Vec<String>,
    /// The server's rate limits are off: rows that exceed them are skipped
    #[arg(long)]
    limits_off: bool,
    /// Fail if a response has a field that the OpenAPI document does not declare, instead of warning
    #[arg(long)]
    strict: bool,
    /// The server's integrations are paused: check only the rows about that, with --token
    #[arg(long, requires = "tokens")]
    paused: bool,
    /// Check only rows with this id, or whose ids begin with it and a dot; * stands for any text. Can be repeated
    #[arg(long, value_name = "PATTERN")]
    only: Vec<String>,
    /// Print the rows instead of checking them
    #[arg(long)]
    list: bool,
    /// Write a report as JUnit XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Runs the command.
pub async fn main(arguments: Arguments) -> ExitCode {
    if arguments.list {
        let mut list = String::new();
        for row in rows::all().iter().filter(|row| is_selected(&row.id, &arguments.only)) {
            _ = writeln!(list, "{}\n    {} ({})", row.id, row.promise, source(&row.section));
        }
        print(&list);
        return ExitCode::from(PASSED);
    }
    match check(&arguments).await {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(NOT_RUN)
        }
    }
}

async fn check(arguments: &Arguments) -> Result<u8, String> {
    let options = Options {
        replicas: arguments.replicas.clone(),
        tokens: arguments.tokens.clone(),
        second_tokens: arguments.second_tokens.clone(),
        pro_tokens: arguments.pro_tokens.clone(),
        limits: !arguments.limits_off,
        strict: arguments.strict,
        paused: arguments.paused,
        only: arguments.only.clone(),
        ..Options::new(arguments.base_url.as_deref().unwrap_or_default())
    };
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        eprintln!("Interrupted: deleting what was created");
    };
    let report = run(&options, rows::all(), interrupted).await?;
    print(&report.to_string());
    if let Some(file) = &arguments.junit {
        fs::write(file, junit::xml(&report)).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    if let Some(file) = &arguments.json {
        let json = report.to_json().map_err(|error| error.to_string())?;
        fs::write(file, json).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let failed = report.failed().count() > 0;
    Ok(if failed {
        FAILED
    } else if report.interrupted {
        NOT_RUN
    } else {
        PASSED
    })
}

/// Prints to standard output. A reader such as `head` may close it early.
fn print(text: &str) {
    _ = io::stdout().write_all(text.as_bytes());
}
