//! The compact file of places: a header, then deflated lines of text.
//!
//! The header is `itinerary-gazetteer 1 0123456789abcdef` and a line feed; the last word is the FNV-1a hash of the
//! text. A line of the text is a heading (`@`, country, time zone) or a place in the country and zone of the last
//! heading: class, id, latitude, longitude, population, code, names; separated by tabs. Zero and `None` are empty.
//!
//! This format is the project's own; `geonames` and `ourairports` read other formats.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Lines, Write as _};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;

use crate::place::{Class, Place};

const MAGIC: &str = "itinerary-gazetteer 1 ";
const HASH_DIGITS: usize = 16;
const HEADER: usize = MAGIC.len() + HASH_DIGITS + 1;

/// An error in a file of places.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the file of places is corrupt: {0}")]
pub struct Corrupt(String);

/// The places as text, in a deterministic order.
pub fn text(places: &[Place]) -> String {
    let mut sorted: Vec<&Place> = places.iter().collect();
    sorted.sort_by_key(|place| (&place.country, &place.time_zone, &place.id));
    let mut text = String::new();
    let mut heading = None;
    for place in sorted {
        let own = (&place.country, &place.time_zone);
        if heading.replace(own) != Some(own) {
            let _ = writeln!(text, "@\t{}\t{}", place.country, place.time_zone);
        }
        write_place(&mut text, place);
    }
    text
}

fn write_place(text: &mut String, place: &Place) {
    let Place { id, class, latitude, longitude, .. } = place;
    let population = if place.population == 0 { String::new() } else { place.population.to_string() };
    let code = place.code.as_deref().unwrap_or_default();
    let names = place.names.join("\t");
    let _ = writeln!(text, "{}\t{id}\t{latitude}\t{longitude}\t{population}\t{code}\t{names}", class.name());
}

pub fn compress(text: &str) -> Vec<u8> {
    let header = format!("{MAGIC}{:016x}\n", fnv1a(text.as_bytes()));
    let mut deflate = DeflateEncoder::new(header.into_bytes(), Compression::best());
    deflate.write_all(text.as_bytes()).and_then(|()| deflate.finish()).expect("writing to memory does not fail")
}

pub fn read(file: &[u8]) -> Result<impl Iterator<Item = Result<Place, Corrupt>>, Corrupt> {
    version(file).ok_or_else(|| Corrupt(format!("it must begin with {MAGIC:?} and a hash")))?;
    let lines = BufReader::with_capacity(64 * 1024, DeflateDecoder::new(&file[HEADER..])).lines();
    Ok(Places { lines, country: String::new(), time_zone: String::new() })
}

/// The hash in a file's header: 16 lower-case hexadecimal digits.
pub const fn version(file: &[u8]) -> Option<&str> {
    let Some((header, _)) = file.split_at_checked(HEADER) else { return None };
    let (magic, rest) = header.split_at(MAGIC.len());
    let (hash, end) = rest.split_at(HASH_DIGITS);
    if !is_same(magic, MAGIC.as_bytes()) || end[0] != b'\n' {
        return None;
    }
    match str::from_utf8(hash) {
        Ok(hash) => Some(hash),
        Err(_) => None,
    }
}

/// Slices cannot be compared with `==` in a constant.
const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

struct Places<R> {
    lines: Lines<R>,
    country: String,
    time_zone: String,
}

impl<R: BufRead> Iterator for Places<R> {
    type Item = Result<Place, Corrupt>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(Corrupt(error.to_string()))),
            };
            let Some(heading) = line.strip_prefix("@\t") else {
                return Some(self.place(&line).ok_or(Corrupt(line)));
            };
            let Some((country, time_zone)) = heading.split_once('\t') else { return Some(Err(Corrupt(line))) };
            (self.country, self.time_zone) = (country.to_owned(), time_zone.to_owned());
        }
    }
}

impl<R> Places<R> {
    fn place(&self, line: &str) -> Option<Place> {
        let mut columns = line.split('\t');
        let mut next = || columns.next();
        let (class, id) = (Class::from_name(next()?)?, next()?.to_owned());
        let (latitude, longitude) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let population = match next()? {
            "" => 0,
            digits => digits.parse().ok()?,
        };
        let code = Some(next()?.to_owned()).filter(|code| !code.is_empty());
        let names: Vec<String> = columns.map(str::to_owned).collect();
        let (country, time_zone) = (self.country.clone(), self.time_zone.clone());
        let place = Place { id, class, names, latitude, longitude, country, time_zone, population, code };
        (!place.names.is_empty()).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(id: &str, class: Class, country: &str, names: &[&str]) -> Place {
        Place {
            id: id.to_owned(),
            class,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            latitude: 38.7251,
            longitude: -9.1498,
            country: country.to_owned(),
            time_zone: "Europe/Lisbon".to_owned(),
            population: if class == Class::City { 517_802 } else { 0 },
            code: (class == Class::Airport).then(|| "LIS".to_owned()),
        }
    }

    fn unpack(file: &[u8]) -> Result<Vec<Place>, Corrupt> {
        read(file)?.collect()
    }

    #[test]
    fn packing_round_trip_returns_places_in_order() {
        let city = place("geonames:2267057", Class::City, "PT", &["Lisbon", "Lisboa"]);
        let airport = place("iata:LIS", Class::Airport, "PT", &["Lisbon Portela Airport"]);
        let sight = place("sight:ES/a/b", Class::Museum, "ES", &["B"]);
        let file = compress(&text(&[airport.clone(), city.clone(), sight.clone()]));
        assert_eq!(file, compress(&text(&[sight.clone(), airport.clone(), city.clone()])));
        assert_eq!(unpack(&file), Ok(vec![sight, city, airport]));
    }

    #[test]
    fn the_version_changes_with_the_text() {
        let one = compress("a");
        assert_eq!(version(&one), Some("af63dc4c8601ec8c"));
        assert_ne!(version(&one), version(&compress("b")));
    }

    #[test]
    fn files_that_are_none_are_refused() {
        let file = compress(&text(&[place("iata:LIS", Class::Airport, "PT", &["Lisbon"])]));
        assert!(unpack(b"").is_err());
        assert!(unpack(&file[1..]).is_err());
        assert!(unpack(&file[..file.len() - 8]).is_err(), "it is cut short");
        for bad in ["@\tPT\n", "palace\tid\t1\t2\t\t\tName\n", "city\tid\tx\t2\t\t\tName\n", "city\tid\t1\t2\t\t\n"] {
            assert!(unpack(&compress(bad)).is_err(), "{bad:?}");
        }
    }
}
