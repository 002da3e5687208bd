//! The file `airports.csv` of `OurAirports`, with a header, whose columns may be in any order.
//!
//! Reads open airports with an IATA code; counts the other rows. The file has no time zones.

use std::io::{self, BufRead, Seek};

use crate::csv::CsvTable;
use crate::lines::{Position, Refused, columns};
use crate::names;
use crate::place::{Class, Place};

const COLUMNS: [&str; 7] =
    ["type", "name", "latitude_deg", "longitude_deg", "iso_country", "municipality", "iata_code"];

/// The rows of a file of `OurAirports`.
pub struct OurAirports<R> {
    table: CsvTable<R, { COLUMNS.len() }>,
    skipped: u64,
}

impl<R: BufRead + Seek> OurAirports<R> {
    /// Reads the header, then continues from a position: the default one for the whole file, or a saved one.
    pub fn open(input: R, position: Position) -> io::Result<Self> {
        Ok(Self { table: CsvTable::open(input, COLUMNS, position)?, skipped: 0 })
    }
}

impl<R> OurAirports<R> {
    pub const fn position(&self) -> Position {
        self.table.position()
    }

    /// The number of rows skipped because the airport is closed or has no IATA code.
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl<R: BufRead> Iterator for OurAirports<R> {
    type Item = io::Result<Result<Place, Refused>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let row = match self.table.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            match row.cells.and_then(|cells| place(&cells)).transpose() {
                Some(place) => return Some(Ok(place.map_err(|reason| Refused { line: row.line, reason }))),
                None => self.skipped += 1,
            }
        }
    }
}

/// The airport in a row; `None` if it is closed or has no code.
fn place(cells: &[String; COLUMNS.len()]) -> Result<Option<Place>, String> {
    let [kind, name, latitude, longitude, country, town, code] = cells.each_ref().map(String::as_str);
    if code.is_empty() || kind == "closed" {
        return Ok(None);
    }
    let code = iata(code)?;
    let name = columns::name("name", name)?;
    let town = if town.is_empty() { String::new() } else { columns::name("municipality", town)? };
    Ok(Some(Place {
        id: format!("iata:{code}"),
        class: Class::Airport,
        names: airport_names(&name, &town),
        latitude: columns::degrees("latitude_deg", latitude, 90.0)?,
        longitude: columns::degrees("longitude_deg", longitude, 180.0)?,
        country: columns::country("iso_country", country)?,
        time_zone: String::new(),
        population: 0,
        code: Some(code),
    }))
}

fn iata(code: &str) -> Result<String, String> {
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_code.then(|| code.to_owned()).ok_or_else(|| format!("iata_code must be three capital letters, not {code:?}"))
}

/// The names of an airport: its own, with its town in front, without "International", and without its town in front
/// (`Heathrow Airport`).
pub fn airport_names(name: &str, town: &str) -> Vec<String> {
    let short = name.replace(" International Airport", " Airport");
    // Of "Paris (Roissy-en-France, Val-d'Oise)" or "Newcastle, New South Wales", the first part.
    let town = town.split(['(', ',', '/']).next().unwrap_or_default().trim();
    let has_town = town.is_empty() || names::fold(name).contains(&names::fold(town));
    let full = (!has_town).then(|| format!("{town} {short}"));
    let own = short.strip_prefix(town).and_then(|own| own.strip_prefix(' ')).filter(|own| own.contains(" Airport"));
    names::distinct(name, full.as_deref().into_iter().chain([short.as_str()]).chain(own))
}

#[cfg(test)]
mod tests {
    use super::airport_names;

    #[test]
    fn airports_are_found_with_and_without_their_town() {
        assert_eq!(airport_names("London Heathrow Airport", "London"), ["London Heathrow Airport", "Heathrow Airport"]);
        assert_eq!(
            airport_names("Kansai International Airport", "Osaka"),
            ["Kansai International Airport", "Osaka Kansai Airport", "Kansai Airport"]
        );
        assert_eq!(airport_names("Porto Airport", "Porto"), ["Porto Airport"]);
    }
}
