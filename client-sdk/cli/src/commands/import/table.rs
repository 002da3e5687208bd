//! What an import found, as a table: bookings with what happens to them, then what is ignored and why.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use chrono::{DateTime, NaiveDate};
use itinerary_sdk::types::{
    Day, ImportResult, ImportState, ImportedChange, ImportedItem, Itinerary, ItineraryDraft, Stop,
};
use serde_json::Value;

use crate::commands::parts;
use crate::output::{DIM, TITLE, colour};
use crate::table::{Cell, Column, Table};
use crate::text;

use super::super::show::TIME;

/// The longest value of a field that is shown, in characters.
const LONGEST_VALUE: usize = 60;

/// What was found, and what it was compared with.
pub(super) struct Found<'f> {
    pub(super) result: &'f ImportResult,
    /// The trip, if its items have the indexes of the result.
    pub(super) target: Option<&'f Itinerary>,
    pub(super) is_new: bool,
    pub(super) overwrite: bool,
}

impl Found<'_> {
    /// A heading for a new trip, the table, and how to replace values that are kept.
    pub(super) fn render(&self, width: Option<usize>) -> String {
        let mut out = if self.is_new { heading(&self.result.itinerary) } else { String::new() };
        out += &self.table(width).render(width);
        let has_kept = |item: &ImportedItem| item.changes.iter().any(|change| self.is_kept(item, change));
        if self.result.items.iter().any(has_kept) {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{DIM}Values that differ are kept; --overwrite replaces them.{DIM:#}");
        }
        out.push('\n');
        out
    }

    fn table(&self, width: Option<usize>) -> Table {
        let columns = [Column::left(""), Column::left("TIME"), Column::wrapped("BOOKING"), Column::left("FILE")];
        let mut table = Table::new(columns);
        let mut items: Vec<_> = self.result.items.iter().collect();
        items.sort_by_key(|item| order(item));
        for item in items {
            self.add(&mut table, item);
        }
        if self.has_other_changes() {
            let what = Cell::new("titles or notes of days");
            table.row([state(Some(ImportState::Updated), "updated"), Cell::default(), what, Cell::default()]);
        }
        for ignored in &self.result.ignored {
            let code = text::words(&ignored.code.to_string());
            let what = format!("{} ({code})", ignored.message.trim_end_matches('.'));
            let file = Cell::styled(&ignored.file, DIM);
            table.row([Cell::styled("ignored", DIM), Cell::default(), Cell::new(what), file]);
        }
        table.drop_until_fits(&["FILE"], width);
        table
    }

    /// A row for an item, and one for each field that changes or differs.
    fn add(&self, table: &mut Table, item: &ImportedItem) {
        let [time, what] = self.described(&item.field).unwrap_or_else(|| [String::new(), item.field.clone()]);
        let name = item.state.to_string();
        let state = state(item.state.known().copied(), &name);
        table.row([state, Cell::styled(time, TIME), Cell::new(what), Cell::styled(&item.file, DIM)]);
        for change in &item.changes {
            let field = text::words(&change.field.replace('.', " "));
            let (was, now) = (shown(change.was.as_ref()), shown(change.now.as_ref()));
            let line = if self.is_kept(item, change) {
                format!("  {field}: {was} is kept; the file has {now}")
            } else {
                format!("  {field}: {was} → {now}")
            };
            table.row([Cell::default(), Cell::default(), Cell::new(line), Cell::default()]);
        }
    }

    /// Whether the trip's value stays. Tickets of the files are added to those of the trip in any case.
    fn is_kept(&self, item: &ImportedItem, change: &ImportedChange) -> bool {
        let adds = change.field == "tickets" && item.state == ImportState::Updated;
        !self.overwrite && change.was.is_some() && !adds
    }

    /// Whether the draft changes the trip beside its items.
    fn has_other_changes(&self) -> bool {
        let changes = |item: &ImportedItem| item.state != ImportState::Unchanged && item.field.starts_with("days[");
        !self.is_new && self.result.itinerary.days.is_some() && !self.result.items.iter().any(changes)
    }

    /// The time and the name of an item, such as `flights[0]`: of the draft or, if it lacks the list, of the trip.
    fn described(&self, field: &str) -> Option<[String; 2]> {
        let (list, rest) = field.split_once('[')?;
        let (index, rest) = rest.split_once(']')?;
        let index: usize = index.parse().ok()?;
        let (draft, trip) = (&self.result.itinerary, self.target);
        match list {
            "flights" => {
                let [time, what] =
                    parts::flight(item(draft.flights.as_ref(), trip.and_then(|trip| trip.flights.as_ref()), index)?);
                Some([time, format!("flight {what}")])
            }
            "hotels" => {
                let [time, what] =
                    parts::hotel(item(draft.hotels.as_ref(), trip.and_then(|trip| trip.hotels.as_ref()), index)?);
                Some([time, format!("hotel {what}")])
            }
            "transports" => Some(parts::transport(item(
                draft.transports.as_ref(),
                trip.and_then(|trip| trip.transports.as_ref()),
                index,
            )?)),
            "reservations" => {
                let of_trip = trip.and_then(|trip| trip.reservations.as_ref());
                let [time, what] = parts::reservation(item(draft.reservations.as_ref(), of_trip, index)?);
                Some([time, format!("reservation {what}")])
            }
            "expenses" => {
                let expense = item(draft.expenses.as_ref(), trip.and_then(|trip| trip.expenses.as_ref()), index)?;
                let currency = expense.cost.currency.as_deref().unwrap_or_default();
                let amount = parts::money(expense.cost.amount, currency);
                Some([String::new(), format!("expense {amount}  {}", expense.name)])
            }
            "days" => {
                let day = item(draft.days.as_ref(), trip.map(|trip| &trip.days), index)?;
                Some(described_stop(index, day, rest))
            }
            _ => None,
        }
    }
}

/// The item of the draft's list or, if it has none, of the trip's.
fn item<'i, T>(draft: Option<&'i Vec<T>>, trip: Option<&'i Vec<T>>, index: usize) -> Option<&'i T> {
    draft.or(trip)?.get(index)
}

/// A stop, or the day itself if the path names none.
fn described_stop(at: usize, day: &Day, path: &str) -> [String; 2] {
    let day_number = format!("day {}", at + 1);
    let index = path.strip_prefix(".stops[").and_then(|path| path.split(']').next()?.parse::<usize>().ok());
    let stop: Option<&Stop> = index.and_then(|index| day.stops.get(index));
    match stop {
        Some(stop) => {
            let time = stop.start_time.as_deref().map(|time| format!(" {time}")).unwrap_or_default();
            [format!("{day_number}{time}"), format!("stop {}", stop.name)]
        }
        None => [day_number, day.title.clone().unwrap_or_default()],
    }
}

/// What a new trip is: title, destination, dates.
fn heading(draft: &ItineraryDraft) -> String {
    let title = text::clean(draft.title.as_deref().unwrap_or("A new trip"));
    let destination = draft.destination.as_ref().map(|destination| destination.name.clone());
    let start = draft.start_date.map(|start| start.format("%a %-d %b %Y").to_string());
    let days = draft.days.as_ref().map(|days| text::count(days.len(), "day"));
    let facts: Vec<_> = [destination, start, days].into_iter().flatten().collect();
    let facts = text::clean(&facts.join(" · "));
    let facts = if facts.is_empty() { facts } else { format!("{TIME}{facts}{TIME:#}\n") };
    format!("{TITLE}{title}{TITLE:#}\n{facts}\n")
}

/// New ones first, and those that stay last.
fn order(item: &ImportedItem) -> u8 {
    match item.state.known() {
        Some(ImportState::Added) => 0,
        Some(ImportState::Updated) => 1,
        Some(ImportState::Unchanged) => 2,
        None => 3,
    }
}

fn state(state: Option<ImportState>, name: &str) -> Cell {
    let style: Style = match state {
        Some(ImportState::Added) => colour(AnsiColor::Green),
        Some(ImportState::Updated) => colour(AnsiColor::Yellow),
        Some(ImportState::Unchanged) | None => DIM,
    };
    Cell::styled(text::words(name), style)
}

/// A value of a field on one line.
fn shown(value: Option<&Value>) -> String {
    let text = value.map(plain).filter(|text| !text.is_empty()).unwrap_or_else(|| "none".to_owned());
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A value as people read it: times without their offset, objects and lists as their values.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => date(text).unwrap_or_else(|| text.clone()),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match name.as_str() {
                // A barcode is for machines.
                "code" if value.is_object() => "barcode".to_owned(),
                _ => plain(value),
            };
            fields.iter().map(field).collect::<Vec<_>>().join(" ")
        }
        value => value.to_string(),
    }
}

fn date(text: &str) -> Option<String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.format("%a %-d %b %Y %H:%M").to_string());
    }
    text.parse::<NaiveDate>().ok().map(|day| day.format("%a %-d %b %Y").to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rendered(result: &Value, is_new: bool, overwrite: bool) -> String {
        let found: ImportResult = serde_json::from_value(result.clone()).unwrap();
        let found = Found { result: &found, target: None, is_new, overwrite };
        anstream::adapter::strip_str(&found.render(None)).to_string()
    }

    fn result(state: &str, changes: &Value) -> Value {
        json!({
            "itinerary": {
                "title": "Lisbon\u{1b}[2J", "startDate": "2027-05-15",
                "flights": [{ "id": "f", "flightNumber": "TP1689", "departureAirport": { "code": "AMS" },
                    "arrivalAirport": { "code": "LIS" }, "departureDate": "2027-05-15T08:00:00+02:00" }],
            },
            "items": [{ "field": "flights[0]", "file": "a.eml", "format": "jsonLd", "state": state, "changes": changes }],
            "ignored": [{ "file": "b.txt", "code": "notRecognised", "message": "No booking." }],
        })
    }

    #[test]
    fn a_new_trip_has_its_title_and_what_is_ignored() {
        let expected = "Lisbon[2J\nSat 15 May 2027\n\n         TIME             BOOKING                       FILE\n\
             added    Sat 15 May 08:00  flight TP1689  AMS → LIS      a.eml\n\
             ignored                    No booking (not recognised)  b.txt\n\n";
        let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(squeeze(&rendered(&result("added", &json!([])), true, false)), squeeze(expected));
    }

    #[test]
    fn fields_are_filled_kept_or_replaced() {
        let changes = json!([
            { "field": "arrivalDate", "was": "2027-05-15T10:00:00+01:00", "now": "2027-05-15T11:30:00+01:00" },
            { "field": "departureAirport.name", "now": "Schiphol" },
            { "field": "tickets", "was": [{ "holder": "Ana" }],
              "now": [{ "holder": "Ana", "code": { "format": "aztec", "text": "M1" } }, { "holder": "Ben" }] },
        ]);
        let kept = rendered(&result("updated", &changes), false, false);
        let replaced = rendered(&result("updated", &changes), false, true);
        for line in ["departure airport name: none → Schiphol\n", "tickets: Ana → barcode Ana, Ben\n"] {
            assert!(kept.contains(line) && replaced.contains(line), "{kept}{replaced}");
        }
        assert!(kept.contains("arrival date: Sat 15 May 2027 10:00 is kept; the file has Sat 15 May 2027 11:30\n"));
        assert!(kept.contains("--overwrite") && !replaced.contains("--overwrite"), "{replaced}");
        assert!(replaced.contains("arrival date: Sat 15 May 2027 10:00 → Sat 15 May 2027 11:30\n"), "{replaced}");
    }

    #[test]
    fn unknown_items_are_named_by_their_path_and_long_values_cut() {
        let mut result = result("later", &json!([{ "field": "notes", "now": "x".repeat(99) }]));
        result["items"][0]["field"] = json!("ferries[3]");
        let said = rendered(&result, false, false);
        assert!(said.contains("later") && said.contains("ferries[3]"), "{said}");
        assert!(said.contains(&format!("notes: none → {}…\n", "x".repeat(LONGEST_VALUE))), "{said}");
    }
}
