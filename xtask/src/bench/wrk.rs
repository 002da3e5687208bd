//! Runs wrk and reads the report of its script.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use super::Result;

/// The end of every script: prints the summary as one line of JSON, so that wrk's text output need not be parsed.
pub(crate) const REPORT: &str = r#"
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"microseconds":%d,"requests":%d,"socketErrors":%d,"refused":%d,"p50":%d,"p99":%d}\n',
    summary.duration, summary.requests, errors.connect + errors.read + errors.write + errors.timeout,
    errors.status, latency:percentile(50), latency:percentile(99)))
end
"#;

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Outcome {
    microseconds: u64,
    /// The number of responses.
    pub(crate) requests: u64,
    socket_errors: u64,
    /// The number of responses with a status of 400 or more.
    refused: u64,
    /// Median latency in microseconds.
    pub(crate) p50: u64,
    /// 99th percentile of the latency in microseconds.
    pub(crate) p99: u64,
}

impl Outcome {
    /// Responses per second.
    #[expect(clippy::cast_precision_loss, reason = "counts of a few minutes are far below 2^52")]
    pub(crate) fn per_second(&self) -> f64 {
        self.requests as f64 * 1e6 / self.microseconds as f64
    }

    /// Fails if a connection broke or a response had an unexpected status.
    pub(crate) fn check(&self, refusal_expected: bool) -> std::result::Result<(), String> {
        let Self { requests, socket_errors, refused, .. } = *self;
        let expected = if refusal_expected { requests } else { 0 };
        if requests == 0 || self.microseconds == 0 {
            return Err("no request was answered".to_owned());
        }
        if socket_errors > 0 {
            return Err(format!("{socket_errors} connections failed or timed out beside {requests} answers"));
        }
        if refused != expected {
            return Err(format!("{refused} of {requests} answers had a status of 400 or more, expected {expected}"));
        }
        Ok(())
    }
}

/// Whether wrk is installed.
pub(crate) fn is_installed() -> bool {
    // Prints the version; the exit code does not matter.
    Command::new("wrk").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// The number of threads for a number of connections: at most half of the processors, so that the server has the other
/// half.
pub(crate) fn threads(connections: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (processors / 2).clamp(1, 4).min(connections)
}

/// Sends a script's requests to a host and port for a while.
pub(crate) fn run(
    address: &str,
    script: &Path,
    threads: usize,
    connections: usize,
    duration: Duration,
) -> Result<Outcome> {
    let output = Command::new("wrk")
        .args(["--threads", &threads.to_string(), "--connections", &connections.to_string()])
        .args(["--duration", &format!("{}s", duration.as_secs()), "--timeout", "10s", "--latency", "--script"])
        .arg(script)
        .arg(format!("http://{address}"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("wrk: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr)).into());
    }
    parse(&text)
}

fn parse(output: &str) -> Result<Outcome> {
    let line = output.lines().rev().find(|line| line.starts_with('{'));
    let line = line.ok_or_else(|| format!("wrk's script reported nothing:\n{output}"))?;
    Ok(serde_json::from_str(line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = r#"Running 1s test @ http://127.0.0.1:1
  1 threads and 1 connections
Requests/sec:  12000.00

{"microseconds":1000000,"requests":12000,"socketErrors":0,"refused":0,"p50":70,"p99":190}
"#;

    #[test]
    fn the_report_is_found_among_the_words() {
        let outcome = parse(OUTPUT).expect("a report");
        assert_eq!((outcome.requests, outcome.p50, outcome.p99), (12_000, 70, 190));
        assert!((outcome.per_second() - 12_000.0).abs() < f64::EPSILON);
        assert!(parse("Running 1s test\n").is_err());
        assert!(parse("{\"requests\":1}").is_err());
    }

    #[test]
    fn unexpected_responses_and_lost_connections_are_errors() {
        let good = parse(OUTPUT).expect("a report");
        assert_eq!(good.check(false), Ok(()));
        assert!(good.check(true).is_err(), "a 401 was expected, and there was none");
        let refused = Outcome { refused: 12_000, ..good.clone() };
        assert_eq!(refused.check(true), Ok(()));
        assert!(refused.check(false).is_err());
        assert!(Outcome { refused: 1, ..good.clone() }.check(false).is_err());
        assert!(Outcome { refused: 11_999, ..good.clone() }.check(true).is_err());
        assert!(Outcome { socket_errors: 1, ..good.clone() }.check(false).is_err());
        assert!(Outcome { requests: 0, ..good }.check(false).is_err());
    }

    #[test]
    fn load_has_a_thread_and_never_more_than_connections() {
        assert_eq!(threads(1), 1);
        assert!((1..=4).contains(&threads(64)));
    }
}
