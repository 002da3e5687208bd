//! Work on images, off the threads that answer requests: one image at a time, so that memory stays bounded.

use std::time::Duration;

use tokio::sync::Semaphore;

use crate::app::Error;

/// How long a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Decodes and draws images one after another.
#[derive(Debug)]
pub struct Pictures(Semaphore);

impl Default for Pictures {
    fn default() -> Self {
        Self(Semaphore::new(1))
    }
}

impl Pictures {
    /// Does some work on an image when it is its turn; `Busy` if that takes too long.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        let turn = tokio::time::timeout(LONGEST_WAIT, self.0.acquire()).await.map_err(|_| Error::Busy)?;
        let _turn = turn.expect("it is never closed");
        Ok(tokio::task::spawn_blocking(work).await.expect("it does not panic"))
    }
}
