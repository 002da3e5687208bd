//! A few places that the tests' lookups know.

use itinerary_import::{Lookup, PlaceFacts};

/// Knows Amsterdam, Lisbon and Sintra.
pub(crate) struct Places([(&'static str, PlaceFacts); 3]);

impl Places {
    pub(crate) fn new() -> Self {
        let facts = |name: &str, country: &str, zone: &str, coordinate| PlaceFacts {
            name: name.to_owned(),
            country: Some(country.to_owned()),
            time_zone: Some(zone.to_owned()),
            coordinate: Some(coordinate),
        };
        Self([
            ("AMS", facts("Amsterdam", "NL", "Europe/Amsterdam", (52.37, 4.9))),
            ("LIS", facts("Lisbon", "PT", "Europe/Lisbon", (38.72, -9.14))),
            ("SIN", facts("Sintra", "PT", "Europe/Lisbon", (38.8, -9.39))),
        ])
    }
}

impl Lookup for Places {
    fn airport(&self, code: &str) -> Option<&PlaceFacts> {
        self.0.iter().find(|(known, _)| *known == code && *known != "SIN").map(|(_, facts)| facts)
    }

    fn town(&self, name: &str, country: Option<&str>) -> Option<&PlaceFacts> {
        let name = if name == "Lisboa" { "Lisbon" } else { name };
        let fits = |facts: &PlaceFacts| {
            facts.name == name && country.is_none_or(|code| facts.country.as_deref() == Some(code))
        };
        self.0.iter().map(|(_, facts)| facts).find(|facts| fits(facts))
    }

    fn zone_at(&self, latitude: f64, longitude: f64) -> Option<String> {
        let near = |facts: &&PlaceFacts| {
            facts.coordinate.is_some_and(|(lat, lon)| (lat - latitude).abs() < 2.0 && (lon - longitude).abs() < 2.0)
        };
        self.0.iter().map(|(_, facts)| facts).find(near)?.time_zone.clone()
    }
}
