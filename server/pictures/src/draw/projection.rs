//! Projects the stops onto the canvas.

use super::{CANVAS, Drawing};

/// More stops than this would not be distinguishable.
const MAX_POINTS: usize = 1_000;
/// The margins around the route, from the canvas's edges. All lengths here are in units of the canvas.
const MARGIN_X: f64 = 400.0;
const MARGIN_Y: f64 = 250.0;
/// Stops closer together than this, in degrees of latitude (about 200 m), are not spread over the picture.
const MIN_SPAN: f64 = 0.002;
/// A stop farther from the middle than this many times the median does not count for the scale.
const OUTLIER: f64 = 3.0;
/// Outliers are drawn in their direction, at this distance from the canvas's edges.
const FRAME_X: f64 = 150.0;
const FRAME_Y: f64 = 84.0;
/// The last stop's pin needs this much room above its tip.
const PIN_Y: f32 = 170.0;

/// Projects the stops to points of the canvas, in order; empty if there is none.
pub(super) fn project(drawing: &Drawing) -> Vec<(f32, f32)> {
    let points: Vec<(f64, f64)> = drawing
        .points
        .iter()
        .filter(|(latitude, longitude)| latitude.is_finite() && longitude.is_finite())
        .map(|&(latitude, longitude)| (latitude.clamp(-90.0, 90.0), longitude % 360.0))
        .take(MAX_POINTS)
        .collect();
    let Some(&(_, first)) = points.first() else { return Vec::new() };
    let stretch = median(points.iter().map(|point| point.0)).to_radians().cos().max(0.01);
    let flat: Vec<(f64, f64)> = points
        .iter()
        // The short way round: crosses the antimeridian if that is nearer.
        .map(|&(latitude, longitude)| (((longitude - first + 540.0).rem_euclid(360.0) - 180.0) * stretch, -latitude))
        .collect();
    let mut points = fit(&flat);
    if let Some(last) = points.last_mut() {
        last.1 = last.1.max(PIN_Y);
    }
    points
}

/// Scales and moves points onto the canvas.
fn fit(points: &[(f64, f64)]) -> Vec<(f32, f32)> {
    let near = without_outliers(points);
    let (left, right) = extent(near.iter().map(|point| point.0));
    let (top, bottom) = extent(near.iter().map(|point| point.1));
    let (width, height) = (f64::from(CANVAS.0), f64::from(CANVAS.1));
    let scale = ((width - 2.0 * MARGIN_X) / (right - left).max(MIN_SPAN))
        .min((height - 2.0 * MARGIN_Y) / (bottom - top).max(MIN_SPAN));
    points
        .iter()
        .map(|&(x, y)| {
            let x = (x - f64::midpoint(left, right)) * scale;
            let y = (y - f64::midpoint(top, bottom)) * scale;
            let beyond = (x.abs() / (width / 2.0 - FRAME_X)).max(y.abs() / (height / 2.0 - FRAME_Y)).max(1.0);
            to_unit(x / beyond + width / 2.0, y / beyond + height / 2.0)
        })
        .collect()
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
        project(&Drawing { name: String::new(), latitude: 0.0, longitude: 0.0, points: points.to_vec() })
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
        assert_within(&found);
    }

    #[test]
    fn outliers_do_not_squeeze_the_rest() {
        let near = [(38.71, -9.13), (38.72, -9.15), (38.70, -9.16), (38.73, -9.12), (38.70, -9.14)];
        let mut with_london = near.to_vec();
        with_london.insert(0, (51.5, -0.1));
        let found = pixels(&with_london);
        assert_within(&found);
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
