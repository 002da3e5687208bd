//! Finds the town that a destination's name means in the gazetteer.
//!
//! For callers without a coordinate, such as assistants. Creating an itinerary over HTTP requires a coordinate.

use itinerary_api::types::Coordinate;
use itinerary_api::values::limits;
use itinerary_core::fill::PlaceFacts;
use itinerary_core::places::{City, CityName, Meant, keys, meant};
use itinerary_platform::context::Service;
use itinerary_platform::ports::coordinates;
use itinerary_store::GazetteerRow;

use super::Result;
use super::places::coordinate;

/// The towns that a destination's name may mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// This one; others have the name too, the largest first.
    Town { town: Town, others: Vec<Town> },
    /// One of these, the largest first. Empty if none has the name.
    AnyOf(Vec<Town>),
}

/// A town that a destination's name may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Town {
    pub name: String,
    pub coordinate: Coordinate,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// Empty if unknown.
    pub time_zone: String,
}

/// The towns that a destination's name may mean; none if it is longer than a name may be.
pub async fn find(service: &Service, name: &str) -> Result<Destination> {
    if name.chars().count() > limits::NAME {
        return Ok(Destination::AnyOf(Vec::new()));
    }
    let name = CityName::of(name);
    let rows = service.gazetteer().cities(&keys(name.city)).await?;
    let names: Vec<Vec<&str>> = rows.iter().map(|row| row.names.lines().collect()).collect();
    let cities: Vec<_> =
        rows.iter().zip(&names).map(|(row, names)| city(row, names, name.names_state_of(&row.country))).collect();
    let towns = |indexes: Vec<usize>| indexes.into_iter().filter_map(|index| town(&rows[index])).collect();
    Ok(match meant(&name, &cities) {
        Meant::City(index, others) => match town(&rows[index]) {
            Some(town) => Destination::Town { town, others: towns(others) },
            None => Destination::AnyOf(Vec::new()),
        },
        Meant::AnyOf(indexes) => Destination::AnyOf(towns(indexes)),
        Meant::None => Destination::AnyOf(Vec::new()),
    })
}

/// The country and time zone at a coordinate. Empty where unknown.
pub fn facts(coordinate: &Coordinate) -> (String, String) {
    let PlaceFacts { country, time_zone } = coordinates::facts(coordinate);
    let text = |known: Option<String>| known.unwrap_or_default();
    (text(country.map(|country| country.to_string())), text(time_zone.map(|zone| zone.to_string())))
}

fn city<'c>(row: &'c GazetteerRow, names: &'c [&'c str], with_state: bool) -> City<'c> {
    let state = coordinate(row).filter(|_| with_state).and_then(|coordinate| coordinates::state(&coordinate));
    City { id: &row.id, names, country: &row.country, state: state.unwrap_or_default(), population: row.population }
}

fn town(row: &GazetteerRow) -> Option<Town> {
    let name = row.names.lines().next().unwrap_or_default().to_owned();
    let (country, time_zone) = (row.country.clone(), row.time_zone.clone());
    Some(Town { name, coordinate: coordinate(row)?, country, time_zone })
}
