//! Read replicas: PostgreSQL servers that follow the database by streaming replication, for reads that may lag.
//!
//! A row of the database, the heartbeat, has the time at which it was last written, by the database's clock. Each server
//! with replicas writes it every second, unless another one just has ([`Store::watch_replicas`]). A replica is as recent as
//! the heartbeat that it has. So how far it is behind is known from the replica alone, even if this server does not reach
//! the database; it does not lag when nothing else is written, and it lags when it has lost its connection to the
//! database, or follows another one. The database's clock is compared with this process's, so no other clocks matter.
//!
//! Nobody misses their own writes: [`Store::write_noted`] stores who wrote when, and for a while that account reads
//! from the database itself, on every server. These notes do not survive a crash of the database, or the promotion of
//! another one. After either, a replica is used once it has a newer heartbeat.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use tokio::time::{MissedTickBehavior, interval_at, timeout};
use uuid::Uuid;

use crate::address::{self, Address, Target};
use crate::engine::connect::{Options, postgres, sqlite_file};
use crate::engine::postgres::Postgres;
use crate::engine::store::Engine;
use crate::query::row::row;
use crate::query::{query, text};
use crate::{Result, Store, StoreError, migration};

/// How often the heartbeat is written and read.
const EVERY: Duration = Duration::from_secs(1);

/// How long one reading may take.
const LONGEST: Duration = Duration::from_secs(5);

/// How long after the longest permitted lag an account still reads what it wrote from the database itself.
const MARGIN: Duration = Duration::from_secs(5);

/// How often old notes of writes are deleted.
const CLEAN_UP_EVERY: Duration = Duration::from_mins(1);

const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

row! {
    /// The database's clock, in milliseconds since 1970, and when it was started: another value is another server, or
    /// the same one after a restart. It stays the same if PostgreSQL recovers from the crash of one of its processes.
    struct ClockRow {
        milliseconds: i64 = "now.at",
        started: i64 = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint",
    }
}

/// Writes the heartbeat, unless it is less than half a second old.
const BEAT: &str = text!(
    "WITH now AS MATERIALIZED (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at), \
     beat AS (INSERT INTO settings AS s (name, value, updated_at) SELECT 'replication_heartbeat', '', at FROM now \
     ON CONFLICT (name) DO UPDATE SET updated_at = excluded.updated_at \
     WHERE s.updated_at NOT BETWEEN excluded.updated_at - 500 AND excluded.updated_at) \
     SELECT ",
    ClockRow::COLUMNS,
    " FROM now"
);

/// The heartbeat that a replica has.
const HEARTBEAT: &str = "SELECT updated_at FROM settings WHERE name = 'replication_heartbeat'";

/// The database's clock, as it was read last.
#[derive(Clone, Copy, Debug)]
struct DatabaseClock {
    at: Instant,
    milliseconds: i64,
    /// Which server's, since its last start.
    server: (u64, i64),
    /// When this process first read it from that server. Older heartbeats say nothing about the notes of writes.
    since: Instant,
}

impl DatabaseClock {
    /// When the database's clock showed this time.
    fn instant(&self, milliseconds: i64) -> Option<Instant> {
        let difference = milliseconds.checked_sub(self.milliseconds)?;
        let duration = Duration::from_millis(difference.unsigned_abs());
        if difference < 0 { self.at.checked_sub(duration) } else { self.at.checked_add(duration) }
    }
}

#[derive(Debug)]
pub(crate) struct Replicas {
    all: Vec<Replica>,
    /// How far a replica may be behind.
    most: Duration,
    clock: Mutex<Option<DatabaseClock>>,
    /// Reads take turns.
    turn: AtomicUsize,
}

#[derive(Debug)]
struct Replica {
    postgres: Postgres,
    source: u64,
    state: Mutex<ReplicaState>,
}

#[derive(Debug, Default)]
struct ReplicaState {
    /// The instant at which the replica had everything that the database had. `None` if it may not be used.
    as_of: Option<Instant>,
    /// The choice of the database's server at that time.
    choice: u64,
    /// Whether the log says that the replica is used; `None` at first.
    said: Option<bool>,
}

/// Reads that may lag, from a replica until it fails.
#[derive(Debug)]
pub(crate) struct LaggingReads {
    replicas: Arc<Replicas>,
    index: usize,
    has_failed: AtomicBool,
}

impl Replica {
    fn lock(&self) -> MutexGuard<'_, ReplicaState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_usable(&self, choice: u64, most: Duration) -> bool {
        let state = self.lock();
        state.choice == choice && state.as_of.is_some_and(|as_of| as_of.elapsed() <= most)
    }

    /// Uses the replica, or not for this reason. The log has a line for every change.
    fn judge(&self, as_of: Result<Instant, String>, choice: u64) {
        let mut state = self.lock();
        let server = self.postgres.server();
        let usable = as_of.is_ok();
        match &as_of {
            _ if state.said == Some(usable) => {}
            Ok(_) => tracing::info!(server, "the read replica answers reads that may lag"),
            Err(why) => tracing::warn!(server, why, "the read replica is not used for reads that may lag"),
        }
        (state.as_of, state.choice, state.said) = (as_of.ok(), choice, Some(usable));
    }

    async fn check_schema(&self) -> Result<(), String> {
        let applied = self.postgres.fetch_all(&query!(migration::APPLIED)).await.map_err(|error| error.to_string())?;
        let applied = applied.into_iter().collect();
        match migration::missing(&applied).next() {
            Some(_) => Err("its schema is older than this program's".to_owned()),
            None => Ok(()),
        }
    }
}

impl Replicas {
    fn clock(&self) -> MutexGuard<'_, Option<DatabaseClock>> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the heartbeat, and reads the database's clock.
    async fn beat(&self, database: &Postgres) -> Result<()> {
        let (at, choice) = (Instant::now(), database.choice());
        let row = database.fetch_optional(&query!(BEAT)).await?;
        let Some(ClockRow { milliseconds, started }) = row else { return Ok(()) };
        let mut clock = self.clock();
        let server = (choice, started);
        let since = clock.filter(|clock| clock.server == server).map_or(at, |clock| clock.since);
        *clock = Some(DatabaseClock { at, milliseconds, server, since });
        Ok(())
    }

    /// Reads a replica's heartbeat: since when may it be behind?
    async fn look(&self, replica: &Replica, choice: u64) -> Result<Instant, String> {
        let asked = Instant::now();
        let beat: Option<i64> =
            replica.postgres.fetch_optional(&query!(HEARTBEAT)).await.map_err(|error| error.to_string())?;
        let beat = beat.ok_or("it has no heartbeat yet")?;
        let clock = self.clock().filter(|clock| clock.server.0 == choice);
        let clock = clock.ok_or("the database's clock is not known yet")?;
        let as_of = clock.instant(beat).map(|as_of| as_of.min(asked)).filter(|as_of| *as_of >= clock.since);
        let as_of = as_of.filter(|as_of| as_of.elapsed() <= self.most);
        let as_of = as_of.ok_or_else(|| format!("it is more than {} seconds behind", self.most.as_secs()))?;
        if !replica.is_usable(choice, self.most) {
            replica.check_schema().await?;
        }
        Ok(as_of)
    }

    /// How many replicas may be used.
    fn usable(&self, choice: u64) -> usize {
        self.all.iter().filter(|replica| replica.is_usable(choice, self.most)).count()
    }

    /// A replica that may be used: this one, or the next in turn.
    fn pick(&self, choice: u64, source: Option<u64>) -> Option<usize> {
        let is_usable = |index: &usize| self.all[*index].is_usable(choice, self.most);
        let same = source.and_then(|source| self.all.iter().position(|replica| replica.source == source));
        same.filter(is_usable).or_else(|| {
            let turn = self.turn.fetch_add(1, Ordering::Relaxed);
            (0..self.all.len()).map(|n| (turn + n) % self.all.len()).find(is_usable)
        })
    }

    pub(crate) async fn close(&self) -> Result<()> {
        for replica in &self.all {
            replica.postgres.clone().close().await?;
        }
        Ok(())
    }
}

impl LaggingReads {
    fn of(&self) -> &Replica {
        &self.replicas.all[self.index]
    }

    pub(crate) fn replica(&self) -> &Postgres {
        &self.of().postgres
    }

    /// The outcome of a read from the replica. `None` if the database has to be read instead, from now on.
    pub(crate) fn accept<T>(&self, outcome: Result<T>) -> Option<Result<T>> {
        match outcome {
            Err(error) if error.is_of_the_replica() => {
                self.has_failed.store(true, Ordering::Relaxed);
                if error.is_of_the_connection() {
                    self.of().judge(Err(error.to_string()), 0);
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

/// The replicas in a URL.
fn replica_address(url: &str) -> Result<Address> {
    let address = match url.split_once(':') {
        Some(("postgres" | "postgresql", rest)) => address::checked(&format!("postgres:{rest}"))?,
        _ => return Err(StoreError::Address("a replica's URL must begin with postgres://".to_owned())),
    };
    match address.target {
        Some(Target::ReadWrite | Target::Primary) => Err(StoreError::Address(
            "nothing is written to a replica: target_session_attrs must be standby, or absent".to_owned(),
        )),
        _ => Ok(address),
    }
}

impl Store {
    /// Whether [`Store::with_replicas`] accepts a URL for the replicas of the database at another. Opens nothing.
    pub fn check_replica_url(database_url: &str, url: &str) -> Result<()> {
        match sqlite_file(database_url)? {
            Some(_) => Err(has_no_replicas()),
            None => replica_address(url).map(drop),
        }
    }

    /// The same store, which may read from the replicas at this address, while they are at most `most` behind. Each host of
    /// the `postgres://` URL is a replica; while one is the database's primary, it is not used.
    pub fn with_replicas(self, url: &str, options: &Options, most: Duration) -> Result<Self> {
        if !matches!(self.engine, Engine::Postgres(_)) {
            return Err(has_no_replicas());
        }
        let replicas = replica_address(url)?.hosts.into_iter().map(|host| {
            let postgres = postgres(Address { hosts: vec![host], target: Some(Target::Standby) }, options);
            let mut hasher = DefaultHasher::new();
            postgres.server().hash(&mut hasher);
            // Zero is the database itself.
            Replica { source: hasher.finish().max(1), postgres, state: Mutex::default() }
        });
        let replicas =
            Replicas { all: replicas.collect(), most, clock: Mutex::default(), turn: AtomicUsize::default() };
        Ok(Self { replicas: Some(Arc::new(replicas)), ..self })
    }

    /// Writes the heartbeat and judges the replicas every second, for ever. Returns at once if there are none.
    pub async fn watch_replicas(self) {
        let (Some(replicas), Engine::Postgres(database)) = (&self.replicas, &self.engine) else { return };
        let judging = join_all(replicas.all.iter().map(|replica| watch(replicas, replica, database)));
        join(self.beat(replicas, database), judging).await;
    }

    async fn beat(&self, replicas: &Replicas, database: &Postgres) {
        let mut ticks = ticks(Duration::ZERO);
        let mut cleaned = Instant::now();
        loop {
            ticks.tick().await;
            if let Err(error) = replicas.beat(database).await {
                tracing::debug!(error = &error as &dyn std::error::Error, "the heartbeat was not written");
            }
            if cleaned.elapsed() >= CLEAN_UP_EVERY {
                cleaned = Instant::now();
                if let Err(error) = self.notes_expire(replicas).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "old notes of writes were not deleted");
                }
            }
        }
    }

    /// Whether reads may come from replicas: then the caller says which page was read from where.
    pub fn has_replicas(&self) -> bool {
        self.replicas.is_some()
    }

    /// The number of replicas that are used. `None` without replicas.
    pub(crate) fn replicas_used(&self) -> Option<usize> {
        self.replicas.as_ref().map(|replicas| replicas.usable(self.choice()))
    }

    /// How long after a read from one source another source may be behind it.
    pub fn replica_window(&self) -> Duration {
        self.replicas.as_ref().map_or(Duration::ZERO, |replicas| replicas.most + MARGIN)
    }

    fn choice(&self) -> u64 {
        match &self.engine {
            Engine::Postgres(database) => database.choice(),
            Engine::Sqlite(_) => 0,
        }
    }

    /// A handle whose reads may lag behind, from a replica if one may be used.
    #[must_use]
    pub fn lagging(&self) -> Self {
        self.lagging_from(None)
    }

    fn lagging_from(&self, source: Option<u64>) -> Self {
        let reading = self.replicas.as_ref().and_then(|replicas| {
            let index = replicas.pick(self.choice(), source)?;
            Some(Arc::new(LaggingReads { replicas: Arc::clone(replicas), index, has_failed: AtomicBool::new(false) }))
        });
        Self { reading, ..self.clone() }
    }

    /// The same for an account: not if it has just written something, through any server. From this source
    /// ([`Store::source`]) if it may be used.
    pub async fn lagging_for(&self, account: Uuid, source: Option<u64>) -> Result<Self> {
        let lagging = self.lagging_from(source);
        if lagging.reading.is_none() {
            return Ok(lagging);
        }
        let window = i64::try_from(self.replica_window().as_millis()).unwrap_or(i64::MAX);
        let wrote = format!("SELECT 1 FROM recent_writers WHERE account_id = $1 AND written_at > {NOW} - $2");
        if self.exists(&query!(wrote, account, window)).await? { Ok(self.clone()) } else { Ok(lagging) }
    }

    /// Where the reads of this handle come from: 0 for the database, or a number for each replica. A read that failed at
    /// the replica came from the database.
    pub fn source(&self) -> u64 {
        self.lagging_reads().map_or(0, |reads| reads.of().source)
    }

    pub(crate) fn lagging_reads(&self) -> Option<&LaggingReads> {
        self.reading.as_deref().filter(|reads| !reads.has_failed.load(Ordering::Relaxed))
    }

    /// Notes that this account has written something, or loses access to something, if there are replicas that may not have
    /// it yet.
    pub async fn write_noted(&self, account: Uuid) -> Result<()> {
        if self.replicas.is_none() {
            return Ok(());
        }
        let note = format!(
            "INSERT INTO recent_writers (account_id, written_at) VALUES ($1, {NOW}) \
             ON CONFLICT (account_id) DO UPDATE SET written_at = excluded.written_at"
        );
        self.execute(query!(note, account)).await.map(|_| ())
    }

    async fn notes_expire(&self, replicas: &Replicas) -> Result<()> {
        let window = i64::try_from((replicas.most + MARGIN).as_millis()).unwrap_or(i64::MAX);
        let delete = format!("DELETE FROM recent_writers WHERE written_at <= {NOW} - $1");
        self.execute(query!(delete, window)).await.map(|_| ())
    }
}

/// Judges a replica again and again.
async fn watch(replicas: &Replicas, replica: &Replica, database: &Postgres) {
    // Between two heartbeats. At the same time, each look would find the heartbeat of the second before.
    let mut ticks = ticks(EVERY / 2);
    loop {
        ticks.tick().await;
        let choice = database.choice();
        let looked = timeout(LONGEST, replicas.look(replica, choice)).await;
        replica.judge(looked.unwrap_or_else(|_| Err("it does not answer".to_owned())), choice);
    }
}

/// One tick in each period, the first after this time.
fn ticks(after: Duration) -> tokio::time::Interval {
    let mut ticks = interval_at(tokio::time::Instant::now() + after, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_the_database_are_instants_of_this_process() {
        let at = Instant::now();
        let clock = DatabaseClock { at, milliseconds: 50_000, server: (0, 1), since: at };
        let after = |milliseconds| at.checked_add(Duration::from_millis(milliseconds));
        assert_eq!(clock.instant(50_700), after(700), "another server has written it since");
        assert_eq!(clock.instant(50_000), Some(at));
        assert_eq!(clock.instant(48_000), at.checked_sub(Duration::from_secs(2)));
        assert_eq!(clock.instant(i64::MIN), None);
    }
}
