//! Bookings, places and trips from files: mails, web pages, calendars, passes, boarding passes, tracks and exports of other
//! programs.
//!
//! Readers ([`readers`]) turn each format into the same [`Booking`]s. [`draft()`] makes a new trip of them, and [`into_trip`]
//! compares them with one that exists. In between, the caller looks up the places that [`wanted`] names. This crate fetches
//! nothing, reads no clock and stores nothing.

pub mod booking;
pub mod budget;
mod detect;
mod draft;
pub mod file;
mod finish;
mod gather;
mod item;
mod lookup;
mod normalise;
mod own_item;
pub mod readers;
mod same;
mod text;
mod update;

use chrono::NaiveDate;

pub use booking::Booking;
pub use budget::Budget;
pub use draft::{Context, Import, draft};
pub use file::File;
pub use gather::Source;
pub use lookup::{Lookup, Nothing, PlaceFacts, Wanted, wanted, wanted_by};
pub use own_item::{OwnBooking, OwnItem};
pub use update::into_trip;

use budget::Exceeded;
use file::{Format, Found, Ignored, Reason};
use readers::{boarding_pass, calendar, exports, gpx, html, json_ld, kml, mail, pass, schema_org};

/// What was read of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What was found, with the format of the file or of the part of a mail that it was in.
    pub found: Vec<(Format, Found)>,
    /// What was not read, and why.
    pub ignored: Vec<Ignored>,
}

/// Reads a file: its bookings and places, and what was ignored. `as_of` gives a year to dates that have none, unless the
/// file says when it was written.
pub fn read(file: &File, as_of: NaiveDate, budget: &mut Budget) -> Reading {
    let mut reading = Reading::default();
    if let Err(exceeded) = budget.check() {
        reading.ignored.push(exceeded.into());
        return reading;
    }
    match detect::format(file) {
        None => {}
        Some(Format::Mail) => {
            let result = budget.in_mail(|budget| read_mail(file, as_of, budget, &mut reading));
            reading.ignored.extend(result.err().map(Ignored::from));
        }
        Some(format) => read_as(format, file, as_of, budget, &mut reading),
    }
    reading.found.retain(|(_, found)| {
        let has_items = !found.bookings.is_empty() || !found.items.is_empty() || !found.waypoints.is_empty();
        has_items || found.trip.is_some() || found.itinerary.is_some()
    });
    if reading.found.is_empty() && reading.ignored.is_empty() {
        reading.ignored.push(not_recognised());
    }
    reading
}

fn not_recognised() -> Ignored {
    let message = "The file has no booking in a format that is read.".to_owned();
    Ignored { reason: Reason::NotRecognised, message }
}

/// Reads a file that is no mail.
fn read_as(format: Format, file: &File, as_of: NaiveDate, budget: &mut Budget, reading: &mut Reading) {
    let charset = file.media_type.and_then(text::charset_of);
    let export = if format == Format::JsonLd { read_export(file, charset, budget) } else { None };
    if let Some((format, result)) = export {
        let (found, ignored) = either(result);
        reading.found.push((format, found));
        reading.ignored.extend(ignored);
        return;
    }
    let (mut found, ignored) = match format {
        Format::AdventureLog => either(exports::read_archive(file.content, budget)),
        Format::Html => html::read(&text::decode(file.content, charset), budget),
        Format::JsonLd => read_json(&text::decode(file.content, charset), budget),
        Format::Pass => either(pass::read(file.content, as_of, budget)),
        Format::BoardingPass => either(boarding_pass::read(file.content, as_of, budget)),
        Format::Calendar => either(calendar::read(file.content, budget)),
        Format::Gpx => either(gpx::read(file.content, budget)),
        Format::Kml => either(kml::read(file.content, budget)),
        _ => (Found::default(), vec![not_recognised()]),
    };
    for booking in &mut found.bookings {
        boarding_pass::fill(booking, as_of);
        booking.start.place.complete();
        booking.end.place.complete();
    }
    reading.found.push((format, found));
    reading.ignored.extend(ignored);
}

/// Reads JSON of another program or of this service. `None` if it is none that is known.
fn read_export(file: &File, charset: Option<&str>, budget: &mut Budget) -> Option<(Format, Result<Found, Ignored>)> {
    let value = exports::parse(&text::decode(file.content, charset))?;
    let format = exports::format(&value)?;
    Some((format, exports::read(&value, budget)?.map(|(_, found)| found).map_err(Ignored::from)))
}

/// What was found, or why nothing was read.
fn either(result: Result<Found, Ignored>) -> (Found, Vec<Ignored>) {
    match result {
        Ok(found) => (found, Vec::new()),
        Err(ignored) => (Found::default(), vec![ignored]),
    }
}

/// Reads JSON-LD, with or without its media type.
fn read_json(text: &str, budget: &mut Budget) -> (Found, Vec<Ignored>) {
    let mut found = Found::default();
    let result = json_ld::values(text)
        .and_then(|values| schema_org::read(&values, budget, &mut found.bookings).map_err(Ignored::from));
    (found, result.err().into_iter().collect())
}

/// Reads the parts of a mail, and mails in it.
fn read_mail(file: &File, as_of: NaiveDate, budget: &mut Budget, reading: &mut Reading) -> Result<(), Exceeded> {
    budget.check()?;
    let Some(mail) = mail::read(file.content)? else {
        reading.ignored.push(Ignored { reason: Reason::Malformed, message: "The mail has no headers.".to_owned() });
        return Ok(());
    };
    if mail.is_encrypted {
        reading.ignored.push(Ignored {
            reason: Reason::Unsupported,
            message: "The mail is encrypted, or signed so that its text is hidden.".to_owned(),
        });
    }
    let as_of = mail.written.map_or(as_of, |written| written.date_naive());
    let first = reading.found.len();
    for part in &mail.parts {
        budget.take_entry()?;
        let part = File { name: &part.name, media_type: Some(&part.media_type), content: &part.content };
        match detect::format(&part) {
            Some(Format::Mail) => match budget.in_mail(|budget| read_mail(&part, as_of, budget, reading)) {
                Err(exceeded @ (Exceeded::Time | Exceeded::Entries)) => return Err(exceeded),
                Err(exceeded) => reading.ignored.push(exceeded.into()),
                Ok(()) => {}
            },
            Some(format) => {
                let ignored = reading.ignored.len();
                read_as(format, &part, as_of, budget, reading);
                // The mail's own text may begin like a format.
                if part.name.is_empty()
                    && part.media_type.is_some_and(|media_type| media_type.starts_with("text/plain"))
                {
                    reading.ignored.truncate(ignored);
                }
            }
            None => reading.ignored.extend(unread_attachment(&part)),
        }
    }
    for (_, found) in &mut reading.found[first..] {
        found.written = found.written.or(mail.written);
    }
    Ok(())
}

/// Reports an attachment that may have a booking: no pictures, signatures and texts.
fn unread_attachment(part: &File) -> Option<Ignored> {
    const SILENT: [&str; 10] = [
        "image/",
        "audio/",
        "video/",
        "font/",
        "text/",
        "message/",
        "multipart/",
        "application/pgp",
        "application/pkcs7",
        "application/x-pkcs7",
    ];
    let media_type = part.media_type.unwrap_or_default();
    if part.name.is_empty() || SILENT.iter().any(|silent| media_type.starts_with(silent)) {
        return None;
    }
    let message = format!("The attachment `{}` has no booking in a format that is read.", part.name);
    Some(Ignored { reason: Reason::NotRecognised, message })
}
