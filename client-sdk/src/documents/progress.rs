//! How far a transfer is. It measures bytes, not time.

/// How far a transfer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The bytes of the sealed file that have been handed over so far.
    pub transferred: u64,
    /// The size of the sealed file in bytes.
    pub total: u64,
}
