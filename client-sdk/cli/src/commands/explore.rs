//! The command `explore`.

use std::fmt::Write as _;

use anstyle::AnsiColor;
use itinerary_sdk::types::ListedItinerary;

use super::list::{note_more, parse, print_plain};
use crate::arguments::ExploreArguments;
use crate::failure::Failure;
use crate::output::{DIM, Output, TITLE, colour};
use crate::service::Service;
use crate::text;

/// Lines for output that is no terminal.
const USUAL_WIDTH: usize = 80;

pub(super) async fn run(service: &Service, output: Output, arguments: &ExploreArguments) -> Result<(), Failure> {
    let mut query = Vec::new();
    if !arguments.query.is_empty() {
        query.push(("q", arguments.query.join(" ")));
    }
    if !arguments.region.is_empty() {
        query.push(("regions", arguments.region.join(",")));
    }
    if arguments.following {
        query.push(("following", "true".to_owned()));
    }
    let (entries, more) = service.list("/v1/explore", &query, arguments.limit).await?;
    if print_plain(output, &entries)? {
        return Ok(());
    }
    let trips = parse(&entries)?;
    if trips.is_empty() {
        return output.say("No trips found.");
    }
    let mut out = String::new();
    for (number, trip) in trips.iter().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        write(&mut out, trip, output.width.unwrap_or(USUAL_WIDTH));
    }
    output.print(&out)?;
    note_more(output, more, arguments.limit);
    Ok(())
}

/// An entry over three or four lines: title, what it is, summary, id.
fn write(out: &mut String, trip: &ListedItinerary, width: usize) {
    let cyan = colour(AnsiColor::Cyan);
    for line in text::wrap(&text::clean(&trip.title), width) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{TITLE}{line}{TITLE:#}");
    }
    let number = |number: i64| usize::try_from(number).unwrap_or_default();
    let facts = format!(
        "{} · {}, {} · by @{} · {}",
        text::clean(&trip.destination.name),
        text::count(number(trip.days_count), "day"),
        text::count(number(trip.stops_count), "stop"),
        text::clean(&trip.author.username),
        text::count(number(trip.likes_count), "like"),
    );
    for line in text::wrap(&facts, width - 2) {
        let _ = writeln!(out, "  {cyan}{line}{cyan:#}");
    }
    if let Some(summary) = &trip.summary {
        let mut lines = text::wrap(&text::clean(summary), width - 4);
        if lines.len() > 2 {
            lines.truncate(2);
            lines[1].push('…');
        }
        for line in lines.iter().filter(|line| !line.is_empty()) {
            let _ = writeln!(out, "  {line}");
        }
    }
    let _ = writeln!(out, "  {DIM}{}{DIM:#}", trip.id);
}
