//! The town that a coordinate belongs to, and its address: the address of a place of which nothing more exact is known.
//!
//! Knows no streets; a geocoder does.

use itinerary_api::types::Coordinate;

use crate::geo;
use crate::regions::country_name;

/// The greatest distance of a place from the centre of its town, in metres.
pub const FARTHEST: f64 = 30_000.0;
/// The distance below which towns are told apart by their population alone, in metres.
const CENTRE: f64 = 500.0;

/// A town of the gazetteer.
#[derive(Clone, Debug, PartialEq)]
pub struct Town {
    /// The usual name.
    pub name: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// The centre.
    pub coordinate: Coordinate,
    /// The number of inhabitants.
    pub population: i64,
}

impl Town {
    /// The address, such as `Lisbon, Portugal`.
    pub fn address(&self) -> String {
        match country_name(&self.country) {
            Some(country) if country != self.name => format!("{}, {country}", self.name),
            _ => self.name.clone(),
        }
    }

    /// How far out of the town a point is: its distance in relation to the town's size, whose radius grows with the square
    /// root of the population.
    fn remoteness(&self, point: Coordinate) -> Option<f64> {
        let distance = geo::metres(self.coordinate, point);
        #[expect(clippy::cast_precision_loss, reason = "no town has 2^52 inhabitants")]
        let size = (self.population.max(1) as f64).sqrt();
        (distance <= FARTHEST).then(|| distance.max(CENTRE) / size)
    }
}

/// The town that a point belongs to, in the point's country if that is known.
pub fn town_of<'t>(point: Coordinate, country: Option<&str>, towns: &'t [Town]) -> Option<&'t Town> {
    let in_country = towns.iter().filter(|town| country.is_none_or(|country| country == town.country));
    let near = in_country.filter_map(|town| Some((town.remoteness(point)?, town)));
    near.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, town)| town)
}

#[cfg(test)]
mod tests {
    use itinerary_api::values::{Latitude, Longitude};

    use super::*;

    fn at(latitude: f64, longitude: f64) -> Coordinate {
        let (latitude, longitude) = (Latitude::new(latitude), Longitude::new(longitude));
        Coordinate { latitude: latitude.expect("in range"), longitude: longitude.expect("in range") }
    }

    fn town(name: &str, country: &str, coordinate: Coordinate, population: i64) -> Town {
        Town { name: name.to_owned(), country: country.to_owned(), coordinate, population }
    }

    #[test]
    fn a_point_belongs_to_the_town_around_it() {
        let towns = [
            town("Lisbon", "PT", at(38.7167, -9.1333), 517_802),
            town("Almada", "PT", at(38.679, -9.1569), 174_030),
            town("Sintra", "PT", at(38.8029, -9.3817), 29_591),
        ];
        let found = |point, country| town_of(point, country, &towns).map(|town| &*town.name);
        assert_eq!(found(at(38.7139, -9.1334), None), Some("Lisbon"));
        assert_eq!(found(at(38.6785, -9.1713), Some("PT")), Some("Almada"), "across the river");
        assert_eq!(found(at(38.7876, -9.3906), None), Some("Sintra"));
        assert_eq!(found(at(38.7139, -9.1334), Some("ES")), None);
        assert_eq!(found(at(37.0, -9.0), None), None, "too far from any town");
    }

    #[test]
    fn an_address_names_the_country_once() {
        assert_eq!(town("Lisbon", "PT", at(0.0, 0.0), 1).address(), "Lisbon, Portugal");
        assert_eq!(town("Singapore", "SG", at(0.0, 0.0), 1).address(), "Singapore");
    }
}
