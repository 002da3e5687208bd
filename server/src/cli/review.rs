//! The command `reports review`: works through the open reports at a terminal, one itinerary at a time.
//!
//! Everything that travellers wrote goes through [`one_line`]: text by strangers must not control the terminal.

use std::collections::HashSet;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use itinerary_app::audit::Actor;
use itinerary_app::reports;
use itinerary_platform::context::Service;
use itinerary_store::ReportRow;
use uuid::Uuid;

use super::CliResult;
use super::account_access::one_line;
use super::output::print;
use super::reports::title;

/// The number of reports that are shown of an itinerary. All are closed by a verdict.
const SHOWN: u32 = 10;
/// The number of reports that one statement reads.
const PAGE: u32 = 50;
/// The amount of one text that is shown, in characters.
const LINE: usize = 300;

/// What to do with an itinerary.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Choice {
    Keep,
    Hide,
    Skip,
    Quit,
}

#[derive(Default)]
struct VerdictCounts {
    kept: usize,
    hidden: usize,
    skipped: usize,
}

pub(super) async fn review(service: &Service) -> CliResult {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err("reports review needs a terminal; use reports list and reports resolve".into());
    }
    let (mut after, mut seen, mut counts) = (None, HashSet::new(), VerdictCounts::default());
    loop {
        let next = match after {
            Some(report) => service.store.reports_open_after(report, PAGE).await?,
            None => None,
        };
        // From the beginning at first, and if that report was deleted meanwhile.
        let page = match next {
            Some(page) => page,
            None => service.store.reports_open(PAGE).await?,
        };
        let Some(last) = page.last().map(|report| report.id) else { break };
        for report in &page {
            // A verdict closes all reports of its itinerary; a skipped itinerary is not shown again.
            if seen.insert(report.itinerary_id) && !one(service, report.itinerary_id, &mut counts).await? {
                return end(service, &counts).await;
            }
        }
        after = Some(last);
    }
    end(service, &counts).await
}

/// Reviews one itinerary. `false` to quit.
async fn one(service: &Service, itinerary: Uuid, counts: &mut VerdictCounts) -> Result<bool, Error> {
    let reports = service.store.reports_open_about(itinerary, SHOWN).await?;
    // Resolved or deleted meanwhile.
    let Some(first) = reports.first() else { return Ok(true) };
    let content = service.store.reported_content(itinerary).await?.unwrap_or_default();
    let open = service.store.report_count().await?;
    print(&shown(first, &reports, &content, open))?;
    match ask()? {
        Choice::Quit => return Ok(false),
        Choice::Skip => counts.skipped += 1,
        verdict => {
            let hide = verdict == Choice::Hide;
            let resolved = reports::resolve(service, itinerary, hide, Actor::Operator).await;
            match resolved.map_err(|error| error.for_log())? {
                Some(closed) if hide => {
                    counts.hidden += 1;
                    print(&format!("Closed {}; hidden from Explore.\n", counted(closed)))?;
                }
                Some(closed) => {
                    counts.kept += 1;
                    print(&format!("Closed {}; kept.\n", counted(closed)))?;
                }
                None => print("The itinerary has been deleted meanwhile.\n")?,
            }
        }
    }
    Ok(true)
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Asks until there is an answer. The end of input is a quit.
fn ask() -> Result<Choice, Error> {
    loop {
        let mut stdout = io::stdout().lock();
        write!(stdout, "[k]eep, [h]ide, [s]kip, [q]uit? ")?;
        stdout.flush()?;
        drop(stdout);
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line)? == 0 {
            return Ok(Choice::Quit);
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "k" | "keep" => return Ok(Choice::Keep),
            "h" | "hide" => return Ok(Choice::Hide),
            "s" | "skip" => return Ok(Choice::Skip),
            "q" | "quit" => return Ok(Choice::Quit),
            _ => {}
        }
    }
}

async fn end(service: &Service, counts: &VerdictCounts) -> CliResult {
    let VerdictCounts { kept, hidden, skipped } = counts;
    let open = service.store.report_count().await?;
    print(&format!("{kept} itineraries kept, {hidden} hidden, {skipped} skipped; {open} reports are open."))
}

/// "1 report", "2 reports".
fn counted(reports: impl std::fmt::Display) -> String {
    let number = reports.to_string();
    let noun = if number == "1" { "report" } else { "reports" };
    format!("{number} {noun}")
}

/// An itinerary and its reports.
fn shown(first: &ReportRow, reports: &[ReportRow], content: &[u8], open: i64) -> String {
    let hidden = if first.hidden { ", hidden from Explore" } else { "" };
    let mut lines = vec![
        format!("── {} ── {open} open reports", first.itinerary_id),
        format!("{} by {} ({}{hidden})", cut(&title(first)), one_line(&first.owner), first.visibility.as_str()),
    ];
    for report in reports {
        let note = report.note.as_ref().map(|note| format!(": {}", cut(note))).unwrap_or_default();
        let day = report.created_at.format("%Y-%m-%d %H:%M");
        lines.push(format!("  {day}  {} says {}{note}", one_line(&report.reporter), one_line(&report.reason)));
    }
    if reports.len() == SHOWN as usize {
        lines.push(format!("  the {SHOWN} oldest reports are shown"));
    }
    lines.extend(reports::texts(content).iter().map(|text| format!("  │ {}", one_line(text))));
    lines.join("\n")
}

/// At most [`LINE`] characters, safe for a terminal.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(LINE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    one_line(&shown)
}
