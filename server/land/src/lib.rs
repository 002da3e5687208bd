//! The land and the lakes of the earth as polygons: Natural Earth's data at 1:10 million, in a file in the program that
//! is read where it lies.
//!
//! Rivers, borders and streets are not in it. It knows no projection: coordinates are
//! degrees.

mod format;
mod ring;
mod write;

pub use ring::{cut, rounded, twice_the_area};
pub use write::write;

use format::Level;

/// The file: `cargo xtask land` writes it.
static FILE: &[u8] = include_bytes!("../data/land.bin");

/// Wider areas, in degrees of longitude, are always read from the coarse level, which bounds the work.
const WIDE: f64 = 60.0;

/// A polygon's corners, as longitudes and latitudes in degrees. Filled by the nonzero rule: holes turn the other way.
pub type Ring = Vec<(f64, f64)>;

/// What polygons cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Land, and the lakes on it.
    Land,
    Lakes,
}

impl Layer {
    pub(crate) const ALL: [Self; 2] = [Self::Land, Self::Lakes];
}

/// A bounding box in degrees, from `west` eastwards to `east`. Longitudes of -540 to 900 degrees are understood, so that an
/// area beyond the 180th meridian needs no second part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub west: f64,
    pub south: f64,
    pub east: f64,
    pub north: f64,
}

/// The rings of a layer in the tiles that an area touches, shifted by whole turns into it. Their lines are within
/// `detail`, in degrees, of those in the file. A ring ends at the border of its tile.
pub fn rings(layer: Layer, area: Area, detail: f64) -> impl Iterator<Item = Ring> {
    let turns = [-360.0, 0.0, 360.0, 720.0].into_iter();
    turns.flat_map(move |turn| {
        let turned = Area { west: area.west - turn, east: area.east - turn, ..area };
        let level = level(layer, area, detail);
        level.rings(turned).map(move |ring: Ring| {
            // Points on the borders stay, so that tiles fit together.
            let mut ring = ring::simplified(&ring, detail, |point| level.is_on_border(*point));
            for point in &mut ring {
                point.0 += turn;
            }
            ring
        })
    })
}

/// The level to read. The coarse one is enough if its units are at most twice as large as the detail.
fn level(layer: Layer, area: Area, detail: f64) -> Level<'static> {
    let levels = format::levels(FILE, layer);
    let [fine, coarse] = levels.expect("the file is complete: a test reads it");
    if coarse.detail() <= 2.0 * detail || area.east - area.west > WIDE { coarse } else { fine }
}

#[cfg(test)]
mod tests;
