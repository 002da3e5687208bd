use itinerary_api::types::Coordinate;

/// The mean radius of the earth, in metres.
const RADIUS: f64 = 6_371_008.8;
/// The length of one degree of latitude, in metres.
pub const DEGREE: f64 = 111_195.0;

/// The great-circle distance between two points, in metres.
pub fn metres(from: Coordinate, to: Coordinate) -> f64 {
    let radians = |point: Coordinate| (point.latitude.get().to_radians(), point.longitude.get().to_radians());
    let ((from_latitude, from_longitude), (to_latitude, to_longitude)) = (radians(from), radians(to));
    let half_chord = ((to_latitude - from_latitude) / 2.0).sin().powi(2)
        + from_latitude.cos() * to_latitude.cos() * ((to_longitude - from_longitude) / 2.0).sin().powi(2);
    2.0 * RADIUS * half_chord.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use itinerary_api::values::{Latitude, Longitude};

    use super::*;

    fn at(latitude: f64, longitude: f64) -> Coordinate {
        let (latitude, longitude) = (Latitude::new(latitude), Longitude::new(longitude));
        Coordinate { latitude: latitude.expect("in range"), longitude: longitude.expect("in range") }
    }

    #[test]
    fn known_distances() {
        for (from, to, kilometres) in [
            (at(38.7223, -9.1393), at(52.3676, 4.9041), 1_863.0),
            (at(0.0, 179.9), at(0.0, -179.9), 22.2),
            (at(90.0, 0.0), at(-90.0, 90.0), 20_015.1),
            (at(35.0, 135.0), at(35.0, 135.0), 0.0),
        ] {
            assert!((metres(from, to) / 1000.0 - kilometres).abs() < 1.5, "{from:?} {to:?}");
        }
    }
}
