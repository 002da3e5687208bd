//! The index of the built-in places: a file that is searched where it lies, without reading it whole.
//!
//! `write` makes the file, `format` describes it. The index does not score matches: the caller does.

mod format;
mod write;

use std::ops::Range;

use crate::Class;
use crate::area::{Area, Cell, cells};
use crate::place::Place;
use format::Layout;
pub use write::write;

/// The number of a place in the index: places are sorted by their squares.
type Number = u32;

/// In more squares than this, all places are looked at one after the other, which is faster.
const SEARCHED: usize = 1_000;

/// A file of places, searched by words of names, squares and codes.
#[derive(Clone, Copy, Debug)]
pub struct Index<'f> {
    layout: Layout<'f>,
}

/// A place of an index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record<'f> {
    /// For example `geonames:2267057`.
    pub id: &'f str,
    pub class: Class,
    /// Separated by newlines, the usual name first.
    pub names: &'f str,
    /// Degrees north and east.
    pub latitude: f64,
    pub longitude: f64,
    /// ISO 3166-1 alpha-2.
    pub country: &'f str,
    /// Empty if the source does not say.
    pub time_zone: &'f str,
    /// 0 if unknown.
    pub population: u32,
}

impl<'f> Record<'f> {
    /// An airport's IATA code.
    pub fn code(&self) -> Option<&'f str> {
        self.id.strip_prefix(format::AIRPORT).filter(|_| self.class == Class::Airport)
    }

    fn place(&self) -> Place {
        Place {
            id: self.id.to_owned(),
            class: self.class,
            names: self.names.lines().map(str::to_owned).collect(),
            latitude: self.latitude,
            longitude: self.longitude,
            country: self.country.to_owned(),
            time_zone: self.time_zone.to_owned(),
            population: self.population,
            code: self.code().map(str::to_owned),
        }
    }
}

/// The file is not an index of places, or it was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the file is not an index of places")]
pub struct NotAnIndex;

impl<'f> Index<'f> {
    /// Reads the header; compares the file's length with it.
    pub fn new(file: &'f [u8]) -> Result<Self, NotAnIndex> {
        Layout::new(file).map(|layout| Self { layout }).ok_or(NotAnIndex)
    }

    /// All places, sorted by their squares.
    pub fn places(self) -> impl Iterator<Item = Place> + use<'f> {
        (0..self.layout.places.count()).map(move |number| self.layout.record(number).place())
    }

    /// The places in these squares, given sorted, with a word that begins with one of the keys: at most `limit`.
    pub fn near(self, keys: &[impl AsRef<str>], cells: &[Cell], limit: usize) -> Vec<Record<'f>> {
        let ranges: Vec<_> =
            cells.iter().map(|cell| self.layout.in_cell(*cell)).filter(|range| !range.is_empty()).collect();
        let mut found = Vec::new();
        for key in keys {
            let mut postings = self.layout.postings(key.as_ref());
            for range in &ranges {
                postings.start = self.first_from(&postings, range.start);
                let end = self.first_from(&postings, range.end);
                found.extend((postings.start..end).map(|posting| self.layout.posting(posting)));
            }
        }
        self.records(once(found).into_iter().take(limit))
    }

    /// The places in these squares: at most `limit`.
    pub fn around(self, cells: &[Cell], limit: usize) -> Vec<Record<'f>> {
        self.records(cells.iter().flat_map(|cell| self.layout.in_cell(*cell)).take(limit))
    }

    /// The cities with a word that begins with one of the keys, largest first: at most `limit`.
    pub fn cities(self, keys: &[impl AsRef<str>], limit: usize) -> Vec<Record<'f>> {
        let postings = keys.iter().flat_map(|key| self.layout.postings(key.as_ref()));
        let found = once(postings.map(|posting| self.layout.posting(posting)).collect());
        self.largest_cities(found.into_iter(), limit)
    }

    /// The cities in these squares, largest first: at most `limit`.
    pub fn cities_in(self, cells: &[Cell], limit: usize) -> Vec<Record<'f>> {
        self.largest_cities(cells.iter().flat_map(|cell| self.layout.in_cell(*cell)), limit)
    }

    /// The largest cities of an area of any size, largest first: at most `limit`.
    pub fn largest_in(self, area: Area, limit: usize) -> Vec<Record<'f>> {
        let cells = cells(&[area]);
        let numbers: Box<dyn Iterator<Item = Number>> = if cells.len() <= SEARCHED {
            Box::new(cells.into_iter().flat_map(|cell| self.layout.in_cell(cell)))
        } else {
            Box::new(0..self.layout.places.count())
        };
        let mut cities: Vec<Number> = numbers
            .filter(|number| self.layout.class(*number) == Class::City)
            .filter(|number| area.contains(self.layout.position(*number)))
            .collect();
        cities.sort_unstable_by_key(|number| (std::cmp::Reverse(self.layout.population(*number)), *number));
        cities.truncate(limit);
        self.records(cities.into_iter())
    }

    /// The airports of these IATA codes, in upper case.
    pub fn airports(self, codes: &[impl AsRef<str>]) -> Vec<Record<'f>> {
        codes
            .iter()
            .filter_map(|code| self.layout.airport(code.as_ref()))
            .map(|number| self.layout.record(number))
            .collect()
    }

    fn largest_cities(self, numbers: impl Iterator<Item = Number>, limit: usize) -> Vec<Record<'f>> {
        let mut cities = self.records(numbers.filter(|number| self.layout.class(*number) == Class::City));
        cities.sort_unstable_by(|a, b| b.population.cmp(&a.population).then(a.id.cmp(b.id)));
        cities.truncate(limit);
        cities
    }

    fn records(self, numbers: impl Iterator<Item = Number>) -> Vec<Record<'f>> {
        numbers.map(|number| self.layout.record(number)).collect()
    }

    /// The first of the postings, which are sorted, with this number or a greater one.
    fn first_from(self, postings: &Range<u32>, number: Number) -> u32 {
        format::partition_point(postings.clone(), |posting| self.layout.posting(posting) < number)
    }
}

/// The numbers, sorted, each once.
fn once(mut numbers: Vec<Number>) -> Vec<Number> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests;
