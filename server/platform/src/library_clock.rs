//! The clock of libraries. It never gives a time earlier than one that was given before, even if the system's clock is
//! set back or other servers' clocks are ahead.
//!
//! Clients remember the latest `updatedAt` that they have seen and ask for later changes (`updatedSince`). A change with
//! an earlier time would be missed. Expiry, rate limits and the like use the system's clock.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_store::{Store, StoreError};
use tokio::time::Instant;

/// A server that writes exchanges the latest time with the others after this time, or when the latest time has advanced by
/// as much. Clients re-read the last few seconds.
const EXCHANGED_EVERY: Duration = Duration::from_secs(1);
/// A difference between the clocks that is logged.
const REMARKABLE: TimeDelta = TimeDelta::seconds(10);

/// The latest time that was given.
#[derive(Debug, Default)]
pub struct LibraryClock(Mutex<ClockState>);

#[derive(Debug, Default)]
struct ClockState {
    latest: DateTime<Utc>,
    /// When it was exchanged last, and the latest time then.
    exchanged: Option<(Instant, DateTime<Utc>)>,
    /// Whether the difference was logged since the clocks last agreed.
    is_logged: bool,
}

impl LibraryClock {
    /// Reads the latest time that is stored. To be called before the first write.
    pub async fn start(&self, store: &Store) -> Result<(), StoreError> {
        if let Some(latest) = store.library_time().await? {
            self.raise(latest);
        }
        Ok(())
    }

    /// Stores the latest time if the last exchange did not. To be called after the last write.
    pub async fn stop(&self, store: &Store) -> Result<(), StoreError> {
        let latest = {
            let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.exchanged.filter(|(_, time)| state.latest > *time).map(|_| state.latest)
        };
        if let Some(latest) = latest {
            store.library_time_exchange(latest).await?;
        }
        Ok(())
    }

    /// The time for a change, given the system's time. Exchanges the latest time with the other servers if that is due.
    pub async fn now(&self, now: DateTime<Utc>, store: &Store) -> Result<DateTime<Utc>, StoreError> {
        let mut latest = self.raise(now);
        if self.begin_exchange() {
            latest = self.raise(store.library_time_exchange(latest).await?);
            self.compare(now, latest);
        }
        Ok(latest)
    }

    /// The later of both times; remembers it.
    fn raise(&self, time: DateTime<Utc>) -> DateTime<Utc> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.latest = state.latest.max(time);
        state.latest
    }

    /// Whether the exchange is due; the caller then has to do it.
    fn begin_exchange(&self) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = state.latest;
        let is_due = state.exchanged.is_none_or(|(at, time)| {
            at.elapsed() >= EXCHANGED_EVERY || (latest - time).to_std().is_ok_and(|by| by >= EXCHANGED_EVERY)
        });
        if is_due {
            state.exchanged = Some((Instant::now(), latest));
        }
        is_due
    }

    /// Logs once that the system's clock is behind.
    fn compare(&self, now: DateTime<Utc>, latest: DateTime<Utc>) {
        let behind = latest - now;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if behind < REMARKABLE {
            state.is_logged = false;
        } else if !std::mem::replace(&mut state.is_logged, true) {
            let seconds = behind.num_seconds();
            tracing::warn!(
                seconds,
                "the clock is behind earlier changes: until it has caught up, all get the same time"
            );
        }
    }
}
