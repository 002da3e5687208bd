//! What a drawn cover shows: the destination, and the stops in their order.

use itinerary_api::types::{Coordinate, Itinerary};
use itinerary_core::content::Everyone;
use itinerary_core::item_index::Degrees;
use itinerary_core::legs;
use itinerary_pictures::Drawing;
use serde::{Deserialize, Serialize};

/// The input of a drawing, as it is stored with the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct CoverRoute {
    name: String,
    latitude: f64,
    longitude: f64,
    points: Vec<Degrees>,
}

impl CoverRoute {
    /// The route of an itinerary's content.
    pub(super) fn of(everyone: &Everyone) -> Self {
        let destination = &everyone.destination;
        let (latitude, longitude) = at(destination.coordinate);
        Self { name: destination.name.to_string(), latitude, longitude, points: points(everyone).collect() }
    }

    /// The route of an itinerary that was read.
    pub(super) fn from_itinerary(itinerary: &Itinerary) -> Self {
        let (latitude, longitude) = at(itinerary.destination.coordinate);
        let stops = itinerary.days.iter().flat_map(|day| day.stops.iter()).filter_map(legs::coordinate);
        let points = stops.map(at).collect();
        Self { name: itinerary.destination.name.to_string(), latitude, longitude, points }
    }

    /// Whether two contents have the same route.
    pub(super) fn is_same(one: &Everyone, other: &Everyone) -> bool {
        let (from, to) = (&one.destination, &other.destination);
        from.name == to.name && from.coordinate == to.coordinate && points(one).eq(points(other))
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

fn points(everyone: &Everyone) -> impl Iterator<Item = Degrees> {
    everyone.days.iter().flat_map(|day| &day.index().stops).filter_map(|stop| stop.coordinate)
}

fn at(point: Coordinate) -> Degrees {
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
        assert!(!CoverRoute::is_same(&before, &moved));
        assert!(CoverRoute::is_same(&before, &before.clone()));
    }

    #[test]
    fn unknown_fields_and_forms_of_a_stored_coordinate_are_ignored() {
        let day = |title: &str| {
            json!({ "id": "d", "title": title, "stops": [
                { "id": "a", "name": "A", "place": { "coordinate": { "latitude": 1, "longitude": 2, "altitude": 3 } } },
                { "id": "b", "name": "B", "place": null },
                { "id": "c", "name": "C", "place": { "coordinate": "1,2" } },
            ] })
        };
        let [before, after] = ["One", "Two"].map(|title| stored(&json!([day(title)])));
        assert!(CoverRoute::is_same(&before, &after));
        let content = Content::public(before);
        assert_eq!(CoverRoute::of(&content.everyone).points, [(1.0, 2.0)]);
    }
}
