//! Rate limit of calls to a provider: one call per interval.
//!
//! It counts the calls of this process only: with n processes, multiply the interval by n.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::Failure;

/// Spaces calls evenly. Clones share the rate, so that several endpoints of one host can.
#[derive(Clone, Debug)]
pub struct Limiter {
    interval: Duration,
    /// When the next call may start.
    next: Arc<Mutex<Option<Instant>>>,
}

impl Limiter {
    /// The rate that public servers of OpenStreetMap data require.
    pub const ONE_PER_SECOND: Duration = Duration::from_secs(1);

    /// Allows one call per interval; zero means unlimited.
    pub fn new(interval: Duration) -> Self {
        Self { interval, next: Arc::default() }
    }

    /// Waits for a slot. Fails at once, and takes no slot, if it would be after `latest`.
    ///
    /// The slot is used up even if the caller stops waiting.
    pub async fn turn(&self, latest: Instant) -> Result<(), Failure> {
        if let Some(start) = self.reserve(latest)? {
            sleep_until(start).await;
        }
        Ok(())
    }

    fn reserve(&self, latest: Instant) -> Result<Option<Instant>, Failure> {
        // A call that begins after its deadline would only count against the provider.
        if Instant::now() > latest {
            return Err(Failure::RateLimited);
        }
        if self.interval.is_zero() {
            return Ok(None);
        }
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let start = next.filter(|next| *next > now);
        if start.is_some_and(|start| start > latest) {
            return Err(Failure::RateLimited);
        }
        *next = Some(start.unwrap_or(now) + self.interval);
        Ok(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn calls_are_spaced_by_the_interval() {
        let limiter = Limiter::new(SECOND);
        let start = Instant::now();
        let latest = start + 10 * SECOND;
        let mut starts = Vec::new();
        for _ in 0..3 {
            limiter.clone().turn(latest).await.expect("a turn");
            starts.push(start.elapsed().as_secs());
        }
        assert_eq!(starts, [0, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_after_the_deadline_fails_at_once_and_is_not_taken() {
        let limiter = Limiter::new(SECOND);
        let start = Instant::now();
        limiter.turn(start).await.expect("the first turn");
        for _ in 0..5 {
            assert_eq!(limiter.turn(start + SECOND / 2).await, Err(Failure::RateLimited));
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
        limiter.turn(start + SECOND).await.expect("the second turn");
        assert_eq!(start.elapsed().as_secs(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_limiter_saves_no_turns() {
        let limiter = Limiter::new(SECOND);
        let start = Instant::now();
        limiter.turn(start).await.expect("the first turn");
        tokio::time::advance(10 * SECOND).await;
        limiter.turn(Instant::now()).await.expect("the second turn");
        assert_eq!(limiter.turn(Instant::now()).await, Err(Failure::RateLimited));
    }

    #[tokio::test(start_paused = true)]
    async fn zero_is_unlimited() {
        let limiter = Limiter::new(Duration::ZERO);
        let start = Instant::now();
        for _ in 0..100 {
            limiter.turn(start).await.expect("a turn");
        }
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
