//! Compares the built-in places with boundaries of countries and time zones, and with the hand-written sights.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use country_boundaries::{BOUNDARIES_ODBL_360X180, CountryBoundaries, LatLon};
use itinerary_gazetteer::{Class, Place, distance_km, embedded, names, sights};
use tzf_rs::EmbeddedFinder;

static PLACES: LazyLock<Vec<Place>> = LazyLock::new(|| embedded().collect());

fn data(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data").join(file)
}

/// All headings with their sights.
fn written() -> Vec<sights::CitySights> {
    let files =
        fs::read_dir(data("sights")).expect("the folder of sights").map(|entry| entry.expect("an entry").path());
    files.flat_map(|file| sights::parse(&fs::read_to_string(file).expect("a text")).expect("good sights")).collect()
}

/// The place and a grid of 5 km in each direction around it, because the boundaries are simplified.
fn neighbourhood(place: &Place) -> impl Iterator<Item = (f64, f64)> {
    let (latitude, longitude) = place.point();
    let step = 1.25 / 111.2;
    let offsets = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0].map(|steps| steps * step);
    let east = move |offset: f64| longitude + offset / latitude.to_radians().cos();
    offsets.into_iter().flat_map(move |north| offsets.map(|offset| (latitude + north, east(offset))))
}

fn exceptions() -> HashSet<String> {
    let text = fs::read_to_string(data("exceptions.tsv")).expect("the exceptions");
    let rows = text.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| row.split_once('\t').expect("an id and a reason").0.to_owned()).collect()
}

#[test]
fn every_place_is_in_its_country() {
    let boundaries = CountryBoundaries::from_reader(BOUNDARIES_ODBL_360X180).expect("boundaries");
    let ids = |point: (f64, f64)| LatLon::new(point.0, point.1).map_or_else(|_| vec![], |point| boundaries.ids(point));
    let exceptions = exceptions();
    let contradicts = |place: &&Place| {
        // The subdivisions of a country count as the country.
        let is_here = |point| ids(point).iter().any(|id| id.split('-').next() == Some(&place.country));
        !ids(place.point()).is_empty() && !neighbourhood(place).any(is_here)
    };
    let wrong: HashSet<_> = PLACES.iter().filter(contradicts).map(|place| place.id.clone()).collect();
    assert_eq!(wrong, exceptions, "no other place is elsewhere, and every exception is needed");
}

#[test]
fn every_place_is_in_its_time_zone() {
    let finder = EmbeddedFinder::new();
    let is_at_sea = |place: &Place| finder.get_tz_name(place.longitude, place.latitude).starts_with("Etc/");
    let contradicts = |place: &&Place| {
        let is_here = |(latitude, longitude)| finder.get_tz_names(longitude, latitude).contains(&&*place.time_zone);
        !is_at_sea(place) && !neighbourhood(place).any(is_here)
    };
    let exceptions = exceptions();
    let wrong: Vec<_> = PLACES.iter().filter(contradicts).filter(|place| !exceptions.contains(&place.id)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let known: HashSet<&str> = finder.timezonenames().into_iter().collect();
    let unknown: HashSet<&str> =
        PLACES.iter().map(|place| &*place.time_zone).filter(|zone| !known.contains(zone)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn every_place_is_well_formed() {
    let mut ids = HashSet::new();
    let kind = |class| match class {
        Class::City => "geonames:",
        Class::Airport => "iata:",
        _ => "sight:",
    };
    for place in PLACES.iter() {
        assert!(ids.insert(&place.id), "{} is there twice", place.id);
        assert!(place.id.starts_with(kind(place.class)), "{}", place.id);
        assert!(place.latitude.abs() <= 90.0 && place.longitude.abs() <= 180.0, "{}", place.id);
        assert!(place.latitude != 0.0 || place.longitude != 0.0, "{}", place.id);
        assert!(place.names.iter().all(|name| !name.trim().is_empty() && name.chars().count() <= 100), "{place:?}");
        assert!(
            !place.names.iter().any(|name| name.chars().any(char::is_control) || name.contains("://")),
            "{place:?}"
        );
        assert_eq!(place.code.as_ref().map(|code| format!("iata:{code}")).is_some(), place.class == Class::Airport);
        assert!(place.code.as_ref().is_none_or(|code| place.id == format!("iata:{code}")), "{}", place.id);
    }
}

#[test]
fn well_known_places_are_where_they_are() {
    let by_id: HashMap<&str, &Place> = PLACES.iter().map(|place| (&*place.id, place)).collect();
    for (id, name, country, zone, point) in [
        ("geonames:2267057", "Lisboa", "PT", "Europe/Lisbon", (38.71, -9.14)),
        ("geonames:2761369", "Wien", "AT", "Europe/Vienna", (48.21, 16.37)),
        ("geonames:3530597", "Ciudad de México", "MX", "America/Mexico_City", (19.43, -99.13)),
        ("iata:LIS", "Lisbon Portela Airport", "PT", "Europe/Lisbon", (38.774, -9.134)),
        // The source has these two wrong.
        ("iata:BRU", "Brussels Airport", "BE", "Europe/Brussels", (50.901, 4.484)),
        ("iata:LUX", "Luxembourg-Findel Airport", "LU", "Europe/Luxembourg", (49.623, 6.204)),
        ("sight:PT/lisbon/belem-tower", "Torre de Belém", "PT", "Europe/Lisbon", (38.6916, -9.216)),
    ] {
        let place = by_id.get(id).unwrap_or_else(|| panic!("{id} is missing"));
        assert!(place.names.iter().any(|own| own == name), "{place:?}");
        assert_eq!((&*place.country, &*place.time_zone), (country, zone));
        assert!(distance_km(place.point(), point) < 3.0, "{place:?}");
    }
}

#[test]
fn airports_are_where_the_decisions_say() {
    let by_id: HashMap<&str, &Place> = PLACES.iter().map(|place| (&*place.id, place)).collect();
    let text = fs::read_to_string(data("airports.tsv")).expect("the decisions");
    let rows = text.lines().filter(|row| !row.starts_with('#'));
    let mut wrong = Vec::new();
    for row in rows {
        let [code, latitude, longitude, country, _, names @ ..] = &row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row:?} is no decision")
        };
        let degrees = |text: &str| text.parse::<f64>().expect("degrees");
        let point = (degrees(latitude), degrees(longitude));
        let is_it = |place: &&Place| {
            let has_name = |name: &&str| place.names.iter().any(|own| names::key(own) == names::key(name));
            distance_km(place.point(), point) < 0.1
                && (country.is_empty() || place.country == *country)
                && names.first().is_none_or(|name| place.names[0] == *name)
                && names.iter().all(has_name)
        };
        if !by_id.get(&*format!("iata:{code}")).copied().is_some_and(|place| is_it(&place)) {
            wrong.push(row);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn airports_are_at_their_present_sites() {
    let by_code: HashMap<&str, &Place> =
        PLACES.iter().filter_map(|place| Some((place.code.as_deref()?, place))).collect();
    for (code, word, point) in [
        ("NMI", "Navi Mumbai", (18.994, 73.069)),
        ("NKC", "Oumtounsy", (18.310, -15.970)),
        ("KMG", "Changshui", (25.102, 102.929)),
        ("LYG", "Huaguoshan", (34.414, 119.179)),
        ("ZHA", "Wuchuan", (21.482, 110.59)),
        ("LZO", "Yunlong", (29.030, 105.469)),
        ("ISG", "Ishigaki", (24.396, 124.245)),
        ("AKA", "Fuqiang", (32.757, 108.872)),
        ("KNO", "Kualanamu", (3.642, 98.885)),
        ("KTI", "Techo", (11.363, 104.917)),
        ("HKG", "Hong Kong", (22.309, 113.915)),
    ] {
        let place = by_code[code];
        assert!(place.names[0].contains(word), "{place:?}");
        assert!(distance_km(place.point(), point) < 3.0, "{place:?}");
    }
    assert!(!by_code["KMG"].names.iter().any(|name| name.contains("Wujiaba")), "the old airport's name");
}

#[test]
fn meanings_name_towns_that_are_here() {
    let by_id: HashMap<&str, &Place> = PLACES.iter().map(|place| (&*place.id, place)).collect();
    let text = fs::read_to_string(data("meanings.tsv")).expect("the meanings");
    let rows = text.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once('\t'));
    let towns = rows.filter(|(_, meaning)| meaning.starts_with("geonames:"));
    let is_missing = |(name, meaning): &(&str, &str)| {
        let (id, _) = meaning.split_once('\t').expect("a comment names the town");
        let has_name = |place: &&&Place| place.names.iter().any(|own| names::key(own) == names::key(name));
        !by_id.get(id).is_some_and(|place| has_name(&place))
    };
    let missing: Vec<_> = towns.filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn cities_have_names_in_their_own_script() {
    for (country, name) in [
        ("JP", "東京"),
        ("CN", "北京"),
        ("KR", "서울"),
        ("RU", "Москва"),
        ("GR", "Αθήνα"),
        ("EG", "القاهرة"),
        ("IL", "ירושלים"),
    ] {
        let is_called = |place: &&Place| place.country == country && place.names.iter().any(|own| own == name);
        assert!(PLACES.iter().any(|place| is_called(&place)), "{name}");
    }
}

#[test]
fn sights_are_near_their_cities() {
    let mut cities: BTreeMap<&str, Vec<&Place>> = BTreeMap::new();
    for place in PLACES.iter().filter(|place| place.class == Class::City) {
        cities.entry(&place.country).or_default().push(place);
    }
    for heading in written() {
        let of_country = cities.get(&*heading.country).into_iter().flatten().copied();
        let city = heading.find(of_country).unwrap_or_else(|| panic!("{} is no city", heading.name));
        for sight in &heading.sights {
            let distance = distance_km(city.point(), (sight.latitude, sight.longitude));
            assert!(distance <= 60.0, "{} is {distance} km from {}", sight.names[0], heading.name);
        }
    }
}

#[test]
fn the_file_holds_the_sights_that_are_written() {
    let zones: HashMap<&str, &str> = PLACES.iter().map(|place| (&*place.id, &*place.time_zone)).collect();
    let as_place = |city: &sights::CitySights, sight: &sights::Sight| {
        let place = city.place(sight, "");
        let time_zone = zones.get(&*place.id).copied().unwrap_or_default().to_owned();
        (place.id.clone(), Place { time_zone, ..place })
    };
    let cities = written();
    let sights = cities.iter().flat_map(|city| city.sights.iter().map(move |sight| as_place(city, sight)));
    let wanted: BTreeMap<String, Place> = sights.collect();
    let packed = PLACES.iter().filter(|place| place.id.starts_with("sight:"));
    let packed: BTreeMap<String, Place> = packed.map(|place| (place.id.clone(), place.clone())).collect();
    let differs = |(id, place): &(&String, &Place)| packed.get(*id) != Some(*place);
    let stale: Vec<_> = wanted.iter().filter(differs).map(|(id, _)| id).collect();
    assert!(stale.is_empty(), "run `cargo xtask gazetteer` after editing the sights: {stale:#?}");
    assert_eq!(packed.len(), wanted.len(), "run `cargo xtask gazetteer` after removing sights");
}

#[test]
fn embedded_gazetteer_is_large_enough_and_small() {
    let count = |wanted: fn(&Place) -> bool| PLACES.iter().filter(|place| wanted(place)).count();
    let cities: HashSet<&str> = PLACES.iter().filter_map(|place| Some(place.id.rsplit_once('/')?.0)).collect();
    assert!(count(|place| place.class == Class::City) >= 30_000);
    assert!(count(|place| place.class == Class::Airport) >= 7_500);
    assert!(count(|place| place.id.starts_with("sight:")) >= 1_000);
    assert!(cities.len() >= 120, "{}", cities.len());
    let size = fs::metadata(data("gazetteer.bin")).expect("the file").len();
    assert!(size <= 5_000_000, "{size}");
}
