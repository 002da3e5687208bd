//! Long reads: in blocking threads, in limited number, so that short reads never wait for them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::spawn_blocking;

use super::{Connection, Settings};
use crate::engine::observed::PoolState;
use crate::engine::permits::Permits;
use crate::payer::{self, thread_time};
use crate::{Result, StoreError};

/// The connections for long reads, each opened on first use.
#[derive(Debug)]
pub(super) struct LongReads {
    settings: Settings,
    permits: Permits,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl LongReads {
    pub(super) fn new(settings: Settings, at_once: u32) -> Self {
        Self { settings, permits: Permits::new(at_once), idle: Arc::default() }
    }

    /// Waits for a permit, and reads in a blocking thread. Charges the processor time to whoever pays for the request.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.permits.take().await?;
        let (settings, idle) = (self.settings.clone(), Arc::clone(&self.idle));
        let payer = payer::current();
        let reading = spawn_blocking(move || {
            let known = lock(&idle).pop();
            let connection = known.map_or_else(|| Connection::reading(&settings), Ok)?;
            let began = thread_time();
            let outcome = read(&connection);
            if let Some(payer) = payer {
                payer.pay(thread_time().saturating_sub(began));
            }
            lock(&idle).push(connection);
            drop(permit);
            outcome
        });
        reading.await.map_err(|_| StoreError::unavailable("a long read panicked"))?
    }

    pub(super) fn state(&self) -> PoolState {
        self.permits.state()
    }

    /// Closes the connections after the current reads.
    pub(super) async fn close(&self) {
        self.permits.close().await;
        lock(&self.idle).clear();
    }
}

fn lock(idle: &Mutex<Vec<Connection>>) -> MutexGuard<'_, Vec<Connection>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
