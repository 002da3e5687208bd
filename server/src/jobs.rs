//! Periodic work: deleting what has had its time. Nothing waits for it; expiry itself is checked where things are used.

use std::sync::Arc;
use std::time::Duration;

use itinerary_store::StoreError;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};

use crate::context::Service;

const EVERY: Duration = Duration::from_mins(10);

/// Does the periodic work until the task is dropped. Replicas may all do it: each deletes in small batches what is there.
pub fn start(service: Arc<Service>) -> JoinHandle<()> {
    tokio::spawn(async move {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match expire(&service).await {
                Ok(0) => {}
                Ok(deleted) => tracing::info!(deleted, "deleted what has expired"),
                Err(error) => {
                    tracing::warn!(error = &error as &dyn std::error::Error, "could not delete what has expired");
                }
            }
        }
    })
}

/// Deletes sessions, codes, tokens and stored answers that have had their time; gives how many.
pub async fn expire(service: &Service) -> Result<u64, StoreError> {
    let now = service.clock.now();
    let (sessions, tokens) = (service.store.sessions_expire(now).await?, service.store.tokens_expire(now).await?);
    Ok(sessions + tokens + service.store.idempotency_expire(now).await?)
}
