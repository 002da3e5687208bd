//! The input for a pass and its validation, independent of the wallet.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate};

use crate::{Barcode, Failure};

/// The longest serial, in characters.
pub const MAX_SERIAL: usize = 128;

/// An airport at one end of a flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Airport {
    pub code: String,
    pub name: Option<String>,
    pub terminal: Option<String>,
    pub gate: Option<String>,
}

/// A flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    /// The marketing airline's IATA or ICAO code.
    pub airline_code: Option<String>,
    pub airline_name: Option<String>,
    /// The flight number, with or without the airline's code.
    pub number: Option<String>,
    pub departure: Airport,
    pub arrival: Airport,
    /// In the departure airport's local time.
    pub departs: DateTime<FixedOffset>,
    /// In the arrival airport's local time.
    pub arrives: Option<DateTime<FixedOffset>>,
    pub cabin: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Hotel {
    pub name: String,
    pub address: Option<String>,
    /// Latitude and longitude, in degrees.
    pub coordinate: Option<(f64, f64)>,
    /// In the hotel's local time.
    pub check_in: Option<DateTime<FixedOffset>>,
    /// In the hotel's local time.
    pub check_out: Option<DateTime<FixedOffset>>,
    /// The room, or the kind of room.
    pub room: Option<String>,
    pub phone: Option<String>,
}

/// The means of transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportMode {
    Train,
    Bus,
    Ferry,
    /// A hired car, from collection to return.
    Car,
    Taxi,
    Transfer,
    Other,
}

/// A time at a place, or its day if the time is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// In the place's local time.
    Time(DateTime<FixedOffset>),
    Day(NaiveDate),
}

/// A station or another place at one end of a transport.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Station {
    pub name: Option<String>,
    pub platform: Option<String>,
    /// Latitude and longitude, in degrees.
    pub coordinate: Option<(f64, f64)>,
}

/// A train, bus, ferry, taxi, transfer or hired car.
#[derive(Debug, Clone, PartialEq)]
pub struct Transport {
    pub mode: TransportMode,
    pub operator: Option<String>,
    /// The number of the train, bus or ferry.
    pub number: Option<String>,
    pub departure: Station,
    pub arrival: Station,
    pub departs: Option<When>,
    pub arrives: Option<When>,
    pub class: Option<String>,
    pub phone: Option<String>,
}

/// A table, a show or a tour.
#[derive(Debug, Clone, PartialEq)]
pub struct Reservation {
    pub name: String,
    pub address: Option<String>,
    /// Latitude and longitude, in degrees.
    pub coordinate: Option<(f64, f64)>,
    pub starts: Option<When>,
    pub ends: Option<When>,
    /// The number of people.
    pub people: Option<u32>,
    pub phone: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // One lives for one request.
pub enum Item {
    Flight(Flight),
    Hotel(Hotel),
    Transport(Transport),
    Reservation(Reservation),
}

/// The traveller's ticket: what differs between the passes of one item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ticket {
    /// The traveller's name.
    pub holder: Option<String>,
    pub seat: Option<String>,
    pub coach: Option<String>,
    pub number: Option<String>,
    /// The confirmation number of the booking.
    pub confirmation: Option<String>,
    pub barcode: Option<Barcode>,
}

/// The input for a pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Identifies the ticket. The same ticket must always have the same serial, so that Apple Wallet replaces its pass.
    /// At most [`MAX_SERIAL`] ASCII letters, digits, `.`, `_` and `-`.
    pub serial: String,
    pub title: String,
    pub item: Item,
    pub ticket: Ticket,
}

impl Pass {
    /// Checks what both wallets require.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let serial = (1..=MAX_SERIAL).contains(&self.serial.len()) && self.serial.chars().all(is_of_serial);
        require(serial, "`serial` must be 1 to 128 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`")?;
        require(known(&self.title).is_some(), "`title` must not be empty")?;
        match &self.item {
            Item::Flight(flight) => flight.check(),
            Item::Hotel(hotel) => hotel.check(),
            Item::Transport(transport) => transport.check(),
            Item::Reservation(reservation) => reservation.check(),
        }
    }
}

impl Ticket {
    pub(crate) fn barcode(&self) -> Option<&Barcode> {
        self.barcode.as_ref().filter(|barcode| !barcode.is_empty())
    }
}

impl Flight {
    fn check(&self) -> Result<(), Failure> {
        let codes = [&self.departure.code, &self.arrival.code];
        require(codes.iter().all(|code| known(code).is_some()), "a flight's airports must have codes")?;
        check_times([Some(self.departs), self.arrives])
    }

    /// The flight number without the airline's code.
    pub(crate) fn bare_number(&self) -> Option<&str> {
        let number = known_of(self.number.as_ref())?;
        let code = known_of(self.airline_code.as_ref()).unwrap_or_default();
        let bare = match number.split_at_checked(code.len()) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case(code) => rest.trim_start_matches([' ', '-']),
            _ => number,
        };
        known(bare)
    }

    /// The flight number with the airline's code, such as `LH 400`.
    pub(crate) fn designator(&self) -> Option<String> {
        let number = self.bare_number()?;
        Some(match known_of(self.airline_code.as_ref()) {
            Some(code) => format!("{code} {number}"),
            None => number.to_owned(),
        })
    }
}

impl Airport {
    /// The name and the code, or the code alone.
    pub(crate) fn full_name(&self) -> String {
        let code = self.code.trim();
        known_of(self.name.as_ref()).map_or_else(|| code.to_owned(), |name| format!("{name} ({code})"))
    }
}

impl Hotel {
    fn check(&self) -> Result<(), Failure> {
        require(known(&self.name).is_some(), "a hotel's `name` must not be empty")?;
        check_coordinate(self.coordinate)?;
        check_times([self.check_in, self.check_out])
    }
}

impl Transport {
    fn check(&self) -> Result<(), Failure> {
        let names = [&self.departure.name, &self.arrival.name];
        let is_known = names.into_iter().any(|name| known_of(name.as_ref()).is_some());
        require(is_known, "a transport must have the name of a station")?;
        check_coordinate(self.departure.coordinate)?;
        check_coordinate(self.arrival.coordinate)?;
        check_times([self.departs, self.arrives].map(|when| when.and_then(When::time)))
    }

    /// What happens at its ends.
    pub(crate) fn verbs(&self) -> [&'static str; 2] {
        if self.mode == TransportMode::Car { ["Collection", "Return"] } else { ["Departs", "Arrives"] }
    }

    /// What it is, such as `Train`.
    pub(crate) fn kind(&self) -> &'static str {
        match self.mode {
            TransportMode::Train => "Train",
            TransportMode::Bus => "Bus",
            TransportMode::Ferry => "Ferry",
            TransportMode::Car => "Rental car",
            TransportMode::Taxi => "Taxi",
            TransportMode::Transfer => "Transfer",
            TransportMode::Other => "Transport",
        }
    }

    /// The names of its stations, such as `Lisbon – Porto`.
    pub(crate) fn route(&self) -> String {
        let names = [&self.departure.name, &self.arrival.name];
        names.into_iter().filter_map(|name| known_of(name.as_ref())).collect::<Vec<_>>().join(" – ")
    }
}

impl Reservation {
    fn check(&self) -> Result<(), Failure> {
        require(known(&self.name).is_some(), "a reservation's `name` must not be empty")?;
        check_coordinate(self.coordinate)?;
        check_times([self.starts, self.ends].map(|when| when.and_then(When::time)))
    }
}

impl When {
    pub(crate) fn time(self) -> Option<DateTime<FixedOffset>> {
        match self {
            Self::Time(time) => Some(time),
            Self::Day(_) => None,
        }
    }
}

fn check_coordinate(coordinate: Option<(f64, f64)>) -> Result<(), Failure> {
    let on_earth = coordinate.is_none_or(|(latitude, longitude)| {
        (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)
    });
    require(on_earth, "a `coordinate` must be a latitude of -90 to 90 and a longitude of -180 to 180")
}

/// The trimmed text, unless it is empty.
pub(crate) fn known(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

pub(crate) fn known_of(text: Option<&String>) -> Option<&str> {
    text.and_then(|text| known(text))
}

/// ISO 8601 has four digits for a year.
fn check_times(times: [Option<DateTime<FixedOffset>>; 2]) -> Result<(), Failure> {
    let four_digits = times.iter().flatten().all(|time| (0..=9999).contains(&time.year()));
    require(four_digits, "a time must be within the years 0 to 9999")
}

fn is_of_serial(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}

fn require(condition: bool, otherwise: &'static str) -> Result<(), Failure> {
    if condition { Ok(()) } else { Err(Failure::Invalid(otherwise)) }
}
