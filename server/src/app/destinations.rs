//! Finding the town that a destination's name means, in the gazetteer.
//!
//! For whoever has no coordinate at hand. Creating an itinerary over HTTP takes the coordinate.

use itinerary_api::types::Coordinate;
use itinerary_core::places::{City, CityName, Meant, keys, meant};
use itinerary_store::GazetteerRow;

use super::Result;
use super::places::coordinate;
use crate::context::Service;

/// A town that a destination's name may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Town {
    /// Its usual name.
    pub name: String,
    /// Its centre.
    pub coordinate: Coordinate,
    /// Its country: ISO 3166-1 alpha-2.
    pub country: String,
    /// Its time zone; empty if it is not known.
    pub time_zone: String,
}

/// The town that a destination's name means alone; several, the largest first, if it may mean any of them; none.
pub async fn find(service: &Service, name: &str) -> Result<Vec<Town>> {
    let name = CityName::of(name);
    let rows = service.store.gazetteer_cities(&keys(name.city)).await?;
    let names: Vec<Vec<&str>> = rows.iter().map(|row| row.names.lines().collect()).collect();
    let cities = rows.iter().zip(&names);
    let cities = cities.map(|(row, names)| City { names, country: &row.country, population: row.population });
    let found = match meant(name, &cities.collect::<Vec<_>>()) {
        Meant::City(index) => vec![index],
        Meant::AnyOf(indexes) => indexes,
        Meant::None => Vec::new(),
    };
    Ok(found.into_iter().filter_map(|index| town(&rows[index])).collect())
}

fn town(row: &GazetteerRow) -> Option<Town> {
    let name = row.names.lines().next().unwrap_or_default().to_owned();
    let (country, time_zone) = (row.country.clone(), row.time_zone.clone());
    Some(Town { name, coordinate: coordinate(row)?, country, time_zone })
}
