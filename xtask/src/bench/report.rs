//! The table.

use std::fmt::Write as _;
use std::time::Duration;

use super::cpu;
use super::wrk::Outcome;

/// The figures of one server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Side {
    per_second: f64,
    p50: Duration,
    p99: Duration,
    /// CPU time per request in µs, of the server's process.
    cpu: Option<f64>,
    /// The same for the database's processes.
    database_cpu: Option<f64>,
}

impl Side {
    /// From a run and the CPU times before and after it.
    pub(crate) fn new(outcome: &Outcome, before: cpu::Used, after: cpu::Used) -> Self {
        let each = |before: Option<Duration>, after: Option<Duration>| {
            #[expect(clippy::cast_precision_loss, reason = "counts of a few minutes are far below 2^52")]
            Some(after?.saturating_sub(before?).as_secs_f64() * 1e6 / outcome.requests as f64)
        };
        Self {
            per_second: outcome.per_second(),
            p50: Duration::from_micros(outcome.p50),
            p99: Duration::from_micros(outcome.p99),
            cpu: each(before.server, after.server),
            database_cpu: each(before.database, after.database),
        }
    }
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// The database.
    pub(crate) database: &'static str,
    pub(crate) program: String,
    pub(crate) request: &'static str,
    /// The number of concurrent connections.
    pub(crate) connections: usize,
    /// The length of the response's body.
    pub(crate) bytes: usize,
    /// The real server.
    pub(crate) server: Side,
    /// The bare server.
    pub(crate) bare: Side,
}

const HEAD: &str = "\
| database | server | request | answer bytes | connections | requests/s | CPU µs/request | database CPU µs/request \
| bare hyper requests/s | bare hyper CPU µs/request | throughput ÷ bare | CPU ÷ bare | p50 | p99 |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// All lines as one Markdown table, with a line about the measurement.
pub(crate) fn markdown(cells: &[Cell], seconds: u64) -> String {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut text = format!(
        "Each line: {seconds} s of wrk on this machine's {processors} processors, which it shares with the server; \
         then the same load on a bare hyper server that gives the same answer. With one connection all figures depend \
         on whether the system lets both ends share a processor: judge by 64.\n\n{HEAD}"
    );
    for cell in cells {
        let (server, bare) = (&cell.server, &cell.bare);
        let ratio = server.cpu.zip(bare.cpu).map(|(ours, theirs)| ours / theirs);
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.0} | {} | {} | {:.0} | {} | {:.2} | {} | {} | {} |",
            cell.database,
            cell.program,
            cell.request,
            cell.bytes,
            cell.connections,
            server.per_second,
            number(server.cpu),
            number(server.database_cpu),
            bare.per_second,
            number(bare.cpu),
            server.per_second / bare.per_second,
            ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
            latency(server.p50),
            latency(server.p99),
        )
        .expect("writing to a string");
    }
    text
}

/// A time in a suitable unit.
pub(super) fn latency(time: Duration) -> String {
    match time.as_micros() {
        micros @ ..1_000 => format!("{micros} µs"),
        _ => format!("{:.2} ms", time.as_secs_f64() * 1e3),
    }
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(per_second: f64, cpu: Option<f64>) -> Side {
        let (p50, p99) = (Duration::from_micros(80), Duration::from_micros(1_540));
        Side { per_second, p50, p99, cpu, database_cpu: None }
    }

    #[test]
    fn a_line_has_both_ratios() {
        let (server, bare) = (side(12_000.4, Some(18.25)), side(48_000.0, Some(7.3)));
        let (database, program, request) = ("sqlite", "new".to_owned(), "get-8k");
        let cell = Cell { database, program, request, connections: 64, bytes: 8_600, server, bare };
        let table = markdown(std::slice::from_ref(&cell), 5);
        let line = table.lines().last().expect("a line");
        let expected =
            "| sqlite | new | get-8k | 8600 | 64 | 12000 | 18.2 | – | 48000 | 7.3 | 0.25 | 2.50 | 80 µs | 1.54 ms |";
        assert_eq!(line, expected);
        let columns = |line: &str| line.matches('|').count();
        assert!(table.lines().filter(|line| line.starts_with('|')).all(|row| columns(row) == columns(line)));
        let unknown = Cell { server: side(1.0, None), ..cell };
        assert!(markdown(&[unknown], 5).trim_end().ends_with("| 0.00 | – | 80 µs | 1.54 ms |"));
    }

    #[test]
    fn processor_time_is_shared_among_the_requests() {
        let outcome: Outcome = serde_json::from_str(
            r#"{"microseconds":2000000,"requests":1000,"socketErrors":0,"refused":0,"p50":1,"p99":2}"#,
        )
        .expect("an outcome");
        let used = |millis| cpu::Used { server: Some(Duration::from_millis(millis)), database: None };
        let side = Side::new(&outcome, used(100), used(125));
        assert_eq!(side.cpu.map(f64::round), Some(25.0));
        assert_eq!(side.database_cpu, None);
    }
}
