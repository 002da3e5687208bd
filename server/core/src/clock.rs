//! What the rules need of the outside world: the time and randomness, as arguments.
//!
//! The real ones live in the server; tests bring their own.

use chrono::{DateTime, Utc};

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// The time now, in whole milliseconds: what is stored and sent is what was read.
    fn now(&self) -> DateTime<Utc>;
}

/// Where randomness comes from. It must be fit for secrets.
pub trait Random: Send + Sync {
    /// Fills the slice with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

impl dyn Random + '_ {
    /// `N` random bytes.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }
}
