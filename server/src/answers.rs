//! Limits answers in progress, from the time their caller is known until the kernel has taken their last byte: how many
//! an account may have, and how much memory they may hold.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use crate::transfers::{Transfer, Transfers};

/// The maximum number of answers in progress for each account.
const AT_ONCE: usize = 64;
/// The answers of one account may hold the memory divided by this.
const SHARE: usize = 4;
/// Answers of at most this many bytes are not counted against the memory.
pub(crate) const SMALL: usize = 64 * 1024;
/// The unit of memory is 1 KiB.
const UNIT: usize = 1024;
/// How long an answer waits for memory.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Answers {
    slots: Transfers,
    shares: Transfers,
    memory: Arc<Semaphore>,
    units: usize,
}

/// What an answer holds while it is in progress.
#[derive(Debug, Default)]
pub struct Held {
    /// One of its account's slots.
    pub slot: Option<Transfer>,
    /// The memory of a large answer.
    pub memory: Option<Reservation>,
}

/// Memory that an answer may use; released when dropped.
#[derive(Debug)]
pub struct Reservation {
    share: Option<Transfer>,
    memory: OwnedSemaphorePermit,
}

impl Answers {
    /// `memory` is the limit in bytes for all large answers together. `limits` is whether accounts are limited, too.
    pub fn new(memory: usize, limits: bool) -> Self {
        let units = (memory / UNIT).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self {
            slots: Transfers::new(limits.then_some(AT_ONCE)),
            shares: Transfers::new(limits.then_some(units / SHARE)),
            memory: Arc::new(Semaphore::new(units)),
            units,
        }
    }

    /// Takes one of the account's slots. `None` if none is free within two seconds.
    pub async fn begin(&self, account: Uuid) -> Option<Transfer> {
        self.slots.begin_soon(account, 1).await
    }

    /// The number of an account's answers in progress.
    pub fn under_way(&self, account: Uuid) -> usize {
        self.slots.running(account)
    }

    /// Reserves memory for an answer of this many bytes. `None` if too little is free for ten seconds.
    pub(crate) async fn reserve(&self, account: Option<Uuid>, bytes: usize) -> Option<Reservation> {
        // An answer larger than the limit waits until it can have all memory.
        let units = bytes.div_ceil(UNIT).min(self.units);
        let share = match account {
            Some(account) => Some(self.shares.begin_soon(account, units).await?),
            None => None,
        };
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let memory = Arc::clone(&self.memory).acquire_many_owned(units);
        let memory = tokio::time::timeout(LONGEST_WAIT, memory).await.ok()?.expect("it is never closed");
        Some(Reservation { share, memory })
    }
}

impl Reservation {
    /// Releases the memory that an answer of this many bytes does not need.
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
        let answers = Answers::new(8 * MIB, true);
        let (ana, ben) = (Some(Uuid::from_u128(1)), Some(Uuid::from_u128(2)));
        let mut first = answers.reserve(ana, 2 * MIB).await.expect("a quarter is for one account");
        assert!(answers.reserve(ana, 1).await.is_none(), "its share is used up");
        let _other = answers.reserve(ben, 2 * MIB).await.expect("another account's share");
        let _images = answers.reserve(None, 4 * MIB).await.expect("no account, no share");
        assert!(answers.reserve(None, 1).await.is_none(), "nothing is left");
        first.shrink(MIB);
        assert!(answers.reserve(ana, MIB).await.is_some());
        drop(first);
        assert_eq!(answers.memory.available_permits(), 2 * MIB / UNIT);
    }
}
