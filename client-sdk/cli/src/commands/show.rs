//! The command `show`.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use chrono::{Days, NaiveDate};
use itinerary_sdk::types::{Day, Itinerary, Leg, Stop};
use serde_json::value::RawValue;

use super::parts;
pub(super) use super::parts::{expenses, flights, hotels, packing};
use crate::failure::{Exit, Failure};
use crate::output::{DIM, Output, TITLE, colour};
use crate::service::Service;
use crate::table::{Cell, Column, Table};
use crate::{attention, json, text, trip};

pub(super) const TIME: Style = colour(AnsiColor::Cyan);
/// The `source` of legs that the server estimated.
const ESTIMATE: &str = "estimate";
/// Lines for output that is no terminal.
const USUAL_WIDTH: usize = 80;

pub(super) async fn run(service: &Service, output: Output, name: &str, number: Option<usize>) -> Result<(), Failure> {
    let id = trip::find(service, name).await?;
    let found = service.trip(id).await?;
    if let Some(number) = number {
        trip::day(&found.value, number)?;
    }
    match (output, number) {
        (Output { json: true, .. }, None) => output.raw(&found.raw),
        (Output { json: true, .. }, Some(number)) => output.raw(raw_day(&found.raw, number)?.get()),
        (Output { quiet: true, .. }, _) => Ok(()),
        (_, None) => output.print(&trip(&found.value, output.width)),
        (_, Some(number)) => {
            let mut text = day(&found.value, number, output.width);
            needs_attention(&mut text, &found.value, Some(number), output.width);
            output.print(&text)
        }
    }
}

fn raw_day(raw: &str, number: usize) -> Result<Box<RawValue>, Failure> {
    let fields = json::fields(raw).unwrap_or_default();
    let days = fields.into_iter().find(|(name, _)| name == "days");
    let days = days.and_then(|(_, days)| serde_json::from_str::<Vec<Box<RawValue>>>(days.get()).ok());
    let day = days.and_then(|days| days.into_iter().nth(number - 1));
    day.ok_or_else(|| Failure::new(Exit::Failure, "the server sent JSON that is not the API's"))
}

/// A trip: what it is, and all its days.
pub(super) fn trip(trip: &Itinerary, width: Option<usize>) -> String {
    let mut out = String::new();
    head(&mut out, trip, width);
    for number in 1..=trip.days.len() {
        out.push('\n');
        out += &day(trip, number, width);
    }
    needs_attention(&mut out, trip, None, width);
    out
}

fn needs_attention(out: &mut String, trip: &Itinerary, day: Option<usize>, width: Option<usize>) {
    let lines = attention::lines(trip, day);
    if lines.is_empty() {
        return;
    }
    let yellow = colour(AnsiColor::Yellow);
    // Writing to a String cannot fail.
    let _ = writeln!(out, "\n{yellow}Needs attention{yellow:#}");
    // Without a terminal, each is one line, for `grep` and the like.
    let columns = width.map_or(usize::MAX, |width| width - 2);
    for line in lines.iter().flat_map(|line| text::wrap(&text::clean(line), columns)) {
        let _ = writeln!(out, "  {line}");
    }
}

fn head(out: &mut String, trip: &Itinerary, width: Option<usize>) {
    let columns = width.unwrap_or(USUAL_WIDTH);
    for line in text::wrap(&text::clean(&trip.title), columns) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{TITLE}{line}{TITLE:#}");
    }
    let mut facts = vec![place_and_dates(trip)];
    facts.push(text::count(usize::try_from(trip.travellers).unwrap_or_default(), "traveller"));
    facts.extend(trip.currency.clone());
    facts.push(text::words(&trip.visibility.to_string()));
    facts.push(format!("by @{}", trip.author.username));
    for line in text::wrap(&text::clean(&facts.join(" · ")), columns) {
        let _ = writeln!(out, "{TIME}{line}{TIME:#}");
    }
    let _ = writeln!(out, "{DIM}{}{DIM:#}", trip.id);
    if let Some(summary) = trip.summary.as_ref().filter(|summary| !summary.trim().is_empty()) {
        out.push('\n');
        for line in summary.lines().flat_map(|line| text::wrap(&text::clean(line), columns)) {
            let _ = writeln!(out, "{line}");
        }
    }
    *out += &parts::all(trip, width);
}

/// A day: its heading, a table of stops with the legs between them, and its totals.
pub(super) fn day(trip: &Itinerary, number: usize, width: Option<usize>) -> String {
    let Some(day) = trip.days.get(number - 1) else { return String::new() };
    let date = date(trip, number).map(|date| date.format(" · %a %-d %b %Y").to_string()).unwrap_or_default();
    let title = day.title.as_deref().map(|title| format!(" · {}", text::clean(title))).unwrap_or_default();
    let mut out = format!("{TITLE}Day {number}{title}{TITLE:#}{DIM}{date}{DIM:#}\n");
    notes(&mut out, day.notes.as_deref(), width);
    if day.stops.is_empty() {
        let _ = writeln!(out, "  {DIM}no stops yet{DIM:#}");
        return out;
    }
    let mut table = Table::new([
        Column::right(""),
        Column::left("TIME"),
        Column::wrapped("STOP"),
        Column::left("KIND"),
        Column::right("STAY"),
    ])
    .indent(2);
    for (at, stop) in day.stops.iter().enumerate() {
        table.row([
            Cell::styled((at + 1).to_string(), DIM),
            time(stop),
            Cell::styled(&stop.name, TITLE),
            Cell::new(stop.category.as_ref().map(|category| text::words(&category.to_string())).unwrap_or_default()),
            Cell::new(stop.duration_minutes.map(|minutes| text::duration(minutes.into())).unwrap_or_default()),
        ]);
        let next = day.stops.get(at + 1);
        if let Some(leg) = next.and_then(|next| day.legs.iter().find(|leg| leg.from == stop.id && leg.to == next.id)) {
            table.row([
                Cell::styled("│", DIM),
                Cell::new(""),
                Cell::styled(on_the_way(leg), DIM),
                Cell::new(""),
                Cell::new(""),
            ]);
        }
    }
    table.drop_empty();
    out += &table.render(width);
    for line in text::wrap(&totals(day), width.unwrap_or(USUAL_WIDTH) - 2) {
        let _ = writeln!(out, "  {DIM}{line}{DIM:#}");
    }
    out
}

/// Notes, with their line breaks.
fn notes(out: &mut String, notes: Option<&str>, width: Option<usize>) {
    let columns = width.unwrap_or(USUAL_WIDTH) - 2;
    for line in notes.unwrap_or_default().lines().flat_map(|line| text::wrap(&text::clean(line), columns)) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {DIM}{line}{DIM:#}");
    }
}

/// When a stop starts. A time that the server suggested is marked.
fn time(stop: &Stop) -> Cell {
    match &stop.start_time {
        Some(time) if stop.start_time_suggested => Cell::styled(format!("about {time}"), TIME.dimmed()),
        Some(time) => Cell::styled(time, TIME),
        None => Cell::default(),
    }
}

fn on_the_way(leg: &Leg) -> String {
    let mut parts = vec![text::words(&leg.mode.to_string())];
    let about = if is_estimate(leg) { "about " } else { "" };
    parts.extend(leg.minutes.map(|minutes| format!("{about}{}", text::duration(whole(minutes)))));
    parts.extend(leg.metres.map(text::distance));
    parts.join(" · ")
}

/// Whether the server estimated the leg, because no route provider computed it and nobody set it.
fn is_estimate(leg: &Leg) -> bool {
    leg.source.as_deref() == Some(ESTIMATE)
}

/// The minutes of a day's legs.
pub(super) fn minutes_on_the_way(day: &Day) -> i64 {
    whole(day.legs.iter().filter_map(|leg| leg.minutes).sum())
}

fn totals(day: &Day) -> String {
    let stay: i64 = day.stops.iter().filter_map(|stop| stop.duration_minutes).map(i64::from).sum();
    let minutes = minutes_on_the_way(day);
    let metres: f64 = day.legs.iter().filter_map(|leg| leg.metres).sum();
    let mut parts = vec![text::count(day.stops.len(), "stop")];
    if stay > 0 {
        parts.push(format!("{} there", text::duration(stay)));
    }
    if minutes > 0 {
        let about = if day.legs.iter().any(is_estimate) { "about " } else { "" };
        parts.push(format!("{about}{} on the way", text::duration(minutes)));
    }
    if metres > 0.0 {
        parts.push(text::distance(metres));
    }
    parts.join(" · ")
}

/// Minutes as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "casts of floats saturate")]
fn whole(minutes: f64) -> i64 {
    minutes.round() as i64
}

/// The date of a day by its number.
fn date(trip: &Itinerary, number: usize) -> Option<NaiveDate> {
    trip.start_date.checked_add_days(Days::new(u64::try_from(number.checked_sub(1)?).ok()?))
}

/// `Sat 15 – Fri 21 May 2027`
fn span(first: NaiveDate, last: NaiveDate) -> String {
    let format = match () {
        () if first == last => return first.format("%a %-d %b %Y").to_string(),
        () if first.format("%Y%m").to_string() == last.format("%Y%m").to_string() => "%a %-d",
        () if first.format("%Y").to_string() == last.format("%Y").to_string() => "%a %-d %b",
        () => "%a %-d %b %Y",
    };
    format!("{} – {}", first.format(format), last.format("%a %-d %b %Y"))
}

/// `Porto, PT · Sat 15 – Mon 17 May 2027`
pub(super) fn place_and_dates(trip: &Itinerary) -> String {
    let last = date(trip, trip.days.len()).unwrap_or(trip.start_date);
    let place = place_name(&trip.destination.name, trip.destination.country_code.as_deref());
    format!("{place} · {}", span(trip.start_date, last))
}

fn place_name(name: &str, country: Option<&str>) -> String {
    country.map_or_else(|| name.to_owned(), |country| format!("{name}, {country}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tokyo() -> Itinerary {
        let stop = |id: &str, name: &str, time: &str| {
            json!({ "id": id, "name": name, "startTime": time, "startTimeSuggested": id == "b",
                "durationMinutes": 90, "category": "religious", "place": { "coordinate": { "latitude": 35.7, "longitude": 139.8 } } })
        };
        serde_json::from_value(json!({
            "id": "00000000-0000-7000-8000-000000000001", "title": "東京\u{1b}[2J", "role": "owner",
            "author": { "accountId": "00000000-0000-7000-8000-000000000002", "username": "ana", "displayName": "Ana",
                "isPro": false },
            "createdAt": "2027-01-01T00:00:00Z", "updatedAt": "2027-01-01T00:00:00Z", "likesCount": 0, "viewsCount": 0,
            "destination": { "name": "Tokyo", "countryCode": "JP", "coordinate": { "latitude": 35.7, "longitude": 139.7 } },
            "startDate": "2027-12-30", "tags": [], "travellers": 1, "visibility": "private", "currency": "JPY",
            "flights": [{ "id": "f", "flightNumber": "NH 216", "departureDate": "2027-12-29T20:05:00+01:00",
                "arrivalDate": "2027-12-30T16:40:00+09:00", "departureAirport": { "code": "FRA" } }],
            "days": [
                { "id": "1", "stops": [stop("a", "浅草寺", "09:00"), stop("b", "Ueno Park", "10:50")],
                  "legs": [{ "from": "a", "to": "b", "mode": "walk", "minutes": 24.6, "metres": 1840.0,
                    "source": "estimate" }] },
                { "id": "2", "stops": [], "legs": [] },
            ],
        }))
        .unwrap()
    }

    #[test]
    fn a_trip_is_laid_out() {
        let plain = anstream::adapter::strip_str(&trip(&tokyo(), Some(80))).to_string();
        let expected = "\
東京[2J
Tokyo, JP · Thu 30 – Fri 31 Dec 2027 · 1 traveller · JPY · private · by @ana
00000000-0000-7000-8000-000000000001

Flights
  1  Wed 29 Dec 20:05  NH 216  FRA → ?, arrives Thu 30 Dec 16:40

Day 1 · Thu 30 Dec 2027
     TIME         STOP       KIND         STAY
  1  09:00        浅草寺     religious  1 h 30
  │               walk · about 25 min · 1.8 km
  2  about 10:50  Ueno Park  religious  1 h 30
  2 stops · 3 h there · about 25 min on the way · 1.8 km

Day 2 · Fri 31 Dec 2027
  no stops yet

Needs attention
  Day 1, stop 2 “Ueno Park” starts 4 min before you can arrive from the previous
  stop.
";
        assert_eq!(plain, expected);
    }

    #[test]
    fn dates_are_written_once() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let span = |first: &str, last: &str| span(date(first), date(last));
        assert_eq!(span("2027-05-15", "2027-05-15"), "Sat 15 May 2027");
        assert_eq!(span("2027-05-15", "2027-05-21"), "Sat 15 – Fri 21 May 2027");
        assert_eq!(span("2027-05-30", "2027-06-01"), "Sun 30 May – Tue 1 Jun 2027");
        assert_eq!(span("2027-12-31", "2028-01-01"), "Fri 31 Dec 2027 – Sat 1 Jan 2028");
    }
}
