//! The land of the earth, for maps of a large area: Natural Earth's coast lines at 1:110 million, cut to the frame.

use std::f64::consts::TAU;
use std::fmt::Write;
use std::sync::LazyLock;

use super::projection::{Flat, MapFrame, northing};

/// The number of rings, then each ring: the number of its points, and their longitudes and latitudes in hundredths of a
/// degree. Two bytes for each number, little-endian.
const FILE: &[u8] = include_bytes!("../../data/land.bin");
/// The narrowest map that shows land, in radians. At larger scales, the coast lines are too coarse.
const NARROWEST: f64 = 0.09;
/// Points nearer than this to the one before are left out, in the frame's units.
const DETAIL: f64 = 1.2;

struct Ring {
    points: Vec<Flat>,
    west: f64,
    east: f64,
}

static RINGS: LazyLock<Vec<Ring>> = LazyLock::new(|| {
    let (pairs, _) = FILE.as_chunks::<2>();
    let mut numbers = pairs.iter().map(|&pair| i16::from_le_bytes(pair));
    let mut next = || numbers.next().expect("the file is complete");
    let rings = next();
    let read = |_| {
        let length = next();
        let point = |_| {
            let (longitude, latitude) = (f64::from(next()) / 100.0, f64::from(next()) / 100.0);
            Flat { x: longitude.to_radians(), y: northing(latitude) }
        };
        let points: Vec<Flat> = (0..length).map(point).collect();
        let (west, east) = points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(west, east), point| (west.min(point.x), east.max(point.x)));
        Ring { points, west, east }
    };
    (0..rings).map(read).collect()
});

/// Whether a map shows land.
pub(super) fn is_for(frame: &MapFrame) -> bool {
    let (west, east, ..) = frame.bounds();
    east - west >= NARROWEST
}

/// The path of all land in the frame. Empty for a small area or the open sea.
pub(super) fn path(frame: &MapFrame) -> String {
    let mut path = String::new();
    let (west, east, ..) = frame.bounds();
    if !is_for(frame) {
        return path;
    }
    for ring in &*RINGS {
        for turn in [-TAU, 0.0, TAU] {
            if ring.east + turn < west || ring.west + turn > east {
                continue;
            }
            let placed = ring.points.iter().map(|point| frame.place(Flat { x: point.x + turn, y: point.y }));
            write_ring(&mut path, &cut(placed.collect(), frame));
        }
    }
    path
}

fn write_ring(path: &mut String, points: &[(f64, f64)]) {
    let mut last = None::<(f64, f64)>;
    let start = path.len();
    for &(x, y) in points {
        if last.is_some_and(|(a, b)| (x - a).abs() < DETAIL && (y - b).abs() < DETAIL) {
            continue;
        }
        let letter = if last.is_none() { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{x:.0} {y:.0}");
        last = Some((x, y));
    }
    if path.len() > start {
        path.push('Z');
    }
}

/// Cuts a polygon to the frame (Sutherland and Hodgman), with a margin that hides the cut edges.
fn cut(mut points: Vec<(f64, f64)>, frame: &MapFrame) -> Vec<(f64, f64)> {
    let (low, right, bottom) = (-4.0, frame.width + 4.0, frame.height + 4.0);
    let x = |point: (f64, f64)| point.0;
    let y = |point: (f64, f64)| point.1;
    points = cut_side(&points, |point| x(point) - low);
    points = cut_side(&points, |point| right - x(point));
    points = cut_side(&points, |point| y(point) - low);
    cut_side(&points, |point| bottom - y(point))
}

/// Keeps what is on the side where `inside` is not negative.
fn cut_side(points: &[(f64, f64)], inside: impl Fn((f64, f64)) -> f64) -> Vec<(f64, f64)> {
    let mut kept = Vec::with_capacity(points.len());
    let Some(&(mut from)) = points.last() else { return kept };
    for &to in points {
        let (a, b) = (inside(from), inside(to));
        if (a < 0.0) != (b < 0.0) {
            let part = a / (a - b);
            kept.push((from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part));
        }
        if b >= 0.0 {
            kept.push(to);
        }
        from = to;
    }
    kept
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
    fn wide_maps_show_land_and_small_ones_do_not() {
        let europe = path(&around(&[(38.7, -9.1), (52.3, 4.8)]));
        assert!(europe.starts_with('M') && europe.ends_with('Z') && europe.len() < 20_000, "{}", europe.len());
        assert_eq!(path(&around(&[(38.70, -9.10), (38.75, -9.15)])), "");
        assert_eq!(path(&around(&[(-40.0, -130.0), (-42.0, -120.0)])), "", "the open sea");
        let world = path(&around(&[(60.0, -170.0), (-50.0, 170.0)]));
        assert!(world.len() < 60_000, "{}", world.len());
    }
}
