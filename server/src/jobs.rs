//! Periodic jobs: counting reads, ranking Explore, deleting what has expired. No request waits for them; expiry itself
//! is checked wherever a row is used.
//!
//! Each job works in small steps and can be killed between any two; the next run continues. Two runs at once would be
//! correct but wasteful, so the database decides which server runs a job ([`claim`]), and keeps how the last run ended.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use itinerary_app::accounts;
use itinerary_platform::context::Service;
use itinerary_platform::metrics::Watched;
use itinerary_store::{JobRow, StoreError};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

pub mod claim;
mod work;

pub use claim::{RunOutcome, When, run};
pub use work::{count_reads, expire};

/// A periodic job.
#[derive(Debug)]
pub struct Job {
    /// Its name in commands and metrics.
    pub name: &'static str,
    pub about: &'static str,
    pub period: Duration,
    /// How often a server asks whether it is due.
    poll: Duration,
    /// Whether it runs when a server starts, due or not.
    at_start: bool,
    /// Whether each server runs its own, on what it has in memory. Others run on one server at a time.
    pub of_each_server: bool,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    AdoptCovers,
    CheckWebhooks,
    CountReads,
    RankExplore,
    ExpireDeliveries,
    ExpireRevisions,
    ExpireRows,
    DeleteImages,
    DeleteFiles,
    EraseAccounts,
    CountTotals,
    MergeSearchIndex,
    NoteExpiringTokens,
}

const MINUTE: Duration = Duration::from_mins(1);

/// All jobs.
pub static JOBS: [Job; 13] = [
    Job {
        name: "adopt-covers",
        about: "give covers that earlier versions have stored rows of their own",
        // A server of the version before may still store some.
        period: Duration::from_hours(24),
        poll: MINUTE,
        at_start: true,
        of_each_server: false,
        kind: Kind::AdoptCovers,
    },
    Job {
        name: "check-webhooks",
        about: "pause webhooks of apps without a grant, resume those with one, delete those that are paused for 7 days",
        period: MINUTE,
        poll: Duration::from_secs(15),
        at_start: false,
        of_each_server: false,
        kind: Kind::CheckWebhooks,
    },
    Job {
        name: "count-reads",
        about: "count reads of itineraries",
        period: Duration::from_secs(5),
        poll: Duration::from_secs(5),
        at_start: true,
        of_each_server: true,
        kind: Kind::CountReads,
    },
    Job {
        name: "count-totals",
        about: "count tokens, sessions and documents for the metrics",
        period: Duration::from_mins(15),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::CountTotals,
    },
    Job {
        name: "delete-files",
        about: "delete files of deleted documents, of interrupted uploads and of replaced covers",
        period: MINUTE,
        poll: Duration::from_secs(15),
        at_start: true,
        of_each_server: false,
        kind: Kind::DeleteFiles,
    },
    Job {
        name: "delete-images",
        about: "delete files of images that no picture has",
        // Rare, because it lists every image.
        period: Duration::from_hours(1),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::DeleteImages,
    },
    Job {
        name: "erase-accounts",
        about: "erase the rows of deleted accounts",
        // A deletion starts the next run at once; this finds what was deleted through another server.
        period: MINUTE,
        poll: Duration::from_secs(15),
        at_start: true,
        of_each_server: false,
        kind: Kind::EraseAccounts,
    },
    Job {
        name: "expire-deliveries",
        about: "delete deliveries to webhooks that are old or too many",
        period: Duration::from_hours(1),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::ExpireDeliveries,
    },
    Job {
        name: "expire-revisions",
        about: "delete versions of itineraries that are old, or exceed their owner's quota",
        // Rare, because it reads the size of every version.
        period: Duration::from_hours(1),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::ExpireRevisions,
    },
    Job {
        name: "expire-rows",
        about: "delete expired sessions, tokens, codes, invitations, unverified addresses, stored responses and old changes",
        period: Duration::from_mins(10),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::ExpireRows,
    },
    Job {
        name: "merge-search-index",
        about: "merge the segments of the text index (SQLite)",
        period: Duration::from_hours(24),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::MergeSearchIndex,
    },
    Job {
        name: "note-expiring-tokens",
        about: "tell owners of personal access tokens by mail that these expire within a week",
        period: Duration::from_hours(1),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::NoteExpiringTokens,
    },
    Job {
        name: "rank-explore",
        about: "rank Explore",
        period: Duration::from_mins(30),
        poll: MINUTE,
        at_start: false,
        of_each_server: false,
        kind: Kind::RankExplore,
    },
];

/// The job with a name.
pub fn find(name: &str) -> Option<&'static Job> {
    JOBS.iter().find(|job| job.name == name)
}

/// What a run has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// How many rows, batches or files it has dealt with.
    pub items: u64,
    /// What it has counted, as JSON.
    pub figures: Option<String>,
}

/// Runs the jobs until the tasks are dropped. Every server calls this.
pub fn start(service: &Arc<Service>) -> JoinSet<()> {
    let mut tasks = JoinSet::new();
    for job in &JOBS {
        let service = Arc::clone(service);
        tasks.spawn(async move {
            if job.of_each_server { run_here(&service, job).await } else { run_when_due(&service, job).await }
        });
    }
    if service.config.metrics_listen.is_some() {
        let service = Arc::clone(service);
        tasks.spawn(async move { watch(&service).await });
    }
    tasks
}

/// Runs a job of this server. Records at most one run a minute, because most do nothing.
async fn run_here(service: &Service, job: &'static Job) {
    let mut kept: Option<Instant> = None;
    loop {
        let began = Instant::now();
        let outcome = work::work(service, job.kind).await;
        observe(service, job, &outcome);
        if kept.is_none_or(|kept| kept.elapsed() >= MINUTE) {
            kept = Some(began);
            if let Err(error) = claim::keep(service, job, &outcome, began.elapsed()).await {
                tracing::warn!(error = &error as &dyn std::error::Error, job = job.name, "the run was not recorded");
            }
        }
        sleep(job.period).await;
    }
}

async fn run_when_due(service: &Service, job: &'static Job) {
    let mut when = if job.at_start { When::Now } else { When::Due };
    loop {
        match run(service, job, when).await {
            Ok(RunOutcome::Ran { outcome, .. }) => observe(service, job, &outcome),
            Ok(RunOutcome::NotDue) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, job = job.name, "the job cannot run");
            }
        }
        when = wait(service, job).await;
    }
}

/// Waits until the job may be due, or somebody asks for it.
async fn wait(service: &Service, job: &Job) -> When {
    if job.kind != Kind::EraseAccounts {
        sleep(job.poll).await;
        return When::Due;
    }
    let asked = pin!(service.erasing.notified());
    if timeout(job.poll, asked).await.is_ok() { When::Now } else { When::Due }
}

fn observe(service: &Service, job: &'static Job, outcome: &Result<RunResult, String>) {
    service.metrics.job(job.name, outcome.as_ref().map(|done| done.items).ok());
    match outcome {
        Ok(RunResult { items: 0, .. }) => {}
        Ok(RunResult { items, .. }) => tracing::debug!(items, job = job.name, "job done"),
        Err(error) => tracing::warn!(error, job = job.name, "job failed"),
    }
}

/// How often metrics are refreshed that are in the database, so that a scrape reads nothing there.
const WATCHED_EVERY: Duration = Duration::from_secs(10);

/// The first refresh shows nothing yet of a new database.
const WATCHED_AGAIN: Duration = Duration::from_secs(2);

async fn watch(service: &Service) {
    let mut pause = WATCHED_AGAIN;
    loop {
        let read = async {
            Ok::<_, StoreError>(Watched {
                jobs: service.store.jobs().await?,
                paused: service.store.pause().await?.is_some(),
                delivery_due_at: service.store.deliveries_due().await?,
                mails_waiting: service.store.mails_waiting().await?,
            })
        };
        // Failures show in the metrics of the pool and of requests.
        if let Ok(watched) = read.await {
            service.metrics.watched(watched);
        }
        sleep(pause).await;
        pause = WATCHED_EVERY;
    }
}

/// The state of a job by its last run, for the command line.
pub fn state(row: Option<&JobRow>, now: chrono::DateTime<chrono::Utc>) -> &'static str {
    match row {
        None => "never ran",
        Some(row) => match (row.busy_until, &row.failure) {
            (Some(until), _) if until > now => "running",
            (Some(_), _) => "interrupted",
            (None, Some(_)) => "failed",
            (None, None) => "succeeded",
        },
    }
}

/// A period as people write it.
pub fn in_words(period: Duration) -> String {
    let seconds = period.as_secs();
    match seconds {
        3600.. if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        60.. if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(JOBS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(JOBS.iter().all(|job| find(job.name).is_some_and(|found| std::ptr::eq(found, job))));
    }

    #[test]
    fn periods_are_written_in_their_largest_unit() {
        let written = [5, 60, 90, 600, 3600].map(|seconds| in_words(Duration::from_secs(seconds)));
        assert_eq!(written, ["5 s", "1 min", "90 s", "10 min", "1 h"]);
    }
}
