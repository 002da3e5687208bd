//! A read replica: a PostgreSQL server that follows the database by streaming replication, for reads that may lag.
//!
//! The replica is used while it is known to have everything that the database had a short time ago. Every second,
//! [`Store::watch_replica`] reads the database's position in its log and then the position that the replica has
//! replayed. The replica is as recent as the newest reading that it has reached; so it does not lag when nothing is
//! written, and lags when it has lost its connection to the database.
//!
//! Nobody misses their own writes: [`Store::write_noted`] stores who wrote when, and for a while that account reads
//! from the database itself, on every server.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval, timeout};
use uuid::Uuid;

use crate::engine::connect::{Options, postgres, sqlite_file};
use crate::engine::postgres::Postgres;
use crate::engine::store::Engine;
use crate::query::row::row;
use crate::query::{query, text};
use crate::{Result, Store, StoreError, address, migration};

/// How often the replica's position is read.
const EVERY: Duration = Duration::from_secs(1);

/// How long one reading may take.
const LONGEST: Duration = Duration::from_secs(5);

/// How long after the longest permitted lag an account still reads what it wrote from the database itself.
const MARGIN: Duration = Duration::from_secs(5);

/// How often old notes of writes are deleted.
const CLEAN_UP_EVERY: Duration = Duration::from_mins(1);

/// Positions are compared as numbers of bytes. The flushed position: everything that was acknowledged is before it.
const POSITION: &str = "SELECT (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint";

row! {
    struct ReplicaRow {
        follows: bool = "pg_is_in_recovery()",
        position: Option<i64> = "(pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint",
    }
}

const FOLLOWS: &str = text!("SELECT ", ReplicaRow::COLUMNS);

const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

#[derive(Debug)]
pub(crate) struct Replica {
    postgres: Postgres,
    source: u64,
    most: Duration,
    state: Mutex<ReplicaState>,
}

#[derive(Debug, Default)]
struct ReplicaState {
    /// The instant at which the replica had everything that the database had. `None` if it may not be used.
    as_of: Option<Instant>,
    /// Whether the log says that the replica is used; `None` at first.
    said: Option<bool>,
}

/// Reads that may lag, from the replica until it fails.
#[derive(Debug)]
pub(crate) struct LaggingReads {
    replica: Arc<Replica>,
    has_failed: AtomicBool,
}

/// The positions of the database that were read, newest last.
#[derive(Default)]
struct Positions(VecDeque<(Instant, i64)>);

impl Positions {
    fn add(&mut self, at: Instant, position: i64, most: Duration) {
        self.0.push_back((at, position));
        // Older ones make no replica recent enough; the last of them shows how far it is behind.
        while self.0.get(1).is_some_and(|(second, _)| second.elapsed() > most) {
            self.0.pop_front();
        }
    }

    /// When the database was where the replica is now.
    fn reached(&self, replayed: i64) -> Option<Instant> {
        self.0.iter().rev().find(|(_, position)| *position <= replayed).map(|(at, _)| *at)
    }
}

impl Replica {
    fn lock(&self) -> MutexGuard<'_, ReplicaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_usable(&self) -> bool {
        self.lock().as_of.is_some_and(|as_of| as_of.elapsed() <= self.most)
    }

    /// Uses the replica, or not for this reason. The log has a line for every change.
    fn judge(&self, as_of: Result<Instant, String>) {
        let mut state = self.lock();
        let server = self.postgres.server();
        let usable = as_of.is_ok();
        match &as_of {
            _ if state.said == Some(usable) => {}
            Ok(_) => tracing::info!(server, "the read replica answers reads that may lag"),
            Err(why) => tracing::warn!(server, why, "the read replica is not used; the database answers all reads"),
        }
        (state.as_of, state.said) = (as_of.ok(), Some(usable));
    }

    /// Reads both positions, and whether the replica may be used.
    async fn look(&self, store: &Store, positions: &mut Positions) -> Result<Instant, String> {
        let at = Instant::now();
        match store.fetch_optional(&query!(POSITION)).await {
            Ok(Some(position)) => positions.add(at, position, self.most),
            // If the database has crashed, the notes of writes are lost: the replica has to reach a new position.
            _ => positions.0.clear(),
        }
        let row = self.postgres.fetch_optional(&query!(FOLLOWS)).await.map_err(|error| error.to_string())?;
        let Some(ReplicaRow { follows: true, position: Some(replayed) }) = row else {
            return Err("it follows no database".to_owned());
        };
        let as_of = positions.reached(replayed).filter(|as_of| as_of.elapsed() <= self.most);
        let as_of = as_of.ok_or_else(|| format!("it is more than {} seconds behind", self.most.as_secs()))?;
        if !self.is_usable() {
            self.check_schema().await?;
        }
        Ok(as_of)
    }

    async fn check_schema(&self) -> Result<(), String> {
        let applied = self.postgres.fetch_all(&query!(migration::APPLIED)).await.map_err(|error| error.to_string())?;
        let applied = applied.into_iter().collect();
        match migration::missing(&applied).next() {
            Some(_) => Err("its schema is older than this program's".to_owned()),
            None => Ok(()),
        }
    }

    pub(crate) async fn close(&self) -> Result<()> {
        self.postgres.clone().close().await
    }
}

impl LaggingReads {
    pub(crate) fn replica(&self) -> &Postgres {
        &self.replica.postgres
    }

    /// The outcome of a read from the replica. `None` if the database has to be read instead, from now on.
    pub(crate) fn accept<T>(&self, outcome: Result<T>) -> Option<Result<T>> {
        match outcome {
            Err(error) if error.is_of_the_replica() => {
                self.has_failed.store(true, Ordering::Relaxed);
                if error.is_of_the_connection() {
                    self.replica.judge(Err(error.to_string()));
                }
                None
            }
            outcome => Some(outcome),
        }
    }
}

fn has_no_replicas() -> StoreError {
    StoreError::Address("only a PostgreSQL database has replicas".to_owned())
}

fn replica_address(url: &str) -> Result<String> {
    match url.split_once(':') {
        Some(("postgres" | "postgresql", rest)) => address::checked(&format!("postgres:{rest}")),
        _ => Err(StoreError::Address("a replica's URL must begin with postgres://".to_owned())),
    }
}

impl Store {
    /// Whether [`Store::with_replica`] accepts a replica's URL for the database at another. Opens nothing.
    pub fn check_replica_url(database_url: &str, url: &str) -> Result<()> {
        match sqlite_file(database_url)? {
            Some(_) => Err(has_no_replicas()),
            None => replica_address(url).map(drop),
        }
    }

    /// The same store, which may read from the replica at this address, a `postgres://` URL, while it is at most `most`
    /// behind.
    pub async fn with_replica(self, url: &str, options: &Options, most: Duration) -> Result<Self> {
        if !matches!(self.engine, Engine::Postgres(_)) {
            return Err(has_no_replicas());
        }
        let postgres = postgres(replica_address(url)?, options).await?;
        let mut hasher = DefaultHasher::new();
        postgres.server().hash(&mut hasher);
        // Zero is the database itself.
        let source = hasher.finish().max(1);
        let replica = Replica { postgres, source, most, state: Mutex::default() };
        Ok(Self { replica: Some(Arc::new(replica)), ..self })
    }

    /// Judges the replica every second, for ever. Returns at once if there is none.
    pub async fn watch_replica(self) {
        let Some(replica) = &self.replica else { return };
        let mut positions = Positions::default();
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut cleaned = Instant::now();
        loop {
            ticks.tick().await;
            let looked = timeout(LONGEST, replica.look(&self, &mut positions)).await;
            replica.judge(looked.unwrap_or_else(|_| Err("it does not answer".to_owned())));
            if cleaned.elapsed() >= CLEAN_UP_EVERY {
                cleaned = Instant::now();
                if let Err(error) = self.notes_expire(replica).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "old notes of writes were not deleted");
                }
            }
        }
    }

    /// Whether reads may come from a replica: then the caller says which page was read from where.
    pub fn has_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// How long after a read from one source another source may be behind it.
    pub fn replica_window(&self) -> Duration {
        self.replica.as_ref().map_or(Duration::ZERO, |replica| replica.most + MARGIN)
    }

    /// A handle whose reads may lag behind, from the replica if it may be used.
    #[must_use]
    pub fn lagging(&self) -> Self {
        let usable = self.replica.as_ref().filter(|replica| replica.is_usable());
        let reading = usable
            .map(|replica| Arc::new(LaggingReads { replica: Arc::clone(replica), has_failed: AtomicBool::new(false) }));
        Self { reading, ..self.clone() }
    }

    /// The same for an account: not if it has just written something, through any server.
    pub async fn lagging_for(&self, account: Uuid) -> Result<Self> {
        let lagging = self.lagging();
        if lagging.reading.is_none() {
            return Ok(lagging);
        }
        let window = i64::try_from(self.replica_window().as_millis()).unwrap_or(i64::MAX);
        let wrote = format!("SELECT 1 FROM recent_writers WHERE account_id = $1 AND written_at > {NOW} - $2");
        if self.exists(&query!(wrote, account, window)).await? { Ok(self.clone()) } else { Ok(lagging) }
    }

    /// Where the reads of this handle come from: 0 for the database, or a number for the replica. A read that failed at
    /// the replica came from the database.
    pub fn source(&self) -> u64 {
        self.lagging_reads().map_or(0, |reads| reads.replica.source)
    }

    pub(crate) fn lagging_reads(&self) -> Option<&LaggingReads> {
        self.reading.as_deref().filter(|reads| !reads.has_failed.load(Ordering::Relaxed))
    }

    /// Notes that this account has written something, or loses access to something, if there is a replica that may not have
    /// it yet.
    pub async fn write_noted(&self, account: Uuid) -> Result<()> {
        if self.replica.is_none() {
            return Ok(());
        }
        let note = format!(
            "INSERT INTO recent_writers (account_id, written_at) VALUES ($1, {NOW}) \
             ON CONFLICT (account_id) DO UPDATE SET written_at = excluded.written_at"
        );
        self.execute(query!(note, account)).await.map(|_| ())
    }

    async fn notes_expire(&self, replica: &Replica) -> Result<()> {
        let window = i64::try_from((replica.most + MARGIN).as_millis()).unwrap_or(i64::MAX);
        let delete = format!("DELETE FROM recent_writers WHERE written_at <= {NOW} - $1");
        self.execute(query!(delete, window)).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_as_recent_as_the_newest_position_that_it_has_reached() {
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).expect("an instant");
        let mut positions = Positions::default();
        for (seconds, position) in [(60, 50), (30, 100), (4, 100), (3, 120), (2, 120)] {
            positions.add(ago(seconds), position, Duration::from_secs(10));
        }
        assert_eq!(positions.reached(120), Some(ago(2)), "idle, it does not lag");
        assert_eq!(positions.reached(119), Some(ago(4)));
        assert_eq!(positions.reached(99), None, "only one position from before the limit is remembered");
        assert_eq!(positions.0.len(), 4);
    }
}
