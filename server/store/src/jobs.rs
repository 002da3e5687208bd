//! Periodic jobs: which server runs one, and how its last run ended.
//!
//! A server that runs a job keeps saying so (`busy_until`). If it is killed, another server may run the job soon
//! after. Two servers whose clocks differ may run a job at once, so every job must be correct even then; the claim only
//! saves work.

use chrono::{DateTime, TimeDelta, Utc};

use crate::query::{query, text};
use crate::row::row;
use crate::{Result, Store};

row! {
    /// A job's last run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct JobRow {
        pub name: String = "name",
        /// The server that started it.
        pub server: String = "server",
        pub started_at: DateTime<Utc> = "started_at",
        /// While it runs: when the server must have said so again.
        pub busy_until: Option<DateTime<Utc>> = "busy_until",
        /// The duration of the last run that ended.
        pub took_ms: Option<i64> = "took_ms",
        /// The number of rows or files that the last run that ended has dealt with.
        pub items: Option<i64> = "items",
        /// Why the last run that ended failed.
        pub failure: Option<String> = "failure",
        pub succeeded_at: Option<DateTime<Utc>> = "succeeded_at",
        /// What the last successful run has counted, as JSON.
        pub figures: Option<String> = "figures",
    }
}

/// A run, identified by job, server and start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRun {
    pub name: &'static str,
    pub server: String,
    pub started_at: DateTime<Utc>,
}

/// A start or an end of a run so far in the future comes from a clock that was wrong.
const WRONG_CLOCK: TimeDelta = TimeDelta::hours(1);

const BEGIN: &str = "INSERT INTO jobs (name, server, started_at, busy_until) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (name) DO UPDATE SET server = excluded.server, started_at = excluded.started_at, \
     busy_until = excluded.busy_until \
     WHERE (jobs.started_at <= $5 OR jobs.started_at > $6) \
     AND (jobs.busy_until IS NULL OR jobs.busy_until <= $3 OR jobs.busy_until > $6)";

const DUE: &str = "SELECT 1 FROM jobs WHERE name = $1 AND NOT ((started_at <= $3 OR started_at > $4) \
     AND (busy_until IS NULL OR busy_until <= $2 OR busy_until > $4))";

const ALIVE: &str = "UPDATE jobs SET busy_until = $4 WHERE name = $1 AND server = $2 AND started_at = $3";

const END: &str = "UPDATE jobs SET busy_until = NULL, took_ms = $4, items = $5, failure = $6, \
     succeeded_at = COALESCE($7, succeeded_at), figures = COALESCE($8, figures) \
     WHERE name = $1 AND server = $2 AND started_at = $3";

const ALL: &str = text!("SELECT ", JobRow::COLUMNS, " FROM jobs ORDER BY name");

impl Store {
    /// Starts a run, unless the job runs on any server, or was last started after `due` (`None`: it is due now).
    /// Another server may start one after `busy_until`.
    pub async fn job_begin(&self, run: &JobRun, due: Option<DateTime<Utc>>, busy_until: DateTime<Utc>) -> Result<bool> {
        let JobRun { name, server, started_at } = run;
        let (now, later) = (*started_at, *started_at + WRONG_CLOCK);
        let due = due.unwrap_or(later);
        // Most of the time it is not due, and a read costs less than a write that changes nothing.
        if self.exists(&query!(DUE, *name, now, due, later)).await? {
            return Ok(false);
        }
        Ok(self.execute(query!(BEGIN, *name, server, now, busy_until, due, later)).await? == 1)
    }

    /// Says that the run goes on.
    pub async fn job_alive(&self, run: &JobRun, busy_until: DateTime<Utc>) -> Result<()> {
        let JobRun { name, server, started_at } = run;
        self.execute(query!(ALIVE, *name, server, *started_at, busy_until)).await.map(|_| ())
    }

    /// Ends a run. Changes nothing if another server has taken it over.
    pub async fn job_end(
        &self,
        run: &JobRun,
        took: TimeDelta,
        outcome: Result<(u64, Option<&str>), &str>,
    ) -> Result<()> {
        let JobRun { name, server, started_at } = run;
        let (items, figures) = outcome.unwrap_or_default();
        let succeeded = outcome.is_ok().then_some(*started_at + took);
        let items = i64::try_from(items).unwrap_or(i64::MAX);
        let failure = outcome.err();
        let took = took.num_milliseconds();
        let end = query!(END, *name, server, *started_at, took, items, failure, succeeded, figures);
        self.execute(end).await.map(|_| ())
    }

    /// The last run of each job that has ever run.
    pub async fn jobs(&self) -> Result<Vec<JobRow>> {
        self.fetch_all(&query!(ALL)).await
    }
}
