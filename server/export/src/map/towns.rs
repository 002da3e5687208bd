//! The largest towns in the frame, from the built-in gazetteer.

use itinerary_gazetteer::Area;

use super::projection::{Flat, MapFrame, northing};

/// A town in the frame.
pub(super) struct Town {
    pub(super) name: &'static str,
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The largest towns in a frame, largest first: some more than `count`, because not all of them have room.
pub(super) fn of(frame: &MapFrame, count: usize) -> Vec<Town> {
    let area = frame.area();
    let is_around = area.east - area.west >= 360.0;
    let (west, east) = if is_around { (-180.0, 180.0) } else { (wrapped(area.west), wrapped(area.east)) };
    let area_in_degrees = Area { south: area.south, north: area.north, west, east };
    let towns = itinerary_gazetteer::built_in().largest_in(area_in_degrees, 4 * count);
    towns
        .into_iter()
        .map(|town| {
            let longitude = area.west + (town.longitude - area.west).rem_euclid(360.0);
            let (x, y) = frame.place(Flat { x: longitude.to_radians(), y: northing(town.latitude) });
            Town { name: town.names.lines().next().unwrap_or_default(), x, y }
        })
        .collect()
}

fn wrapped(longitude: f64) -> f64 {
    (longitude + 180.0).rem_euclid(360.0) - 180.0
}
