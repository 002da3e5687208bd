//! The layout of the file. Numbers are little-endian and have 32 bits unless stated otherwise.
//!
//! The file begins with [`MAGIC`] and the number of entries of each table; the tables follow in this order:
//!
//! | table | an entry | sorted by |
//! |---|---|---|
//! | places | offset of the text, latitude and longitude in 1/10,000 degree (signed), population, zone (16 bits), class (8 bits), 0 | square, id |
//! | cells | square, its first place | square |
//! | keys | at most four ASCII letters, its first posting | letters |
//! | postings | place | key, place |
//! | airports | place | code |
//! | zones | offset of the text | text |
//!
//! Then follows the text: of each place its id and names, one a line; of each zone the country and the time zone,
//! separated by a tab. A text, and the places or postings of an entry, end where those of the next entry begin. To have
//! a next one, places, cells, keys and zones have a last entry that stands for none.

use std::ops::Range;

use super::{Number, Record};
use crate::Class;
use crate::area::Cell;

pub(super) const MAGIC: &[u8; 24] = b"itinerary-gazetteer 2  \n";
/// The number of letters of a key.
pub(super) const KEY: usize = 4;
/// Coordinates are stored in this fraction of a degree: 11 metres.
pub(super) const PER_DEGREE: f64 = 1e4;
/// The ids of airports are this and their code.
pub(super) const AIRPORT: &str = "iata:";
/// The bytes of an entry of each table.
const SIZES: [usize; TABLES] = [20, 8, 8, 4, 4, 4];
pub(super) const TABLES: usize = 6;

/// A table: entries of the same size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'f> {
    bytes: &'f [u8],
    size: usize,
    /// The number of entries, without the last one that stands for none.
    count: u32,
}

impl<'f> Table<'f> {
    pub(super) fn count(self) -> u32 {
        self.count
    }

    fn entry(self, index: u32) -> &'f [u8] {
        let start = index as usize * self.size;
        &self.bytes[start..start + self.size]
    }

    fn number(self, index: u32, offset: usize) -> u32 {
        number(self.entry(index), offset)
    }
}

fn array<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    bytes[offset..offset + N].try_into().expect("a slice of the array's length")
}

fn number(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(array(bytes, offset))
}

/// The tables and the text of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout<'f> {
    pub(super) places: Table<'f>,
    cells: Table<'f>,
    keys: Table<'f>,
    postings: Table<'f>,
    airports: Table<'f>,
    zones: Table<'f>,
    text: &'f str,
}

impl<'f> Layout<'f> {
    /// `None` if the file has another beginning, or is shorter than its tables and text.
    pub(super) fn new(file: &'f [u8]) -> Option<Self> {
        let mut rest = file.strip_prefix(MAGIC)?;
        let (header, tables) = rest.split_at_checked(4 * (TABLES + 1))?;
        rest = tables;
        let mut table = |index: usize| {
            let entries = number(header, 4 * index);
            let (bytes, after) = rest.split_at_checked(SIZES[index].checked_mul(entries as usize)?)?;
            rest = after;
            let has_end = !matches!(index, 3 | 4);
            Some(Table { bytes, size: SIZES[index], count: entries.checked_sub(u32::from(has_end))? })
        };
        let [places, cells, keys, postings, airports, zones] =
            [table(0)?, table(1)?, table(2)?, table(3)?, table(4)?, table(5)?];
        let is_whole = rest.len() == number(header, 4 * TABLES) as usize;
        let text = str::from_utf8(rest).ok().filter(|_| is_whole)?;
        Some(Self { places, cells, keys, postings, airports, zones, text })
    }

    /// The places of a square.
    pub(super) fn in_cell(self, cell: Cell) -> Range<Number> {
        let Self { cells, .. } = self;
        let index = partition_point(0..cells.count, |index| cells.number(index, 0) < cell);
        if index == cells.count || cells.number(index, 0) != cell {
            return 0..0;
        }
        cells.number(index, 4)..cells.number(index + 1, 4)
    }

    /// The postings of a key.
    pub(super) fn postings(self, key: &str) -> Range<u32> {
        let Self { keys, .. } = self;
        let Some(key) = padded(key) else { return 0..0 };
        let letters = |index: u32| array::<KEY>(keys.entry(index), 0);
        let index = partition_point(0..keys.count, |index| letters(index) < key);
        if index == keys.count || letters(index) != key {
            return 0..0;
        }
        keys.number(index, KEY)..keys.number(index + 1, KEY)
    }

    /// The place of a posting.
    pub(super) fn posting(self, posting: u32) -> Number {
        self.postings.number(posting, 0)
    }

    /// The airport of an IATA code.
    pub(super) fn airport(self, code: &str) -> Option<Number> {
        let Self { airports, .. } = self;
        let number = |index: u32| airports.number(index, 0);
        let own = |index: u32| self.record(number(index)).code().unwrap_or_default();
        let index = partition_point(0..airports.count, |index| own(index) < code);
        (index < airports.count && own(index) == code).then(|| number(index))
    }

    pub(super) fn class(self, number: Number) -> Class {
        class(self.places.entry(number))
    }

    /// Latitude and longitude, in degrees.
    pub(super) fn position(self, place: Number) -> (f64, f64) {
        position(self.places.entry(place))
    }

    pub(super) fn population(self, place: Number) -> u32 {
        number(self.places.entry(place), 12)
    }

    pub(super) fn record(self, place: Number) -> Record<'f> {
        let entry = self.places.entry(place);
        let text = self.text_between(number(entry, 0), self.places.number(place + 1, 0));
        let (id, names) = text.split_once('\n').unwrap_or((text, ""));
        let zone = u32::from(u16::from_le_bytes(array(entry, 16)));
        let zone = self.text_between(self.zones.number(zone, 0), self.zones.number(zone + 1, 0));
        let (country, time_zone) = zone.split_once('\t').unwrap_or((zone, ""));
        let ((latitude, longitude), population) = (position(entry), number(entry, 12));
        Record { id, class: class(entry), names, latitude, longitude, country, time_zone, population }
    }

    fn text_between(self, from: u32, to: u32) -> &'f str {
        &self.text[from as usize..to as usize]
    }
}

fn position(place: &[u8]) -> (f64, f64) {
    let degrees = |offset: usize| f64::from(i32::from_le_bytes(array(place, offset))) / PER_DEGREE;
    (degrees(4), degrees(8))
}

fn class(place: &[u8]) -> Class {
    Class::ALL[usize::from(place[18])]
}

/// The letters of a key, filled up with zeros. `None` if it has more than four.
pub(super) fn padded(key: &str) -> Option<[u8; KEY]> {
    let mut letters = [0; KEY];
    letters.get_mut(..key.len())?.copy_from_slice(key.as_bytes());
    Some(letters)
}

/// The first index of the range for which `is_before` is false.
pub(super) fn partition_point(range: Range<u32>, is_before: impl Fn(u32) -> bool) -> u32 {
    let Range { mut start, mut end } = range;
    while start < end {
        let middle = start + (end - start) / 2;
        if is_before(middle) { start = middle + 1 } else { end = middle }
    }
    start
}
