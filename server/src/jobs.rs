//! Periodic work: counting reads, ranking Explore, deleting what has had its time. Nothing waits for it; expiry itself is
//! checked where things are used.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use itinerary_store::StoreError;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::accounts;
use crate::app::explore;
use crate::app::itineraries::{covers, documents};
use crate::context::Service;
use crate::views::{Read, day_of};

const CLEAN_UP_EVERY: Duration = Duration::from_mins(10);
/// Ranking looks at the clock of all servers: each minute one of them may begin.
const RANK_EVERY: Duration = Duration::from_mins(1);
/// Looks at every image: rarely.
const IMAGES_EVERY: Duration = Duration::from_hours(1);
const COUNT_EVERY: Duration = Duration::from_secs(5);
const LOOSE_FILES_EVERY: Duration = Duration::from_mins(1);
/// A deletion begins the next run at once.
const ERASE_EVERY: Duration = Duration::from_mins(1);

/// How long answers of providers are kept.
const ANSWERS_KEPT: TimeDelta = TimeDelta::days(60);

/// How many reads are counted in one transaction.
const READS: usize = 200;

/// Does the periodic work until the tasks are dropped. Replicas may all do it: each takes what is there, in small batches.
pub fn start(service: &Arc<Service>) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    let own = || Arc::clone(service);
    jobs.spawn(every(own(), CLEAN_UP_EVERY, "deleted what has expired", async |service| expire(&service).await));
    jobs.spawn(every(own(), IMAGES_EVERY, "deleted images that nothing refers to", async |service| {
        covers::delete_unused(&service).await
    }));
    jobs.spawn(every(own(), LOOSE_FILES_EVERY, "deleted files of documents", async |service| {
        documents::delete_loose_files(&service).await
    }));
    jobs.spawn(every(own(), RANK_EVERY, "ranked Explore", async |service| explore::rank_if_due(&service).await));
    jobs.spawn(every(own(), COUNT_EVERY, "counted reads", async |service| count_views(&service).await));
    let erase = own();
    jobs.spawn(async move {
        loop {
            match accounts::erase_deleted(&erase).await {
                Ok(0) => {}
                Ok(batches) => tracing::debug!(batches, "erased deleted accounts"),
                Err(error) => tracing::warn!(?error, "not done: erasing deleted accounts"),
            }
            // Without a deletion here, it looks for what another server has left.
            _ = timeout(ERASE_EVERY, erase.erasing.notified()).await;
        }
    });
    jobs
}

async fn every<F, E>(
    service: Arc<Service>,
    period: Duration,
    what: &'static str,
    work: impl Fn(Arc<Service>) -> F + Send,
) where
    F: Future<Output = Result<u64, E>> + Send,
    E: Debug,
{
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match work(Arc::clone(&service)).await {
            Ok(0) => {}
            Ok(number) => tracing::debug!(number, "{what}"),
            Err(error) => tracing::warn!(?error, "not done: {what}"),
        }
    }
}

/// Counts the reads that were noted since the last time; gives how many were a traveller's first of the day.
pub async fn count_views(service: &Service) -> Result<u64, StoreError> {
    let (mut reads, mut counted) = (service.views.take(), 0);
    while let Some(&Read { day, .. }) = reads.last() {
        let of_day = reads.iter().rev().take(READS).take_while(|read| read.day == day);
        let pairs: Vec<_> = of_day.map(|read| (read.itinerary, read.reader)).collect();
        match service.store.views_add(&pairs, day).await {
            Ok(number) => counted += number,
            Err(error) => {
                service.views.give_back(reads);
                return Err(error);
            }
        }
        reads.truncate(reads.len() - pairs.len());
    }
    Ok(counted)
}

/// Deletes sessions, codes, tokens, clients that nobody let in, stored answers, notes of reads and reservations of usernames
/// that have expired; returns how many.
pub async fn expire(service: &Service) -> Result<u64, StoreError> {
    let now = service.clock.now();
    let (sessions, tokens) = (service.store.sessions_expire(now).await?, service.store.tokens_expire(now).await?);
    let reads = service.store.views_expire(day_of(now) - 1).await?;
    let answers = service.store.provider_answers_purge(now - ANSWERS_KEPT).await?;
    let clients = service.store.clients_expire(now).await?;
    let names = service.store.usernames_free(now).await?;
    let answers = answers + service.store.idempotency_expire(now).await?;
    Ok(sessions + tokens + clients + reads + names + answers)
}
