//! The Mercator projection of a map's points onto its frame.
//!
//! Longitudes are counted from the widest gap between the points, so that a map across the date line is not torn.

use std::f64::consts::PI;

use itinerary_land::Area;

use crate::trip::GeoPoint;

/// The mean radius of the earth, in metres.
pub(super) const RADIUS: f64 = 6_371_008.8;
/// Beyond this latitude, in degrees, Mercator's projection is useless. Points nearer to a pole are drawn here.
pub(super) const HIGHEST: f64 = 84.0;
/// The shortest side that a map shows, in metres.
const SMALLEST: f64 = 900.0;
/// The same for a map of one place, which is shown with its surroundings.
const SURROUNDINGS: f64 = 8_000.0;

/// A position in the plane of the projection, in radians of longitude at the equator; `y` grows to the north.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Flat {
    pub(super) x: f64,
    pub(super) y: f64,
}

pub(super) fn northing(latitude: f64) -> f64 {
    let latitude = latitude.clamp(-HIGHEST, HIGHEST).to_radians();
    (PI / 4.0 + latitude / 2.0).tan().ln()
}

/// The latitude of a northing, in radians.
pub(super) fn latitude(y: f64) -> f64 {
    2.0 * y.exp().atan() - PI / 2.0
}

/// The longitude, in degrees, from which longitudes are counted: the eastern end of the widest gap.
pub(super) fn first_longitude(points: impl Iterator<Item = GeoPoint>) -> f64 {
    let mut longitudes: Vec<f64> = points.map(|point| point.longitude.rem_euclid(360.0)).collect();
    longitudes.sort_by(f64::total_cmp);
    let (Some(first), Some(last)) = (longitudes.first(), longitudes.last()) else { return 0.0 };
    let across = (first + 360.0 - last, *first);
    let gaps = longitudes.windows(2).map(|pair| (pair[1] - pair[0], pair[1]));
    gaps.fold(across, |widest, gap| if gap.0 > widest.0 { gap } else { widest }).1
}

/// Projects a point. Longitudes are counted from `first`, in degrees.
pub(super) fn flat(point: GeoPoint, first: f64) -> Flat {
    let east = (point.longitude - first).rem_euclid(360.0);
    Flat { x: (first + east).to_radians(), y: northing(point.latitude) }
}

/// The great-circle distance between two points, in metres.
pub(super) fn metres(from: GeoPoint, to: GeoPoint) -> f64 {
    angle(from, to) * RADIUS
}

fn angle(from: GeoPoint, to: GeoPoint) -> f64 {
    let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
    let cosines = from.latitude.to_radians().cos() * to.latitude.to_radians().cos();
    let chord = half(from.latitude, to.latitude) + cosines * half(from.longitude, to.longitude);
    2.0 * chord.sqrt().min(1.0).asin()
}

/// Points of the great circle between two points, both included. Two points that are opposite each other are joined by
/// some great circle.
pub(super) fn great_circle(from: GeoPoint, to: GeoPoint, pieces: u32) -> Vec<GeoPoint> {
    let angle = angle(from, to);
    let sine = angle.sin();
    if sine.abs() < 1e-9 {
        return vec![from, to];
    }
    let vector = |point: GeoPoint| {
        let (latitude, longitude) = (point.latitude.to_radians(), point.longitude.to_radians());
        [latitude.cos() * longitude.cos(), latitude.cos() * longitude.sin(), latitude.sin()]
    };
    let (start, end) = (vector(from), vector(to));
    let between = (1..pieces).map(|n| {
        let part = f64::from(n) / f64::from(pieces);
        let (one, other) = (((1.0 - part) * angle).sin() / sine, (part * angle).sin() / sine);
        let [x, y, z] = std::array::from_fn(|axis| one * start[axis] + other * end[axis]);
        GeoPoint { latitude: z.atan2(x.hypot(y)).to_degrees(), longitude: y.atan2(x).to_degrees() }
    });
    std::iter::once(from).chain(between).chain([to]).collect()
}

/// How the plane lies in the frame, in whose units the picture is drawn: `y` grows downwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct MapFrame {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Units for each radian.
    pub(super) scale: f64,
    centre: Flat,
}

impl MapFrame {
    /// A frame of a fixed width around positions, of which there is at least one. Its height depends on their shape.
    pub(super) fn around(positions: &[Flat], width: f64, heights: (f64, f64), margin: f64) -> Self {
        let bounds = |of: fn(&Flat) -> f64| {
            let values = positions.iter().map(of);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
        };
        let ((west, east), (south, north)) = (bounds(|it| it.x), bounds(|it| it.y));
        let centre = Flat { x: f64::midpoint(west, east), y: f64::midpoint(south, north) };
        let is_one_place = (east - west).max(north - south) * RADIUS < 1.0;
        let smallest = if is_one_place { SURROUNDINGS } else { SMALLEST };
        let smallest = smallest / RADIUS / latitude(centre.y).cos();
        let (across, along) = ((east - west).max(smallest), (north - south).max(smallest / 2.0));
        let inner = width - 2.0 * margin;
        let height = (along * inner / across + 2.0 * margin).clamp(heights.0, heights.1);
        let scale = (inner / across).min((height - 2.0 * margin) / along);
        Self { width, height, scale, centre }
    }

    pub(super) fn place(&self, position: Flat) -> (f64, f64) {
        let x = self.width / 2.0 + (position.x - self.centre.x) * self.scale;
        (x, self.height / 2.0 - (position.y - self.centre.y) * self.scale)
    }

    /// West, east, south and north of the frame, in the plane.
    pub(super) fn bounds(&self) -> (f64, f64, f64, f64) {
        let (across, along) = (self.width / 2.0 / self.scale, self.height / 2.0 / self.scale);
        (self.centre.x - across, self.centre.x + across, self.centre.y - along, self.centre.y + along)
    }

    /// The frame in degrees, with its margin of cut edges.
    pub(super) fn area(&self) -> Area {
        let (west, east, south, north) = self.bounds();
        let [west, east, south, north] =
            [west.to_degrees(), east.to_degrees(), latitude(south).to_degrees(), latitude(north).to_degrees()];
        Area { west, south, east, north }
    }

    /// Degrees of latitude for each unit in the middle of the frame.
    pub(super) fn degrees_per_unit(&self) -> f64 {
        (latitude(self.centre.y).cos() / self.scale).to_degrees()
    }

    /// Metres for each unit in the middle of the frame.
    pub(super) fn metres_per_unit(&self) -> f64 {
        RADIUS * latitude(self.centre.y).cos() / self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(latitude: f64, longitude: f64) -> GeoPoint {
        GeoPoint { latitude, longitude }
    }

    #[test]
    fn longitudes_start_east_of_the_widest_gap() {
        let first = |longitudes: &[f64]| first_longitude(longitudes.iter().map(|&longitude| at(0.0, longitude)));
        assert!((first(&[170.0, -170.0]) - 170.0).abs() < 1e-9);
        assert!((first(&[-10.0, 20.0]) - 350.0).abs() < 1e-9);
        assert!((first(&[5.0]) - 5.0).abs() < 1e-9);
        let (a, b) = (flat(at(0.0, 170.0), 170.0), flat(at(0.0, -170.0), 170.0));
        assert!(((b.x - a.x).to_degrees() - 20.0).abs() < 1e-9, "they are 20 degrees apart");
    }

    #[test]
    fn great_circles_bend_to_the_pole_and_end_where_they_should() {
        let line = great_circle(at(52.0, 5.0), at(40.0, -74.0), 16);
        assert_eq!(line.len(), 17);
        assert!(line.iter().any(|point| point.latitude > 53.0), "{line:?}");
        for (point, end) in [(line[0], at(52.0, 5.0)), (line[16], at(40.0, -74.0))] {
            assert!(metres(point, end) < 1.0);
        }
        assert_eq!(great_circle(at(1.0, 1.0), at(1.0, 1.0), 8).len(), 2);
        assert!(great_circle(at(90.0, 0.0), at(-90.0, 0.0), 8).iter().all(|point| point.latitude.is_finite()));
    }

    #[test]
    fn everything_fits_in_the_frame() {
        for points in [
            vec![at(38.7, -9.1)],
            vec![at(38.7, -9.1), at(38.7, -9.1)],
            vec![at(90.0, 0.0), at(-90.0, 180.0)],
            vec![at(-17.0, 178.0), at(-16.0, -179.0)],
            vec![at(0.0, 0.0), at(0.0, 120.0), at(0.0, -120.0)],
        ] {
            let first = first_longitude(points.iter().copied());
            let flat: Vec<Flat> = points.iter().map(|&point| flat(point, first)).collect();
            let frame = MapFrame::around(&flat, 720.0, (300.0, 600.0), 40.0);
            for &position in &flat {
                let (x, y) = frame.place(position);
                assert!(
                    (0.0..=frame.width).contains(&x) && (-1.0..=frame.height + 1.0).contains(&y),
                    "{x} {y} {frame:?}"
                );
            }
        }
    }
}
