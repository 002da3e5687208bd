//! Compares places with the boundaries of countries and time zones.
//!
//! Both are simplified, so a contradiction close to a border counts only if the surrounding points agree.

use country_boundaries::{BOUNDARIES_ODBL_360X180, CountryBoundaries, LatLon};
use itinerary_gazetteer::Place;
use tzf_rs::EmbeddedFinder;

/// The tolerance of the boundaries.
const TOLERANCE_KM: f64 = 5.0;
const KM_PER_DEGREE: f64 = 111.2;

/// The boundaries from the libraries.
pub(crate) struct Boundaries {
    countries: CountryBoundaries,
    zones: EmbeddedFinder,
}

/// The result of a comparison.
pub(crate) enum Verdict {
    /// The boundaries agree, or the place is at sea.
    Good,
    /// The boundaries have this time zone instead.
    OtherZone(String),
    /// The boundaries have these countries instead.
    OtherCountry(String),
}

impl Default for Boundaries {
    fn default() -> Self {
        let countries = CountryBoundaries::from_reader(BOUNDARIES_ODBL_360X180);
        Self { countries: countries.expect("the boundaries in the library are whole"), zones: EmbeddedFinder::new() }
    }
}

impl Boundaries {
    pub(crate) fn verdict(&self, place: &Place) -> Verdict {
        let around = around(place.latitude, place.longitude);
        let countries = self.ids(around[0]);
        let is_in = |point: &(f64, f64)| self.ids(*point).iter().any(|id| belongs_to(id, &place.country));
        if !countries.is_empty() && !around.iter().any(is_in) {
            return Verdict::OtherCountry(countries.join(" "));
        }
        let has_zone = |point: &(f64, f64)| self.zones.get_tz_names(point.1, point.0).contains(&&*place.time_zone);
        match self.zone_at(around[0]) {
            Some(zone) if !around.iter().any(has_zone) => Verdict::OtherZone(zone.to_owned()),
            _ => Verdict::Good,
        }
    }

    /// The time zone at a point or close to it; `None` at sea.
    pub(crate) fn zone(&self, latitude: f64, longitude: f64) -> Option<&str> {
        around(latitude, longitude).into_iter().find_map(|point| self.zone_at(point))
    }

    fn zone_at(&self, (latitude, longitude): (f64, f64)) -> Option<&str> {
        Some(self.zones.get_tz_name(longitude, latitude)).filter(|zone| !zone.starts_with("Etc/"))
    }

    fn ids(&self, (latitude, longitude): (f64, f64)) -> Vec<&str> {
        LatLon::new(latitude, longitude).map_or_else(|_| Vec::new(), |position| self.countries.ids(position))
    }
}

/// Whether the id of an area is that of the country or of a part of it, such as `UA-43`.
fn belongs_to(id: &str, country: &str) -> bool {
    id.strip_prefix(country).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The point and sixteen around it on two circles.
fn around(latitude: f64, longitude: f64) -> Vec<(f64, f64)> {
    let mut points = vec![(latitude, longitude)];
    for step in 0..16 {
        let radius = if step % 2 == 0 { TOLERANCE_KM } else { TOLERANCE_KM / 2.0 } / KM_PER_DEGREE;
        let (sin, cos) = (f64::from(step) * std::f64::consts::TAU / 16.0).sin_cos();
        points.push((latitude + radius * cos, longitude + radius * sin / latitude.to_radians().cos()));
    }
    points
}

#[cfg(test)]
mod tests {
    use itinerary_gazetteer::Class;

    use super::*;

    fn verdict(latitude: f64, longitude: f64, country: &str, time_zone: &str) -> Result<(), String> {
        let place = Place {
            id: String::new(),
            class: Class::City,
            names: vec![],
            latitude,
            longitude,
            country: country.to_owned(),
            time_zone: time_zone.to_owned(),
            population: 0,
            code: None,
        };
        match Boundaries::default().verdict(&place) {
            Verdict::Good => Ok(()),
            Verdict::OtherZone(zone) => Err(zone),
            Verdict::OtherCountry(countries) => Err(countries),
        }
    }

    #[test]
    fn places_are_judged_by_country_and_zone() {
        assert_eq!(verdict(38.72, -9.14, "PT", "Europe/Lisbon"), Ok(()));
        assert_eq!(verdict(38.72, -9.14, "ES", "Europe/Lisbon"), Err("PT".to_owned()));
        assert_eq!(verdict(38.72, -9.14, "PT", "Europe/Madrid"), Err("Europe/Lisbon".to_owned()));
    }

    #[test]
    fn parts_of_a_country_belong_to_it() {
        assert_eq!(verdict(44.95, 34.1, "UA", "Europe/Simferopol"), Ok(()));
        assert!(belongs_to("US-TX", "US") && !belongs_to("USA", "US") && !belongs_to("CN-HK", "HK"));
    }

    #[test]
    fn close_to_a_border_both_sides_are_right() {
        // The bridge of the Rhine between Strasbourg and Kehl.
        for (country, zone) in [("FR", "Europe/Paris"), ("DE", "Europe/Berlin")] {
            assert_eq!(verdict(48.573, 7.802, country, zone), Ok(()));
        }
    }

    #[test]
    fn the_high_sea_contradicts_nothing() {
        assert_eq!(verdict(-40.0, -120.0, "PT", "Europe/Lisbon"), Ok(()));
        assert_eq!(Boundaries::default().zone(-40.0, -120.0), None);
    }
}
