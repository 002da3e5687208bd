//! A semaphore with a timeout.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::{Result, StoreError};

/// How long to wait for a permit, or a connection.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

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

    /// Waits for a permit, which is released when it is dropped.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit> {
        let free = Arc::clone(&self.free);
        timeout(ACQUIRE_TIMEOUT, free.acquire_owned())
            .await
            .map_err(|_| StoreError::unavailable("timed out waiting for a connection"))?
            .map_err(|_| StoreError::closed())
    }

    /// Waits until all permits are released; none is given out after that.
    pub(crate) async fn close(&self) {
        let all = self.free.acquire_many(self.count).await;
        self.free.close();
        drop(all);
    }
}
