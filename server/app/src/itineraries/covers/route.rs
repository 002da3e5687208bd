//! What a drawn cover shows: the destination, and the stops in their order.

use itinerary_api::types::{Coordinate, Day, Itinerary};
use itinerary_core::content::Everyone;
use itinerary_core::entry::Entry;
use itinerary_core::legs;
use itinerary_pictures::Drawing;
use serde::{Deserialize, Serialize};

use crate::Result;

/// The input of a drawing, as it is stored with the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CoverRoute {
    name: String,
    latitude: f64,
    longitude: f64,
    /// Latitude and longitude in degrees.
    points: Vec<(f64, f64)>,
}

impl CoverRoute {
    /// The route of an itinerary's content.
    pub(super) fn of(everyone: &Everyone) -> Result<Self> {
        let mut points = Vec::new();
        for day in &everyone.days {
            points.extend(points_of(day)?);
        }
        let destination = &everyone.destination;
        let (latitude, longitude) = at(destination.coordinate);
        Ok(Self { name: destination.name.to_string(), latitude, longitude, points })
    }

    /// The route of an itinerary that was read.
    pub(super) fn from_itinerary(itinerary: &Itinerary) -> Self {
        let (latitude, longitude) = at(itinerary.destination.coordinate);
        let stops = itinerary.days.iter().flat_map(|day| day.stops.iter()).filter_map(legs::coordinate);
        let points = stops.map(at).collect();
        Self { name: itinerary.destination.name.to_string(), latitude, longitude, points }
    }

    /// Whether two contents have the same route. Parses only the days that differ.
    pub(super) fn is_same(before: &Everyone, after: &Everyone) -> Result<bool> {
        let (from, to) = (&before.destination, &after.destination);
        if from.name != to.name || from.coordinate != to.coordinate {
            return Ok(false);
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let is_same_count = before.days.len() == after.days.len();
        for n in 0..before.days.len().max(after.days.len()) {
            let (from, to) = (before.days.get(n), after.days.get(n));
            let stored = from.and_then(Entry::stored);
            if is_same_count && stored.is_some() && stored == to.and_then(Entry::stored) {
                continue;
            }
            old.extend(from.map(points_of).transpose()?.unwrap_or_default());
            new.extend(to.map(points_of).transpose()?.unwrap_or_default());
        }
        Ok(old == new)
    }

    pub(super) fn stored(&self) -> String {
        serde_json::to_string(self).expect("a route is plain data")
    }
}

impl From<CoverRoute> for Drawing {
    fn from(CoverRoute { name, latitude, longitude, points }: CoverRoute) -> Self {
        Self { name, latitude, longitude, points }
    }
}

fn points_of(day: &Entry<Day>) -> Result<Vec<(f64, f64)>> {
    let points: Vec<Coordinate> = match day.stored() {
        Some(json) => serde_json::from_str::<DayPoints>(json)?.points(),
        None => day.value()?.stops.iter().filter_map(legs::coordinate).collect(),
    };
    Ok(points.into_iter().map(at).collect())
}

/// The coordinates of a stored day, read without its other fields.
#[derive(Deserialize)]
struct DayPoints {
    #[serde(default)]
    stops: Vec<StopPoint>,
}

#[derive(Deserialize)]
struct StopPoint {
    place: Option<PlacePoint>,
}

#[derive(Deserialize)]
struct PlacePoint {
    coordinate: Option<Coordinate>,
}

impl DayPoints {
    fn points(self) -> Vec<Coordinate> {
        self.stops.into_iter().filter_map(|stop| stop.place?.coordinate).collect()
    }
}

fn at(point: Coordinate) -> (f64, f64) {
    (point.latitude.get(), point.longitude.get())
}
