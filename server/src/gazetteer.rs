//! Stores places in the gazetteer: the built-in ones at the first start, and imported ones.

use itinerary_api::types::Coordinate;
use itinerary_api::values::{Latitude, Longitude};
use itinerary_core::places::keys;
use itinerary_gazetteer::{EMBEDDED_VERSION, Place, embedded};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;
use itinerary_store::{NewPlace, StoreError};

/// The number of places stored in one transaction.
pub const BATCH: usize = 1_000;

/// Stores the built-in places, unless the gazetteer has this version of them. If interrupted, the next start begins
/// again.
pub async fn fill(service: &Service) -> Result<(), StoreError> {
    if service.store.gazetteer_version().await?.as_deref() == Some(EMBEDDED_VERSION) {
        return Ok(());
    }
    let mut places = embedded().map(new_place).peekable();
    let mut stored = 0;
    while places.peek().is_some() {
        let batch: Vec<_> = places.by_ref().take(BATCH).collect();
        stored += batch.len();
        service.store.gazetteer_put(&batch).await?;
    }
    service.store.gazetteer_filled(EMBEDDED_VERSION, service.clock.now()).await?;
    tracing::info!(places = stored, version = EMBEDDED_VERSION, "filled the gazetteer");
    Ok(())
}

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
