//! Markdown, as `CommonMark` defines it.

mod bookings;

use std::fmt::Write;

use itinerary_api::types::{Activity, Cost};

use crate::details::note_lines;
use crate::moment::Moment;
use crate::text::{clean, join, line, link};
use crate::trip::{Trip, TripDay, TripStop};
use crate::words;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    let mut md = String::new();
    head(&mut md, trip);
    bookings::write(&mut md, trip);
    for day in &trip.days {
        write_day(&mut md, day);
    }
    lists(&mut md, trip);
    md
}

fn head(md: &mut String, trip: &Trip<'_>) {
    let itinerary = trip.itinerary;
    _ = writeln!(md, "# {}\n", escaped(&itinerary.title));
    let dates = trip.days.first().zip(trip.last_date()).map(|(first, last)| match last {
        last if last == first.date => first.date.to_string(),
        last => format!("{} to {last}", first.date),
    });
    let travellers = match itinerary.travellers.get() {
        1 => "1 traveller".to_owned(),
        several => format!("{several} travellers"),
    };
    let facts = [
        escaped(&itinerary.destination.name),
        dates.unwrap_or_else(|| itinerary.start_date.to_string()),
        travellers,
        format!("by {}", escaped(&itinerary.author.display_name)),
    ];
    _ = writeln!(md, "{}\n", facts.join(" · "));
    for paragraph in itinerary.summary.iter().flat_map(|summary| summary.lines()).filter(|line| !line.trim().is_empty())
    {
        _ = writeln!(md, "{}\n", escaped(paragraph));
    }
    if !itinerary.tags.is_empty() {
        let tags: Vec<String> = itinerary.tags.iter().map(|tag| escaped(tag)).collect();
        _ = writeln!(md, "Tags: {}\n", tags.join(", "));
    }
    _ = writeln!(md, "<{}>", url(&trip.address));
}

fn write_day(md: &mut String, day: &TripDay<'_>) {
    let title = day.day.title.as_deref().map(|title| format!(" · {}", escaped(title))).unwrap_or_default();
    _ = writeln!(md, "\n## Day {}: {}{title}", day.number, day.date.strftime("%A, %-d %B %Y"));
    for paragraph in note_lines(day.day.notes.as_deref()) {
        _ = writeln!(md, "\n{}", escaped(paragraph));
    }
    if day.stops.is_empty() {
        return;
    }
    md.push('\n');
    for stop in &day.stops {
        write_stop(md, stop);
    }
    let ways = [
        Some(day.leg_minutes).filter(|minutes| *minutes > 0.0).map(words::duration),
        Some(day.leg_metres).filter(|metres| *metres > 0.0).map(words::distance),
    ];
    let ways = join(ways.into_iter().flatten(), ", ");
    if !ways.is_empty() {
        _ = writeln!(md, "\nOn the way: {ways}");
    }
}

fn write_stop(md: &mut String, of: &TripStop<'_>) {
    let stop = of.stop;
    let time = match (&of.starts, &of.ends) {
        (Some(starts), Some(ends)) => format!("{}–{} ", starts.time(), ends.time()),
        (Some(starts), None) => format!("{} ", starts.time()),
        (None, _) => String::new(),
    };
    _ = writeln!(md, "{}. {time}**{}**", of.number, escaped(&stop.name));
    let zone = of.starts.as_ref().map(Moment::zone_words).filter(|_| stop_zone_differs(of)).unwrap_or_default();
    let rows = [
        join([stop.category.map(words::stop_category).unwrap_or_default().to_owned(), escaped(&zone)], ", "),
        escaped(&words::location(&stop.name, stop.place.as_ref())),
        labelled("Phone:", stop.phone_number.as_deref()),
        stop.activity.as_ref().map(booking).unwrap_or_default(),
    ];
    let notes = note_lines(stop.notes.as_deref()).map(escaped);
    for row in rows.into_iter().chain(notes).filter(|row| !row.is_empty()) {
        _ = writeln!(md, "   - {row}");
    }
    if let Some(late) = &of.late {
        _ = writeln!(md, "   - {late}");
    }
    if let Some(leg) = of.leg {
        let measures = [
            words::leg_minutes(leg).unwrap_or_default(),
            leg.metres.map(|metres| words::distance(metres.get())).unwrap_or_default(),
        ];
        let parts = [words::leg_mode(leg.mode).to_owned(), join(measures, ", ")];
        _ = writeln!(md, "   - Then: {}", join(parts, ", "));
    }
}

/// Whether a stop's own zone was sent: the destination's goes without saying.
fn stop_zone_differs(of: &TripStop<'_>) -> bool {
    of.stop.place.as_ref().is_some_and(|place| place.time_zone.is_some())
}

fn booking(activity: &Activity) -> String {
    let provider = escaped(&activity.provider);
    match activity.booking_url.as_deref().and_then(link) {
        Some(address) => format!("Booking: {}", linked(&provider, &address)),
        None => format!("Booking: {provider}"),
    }
}

/// A link with an escaped text.
fn linked(text: &str, address: &str) -> String {
    // In a link's destination, unlike between angle brackets alone, entities are decoded.
    format!("[{text}](<{}>)", url(address).replace('&', "&amp;"))
}

fn lists(md: &mut String, trip: &Trip<'_>) {
    let itinerary = trip.itinerary;
    let currency = itinerary.currency.as_deref();
    let expenses = itinerary.expenses.as_deref().unwrap_or_default();
    heading(md, "Expenses", expenses.len());
    for expense in expenses {
        let date = expense.date.map(|date| date.to_string()).unwrap_or_default();
        _ = writeln!(md, "- {}", join([escaped(&expense.name), amount(&expense.cost, currency), date], ", "));
    }
    let packing = itinerary.packing.as_deref().unwrap_or_default();
    heading(md, "Packing", packing.len());
    for item in packing {
        let number = match item.quantity.get() {
            1 => String::new(),
            several => format!("{several} × "),
        };
        _ = writeln!(md, "- [{}] {number}{}", if item.is_packed { 'x' } else { ' ' }, escaped(&item.name));
    }
    let documents = itinerary.documents.as_deref().unwrap_or_default();
    heading(md, "Documents", documents.len());
    for document in documents {
        _ = writeln!(md, "- {}", escaped(&document.name));
    }
}

fn amount(cost: &Cost, default: Option<&str>) -> String {
    let thousandths = cost.amount.thousandths();
    // Some currencies have three decimals.
    let decimals = match thousandths % 1000 {
        0 => String::new(),
        rest if rest % 10 == 0 => format!(".{:02}", rest / 10),
        rest => format!(".{rest:03}"),
    };
    let currency = cost.currency.as_deref().or(default).unwrap_or_default().to_owned();
    join([format!("{}{decimals}", thousandths / 1000), currency], " ")
}

/// The heading of a list that has entries.
fn heading(md: &mut String, title: &str, entries: usize) {
    if entries > 0 {
        _ = writeln!(md, "\n## {title}\n");
    }
}

/// The rows of an entry of a list, those that are not empty.
fn nested(md: &mut String, rows: impl IntoIterator<Item = String>) {
    for row in rows.into_iter().filter(|row| !row.is_empty()) {
        _ = writeln!(md, "  - {row}");
    }
}

fn labelled(label: &str, value: Option<&str>) -> String {
    let value = escaped(value.unwrap_or_default());
    if value.is_empty() { value } else { format!("{label} {value}") }
}

fn in_words(moment: &Moment) -> String {
    escaped(&moment.in_words())
}

/// Text as one line that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let text = line(&clean(text));
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_special = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '#' | '$' | '@' => true,
            // These begin a list or underline a heading, at the start of a line only.
            '-' | '+' | '=' => at == 0,
            // A number before it would begin a list.
            '.' | ')' => at > 0 && text[..at].bytes().all(|byte| byte.is_ascii_digit()),
            // Programs that turn addresses into links do so at these.
            ':' => text[at..].starts_with("://"),
            _ => false,
        };
        if is_special {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// An `https` or `http` address between angle brackets.
fn url(address: &str) -> String {
    address.replace('\\', "%5C").replace('<', "%3C").replace('>', "%3E")
}
