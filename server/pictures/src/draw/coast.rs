//! The heights of land and water under a view: land is high, and water falls from the coast.

use tiny_skia::{FillRule, Mask, PathBuilder, Transform};

use itinerary_land::{Layer, Ring, cut, rings};

use super::field::{CELL, COLUMNS, HeightField, ROWS, pixel};
use super::projection::View;
use super::{CANVAS, SCALE};

/// The height of the coast. Water is lower, land higher.
pub(super) const COAST: f32 = 3.0;
/// The width of each step of the water, in pixels.
const STEP: f32 = 34.0;
/// A narrower canvas, in degrees of latitude, shows no coast: at 1:10 million, it would be off by streets.
const NARROWEST: f64 = 0.025;
/// The canvas around the picture for which land is drawn, in units of the canvas.
const MARGIN: f64 = 100.0;

/// The heights of the view's land and water.
pub(super) fn heights(view: &View) -> HeightField {
    let land = if view.width() < NARROWEST { None } else { land(view) };
    let heights = match land {
        Some(land) => {
            let heights = distances(&land).into_iter().map(|pixels| COAST + pixels / STEP);
            heights.map(|height| height.clamp(0.05, COAST + 0.9)).collect()
        }
        None => vec![COAST + 0.9; COLUMNS * ROWS],
    };
    HeightField::new(&heights)
}

/// How much of each point of the grid is land, from 0 to 1, row by row.
fn land(view: &View) -> Option<Vec<f32>> {
    let mut land = covered(view, Layer::Land)?;
    let lakes = covered(view, Layer::Lakes)?;
    for (land, lake) in land.iter_mut().zip(lakes) {
        *land = (*land - lake).max(0.0);
    }
    Some(land)
}

/// How much of each point of the grid a layer covers.
fn covered(view: &View, layer: Layer) -> Option<Vec<f32>> {
    let mut mask = Mask::new(COLUMNS as u32, ROWS as u32)?;
    let mut path = PathBuilder::new();
    let degrees_per_cell = view.width() / f64::from(CANVAS.0) / f64::from(SCALE) * CELL as f64;
    for ring in rings(layer, view.area(MARGIN), degrees_per_cell / 3.0) {
        push(&mut path, &ring, view);
    }
    if let Some(path) = path.finish() {
        mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
    }
    Some(mask.data().iter().map(|covered| f32::from(*covered) / 255.0).collect())
}

/// Adds a ring, in the grid's columns and rows.
fn push(path: &mut PathBuilder, ring: &Ring, view: &View) {
    let origin = pixel(0);
    let cell = |unit: f32| f64::from((unit * SCALE - origin) / CELL as f32 + 0.5);
    let place = |&(longitude, latitude): &(f64, f64)| {
        let (x, y) = view.place_at(latitude, longitude);
        (cell(x), cell(y))
    };
    let placed = cut(&ring.iter().map(place).collect(), (-2.0, -2.0), (COLUMNS as f64 + 2.0, ROWS as f64 + 2.0));
    let mut points = placed.into_iter().map(|(x, y)| (x as f32, y as f32));
    let Some((x, y)) = points.next() else { return };
    path.move_to(x, y);
    for (x, y) in points {
        path.line_to(x, y);
    }
    path.close();
}

/// The distance of each point from the coast, in pixels; negative in the water.
fn distances(land: &[f32]) -> Vec<f32> {
    let to_water = nearest(land, |covered| covered < 0.5);
    let to_land = nearest(land, |covered| covered >= 0.5);
    let cells = to_water.iter().zip(&to_land).zip(land).map(|((to_water, to_land), covered)| {
        // The point's own share of land tells where in it the coast is.
        let within = covered - 0.5;
        if *covered >= 0.5 { (to_water - 1.0).max(0.0) + within } else { within - (to_land - 1.0).max(0.0) }
    });
    cells.map(|cells| cells * CELL as f32).collect()
}

/// The distance of each point from the nearest one that is meant, in cells: two passes with steps to all neighbours.
fn nearest(land: &[f32], is_meant: impl Fn(f32) -> bool) -> Vec<f32> {
    const FAR: f32 = 1e4;
    let mut distances: Vec<f32> = land.iter().map(|covered| if is_meant(*covered) { 0.0 } else { FAR }).collect();
    let before: [(isize, isize, f32); 4] = [(-1, -1, 1.414), (0, -1, 1.0), (1, -1, 1.414), (-1, 0, 1.0)];
    let points = COLUMNS * ROWS;
    for turned in [false, true] {
        let sign = if turned { -1 } else { 1 };
        for step in 0..points {
            let index = if turned { points - 1 - step } else { step };
            let (column, row) = ((index % COLUMNS) as isize, (index / COLUMNS) as isize);
            for (right, down, length) in before {
                let (column, row) = (column + sign * right, row + sign * down);
                if (0..COLUMNS as isize).contains(&column) && (0..ROWS as isize).contains(&row) {
                    let other = distances[row as usize * COLUMNS + column as usize] + length;
                    distances[index] = distances[index].min(other);
                }
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::super::Drawing;
    use super::super::field::PixelIndex;
    use super::*;

    /// The height at a place of a picture around two stops.
    fn height(stops: [(f64, f64); 2], latitude: f64, longitude: f64) -> f32 {
        let [(at, east), _] = stops;
        let view = View::of(&Drawing { name: String::new(), latitude: at, longitude: east, points: stops.to_vec() });
        let (x, y) = view.place_at(latitude, longitude);
        heights(&view).height(PixelIndex::new((x * SCALE) as usize, (y * SCALE) as usize))
    }

    #[test]
    fn land_is_higher_than_the_sea_and_lakes() {
        let lisbon = [(38.79, -9.39), (38.72, -9.14)];
        assert!(height(lisbon, 38.75, -9.25) > COAST);
        assert!(height(lisbon, 38.67, -9.38) < COAST, "the Atlantic");
        let geneva = [(46.20, 6.14), (46.43, 6.91)];
        assert!(height(geneva, 46.55, 6.50) > COAST);
        assert!(height(geneva, 46.44, 6.55) < COAST, "the lake");
    }

    #[test]
    fn a_few_streets_are_land() {
        assert!(height([(38.691, -9.216), (38.692, -9.214)], 38.690, -9.215) > COAST, "beside the Tagus");
    }
}
