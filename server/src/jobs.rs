//! Periodic work: counting reads, ranking Explore, deleting what has had its time. Nothing waits for it; expiry itself is
//! checked where things are used.

use std::sync::Arc;
use std::time::Duration;

use itinerary_store::StoreError;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::explore;
use crate::context::Service;

const CLEAN_UP_EVERY: Duration = Duration::from_mins(10);
/// Ranking looks at the clock of all servers: each minute one of them may begin.
const RANK_EVERY: Duration = Duration::from_mins(1);
const COUNT_EVERY: Duration = Duration::from_secs(5);

/// How many reads are counted in one transaction.
const READS: usize = 200;

/// Does the periodic work until the tasks are dropped. Replicas may all do it: each takes what is there, in small batches.
pub fn start(service: &Arc<Service>) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    let clean_up = Arc::clone(service);
    jobs.spawn(every(CLEAN_UP_EVERY, "deleted what has expired", move || {
        let service = Arc::clone(&clean_up);
        async move { expire(&service).await }
    }));
    let rank = Arc::clone(service);
    jobs.spawn(every(RANK_EVERY, "ranked Explore", move || {
        let service = Arc::clone(&rank);
        async move { explore::rank_if_due(&service).await }
    }));
    let count = Arc::clone(service);
    jobs.spawn(every(COUNT_EVERY, "counted reads", move || {
        let service = Arc::clone(&count);
        async move { count_views(&service).await }
    }));
    jobs
}

async fn every<F>(period: Duration, what: &'static str, work: impl Fn() -> F + Send)
where
    F: Future<Output = Result<u64, StoreError>> + Send,
{
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match work().await {
            Ok(0) => {}
            Ok(number) => tracing::debug!(number, "{what}"),
            Err(error) => tracing::warn!(error = &error as &dyn std::error::Error, "not done: {what}"),
        }
    }
}

/// Counts the reads that were noted since the last time; gives how many were a traveller's first of the day.
pub async fn count_views(service: &Service) -> Result<u64, StoreError> {
    let mut counted = 0;
    for day in service.views.take().chunk_by(|a, b| a.day == b.day) {
        for reads in day.chunks(READS) {
            let pairs: Vec<_> = reads.iter().map(|read| (read.itinerary, read.reader)).collect();
            counted += service.store.views_add(&pairs, reads[0].day).await?;
        }
    }
    Ok(counted)
}

/// Deletes sessions, codes, tokens and stored answers that have had their time; gives how many.
pub async fn expire(service: &Service) -> Result<u64, StoreError> {
    let now = service.clock.now();
    let (sessions, tokens) = (service.store.sessions_expire(now).await?, service.store.tokens_expire(now).await?);
    Ok(sessions + tokens + service.store.idempotency_expire(now).await?)
}
