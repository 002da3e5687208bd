//! The system's clock and random source, which nothing else reads; and the limit of open files.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use itinerary_core::clock::{Clock, Random};

pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    fn now(&self) -> DateTime<Utc> {
        let now = Utc::now();
        now.duration_trunc(TimeDelta::milliseconds(1)).unwrap_or(now)
    }
}

/// OpenSSL's random source, seeded by the operating system.
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    fn fill(&self, bytes: &mut [u8]) {
        openssl::rand::rand_bytes(bytes).expect("the operating system gives randomness");
    }
}

/// File descriptors reserved for other uses than connections: the database, documents, the log.
#[cfg(unix)]
const OTHER_FILES: u64 = 256;

/// Raises the limit of open files as far as the system allows. Returns the number of connections that fit.
#[cfg(unix)]
pub fn room_for_connections(wanted: usize) -> usize {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let needed = wanted as u64 + OTHER_FILES;
    if limit.current.is_none_or(|current| current >= needed) {
        return wanted;
    }
    let current = Some(limit.maximum.map_or(needed, |maximum| maximum.min(needed)));
    // If it cannot be raised, it stays.
    let _ = setrlimit(Resource::Nofile, rustix::process::Rlimit { current, ..limit });
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(needed);
    let room = usize::try_from(allowed.saturating_sub(OTHER_FILES)).unwrap_or(wanted).clamp(1, wanted);
    if room < wanted {
        tracing::warn!(allowed, room, wanted, "the limit of open files allows fewer connections than configured");
    }
    room
}

/// The number of connections that fit.
#[cfg(not(unix))]
pub fn room_for_connections(wanted: usize) -> usize {
    wanted
}
