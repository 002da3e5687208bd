//! Covers that are drawn.

use std::f64::consts::TAU;

use itinerary_pictures::{Drawing, Stored, draw};

fn cover(name: &str, points: Vec<(f64, f64)>) -> Stored {
    draw(&Drawing { name: name.to_owned(), latitude: 38.72, longitude: -9.14, points })
}

fn size(jpeg: &[u8]) -> (u32, u32) {
    let picture = image::load_from_memory(jpeg).unwrap();
    (picture.width(), picture.height())
}

#[test]
fn the_same_drawing_gives_the_same_bytes() {
    let points = vec![(38.71, -9.13), (38.69, -9.21), (38.77, -9.13)];
    let (first, second) = (cover("Lisbon", points.clone()), cover("Lisbon", points));
    assert!(first == second);
    assert_eq!((first.width, first.height), (1_280, 720));
    assert_eq!(size(&first.large), (1_280, 720));
    assert_eq!(size(&first.small), (640, 360));
}

#[test]
fn places_and_routes_differ() {
    let lisbon = cover("Lisbon", Vec::new());
    assert!(lisbon != cover("Porto", Vec::new()));
    assert!(lisbon != cover("Lisbon", vec![(38.71, -9.13), (38.69, -9.21)]));
}

#[test]
fn points_that_are_not_finite_are_ignored() {
    let clean = vec![(38.71, -9.13), (38.69, -9.21)];
    let mut dirty = clean.clone();
    dirty.insert(1, (f64::NAN, -9.0));
    dirty.push((38.0, f64::INFINITY));
    assert!(cover("Lisbon", clean) == cover("Lisbon", dirty));
}

#[test]
fn places_beyond_all_bounds_are_drawn() {
    for (latitude, longitude) in [(f64::NAN, f64::INFINITY), (1e300, -1e300)] {
        let drawing =
            Drawing { name: String::new(), latitude, longitude, points: vec![(1e300, -1e300), (-90.0, 1e300)] };
        assert_eq!(size(&draw(&drawing).small), (640, 360));
    }
}

#[test]
fn many_points_are_drawn() {
    let points = (0..500).map(|index| f64::from(index) * TAU / 97.0).map(|turn| (turn.sin() * 5.0, turn * 3.0));
    assert_eq!(size(&cover("Anywhere", points.collect()).large), (1_280, 720));
}
