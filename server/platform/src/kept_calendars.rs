//! Calendars that have been written, kept until something in them changes.
//!
//! In memory, because they can be written again at any time. A calendar's tag names everything that it depends on, so one
//! with another tag is not used.

use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;
use uuid::Uuid;

use crate::fair_pool::{Busy, FairPool, PoolLimits, Turn};
use crate::memory_cache::MemoryCache;

/// The maximum size of all kept calendars, in bytes.
const MEMORY: usize = 64 * 1024 * 1024;
/// For how long a calendar is kept. Programs read it every few hours.
const KEPT: TimeDelta = TimeDelta::hours(12);

/// How many calendars are read and written at once, one of each account. They hold the itineraries that they have read.
const WRITING: usize = 8;
/// How many requests for the calendar of one account may wait for it.
const WAITING: usize = 32;
/// How long a request waits.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The latest calendar of each account.
pub struct KeptCalendars {
    files: MemoryCache<Uuid, KeptCalendar>,
    writing: FairPool<Uuid>,
}

#[derive(Clone)]
struct KeptCalendar {
    etag: String,
    file: Bytes,
}

impl Default for KeptCalendars {
    fn default() -> Self {
        let limits = PoolLimits { slots: WRITING, running_per_key: 1, waiting_per_key: WAITING };
        Self { files: MemoryCache::new(MEMORY, KEPT), writing: FairPool::new(limits) }
    }
}

impl KeptCalendars {
    /// Waits until the account's calendar may be written. Nobody else writes it during the turn.
    pub async fn turn(&self, account: Uuid) -> Result<Turn<Uuid>, Busy> {
        self.writing.turn(account, Instant::now() + LONGEST_WAIT).await
    }

    /// The account's calendar with this tag.
    pub fn find(&self, account: Uuid, etag: &str, now: DateTime<Utc>) -> Option<Bytes> {
        self.files.get(&account, now).filter(|kept| kept.etag == etag).map(|kept| kept.file)
    }

    /// Keeps an account's calendar instead of an earlier one.
    pub fn keep(&self, account: Uuid, etag: &str, file: &Bytes, now: DateTime<Utc>) {
        self.files.insert(account, KeptCalendar { etag: etag.to_owned(), file: file.clone() }, file.len(), now);
    }

    /// Removes the calendars that are too old.
    pub fn remove_expired(&self, now: DateTime<Utc>) {
        self.files.remove_expired(now);
    }

    /// Forgets the calendar of a deleted account.
    pub fn forget(&self, account: Uuid) {
        self.files.remove(&account);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_is_kept_for_its_tag_until_the_account_is_deleted() {
        let (calendars, ana, ben) = (KeptCalendars::default(), Uuid::from_u128(1), Uuid::from_u128(2));
        let now = DateTime::UNIX_EPOCH;
        calendars.keep(ana, "\"a\"", &Bytes::from_static(b"first"), now);
        assert_eq!(calendars.find(ana, "\"a\"", now).as_deref(), Some(&b"first"[..]));
        assert_eq!((calendars.find(ana, "\"b\"", now), calendars.find(ben, "\"a\"", now)), (None, None));
        calendars.keep(ana, "\"b\"", &Bytes::from_static(b"second"), now);
        assert_eq!(calendars.find(ana, "\"a\"", now), None);
        calendars.forget(ana);
        assert_eq!(calendars.find(ana, "\"b\"", now), None);
    }
}
