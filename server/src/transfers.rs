//! Uploads and downloads of documents in progress: each account may have so many at once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

/// The transfers of one direction.
#[derive(Debug)]
pub struct Transfers {
    /// How many an account may have at once; `None` for no limit.
    limit: Option<usize>,
    running: Arc<Mutex<HashMap<Uuid, usize>>>,
}

/// A transfer in progress. It ends when this is dropped.
#[derive(Debug)]
pub struct Transfer {
    account: Uuid,
    running: Arc<Mutex<HashMap<Uuid, usize>>>,
}

impl Transfers {
    /// At most so many at once for each account.
    pub fn new(limit: Option<usize>) -> Self {
        Self { limit, running: Arc::default() }
    }

    /// Begins a transfer; `None` if the account has as many as it may.
    pub fn begin(&self, account: Uuid) -> Option<Transfer> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let number = running.entry(account).or_insert(0);
        if self.limit.is_some_and(|limit| *number >= limit) {
            return None;
        }
        *number += 1;
        Some(Transfer { account, running: Arc::clone(&self.running) })
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut number) = running.entry(self.account) {
            *number.get_mut() -= 1;
            if *number.get() == 0 {
                number.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_so_many_at_once() {
        let (ana, ben) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let transfers = Transfers::new(Some(2));
        let first = transfers.begin(ana).expect("the first");
        let _second = transfers.begin(ana).expect("the second");
        assert!(transfers.begin(ana).is_none());
        let _other = transfers.begin(ben).expect("another account's first");
        drop(first);
        let third = transfers.begin(ana);
        assert!(third.is_some() && transfers.begin(ana).is_none());
    }
}
