//! Rate limits: fixed windows, counted in this process or by a Redis or Valkey server for several of them.
//!
//! A window opens at its first request and closes when its seconds are over. By default each process counts for itself
//! (`memory.rs`). With the URL of a Redis server, all servers on a database count together there (`redis.rs`). While it
//! cannot be reached, each server continues by itself from the counts that it last saw, or rejects what would be counted.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use http::StatusCode;
use http::header::HeaderName;
use itinerary_api::policy::{CLIENT_DOCUMENTS, FAILED_AUTHENTICATIONS, LimitKind, REGISTRATIONS, RateLimit};
use itinerary_core::seal::Key;
use itinerary_store::Hash;
use uuid::Uuid;

use crate::settings::LimitSettings;

mod counter_server;
mod keys;
mod memory;
mod redis;
#[cfg(test)]
mod tests;

pub use counter_server::CounterServer;
use memory::MemoryWindows;
use redis::RedisWindows;
pub use redis::{SharedStats, Unreachable};

const RATE_REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RATE_RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The limit of all apps of a traveller together, as a multiple of one app's limit.
const ALL_APPS: u32 = 10;

/// The seconds after which to retry a request that was rejected because the counters cannot be reached.
const RETRY_UNAVAILABLE: u32 = 1;

/// The requests that share a counter.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub enum Bucket {
    /// Calls of one traveller through one app.
    Calls { account: Uuid, client: String, kind: LimitKind },
    /// Calls of one traveller through all apps.
    AccountCalls { account: Uuid, kind: LimitKind },
    /// Client registrations from one address.
    Registration(IpAddr),
    /// Fetches of client metadata documents for requests from one address.
    ClientDocument(IpAddr),
    /// Readings of itineraries' pages and pictures from one address.
    TripPage(IpAddr),
    /// Readings of pages of secret links, and of their files, from one address.
    SecretLink(IpAddr),
    /// Reads of calendars at secret addresses from one address.
    Calendar(IpAddr),
    /// Calendars that are made for one account, from any address. One is made of up to 200 itineraries.
    AccountCalendar(Uuid),
    /// Megapixels of images that are decoded for one account, rounded up for each image.
    DecodedMegapixels(Uuid),
    /// Covers that are drawn, and pictures for links that are cut, because one address reads them first.
    DrawnCover(IpAddr),
    /// New accounts from one address.
    SignUp(IpAddr),
    /// Mails to one mail address, by the hash of the address, that somebody has asked for.
    MailTo(Hash),
    /// Mails that were asked for from one address.
    MailFrom(IpAddr),
    /// Sign-ins to one account from one address that failed or are being checked.
    SignInToAccount(String, IpAddr),
    /// Sign-ins from one address that failed or are being checked.
    SignInFromAddress(IpAddr),
    /// Sign-ins to one account, from any address, that succeeded. Only who knows its password can use them up.
    SignedInToAccount(String),
    /// Sign-ins from one address that succeeded. Behind one address may be a network of many travellers.
    SignedInFromAddress(IpAddr),
    /// One-time and recovery codes for one account, from any address, that were wrong or are being checked. Only who has
    /// passed the first step can use them up.
    SecondStep(Uuid),
    /// Token and revocation requests from one address in which a client failed to authenticate. The client is the hash
    /// of its id, because the id may be long and made up.
    TokenFailure(Hash, IpAddr),
}

impl Bucket {
    /// The maximum count, and the length of a window in seconds.
    pub fn limit(&self) -> (u32, u32) {
        match self {
            Self::Calls { kind, .. } => (kind.per_minute(), 60),
            Self::AccountCalls { kind, .. } => (kind.per_minute() * ALL_APPS, 60),
            Self::SignUp(_) | Self::MailFrom(_) => (10, 3600),
            Self::MailTo(_) => (3, 3600),
            Self::Registration(_) => window(REGISTRATIONS),
            Self::ClientDocument(_) => window(CLIENT_DOCUMENTS),
            Self::TokenFailure(..) => window(FAILED_AUTHENTICATIONS),
            Self::TripPage(_) | Self::SecretLink(_) | Self::Calendar(_) => (60, 60),
            Self::DecodedMegapixels(_) | Self::DrawnCover(_) | Self::SignedInFromAddress(_) => (120, 60),
            Self::SignInToAccount(..) => (10, 60),
            // A guess is right with a probability of three in a million.
            Self::SecondStep(_) => (20, 3600),
            Self::SignedInToAccount(_) => (20, 60),
            Self::SignInFromAddress(_) | Self::AccountCalendar(_) => (30, 60),
        }
    }

    /// The length of a window.
    fn length(&self) -> TimeDelta {
        TimeDelta::seconds(self.limit().1.into())
    }
}

fn window(limit: RateLimit) -> (u32, u32) {
    (limit.requests, limit.seconds)
}

/// The state of a counter after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    /// False if the counters cannot be reached and requests are rejected until they can.
    pub counted: bool,
    /// The maximum count in a window.
    pub limit: u32,
    /// How many are left in this window.
    pub remaining: u32,
    /// Whole seconds until the window closes, rounded up, at least 1.
    pub reset: u32,
}

impl Verdict {
    /// The headers that say what is left of the limit. None if the request could not be counted.
    pub fn headers(self) -> impl Iterator<Item = (HeaderName, u32)> {
        let left = [(RATE_REMAINING, self.remaining), (RATE_RESET, self.reset)];
        left.into_iter().filter(move |_| self.counted)
    }

    /// The verdict while the counters cannot be reached and requests are rejected.
    fn unavailable(bucket: &Bucket) -> Self {
        let (limit, _) = bucket.limit();
        Self { allowed: false, counted: false, limit, remaining: 0, reset: RETRY_UNAVAILABLE }
    }

    /// The first that is not allowed, or the one with the fewest left. Reads none after that. There must be at least one.
    fn tightest(verdicts: impl IntoIterator<Item = Self>) -> Self {
        let mut tightest: Option<Self> = None;
        for verdict in verdicts {
            if !verdict.allowed {
                return verdict;
            }
            if tightest.is_none_or(|known| verdict.remaining < known.remaining) {
                tightest = Some(verdict);
            }
        }
        tightest.expect("a request counts for at least one bucket")
    }

    /// The status of a response that rejects a request.
    pub fn status(&self) -> StatusCode {
        if self.counted { StatusCode::TOO_MANY_REQUESTS } else { StatusCode::SERVICE_UNAVAILABLE }
    }
}

/// Whole seconds, rounded up, at least 1.
fn seconds_left(milliseconds: i64) -> u32 {
    u32::try_from((milliseconds + 999) / 1000).unwrap_or(1).max(1)
}

/// The counters that this server uses.
pub struct Limiter {
    memory: MemoryWindows,
    redis: Option<Arc<RedisWindows>>,
}

/// What the limiter has done since the start.
#[derive(Clone, Copy, Debug)]
pub struct LimiterStats {
    /// Windows in this process, of which some may have closed.
    pub windows: usize,
    /// `None` if this process counts by itself.
    pub shared: Option<SharedStats>,
}

impl Limiter {
    /// Counters in this process. If they are not `enforced`, everything is allowed, and windows are counted only for the
    /// headers.
    pub fn new(enforced: bool) -> Self {
        Self { memory: MemoryWindows::new(enforced), redis: None }
    }

    /// Counters that all servers with this key share. [`Limiter::connect`] must be called before the first request.
    pub fn shared(server: &CounterServer, settings: &LimitSettings, key: &Key) -> Self {
        Self { memory: MemoryWindows::new(true), redis: Some(Arc::new(RedisWindows::new(server, settings, key))) }
    }

    /// Connects to the shared counters, if there are any. Fails if they cannot be reached and requests would be rejected.
    pub async fn connect(&self) -> Result<(), Unreachable> {
        match &self.redis {
            Some(redis) => redis.connect_first().await,
            None => Ok(()),
        }
    }

    pub fn stats(&self) -> LimiterStats {
        LimiterStats { windows: self.memory.len(), shared: self.redis.as_ref().map(|redis| redis.stats()) }
    }

    /// Removes the windows of a deleted account and of its folded name. Shared windows of one app, and of sign-ins, are left
    /// to close: they last a minute, and their keys cannot be traced to the account without the server's key.
    pub async fn forget(&self, of: Uuid, name: &str) {
        self.memory.forget(of, name);
        if let Some(redis) = &self.redis {
            let calls = LimitKind::ALL.iter().map(|kind| Bucket::AccountCalls { account: of, kind: *kind });
            let others = [Bucket::AccountCalendar(of), Bucket::DecodedMegapixels(of)];
            let buckets: Vec<_> = calls.chain(others).collect();
            Box::pin(redis.remove(&buckets)).await;
        }
    }

    /// Counts one in each bucket in turn, up to the first that is full. Returns the verdict of that one, or the one with
    /// the fewest left.
    pub async fn take(&self, buckets: &[Bucket], now: DateTime<Utc>) -> Verdict {
        match &self.redis {
            None => self.memory.take(buckets, now),
            // On the heap, so that requests are no larger where nothing is shared.
            Some(redis) => match Box::pin(redis.take(buckets)).await {
                Ok(seen) => self.sync_from(buckets, &seen, now),
                Err(()) if redis.rejects() => Verdict::unavailable(&buckets[0]),
                Err(()) => self.memory.take(buckets, now),
            },
        }
    }

    /// The verdict if one more were counted in each bucket. Does not count it; for limits that count only failures.
    pub async fn peek(&self, buckets: &[Bucket], now: DateTime<Utc>) -> Verdict {
        match &self.redis {
            None => self.memory.peek(buckets, now),
            Some(redis) => match Box::pin(redis.peek(buckets)).await {
                Ok(seen) => self.sync_from(buckets, &seen, now),
                Err(()) if redis.rejects() => Verdict::unavailable(&buckets[0]),
                Err(()) => self.memory.peek(buckets, now),
            },
        }
    }

    /// Counts one in each bucket in advance, or none and returns the verdict of a full bucket. So concurrent requests cannot
    /// exceed a limit that counts failures. A bucket that is named several times is counted as often.
    pub async fn reserve(&self, buckets: Vec<Bucket>, now: DateTime<Utc>) -> Result<Reserved<'_>, Verdict> {
        let windows = match &self.redis {
            None => Reservation::Memory(self.memory.reserve(&buckets, now)?),
            Some(redis) => match Box::pin(redis.reserve(&buckets)).await {
                Ok(seen) => {
                    let verdict = self.sync_from(&buckets, &seen, now);
                    if !verdict.allowed {
                        return Err(verdict);
                    }
                    Reservation::Redis(seen.windows.iter().map(|window| window.closes).collect())
                }
                Err(()) if redis.rejects() => return Err(Verdict::unavailable(&buckets[0])),
                Err(()) => Reservation::Memory(self.memory.reserve(&buckets, now)?),
            },
        };
        Ok(Reserved { limiter: self, buckets, windows })
    }

    /// The verdict on what the shared counters say. Notes it, so that this process can continue without them.
    fn sync_from(&self, buckets: &[Bucket], seen: &redis::Seen, now: DateTime<Utc>) -> Verdict {
        let verdicts = buckets.iter().zip(&seen.windows).enumerate().map(|(n, (bucket, window))| {
            let (limit, length) = (bucket.limit().0, bucket.length());
            let left = if window.left < 0 { length.num_milliseconds() } else { window.left };
            if window.left >= 0 {
                self.memory.sync_from(bucket, window.count, left, now);
            }
            let (allowed, remaining) = (seen.full != Some(n), limit.saturating_sub(window.count));
            Verdict { allowed, counted: true, limit, remaining, reset: seconds_left(left) }
        });
        Verdict::tightest(verdicts)
    }
}

/// Where counts were made in advance: the windows' numbers in this process, or the times at which the shared ones close.
enum Reservation {
    Memory(Vec<u64>),
    Redis(Vec<i64>),
}

/// Counts made in advance. They stay if this is dropped.
pub struct Reserved<'a> {
    limiter: &'a Limiter,
    buckets: Vec<Bucket>,
    windows: Reservation,
}

impl Reserved<'_> {
    /// Takes the counts back. A window that has opened since is left unchanged.
    pub async fn give_back(self, now: DateTime<Utc>) {
        match (self.windows, &self.limiter.redis) {
            (Reservation::Memory(numbers), _) => self.limiter.memory.give_back(self.buckets.iter().zip(numbers)),
            // If this fails, the counts stay until the windows close.
            (Reservation::Redis(closing), Some(redis)) => {
                if let Ok(seen) = Box::pin(redis.give_back(&self.buckets, &closing)).await {
                    self.limiter.sync_from(&self.buckets, &seen, now);
                }
            }
            (Reservation::Redis(_), None) => {}
        }
    }
}
