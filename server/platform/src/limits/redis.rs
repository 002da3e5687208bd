//! Windows that a Redis or Valkey server counts for several servers. `counter_server.rs` says where it is.
//!
//! One connection carries all requests. An error closes it, and so do calls that take too long if none has been answered in
//! between for a while. Then a task connects again, and until it has, nobody waits. A connection is used only after a write
//! through it has been answered in time, so a read-only replica or a server that is too slow stays unused.

use std::fmt::{self, Formatter};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use itinerary_core::seal::Key;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisError, Script};
use tokio::time::timeout;

use super::Bucket;
use super::counter_server::{CounterServer, Finder};
use super::keys::Keys;
use crate::settings::{LimitSettings, WhenUnavailable};

/// For how long calls may be late before the connection is closed. A single one may be late because a machine is busy; it
/// has probably been counted.
const LATE_FOR: Duration = Duration::from_millis(200);
/// How long connecting may take, with TLS and authentication.
const CONNECTING: Duration = Duration::from_secs(1);
/// How long finding the server may take, if Sentinel has to be asked: some of them may be away.
const FINDING: Duration = Duration::from_secs(3);
/// The pause between two checks of a connection, so that a server without requests notices that it is lost.
const CHECKING: Duration = Duration::from_secs(1);
/// The pause between two attempts to connect.
const PAUSE: Duration = Duration::from_millis(250);

/// The script that counts.
const SCRIPT: &str = include_str!("windows.lua");

/// The counters cannot be reached.
#[derive(Debug, thiserror::Error)]
#[error("{address}: {reason}")]
pub struct Unreachable {
    address: String,
    reason: String,
}

/// Why a call has no response.
enum CallFailure {
    Late,
    Redis(RedisError),
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Late => f.write_str("no answer in time"),
            Self::Redis(error) => fmt::Display::fmt(error, f),
        }
    }
}

/// A window as the script reports it.
pub(super) struct RedisWindow {
    pub(super) count: u32,
    /// Milliseconds until it closes. Negative if it is not open.
    pub(super) left: i64,
    /// When it closes, if it was reserved.
    pub(super) closes: i64,
}

/// The script's response.
pub(super) struct Seen {
    /// The index of the first full window.
    pub(super) full: Option<usize>,
    /// The windows, up to the first full one.
    pub(super) windows: Vec<RedisWindow>,
}

impl Seen {
    fn read(response: &[i64]) -> Self {
        let (first, rest) = response.split_first().unwrap_or((&0, &[]));
        let full = usize::try_from(*first).ok().and_then(|index| index.checked_sub(1));
        let window = |numbers: &[i64; 3]| {
            let [count, left, closes] = *numbers;
            RedisWindow { count: u32::try_from(count).unwrap_or(u32::MAX), left, closes }
        };
        Self { full, windows: rest.as_chunks::<3>().0.iter().map(window).collect() }
    }
}

/// What the shared counters have been asked since the start.
#[derive(Clone, Copy, Debug)]
pub struct SharedStats {
    pub reachable: bool,
    /// Calls of the server, answered or not.
    pub calls: u64,
    /// Calls that failed or took too long.
    pub failures: u64,
    /// Requests that were counted or rejected without a call, because there was no connection.
    pub without: u64,
    /// How often the connection was lost.
    pub losses: u64,
}

#[derive(Default)]
struct CallCounts {
    calls: AtomicU64,
    failures: AtomicU64,
    without: AtomicU64,
    losses: AtomicU64,
}

/// The connection. Its number tells a call that fails late that there is a newer one.
#[derive(Default)]
struct RedisLink {
    number: u64,
    connection: Option<MultiplexedConnection>,
}

pub(super) struct RedisWindows {
    finder: Finder,
    /// Host and port, for messages.
    address: String,
    unavailable: WhenUnavailable,
    /// How long a request waits for its counts.
    timeout: Duration,
    keys: Keys,
    script: Script,
    link: RwLock<RedisLink>,
    /// When a call was late, if none has been answered in time since.
    late_since: Mutex<Option<Instant>>,
    /// Whether there is such a time, so that a call in time needs no lock.
    is_late: AtomicBool,
    counts: CallCounts,
}

impl RedisWindows {
    pub(super) fn new(server: &CounterServer, settings: &LimitSettings, key: &Key) -> Self {
        Self {
            finder: Finder::new(server),
            address: server.to_string(),
            unavailable: settings.unavailable,
            timeout: settings.timeout,
            keys: Keys::new(key),
            script: Script::new(SCRIPT),
            link: RwLock::default(),
            late_since: Mutex::default(),
            is_late: AtomicBool::new(false),
            counts: CallCounts::default(),
        }
    }

    /// Whether requests are rejected while the counters cannot be reached.
    pub(super) fn rejects(&self) -> bool {
        self.unavailable == WhenUnavailable::Reject
    }

    pub(super) fn stats(&self) -> SharedStats {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let CallCounts { calls, failures, without, losses } = &self.counts;
        SharedStats {
            reachable: self.link().1.is_some(),
            calls: read(calls),
            failures: read(failures),
            without: read(without),
            losses: read(losses),
        }
    }

    /// Connects for the first time. If the server cannot be reached, keeps trying in the background, or fails if requests
    /// would be rejected.
    pub(super) async fn connect_first(self: &Arc<Self>) -> Result<(), Unreachable> {
        if let Err(failure) = self.connect().await {
            if self.rejects() {
                return Err(Unreachable { address: self.address.clone(), reason: failure.to_string() });
            }
            self.warn(&failure);
            tokio::spawn(reconnect(Arc::downgrade(self)));
        }
        tokio::spawn(check(Arc::downgrade(self)));
        Ok(())
    }

    /// Counts one in each window in turn, up to the first that is full.
    pub(super) async fn take(self: &Arc<Self>, buckets: &[Bucket]) -> Result<Seen, ()> {
        self.count("take", buckets).await
    }

    /// Reads the windows, up to the first that is full.
    pub(super) async fn peek(self: &Arc<Self>, buckets: &[Bucket]) -> Result<Seen, ()> {
        self.count("peek", buckets).await
    }

    /// Counts one in each window, or none if one is full.
    pub(super) async fn reserve(self: &Arc<Self>, buckets: &[Bucket]) -> Result<Seen, ()> {
        self.count("reserve", buckets).await
    }

    /// Takes back what was counted in the windows that close at these times.
    pub(super) async fn give_back(self: &Arc<Self>, buckets: &[Bucket], closing: &[i64]) -> Result<Seen, ()> {
        self.run("give_back", buckets, closing.iter().map(|closes| (*closes, 0))).await
    }

    /// Removes the windows.
    pub(super) async fn remove(self: &Arc<Self>, buckets: &[Bucket]) {
        let mut command = redis::cmd("UNLINK");
        for bucket in buckets {
            command.arg(self.keys.of(bucket));
        }
        // If this fails, they close by themselves.
        let _ = self.call(async move |mut connection| command.query_async::<()>(&mut connection).await).await;
    }

    async fn count(self: &Arc<Self>, action: &str, buckets: &[Bucket]) -> Result<Seen, ()> {
        let numbers = buckets.iter().map(|bucket| (bucket.limit().0.into(), bucket.length().num_milliseconds()));
        self.run(action, buckets, numbers).await
    }

    async fn run(
        self: &Arc<Self>,
        action: &str,
        buckets: &[Bucket],
        numbers: impl Iterator<Item = (i64, i64)>,
    ) -> Result<Seen, ()> {
        let mut call = self.script.prepare_invoke();
        call.arg(action);
        for (bucket, (first, second)) in buckets.iter().zip(numbers) {
            call.key(self.keys.of(bucket)).arg(first).arg(second);
        }
        let response = self.call(async |mut connection| call.invoke_async::<Vec<i64>>(&mut connection).await).await?;
        let seen = Seen::read(&response);
        // Anything else is not the script's response.
        let expected = seen.full.map_or(buckets.len(), |index| index + 1);
        if seen.windows.len() == expected { Ok(seen) } else { Err(()) }
    }

    /// Calls the server, unless there is no connection. A failure closes the connection.
    async fn call<T>(
        self: &Arc<Self>,
        call: impl AsyncFnOnce(MultiplexedConnection) -> Result<T, RedisError>,
    ) -> Result<T, ()> {
        let (number, Some(connection)) = self.link() else {
            self.counts.without.fetch_add(1, Ordering::Relaxed);
            return Err(());
        };
        self.counts.calls.fetch_add(1, Ordering::Relaxed);
        match self.in_time(call(connection)).await {
            Ok(response) => {
                if self.is_late.load(Ordering::Relaxed) {
                    self.not_late();
                }
                Ok(response)
            }
            Err(failure) => {
                self.counts.failures.fetch_add(1, Ordering::Relaxed);
                if !matches!(failure, CallFailure::Late) || self.is_late_for_long() {
                    self.lose(number, &failure);
                }
                Err(())
            }
        }
    }

    /// Notes that a call is late, and returns whether calls have been for long.
    fn is_late_for_long(&self) -> bool {
        let mut since = self.late_since.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_late.store(true, Ordering::Relaxed);
        since.get_or_insert_with(Instant::now).elapsed() >= LATE_FOR
    }

    fn not_late(&self) {
        let mut since = self.late_since.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_late.store(false, Ordering::Relaxed);
        *since = None;
    }

    /// Writes a key, which expires after a second. Names two like a request, which Redis Cluster refuses.
    async fn probe(&self, connection: &mut MultiplexedConnection) -> Result<(), RedisError> {
        let mut probe = self.script.prepare_invoke();
        probe.arg("take").key("itinerary:probe").arg(0).arg(1000).key("itinerary:probe:2").arg(0).arg(1000);
        probe.invoke_async::<Vec<i64>>(connection).await.map(drop)
    }

    async fn in_time<T>(&self, call: impl Future<Output = Result<T, RedisError>>) -> Result<T, CallFailure> {
        timeout(self.timeout, call).await.map_err(|_| CallFailure::Late)?.map_err(CallFailure::Redis)
    }

    fn link(&self) -> (u64, Option<MultiplexedConnection>) {
        let link = self.link.read().unwrap_or_else(PoisonError::into_inner);
        (link.number, link.connection.clone())
    }

    /// Closes the connection with this number, and connects again in the background.
    fn lose(self: &Arc<Self>, number: u64, failure: &CallFailure) {
        let mut link = self.link.write().unwrap_or_else(PoisonError::into_inner);
        if link.number != number || link.connection.take().is_none() {
            return;
        }
        drop(link);
        self.counts.losses.fetch_add(1, Ordering::Relaxed);
        self.warn(failure);
        tokio::spawn(reconnect(Arc::downgrade(self)));
    }

    fn warn(&self, failure: &CallFailure) {
        let (address, reason) = (&*self.address, failure.to_string());
        if self.rejects() {
            tracing::warn!(address, reason, "the shared rate limits cannot be reached: requests are rejected");
        } else {
            tracing::warn!(address, reason, "the shared rate limits cannot be reached: this server counts by itself");
        }
    }

    /// Connects, and uses the connection if the server accepts writes and answers in time.
    async fn connect(&self) -> Result<(), CallFailure> {
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let finding = timeout(FINDING, self.finder.client());
        let client = finding.await.map_err(|_| CallFailure::Late)?.map_err(CallFailure::Redis)?;
        let connecting = client.get_multiplexed_async_connection_with_config(&config);
        let mut connection =
            timeout(CONNECTING, connecting).await.map_err(|_| CallFailure::Late)?.map_err(CallFailure::Redis)?;
        self.in_time(self.probe(&mut connection)).await?;
        self.not_late();
        let mut link = self.link.write().unwrap_or_else(PoisonError::into_inner);
        *link = RedisLink { number: link.number + 1, connection: Some(connection) };
        Ok(())
    }
}

/// Connects again, however often it takes, until the limiter is gone. Pauses first: a server that accepts connections and
/// rejects calls would otherwise be lost and found with every request.
async fn reconnect(redis: Weak<RedisWindows>) {
    tokio::time::sleep(PAUSE).await;
    while let Some(redis) = redis.upgrade() {
        if redis.connect().await.is_ok() {
            tracing::warn!(address = &*redis.address, "the shared rate limits can be reached again");
            return;
        }
        drop(redis);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Checks the connection, whenever there is one, until the limiter is gone.
async fn check(redis: Weak<RedisWindows>) {
    loop {
        tokio::time::sleep(CHECKING).await;
        let Some(redis) = redis.upgrade() else { return };
        if redis.link().1.is_some() {
            // A failure closes the connection.
            let _ = redis.call(async |mut connection| redis.probe(&mut connection).await).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_has_three_numbers_for_each_window() {
        let seen = Seen::read(&[2, 7, 59_000, 0, 121, 1, 0]);
        assert_eq!(seen.full, Some(1));
        let windows: Vec<_> = seen.windows.iter().map(|window| (window.count, window.left)).collect();
        assert_eq!(windows, [(7, 59_000), (121, 1)]);
        assert!(Seen::read(&[0]).full.is_none());
    }
}
