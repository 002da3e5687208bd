//! `cargo xtask soak`: drives a server for a long time and watches its memory, files and answers.
//!
//! Travellers sign up through the pages, and each works on its own itineraries through the public API: reads, changes,
//! lists, Explore, likes, exports, sealed documents, covers, MCP calls, refreshed and revoked tokens, new codes. They
//! delete what they make, so that the data stays as large as it is. The load is half of what server and clients reach
//! together on this machine. The run fails if memory or descriptors grow, if SQLite's log is too large, or if an answer
//! is not the expected one.

mod sample;
mod traveller;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use conformance::service::Service;
use tokio::task::JoinSet;

use crate::bench::process::{self, Database, Program, Server};
use sample::{Sample, Watched};
use traveller::Traveller;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// The time between samples.
const EVERY: Duration = Duration::from_secs(10);
/// How long the clients send as fast as they can, to find out the capacity: first a warm-up, then the measurement.
const FULL_LOAD: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(20)];
/// The minutes after which memory is judged; of a shorter run the first third.
const SETTLING: u64 = 10;
/// The shortest run in which the slope of memory is judged, in minutes.
const JUDGED_FROM: u64 = 20;
/// The number of unexpected answers that are printed for each kind of act.
const SHOWN: u64 = 3;

/// Options of `cargo xtask soak`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Minutes of load
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    minutes: u64,
    /// Requests per second. Default: half of what the server reaches
    #[arg(long, value_name = "NUMBER")]
    rate: Option<f64>,
    /// Number of travellers, each of whom sends one request at a time
    #[arg(long, default_value_t = 12, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..=500))]
    travellers: u64,
    /// Run this server program instead of building one in the profile `release`
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
    /// An empty PostgreSQL database. Default: SQLite
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    /// The highest allowed growth of memory, in MB per hour
    #[arg(long, default_value_t = 5.0, value_name = "NUMBER")]
    most_growth: f64,
    /// The largest allowed log of SQLite, in MB
    #[arg(long, default_value_t = 64.0, value_name = "NUMBER")]
    most_log: f64,
}

/// Runs the load, prints the samples as a table, and fails if something was wrong.
pub(crate) fn run(args: &Args) -> Result<()> {
    let given: Vec<_> = args.server.iter().cloned().collect();
    let binaries = process::build(&given, false).map_err(|error| error.to_string())?;
    let scratch = tempfile::Builder::new().prefix("itinerary-soak-").tempdir()?;
    let server =
        start(args, binaries.servers.first().ok_or("no server")?, scratch.path()).map_err(|error| error.to_string())?;
    tokio::runtime::Runtime::new()?.block_on(soak(args, &server))
}

/// A server on a database with demo data.
fn start(args: &Args, program: &Program, folder: &Path) -> std::result::Result<Server, Box<dyn Error>> {
    let database = || match &args.database_url {
        Some(url) => Database::elsewhere(url.clone()),
        None => Database::sqlite(),
    };
    Server::fill(program, &database(), folder, &[])?;
    Server::start(program, database(), None, folder)
}

/// What all travellers share.
struct Shared {
    /// Requests per second of each traveller, as its bits; 0 for as many as possible.
    rate: AtomicU64,
    ended: AtomicBool,
    /// The latencies since the last sample, in microseconds.
    latencies: Mutex<Vec<u32>>,
    requests: AtomicU64,
    unexpected: AtomicU64,
    /// The number of unexpected answers by act.
    reported: Mutex<BTreeMap<String, u64>>,
}

impl Shared {
    fn set_rate(&self, rate: f64) {
        self.rate.store(rate.to_bits(), Ordering::Relaxed);
    }

    /// The time between two requests of a traveller.
    fn pause(&self) -> Duration {
        let rate = f64::from_bits(self.rate.load(Ordering::Relaxed));
        if rate > 0.0 { Duration::from_secs_f64(1.0 / rate) } else { Duration::ZERO }
    }

    fn count(&self, latency: Duration) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let micros = u32::try_from(latency.as_micros()).unwrap_or(u32::MAX);
        self.latencies.lock().unwrap_or_else(PoisonError::into_inner).push(micros);
    }

    fn report(&self, act: &str, error: &str) {
        self.unexpected.fetch_add(1, Ordering::Relaxed);
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let of_this_act = reported.entry(act.to_owned()).or_default();
        *of_this_act += 1;
        if *of_this_act <= SHOWN {
            eprintln!("unexpected: {act}: {error}");
        }
    }

    fn take_latencies(&self) -> Vec<u32> {
        std::mem::take(&mut *self.latencies.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

async fn soak(args: &Args, server: &Server) -> Result<()> {
    let service = Service::new(&format!("http://{}", server.address), &[])?;
    let shared = Arc::new(Shared {
        rate: AtomicU64::new(0),
        ended: AtomicBool::new(false),
        latencies: Mutex::default(),
        requests: AtomicU64::new(0),
        unexpected: AtomicU64::new(0),
        reported: Mutex::default(),
    });
    let mut travellers = JoinSet::new();
    for number in 0..args.travellers {
        let traveller = Traveller::sign_up(&service, server, Arc::clone(&shared), number).await?;
        travellers.spawn(traveller.work());
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred travellers")]
    let people = args.travellers as f64;
    let rate = match args.rate {
        Some(rate) => rate,
        None => capacity(&shared).await / 2.0,
    };
    shared.set_rate(rate / people);
    println!("{} travellers, {rate:.0} requests per second for {} minutes\n", args.travellers, args.minutes);
    println!("{}", Sample::HEAD);

    let mut watched = Watched::new(server.id(), server.folder.join("data"));
    let began = Instant::now();
    let (end, mut samples) = (Duration::from_mins(args.minutes), Vec::new());
    shared.take_latencies();
    while began.elapsed() < end {
        tokio::time::sleep(EVERY.min(end.saturating_sub(began.elapsed()))).await;
        let unexpected = shared.unexpected.load(Ordering::Relaxed);
        let sample = watched.sample(began.elapsed(), shared.take_latencies(), unexpected)?;
        println!("{sample}");
        samples.push(sample);
    }
    shared.ended.store(true, Ordering::Relaxed);
    while let Some(ended) = travellers.join_next().await {
        ended?;
    }
    let reported = shared.reported.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (act, number) in reported {
        println!("{act}: {number} unexpected answers");
    }
    let settling = SETTLING.min(args.minutes / 3);
    let settled: Vec<_> = samples.into_iter().filter(|sample| sample.at > Duration::from_mins(settling)).collect();
    judge(args, &settled)
}

/// Requests per second without a pause between them.
async fn capacity(shared: &Shared) -> f64 {
    let [warm_up, measured] = FULL_LOAD;
    tokio::time::sleep(warm_up).await;
    let (before, began) = (shared.requests.load(Ordering::Relaxed), Instant::now());
    tokio::time::sleep(measured).await;
    #[expect(clippy::cast_precision_loss, reason = "a count of a few seconds")]
    let requests = (shared.requests.load(Ordering::Relaxed) - before) as f64;
    requests / began.elapsed().as_secs_f64()
}

/// Prints the summary; an error if a limit was exceeded.
fn judge(args: &Args, samples: &[Sample]) -> Result<()> {
    let slope = sample::slope(samples, |sample| sample.memory);
    let log = samples.iter().map(|sample| sample.log).fold(0.0, f64::max);
    let opened = sample::growth(samples, |sample| sample.descriptors);
    let unexpected = samples.last().map_or(0, |sample| sample.unexpected);
    println!(
        "\nAfter settling: memory {slope:+.1} MB/h, SQLite's log at most {log:.0} MB, descriptors {opened:+.1}, \
         unexpected answers {unexpected}."
    );
    let judged = args.minutes >= JUDGED_FROM;
    if !judged {
        println!("The run is too short to judge the growth of memory: that needs {JUDGED_FROM} minutes.");
    }
    let wrong: Vec<_> = [
        (judged && slope > args.most_growth, "memory grows"),
        (log > args.most_log, "SQLite's log is too large"),
        (opened > 8.0, "descriptors grow"),
        (unexpected > 0, "answers were unexpected"),
        (samples.is_empty(), "there are no samples"),
    ]
    .into_iter()
    .filter_map(|(is_wrong, what)| is_wrong.then_some(what))
    .collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
}
