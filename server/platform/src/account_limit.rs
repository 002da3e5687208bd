//! Limits for each account: concurrent uploads, concurrent responses, and the memory of its responses.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use uuid::Uuid;

/// How long a transfer waits for room.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The transfers of one kind.
#[derive(Debug)]
pub struct AccountLimit {
    /// The limit for each account, in units. `None` for no limit.
    limit: Option<usize>,
    running: Arc<UnitsInUse>,
}

/// The units in use, by account.
#[derive(Debug, Default)]
struct UnitsInUse {
    units: Mutex<HashMap<Uuid, usize>>,
    /// The number of transfers that wait for room.
    waiting: AtomicUsize,
    ended: Notify,
}

/// A transfer in progress; ends when dropped.
#[derive(Debug)]
pub struct TransferPermit {
    account: Uuid,
    units: usize,
    running: Arc<UnitsInUse>,
}

impl AccountLimit {
    /// Limits each account to this many units.
    pub fn new(limit: Option<usize>) -> Self {
        Self { limit, running: Arc::default() }
    }

    /// Begins a transfer of one unit. `None` if the account is at its limit.
    pub fn acquire(&self, account: Uuid) -> Option<TransferPermit> {
        self.acquire_units(account, 1)
    }

    fn acquire_units(&self, account: Uuid, units: usize) -> Option<TransferPermit> {
        let mut running = self.running.units.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.entry(account).or_insert(0);
        // An account without transfers may begin one of any size.
        if self.limit.is_some_and(|limit| *number > 0 && *number + units > limit) {
            return None;
        }
        *number += units;
        Some(TransferPermit { account, units, running: Arc::clone(&self.running) })
    }

    /// The units that an account has in use.
    pub fn running(&self, account: Uuid) -> usize {
        let running = self.running.units.lock().unwrap_or_else(PoisonError::into_inner);
        running.get(&account).copied().unwrap_or(0)
    }

    /// Begins a transfer of this many units. Waits up to two seconds for room.
    pub(crate) async fn acquire_soon(&self, account: Uuid, units: usize) -> Option<TransferPermit> {
        if let Some(permit) = self.acquire_units(account, units) {
            return Some(permit);
        }
        let _waiting = WaitingTransfer::new(&self.running);
        let begun = async {
            loop {
                // Registered before the check, so that no end of a transfer is missed.
                let ended = self.running.ended.notified();
                if let Some(permit) = self.acquire_units(account, units) {
                    return permit;
                }
                ended.await;
            }
        };
        tokio::time::timeout(LONGEST_WAIT, begun).await.ok()
    }
}

/// Counts as waiting until dropped.
struct WaitingTransfer<'r>(&'r UnitsInUse);

impl<'r> WaitingTransfer<'r> {
    fn new(running: &'r UnitsInUse) -> Self {
        running.waiting.fetch_add(1, Ordering::SeqCst);
        Self(running)
    }
}

impl Drop for WaitingTransfer<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

impl TransferPermit {
    /// Releases all but this many units.
    pub fn shrink(&mut self, units: usize) {
        let less = self.units.saturating_sub(units);
        self.units -= less;
        self.give_back(less);
    }

    fn give_back(&self, units: usize) {
        let mut running = self.running.units.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut number) = running.entry(self.account) {
            *number.get_mut() -= units;
            if *number.get() == 0 {
                number.remove();
            }
        }
        drop(running);
        if self.running.waiting.load(Ordering::SeqCst) > 0 {
            self.running.ended.notify_waiters();
        }
    }
}

impl Drop for TransferPermit {
    fn drop(&mut self) {
        self.give_back(self.units);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_so_many_at_once() {
        let (ana, ben) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let limit = AccountLimit::new(Some(2));
        let first = limit.acquire(ana).expect("the first");
        let _second = limit.acquire(ana).expect("the second");
        assert!(limit.acquire(ana).is_none());
        let _other = limit.acquire(ben).expect("another account's first");
        drop(first);
        let third = limit.acquire(ana);
        assert!(third.is_some() && limit.acquire(ana).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn acquire_soon_waits_two_seconds_for_room() {
        let ana = Uuid::from_u128(1);
        let limit = AccountLimit::new(Some(10));
        let mut first = limit.acquire_soon(ana, 8).await.expect("the first");
        let began = tokio::time::Instant::now();
        assert!(limit.acquire_soon(ana, 3).await.is_none());
        assert_eq!(began.elapsed(), LONGEST_WAIT);
        let (second, ()) = tokio::join!(limit.acquire_soon(ana, 3), async { first.shrink(7) });
        assert!(second.is_some() && began.elapsed() == LONGEST_WAIT, "it began when there was room");
        assert!(limit.acquire(ana).is_none());
        drop((first, second));
        assert!(limit.acquire_soon(ana, 20).await.is_some(), "one permit is always allowed");
        assert!(limit.running.units.lock().expect("no panic").is_empty());
    }
}
