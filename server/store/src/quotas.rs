//! Quotas: how much an account may have of what others would pay for. Each is checked in the transaction of the write that
//! would exceed it.
//!
//! The storage quota for documents is not here: it comes with each document.

use crate::Store;

/// How much an account may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Itineraries that an account owns, saved copies included.
    pub itineraries: i64,
    /// Members of an itinerary.
    pub members: i64,
    /// People whom an account follows.
    pub following: i64,
    /// Memberships that one owner may give to an account that does not follow them.
    pub unsolicited_memberships: i64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { itineraries: 2_000, members: 100, following: 5_000, unsolicited_memberships: 20 }
    }
}

impl Store {
    /// This store with other quotas.
    #[must_use]
    pub fn with_quotas(self, quotas: Quotas) -> Self {
        Self { quotas, ..self }
    }

    /// The quotas that writes are checked by.
    pub fn quotas(&self) -> &Quotas {
        &self.quotas
    }
}
