//! Turns for decoding and drawing images, off the threads that serve requests.
//!
//! One image is worked on at a time, so that memory stays bounded. Accounts and addresses take turns. Nothing here stores
//! an image.

use tokio::time::Instant;

use crate::fair_pool::{Busy, FairPool, FairPoolState, PoolLimits, Requester, Turn};

/// How many images may wait for one account or address. A page of Explore shows fewer covers.
const WAITING: usize = 64;

/// The pool in which images are decoded and drawn.
pub struct Pictures(FairPool);

impl Pictures {
    /// Without limits, any number may wait for one account or address.
    pub fn new(has_limits: bool) -> Self {
        let waiting_per_key = if has_limits { WAITING } else { usize::MAX };
        Self(FairPool::new(PoolLimits { slots: 1, running_per_key: 1, waiting_per_key }))
    }

    /// Waits for a turn. It lasts until it is dropped.
    pub async fn turn(&self, requester: Requester, deadline: Instant) -> Result<Turn, Busy> {
        self.0.turn(requester, deadline).await
    }

    /// How many images are worked on and wait.
    pub fn state(&self) -> FairPoolState {
        self.0.state()
    }
}
