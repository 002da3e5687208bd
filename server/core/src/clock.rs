//! Time and randomness as arguments of the rules. The server passes the system's; tests pass their own.

use chrono::{DateTime, Utc};

pub trait Clock: Send + Sync {
    /// The current time, truncated to milliseconds, because that is the precision that is stored and sent.
    fn now(&self) -> DateTime<Utc>;
}

/// A source of random bytes. It must be cryptographically secure.
pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}

impl dyn Random + '_ {
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}
