//! The `pass.json` of a pass, with the keys that Apple documents. Unknown values are omitted.
//!
//! Texts are in `value` only, never in `attributedValue`, so markup in them has no effect.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;

use super::Issuer;
use crate::pass::{known, known_of};
use crate::pictures::{BACKGROUND, FOREGROUND, LABEL};
use crate::{Airport, Flight, Hotel, Item, Pass};

type Time = DateTime<FixedOffset>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PassContent<'a> {
    format_version: u8,
    pass_type_identifier: &'a str,
    team_identifier: &'a str,
    organization_name: &'a str,
    serial_number: &'a str,
    /// Read by screen readers.
    description: String,
    logo_text: &'a str,
    background_color: String,
    foreground_color: String,
    label_color: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    relevant_date: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boarding_pass: Option<PassFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generic: Option<PassFields>,
}

/// Places where the device shows the pass on the lock screen.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location<'a> {
    latitude: f64,
    longitude: f64,
    relevant_text: &'a str,
}

/// The texts of a pass, by position.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct PassFields {
    #[serde(skip_serializing_if = "Option::is_none")]
    transit_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    header_fields: Vec<PassField>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    primary_fields: Vec<PassField>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secondary_fields: Vec<PassField>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    auxiliary_fields: Vec<PassField>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    back_fields: Vec<PassField>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PassField {
    /// Unique within the pass.
    key: &'static str,
    label: String,
    value: String,
    #[serde(flatten)]
    style: Option<DateStyle>,
}

/// Formats the value as a date.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DateStyle {
    date_style: &'static str,
    time_style: &'static str,
    /// Shows local time of the place, not of the device.
    ignores_time_zone: bool,
}

pub(super) fn content<'a>(issuer: &'a Issuer, pass: &'a Pass) -> PassContent<'a> {
    let base = PassContent {
        format_version: 1,
        pass_type_identifier: &issuer.pass_type,
        team_identifier: &issuer.team,
        organization_name: &issuer.organization,
        serial_number: &pass.serial,
        description: String::new(),
        logo_text: pass.title.trim(),
        background_color: css(BACKGROUND),
        foreground_color: css(FOREGROUND),
        label_color: css(LABEL),
        relevant_date: None,
        locations: Vec::new(),
        boarding_pass: None,
        generic: None,
    };
    match &pass.item {
        Item::Flight(flight) => PassContent {
            description: describe(flight),
            relevant_date: Some(iso(flight.departs)),
            boarding_pass: Some(boarding_pass(flight, &pass.title)),
            ..base
        },
        Item::Hotel(hotel) => PassContent {
            description: format!("Stay at {}", hotel.name.trim()),
            relevant_date: hotel.check_in.map(iso),
            locations: location(hotel).into_iter().collect(),
            generic: Some(generic(hotel, &pass.title)),
            ..base
        },
    }
}

fn describe(flight: &Flight) -> String {
    let (from, to) = (flight.departure.code.trim(), flight.arrival.code.trim());
    match flight.designator() {
        Some(designator) => format!("Flight {designator} from {from} to {to}"),
        None => format!("Flight from {from} to {to}"),
    }
}

fn boarding_pass(flight: &Flight, title: &str) -> PassFields {
    let Flight { departure, arrival, .. } = flight;
    PassFields {
        transit_type: Some("PKTransitTypeAir"),
        header_fields: some([text("flight", "Flight", flight.designator().as_deref())]),
        primary_fields: some([airport("from", "From", departure), airport("to", "To", arrival)]),
        secondary_fields: some([
            date("departs", "Departs", Some(flight.departs)),
            date("arrives", "Arrives", flight.arrives),
        ]),
        // At most five are shown.
        auxiliary_fields: some([
            text("passenger", "Passenger", known(&flight.passenger)),
            text("terminal", "Terminal", known_of(departure.terminal.as_ref())),
            text("gate", "Gate", known_of(departure.gate.as_ref())),
            text("seat", "Seat", known_of(flight.seat.as_ref())),
            text("cabin", "Class", known_of(flight.cabin.as_ref())),
        ]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("airline", "Airline", known_of(flight.airline_name.as_ref())),
            text("departure-airport", "Departure airport", Some(&departure.full_name())),
            text("arrival-airport", "Arrival airport", Some(&arrival.full_name())),
            text("arrival-terminal", "Arrival terminal", known_of(arrival.terminal.as_ref())),
            text("arrival-gate", "Arrival gate", known_of(arrival.gate.as_ref())),
            text(
                "note",
                "Note",
                Some("For your information. Not valid for boarding: use the airline's boarding pass."),
            ),
        ]),
    }
}

fn generic(hotel: &Hotel, title: &str) -> PassFields {
    PassFields {
        transit_type: None,
        header_fields: some([text("room", "Room", known_of(hotel.room.as_ref()))]),
        primary_fields: some([text("hotel", "Hotel", known(&hotel.name))]),
        secondary_fields: some([
            date("check-in", "Check-in", hotel.check_in),
            date("check-out", "Check-out", hotel.check_out),
        ]),
        auxiliary_fields: some([text("guest", "Guest", known(&hotel.guest))]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("address", "Address", known_of(hotel.address.as_ref())),
            text("phone", "Telephone", known_of(hotel.phone.as_ref())),
        ]),
    }
}

fn location(hotel: &Hotel) -> Option<Location<'_>> {
    hotel.coordinate.map(|(latitude, longitude)| Location { latitude, longitude, relevant_text: hotel.name.trim() })
}

/// The code in large letters, the name above it.
fn airport(key: &'static str, label: &str, airport: &Airport) -> Option<PassField> {
    text(key, known_of(airport.name.as_ref()).unwrap_or(label), known(&airport.code))
}

fn text(key: &'static str, label: &str, value: Option<&str>) -> Option<PassField> {
    value.map(|value| PassField { key, label: label.to_owned(), value: value.to_owned(), style: None })
}

fn date(key: &'static str, label: &str, value: Option<Time>) -> Option<PassField> {
    let style = DateStyle { date_style: "PKDateStyleMedium", time_style: "PKDateStyleShort", ignores_time_zone: true };
    value.map(|value| PassField { key, label: label.to_owned(), value: iso(value), style: Some(style) })
}

fn some<const N: usize>(fields: [Option<PassField>; N]) -> Vec<PassField> {
    fields.into_iter().flatten().collect()
}

fn iso(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, false)
}

fn css([red, green, blue]: [u8; 3]) -> String {
    format!("rgb({red}, {green}, {blue})")
}
