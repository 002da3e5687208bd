//! Image processing, off the threads that serve requests. One image at a time, so that memory stays bounded.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::app::Error;

/// How long a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Decodes and draws images one at a time.
#[derive(Debug)]
pub struct Pictures(Arc<Semaphore>);

impl Default for Pictures {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl Pictures {
    /// Runs work on an image when it is its turn. `Busy` if that takes too long.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
        let turn = tokio::time::timeout(LONGEST_WAIT, Arc::clone(&self.0).acquire_owned()).await;
        let turn = turn.map_err(|_| Error::Busy)?.expect("it is never closed");
        let work = move || {
            // The work continues if the request is dropped, and must keep its turn.
            let _turn = turn;
            work()
        };
        Ok(tokio::task::spawn_blocking(work).await.expect("it does not panic"))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_turn_lasts_as_long_as_its_work() {
        let pictures = Arc::new(Pictures::default());
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let (finish, may_finish) = mpsc::channel::<()>();
        let first = Arc::clone(&pictures);
        let first = tokio::spawn(async move {
            let work = move || {
                begun.send(()).expect("the test waits");
                may_finish.recv().expect("the test says when");
            };
            first.run(work).await
        });
        has_begun.await.expect("it begins");
        first.abort();
        assert!(first.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(pictures.0.available_permits(), 0, "it still works");
        finish.send(()).expect("it waits");
        assert_eq!(pictures.run(|| 1).await.expect("a turn"), 1);
    }
}
