//! What the files of an import have in all: bookings, places to see, and outlines of trips. In an order that does not depend on
//! the order of the files.

use itinerary_api::types::{ImportIgnored, ImportIgnoredCode};
use serde_json::Value;

use crate::Reading;
use crate::file::{Format, Found, Outline, Reason};
use crate::item::Item;
use crate::lookup::Lookup;
use crate::normalise::{self, Cuts};
use crate::same::{self, MAX_READINGS};

/// A file that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The file's name, for responses.
    pub file: String,
    /// What was read of it.
    pub reading: Reading,
}

/// A part of a file in which something was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'s> {
    pub file: &'s str,
    pub format: Format,
    pub found: &'s Found,
}

/// What the files have in all.
#[derive(Debug)]
pub(crate) struct Gathered<'s> {
    pub origins: Vec<Origin<'s>>,
    /// The bookings, ordered by time. They still have internal fields (`@…`, see `item.rs`).
    pub items: Vec<Item>,
    /// Bookings that are cancelled.
    pub cancelled: Vec<Item>,
    pub ignored: Vec<ImportIgnored>,
}

impl<'s> Gathered<'s> {
    pub(crate) fn new(sources: &'s [Source], lookup: &dyn Lookup) -> Self {
        let origins = origins(sources);
        let mut gathered = Self { origins, items: Vec::new(), cancelled: Vec::new(), ignored: refused(sources) };
        let readings = gathered.readings(lookup);
        let bookings = same::unite(readings);
        gathered.add_bookings(bookings);
        gathered
    }

    /// The bookings of all files, each as it is in its file.
    fn readings(&mut self, lookup: &dyn Lookup) -> Vec<Item> {
        let mut items = Vec::new();
        for (index, origin) in self.origins.iter().enumerate() {
            let left_out = origin.found.ignored.iter();
            self.ignored.extend(left_out.map(|part| ignored(origin.file, code(part.reason), part.message.clone())));
            for booking in &origin.found.bookings {
                let mut cuts = Cuts::default();
                items.push(normalise::item(booking, index, origin.found.written, lookup, &mut cuts));
                let file = origin.file;
                self.ignored.extend(cuts.0.into_iter().map(|(code, message)| ignored(file, code, message)));
            }
            for own in &origin.found.items {
                let Some(mut item) = own.item(index, origin.found.written) else { continue };
                normalise::time::set_days(&mut item, lookup);
                items.push(item);
            }
        }
        items
    }

    fn add_bookings(&mut self, bookings: same::Bookings) {
        if bookings.dropped > 0 {
            let message = format!("{} bookings over the limit of {MAX_READINGS} were left out.", bookings.dropped);
            self.ignore(None, ImportIgnoredCode::TooLarge, message);
        }
        for item in &bookings.cancelled {
            let message = format!("The booking {} is cancelled.", label(item));
            self.ignore(Some(item.source), ImportIgnoredCode::Cancelled, message);
        }
        for item in &bookings.outdated {
            let message = format!("The cancellation of {} is older than what else is known of it.", label(item));
            self.ignore(Some(item.source), ImportIgnoredCode::Cancelled, message);
        }
        self.items = bookings.items;
        self.cancelled = bookings.cancelled;
    }

    pub(crate) fn ignore(&mut self, source: Option<usize>, code: ImportIgnoredCode, message: String) {
        let file = source.and_then(|source| self.origins.get(source)).map_or("", |origin| origin.file);
        self.ignored.push(ignored(file, code, message));
    }

    /// What was ignored, each once, in order.
    pub(crate) fn take_ignored(&mut self) -> Vec<ImportIgnored> {
        let mut ignored = std::mem::take(&mut self.ignored);
        ignored.sort();
        ignored.dedup();
        ignored
    }

    /// The outlines of trips, newest first.
    pub(crate) fn outlines(&self) -> impl Iterator<Item = &'s Outline> {
        self.origins.iter().rev().filter_map(|origin| origin.found.trip.as_ref())
    }

    /// Itineraries of this service, newest first, with the index of their origin.
    pub(crate) fn itineraries(&self) -> Vec<(usize, &'s Value)> {
        let own = self.origins.iter().enumerate();
        let mut own: Vec<_> = own.filter_map(|(at, origin)| Some((at, origin.found.itinerary.as_ref()?))).collect();
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        own.sort_by_cached_key(|(at, value)| (text(value, "updatedAt"), *at));
        own.reverse();
        own
    }
}

/// The parts of the files, oldest first, then by their content.
fn origins(sources: &[Source]) -> Vec<Origin<'_>> {
    let parts = sources.iter().flat_map(|source| {
        let file = source.file.as_str();
        source.reading.found.iter().map(move |(format, found)| Origin { file, format: *format, found })
    });
    let mut origins: Vec<Origin> = parts.collect();
    if origins.len() > 1 {
        origins.sort_by_cached_key(|origin| {
            (origin.found.written, origin.file, format_name(origin.format), format!("{:?}", origin.found))
        });
    }
    origins
}

/// What the readers have ignored.
fn refused(sources: &[Source]) -> Vec<ImportIgnored> {
    let all = sources.iter().flat_map(|source| source.reading.ignored.iter().map(move |ignored| (source, ignored)));
    all.map(|(source, reason)| ignored(&source.file, code(reason.reason), reason.message.clone())).collect()
}

fn code(reason: Reason) -> ImportIgnoredCode {
    match reason {
        Reason::NotRecognised => ImportIgnoredCode::NotRecognised,
        Reason::Cancelled => ImportIgnoredCode::Cancelled,
        Reason::Unsupported => ImportIgnoredCode::Unsupported,
        Reason::TooLarge => ImportIgnoredCode::TooLarge,
        Reason::Malformed => ImportIgnoredCode::Malformed,
    }
}

pub(crate) fn ignored(file: &str, code: ImportIgnoredCode, message: String) -> ImportIgnored {
    ImportIgnored { file: file.to_owned(), code, message }
}

/// A booking in a few words: its number, name or ends, else its kind.
pub(crate) fn label(item: &Item) -> String {
    let text = |path: &str| item.text(path).map(str::to_owned);
    let named = text("flightNumber").or_else(|| text("number")).or_else(|| text("name"));
    let end = |place: &str| text(&format!("{place}.name")).or_else(|| text(&format!("{place}.code")));
    let [start, last] = item.part.ends();
    let ends = || Some(format!("{} – {}", end(start.place)?, end(last.place)?));
    let confirmed = || text("confirmationNumber");
    let kind = || item.part.item_name().to_owned();
    named.or_else(ends).or_else(confirmed).unwrap_or_else(kind)
}

/// The name of a format in responses.
pub(crate) fn format_name(format: Format) -> &'static str {
    match format {
        Format::Mail => "mail",
        Format::Html => "html",
        Format::JsonLd => "jsonLd",
        Format::Pass => "pass",
        Format::BoardingPass => "boardingPass",
        Format::Calendar => "calendar",
        Format::Gpx => "gpx",
        Format::Kml => "kml",
        Format::Itinerary => "itinerary",
        Format::TripIt => "tripIt",
        Format::AdventureLog => "adventureLog",
        Format::Trek => "trek",
    }
}
