//! Who read what: noted in memory by every read, counted in the database by a job, so that a read writes nothing.
//!
//! What was noted and not yet counted is lost when the process is killed; the count may be behind by as much.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// How many reads are remembered at most; more are not counted until there is room again.
const NOTED: usize = 100_000;

/// Itineraries with their readers, and the days on which they read.
#[derive(Debug, Default)]
pub struct Reads(Mutex<HashSet<Read>>);

/// That an itinerary was read by somebody on a day since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    /// The day.
    pub day: i64,
    /// The itinerary.
    pub itinerary: Uuid,
    /// Who read it.
    pub reader: Uuid,
}

impl Reads {
    /// Notes that an itinerary was read by somebody.
    pub fn note(&self, itinerary: Uuid, reader: Uuid, now: DateTime<Utc>) {
        let day = day_of(now);
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < NOTED {
            noted.insert(Read { day, itinerary, reader });
        }
    }

    /// Notes again what was taken and could not be counted.
    pub fn give_back(&self, reads: Vec<Read>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(reads);
    }

    /// Takes what was noted, day by day.
    pub fn take(&self) -> Vec<Read> {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut reads: Vec<_> = noted.into_iter().collect();
        reads.sort_unstable();
        reads
    }
}

/// The day of an instant, since 1970.
pub(crate) fn day_of(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(24 * 60 * 60)
}
