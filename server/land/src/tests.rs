use super::*;

/// Whether a layer covers a point: the nonzero rule.
fn covers(layer: Layer, detail: f64, (latitude, longitude): (f64, f64)) -> bool {
    let area = Area { west: longitude, south: latitude, east: longitude, north: latitude };
    let turns = |ring: Ring| {
        let next = ring.iter().cycle().skip(1);
        let crossings = ring.iter().zip(next).map(|(from, to)| {
            let crossing = from.0 + (latitude - from.1) / (to.1 - from.1) * (to.0 - from.0);
            match (from.1 <= latitude, to.1 <= latitude) {
                (true, false) if crossing > longitude => 1,
                (false, true) if crossing > longitude => -1,
                _ => 0,
            }
        });
        crossings.sum::<i32>()
    };
    rings(layer, area, detail).map(turns).sum::<i32>() != 0
}

fn is_land(detail: f64, point: (f64, f64)) -> bool {
    covers(Layer::Land, detail, point) && !covers(Layer::Lakes, detail, point)
}

#[test]
fn the_file_is_complete_and_small() {
    for layer in Layer::ALL {
        let [fine, coarse] = format::levels(FILE, layer).expect("complete");
        assert!(fine.detail() < coarse.detail());
    }
    assert!(FILE.len() < 3_000_000, "{}", FILE.len());
    assert!(format::levels(&FILE[..FILE.len() - 1], Layer::Lakes).is_none());
}

#[test]
fn cities_are_on_land() {
    let cities = [
        ("Lisbon", 38.725, -9.15),
        ("Madrid", 40.417, -3.703),
        ("Istanbul", 41.03, 28.93),
        ("Wellington", -41.30, 174.76),
        ("Viti Levu", -17.80, 178.00),
        ("Reykjavík", 64.13, -21.88),
        ("Longyearbyen", 78.22, 15.60),
        ("South Pole", -89.9, 0.0),
        ("Chicago", 41.88, -87.66),
        ("Geneva", 46.20, 6.12),
    ];
    for (name, latitude, longitude) in cities {
        assert!(is_land(0.0, (latitude, longitude)), "{name}");
    }
}

#[test]
fn rivers_mouths_straits_and_lakes_are_water() {
    let waters = [
        ("Tagus at Lisbon", 38.70, -9.10),
        ("Bosphorus", 41.10, 29.065),
        ("Lake Geneva", 46.45, 6.55),
        ("Lake Michigan", 43.5, -87.0),
        ("Lake Victoria", -1.0, 33.0),
        ("Caspian Sea", 42.0, 50.5),
        ("Pacific", 0.0, -150.0),
        ("Fiji's Koro Sea", -18.0, 179.9),
    ];
    for (name, latitude, longitude) in waters {
        assert!(!is_land(0.0, (latitude, longitude)), "{name}");
    }
}

#[test]
fn a_wide_area_is_read_from_the_coarse_level() {
    let points = |area, detail| rings(Layer::Land, area, detail).map(|ring| ring.len()).sum::<usize>();
    let europe = Area { west: -10.0, south: 35.0, east: 40.0, north: 70.0 };
    let (few, all) = (points(europe, 0.5), points(europe, 0.0));
    assert!(few * 8 < all, "{few} of {all}");
    let world = Area { west: -180.0, south: -85.0, east: 179.9, north: 85.0 };
    let most = points(world, 0.0);
    assert!(most < 100_000, "the work for an area of any size is bounded: {most}");
    for (name, latitude, longitude) in [("Paris", 48.85, 2.35), ("Sydney", -33.8, 150.9), ("Cairo", 30.0, 31.2)] {
        assert!(is_land(0.5, (latitude, longitude)), "{name}");
    }
    assert!(!is_land(0.5, (43.5, -87.0)), "Lake Michigan");
}

#[test]
fn an_area_across_the_180th_meridian_has_both_sides() {
    let fiji = Area { west: 176.0, south: -20.0, east: 183.0, north: -15.0 };
    let rings: Vec<Ring> = rings(Layer::Land, fiji, 0.0).collect();
    let longitudes = || rings.iter().flatten().map(|point| point.0);
    assert!(longitudes().any(|x| x > 180.0) && longitudes().any(|x| x < 179.0));
    assert!(longitudes().all(|x| (170.0..=190.0).contains(&x)));
}
