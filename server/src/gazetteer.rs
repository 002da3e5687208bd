//! Prepares imported places for the gazetteer.

use itinerary_api::types::Coordinate;
use itinerary_api::values::{Latitude, Longitude};
use itinerary_core::places::keys;
use itinerary_gazetteer::Place;
use itinerary_gazetteer::area::cell;
use itinerary_platform::ports::coordinates;
use itinerary_store::NewPlace;

/// The number of places stored in one transaction.
pub const BATCH: usize = 1_000;

/// A place to store, with the words and the square by which it is found.
pub fn new_place(place: Place) -> NewPlace {
    let mut keys: Vec<_> = place.names.iter().flat_map(|name| keys(name)).collect();
    keys.sort_unstable();
    keys.dedup();
    NewPlace {
        id: place.id,
        class: place.class.name().to_owned(),
        names: place.names.join("\n"),
        latitude: place.latitude,
        longitude: place.longitude,
        country: place.country,
        time_zone: place.time_zone,
        population: place.population,
        code: place.code,
        cell: cell(place.latitude, place.longitude),
        keys,
    }
}

/// A place with its time zone, looked up by its coordinate if the source has none.
pub fn with_zone(place: Place) -> Place {
    if !place.time_zone.is_empty() {
        return place;
    }
    let point = (Latitude::new(place.latitude), Longitude::new(place.longitude));
    let (Some(latitude), Some(longitude)) = point else { return place };
    let facts = coordinates::facts(&Coordinate { latitude, longitude });
    Place { time_zone: facts.time_zone.map(|zone| zone.to_string()).unwrap_or_default(), ..place }
}

#[cfg(test)]
mod tests {
    use itinerary_gazetteer::{built_in, embedded};

    use super::*;

    #[test]
    fn built_in_places_are_found_like_imported_ones() {
        let is_missing = |place: &Place| {
            let NewPlace { keys, cell, .. } = new_place(place.clone());
            let is_it =
                |key: &String| built_in().near(&[key], &[cell], usize::MAX).iter().any(|found| found.id == place.id);
            !keys.iter().all(is_it)
        };
        let missing: Vec<_> = embedded().filter(is_missing).map(|place| place.id).collect();
        assert!(missing.is_empty(), "run `cargo xtask gazetteer`: {missing:?}");
    }
}
