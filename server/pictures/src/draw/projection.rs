//! Where the canvas lies on the earth: around the stops, or around the destination without any.

use itinerary_land::Area;

use super::{CANVAS, Drawing};

/// More stops than this would not be distinguishable.
const MAX_POINTS: usize = 1_000;
/// The margins around the route, from the canvas's edges. All lengths here are in units of the canvas.
const MARGIN_X: f64 = 400.0;
const MARGIN_Y: f64 = 250.0;
/// Stops closer together than this, in degrees of latitude (about 200 m), are not spread over the picture.
const MIN_SPAN: f64 = 0.002;
/// The height of a canvas without stops, in degrees of latitude between the margins.
const LONE_SPAN: f64 = 0.25;
/// A stop farther from the middle than this many times the median does not count for the scale, and may be outside.
const OUTLIER: f64 = 3.0;
/// Stops outside are at most this far from the middle, because the painter's numbers are small.
const FARTHEST: f64 = 20_000.0;
/// The last stop's pin needs this much room above its tip.
const PIN_Y: f32 = 170.0;

/// The canvas on the earth. Longitudes are counted from the first stop, the short way round.
pub(super) struct View {
    /// The stops, in order, as points of the canvas.
    pub(super) stops: Vec<(f32, f32)>,
    first: f64,
    /// The width of a degree of longitude, in degrees of latitude.
    stretch: f64,
    /// The middle of the canvas, in degrees of latitude east of the first longitude and south of the equator.
    middle: (f64, f64),
    /// Units of the canvas for each degree of latitude.
    scale: f64,
}

impl View {
    pub(super) fn of(drawing: &Drawing) -> Self {
        let points: Vec<(f64, f64)> =
            drawing.points.iter().filter_map(|&(latitude, longitude)| on_earth(latitude, longitude)).collect();
        let stops = &points[..points.len().min(MAX_POINTS)];
        let lone = [on_earth(drawing.latitude, drawing.longitude).unwrap_or_default()];
        let (around, span) = if stops.is_empty() { (&lone[..], LONE_SPAN) } else { (stops, MIN_SPAN) };
        let first = around[0].1;
        let stretch = median(around.iter().map(|point| point.0)).to_radians().cos().max(0.01);
        let flat = |&(latitude, longitude): &(f64, f64)| (east_of(first, longitude) * stretch, -latitude);
        let near = without_outliers(&around.iter().map(flat).collect::<Vec<_>>());
        let (left, right) = extent(near.iter().map(|point| point.0));
        let (top, bottom) = extent(near.iter().map(|point| point.1));
        let scale = ((f64::from(CANVAS.0) - 2.0 * MARGIN_X) / (right - left).max(span))
            .min((f64::from(CANVAS.1) - 2.0 * MARGIN_Y) / (bottom - top).max(span));
        let middle = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        let mut view = Self { stops: Vec::new(), first, stretch, middle, scale };
        view.stops =
            stops.iter().map(|(latitude, longitude)| view.place(*latitude, east_of(first, *longitude))).collect();
        if let Some(last) = view.stops.last_mut().filter(|last| last.1 >= 0.0) {
            last.1 = last.1.max(PIN_Y);
        }
        view
    }

    /// The point of the canvas for a latitude and a longitude, both in degrees.
    pub(super) fn place_at(&self, latitude: f64, longitude: f64) -> (f32, f32) {
        self.place(latitude, longitude - self.first)
    }

    fn place(&self, latitude: f64, east: f64) -> (f32, f32) {
        let x = (east * self.stretch - self.middle.0) * self.scale;
        let y = (-latitude - self.middle.1) * self.scale;
        let beyond = (x.abs().max(y.abs()) / FARTHEST).max(1.0);
        to_unit(x / beyond + f64::from(CANVAS.0) / 2.0, y / beyond + f64::from(CANVAS.1) / 2.0)
    }

    /// The part of the earth on the canvas, and `margin` units around it.
    pub(super) fn area(&self, margin: f64) -> Area {
        let (across, along) = (f64::from(CANVAS.0) / 2.0 + margin, f64::from(CANVAS.1) / 2.0 + margin);
        let east = |x: f64| (self.first + (self.middle.0 + x / self.scale) / self.stretch).clamp(-540.0, 540.0);
        let north = |y: f64| (-self.middle.1 + y / self.scale).clamp(-90.0, 90.0);
        Area { west: east(-across), east: east(across), south: north(-along), north: north(along) }
    }

    /// The width of the canvas, in degrees of latitude.
    pub(super) fn width(&self) -> f64 {
        f64::from(CANVAS.0) / self.scale
    }
}

/// A position with its latitude limited to the poles. `None` if a number is not finite.
fn on_earth(latitude: f64, longitude: f64) -> Option<(f64, f64)> {
    (latitude.is_finite() && longitude.is_finite()).then(|| (latitude.clamp(-90.0, 90.0), longitude % 360.0))
}

/// How far a longitude is east of another, the short way round.
fn east_of(first: f64, longitude: f64) -> f64 {
    (longitude - first + 540.0).rem_euclid(360.0) - 180.0
}

#[allow(clippy::cast_possible_truncation)]
fn to_unit(x: f64, y: f64) -> (f32, f32) {
    (x as f32, y as f32)
}

fn without_outliers(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let middle_x = median(points.iter().map(|point| point.0));
    let middle_y = median(points.iter().map(|point| point.1));
    let distance = |&(x, y): &(f64, f64)| (x - middle_x).hypot(y - middle_y);
    let most = OUTLIER * median(points.iter().map(distance));
    if most == 0.0 {
        return points.to_vec();
    }
    points.iter().copied().filter(|point| distance(point) <= most).collect()
}

/// The median of at least one finite number.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    if numbers.len().is_multiple_of(2) { f64::midpoint(numbers[middle - 1], numbers[middle]) } else { numbers[middle] }
}

fn extent(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(points: &[(f64, f64)]) -> Vec<(f32, f32)> {
        View::of(&Drawing { name: String::new(), latitude: 0.0, longitude: 0.0, points: points.to_vec() }).stops
    }

    fn assert_within(pixels: &[(f32, f32)]) {
        for &(x, y) in pixels {
            assert!((100.0..=f32::from(2_048_u16 - 100)).contains(&x), "{x}");
            assert!((80.0..=f32::from(1_152_u16 - 80)).contains(&y), "{y}");
        }
    }

    #[test]
    fn no_points_give_no_pixels() {
        assert!(pixels(&[]).is_empty());
        assert!(pixels(&[(f64::NAN, 0.0), (0.0, f64::NEG_INFINITY)]).is_empty());
    }

    #[test]
    fn one_point_is_in_the_middle() {
        assert_eq!(pixels(&[(51.5, -0.1)]), [(1_024.0, 576.0)]);
    }

    #[test]
    fn identical_points_are_in_the_middle() {
        assert_eq!(pixels(&[(51.5, -0.1); 5]), [(1_024.0, 576.0); 5]);
    }

    #[test]
    fn two_points_fill_the_width() {
        let found = pixels(&[(0.0, 10.0), (0.0, 12.0)]);
        assert_eq!(found, [(400.0, 576.0), (1_648.0, 576.0)]);
    }

    #[test]
    fn north_is_up_and_east_is_right() {
        let found = pixels(&[(10.0, 20.0), (11.0, 21.0)]);
        assert!(found[1].0 > found[0].0 && found[1].1 < found[0].1);
    }

    #[test]
    fn the_antimeridian_is_crossed_the_short_way() {
        let found = pixels(&[(-17.0, 179.0), (-17.0, -179.0), (-17.0, 178.0)]);
        assert!(found[2].0 < found[0].0 && found[0].0 < found[1].0, "{found:?}");
        let shifted = pixels(&[(-17.0, 10.0), (-17.0, 12.0), (-17.0, 9.0)]);
        for (found, expected) in found.iter().zip(shifted) {
            assert!((found.0 - expected.0).abs() < 0.1);
        }
    }

    #[test]
    fn poles_are_finite() {
        let found = pixels(&[(90.0, 0.0), (90.0, 120.0), (89.9, -120.0), (-90.0, 10.0)]);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|(x, y)| x.abs() < 30_000.0 && y.abs() < 30_000.0), "{found:?}");
        assert_within(&found[..3]);
    }

    #[test]
    fn outliers_do_not_squeeze_the_rest() {
        let near = [(38.71, -9.13), (38.72, -9.15), (38.70, -9.16), (38.73, -9.12), (38.70, -9.14)];
        let mut with_london = near.to_vec();
        with_london.insert(0, (51.5, -0.1));
        let found = pixels(&with_london);
        assert_within(&found[1..]);
        assert!(found[0].1 < 0.0, "London is outside, to the north: {:?}", found[0]);
        let width = |pixels: &[(f32, f32)]| {
            let (left, right) = extent(pixels.iter().map(|pixel| f64::from(pixel.0)));
            right - left
        };
        assert!(width(&found[1..]) > 0.95 * width(&pixels(&near)));
    }

    #[test]
    fn only_so_many_points_are_projected() {
        assert_eq!(pixels(&vec![(1.0, 1.0); 5_000]).len(), MAX_POINTS);
    }
}
