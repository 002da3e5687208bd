//! Types that the whole crate uses and that use nothing of it.

/// A SHA-256 digest. Tokens, codes, secrets and sessions are stored only in this form.
pub type Hash = [u8; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseKind {
    Sqlite,
    Postgres,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    /// Rejected: the itinerary has this version now.
    Stale(i64),
    /// The itinerary does not exist.
    Gone,
    /// Rejected: the uploader no longer has Pro, or may no longer change the itinerary.
    NotAllowed,
    /// Rejected: the owner's storage quota would be exceeded.
    OverQuota,
    /// Rejected: the document's file has expired.
    FileGone,
}
