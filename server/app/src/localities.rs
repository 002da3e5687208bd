//! Fills in the town and country as the address of places for which no provider has one.

use itinerary_core::content::Content;
use itinerary_core::places::locality::{FARTHEST, Town, town_of};
use itinerary_core::placing::missing::without_address;
use itinerary_core::placing::{self, Found};
use itinerary_platform::context::Service;
use itinerary_platform::gazetteer::Area;
use itinerary_store::GazetteerRow;

use super::Result;
use super::places::coordinate;

/// The maximum number of areas that a request searches. Most trips have a few.
const AREAS: usize = 60;

/// Fills in the address of each stop and hotel that has a coordinate and no address. Places far from any town of the
/// gazetteer stay without.
pub(super) async fn fill(service: &Service, content: &mut Content) -> Result<()> {
    let places = without_address(content)?;
    if places.is_empty() {
        return Ok(());
    }
    let mut areas: Vec<Area> = Vec::new();
    for place in &places {
        let (latitude, longitude) = (place.coordinate.latitude.get(), place.coordinate.longitude.get());
        if areas.len() < AREAS && !areas.iter().any(|area| area.reaches(latitude, longitude, FARTHEST)) {
            // Twice as wide, so that places near this one are searched with it.
            areas.push(Area::around(latitude, longitude, 2.0 * FARTHEST));
        }
    }
    let towns: Vec<Town> = service.gazetteer().cities_in(&areas).await?.iter().filter_map(town).collect();
    let found = places.into_iter().filter_map(|place| {
        let address = town_of(place.coordinate, place.country.as_deref(), &towns)?.address();
        Some((place.path, Found { address: Some(address), ..Found::default() }))
    });
    placing::apply(content, found.collect())?;
    Ok(())
}

fn town(row: &GazetteerRow) -> Option<Town> {
    let (name, country) = (row.names.lines().next()?.to_owned(), row.country.clone());
    Some(Town { name, country, coordinate: coordinate(row)?, population: row.population })
}
