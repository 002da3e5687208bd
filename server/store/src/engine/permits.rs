//! A semaphore with a timeout.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::StoreError;
use crate::engine::observed::{PoolState, Waits};

/// How long to wait for a permit.
pub(crate) const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub(crate) struct Permits {
    free: Arc<Semaphore>,
    count: u32,
    waits: Waits,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPermit {
    TimedOut,
    Closed,
}

impl Permits {
    /// At least one.
    pub(crate) fn new(count: u32) -> Self {
        let count = count.max(1);
        Self { free: Arc::new(Semaphore::new(count as usize)), count, waits: Waits::default() }
    }

    /// Waits for a permit, which is released when it is dropped.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, NoPermit> {
        self.take_until(Instant::now() + ACQUIRE_TIMEOUT).await
    }

    /// Waits for a permit until this instant.
    pub(crate) async fn take_until(&self, deadline: Instant) -> Result<OwnedSemaphorePermit, NoPermit> {
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(permit);
        }
        let waiting = self.waits.begin();
        let Ok(permit) = timeout_at(deadline, Arc::clone(&self.free).acquire_owned()).await else {
            waiting.timed_out();
            return Err(NoPermit::TimedOut);
        };
        permit.map_err(|_| NoPermit::Closed)
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn state(&self) -> PoolState {
        let free = u32::try_from(self.free.available_permits()).unwrap_or(self.count);
        self.waits.state(self.count, self.count.saturating_sub(free))
    }

    /// Waits until all permits are released; none is given out after that.
    pub(crate) async fn close(&self) {
        let all = self.free.acquire_many(self.count).await;
        self.free.close();
        drop(all);
    }
}

impl From<NoPermit> for StoreError {
    fn from(none: NoPermit) -> Self {
        match none {
            NoPermit::TimedOut => Self::unavailable("timed out waiting for a connection"),
            NoPermit::Closed => Self::closed(),
        }
    }
}
