//! Writes the file of an index.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{AIRPORT, KEY, MAGIC, PER_DEGREE, TABLES, padded};
use crate::area::{Cell, cell};
use crate::place::{Class, Place};

/// An index of the places; `keys` are the beginnings of a name's words, at most four ASCII letters each.
///
/// # Errors
///
/// A place whose code is not that of its id, whose names have line breaks, or whose keys are too long, and a file that
/// would be too large for the format.
pub fn write(places: &[Place], keys: impl Fn(&str) -> Vec<String>) -> Result<Vec<u8>, String> {
    let mut sorted: Vec<(Cell, &Place)> =
        places.iter().map(|place| (cell(place.latitude, place.longitude), place)).collect();
    sorted.sort_by_key(|(cell, place)| (*cell, &place.id));
    let mut tables = Tables::default();
    tables.add_zones(&sorted);
    for (cell, place) in &sorted {
        tables.add(*cell, place, &keys)?;
    }
    tables.file()
}

/// The tables while places are added.
#[derive(Default)]
struct Tables<'p> {
    /// Numbered in this order.
    zones: BTreeMap<(&'p str, &'p str), u16>,
    places: Vec<u8>,
    count: u32,
    /// Each square with its first place.
    cells: Vec<(Cell, u32)>,
    postings: BTreeMap<[u8; KEY], Vec<u32>>,
    airports: BTreeMap<&'p str, u32>,
    text: String,
}

impl<'p> Tables<'p> {
    fn add_zones(&mut self, places: &[(Cell, &'p Place)]) {
        let zones: BTreeSet<_> = places.iter().map(|(_, place)| (&*place.country, &*place.time_zone)).collect();
        self.zones = zones.into_iter().zip(0..).collect();
    }

    fn add(&mut self, cell: Cell, place: &'p Place, keys: impl Fn(&str) -> Vec<String>) -> Result<(), String> {
        let code = place.id.strip_prefix(AIRPORT).filter(|_| place.class == Class::Airport);
        if place.code.as_deref() != code {
            return Err(format!("{}: the code is not that of the id", place.id));
        }
        if self.cells.last().is_none_or(|(last, _)| *last != cell) {
            self.cells.push((cell, self.count));
        }
        for key in place.names.iter().flat_map(|name| keys(name)) {
            let key = padded(&key).ok_or_else(|| format!("{}: the key {key} is too long", place.id))?;
            let postings = self.postings.entry(key).or_default();
            if postings.last() != Some(&self.count) {
                postings.push(self.count);
            }
        }
        self.airports.extend(code.map(|code| (code, self.count)));
        self.add_entry(place)?;
        self.add_text(place)?;
        self.count += 1;
        Ok(())
    }

    fn add_entry(&mut self, place: &Place) -> Result<(), String> {
        self.places.extend(offset(self.text.len())?);
        self.places.extend(fraction(place.latitude).to_le_bytes());
        self.places.extend(fraction(place.longitude).to_le_bytes());
        self.places.extend(place.population.to_le_bytes());
        self.places.extend(self.zones[&(&*place.country, &*place.time_zone)].to_le_bytes());
        let class = Class::ALL.iter().position(|class| *class == place.class).unwrap_or_default();
        self.places.extend([u8::try_from(class).map_err(|_| "too many classes")?, 0]);
        Ok(())
    }

    fn add_text(&mut self, place: &Place) -> Result<(), String> {
        let mut lines = std::iter::once(&place.id).chain(&place.names);
        if lines.any(|line| line.contains(['\n', '\r'])) {
            return Err(format!("{}: a name has a line break", place.id));
        }
        self.text += &place.id;
        for name in &place.names {
            self.text.push('\n');
            self.text += name;
        }
        Ok(())
    }

    fn file(mut self) -> Result<Vec<u8>, String> {
        // The place that stands for none has only its text's offset.
        self.places.extend(offset(self.text.len())?);
        self.places.extend([0; 16]);
        let mut zones = Vec::new();
        for (country, time_zone) in self.zones.keys() {
            zones.extend(offset(self.text.len())?);
            self.text.extend([country, "\t", time_zone]);
        }
        zones.extend(offset(self.text.len())?);

        let mut cells = Vec::new();
        for (cell, first) in self.cells.iter().chain(&[(Cell::MAX, self.count)]) {
            cells.extend([cell.to_le_bytes(), first.to_le_bytes()].concat());
        }
        let (mut keys, mut postings, mut posted) = (Vec::new(), Vec::new(), 0);
        for (key, places) in &self.postings {
            keys.extend([*key, offset(posted)?].concat());
            posted += places.len();
            postings.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        }
        keys.extend([[u8::MAX; KEY], offset(posted)?].concat());
        let airports: Vec<u8> = self.airports.values().flat_map(|place| place.to_le_bytes()).collect();

        let counts: [usize; TABLES + 1] = [
            self.count as usize + 1,
            self.cells.len() + 1,
            self.postings.len() + 1,
            posted,
            self.airports.len(),
            self.zones.len() + 1,
            self.text.len(),
        ];
        let mut header = MAGIC.to_vec();
        for count in counts {
            header.extend(offset(count)?);
        }
        Ok([header, self.places, cells, keys, postings, airports, zones, self.text.into_bytes()].concat())
    }
}

fn offset(length: usize) -> Result<[u8; 4], String> {
    u32::try_from(length).map(u32::to_le_bytes).map_err(|_| "the file would be too large".to_owned())
}

#[expect(clippy::cast_possible_truncation, reason = "degrees")]
fn fraction(degrees: f64) -> i32 {
    (degrees * PER_DEGREE).round() as i32
}
