//! Counting requests in fixed windows, in this process.
//!
//! A window opens at its first request and closes when its seconds are over. Each shard of the map is swept as it
//! grows, so memory follows the number of windows that are open. Nothing is shared with other processes.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use itinerary_api::policy::LimitKind;
use uuid::Uuid;

const SHARDS: usize = 16;
/// A shard is swept for closed windows when it has grown to this many entries, and whenever it doubles after that.
const SWEEP_FROM: usize = 1024;

/// What is counted together.
#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub enum Bucket {
    /// Calls of one traveller through one app, by kind.
    Calls {
        /// The traveller.
        account: Uuid,
        /// The app.
        client: String,
        /// The kind of limit.
        kind: LimitKind,
    },
    /// Client registrations from one address.
    Registration(IpAddr),
    /// Metadata documents of clients, fetched because of requests from one address.
    ClientDocument(IpAddr),
    /// New accounts from one address.
    SignUp(IpAddr),
    /// Failed sign-ins to one account from one address.
    SignInToAccount(String, IpAddr),
    /// Failed sign-ins from one address.
    SignInFromAddress(IpAddr),
    /// Failed calls of the token and revocation endpoints for one client from one address.
    TokenFailure(String, IpAddr),
}

impl Bucket {
    /// How many are allowed, and in how many seconds.
    pub fn limit(&self) -> (u32, u32) {
        match self {
            Self::Calls { kind, .. } => (kind.per_minute(), 60),
            Self::Registration(_) | Self::SignUp(_) => (10, 3600),
            Self::ClientDocument(_) => (60, 3600),
            Self::SignInToAccount(..) => (10, 60),
            Self::SignInFromAddress(_) | Self::TokenFailure(..) => (30, 60),
        }
    }
}

/// What the counter says of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// False: refuse it.
    pub allowed: bool,
    /// How many a window allows.
    pub limit: u32,
    /// How many are left in this window.
    pub remaining: u32,
    /// Whole seconds until the window closes, rounded up, at least 1.
    pub reset: u32,
}

#[derive(Clone, Copy)]
struct Window {
    opened: DateTime<Utc>,
    count: u32,
}

#[derive(Default)]
struct Shard {
    windows: HashMap<Bucket, Window>,
    sweep_at: usize,
}

/// The counters of this process.
pub struct Limiter {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
    /// False: everything is allowed (`--limits off`); windows are still counted, so that headers stay right.
    enforced: bool,
}

impl Limiter {
    /// New counters; `enforced: false` refuses nobody.
    pub fn new(enforced: bool) -> Self {
        Self { shards: std::array::from_fn(|_| Mutex::default()), hasher: RandomState::new(), enforced }
    }

    /// Forgets the windows of an account that was deleted.
    pub fn forget(&self, of: Uuid) {
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.windows.retain(|bucket, _| !matches!(bucket, Bucket::Calls { account, .. } if *account == of));
        }
    }

    /// Counts one, and says whether it is allowed.
    pub fn take(&self, bucket: &Bucket, now: DateTime<Utc>) -> Verdict {
        self.count(bucket, now, 1)
    }

    /// Says whether one more would be allowed, without counting it: for limits that count failures only.
    pub fn peek(&self, bucket: &Bucket, now: DateTime<Utc>) -> Verdict {
        self.count(bucket, now, 0)
    }

    fn count(&self, bucket: &Bucket, now: DateTime<Utc>, by: u32) -> Verdict {
        let (limit, seconds) = bucket.limit();
        let length = chrono::Duration::seconds(i64::from(seconds));
        let index = usize::try_from(self.hasher.hash_one(bucket) % SHARDS as u64).unwrap_or_default();
        let mut shard = self.shards[index].lock().unwrap_or_else(PoisonError::into_inner);
        shard.sweep(now);
        let fresh = Window { opened: now, count: 0 };
        let known = shard.windows.get_mut(bucket);
        let mut window = known.as_deref().copied().unwrap_or(fresh);
        if now - window.opened >= length || now < window.opened {
            window = fresh;
        }
        // A `peek` (by 0) asks whether there is room for one.
        let allowed = !self.enforced || window.count + by.max(1) <= limit;
        if by > 0 {
            window.count = window.count.saturating_add(by);
            match known {
                Some(known) => *known = window,
                None => drop(shard.windows.insert(bucket.clone(), window)),
            }
        }
        let left = (window.opened + length - now).num_milliseconds();
        let reset = u32::try_from((left + 999) / 1000).unwrap_or(1).max(1);
        Verdict { allowed, limit, remaining: limit.saturating_sub(window.count), reset }
    }
}

impl Shard {
    fn sweep(&mut self, now: DateTime<Utc>) {
        if self.windows.len() < self.sweep_at.max(SWEEP_FROM) {
            return;
        }
        self.windows.retain(|bucket, window| now - window.opened < chrono::Duration::seconds(bucket.limit().1.into()));
        self.sweep_at = self.windows.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + second, 0).expect("a date in range")
    }

    #[test]
    fn a_window_opens_at_its_first_request_and_closes_after_its_seconds() {
        let limiter = Limiter::new(true);
        let bucket = Bucket::Registration("127.0.0.1".parse().expect("an address"));
        for n in 1..=10 {
            assert_eq!(limiter.take(&bucket, at(n)).remaining, 10 - u32::try_from(n).expect("small"));
        }
        let refused = limiter.take(&bucket, at(100));
        assert!(!refused.allowed);
        assert_eq!(refused.reset, 3600 - 99);
        assert!(limiter.take(&bucket, at(3601)).allowed);
    }

    #[test]
    fn peeking_counts_nothing() {
        let limiter = Limiter::new(true);
        let bucket = Bucket::SignInFromAddress("127.0.0.1".parse().expect("an address"));
        for _ in 0..100 {
            assert!(limiter.peek(&bucket, at(0)).allowed);
        }
        for _ in 0..30 {
            limiter.take(&bucket, at(0));
        }
        assert!(!limiter.peek(&bucket, at(0)).allowed);
    }

    #[test]
    fn closed_windows_are_swept() {
        let limiter = Limiter::new(true);
        for n in 0..200_000_u32 {
            let address = IpAddr::from(n.to_be_bytes());
            limiter.take(&Bucket::SignInFromAddress(address), at(i64::from(n / 100)));
        }
        let open: usize = limiter.shards.iter().map(|s| s.lock().expect("no panic").windows.len()).sum();
        assert!(open < 2 * SHARDS * SWEEP_FROM, "{open} windows are kept");
    }
}
