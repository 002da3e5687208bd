//! The command `reports`: lists and resolves travellers' reports.

use clap::{Subcommand, ValueEnum};
use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_platform::settings::Storage;
use itinerary_store::ReportRow;
use serde_json::{Value, json};
use uuid::Uuid;

use super::output::Output;
use super::{CliResult, offline_database, review};

#[derive(Subcommand)]
pub(super) enum ReportsCommand {
    /// List open reports, oldest first
    List {
        /// Only reports after the one with this id
        #[arg(long, value_name = "REPORT")]
        after: Option<Uuid>,
        /// The maximum number of reports, 1 to 1000
        #[arg(long, value_name = "NUMBER", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
    /// Work through the open reports at a terminal, one itinerary at a time
    Review,
    /// Close the open reports on an itinerary
    Resolve {
        /// The itinerary's id
        itinerary: Uuid,
        /// Whether to keep it in Explore
        verdict: Verdict,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Verdict {
    /// Keep it in Explore
    Keep,
    /// Hide it from Explore permanently; travellers who are signed in and have its address can still read it
    Hide,
}

pub(super) async fn run(storage: &Storage, command: ReportsCommand, output: Output) -> CliResult {
    let service = offline_database(storage).await?;
    match command {
        ReportsCommand::List { after, limit } => {
            let open = service.store.report_count().await?;
            let reports = match after {
                Some(report) => service.store.reports_open_after(report, limit).await?,
                None => Some(service.store.reports_open(limit).await?),
            };
            let reports = reports.ok_or("the report does not exist any more: list from the beginning")?;
            for report in &reports {
                output.print(&value(report), &report.itinerary_id.to_string(), &line(report))?;
            }
            let more = match reports.last() {
                Some(last) if reports.len() == limit as usize && (after.is_some() || open > i64::from(limit)) => {
                    format!("; for more: --after {}", last.id)
                }
                _ => String::new(),
            };
            output.say(&format!("{open} open {}{more}.", if open == 1 { "report" } else { "reports" }))
        }
        ReportsCommand::Review => review::review(&service).await,
        ReportsCommand::Resolve { itinerary, verdict } => {
            let resolved = reports::resolve(&service, itinerary, verdict == Verdict::Hide, Actor::Operator).await;
            let closed = resolved.map_err(|error| error.for_log())?.ok_or("itinerary not found")?;
            let now = if verdict == Verdict::Hide { "hidden from Explore" } else { "not hidden" };
            let value = json!({ "closed": closed, "hidden": verdict == Verdict::Hide });
            output.print(&value, "", &format!("{closed} reports closed; the itinerary is {now}."))
        }
    }
}

pub(super) fn title(report: &ReportRow) -> String {
    let card: Option<Value> = serde_json::from_str(&report.title_card).ok();
    card.as_ref().and_then(|card| card["title"].as_str()).unwrap_or_default().to_owned()
}

fn value(report: &ReportRow) -> Value {
    json!({
        "reportId": report.id,
        "itineraryId": report.itinerary_id,
        "title": title(report),
        "owner": report.owner,
        "visibility": report.visibility,
        "hidden": report.hidden,
        "reporter": report.reporter,
        "reason": report.reason,
        "note": report.note,
        "createdAt": report.created_at,
    })
}

/// A report as one line. Text from travellers is quoted, so that it cannot forge further lines.
fn line(report: &ReportRow) -> String {
    let title = title(report);
    let hidden = if report.hidden { ", hidden" } else { "" };
    let note = report.note.as_ref().map(|note| format!(": {note:?}")).unwrap_or_default();
    format!(
        "{}  {}  {title:?} by {} ({}{hidden})\n    {} says {}{note}",
        report.created_at.format("%Y-%m-%d %H:%M"),
        report.itinerary_id,
        report.owner,
        report.visibility.as_str(),
        report.reporter,
        report.reason,
    )
}
