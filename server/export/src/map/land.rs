//! Land and lakes under a map, from `itinerary-land`: cut to the frame, and no finer than the map shows.

use std::fmt::Write;

use itinerary_land::{Layer, Ring, cut, rounded, twice_the_area};

use super::projection::{Flat, MapFrame, northing};

/// How far lines may be from the coast, in the frame's units.
const TOLERANCE: f64 = 0.5;
/// Islands and lakes with a smaller area are left out, in square units of the frame, or of the tolerance if that is more.
const SMALLEST: f64 = 2.0;
/// A narrower map shows no coast, which at 1:10 million would be off by streets. In metres.
const NARROWEST: f64 = 6_000.0;

/// The elements that draw land and lakes. `most` is how many bytes they should have together; if it is small, they can have
/// twice as many. `None` for a map that is too narrow for coasts.
pub(super) fn draw(frame: &MapFrame, most: usize) -> Option<String> {
    if frame.metres_per_unit() * frame.width < NARROWEST {
        return None;
    }
    let mut svg = String::new();
    for (layer, class, most) in [(Layer::Land, "land", most / 4 * 3), (Layer::Lakes, "lakes", most / 4)] {
        let path = path(layer, frame, most);
        if !path.is_empty() {
            let _ = write!(svg, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }
    Some(svg)
}

/// The path of a layer. The tolerance grows until the path is short enough.
fn path(layer: Layer, frame: &MapFrame, most: usize) -> String {
    let mut tolerance = TOLERANCE;
    loop {
        let mut path = String::new();
        for ring in itinerary_land::rings(layer, frame.area(), tolerance * frame.degrees_per_unit()) {
            write_ring(&mut path, &placed(&ring, frame), SMALLEST.max(tolerance * tolerance));
        }
        #[expect(clippy::cast_precision_loss, reason = "less than a megabyte")]
        let excess = path.len() as f64 / most as f64;
        if excess <= 1.0 || tolerance > 24.0 {
            return path;
        }
        tolerance *= excess.max(1.5);
    }
}

/// A ring in the frame, with a margin that hides the edges along which it was cut.
fn placed(ring: &Ring, frame: &MapFrame) -> Ring {
    let place =
        |&(longitude, latitude): &(f64, f64)| frame.place(Flat { x: longitude.to_radians(), y: northing(latitude) });
    cut(&ring.iter().map(place).collect(), (-4.0, -4.0), (frame.width + 4.0, frame.height + 4.0))
}

/// Writes a ring in whole units, each point relative to the one before.
fn write_ring(path: &mut String, ring: &Ring, smallest: f64) {
    let points = rounded(ring, (0.0, 0.0), 1.0);
    #[expect(clippy::cast_precision_loss, reason = "a frame has less than a million square units")]
    let area = twice_the_area(&points).abs() as f64 / 2.0;
    if area < smallest {
        return;
    }
    let _ = write!(path, "M{} {}l", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let (dx, dy) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        // A minus separates numbers too.
        let before_x = if dx < 0 || path.ends_with('l') { "" } else { " " };
        let before_y = if dy < 0 { "" } else { " " };
        let _ = write!(path, "{before_x}{dx}{before_y}{dy}");
    }
    path.push('z');
}

#[cfg(test)]
mod tests {
    use super::super::projection::flat;
    use super::*;
    use crate::trip::GeoPoint;

    fn around(points: &[(f64, f64)]) -> MapFrame {
        let flat: Vec<Flat> =
            points.iter().map(|&(latitude, longitude)| flat(GeoPoint { latitude, longitude }, -180.0)).collect();
        MapFrame::around(&flat, 720.0, (300.0, 500.0), 40.0)
    }

    #[test]
    fn paths_are_short_at_all_scales() {
        for points in [
            &[(60.0, -170.0), (-50.0, 170.0)][..],
            &[(38.7, -9.1), (52.3, 4.8)],
            &[(58.0, 5.0), (71.0, 31.0)],
            &[(-55.0, -75.0), (-42.0, -64.0)],
            &[(38.70, -9.25), (38.75, -9.05)],
        ] {
            for most in [10_000, 1_500] {
                let svg = draw(&around(points), most).expect("wide enough");
                assert!(svg.starts_with("<path class=\"land\" d=\"M"), "{points:?}");
                assert!(svg.len() < 2 * most + 100, "{points:?}: {}", svg.len());
            }
        }
    }

    #[test]
    fn the_open_sea_has_no_land_and_a_few_streets_no_coast() {
        assert_eq!(draw(&around(&[(-40.0, -130.0), (-42.0, -120.0)]), 9_000).as_deref(), Some(""));
        assert_eq!(draw(&around(&[(38.710, -9.140), (38.712, -9.142)]), 9_000), None);
    }

    #[test]
    fn lakes_are_drawn_on_land() {
        let geneva = draw(&around(&[(46.2, 6.1), (46.5, 6.9)]), 9_000).expect("wide enough");
        assert!(geneva.contains("class=\"land\"") && geneva.contains("class=\"lakes\""), "{geneva}");
    }
}
