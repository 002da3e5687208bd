//! What a pass is made from, and what is checked about it. Does not know how any wallet shows it.

use chrono::{DateTime, Datelike, FixedOffset};

use crate::Failure;

/// The longest serial, in characters.
pub const MAX_SERIAL: usize = 128;

/// An airport at one end of a flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Airport {
    /// The IATA code.
    pub code: String,
    /// The airport's name.
    pub name: Option<String>,
    /// The terminal.
    pub terminal: Option<String>,
    /// The gate.
    pub gate: Option<String>,
}

/// A flight of one passenger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    /// The marketing airline's IATA or ICAO code.
    pub airline_code: Option<String>,
    /// The marketing airline's name.
    pub airline_name: Option<String>,
    /// The flight number, with or without the airline's code.
    pub number: Option<String>,
    /// Where it starts.
    pub departure: Airport,
    /// Where it lands.
    pub arrival: Airport,
    /// When it departs, in the departure airport's local time.
    pub departs: DateTime<FixedOffset>,
    /// When it arrives, in the arrival airport's local time.
    pub arrives: Option<DateTime<FixedOffset>>,
    /// The class of travel.
    pub cabin: Option<String>,
    /// The seat.
    pub seat: Option<String>,
    /// The passenger's name.
    pub passenger: String,
}

/// A stay at a hotel.
#[derive(Debug, Clone, PartialEq)]
pub struct Hotel {
    /// The hotel's name.
    pub name: String,
    /// The postal address.
    pub address: Option<String>,
    /// Latitude and longitude, in degrees.
    pub coordinate: Option<(f64, f64)>,
    /// When the stay begins, in the hotel's local time.
    pub check_in: Option<DateTime<FixedOffset>>,
    /// When the stay ends, in the hotel's local time.
    pub check_out: Option<DateTime<FixedOffset>>,
    /// The room, or the kind of room.
    pub room: Option<String>,
    /// The hotel's telephone number.
    pub phone: Option<String>,
    /// The guest's name.
    pub guest: String,
}

/// What a pass is for.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant)] // One lives for one request.
pub enum Item {
    /// A flight.
    Flight(Flight),
    /// A hotel.
    Hotel(Hotel),
}

/// A pass to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Identifies the item: the same item always has the same serial, so that Apple Wallet replaces its pass. At most
    /// [`MAX_SERIAL`] ASCII letters, digits, `.`, `_` and `-`.
    pub serial: String,
    /// The itinerary's title.
    pub title: String,
    /// What it is for.
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

/// A text without surrounding blanks, if anything is left.
pub(crate) fn known(text: &str) -> Option<&str> {
    let text = text.trim();
    (!text.is_empty()).then_some(text)
}

/// The same for an optional text.
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
