//! Periodic jobs: which server runs one, and how its last run ended.
//!
//! A server that runs a job keeps saying so (`busy_until`). If it is killed, another server may run the job soon
//! after. Two servers whose clocks differ may run a job at once, so every job must be correct even then; the claim only
//! saves work.

use chrono::{DateTime, TimeDelta, Utc};

use crate::entity::jobs::{self, Column};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::prelude::{Compare, Expr, ExprTrait};
use crate::query::statement::statements;
use crate::{Result, Store};

row! {
    /// A job's last run.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct JobRow {
        pub name: String = jobs::Column::Name,
        /// The server that started it.
        pub server: String = jobs::Column::Server,
        pub started_at: DateTime<Utc> = jobs::Column::StartedAt,
        /// While it runs: when the server must have said so again.
        pub busy_until: Option<DateTime<Utc>> = jobs::Column::BusyUntil,
        /// The duration of the last run that ended.
        pub took_ms: Option<i64> = jobs::Column::TookMs,
        /// The number of rows or files that the last run that ended has dealt with.
        pub items: Option<i64> = jobs::Column::Items,
        /// Why the last run that ended failed.
        pub failure: Option<String> = jobs::Column::Failure,
        pub succeeded_at: Option<DateTime<Utc>> = jobs::Column::SucceededAt,
        /// What the last successful run has counted, as JSON.
        pub figures: Option<String> = jobs::Column::Figures,
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

statements! {
    /// $5 is the latest start after which it is due, and $6 the time beyond which a clock was wrong.
    const BEGIN = insert([Column::Name, Column::Server, Column::StartedAt, Column::BusyUntil]).on_conflict(
        OnConflict::column(Column::Name)
            .update_columns([Column::Server, Column::StartedAt, Column::BusyUntil])
            .action_and_where(may_start(p(3), p(5), p(6)))
            .to_owned(),
    );

    const IS_NOT_DUE = jobs::Entity::find()
        .select_found()
        .filter(Column::Name.eq(p(1)))
        .filter(may_start(p(2), p(3), p(4)).not());

    const ALIVE = jobs::Entity::update_many()
        .col_expr(Column::BusyUntil, p(4))
        .filter(Column::Name.eq(p(1)))
        .filter(Column::Server.eq(p(2)))
        .filter(Column::StartedAt.eq(p(3)));

    const END = jobs::Entity::update_many()
        .col_expr(Column::BusyUntil, Expr::null())
        .col_expr(Column::TookMs, p(4))
        .col_expr(Column::Items, p(5))
        .col_expr(Column::Failure, p(6))
        .col_expr(Column::SucceededAt, Func::coalesce([p(7), Column::SucceededAt.col()]).into())
        .col_expr(Column::Figures, Func::coalesce([p(8), Column::Figures.col()]).into())
        .filter(Column::Name.eq(p(1)))
        .filter(Column::Server.eq(p(2)))
        .filter(Column::StartedAt.eq(p(3)));

    const ALL = jobs::Entity::find().select_row::<JobRow>().order_by_asc(Column::Name);
}

/// Whether the job is due and does not run. What lies after `wrong` comes from a clock that was wrong.
fn may_start(now: Expr, due: Expr, wrong: Expr) -> Expr {
    let is_due = Column::StartedAt.lte(due).or(Column::StartedAt.gt(wrong.clone()));
    let is_idle = Column::BusyUntil.is_null().or(Column::BusyUntil.lte(now)).or(Column::BusyUntil.gt(wrong));
    is_due.and(is_idle)
}

impl Store {
    /// Starts a run, unless the job runs on any server, or was last started after `due` (`None`: it is due now).
    /// Another server may start one after `busy_until`.
    pub async fn job_begin(&self, run: &JobRun, due: Option<DateTime<Utc>>, busy_until: DateTime<Utc>) -> Result<bool> {
        let JobRun { name, server, started_at } = run;
        let (now, later) = (*started_at, *started_at + WRONG_CLOCK);
        let due = due.unwrap_or(later);
        // Most of the time it is not due, and a read costs less than a write that changes nothing.
        if self.exists(&query!(IS_NOT_DUE, *name, now, due, later)).await? {
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
