//! Passes of Apple Wallet: `.pkpass` files, and `.pkpasses` files with several of them.
//!
//! Boarding passes and tickets for events are read; other passes only where they are clearly of a booking. The barcode of
//! a boarding pass is read too: a pass is its barcode's flights with what its fields add. Signatures are not checked.

mod fields;
mod journey;
mod other;
mod semantics;
mod strings;

use chrono::NaiveDate;
use serde_json::Value;

use crate::booking::{Booking, Code, CodeContent, CodeFormat, Mode};
use crate::budget::Budget;
use crate::file::{Found, Ignored, Reason};
use crate::readers::archive::Archive;
use crate::readers::json;
use crate::readers::when::{self, When};
use fields::Fields;
use semantics::Semantics;
use strings::Strings;

/// Whether the bytes may be a pass or several: a zip archive.
pub fn is_one(content: &[u8]) -> bool {
    Archive::is_one(content)
}

/// Reads a pass or an archive of passes. `as_of` is a day near the booking, such as today, for passes without a date.
pub fn read(content: &[u8], as_of: NaiveDate, budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let mut archive = Archive::open(content)?;
    if let Some(bookings) = read_one(&mut archive, as_of, budget)? {
        return Ok(Found { bookings, ..Found::default() });
    }
    let passes: Vec<String> = archive.names().into_iter().filter(|name| name.ends_with(".pkpass")).collect();
    let mut found = Found::default();
    let mut failed = None;
    for name in &passes {
        let pass = archive.read(name, budget)?.unwrap_or_default();
        match Archive::open(&pass).and_then(|mut archive| read_one(&mut archive, as_of, budget)) {
            Ok(bookings) => found.bookings.extend(bookings.unwrap_or_default()),
            Err(error) if error.reason == Reason::TooLarge => return Err(error),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    match failed {
        Some(error) if found.bookings.is_empty() => Err(error),
        _ if found.bookings.is_empty() => Err(not_recognised("The archive has no pass.")),
        _ => Ok(found),
    }
}

/// The bookings of an archive that is a pass. `None` if it is not a pass.
fn read_one(
    archive: &mut Archive<'_>,
    as_of: NaiveDate,
    budget: &mut Budget<'_>,
) -> Result<Option<Vec<Booking>>, Ignored> {
    // Some passes were packed with the folder that they are in.
    let names = archive.names();
    let is_pass =
        |name: &&String| *name == "pass.json" || name.ends_with("/pass.json") && name.matches('/').count() == 1;
    let Some(name) = names.iter().find(is_pass) else { return Ok(None) };
    let Some(content) = archive.read(name, budget)? else { return Ok(None) };
    let value = json::parse(&content)?;
    let folder = name.strip_suffix("pass.json").unwrap_or_default();
    let strings = Strings::read(archive, folder, budget)?;
    let bookings = bookings(&value, &strings, as_of)?;
    for _ in &bookings {
        budget.take_item()?;
    }
    Ok(Some(bookings))
}

/// The bookings of a `pass.json`.
fn bookings(value: &Value, strings: &Strings, as_of: NaiveDate) -> Result<Vec<Booking>, Ignored> {
    let pass = Pass::new(value, strings, as_of)?;
    let bookings = match pass.style {
        Style::Journey(kind) => journey::read(&pass, kind),
        Style::Event => other::event(&pass).into_iter().collect(),
        Style::Other => other::read(&pass),
    };
    let is_voided = value.get("voided").and_then(Value::as_bool) == Some(true);
    let finish = |mut booking: Booking| {
        booking.cancelled = is_voided;
        booking.booking_url = json::member(value, "managementURL").filter(|url| url.starts_with("http"));
        booking.phone_number = booking.phone_number.or_else(|| json::member(value, "transitProviderPhoneNumber"));
        booking
    };
    if bookings.is_empty() {
        return Err(not_recognised("The pass is not of a booking."));
    }
    Ok(bookings.into_iter().map(finish).collect())
}

fn not_recognised(message: &str) -> Ignored {
    Ignored { reason: Reason::NotRecognised, message: message.to_owned() }
}

/// What kind of pass it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// A boarding pass. `None` is a flight.
    Journey(Option<Mode>),
    Event,
    /// A pass of no kind, a customer card or a coupon.
    Other,
}

/// A pass with everything that is read of it.
struct Pass<'v> {
    style: Style,
    fields: Fields,
    semantics: Semantics<'v>,
    /// Who issued it.
    organisation: Option<String>,
    /// What it is, for people.
    description: Option<String>,
    code: Option<Code>,
    /// When it is of use: a departure, the boarding or the start.
    relevant: Option<When>,
    /// The only place at which it is of use.
    coordinate: Option<(f64, f64)>,
    /// A day near the booking.
    near: NaiveDate,
}

impl<'v> Pass<'v> {
    fn new(value: &'v Value, strings: &Strings, as_of: NaiveDate) -> Result<Self, Ignored> {
        let styles = ["boardingPass", "eventTicket", "generic", "storeCard", "coupon"];
        let found = styles.iter().find_map(|name| Some((*name, value.get(name).filter(|style| style.is_object())?)));
        let (name, content) = found.ok_or_else(|| not_recognised("The pass has no style."))?;
        let style = match name {
            "boardingPass" => Style::Journey(mode(json::member(content, "transitType").as_deref())),
            "eventTicket" => Style::Event,
            _ => Style::Other,
        };
        let dates = json::elements(value, "relevantDates").first();
        let newer = dates.and_then(|date| json::member(date, "date").or_else(|| json::member(date, "startDate")));
        let relevant = json::member(value, "relevantDate").or(newer).and_then(|date| when::iso(&date));
        let expires = json::member(value, "expirationDate").and_then(|date| when::iso(&date));
        let translated = |name| json::member(value, name).map(|text| strings.get(&text).trim().to_owned());
        Ok(Self {
            style,
            fields: Fields::read(content, strings),
            semantics: Semantics::read(value, content),
            organisation: translated("organizationName"),
            description: translated("description"),
            code: code(value),
            relevant,
            coordinate: coordinate(value),
            near: relevant.and_then(|when| when.date).or(expires.and_then(|when| when.date)).unwrap_or(as_of),
        })
    }

    /// The text of the barcode.
    fn code_text(&self) -> Option<(&str, Option<CodeFormat>)> {
        match self.code.as_ref()? {
            Code { content: CodeContent::Text(text), format } => Some((text, *format)),
            _ => None,
        }
    }
}

/// How one travels with a boarding pass. `None` is a flight.
fn mode(transit_type: Option<&str>) -> Option<Mode> {
    match transit_type {
        Some("PKTransitTypeAir") | None => None,
        Some("PKTransitTypeTrain") => Some(Mode::Train),
        Some("PKTransitTypeBus") => Some(Mode::Bus),
        Some("PKTransitTypeBoat") => Some(Mode::Ferry),
        _ => Some(Mode::Other),
    }
}

/// The only place of a pass. Passes with several places are of use at any of them.
fn coordinate(value: &Value) -> Option<(f64, f64)> {
    let [place] = json::elements(value, "locations") else { return None };
    semantics::coordinate(place)
}

/// The barcode, of those that the pass offers the first with a known format.
fn code(value: &Value) -> Option<Code> {
    let barcodes = json::elements(value, "barcodes").iter().chain(json::elements(value, "barcode"));
    let mut codes = barcodes.filter_map(|barcode| {
        let format = match barcode.get("format").and_then(Value::as_str).unwrap_or_default() {
            "PKBarcodeFormatAztec" => Some(CodeFormat::Aztec),
            "PKBarcodeFormatQR" => Some(CodeFormat::Qr),
            "PKBarcodeFormatPDF417" => Some(CodeFormat::Pdf417),
            "PKBarcodeFormatCode128" => Some(CodeFormat::Code128),
            _ => None,
        };
        let message = barcode.get("message").and_then(Value::as_str).filter(|message| !message.is_empty())?;
        let encoding = barcode.get("messageEncoding").and_then(Value::as_str).unwrap_or_default();
        Some(Code { format, content: content(message, encoding) })
    });
    let first = codes.next()?;
    if first.format.is_some() { Some(first) } else { codes.find(|code| code.format.is_some()).or(Some(first)) }
}

/// A barcode's message: bytes if it has characters that no text has, since those are bytes in the message's encoding.
fn content(message: &str, encoding: &str) -> CodeContent {
    // Separators of fields, which barcodes of text have.
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{1c}'..='\u{1f}' | '\u{4}');
    if message.chars().all(is_text) {
        return CodeContent::Text(message.to_owned());
    }
    if encoding.eq_ignore_ascii_case("utf-8") {
        return CodeContent::Bytes(message.as_bytes().to_vec());
    }
    let bytes: Option<Vec<u8>> = message.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    bytes.map_or_else(|| CodeContent::Text(message.to_owned()), CodeContent::Bytes)
}

#[cfg(test)]
mod tests;
