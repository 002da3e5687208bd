//! A semaphore with a timeout.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::StoreError;

/// How long to wait for a permit.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Turns {
    free: Arc<Semaphore>,
    count: u32,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoTurn {
    TimedOut,
    Closed,
}

impl Turns {
    /// At least one.
    pub(crate) fn new(count: u32) -> Self {
        let count = count.max(1);
        Self { free: Arc::new(Semaphore::new(count as usize)), count }
    }

    /// Waits for a permit, which is released when it is dropped.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, NoTurn> {
        self.take_until(Instant::now() + ACQUIRE_TIMEOUT).await
    }

    /// Waits for a permit until this instant.
    pub(crate) async fn take_until(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, NoTurn> {
        let free = Arc::clone(&self.free);
        let permit = timeout_at(deadline, free.acquire_owned()).await.map_err(|_| NoTurn::TimedOut)?;
        permit.map_err(|_| NoTurn::Closed)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Waits until all permits are released; none is given out after that.
    pub(crate) async fn close(&self) {
        let all = self.free.acquire_many(self.count).await;
        self.free.close();
        drop(all);
    }
}

impl From<NoTurn> for StoreError {
    fn from(none: NoTurn) -> Self {
        match none {
            NoTurn::TimedOut => Self::unavailable("timed out waiting for a connection"),
            NoTurn::Closed => Self::closed(),
        }
    }
}
