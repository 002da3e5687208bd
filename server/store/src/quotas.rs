//! Quotas, each checked in the transaction of the write that would exceed it.
//!
//! The storage quota for documents is an argument of each upload.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Itineraries per account, saved copies included.
    pub itineraries: i64,
    /// Members per itinerary, invitations included.
    pub members: i64,
    /// People whom an account may follow.
    pub following: i64,
    /// Invitations of one owner in 30 days that were not accepted.
    pub invitations: i64,
    /// Accounts that an account may block.
    pub blocks: i64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { itineraries: 2_000, members: 100, following: 5_000, invitations: 20, blocks: 1_000 }
    }
}
