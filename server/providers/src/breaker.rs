//! A circuit breaker: stops calling a provider that keeps failing, and probes whether it recovered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::Failure;

const MAX_FAILURES_IN_A_ROW: u32 = 5;
const OPEN_FOR: Duration = Duration::from_secs(30);

/// A circuit breaker. Opens after 5 consecutive failures and lets one probe through after 30 seconds.
///
/// Clones share the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Breaker {
    state: Arc<Mutex<BreakerState>>,
}

#[derive(Debug)]
enum BreakerState {
    Closed { failures: u32 },
    Open { until: Instant },
    Probing,
}

impl Default for BreakerState {
    fn default() -> Self {
        Self::Closed { failures: 0 }
    }
}

impl Breaker {
    /// Permits a call. Fails with [`Failure::BreakerOpen`] while open or while a probe is running.
    pub(crate) fn permit(&self) -> Result<Permit, Failure> {
        let mut state = self.lock();
        let probe = match *state {
            BreakerState::Closed { .. } => false,
            BreakerState::Open { until } if until <= Instant::now() => true,
            BreakerState::Open { .. } | BreakerState::Probing => return Err(Failure::BreakerOpen),
        };
        if probe {
            *state = BreakerState::Probing;
        }
        drop(state);
        Ok(Permit { breaker: self.clone(), probe })
    }

    fn lock(&self) -> MutexGuard<'_, BreakerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit for one call. Dropping it without a report has no effect on the breaker.
#[derive(Debug)]
#[must_use]
pub(crate) struct Permit {
    breaker: Breaker,
    probe: bool,
}

impl Permit {
    /// Reports that the provider answered.
    pub(crate) fn succeeded(mut self) {
        let mut state = self.breaker.lock();
        // A call from before the breaker opened does not close it.
        if self.probe || matches!(*state, BreakerState::Closed { .. }) {
            *state = BreakerState::default();
        }
        drop(state);
        self.probe = false;
    }

    /// Reports that the provider failed.
    pub(crate) fn failed(mut self) {
        let mut state = self.breaker.lock();
        let open = BreakerState::Open { until: Instant::now() + OPEN_FOR };
        match &mut *state {
            BreakerState::Closed { failures } if *failures + 1 < MAX_FAILURES_IN_A_ROW => *failures += 1,
            BreakerState::Closed { .. } => *state = open,
            BreakerState::Open { .. } | BreakerState::Probing if self.probe => *state = open,
            BreakerState::Open { .. } | BreakerState::Probing => {}
        }
        drop(state);
        self.probe = false;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.probe {
            // The next caller probes.
            *self.breaker.lock() = BreakerState::Open { until: Instant::now() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALMOST: Duration = Duration::from_millis(29_999);

    fn fail(breaker: &Breaker, times: u32) {
        for _ in 0..times {
            breaker.permit().expect("a permit").failed();
        }
    }

    fn is_open(breaker: &Breaker) -> bool {
        breaker.permit().is_err()
    }

    #[tokio::test(start_paused = true)]
    async fn opens_after_five_failures_in_a_row() {
        let breaker = Breaker::default();
        fail(&breaker, 4);
        breaker.permit().expect("still closed").succeeded();
        fail(&breaker, 4);
        assert!(!is_open(&breaker));
        fail(&breaker, 1);
        assert_eq!(breaker.permit().map(drop), Err(Failure::BreakerOpen));
    }

    #[tokio::test(start_paused = true)]
    async fn lets_one_probe_through_after_thirty_seconds() {
        let breaker = Breaker::default();
        fail(&breaker, 5);
        tokio::time::advance(ALMOST).await;
        assert!(is_open(&breaker));
        tokio::time::advance(Duration::from_millis(1)).await;
        let probe = breaker.permit().expect("a probe");
        assert!(is_open(&breaker), "one probe at a time");
        probe.succeeded();
        fail(&breaker, 4);
        assert!(!is_open(&breaker), "the count starts again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_probe_opens_again() {
        let breaker = Breaker::default();
        fail(&breaker, 5);
        tokio::time::advance(OPEN_FOR).await;
        fail(&breaker, 1);
        tokio::time::advance(ALMOST).await;
        assert!(is_open(&breaker));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!is_open(&breaker));
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_probe_lets_the_next_caller_probe() {
        let breaker = Breaker::default();
        fail(&breaker, 5);
        tokio::time::advance(OPEN_FOR).await;
        drop(breaker.permit().expect("a probe"));
        breaker.permit().expect("another probe").succeeded();
        assert!(!is_open(&breaker));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_report_does_not_change_an_open_breaker() {
        let breaker = Breaker::default();
        let (early, other) = (breaker.permit().expect("a permit"), breaker.permit().expect("a permit"));
        fail(&breaker, 5);
        early.succeeded();
        assert!(is_open(&breaker));
        tokio::time::advance(OPEN_FOR).await;
        other.failed();
        assert!(!is_open(&breaker), "the probe is still due");
    }
}
