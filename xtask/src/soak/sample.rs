//! What the server uses, from `/proc` and its data folder.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Result;

/// The figures of one moment. Sizes in MB.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) at: Duration,
    /// The server's own memory: what is resident without mapped files, which the system can drop at any time.
    pub(super) memory: f64,
    pub(super) descriptors: f64,
    /// SQLite's file.
    pub(super) database: f64,
    /// SQLite's log.
    pub(super) log: f64,
    /// Images and documents.
    pub(super) files: f64,
    pub(super) requests: usize,
    pub(super) p50: Duration,
    pub(super) p99: Duration,
    /// Unexpected responses since the beginning.
    pub(super) unexpected: u64,
}

impl Sample {
    pub(super) const HEAD: &str = "| s | memory MB | descriptors | database MB | log MB | files MB | requests | p50 ms | p99 ms | unexpected |\n\
        |---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";
}

impl Display for Sample {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { at, memory, descriptors, database, log, files, requests, p50, p99, unexpected } = self;
        let [p50, p99] = [p50, p99].map(|latency| latency.as_secs_f64() * 1e3);
        write!(
            f,
            "| {} | {memory:.1} | {descriptors:.0} | {database:.1} | {log:.1} | {files:.1} | {requests} | {p50:.2} | \
             {p99:.1} | {unexpected} |",
            at.as_secs()
        )
    }
}

/// The watched server.
pub(super) struct Watched {
    process: PathBuf,
    data: PathBuf,
}

impl Watched {
    pub(super) fn new(process: u32, data: PathBuf) -> Self {
        Self { process: PathBuf::from(format!("/proc/{process}")), data }
    }

    pub(super) fn sample(&mut self, at: Duration, mut latencies: Vec<u32>, unexpected: u64) -> Result<Sample> {
        latencies.sort_unstable();
        let percentile = |percent: usize| {
            let micros = latencies.get(latencies.len() * percent / 100).copied().unwrap_or_default();
            Duration::from_micros(micros.into())
        };
        let status = fs::read_to_string(self.process.join("status"))?;
        let descriptors = fs::read_dir(self.process.join("fd"))?.count();
        Ok(Sample {
            at,
            memory: own(&status).ok_or("no RssAnon in /proc")?,
            descriptors: u32::try_from(descriptors)?.into(),
            database: megabytes(size(&self.data.join("itinerary.db"))),
            log: megabytes(size(&self.data.join("itinerary.db-wal"))),
            files: megabytes(size(&self.data.join("files"))),
            requests: latencies.len(),
            p50: percentile(50),
            p99: percentile(99),
            unexpected,
        })
    }
}

/// Resident memory without files in MB, from the text of `/proc/PID/status`.
fn own(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(megabytes(kilobytes * 1024))
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The size of a file, or of all files in a folder; 0 if there is none.
fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else { return fs::metadata(path).map_or(0, |file| file.len()) };
    entries.flatten().map(|entry| size(&entry.path())).sum()
}

/// The slope of a figure per hour, by least squares.
pub(super) fn slope(samples: &[Sample], figure: impl Fn(&Sample) -> f64) -> f64 {
    let points: Vec<_> = samples.iter().map(|sample| (sample.at.as_secs_f64() / 3600.0, figure(sample))).collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / count(points.len());
    let (time, value) =
        (mean(&mut points.iter().map(|(at, _)| *at)), mean(&mut points.iter().map(|(_, value)| *value)));
    let covariance: f64 = points.iter().map(|(at, one)| (at - time) * (one - value)).sum();
    let variance: f64 = points.iter().map(|(at, _)| (at - time).powi(2)).sum();
    if variance > 0.0 { covariance / variance } else { 0.0 }
}

/// The difference between the means of the last and the first quarter.
pub(super) fn growth(samples: &[Sample], figure: impl Fn(&Sample) -> f64) -> f64 {
    let quarter = samples.len().div_ceil(4);
    let mean = |some: &[Sample]| some.iter().map(&figure).sum::<f64>() / count(some.len());
    mean(&samples[samples.len() - quarter..]) - mean(&samples[..quarter])
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(memory: impl Fn(u32) -> f64) -> Vec<Sample> {
        let one =
            |n: u32| Sample { at: Duration::from_secs(u64::from(n) * 10), memory: memory(n), ..Sample::default() };
        (60..180).map(one).collect()
    }

    #[test]
    fn the_slope_is_per_hour() {
        let rising = samples(|n| 100.0 + f64::from(n) * 10.0 / 3600.0 * 7.0);
        assert!((slope(&rising, |sample| sample.memory) - 7.0).abs() < 1e-6);
        // A step up and down again is no slope.
        let even = samples(|n| if n % 2 == 0 { 90.0 } else { 110.0 });
        assert!(slope(&even, |sample| sample.memory).abs() < 5.0);
        assert!(slope(&rising[..1], |sample| sample.memory).abs() < f64::EPSILON);
        assert!(slope(&[], |sample| sample.memory).abs() < f64::EPSILON);
    }

    #[test]
    fn growth_is_the_difference_of_the_ends() {
        let rising = samples(|n| if n < 120 { 10.0 } else { 30.0 });
        assert!((growth(&rising, |sample| sample.memory) - 20.0).abs() < 1e-9);
        assert!(growth(&[], |sample| sample.memory).abs() < f64::EPSILON);
    }

    #[test]
    fn memory_is_read_from_the_status() {
        assert_eq!(own("VmRSS:\t 9 kB\nRssAnon:\t  2000 kB\n"), Some(2.048));
        assert_eq!(own("VmRSS:\t 9 kB\n"), None);
    }
}
