//! Starts the work for webhooks after each query of the change feed: at most one task that queues changes, and one that
//! claims attempts, which then run concurrently. Starts nothing while the server stops.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use itinerary_platform::context::Service;
use itinerary_store::{ChangesSince, FeedState};
use tokio::task::JoinSet;

use super::{deliver, queue};
use crate::Result;

/// The tasks of this server for webhooks. They end when it is dropped, except attempts.
pub struct Worker {
    service: Arc<Service>,
    queueing: JoinSet<()>,
    claiming: JoinSet<()>,
}

impl Worker {
    /// A worker without tasks.
    pub fn new(service: Arc<Service>) -> Self {
        Self { service, queueing: JoinSet::new(), claiming: JoinSet::new() }
    }

    /// Starts the tasks that are needed after a query of the feed, unless they run already.
    pub fn on_changes(&mut self, seen: &ChangesSince) {
        while self.queueing.try_join_next().is_some() {}
        while self.claiming.try_join_next().is_some() {}
        let webhooks = &seen.webhooks;
        if !webhooks.any || self.service.stopping.load(Ordering::Relaxed) {
            return;
        }
        if webhooks.queued != Some(seen.state.last) && self.queueing.is_empty() {
            let (service, state, queued) = (Arc::clone(&self.service), seen.state.clone(), webhooks.queued);
            self.queueing.spawn(async move { log(queue(&service, &state, queued).await) });
        }
        let is_due = !webhooks.paused && webhooks.due_at.is_some_and(|at| at <= self.service.clock.now());
        if is_due && self.claiming.is_empty() {
            let service = Arc::clone(&self.service);
            self.claiming.spawn(async move { log(deliver::start_due(&service).await) });
        }
    }
}

/// Queues changes after a position, and starts their attempts. `queued` is `None` in a new epoch of the feed.
async fn queue(service: &Arc<Service>, state: &FeedState, queued: Option<i64>) -> Result<()> {
    match queued {
        Some(position) => queue::queue_after(service, state, position).await?,
        // The next turn queues.
        None => service.store.webhooks_restart(&state.epoch).await?,
    }
    deliver::start_due(service).await
}

fn log(outcome: Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(error = error.for_log(), "webhooks cannot be served");
    }
}
