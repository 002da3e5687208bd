//! Who read what: noted in memory by every read, counted in the database by a job, so that a read writes nothing.
//!
//! What was noted and not yet counted is lost when the process is killed; the count may be behind by as much.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use uuid::Uuid;

/// How many reads are remembered at most; more are not counted until there is room again.
const NOTED: usize = 100_000;

/// Itineraries with their readers.
#[derive(Debug, Default)]
pub struct Views(Mutex<HashSet<(Uuid, Uuid)>>);

impl Views {
    /// Notes that an itinerary was read by somebody.
    pub fn note(&self, itinerary: Uuid, reader: Uuid) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() < NOTED {
            noted.insert((itinerary, reader));
        }
    }

    /// Takes what was noted.
    pub fn take(&self) -> Vec<(Uuid, Uuid)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}
