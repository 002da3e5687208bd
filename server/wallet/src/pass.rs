//! The input for a pass and its validation, independent of the wallet.

use chrono::{DateTime, Datelike, FixedOffset};

use crate::Failure;

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

/// A flight of one passenger.
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
    pub seat: Option<String>,
    pub passenger: String,
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
    pub guest: String,
}

#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // One lives for one request.
pub enum Item {
    Flight(Flight),
    Hotel(Hotel),
}

/// The input for a pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Identifies the item. The same item must always have the same serial, so that Apple Wallet replaces its pass. At
    /// most [`MAX_SERIAL`] ASCII letters, digits, `.`, `_` and `-`.
    pub serial: String,
    pub title: String,
    pub item: Item,
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
        }
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
        let on_earth = self.coordinate.is_none_or(|(latitude, longitude)| {
            (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude)
        });
        require(on_earth, "a hotel's `coordinate` must be a latitude of -90 to 90 and a longitude of -180 to 180")?;
        check_times([self.check_in, self.check_out])
    }
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
