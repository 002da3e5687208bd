//! Links that open places and routes in programs and web sites for maps. Nothing is loaded until a reader follows one.

use url::Url;
use url::form_urlencoded::byte_serialize;

use crate::trip::GeoPoint;

/// The maximum number of stops between the first and the last of a route.
const WAYPOINTS: usize = 9;

/// A place in the reader's program for maps (RFC 5870), and on OpenStreetMap.
pub(super) fn place(point: GeoPoint, name: &str) -> [String; 2] {
    let GeoPoint { latitude, longitude } = point;
    // Brackets would end the name.
    let plain = name.replace(['(', ')'], " ");
    let name: String = byte_serialize(plain.as_bytes()).collect();
    let name = name.replace('+', "%20");
    let geo = format!("geo:{latitude},{longitude}?q={latitude},{longitude}({name})");
    let web = format!("https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}");
    [geo, web]
}

/// The way from point to point on Google Maps. `None` with fewer than two points, or more than it accepts.
pub(super) fn route(points: impl Iterator<Item = GeoPoint>) -> Option<String> {
    let points: Vec<String> =
        points.take(WAYPOINTS + 3).map(|point| format!("{},{}", point.latitude, point.longitude)).collect();
    let [from, between @ .., to] = &points[..] else { return None };
    if between.len() > WAYPOINTS {
        return None;
    }
    let mut url = Url::parse("https://www.google.com/maps/dir/?api=1").ok()?;
    let mut query = url.query_pairs_mut();
    query.append_pair("origin", from).append_pair("destination", to);
    if !between.is_empty() {
        query.append_pair("waypoints", &between.join("|"));
    }
    drop(query);
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(latitude: f64) -> GeoPoint {
        GeoPoint { latitude, longitude: -9.5 }
    }

    #[test]
    fn a_place_has_its_name_escaped() {
        let [geo, web] = place(point(38.7), "A (b) & \"c\"");
        assert_eq!(geo, "geo:38.7,-9.5?q=38.7,-9.5(A%20%20b%20%20%26%20%22c%22)");
        assert_eq!(web, "https://www.openstreetmap.org/?mlat=38.7&mlon=-9.5#map=17/38.7/-9.5");
    }

    #[test]
    fn a_route_has_two_to_eleven_points() {
        let of = |count: u8| route((0..count).map(|n| point(f64::from(n))));
        assert_eq!((of(0), of(1), of(12)), (None, None, None));
        let two = "https://www.google.com/maps/dir/?api=1&origin=0%2C-9.5&destination=1%2C-9.5";
        assert_eq!(of(2).as_deref(), Some(two));
        assert!(of(11).is_some_and(|url| url.matches("%7C").count() == 8));
    }
}
