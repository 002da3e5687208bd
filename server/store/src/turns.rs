//! Turns: only so many at once, the rest wait their time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::{Result, StoreError};

/// How long a turn, or a connection, is waited for.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// So many turns.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    free: Arc<Semaphore>,
    count: u32,
}

impl Turns {
    /// At least one.
    pub(crate) fn new(count: u32) -> Self {
        let count = count.max(1);
        Self { free: Arc::new(Semaphore::new(count as usize)), count }
    }

    /// Waits for a turn, which lasts until it is dropped.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.free);
        timeout(ACQUIRE_TIMEOUT, free.acquire_owned())
            .await
            .map_err(|_| StoreError::unavailable("timed out waiting for a connection"))?
            .map_err(|_| StoreError::closed())
    }

    /// Waits until all turns are over; nobody has one afterwards.
    pub(crate) async fn close(&self) {
        let all = self.free.acquire_many(self.count).await;
        self.free.close();
        drop(all);
    }
}
