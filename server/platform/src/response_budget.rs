//! Limits the number and the memory of responses in progress. A response counts from the time when its caller is known
//! until the kernel has accepted its last byte.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::account_limit::{AccountLimit, TransferPermit};

/// The maximum number of responses in progress for each account.
const AT_ONCE: usize = 64;
/// One account's responses may hold the total memory divided by this.
const SHARE: usize = 4;
/// Responses of at most this many bytes are not counted against the memory.
pub const SMALL: usize = 64 * 1024;
/// The unit of memory is 1 KiB.
const UNIT: usize = 1024;
/// How long a response waits for memory.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct ResponseBudget {
    slots: AccountLimit,
    shares: AccountLimit,
    memory: Arc<Semaphore>,
    units: usize,
}

/// The slot and the memory of a response in progress.
#[derive(Debug, Default)]
pub struct HeldByResponse {
    /// One of its account's slots.
    pub slot: Option<TransferPermit>,
    /// The memory of a large response.
    pub memory: Option<ReservedMemory>,
}

/// Memory that a response may use; released when dropped.
#[derive(Debug)]
pub struct ReservedMemory {
    share: Option<TransferPermit>,
    memory: OwnedSemaphorePermit,
}

impl ResponseBudget {
    /// `memory` is the limit in bytes for all large responses together. `limits`: whether accounts are limited too.
    pub fn new(memory: usize, limits: bool) -> Self {
        let units = (memory / UNIT).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self {
            slots: AccountLimit::new(limits.then_some(AT_ONCE)),
            shares: AccountLimit::new(limits.then_some(units / SHARE)),
            memory: Arc::new(Semaphore::new(units)),
            units,
        }
    }

    /// Takes one of the account's slots. `None` if none is free within two seconds.
    pub async fn slot(&self, account: Uuid) -> Option<TransferPermit> {
        self.slots.acquire_soon(account, 1).await
    }

    /// The number of an account's responses in progress.
    pub fn under_way(&self, account: Uuid) -> usize {
        self.slots.running(account)
    }

    /// The memory in use and its limit, in bytes.
    pub fn memory(&self) -> (usize, usize) {
        let used = self.units.saturating_sub(self.memory.available_permits());
        (used * UNIT, self.units * UNIT)
    }

    /// Reserves memory for a response of this many bytes. `None` if too little is free for ten seconds.
    pub async fn reserve_memory(&self, account: Option<Uuid>, bytes: usize) -> Option<ReservedMemory> {
        // A response larger than the limit waits until it can have all memory.
        let units = bytes.div_ceil(UNIT).min(self.units);
        let share = match account {
            Some(account) => Some(self.shares.acquire_soon(account, units).await?),
            None => None,
        };
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let memory = Arc::clone(&self.memory).acquire_many_owned(units);
        let memory = tokio::time::timeout(LONGEST_WAIT, memory).await.ok()?.expect("it is never closed");
        Some(ReservedMemory { share, memory })
    }
}

impl ReservedMemory {
    /// Releases the memory that a response of this many bytes does not need.
    pub fn shrink(&mut self, bytes: usize) {
        let units = bytes.div_ceil(UNIT);
        if let Some(share) = &mut self.share {
            share.shrink(units);
        }
        drop(self.memory.split(self.memory.num_permits().saturating_sub(units)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    #[tokio::test(start_paused = true)]
    async fn large_responses_wait_for_memory() {
        let budget = ResponseBudget::new(8 * MIB, true);
        let (ana, ben) = (Some(Uuid::from_u128(1)), Some(Uuid::from_u128(2)));
        let mut first = budget.reserve_memory(ana, 2 * MIB).await.expect("a quarter is for one account");
        assert!(budget.reserve_memory(ana, 1).await.is_none(), "its share is used up");
        let _other = budget.reserve_memory(ben, 2 * MIB).await.expect("another account's share");
        let _images = budget.reserve_memory(None, 4 * MIB).await.expect("no account, no share");
        assert!(budget.reserve_memory(None, 1).await.is_none(), "nothing is left");
        first.shrink(MIB);
        assert!(budget.reserve_memory(ana, MIB).await.is_some());
        drop(first);
        assert_eq!(budget.memory.available_permits(), 2 * MIB / UNIT);
    }
}
