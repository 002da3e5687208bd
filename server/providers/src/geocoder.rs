//! The port for geocoders. It finds candidates and does not choose between them.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// From -90 to 90, north positive.
    pub latitude: f64,
    /// From -180 to 180, east positive.
    pub longitude: f64,
}

impl Point {
    /// The point, if both numbers are finite and in range.
    pub fn checked(latitude: f64, longitude: f64) -> Option<Self> {
        let valid = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        valid.then_some(Self { latitude, longitude })
    }
}

/// A search for a place by its name.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The name as the traveller wrote it.
    pub name: &'a str,
    /// The centre of the area to search.
    pub near: Point,
    /// The radius of the area to search, in kilometres.
    pub radius_km: f64,
    /// Restricts the search to a country, by its two-letter code (ISO 3166-1).
    pub country: Option<&'a str>,
    /// The preferred language of names and addresses (BCP 47), such as `en`.
    pub language: &'a str,
}

/// A candidate that a geocoder found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// The name in the requested language, or the local name.
    pub name: String,
    /// Further names: local, international, former; without duplicates.
    pub other_names: Vec<String>,
    pub point: Point,
    /// The address in one line.
    pub address: Option<String>,
    /// The provider-independent id, such as `osm:node/123`.
    pub place_id: String,
    /// The two-letter country code (ISO 3166-1), in upper case.
    pub country: Option<String>,
    /// The provider's own category, such as `tourism/museum`.
    pub category: Option<String>,
}

/// Finds places by name near a point.
#[async_trait]
pub trait Geocoder: Send + Sync {
    /// Returns the candidates for a name, in the provider's order, best first. Empty if there are none.
    async fn search(&self, question: &Question<'_>, deadline: Instant) -> Result<Vec<Found>, Failure>;

    /// The provider's name, such as `nominatim`.
    fn name(&self) -> &str;
}

#[async_trait]
impl<G: Geocoder + ?Sized> Geocoder for Arc<G> {
    async fn search(&self, question: &Question<'_>, deadline: Instant) -> Result<Vec<Found>, Failure> {
        (**self).search(question, deadline).await
    }

    fn name(&self) -> &str {
        (**self).name()
    }
}

/// A bounding box in degrees. It is cut off at the antimeridian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) west: f64,
    pub(crate) south: f64,
    pub(crate) east: f64,
    pub(crate) north: f64,
}

const KM_PER_DEGREE: f64 = 111.2;

impl Bounds {
    /// The smallest box that contains the circle of a query.
    pub(crate) fn of(question: &Question<'_>) -> Self {
        let Point { latitude, longitude } = question.near;
        // `max` also replaces NaN.
        let high = question.radius_km.max(0.1) / KM_PER_DEGREE;
        // At the poles, a circle spans all longitudes.
        let wide = (high / latitude.to_radians().cos().max(1e-6)).min(360.0);
        Self {
            west: (longitude - wide).max(-180.0),
            south: (latitude - high).max(-90.0),
            east: (longitude + wide).min(180.0),
            north: (latitude + high).min(90.0),
        }
    }
}

impl Display for Bounds {
    /// West, south, east and north with commas, as Nominatim and Photon expect.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { west, south, east, north } = self;
        write!(formatter, "{west:.5},{south:.5},{east:.5},{north:.5}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(latitude: f64, longitude: f64, radius_km: f64) -> String {
        let near = Point { latitude, longitude };
        let question = Question { name: "", near, radius_km, country: None, language: "en" };
        Bounds::of(&question).to_string()
    }

    #[test]
    fn bounds_contain_the_circle() {
        assert_eq!(bounds(0.0, 0.0, 111.2), "-1.00000,-1.00000,1.00000,1.00000");
        assert_eq!(bounds(60.0, 10.0, 111.2), "8.00000,59.00000,12.00000,61.00000");
    }

    #[test]
    fn bounds_stay_on_earth() {
        assert_eq!(bounds(90.0, 0.0, 111.2), "-180.00000,89.00000,180.00000,90.00000");
        assert_eq!(bounds(0.0, 179.5, 111.2), "178.50000,-1.00000,180.00000,1.00000");
        assert_eq!(bounds(0.0, 0.0, f64::INFINITY), "-180.00000,-90.00000,180.00000,90.00000");
        assert_eq!(bounds(0.0, 0.0, f64::NAN), bounds(0.0, 0.0, 0.1));
    }

    #[test]
    fn points_are_in_range() {
        assert_eq!(Point::checked(-90.0, 180.0), Some(Point { latitude: -90.0, longitude: 180.0 }));
        for (latitude, longitude) in [(90.1, 0.0), (0.0, -180.1), (f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            assert_eq!(Point::checked(latitude, longitude), None);
        }
    }
}
