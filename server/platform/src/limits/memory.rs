//! Windows that are counted in this process.
//!
//! If the clock is set back, an open window restarts at its full length. Each shard of the map is swept as it grows, so
//! memory is proportional to the number of open windows.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::{Bucket, Verdict, seconds_left};

const SHARDS: usize = 16;
/// A shard is swept when it reaches this many entries, and then whenever it doubles.
const SWEEP_FROM: usize = 1024;

#[derive(Clone, Copy)]
struct MemoryWindow {
    /// Distinguishes the window from earlier and later ones of the bucket.
    number: u64,
    opened: DateTime<Utc>,
    count: u32,
}

#[derive(Default)]
struct Shard {
    windows: HashMap<Bucket, MemoryWindow>,
    sweep_at: usize,
}

/// The windows of this process.
pub(super) struct MemoryWindows {
    shards: [Mutex<Shard>; SHARDS],
    hasher: RandomState,
    /// How many windows have been opened.
    opened: AtomicU64,
    /// If false (`--limits off`), everything is allowed. Windows are still counted for the headers.
    enforced: bool,
}

impl MemoryWindows {
    pub(super) fn new(enforced: bool) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::new(),
            opened: AtomicU64::new(0),
            enforced,
        }
    }

    /// Removes the windows of a deleted account and of its folded name.
    pub(super) fn forget(&self, of: Uuid, name: &str) {
        let is_theirs = |bucket: &Bucket| match bucket {
            Bucket::Calls { account, .. }
            | Bucket::AccountCalls { account, .. }
            | Bucket::AccountCalendar(account)
            | Bucket::DecodedMegapixels(account)
            | Bucket::SecondStep(account) => *account == of,
            Bucket::SignInToAccount(signed_in_to, _) | Bucket::SignedInToAccount(signed_in_to) => signed_in_to == name,
            _ => false,
        };
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.windows.retain(|bucket, _| !is_theirs(bucket));
        }
    }

    /// Counts one in each bucket in turn, up to the first that is full. Returns the verdict of that one, or the one with
    /// the fewest left.
    pub(super) fn take(&self, buckets: &[Bucket], now: DateTime<Utc>) -> Verdict {
        Verdict::tightest(buckets.iter().map(|bucket| self.count(bucket, now, 1).0))
    }

    /// The verdict if one more were counted in each bucket.
    pub(super) fn peek(&self, buckets: &[Bucket], now: DateTime<Utc>) -> Verdict {
        Verdict::tightest(buckets.iter().map(|bucket| self.count(bucket, now, 0).0))
    }

    /// Counts one in each bucket, and returns the numbers of the windows; or counts none, and returns the verdict of the
    /// first full bucket.
    pub(super) fn reserve(&self, buckets: &[Bucket], now: DateTime<Utc>) -> Result<Vec<u64>, Verdict> {
        let mut numbers = Vec::with_capacity(buckets.len());
        for (n, bucket) in buckets.iter().enumerate() {
            let (verdict, number) = self.count(bucket, now, 1);
            numbers.push(number);
            if !verdict.allowed {
                self.give_back(buckets[..=n].iter().zip(numbers));
                return Err(verdict);
            }
        }
        Ok(numbers)
    }

    /// Takes counts back. A window that has opened since is left unchanged.
    pub(super) fn give_back<'b>(&self, counted: impl IntoIterator<Item = (&'b Bucket, u64)>) {
        for (bucket, number) in counted {
            let mut shard = self.shard(bucket);
            if let Some(window) = shard.windows.get_mut(bucket).filter(|window| window.number == number) {
                window.count = window.count.saturating_sub(1);
            }
        }
    }

    /// Sets a window to what another counter says: its count, and the milliseconds until it closes.
    pub(super) fn sync_from(&self, bucket: &Bucket, count: u32, left: i64, now: DateTime<Utc>) {
        let length = bucket.length();
        let opened = now - (length - TimeDelta::milliseconds(left).min(length));
        let mut shard = self.shard(bucket);
        shard.sweep(now);
        match shard.windows.get_mut(bucket) {
            Some(known) if now - known.opened < length => (known.opened, known.count) = (opened, count),
            _ => {
                let number = self.opened.fetch_add(1, Ordering::Relaxed);
                shard.windows.insert(bucket.clone(), MemoryWindow { number, opened, count });
            }
        }
    }

    /// The number of windows, of which some may have closed.
    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).windows.len()).sum()
    }

    /// The verdict and the number of the window.
    fn count(&self, bucket: &Bucket, now: DateTime<Utc>, by: u32) -> (Verdict, u64) {
        let (limit, length) = (bucket.limit().0, bucket.length());
        let mut shard = self.shard(bucket);
        shard.sweep(now);
        let known = shard.windows.get_mut(bucket);
        let mut window = match known.as_deref() {
            Some(known) if now - known.opened < length => MemoryWindow { opened: known.opened.min(now), ..*known },
            _ => MemoryWindow { number: self.opened.fetch_add(1, Ordering::Relaxed), opened: now, count: 0 },
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
        let reset = seconds_left((window.opened + length - now).num_milliseconds());
        let remaining = limit.saturating_sub(window.count);
        (Verdict { allowed, counted: true, limit, remaining, reset }, window.number)
    }

    fn shard(&self, bucket: &Bucket) -> MutexGuard<'_, Shard> {
        let index = usize::try_from(self.hasher.hash_one(bucket) % SHARDS as u64).unwrap_or_default();
        self.shards[index].lock().unwrap_or_else(PoisonError::into_inner)
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
