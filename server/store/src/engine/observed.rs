//! What the store observes about itself, for metrics. Observing costs a few atomic operations, and more only where
//! somebody waits anyway.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use prometheus_client::metrics::histogram::Histogram;

use crate::Store;
use crate::engine::store::Engine;

/// The upper bounds of the buckets of waits, in seconds.
const WAITS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.25, 1.0, 2.5, 5.0];
/// The upper bounds of the buckets of transactions in a commit.
const GROUPS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// How often writes were attempted again in this process.
static RETRIES: AtomicU64 = AtomicU64::new(0);

/// Notes that a write is attempted again.
pub(crate) fn retried() {
    RETRIES.fetch_add(1, Ordering::Relaxed);
}

/// A pool of connections or permits.
#[derive(Clone, Debug)]
pub struct PoolState {
    pub limit: u32,
    pub in_use: u32,
    /// Requests that wait for one.
    pub waiting: usize,
    /// Requests that waited until the time limit.
    pub timeouts: u64,
    /// How long requests waited, of those that had to.
    pub waits: Histogram,
}

/// The thread that writes to SQLite.
#[derive(Clone, Debug)]
pub struct WriterState {
    /// Transactions that wait for the thread, or for the commit that is being made.
    pub queue: usize,
    /// How long transactions waited for the thread.
    pub waits: Histogram,
    /// Transactions in each commit.
    pub groups: Histogram,
    /// The size of the write-ahead log.
    pub wal_bytes: u64,
    /// The size of the database without the log.
    pub database_bytes: u64,
}

/// What the store is doing.
#[derive(Clone, Debug)]
pub struct Observed {
    /// PostgreSQL only.
    pub connections: Option<PoolState>,
    /// Idle connections, which wait for the next statement. PostgreSQL only.
    pub idle: usize,
    pub long_reads: PoolState,
    /// SQLite only.
    pub writer: Option<WriterState>,
    pub retries: u64,
    /// The number of replicas that are used. `None` without replicas.
    pub replicas: Option<usize>,
}

impl Store {
    /// What the store is doing. Asks no database: at most the sizes of two files are read.
    pub fn observed(&self) -> Observed {
        let retries = RETRIES.load(Ordering::Relaxed);
        let replicas = self.replicas_used();
        match &self.engine {
            Engine::Sqlite(sqlite) => Observed {
                connections: None,
                idle: 0,
                long_reads: sqlite.long_reads_state(),
                writer: Some(sqlite.writer_state()),
                retries,
                replicas,
            },
            Engine::Postgres(postgres) => {
                let (connections, idle, long_reads) = postgres.state();
                Observed { connections: Some(connections), idle, long_reads, writer: None, retries, replicas }
            }
        }
    }
}

/// Observes who waits for a permit.
#[derive(Clone, Debug)]
pub(crate) struct Waits(Arc<WaitCounts>);

#[derive(Debug)]
struct WaitCounts {
    waiting: AtomicUsize,
    timeouts: AtomicU64,
    waits: Histogram,
}

impl Default for Waits {
    fn default() -> Self {
        let waits = Histogram::new(WAITS);
        Self(Arc::new(WaitCounts { waiting: AtomicUsize::new(0), timeouts: AtomicU64::new(0), waits }))
    }
}

/// Somebody waits; they wait no more when this is dropped.
pub(crate) struct Waiting<'a> {
    counts: &'a WaitCounts,
    began: Instant,
}

impl Waits {
    pub(crate) fn begin(&self) -> Waiting<'_> {
        self.0.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting { counts: &self.0, began: Instant::now() }
    }

    pub(crate) fn state(&self, limit: u32, in_use: u32) -> PoolState {
        PoolState {
            limit,
            in_use,
            waiting: self.0.waiting.load(Ordering::Relaxed),
            timeouts: self.0.timeouts.load(Ordering::Relaxed),
            waits: self.0.waits.clone(),
        }
    }
}

impl Waiting<'_> {
    /// They waited until the time limit.
    pub(crate) fn timed_out(self) {
        self.counts.timeouts.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
        self.counts.waits.observe(self.began.elapsed().as_secs_f64());
    }
}

/// A queued transaction.
pub(crate) struct Queued<'a>(&'a AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Observes the queue of the writing thread.
#[derive(Debug)]
pub(crate) struct WriterCounts {
    queue: AtomicUsize,
    waits: Histogram,
    groups: Histogram,
}

impl Default for WriterCounts {
    fn default() -> Self {
        Self { queue: AtomicUsize::new(0), waits: Histogram::new(WAITS), groups: Histogram::new(GROUPS) }
    }
}

impl WriterCounts {
    /// A transaction is queued until this is dropped.
    pub(crate) fn queue(&self) -> Queued<'_> {
        self.queue.fetch_add(1, Ordering::Relaxed);
        Queued(&self.queue)
    }

    /// A transaction that was queued at this time begins.
    pub(crate) fn begun(&self, queued: Instant) {
        self.waits.observe(queued.elapsed().as_secs_f64());
    }

    /// So many transactions share a commit.
    pub(crate) fn grouped(&self, number: usize) {
        self.groups.observe(f64::from(u32::try_from(number).unwrap_or(u32::MAX)));
    }

    pub(crate) fn state(&self, file: &Path) -> WriterState {
        let mut log = file.as_os_str().to_owned();
        log.push("-wal");
        let size = |path: &Path| fs::metadata(path).map_or(0, |file| file.len());
        WriterState {
            queue: self.queue.load(Ordering::Relaxed),
            waits: self.waits.clone(),
            groups: self.groups.clone(),
            wal_bytes: size(Path::new(&log)),
            database_bytes: size(file),
        }
    }
}
