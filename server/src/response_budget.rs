//! The responses in flight, from the moment when their caller is known until the kernel has taken their last byte: how many
//! an account may have at once, and how much memory all of them may hold.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::account_limit::{AccountLimit, Permit};

/// How many answers an account may have under way at once.
const AT_ONCE: usize = 64;
/// The part of the memory that one account's answers may hold.
const SHARE: usize = 4;
/// Answers of at most so many bytes are not accounted for.
pub(crate) const SMALL: usize = 64 * 1024;
/// What is counted: KiB.
const UNIT: usize = 1024;
/// How long an answer waits for memory that others hold.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The answers that are under way.
#[derive(Debug)]
pub struct ResponseBudget {
    slots: AccountLimit,
    shares: AccountLimit,
    memory: Arc<Semaphore>,
    units: usize,
}

/// What an answer holds while it is under way.
#[derive(Debug, Default)]
pub struct HeldByResponse {
    /// Its place among its account's.
    pub slot: Option<Permit>,
    /// The memory of a large one.
    pub memory: Option<ReservedMemory>,
}

/// Memory that an answer may use.
#[derive(Debug)]
pub struct ReservedMemory {
    share: Option<Permit>,
    memory: OwnedSemaphorePermit,
}

impl ResponseBudget {
    /// Large answers may hold so many bytes together. `limits`: whether accounts are limited, too.
    pub fn new(memory: usize, limits: bool) -> Self {
        let units = (memory / UNIT).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self {
            slots: AccountLimit::new(limits.then_some(AT_ONCE)),
            shares: AccountLimit::new(limits.then_some(units / SHARE)),
            memory: Arc::new(Semaphore::new(units)),
            units,
        }
    }

    /// A place for an answer; `None` if the account's others leave none within two seconds.
    pub async fn slot(&self, account: Uuid) -> Option<Permit> {
        self.slots.acquire_soon(account, 1).await
    }

    /// How many answers of an account are under way.
    pub fn under_way(&self, account: Uuid) -> usize {
        self.slots.running(account)
    }

    /// Memory for an answer of so many bytes; `None` if others leave too little for a while.
    pub(crate) async fn reserve_memory(&self, account: Option<Uuid>, bytes: usize) -> Option<ReservedMemory> {
        // An answer that is larger than all memory waits until it has it to itself.
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
    /// Keeps no more than what an answer of so many bytes needs.
    pub(crate) fn shrink(&mut self, bytes: usize) {
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
    async fn large_answers_wait_for_memory() {
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
