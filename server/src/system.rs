//! The real clock and the real random source: the one place that reads them.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use itinerary_core::clock::{Clock, Random};

/// The operating system's clock.
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
