//! Periodic jobs: counting reads, ranking Explore, deleting expired rows. No request waits for them; expiry itself is
//! checked wherever a row is used.

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
use crate::reads::{Read, day_of};

const CLEAN_UP_EVERY: Duration = Duration::from_mins(10);
/// Checks whether ranking is due; the database decides which server ranks.
const RANK_EVERY: Duration = Duration::from_mins(1);
/// Rare, because it lists every image.
const IMAGES_EVERY: Duration = Duration::from_hours(1);
const COUNT_EVERY: Duration = Duration::from_secs(5);
const LOOSE_FILES_EVERY: Duration = Duration::from_mins(1);
/// A deletion starts the next run at once.
const ERASE_EVERY: Duration = Duration::from_mins(1);

/// How long answers of providers are kept.
const ANSWERS_KEPT: TimeDelta = TimeDelta::days(60);

/// The number of reads that are counted in one transaction.
const READS: usize = 200;

/// Runs the jobs until the tasks are dropped. Every replica may run them: each takes what is due, in small batches.
pub fn start(service: &Arc<Service>) -> JoinSet<()> {
    let mut jobs = JoinSet::new();
    let own = || Arc::clone(service);
    jobs.spawn(every(own(), CLEAN_UP_EVERY, "delete expired rows", async |service| expire(&service).await));
    jobs.spawn(every(own(), IMAGES_EVERY, "delete unused images", async |service| {
        covers::delete_unused(&service).await
    }));
    jobs.spawn(every(own(), LOOSE_FILES_EVERY, "delete unused document files", async |service| {
        documents::delete_loose_files(&service).await
    }));
    jobs.spawn(every(own(), RANK_EVERY, "rank Explore", async |service| explore::rank_if_due(&service).await));
    jobs.spawn(every(own(), COUNT_EVERY, "count reads", async |service| count_reads(&service).await));
    let erase = own();
    jobs.spawn(async move {
        loop {
            match accounts::erase_deleted(&erase).await {
                Ok(0) => {}
                Ok(batches) => tracing::debug!(batches, "job done: erase deleted accounts"),
                Err(error) => tracing::warn!(?error, "job failed: erase deleted accounts"),
            }
            // The timeout finds what was deleted through another server.
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
            Ok(number) => tracing::debug!(number, "job done: {what}"),
            Err(error) => tracing::warn!(?error, "job failed: {what}"),
        }
    }
}

/// Counts the reads noted since the last run. Returns how many were a traveller's first of the day.
pub async fn count_reads(service: &Service) -> Result<u64, StoreError> {
    let (mut reads, mut counted) = (service.reads.take(), 0);
    while let Some(&Read { day, .. }) = reads.last() {
        let of_day = reads.iter().rev().take(READS).take_while(|read| read.day == day);
        let pairs: Vec<_> = of_day.map(|read| (read.itinerary, read.reader)).collect();
        match service.store.views_add(&pairs, day).await {
            Ok(number) => counted += number,
            Err(error) => {
                service.reads.give_back(reads);
                return Err(error);
            }
        }
        reads.truncate(reads.len() - pairs.len());
    }
    Ok(counted)
}

/// Deletes expired sessions, codes, tokens, stored answers, noted reads and username reservations, and clients that
/// were never approved. Returns how many rows.
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
