//! Which server runs a job: the one that claims it in the database. While it runs, the server renews its claim; the
//! claim of a server that was killed expires soon.

use std::fs;
use std::process;
use std::sync::LazyLock;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use itinerary_platform::context::Service;
use itinerary_store::{JobRun, StoreError};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{Job, RunResult, work};

/// How long a claim holds without being renewed.
const CLAIMED: TimeDelta = TimeDelta::seconds(6);
const RENEWED_EVERY: Duration = Duration::from_secs(2);

/// Whether to run a job that is not due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// If its period is over since any server started it.
    Due,
    /// Unless it runs on any server.
    Now,
}

/// What has become of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// It runs on another server, or is not due.
    NotDue,
    Ran {
        outcome: Result<RunResult, String>,
        took: Duration,
    },
}

/// This process, as other servers see it.
pub(crate) fn server_name() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let host = host.trim();
        format!("{}:{}", if host.is_empty() { "localhost" } else { host }, process::id())
    });
    &NAME
}

/// Runs a job unless it runs on another server, or is not due.
pub async fn run(service: &Service, job: &'static Job, when: When) -> Result<RunOutcome, StoreError> {
    let now = service.clock.now();
    let claim = JobRun { name: job.name, server: server_name().to_owned(), started_at: now };
    let due = (when == When::Due).then(|| now - delta(job.period));
    if !service.store.job_begin(&claim, due, now + CLAIMED).await? {
        return Ok(RunOutcome::NotDue);
    }
    let began = Instant::now();
    let renewed = renew(service, claim.clone());
    let outcome = work::work(service, job.kind).await;
    drop(renewed);
    let took = began.elapsed();
    end(service, &claim, &outcome, took).await?;
    Ok(RunOutcome::Ran { outcome, took })
}

/// Keeps a run of a job that each server runs for itself.
pub(super) async fn keep(
    service: &Service,
    job: &'static Job,
    outcome: &Result<RunResult, String>,
    took: Duration,
) -> Result<(), StoreError> {
    let now: DateTime<Utc> = service.clock.now();
    let claim = JobRun { name: job.name, server: server_name().to_owned(), started_at: now };
    if service.store.job_begin(&claim, None, now).await? {
        end(service, &claim, outcome, took).await?;
    }
    Ok(())
}

async fn end(
    service: &Service,
    claim: &JobRun,
    outcome: &Result<RunResult, String>,
    took: Duration,
) -> Result<(), StoreError> {
    let stored = outcome.as_ref().map(|done| (done.items, done.figures.as_deref())).map_err(String::as_str);
    service.store.job_end(claim, delta(took), stored).await
}

/// Renews a claim until the result is dropped.
fn renew(service: &Service, claim: JobRun) -> tokio_util::sync::DropGuard {
    let (store, clock) = (service.store.clone(), service.clock.clone());
    let ended = CancellationToken::new();
    let guard = ended.clone().drop_guard();
    // In a task of its own, so that neither waits for the other.
    tokio::spawn(async move {
        while ended.run_until_cancelled(sleep(RENEWED_EVERY)).await.is_some() {
            if let Err(error) = store.job_alive(&claim, clock.now() + CLAIMED).await {
                tracing::debug!(error = &error as &dyn std::error::Error, job = claim.name, "a claim is not renewed");
            }
        }
    });
    guard
}

fn delta(duration: Duration) -> TimeDelta {
    TimeDelta::from_std(duration).unwrap_or(TimeDelta::MAX)
}
