//! The command `jobs`: what periodic jobs have done, and running one now, beside running servers.

use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use itinerary_core::clock::Clock;
use itinerary_platform::settings::{Access, Config, Storage};
use itinerary_platform::system::SystemClock;
use itinerary_store::{JobRow, Store};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::output::Output;
use super::{CliResult, offline, with_mail};
use crate::jobs::{self, JOBS, Job, RunOutcome, When, in_words, state};
use crate::serve::open_migrated;

#[derive(Subcommand)]
pub(super) enum JobsCommand {
    /// List the jobs with their last run on any server
    List,
    /// Run a job now, whether or not it is due; waits while it runs on a server
    Run {
        /// The job's name
        #[arg(value_parser = PossibleValuesParser::new(JOBS.iter().map(|job| job.name)))]
        name: String,
    },
}

pub(super) async fn run(storage: &Storage, serve: &Config, command: JobsCommand, output: Output) -> CliResult {
    match command {
        JobsCommand::List => list(&open_migrated(&storage.with_access(Access::DatabaseOnly)).await?, output).await,
        JobsCommand::Run { name } => {
            let job = jobs::find(&name).ok_or("there is no such job")?;
            run_now(storage, serve, job, output).await
        }
    }
}

async fn list(store: &Store, output: Output) -> CliResult {
    let (rows, now) = (store.jobs().await?, SystemClock.now());
    output.say(&format!(
        "{:<18} {:>6}  {:<11}  {:<20}  {:>10}  {:>8}  SERVER",
        "JOB", "EVERY", "STATE", "LAST START", "TOOK", "ITEMS"
    ))?;
    for job in &JOBS {
        let row = rows.iter().find(|row| row.name == job.name);
        output.print(&value(job, row, now), job.name, &line(job, row, now))?;
    }
    Ok(())
}

fn value(job: &Job, row: Option<&JobRow>, now: DateTime<Utc>) -> Value {
    json!({
        "name": job.name,
        "about": job.about,
        "periodSeconds": job.period.as_secs(),
        "ofEachServer": job.of_each_server,
        "state": state(row, now),
        "lastStart": row.map(|row| row.started_at),
        "lastSuccess": row.and_then(|row| row.succeeded_at),
        "durationMs": row.and_then(|row| row.took_ms),
        "items": row.and_then(|row| row.items),
        "failure": row.and_then(|row| row.failure.as_ref()),
        "server": row.map(|row| &row.server),
    })
}

fn line(job: &Job, row: Option<&JobRow>, now: DateTime<Utc>) -> String {
    let show = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let started = show(row.map(|row| row.started_at.format("%Y-%m-%dT%H:%M:%SZ").to_string()));
    let took = show(row.and_then(|row| Some(format!("{} ms", row.took_ms?))));
    let items = show(row.and_then(|row| Some(row.items?.to_string())));
    let server = show(row.map(|row| row.server.clone()));
    let (name, every, state) = (job.name, in_words(job.period), state(row, now));
    let failure = row.and_then(|row| row.failure.as_ref()).map(|why| format!("\n    {why}")).unwrap_or_default();
    format!("{name:<18} {every:>6}  {state:<11}  {started:<20}  {took:>10}  {items:>8}  {server}{failure}")
}

/// How often a job that runs on a server is tried again.
const TRIED_EVERY: Duration = Duration::from_millis(500);

async fn run_now(storage: &Storage, serve: &Config, job: &'static Job, output: Output) -> CliResult {
    if job.of_each_server {
        return Err(format!(
            "{} runs in each server, on the reads in its own memory; a command cannot run it",
            job.name
        )
        .into());
    }
    let service = with_mail(offline(storage).await?, serve);
    let mut said = false;
    loop {
        if let RunOutcome::Ran { outcome, took } = jobs::run(&service, job, When::Now).await? {
            let done = outcome.map_err(|error| format!("{} failed: {error}", job.name))?;
            let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let value = json!({ "name": job.name, "items": done.items, "durationMs": millis });
            let text = format!("{}: {} items in {millis} ms.", job.name, done.items);
            return output.print(&value, "", &text);
        }
        if !said {
            output.say(&format!("{} runs on a server; waiting for its end.", job.name))?;
            said = true;
        }
        sleep(TRIED_EVERY).await;
    }
}
