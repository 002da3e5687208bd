//! The request that is charged for a long read in another thread.

use std::sync::Arc;
use std::time::Duration;

/// Is charged for the processor time of long reads on SQLite.
pub trait Payer: Send + Sync {
    /// Adds what a read has spent.
    fn pay(&self, spent: Duration);
}

tokio::task_local! {
    static PAYER: Arc<dyn Payer>;
}

/// Runs a future whose long reads are charged to the payer, also those that outlive it.
pub fn paid_by<F: Future>(payer: Arc<dyn Payer>, work: F) -> impl Future<Output = F::Output> {
    PAYER.scope(payer, work)
}

/// Who pays for the current task; `None` for work of the server.
pub(crate) fn current() -> Option<Arc<dyn Payer>> {
    PAYER.try_with(Arc::clone).ok()
}

/// The processor time that this thread has spent since it began.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time that has passed, where the processor time is not known: never less than it.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static BEGAN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGAN.elapsed()
}
