//! The layout of the file. Numbers are little-endian.
//!
//! The file begins with [`MAGIC`]. Then follow the levels, of land fine and coarse, then of lakes: each the number of its
//! bytes, its tiles' size in degrees and the units in a degree (32 bits each), and for each tile, row by row from the
//! south-west, where it ends in the bytes of the tiles (32 bits), which follow.
//!
//! A tile has its rings one after the other: the number of points, and from point to point, the first time from the
//! tile's south-western corner, the difference of the longitudes and of the latitudes, in units. These numbers have a
//! variable length (LEB128), and differences are stored as zigzag numbers, so that small negative ones are short.

use std::ops::RangeInclusive;

use crate::{Area, Layer, Ring};

pub(crate) const MAGIC: &[u8; 16] = b"itinerary-land 1";
/// The bytes before a level's table.
const HEADER: usize = 12;

/// The tiles and the units of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// Degrees of a tile's side. Divides 180.
    pub(crate) tile: u32,
    /// Units in a degree.
    pub(crate) units: u32,
}

/// The levels of each layer, the finest first.
pub(crate) const GRIDS: [Grid; 2] = [Grid { tile: 5, units: 500 }, Grid { tile: 30, units: 20 }];

impl Grid {
    pub(crate) fn columns(self) -> u32 {
        360 / self.tile
    }

    pub(crate) fn rows(self) -> u32 {
        180 / self.tile
    }

    /// The south-western corner of a tile.
    pub(crate) fn corner(self, column: u32, row: u32) -> (f64, f64) {
        (f64::from(column * self.tile) - 180.0, f64::from(row * self.tile) - 90.0)
    }
}

/// One level of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level<'f> {
    grid: Grid,
    /// Where each tile ends.
    ends: &'f [[u8; 4]],
    tiles: &'f [u8],
}

/// The levels of a layer, the finest first. `None` if the file is not complete.
pub(crate) fn levels(file: &[u8], layer: Layer) -> Option<[Level<'_>; 2]> {
    let mut rest = file.strip_prefix(MAGIC)?;
    let mut next = || {
        let (header, after) = rest.split_at_checked(HEADER)?;
        let number = |index: usize| Some(u32::from_le_bytes(*header.as_chunks::<4>().0.get(index)?));
        let (level, after) = after.split_at_checked(number(0)? as usize)?;
        rest = after;
        let grid = Grid { tile: number(1)?, units: number(2)? };
        let count = (grid.columns() * grid.rows()) as usize;
        let (table, tiles) = level.split_at_checked(count * 4)?;
        Some(Level { grid, ends: table.as_chunks().0, tiles })
    };
    let [land, lakes] = [[next()?, next()?], [next()?, next()?]];
    Some(match layer {
        Layer::Land => land,
        Layer::Lakes => lakes,
    })
}

impl<'f> Level<'f> {
    /// The smallest distance that it shows, in degrees.
    pub(crate) fn detail(self) -> f64 {
        1.0 / f64::from(self.grid.units)
    }

    /// Whether a point is on the border of a tile.
    pub(crate) fn is_on_border(self, point: (f64, f64)) -> bool {
        let side = f64::from(self.grid.tile);
        [point.0 + 180.0, point.1 + 90.0].iter().any(|degrees| (degrees / side).fract() == 0.0)
    }

    /// The rings in the tiles that an area touches.
    pub(crate) fn rings(self, area: Area) -> impl Iterator<Item = Ring> + use<'f> {
        let side = f64::from(self.grid.tile);
        let columns = touched((area.west + 180.0) / side, (area.east + 180.0) / side, self.grid.columns());
        let rows = touched((area.south + 90.0) / side, (area.north + 90.0) / side, self.grid.rows());
        let tiles = rows.flat_map(move |row| columns.clone().map(move |column| (column, row)));
        tiles.flat_map(move |(column, row)| self.tile(column, row))
    }

    fn tile(self, column: u32, row: u32) -> impl Iterator<Item = Ring> + use<'f> {
        let index = (row * self.grid.columns() + column) as usize;
        let end = |index: usize| u32::from_le_bytes(self.ends[index]) as usize;
        let start = if index == 0 { 0 } else { end(index - 1) };
        let corner = self.grid.corner(column, row);
        let mut numbers = Numbers { bytes: &self.tiles[start..end(index)] };
        let units = f64::from(self.grid.units);
        std::iter::from_fn(move || {
            let count = numbers.next()?;
            let (mut x, mut y) = (0, 0);
            let points = (0..count).map_while(|_| {
                x += signed(numbers.next()?);
                y += signed(numbers.next()?);
                Some((corner.0 + f64::from(x) / units, corner.1 + f64::from(y) / units))
            });
            Some(points.collect())
        })
    }
}

/// The columns or rows from one position to another; empty if they are outside.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn touched(from: f64, to: f64, count: u32) -> RangeInclusive<u32> {
    if to < 0.0 || from >= f64::from(count) {
        #[expect(clippy::reversed_empty_ranges, reason = "no tile")]
        return 1..=0;
    }
    let index = |position: f64| position.clamp(0.0, f64::from(count - 1)) as u32;
    index(from)..=index(to)
}

fn signed(number: u32) -> i32 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// The numbers of a tile.
struct Numbers<'f> {
    bytes: &'f [u8],
}

impl Iterator for Numbers<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u32::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
