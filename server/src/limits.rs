//! Rate limits: fixed windows, counted in this process.
//!
//! A window opens at its first request and closes when its seconds are over. If the clock is set back, an open window
//! restarts at its full length. Each shard of the map is swept as it grows, so memory is proportional to the number of
//! open windows. Other processes count separately.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use itinerary_api::policy::LimitKind;
use itinerary_store::Hash;
use uuid::Uuid;

const SHARDS: usize = 16;
/// A shard is swept when it reaches this many entries, and then whenever it doubles.
const SWEEP_FROM: usize = 1024;

/// The limit of all apps of a traveller together, as a multiple of one app's limit.
const ALL_APPS: u32 = 10;

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
    /// Reads of calendars at secret addresses from one address.
    Calendar(IpAddr),
    /// Calendars that are made for one account, from any address. One is made of up to 200 itineraries.
    AccountCalendar(Uuid),
    /// New accounts from one address.
    SignUp(IpAddr),
    /// Sign-ins to one account from one address that failed or are being checked.
    SignInToAccount(String, IpAddr),
    /// Sign-ins from one address that failed or are being checked.
    SignInFromAddress(IpAddr),
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
            Self::Registration(_) | Self::SignUp(_) => (10, 3600),
            Self::ClientDocument(_) => (60, 3600),
            Self::TripPage(_) | Self::Calendar(_) => (60, 60),
            Self::SignInToAccount(..) => (10, 60),
            Self::SignInFromAddress(_) | Self::TokenFailure(..) | Self::AccountCalendar(_) => (30, 60),
        }
    }
}

/// The state of a counter after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub allowed: bool,
    /// The maximum count in a window.
    pub limit: u32,
    /// How many are left in this window.
    pub remaining: u32,
    /// Whole seconds until the window closes, rounded up, at least 1.
    pub reset: u32,
}

#[derive(Clone, Copy)]
struct Window {
    /// Distinguishes the window from earlier and later ones of the bucket.
    number: u64,
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
    /// How many windows have been opened.
    opened: AtomicU64,
    /// If false (`--limits off`), everything is allowed. Windows are still counted for the headers.
    enforced: bool,
}

impl Limiter {
    pub fn new(enforced: bool) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            opened: AtomicU64::new(0),
            enforced,
        }
    }

    /// Removes the windows of a deleted account and of its folded name.
    pub fn forget(&self, of: Uuid, name: &str) {
        let is_theirs = |bucket: &Bucket| match bucket {
            Bucket::Calls { account, .. } | Bucket::AccountCalls { account, .. } | Bucket::AccountCalendar(account) => {
                *account == of
            }
            Bucket::SignInToAccount(signed_in_to, _) => signed_in_to == name,
            _ => false,
        };
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.windows.retain(|bucket, _| !is_theirs(bucket));
        }
    }

    /// Counts one and returns whether it is allowed.
    pub fn take(&self, bucket: &Bucket, now: DateTime<Utc>) -> Verdict {
        self.count(bucket, now, 1).0
    }

    /// Whether one more would be allowed. Does not count it; for limits that count only failures.
    pub fn peek(&self, bucket: &Bucket, now: DateTime<Utc>) -> Verdict {
        self.count(bucket, now, 0).0
    }

    /// Counts one in each bucket in advance, or returns the verdict of a full bucket. So concurrent requests cannot
    /// exceed a limit that counts failures.
    pub fn reserve(&self, buckets: Vec<Bucket>, now: DateTime<Utc>) -> Result<Reserved<'_>, Verdict> {
        let mut reserved = Reserved { limiter: self, counted: Vec::with_capacity(buckets.len()) };
        for bucket in buckets {
            let (verdict, number) = self.count(&bucket, now, 1);
            reserved.counted.push((bucket, number));
            if !verdict.allowed {
                reserved.give_back();
                return Err(verdict);
            }
        }
        Ok(reserved)
    }

    /// The verdict and the number of the window.
    fn count(&self, bucket: &Bucket, now: DateTime<Utc>, by: u32) -> (Verdict, u64) {
        let (limit, seconds) = bucket.limit();
        let length = chrono::Duration::seconds(i64::from(seconds));
        let mut shard = self.shard(bucket);
        shard.sweep(now);
        let known = shard.windows.get_mut(bucket);
        let mut window = match known.as_deref() {
            Some(known) if now - known.opened < length => Window { opened: known.opened.min(now), ..*known },
            _ => Window { number: self.opened.fetch_add(1, Ordering::Relaxed), opened: now, count: 0 },
        };
        // `peek` passes 0 and asks for room for one.
        let allowed = !self.enforced || window.count.saturating_add(by.max(1)) <= limit;
        if by > 0 {
            window.count = window.count.saturating_add(by);
            match known {
                Some(known) => *known = window,
                None => drop(shard.windows.insert(bucket.clone(), window)),
            }
        }
        let left = (window.opened + length - now).num_milliseconds();
        let reset = u32::try_from((left + 999) / 1000).unwrap_or(1).max(1);
        (Verdict { allowed, limit, remaining: limit.saturating_sub(window.count), reset }, window.number)
    }

    fn shard(&self, bucket: &Bucket) -> MutexGuard<'_, Shard> {
        let index = usize::try_from(self.hasher.hash_one(bucket) % SHARDS as u64).unwrap_or_default();
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts made in advance. They stay if this is dropped.
pub struct Reserved<'a> {
    limiter: &'a Limiter,
    counted: Vec<(Bucket, u64)>,
}

impl Reserved<'_> {
    /// Takes the counts back. A window that has opened since is left unchanged.
    pub fn give_back(self) {
        for (bucket, number) in self.counted {
            let mut shard = self.limiter.shard(&bucket);
            if let Some(window) = shard.windows.get_mut(&bucket).filter(|window| window.number == number) {
                window.count = window.count.saturating_sub(1);
            }
        }
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
    fn a_clock_that_is_set_back_opens_no_new_window() {
        let limiter = Limiter::new(true);
        let bucket = Bucket::SignInToAccount("ana".to_owned(), "127.0.0.1".parse().expect("an address"));
        // Requests that read the clock earlier are counted after later ones.
        let allowed = (0..100).filter(|n| limiter.take(&bucket, at(100 - n)).allowed).count();
        assert_eq!(allowed, 10);
        let refused = limiter.take(&bucket, at(-7000));
        assert_eq!((refused.allowed, refused.reset), (false, 60), "nor locks out for longer than a window");
        assert!(!limiter.take(&bucket, at(-6941)).allowed);
        assert!(limiter.take(&bucket, at(-6940)).allowed);
    }

    #[test]
    fn what_is_reserved_counts_until_it_is_given_back() {
        let limiter = Limiter::new(true);
        let address = "127.0.0.1".parse().expect("an address");
        let account =
            |name: &str| vec![Bucket::SignInToAccount(name.to_owned(), address), Bucket::SignInFromAddress(address)];
        let mut reserved: Vec<_> = (0..10).map(|_| limiter.reserve(account("ana"), at(0)).expect("room")).collect();
        assert_eq!(limiter.reserve(account("ana"), at(1)).err().map(|full| (full.limit, full.reset)), Some((10, 59)));
        for _ in 0..20 {
            reserved.push(
                limiter
                    .reserve(account("ben"), at(1))
                    .or_else(|_| limiter.reserve(account("cai"), at(1)))
                    .expect("room"),
            );
        }
        // Refused by one bucket, it counts in none, so giving one back makes room in that of `ana`.
        assert_eq!(limiter.reserve(account("dan"), at(1)).err().map(|full| full.limit), Some(30));
        reserved.remove(0).give_back();
        reserved.remove(0).give_back();
        drop(limiter.reserve(account("ana"), at(2)).expect("room"));
        drop(limiter.reserve(account("ana"), at(2)).expect("room"));
        assert!(limiter.reserve(account("ana"), at(2)).is_err(), "dropped, they stay counted");
        // Nothing is given back to a window that has opened since.
        let late = reserved.remove(0);
        for _ in 0..10 {
            drop(limiter.reserve(account("ana"), at(60)).expect("room"));
        }
        late.give_back();
        assert!(limiter.reserve(account("ana"), at(61)).is_err());
    }

    #[test]
    fn all_apps_of_a_traveller_have_ten_times_the_limit_of_one() {
        let limiter = Limiter::new(true);
        let bucket = Bucket::AccountCalls { account: Uuid::from_u128(1), kind: LimitKind::Image };
        assert_eq!((0..300).filter(|_| limiter.take(&bucket, at(0)).allowed).count(), 200);
    }

    #[test]
    fn a_deleted_accounts_windows_are_forgotten() {
        let limiter = Limiter::new(true);
        let (ana, ben) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let address = "127.0.0.1".parse().expect("an address");
        let buckets = |account, name: &str| {
            let (client, kind) = ("app".to_owned(), LimitKind::Image);
            let calls = [Bucket::Calls { account, client, kind }, Bucket::AccountCalls { account, kind }];
            calls.into_iter().chain([Bucket::SignInToAccount(name.to_owned(), address)])
        };
        for bucket in buckets(ana, "ana").chain(buckets(ben, "ben")) {
            limiter.take(&bucket, at(0));
        }
        limiter.forget(ana, "ana");
        let left = |bucket| limiter.peek(&bucket, at(1)).limit - limiter.peek(&bucket, at(1)).remaining;
        assert_eq!(buckets(ana, "ana").map(left).collect::<Vec<_>>(), [0, 0, 0]);
        assert_eq!(buckets(ben, "ben").map(left).collect::<Vec<_>>(), [1, 1, 1]);
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
