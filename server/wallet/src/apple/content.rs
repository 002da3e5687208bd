//! The `pass.json` of a pass, with the keys that Apple documents. Unknown values are omitted.
//!
//! Texts are in `value` only, never in `attributedValue`, so markup in them has no effect.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;

use super::Issuer;
use crate::pass::{known, known_of};
use crate::pictures::{BACKGROUND, FOREGROUND, LABEL};
use crate::{
    Airport, Barcode, BarcodeFormat, Flight, Hotel, Item, Pass, Reservation, Station, Ticket, Transport, TransportMode,
    When,
};

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    barcodes: Vec<PassBarcode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boarding_pass: Option<PassFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event_ticket: Option<PassFields>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generic: Option<PassFields>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PassBarcode {
    format: &'static str,
    message: String,
    /// The character set in which the device writes the message into the barcode.
    message_encoding: &'static str,
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
        barcodes: pass.ticket.barcode().map(barcode).into_iter().collect(),
        boarding_pass: None,
        event_ticket: None,
        generic: None,
    };
    match &pass.item {
        Item::Flight(flight) => PassContent {
            description: describe(flight),
            relevant_date: Some(iso(flight.departs)),
            boarding_pass: Some(boarding_pass(flight, &pass.ticket, &pass.title)),
            ..base
        },
        Item::Hotel(hotel) => PassContent {
            description: format!("Stay at {}", hotel.name.trim()),
            relevant_date: hotel.check_in.map(iso),
            locations: location(&hotel.name, hotel.coordinate),
            generic: Some(generic(hotel, &pass.ticket, &pass.title)),
            ..base
        },
        Item::Transport(transport) => PassContent {
            description: describe_transport(transport),
            relevant_date: transport.departs.and_then(When::time).map(iso),
            locations: departure_location(&transport.departure),
            boarding_pass: Some(transit_pass(transport, &pass.ticket, &pass.title)),
            ..base
        },
        Item::Reservation(reservation) => PassContent {
            description: format!("Reservation: {}", reservation.name.trim()),
            relevant_date: reservation.starts.and_then(When::time).map(iso),
            locations: location(&reservation.name, reservation.coordinate),
            event_ticket: Some(event_ticket(reservation, &pass.ticket, &pass.title)),
            ..base
        },
    }
}

fn barcode(barcode: &Barcode) -> PassBarcode {
    PassBarcode {
        format: match barcode.format {
            BarcodeFormat::Aztec => "PKBarcodeFormatAztec",
            BarcodeFormat::Qr => "PKBarcodeFormatQR",
            BarcodeFormat::Pdf417 => "PKBarcodeFormatPDF417",
            BarcodeFormat::Code128 => "PKBarcodeFormatCode128",
        },
        message: barcode.message(),
        message_encoding: if barcode.is_latin1() { "iso-8859-1" } else { "utf-8" },
    }
}

fn describe(flight: &Flight) -> String {
    let (from, to) = (flight.departure.code.trim(), flight.arrival.code.trim());
    match flight.designator() {
        Some(designator) => format!("Flight {designator} from {from} to {to}"),
        None => format!("Flight from {from} to {to}"),
    }
}

fn describe_transport(transport: &Transport) -> String {
    let number = known_of(transport.number.as_ref()).map(|number| format!(" {number}")).unwrap_or_default();
    format!("{}{number}: {}", transport.kind(), transport.route())
}

fn boarding_pass(flight: &Flight, ticket: &Ticket, title: &str) -> PassFields {
    let Flight { departure, arrival, .. } = flight;
    PassFields {
        transit_type: Some("PKTransitTypeAir"),
        header_fields: some([text("flight", "Flight", flight.designator().as_deref()), confirmation(ticket)]),
        primary_fields: some([airport("from", "From", departure), airport("to", "To", arrival)]),
        secondary_fields: some([
            date("departs", "Departs", Some(flight.departs)),
            date("arrives", "Arrives", flight.arrives),
        ]),
        // At most five are shown.
        auxiliary_fields: some([
            text("passenger", "Passenger", known_of(ticket.holder.as_ref())),
            text("terminal", "Terminal", known_of(departure.terminal.as_ref())),
            text("gate", "Gate", known_of(departure.gate.as_ref())),
            seat(ticket),
            text("cabin", "Class", known_of(flight.cabin.as_ref())),
        ]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("airline", "Airline", known_of(flight.airline_name.as_ref())),
            text("departure-airport", "Departure airport", Some(&departure.full_name())),
            text("arrival-airport", "Arrival airport", Some(&arrival.full_name())),
            text("arrival-terminal", "Arrival terminal", known_of(arrival.terminal.as_ref())),
            text("arrival-gate", "Arrival gate", known_of(arrival.gate.as_ref())),
            coach(ticket),
            number(ticket),
            text("note", "Note", Some(flight_note(ticket))),
        ]),
    }
}

fn flight_note(ticket: &Ticket) -> &'static str {
    match ticket.barcode() {
        Some(_) => "The barcode is the ticket's own. If it is not accepted, use the airline's boarding pass.",
        None => "For your information. Not valid for boarding: use the airline's boarding pass.",
    }
}

fn generic(hotel: &Hotel, ticket: &Ticket, title: &str) -> PassFields {
    PassFields {
        transit_type: None,
        header_fields: some([text("room", "Room", known_of(hotel.room.as_ref())), confirmation(ticket)]),
        primary_fields: some([text("hotel", "Hotel", known(&hotel.name))]),
        secondary_fields: some([
            date("check-in", "Check-in", hotel.check_in),
            date("check-out", "Check-out", hotel.check_out),
        ]),
        auxiliary_fields: some([text("guest", "Guest", known_of(ticket.holder.as_ref()))]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("address", "Address", known_of(hotel.address.as_ref())),
            text("phone", "Telephone", known_of(hotel.phone.as_ref())),
            seat(ticket),
            coach(ticket),
            number(ticket),
        ]),
    }
}

fn transit_pass(transport: &Transport, ticket: &Ticket, title: &str) -> PassFields {
    let Transport { departure, arrival, .. } = transport;
    let [departs, arrives] = transport.verbs();
    let note = match ticket.barcode() {
        Some(_) => "The barcode is the ticket's own. If it is not accepted, use the operator's ticket.",
        None => "For your information. Not valid for travel: use the operator's ticket.",
    };
    PassFields {
        transit_type: Some(transit_type(transport.mode)),
        header_fields: some([
            text("number", transport.kind(), known_of(transport.number.as_ref())),
            confirmation(ticket),
        ]),
        primary_fields: some([
            text("from", "From", known_of(departure.name.as_ref())),
            text("to", "To", known_of(arrival.name.as_ref())),
        ]),
        secondary_fields: some([
            when("departs", departs, transport.departs),
            when("arrives", arrives, transport.arrives),
        ]),
        // At most five are shown.
        auxiliary_fields: some([
            text("passenger", "Passenger", known_of(ticket.holder.as_ref())),
            text("platform", "Platform", known_of(departure.platform.as_ref())),
            coach(ticket),
            seat(ticket),
            text("class", "Class", known_of(transport.class.as_ref())),
        ]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("operator", "Operator", known_of(transport.operator.as_ref())),
            text("arrival-platform", "Arrival platform", known_of(arrival.platform.as_ref())),
            text("phone", "Telephone", known_of(transport.phone.as_ref())),
            number(ticket),
            text("note", "Note", Some(note)),
        ]),
    }
}

fn transit_type(mode: TransportMode) -> &'static str {
    match mode {
        TransportMode::Train => "PKTransitTypeTrain",
        TransportMode::Bus => "PKTransitTypeBus",
        TransportMode::Ferry => "PKTransitTypeBoat",
        TransportMode::Car | TransportMode::Taxi | TransportMode::Transfer | TransportMode::Other => {
            "PKTransitTypeGeneric"
        }
    }
}

fn event_ticket(reservation: &Reservation, ticket: &Ticket, title: &str) -> PassFields {
    let people = reservation.people.map(|people| people.to_string());
    PassFields {
        transit_type: None,
        header_fields: some([confirmation(ticket)]),
        primary_fields: some([text("name", "Reservation", known(&reservation.name))]),
        secondary_fields: some([when("starts", "Starts", reservation.starts), when("ends", "Ends", reservation.ends)]),
        auxiliary_fields: some([
            text("holder", "Name", known_of(ticket.holder.as_ref())),
            text("people", "People", people.as_deref()),
            seat(ticket),
        ]),
        back_fields: some([
            text("itinerary", "Itinerary", known(title)),
            text("address", "Address", known_of(reservation.address.as_ref())),
            text("phone", "Telephone", known_of(reservation.phone.as_ref())),
            coach(ticket),
            number(ticket),
        ]),
    }
}

fn confirmation(ticket: &Ticket) -> Option<PassField> {
    text("confirmation", "Booking", known_of(ticket.confirmation.as_ref()))
}

fn seat(ticket: &Ticket) -> Option<PassField> {
    text("seat", "Seat", known_of(ticket.seat.as_ref()))
}

fn coach(ticket: &Ticket) -> Option<PassField> {
    text("coach", "Coach", known_of(ticket.coach.as_ref()))
}

fn number(ticket: &Ticket) -> Option<PassField> {
    text("ticket", "Ticket number", known_of(ticket.number.as_ref()))
}

fn location(name: &str, coordinate: Option<(f64, f64)>) -> Vec<Location<'_>> {
    let location = |(latitude, longitude)| Location { latitude, longitude, relevant_text: name.trim() };
    coordinate.map(location).into_iter().collect()
}

fn departure_location(station: &Station) -> Vec<Location<'_>> {
    known_of(station.name.as_ref()).map(|name| location(name, station.coordinate)).unwrap_or_default()
}

/// The code in large letters, the name above it.
fn airport(key: &'static str, label: &str, airport: &Airport) -> Option<PassField> {
    text(key, known_of(airport.name.as_ref()).unwrap_or(label), known(&airport.code))
}

fn text(key: &'static str, label: &str, value: Option<&str>) -> Option<PassField> {
    value.map(|value| PassField { key, label: label.to_owned(), value: value.to_owned(), style: None })
}

fn date(key: &'static str, label: &str, value: Option<Time>) -> Option<PassField> {
    value.map(|value| dated(key, label, iso(value), "PKDateStyleShort"))
}

/// A date, with its time if that is known.
fn when(key: &'static str, label: &str, value: Option<When>) -> Option<PassField> {
    match value? {
        When::Time(time) => date(key, label, Some(time)),
        // Apple knows no date without a time.
        When::Day(day) => Some(dated(key, label, day.format("%Y-%m-%dT00:00:00Z").to_string(), "PKDateStyleNone")),
    }
}

fn dated(key: &'static str, label: &str, value: String, time_style: &'static str) -> PassField {
    let style = DateStyle { date_style: "PKDateStyleMedium", time_style, ignores_time_zone: true };
    PassField { key, label: label.to_owned(), value, style: Some(style) }
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
