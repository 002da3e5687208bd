//! Work that occupies a processor for more than about a millisecond: optimising a day, exports, pages, calendars, matching
//! many names.
//!
//! It runs beside the threads that serve requests, in fair turns (`fair_pool.rs`), and is charged to whoever caused it
//! (`cpu_time.rs`). Passwords and images have pools of their own.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::cpu_time::{CpuTime, ShareUsed};
use crate::fair_pool::{Busy, FairPool, FairPoolState, PoolLimits, Requester};

/// How long a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How many requests of one account or address may wait.
const WAITING: usize = 32;

/// Why long work was not begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LongWorkError {
    #[error(transparent)]
    Busy(#[from] Busy),
    #[error(transparent)]
    ShareUsed(#[from] ShareUsed),
}

/// The pool for long work.
pub struct LongWork {
    pool: FairPool,
    cpu_time: Arc<CpuTime>,
}

impl LongWork {
    /// Half of the processors work at once, so that the others serve requests; for one requester half of those.
    pub fn new(processors: usize, cpu_time: Arc<CpuTime>) -> Self {
        let slots = processors.div_ceil(2).max(1);
        let limits = PoolLimits { slots, running_per_key: slots.div_ceil(2), waiting_per_key: WAITING };
        Self { pool: FairPool::new(limits), cpu_time }
    }

    pub fn state(&self) -> FairPoolState {
        self.pool.state()
    }

    /// Does work when it is the requester's turn. Fails if the requester has used up its share of the processor, or waits
    /// for too long. Work that has begun is completed even if nobody waits for it.
    pub async fn run<T: Send + 'static>(
        &self,
        requester: Requester,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, LongWorkError> {
        self.cpu_time.admit(requester)?;
        let turn = self.pool.turn(requester, Instant::now() + LONGEST_WAIT).await?;
        let payer = self.cpu_time.payer(requester);
        Ok(turn.run(move || payer.measure(work)).await)
    }
}

#[cfg(test)]
mod tests {
    use itinerary_store::thread_time;
    use uuid::Uuid;

    use super::*;
    use crate::system::SystemClock;

    #[tokio::test]
    async fn an_exhausted_share_gets_no_turn() {
        let cpu_time = Arc::new(CpuTime::new(Some(Duration::from_millis(5)), Arc::new(SystemClock)));
        let long_work = LongWork::new(1, cpu_time);
        let spend = || {
            let began = thread_time();
            while thread_time().saturating_sub(began) < Duration::from_millis(6) {}
            1
        };
        let [ana, ben] = [1, 2].map(|number| Requester::Account(Uuid::from_u128(number)));
        assert!(matches!(long_work.run(ana, spend).await, Ok(1)));
        assert!(matches!(
            long_work.run(ana, spend).await,
            Err(LongWorkError::ShareUsed(ShareUsed { seconds: 1..=60 }))
        ));
        assert!(matches!(long_work.run(ben, spend).await, Ok(1)), "another account");
        for _ in 0..2 {
            assert!(matches!(long_work.run(Requester::Server, spend).await, Ok(1)), "the server itself");
        }
    }
}
