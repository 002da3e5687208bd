//! The command `reports`: lists and resolves travellers' reports.

use clap::{Subcommand, ValueEnum};
use itinerary_store::ReportRow;
use serde_json::{Value, json};
use uuid::Uuid;

use super::output::Output;
use super::{CliResult, offline_database};
use crate::app::reports;
use crate::config::Storage;

/// The maximum number of reports listed at once.
const LISTED: u32 = 100;

#[derive(Subcommand)]
pub(super) enum ReportsCommand {
    /// List the open reports, oldest first
    List,
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
    /// Hide it from Explore permanently; anyone with its id can still read it
    Hide,
}

pub(super) async fn run(storage: &Storage, command: ReportsCommand, output: Output) -> CliResult {
    let service = offline_database(storage).await?;
    match command {
        ReportsCommand::List => {
            let open = service.store.report_count().await?;
            for report in service.store.reports_open(LISTED).await? {
                output.print(&value(&report), &report.itinerary_id.to_string(), &line(&report))?;
            }
            let more = if open > i64::from(LISTED) { "; these were the oldest" } else { "" };
            output.say(&format!("{open} open reports{more}."))
        }
        ReportsCommand::Resolve { itinerary, verdict } => {
            let resolved = reports::resolve(&service, itinerary, verdict == Verdict::Hide).await;
            let closed = resolved.map_err(|error| format!("{error:?}"))?.ok_or("itinerary not found")?;
            let now = if verdict == Verdict::Hide { "hidden from Explore" } else { "not hidden" };
            let value = json!({ "closed": closed, "hidden": verdict == Verdict::Hide });
            output.print(&value, "", &format!("{closed} reports closed; the itinerary is {now}."))
        }
    }
}

fn title(report: &ReportRow) -> String {
    let card: Option<Value> = serde_json::from_str(&report.title_card).ok();
    card.as_ref().and_then(|card| card["title"].as_str()).unwrap_or_default().to_owned()
}

fn value(report: &ReportRow) -> Value {
    json!({
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
        report.visibility,
        report.reporter,
        report.reason,
    )
}
