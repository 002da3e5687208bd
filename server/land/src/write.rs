//! Writes the file from rings of any size: cuts them into tiles, and rounds them to each level's units.

use std::ops::Range;

use crate::format::{GRIDS, Grid, MAGIC};
use crate::ring::{rounded, side, simplified, twice_the_area};
use crate::{Layer, Ring};

/// How far a coarse level's lines may be from the finest ones, in its units.
const TOLERANCE: f64 = 1.0;
/// A coarse level leaves out smaller islands and lakes, in square units.
const SMALLEST: i64 = 4;

/// Writes the file. `rings` are those of a layer, closed or not, holes turning the other way than what is around them.
///
/// # Panics
///
/// If a level has more than 4 GB.
pub fn write(rings: impl Fn(Layer) -> Vec<Ring>) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    for layer in Layer::ALL {
        let rings = rings(layer);
        for (index, grid) in GRIDS.into_iter().enumerate() {
            let level = level(&rings, grid, index > 0);
            file.extend(u32::try_from(level.len()).expect("less than 4 GB").to_le_bytes());
            file.extend(grid.tile.to_le_bytes());
            file.extend(grid.units.to_le_bytes());
            file.extend(level);
        }
    }
    file
}

fn level(rings: &[Ring], grid: Grid, is_coarse: bool) -> Vec<u8> {
    let (columns, rows) = (grid.columns() as usize, grid.rows() as usize);
    let mut tiles = vec![Vec::new(); columns * rows];
    let tolerance = TOLERANCE / f64::from(grid.units);
    for ring in rings {
        let ring = if is_coarse { simplified(ring, tolerance, |_| false) } else { ring.clone() };
        let west = |column: usize| f64::from(grid.tile) * number(column) - 180.0;
        for (column, strip) in strips(ring, 0..columns, &|point| point.0, &west) {
            let south = |row: usize| f64::from(grid.tile) * number(row) - 90.0;
            for (row, part) in strips(strip, 0..rows, &|point| point.1, &south) {
                let part = rounded(&part, (west(column), south(row)), f64::from(grid.units));
                if twice_the_area(&part).abs() > if is_coarse { 2 * SMALLEST } else { 0 } {
                    write_ring(&mut tiles[row * columns + column], &part);
                }
            }
        }
    }
    let mut level = Vec::new();
    let mut end = 0;
    for tile in &tiles {
        end += tile.len();
        level.extend(u32::try_from(end).expect("less than 4 GB").to_le_bytes());
    }
    level.extend(tiles.into_iter().flatten());
    level
}

#[expect(clippy::cast_precision_loss, reason = "a number of tiles")]
fn number(index: usize) -> f64 {
    index as f64
}

/// Cuts a ring into strips between the borders of a range, by halves. `along` is the coordinate that the borders cut.
fn strips(
    ring: Ring,
    range: Range<usize>,
    along: &impl Fn(&(f64, f64)) -> f64,
    border: &impl Fn(usize) -> f64,
) -> Vec<(usize, Ring)> {
    if ring.len() < 3 {
        return Vec::new();
    }
    if range.len() == 1 {
        return vec![(range.start, ring)];
    }
    let middle = usize::midpoint(range.start, range.end);
    let cut = border(middle);
    let lower = side(&ring, |point| cut - along(point));
    let upper = side(&ring, |point| along(point) - cut);
    let mut strips_of_both = strips(lower, range.start..middle, along, border);
    strips_of_both.extend(strips(upper, middle..range.end, along, border));
    strips_of_both
}

fn write_ring(tile: &mut Vec<u8>, ring: &[(i32, i32)]) {
    write_number(tile, u32::try_from(ring.len()).expect("a tile has some thousand points"));
    let mut last = (0, 0);
    for &point in ring {
        for difference in [point.0 - last.0, point.1 - last.1] {
            write_number(tile, (difference << 1 ^ difference >> 31).cast_unsigned());
        }
        last = point;
    }
}

fn write_number(bytes: &mut Vec<u8>, mut number: u32) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            return bytes.push(low);
        }
        bytes.push(low | 0x80);
    }
}
