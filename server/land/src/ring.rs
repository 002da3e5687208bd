//! Cuts polygons, and simplifies them.

use crate::Ring;

/// The part of a ring for which `inside` is not negative (Sutherland and Hodgman).
pub(crate) fn side(ring: &Ring, inside: impl Fn(&(f64, f64)) -> f64) -> Ring {
    let mut kept = Ring::new();
    let Some(mut from) = ring.last() else { return kept };
    for to in ring {
        let (a, b) = (inside(from), inside(to));
        if (a < 0.0) != (b < 0.0) {
            let part = a / (a - b);
            kept.push((from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part));
        }
        if b >= 0.0 {
            kept.push(*to);
        }
        from = to;
    }
    kept
}

/// The part of a ring in a rectangle, given as the smallest and the largest coordinates.
///
/// Parts that are apart are joined by lines along the rectangle's sides, which enclose nothing.
pub fn cut(ring: &Ring, (left, low): (f64, f64), (right, high): (f64, f64)) -> Ring {
    let ring = side(ring, |point| point.0 - left);
    let ring = side(&ring, |point| right - point.0);
    let ring = side(&ring, |point| point.1 - low);
    side(&ring, |point| high - point.1)
}

/// A ring in whole units, counted from an origin, without points on the line between their neighbours.
#[expect(clippy::cast_possible_truncation, reason = "maps and tiles have some thousand units")]
pub fn rounded(ring: &Ring, origin: (f64, f64), units: f64) -> Vec<(i32, i32)> {
    let mut kept: Vec<(i32, i32)> = Vec::with_capacity(ring.len());
    for point in ring {
        let point = (((point.0 - origin.0) * units).round() as i32, ((point.1 - origin.1) * units).round() as i32);
        while let [.., before, last] = kept[..]
            && is_between(before, last, point)
        {
            kept.pop();
        }
        if kept.last() != Some(&point) {
            kept.push(point);
        }
    }
    if kept.len() > 1 && kept.first() == kept.last() {
        kept.pop();
    }
    kept
}

fn is_between(before: (i32, i32), point: (i32, i32), after: (i32, i32)) -> bool {
    let (a, b) = ((point.0 - before.0, point.1 - before.1), (after.0 - point.0, after.1 - point.1));
    a.0 * b.1 == a.1 * b.0 && a.0 * b.0 + a.1 * b.1 >= 0
}

/// Twice the area of a ring, in square units; negative if it turns clockwise with `y` upwards.
pub fn twice_the_area(ring: &[(i32, i32)]) -> i64 {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| i64::from(a.0) * i64::from(b.1) - i64::from(a.1) * i64::from(b.0)).sum()
}

/// A ring with fewer points, none of the others farther than `tolerance` from its lines (Douglas and Peucker), besides those that are
/// kept in any case.
pub(crate) fn simplified(ring: &Ring, tolerance: f64, is_kept: impl Fn(&(f64, f64)) -> bool) -> Ring {
    let last = ring.len().saturating_sub(1);
    let is_fixed = |index: &usize| [0, ring.len() / 2, last].contains(index) || is_kept(&ring[*index]);
    let fixed: Vec<usize> = (0..ring.len()).filter(is_fixed).collect();
    let mut keep = vec![false; ring.len()];
    for index in &fixed {
        keep[*index] = true;
    }
    let mut spans: Vec<(usize, usize)> = fixed.windows(2).map(|pair| (pair[0], pair[1])).collect();
    while let Some((from, to)) = spans.pop() {
        let distance = |index: &usize| distance(ring[*index], ring[from], ring[to]);
        let farthest = (from + 1..to).max_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(farthest) = farthest.filter(|index| distance(index) > tolerance) {
            keep[farthest] = true;
            spans.extend([(from, farthest), (farthest, to)]);
        }
    }
    ring.iter().zip(keep).filter_map(|(point, keep)| keep.then_some(*point)).collect()
}

/// The distance of a point from the line between two others.
fn distance(point: (f64, f64), from: (f64, f64), to: (f64, f64)) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let (x, y) = (point.0 - from.0, point.1 - from.1);
    if length == 0.0 {
        return x.hypot(y);
    }
    let along = ((x * dx + y * dy) / (length * length)).clamp(0.0, 1.0);
    (x - along * dx).hypot(y - along * dy)
}
