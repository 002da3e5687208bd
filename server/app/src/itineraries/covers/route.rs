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
            // Skipping an unchanged day is only valid while all earlier points are equal.
            let is_unchanged = stored.is_some() && stored == to.and_then(Entry::stored);
            if is_same_count && is_unchanged && old == new {
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
    Ok(match day.stored() {
        Some(json) => serde_json::from_str::<DayPoints>(json)?.points(),
        None => day.value()?.stops.iter().filter_map(legs::coordinate).map(at).collect(),
    })
}

/// The coordinates of a stored day. Ignores all other fields, also unknown ones of a newer server.
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
    coordinate: Option<Point>,
}

#[derive(Deserialize)]
struct Point {
    latitude: f64,
    longitude: f64,
}

impl DayPoints {
    fn points(self) -> Vec<(f64, f64)> {
        let points = self.stops.into_iter().filter_map(|stop| stop.place?.coordinate);
        points.map(|point| (point.latitude, point.longitude)).collect()
    }
}

fn at(point: Coordinate) -> (f64, f64) {
    (point.latitude.get(), point.longitude.get())
}

#[cfg(test)]
mod tests {
    use itinerary_core::content::Content;
    use serde_json::{Value, json};

    use super::*;

    /// The public section with these days, as it is stored.
    fn stored(days: &Value) -> Everyone {
        let destination = json!({ "name": "Rome", "coordinate": { "latitude": 41.9, "longitude": 12.5 } });
        let everyone = json!({
            "title": "Rome", "destination": destination, "startDate": "2027-05-01", "travellers": 1, "tags": [], "days": days,
        });
        serde_json::from_value(everyone).expect("a public section")
    }

    fn day(points: &[i32]) -> Value {
        let stop = |x: &i32| json!({ "id": format!("s{x}"), "name": "A", "place": { "coordinate": { "latitude": x, "longitude": 0 } } });
        json!({ "id": format!("d{}", points[0]), "stops": points.iter().map(stop).collect::<Vec<_>>() })
    }

    #[test]
    fn moving_a_stop_to_another_day_changes_the_route() {
        let [a_b, c, d] = [day(&[1, 2]), day(&[3]), day(&[4])];
        let before = stored(&json!([a_b, c, d]));
        let moved = stored(&json!([day(&[1]), c, day(&[2, 4])]));
        assert!(!CoverRoute::is_same(&before, &moved).expect("readable"));
        assert!(CoverRoute::is_same(&before, &before.clone()).expect("readable"));
    }

    #[test]
    fn unknown_fields_of_a_stored_coordinate_are_ignored() {
        let day = |title: &str| {
            json!({ "id": "d", "title": title, "stops": [
                { "id": "a", "name": "A", "place": { "coordinate": { "latitude": 1, "longitude": 2, "altitude": 3 } } },
                { "id": "b", "name": "B", "place": null },
            ] })
        };
        let [before, after] = ["One", "Two"].map(|title| stored(&json!([day(title)])));
        assert!(CoverRoute::is_same(&before, &after).expect("readable"));
        let content = Content::public(before);
        assert_eq!(CoverRoute::of(&content.everyone).expect("readable").points, [(1.0, 2.0)]);
    }
}
