//! Searches of a small index.

use super::*;
use crate::area::{Area, cells};

const LISBON: (f64, f64) = (38.7251, -9.1498);
const SUVA: (f64, f64) = (-18.1416, 178.4415);

fn place(id: &str, class: Class, point: (f64, f64), population: u32, names: &[&str]) -> Place {
    let (country, time_zone) = if point.1 < 0.0 { ("PT", "Europe/Lisbon") } else { ("FJ", "Pacific/Fiji") };
    Place {
        id: id.to_owned(),
        class,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        latitude: point.0,
        longitude: point.1,
        country: country.to_owned(),
        time_zone: time_zone.to_owned(),
        population,
        code: id.strip_prefix("iata:").map(str::to_owned),
    }
}

fn places() -> Vec<Place> {
    vec![
        place("sight:PT/lisbon/belem-tower", Class::Landmark, (38.6916, -9.216), 0, &["Belém Tower", "Torre de Belém"]),
        place("iata:LIS", Class::Airport, (38.7813, -9.1359), 0, &["Lisbon Portela Airport"]),
        place("geonames:2267057", Class::City, LISBON, 517_802, &["Lisbon", "Lisboa"]),
        place("geonames:2262912", Class::City, (38.801, -9.3783), 377_835, &["Sintra"]),
        place("geonames:2198148", Class::City, SUVA, 77_366, &["Suva"]),
        place("geonames:2204506", Class::City, (-16.4324, -179.0), 0, &["Lisbon Bay"]),
        place("iata:SUV", Class::Airport, (-18.0433, 178.5592), 0, &["Nausori"]),
    ]
}

/// The first four letters of each word.
fn keys(name: &str) -> Vec<String> {
    name.to_lowercase().split(' ').map(|word| word.chars().filter(char::is_ascii).take(4).collect()).collect()
}

fn file() -> Vec<u8> {
    write(&places(), keys).expect("good places")
}

fn ids(found: &[Record<'_>]) -> Vec<String> {
    found.iter().map(|record| record.id.to_owned()).collect()
}

fn squares(point: (f64, f64)) -> Vec<Cell> {
    cells(&[Area::around(point.0, point.1, 60_000.0)])
}

#[test]
fn written_places_are_read_back() {
    let file = file();
    let mut read: Vec<_> = Index::new(&file).expect("an index").places().collect();
    let mut written = places();
    read.sort_by(|a, b| a.id.cmp(&b.id));
    written.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(read, written);
    let mut turned = places();
    turned.reverse();
    assert_eq!(write(&turned, keys).expect("good places"), file, "the order does not matter");
}

#[test]
fn places_are_found_by_words_and_squares() {
    let file = file();
    let index = Index::new(&file).expect("an index");
    let near = |words: &[&str], point| ids(&index.near(words, &squares(point), 10));
    assert_eq!(near(&["lisb", "towe", "none"], LISBON).len(), 3);
    assert_eq!(near(&["lisb"], SUVA), [""; 0], "other squares");
    assert_eq!(near(&["lis", "lisbo", ""], LISBON), [""; 0], "other words");
    assert_eq!(index.near(&["lisb", "towe"], &squares(LISBON), 2).len(), 2, "the limit");
    let mut around = ids(&index.around(&squares(SUVA), 10));
    around.sort();
    assert_eq!(around, ["geonames:2198148", "iata:SUV"]);
    assert_eq!(index.around(&squares(LISBON), 3).len(), 3, "the limit");
}

#[test]
fn cities_are_found_largest_first() {
    let file = file();
    let index = Index::new(&file).expect("an index");
    assert_eq!(ids(&index.cities(&["lisb"], 10)), ["geonames:2267057", "geonames:2204506"]);
    assert_eq!(ids(&index.cities(&["lisb"], 1)), ["geonames:2267057"]);
    assert_eq!(ids(&index.cities_in(&squares(LISBON), 10)), ["geonames:2267057", "geonames:2262912"]);
    assert_eq!(ids(&index.cities_in(&squares((0.0, 0.0)), 10)), [""; 0]);
}

#[test]
fn airports_are_found_by_code() {
    let file = file();
    let found = Index::new(&file).expect("an index").airports(&["SUV", "AAA", "ZZZ", "LIS", "lis", ""]);
    assert_eq!(ids(&found), ["iata:SUV", "iata:LIS"]);
    assert_eq!(found[1].code(), Some("LIS"));
    assert_eq!((found[1].country, found[1].time_zone), ("PT", "Europe/Lisbon"));
}

#[test]
fn an_empty_index_finds_nothing() {
    let file = write(&[], keys).expect("no place is bad");
    let index = Index::new(&file).expect("an index");
    assert_eq!(index.places().count(), 0);
    assert!(index.near(&["lisb"], &squares(LISBON), 10).is_empty() && index.airports(&["LIS"]).is_empty());
}

#[test]
fn the_largest_cities_of_an_area_of_any_size_are_found() {
    let file = file();
    let index = Index::new(&file).expect("an index");
    let area = |south, north, west, east| Area { south, north, west, east };
    let found = |area, limit| ids(&index.largest_in(area, limit));
    let world = area(-90.0, 90.0, -180.0, 180.0);
    assert_eq!(found(world, 3), ["geonames:2267057", "geonames:2262912", "geonames:2198148"]);
    assert_eq!(
        found(area(38.0, 39.0, -9.2, -9.0), 9),
        ["geonames:2267057"],
        "without the airport, the sight and Sintra"
    );
    assert_eq!(found(area(-20.0, -15.0, 178.0, -178.0), 9), ["geonames:2198148", "geonames:2204506"]);
}

#[test]
fn other_files_are_no_index() {
    let file = file();
    for cut in [0, 10, 24, 40, 60, file.len() - 1] {
        assert_eq!(Index::new(&file[..cut]).err(), Some(NotAnIndex), "{cut}");
    }
    assert!(Index::new(&[&file[..], b"x"].concat()).is_err());
    let mut other = file;
    other[20] = b'1';
    assert!(Index::new(&other).is_err());
}

#[test]
fn bad_places_are_not_written() {
    let airport = place("iata:LIS", Class::Airport, LISBON, 0, &["Lisbon"]);
    let bad = |place: Place| write(&[place], keys).expect_err("a bad place");
    assert!(bad(Place { code: Some("OPO".to_owned()), ..airport.clone() }).contains("code"));
    assert!(bad(Place { names: vec!["a\nb".to_owned()], ..airport.clone() }).contains("line break"));
    let long = write(&[airport], |name| vec![name.to_owned()]);
    assert!(long.expect_err("a long key").contains("too long"));
}
