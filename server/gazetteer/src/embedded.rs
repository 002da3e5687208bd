//! The places in the program, made by `cargo xtask gazetteer`.

use crate::pack;
use crate::place::Place;

static FILE: &[u8] = include_bytes!("../../data/gazetteer.bin");

/// Changes with the places: a hash of them.
pub const EMBEDDED_VERSION: &str = match pack::version(include_bytes!("../../data/gazetteer.bin")) {
    Some(version) => version,
    None => panic!("server/data/gazetteer.bin is not a file of places"),
};

/// The places in the program, by country and time zone. They are decompressed while they are read.
pub fn embedded() -> impl Iterator<Item = Place> {
    let places = pack::read(FILE).expect("the places in the program are whole");
    places.map(|place| place.expect("the places in the program are whole"))
}
