//! The command `list`.

use anstyle::AnsiColor;
use itinerary_sdk::types::ListedItinerary;
use serde_json::value::RawValue;

use crate::arguments::ListArguments;
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE, colour};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::text;

pub(super) async fn run(service: &Service, output: Output, arguments: &ListArguments) -> Result<(), Failure> {
    let mut query = vec![("filter", arguments.filter.name())];
    query.extend(arguments.updated_since.map(|instant| ("updatedSince", instant.to_rfc3339())));
    let (entries, more) = service.list("/v1/itineraries", &query, arguments.limit).await?;
    if print_plain(output, &entries)? {
        return Ok(());
    }
    let trips = parse(&entries)?;
    if trips.is_empty() {
        return output.say("No trips. Create one with `itinerary create`, or find one with `itinerary explore`.");
    }
    let mut table = Table::new([
        Column::wrapped("TRIP"),
        Column::left("START"),
        Column::right("DAYS"),
        Column::right("STOPS"),
        Column::left("VISIBLE"),
        Column::left("ROLE"),
        Column::left("ID"),
    ]);
    for trip in &trips {
        table.row([
            Cell::styled(&trip.title, TITLE),
            Cell::styled(trip.start_date.format("%-d %b %Y").to_string(), colour(AnsiColor::Cyan)),
            Cell::new(trip.days_count.to_string()),
            Cell::new(trip.stops_count.to_string()),
            Cell::new(text::words(&trip.visibility.to_string())),
            Cell::new(text::words(&trip.role.to_string())),
            Cell::styled(trip.id.to_string(), DIM),
        ]);
    }
    table.drop_if_narrow(6, output.width);
    table.drop_until_fits(&["ROLE", "STOPS", "VISIBLE"], output.width);
    output.print(&table.render(output.width))?;
    note_more(output, more, arguments.limit);
    Ok(())
}

/// Prints a list as JSON lines or as ids, if the arguments say so.
pub(super) fn print_plain(output: Output, entries: &[Box<RawValue>]) -> Result<bool, Failure> {
    if output.json {
        for entry in entries {
            output.raw(entry.get())?;
        }
    } else if output.quiet {
        for trip in parse(entries)? {
            output.print(&format!("{}\n", trip.id))?;
        }
    }
    Ok(output.json || output.quiet)
}

pub(super) fn parse(entries: &[Box<RawValue>]) -> Result<Vec<ListedItinerary>, Failure> {
    let trips = entries.iter().map(|entry| serde_json::from_str(entry.get())).collect::<Result<_, _>>();
    trips.map_err(|error| Failure::new(Exit::Failure, format!("the server sent JSON that is not the API's: {error}")))
}

pub(super) fn note_more(output: Output, more: bool, limit: usize) {
    if more {
        output.warn(&format!("there are more; these are the first {limit} (--limit)"));
    }
}
