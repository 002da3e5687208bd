//! Calendars that have been written, kept until something in them changes.
//!
//! In memory, because they can be written again at any time. A calendar's tag names everything that it depends on, so one
//! with another tag is not used.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;
use uuid::Uuid;

use crate::fair_pool::{Busy, FairPool, PoolLimits, Turn};

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
    files: Mutex<HashMap<Uuid, KeptCalendar>>,
    writing: FairPool<Uuid>,
}

struct KeptCalendar {
    etag: String,
    file: Bytes,
    at: DateTime<Utc>,
}

impl Default for KeptCalendars {
    fn default() -> Self {
        let limits = PoolLimits { slots: WRITING, running_per_key: 1, waiting_per_key: WAITING };
        Self { files: Mutex::default(), writing: FairPool::new(limits) }
    }
}

impl KeptCalendars {
    /// Waits until the account's calendar may be written. Nobody else writes it during the turn.
    pub async fn turn(&self, account: Uuid) -> Result<Turn<Uuid>, Busy> {
        self.writing.turn(account, Instant::now() + LONGEST_WAIT).await
    }

    /// The account's calendar with this tag.
    pub fn find(&self, account: Uuid, etag: &str) -> Option<Bytes> {
        let kept = self.lock();
        kept.get(&account).filter(|kept| kept.etag == etag).map(|kept| kept.file.clone())
    }

    /// Keeps an account's calendar instead of an earlier one. Removes old ones, and others if there is no room.
    pub fn keep(&self, account: Uuid, etag: &str, file: &Bytes, now: DateTime<Utc>) {
        let mut kept = self.lock();
        kept.insert(account, KeptCalendar { etag: etag.to_owned(), file: file.clone(), at: now });
        kept.retain(|_, kept| (now - kept.at).abs() < KEPT);
        let mut room = MEMORY.saturating_sub(file.len());
        kept.retain(|of, kept| {
            let fits = *of == account || kept.file.len() <= room;
            room -= if fits && *of != account { kept.file.len() } else { 0 };
            fits
        });
    }

    /// Forgets the calendar of a deleted account.
    pub fn forget(&self, account: Uuid) {
        self.lock().remove(&account);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, KeptCalendar>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + hour * 3600, 0).expect("a date in range")
    }

    #[test]
    fn a_calendar_is_kept_for_its_tag_until_it_is_old() {
        let (calendars, ana, ben) = (KeptCalendars::default(), Uuid::from_u128(1), Uuid::from_u128(2));
        calendars.keep(ana, "\"a\"", &Bytes::from_static(b"first"), at(0));
        assert_eq!(calendars.find(ana, "\"a\"").as_deref(), Some(&b"first"[..]));
        assert_eq!((calendars.find(ana, "\"b\""), calendars.find(ben, "\"a\"")), (None, None));
        calendars.keep(ana, "\"b\"", &Bytes::from_static(b"second"), at(1));
        assert_eq!(calendars.find(ana, "\"a\""), None);
        calendars.keep(ben, "\"c\"", &Bytes::from_static(b"other"), at(13));
        assert_eq!(calendars.find(ana, "\"b\""), None, "it is old");
        calendars.forget(ben);
        assert_eq!(calendars.find(ben, "\"c\""), None);
    }

    #[test]
    fn all_together_are_bounded() {
        let (calendars, file) = (KeptCalendars::default(), Bytes::from(vec![b'x'; MEMORY / 4]));
        for number in 0..20 {
            calendars.keep(Uuid::from_u128(number), "\"a\"", &file, at(0));
        }
        assert_eq!(calendars.lock().len(), 4);
        assert!(calendars.find(Uuid::from_u128(19), "\"a\"").is_some(), "the latest is kept");
    }
}
