//! Counts reads of itineraries. Every read is noted in memory and a job counts it in the database, so that a read
//! writes nothing.
//!
//! If the process is killed, reads that have not been counted are lost.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// The maximum number of noted reads. While it is reached, further reads are not counted.
const NOTED: usize = 100_000;

/// The noted reads: at most one for each itinerary, reader and day.
#[derive(Debug, Default)]
pub struct Reads(Mutex<HashSet<Read>>);

/// A read of an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Read {
    /// Days since 1970-01-01.
    pub day: i64,
    pub itinerary: Uuid,
    pub reader: Uuid,
}

impl Reads {
    /// Notes a read.
    pub fn note(&self, itinerary: Uuid, reader: Uuid, now: DateTime<Utc>) {
        let day = day_of(now);
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < NOTED {
            noted.insert(Read { day, itinerary, reader });
        }
    }

    /// The number of noted reads.
    pub fn number(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Returns reads that could not be counted.
    pub fn give_back(&self, reads: Vec<Read>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(reads);
    }

    /// Takes the noted reads, ordered by day.
    pub fn take(&self) -> Vec<Read> {
        let noted = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut reads: Vec<_> = noted.into_iter().collect();
        reads.sort_unstable();
        reads
    }
}

/// Days from 1970-01-01 to an instant.
pub fn day_of(now: DateTime<Utc>) -> i64 {
    now.timestamp().div_euclid(24 * 60 * 60)
}
