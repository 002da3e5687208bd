//! What all readers produce: bookings with the values of the file, trimmed and otherwise unchanged.
//!
//! Codes, zones, names and money are made uniform later, in one place for all formats.

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};

use crate::normalise;

/// What is booked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A flight: one take-off and one landing.
    Flight,
    /// A stay.
    Hotel,
    /// Any other way from one place to another, or a hired car.
    Transport(Mode),
    /// A table, a show, a tour: a place at a time.
    Reservation(Category),
}

/// How one travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mode {
    Train,
    Bus,
    Ferry,
    Car,
    Taxi,
    Transfer,
    Other,
}

/// What a reservation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Category {
    Restaurant,
    Event,
    Activity,
}

/// One booking. A flight with a change is two.
#[derive(Clone, Debug, PartialEq)]
pub struct Booking {
    /// What is booked.
    pub kind: Kind,
    /// Whether the file says that it was cancelled.
    pub cancelled: bool,
    /// When the booking was last changed, if the file says so.
    pub modified: Option<DateTime<Utc>>,
    /// The name of the hotel, the restaurant, the event, the ship or the hired car.
    pub name: Option<String>,
    /// The airline, railway, shipping line or hire company.
    pub operator: Organisation,
    /// The flight's, train's or bus's number, as in the file, with or without the operator's code.
    pub number: Option<String>,
    /// The departure, the collection of a hired car, the hotel with its check-in, or the reservation's place and start.
    pub start: Call,
    /// The arrival or the return. For hotels and reservations only the time.
    pub end: Call,
    /// The class of travel, as in the file.
    pub travel_class: Option<String>,
    /// The confirmation number (record locator, booking code).
    pub confirmation_number: Option<String>,
    /// Who sold the booking, if that is not the operator.
    pub provider: Option<String>,
    /// A page about the booking, `http` or `https`.
    pub booking_url: Option<String>,
    /// A telephone number of the hotel, the restaurant or the operator.
    pub phone_number: Option<String>,
    /// The number of people.
    pub party_size: Option<u32>,
    /// Words that belong to the booking and to no other field.
    pub notes: Option<String>,
    /// One for each traveller.
    pub tickets: Vec<Ticket>,
    /// The price of the whole booking.
    pub price: Option<Price>,
    /// Texts in the places of times that could not be read as times.
    pub unread_times: Vec<String>,
}

impl Booking {
    /// A booking without any fields.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            cancelled: false,
            modified: None,
            name: None,
            operator: Organisation::default(),
            number: None,
            start: Call::default(),
            end: Call::default(),
            travel_class: None,
            confirmation_number: None,
            provider: None,
            booking_url: None,
            phone_number: None,
            party_size: None,
            notes: None,
            tickets: Vec::new(),
            price: None,
            unread_times: Vec::new(),
        }
    }
}

/// A company, by code, name or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Organisation {
    /// Its code, such as `TP` of an airline.
    pub code: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// A place at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Where.
    pub place: Spot,
    /// When.
    pub time: Option<Time>,
    /// A railway platform or bus bay.
    pub platform: Option<String>,
    /// An airport's terminal.
    pub terminal: Option<String>,
    /// An airport's gate.
    pub gate: Option<String>,
}

/// A place, as far as the file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spot {
    /// Its name.
    pub name: Option<String>,
    /// The IATA code of an airport, or the code of a station with its kind, such as `ibnr:8000105` or `uic:7183011`.
    pub code: Option<String>,
    /// The address in one line, without the country.
    pub address: Option<String>,
    /// The town.
    pub city: Option<String>,
    /// The country's ISO 3166-1 code or name.
    pub country: Option<String>,
    /// Latitude and longitude in degrees, if the file has both.
    pub coordinate: Option<(f64, f64)>,
}

impl Spot {
    /// Takes the country, and before it the town, out of an address in one line, such as `Gion 5, 605-0073 Kyoto, Japan`. They
    /// tell the time zone. Only names of countries count, because codes are also those of states.
    pub(crate) fn complete(&mut self) {
        let (None, None, Some(address)) = (&self.country, &self.coordinate, &self.address) else { return };
        let Some((before, last)) = address.rsplit_once(',') else { return };
        let last = last.trim();
        if last.chars().count() < 4 || normalise::country_code(last).is_none() {
            return;
        }
        let town = before.rsplit(',').next().unwrap_or_default();
        // Without a postcode.
        let words = town.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
        let town = words.collect::<Vec<_>>().join(" ");
        self.country = Some(last.to_owned());
        self.city = self.city.take().or_else(|| Some(town).filter(|town| !town.is_empty()));
        self.address = Some(before.trim().to_owned());
    }
}

/// A time, as exactly as the file says it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Time {
    /// A local time with its offset from UTC in minutes, east positive.
    Offset(NaiveDateTime, i32),
    /// A local time in a named zone, such as `Europe/Lisbon`.
    Zone(NaiveDateTime, String),
    /// A time at the place, whose offset is not in the file.
    Local(NaiveDateTime),
    /// A day without a time.
    Day(NaiveDate),
}

impl Time {
    /// The local date.
    pub(crate) fn date(&self) -> NaiveDate {
        match self {
            Self::Offset(local, _) | Self::Zone(local, _) | Self::Local(local) => local.date(),
            Self::Day(day) => *day,
        }
    }
}

/// A traveller's ticket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// The traveller's name.
    pub holder: Option<String>,
    /// The seat.
    pub seat_number: Option<String>,
    /// The coach of a train.
    pub coach_number: Option<String>,
    /// The ticket's own number.
    pub ticket_number: Option<String>,
    /// The barcode that inspectors scan.
    pub code: Option<Code>,
}

/// A barcode: its symbology, if known, and what it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The symbology.
    pub format: Option<CodeFormat>,
    /// What it contains: text, or bytes that are no text.
    pub content: CodeContent,
}

/// The symbology of a barcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CodeFormat {
    Aztec,
    Qr,
    Pdf417,
    Code128,
}

/// What a barcode contains. Never trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CodeContent {
    Text(String),
    Bytes(Vec<u8>),
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// The amount as a decimal number, such as `129.50`.
    pub amount: String,
    /// The ISO 4217 code, or a sign such as `€`. A sign that several countries use (`$`, `¥`) names no currency.
    pub currency: String,
}

/// A place to see, of a track or a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waypoint {
    /// The place.
    pub place: Spot,
    /// A description.
    pub notes: Option<String>,
    /// The day or the time, if the file says one.
    pub time: Option<Time>,
    /// The folder, layer or route that it is in, outermost first.
    pub folder: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_in_one_line_tells_country_and_town() {
        for (address, expected) in [
            ("Gion 5, Kyoto, Japan", ("Gion 5, Kyoto", Some("Kyoto"), Some("Japan"))),
            (
                "Rua do Ouro 1, 1100-060 Lisboa, Portugal",
                ("Rua do Ouro 1, 1100-060 Lisboa", Some("Lisboa"), Some("Portugal")),
            ),
            ("1 Main Street, Springfield, CA", ("1 Main Street, Springfield, CA", None, None)),
            ("Via Roma 3, Nowhere", ("Via Roma 3, Nowhere", None, None)),
            ("Japan", ("Japan", None, None)),
        ] {
            let mut spot = Spot { address: Some(address.to_owned()), ..Spot::default() };
            spot.complete();
            let Spot { address, city, country, .. } = &spot;
            assert_eq!(
                (address.as_deref(), city.as_deref(), country.as_deref()),
                (Some(expected.0), expected.1, expected.2)
            );
        }
    }
}
