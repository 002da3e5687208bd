//! Short reads: in the calling thread, on that thread's connection.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Connection, Settings};
use crate::{Result, StoreError};

/// The connections of the reading threads, each opened on first use.
#[derive(Debug)]
pub(super) struct Readers {
    settings: Settings,
    slots: Box<[Mutex<Option<Connection>>]>,
    closed: AtomicBool,
}

/// Numbers the threads, so that each reuses its connection.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD: Cell<usize> = Cell::new(THREADS.fetch_add(1, Ordering::Relaxed));
}

impl Readers {
    pub(super) fn new(settings: Settings, connections: usize) -> Self {
        let slots = (0..connections.max(1)).map(|_| Mutex::default()).collect();
        Self { settings, slots, closed: AtomicBool::new(false) }
    }

    /// Reads on a free connection. With one connection per thread there always is one.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut slot = self.slot();
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::closed());
        }
        let connection = match &mut *slot {
            Some(connection) => connection,
            empty => empty.insert(Connection::reading(&self.settings)?),
        };
        read(connection)
    }

    /// The thread's own slot, or another free one.
    fn slot(&self) -> MutexGuard<'_, Option<Connection>> {
        let (count, own) = (self.slots.len(), THREAD.get());
        let free = (0..count).find_map(|n| self.slots[(own + n) % count].try_lock().ok());
        // After a panic the connection is still usable: its statement was reset during unwinding.
        free.unwrap_or_else(|| self.slots[own % count].lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Closes the connections, each after its current read.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
        for slot in &self.slots {
            slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}
