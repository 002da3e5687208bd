//! The current time, to find out whether a token has expired. Tests have clocks of their own.

use chrono::{DateTime, Utc};

/// A source of the current time, to find out whether a token has expired.
///
/// ```
/// use std::sync::Mutex;
/// use chrono::{DateTime, Utc};
/// use itinerary_sdk::Clock;
///
/// /// A clock that a test sets.
/// struct TestClock(Mutex<DateTime<Utc>>);
///
/// impl Clock for TestClock {
///     fn now(&self) -> DateTime<Utc> {
///         *self.0.lock().unwrap()
///     }
/// }
/// ```
pub trait Clock: Send + Sync {
    /// Returns the current instant in UTC.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the operating system.
///
/// ```
/// use itinerary_sdk::{Clock, SystemClock};
///
/// assert!(SystemClock.now() > chrono::DateTime::UNIX_EPOCH);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}
