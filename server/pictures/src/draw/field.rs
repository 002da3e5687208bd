//! The landscape's heights: noise on a coarse grid, made smooth between the grid's points by cubic B-splines.

use super::seed::{Seed, mix, unit};
use super::{HEIGHT, WIDTH};

/// Pixels between two points of the grid.
const CELL: usize = 8;
/// Cells above and left of the picture, where its shadows come from.
const MARGIN: usize = 7;
const COLUMNS: usize = MARGIN + WIDTH as usize / CELL + 3;
const ROWS: usize = MARGIN + HEIGHT as usize / CELL + 3;

/// Heights at the grid's points. A cell lies between the second and the third of the four points that shape it.
pub(super) struct Field {
    heights: Vec<f32>,
}

/// Height and slope at each pixel of a row.
pub(super) struct Row {
    pub(super) heights: Vec<f32>,
    /// Change to the right and downwards, for each pixel.
    pub(super) slopes: Vec<[f32; 2]>,
}

impl Field {
    /// Makes heights from a function of x and y, which are 0 in the picture's middle and 1 half its height away.
    pub(super) fn new(height: impl Fn(f32, f32) -> f32) -> Self {
        let pixel = |index: usize| (index as f32 - MARGIN as f32 - 1.0) * CELL as f32;
        let points = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (pixel(column), pixel(row))));
        let heights = points.map(|(x, y)| {
            let (x, y) = position(x, y);
            height(x, y)
        });
        Self { heights: heights.collect() }
    }

    /// Heights and slopes along row `y`, `shift` pixels further left and up.
    pub(super) fn row(&self, y: usize, shift: usize) -> Row {
        let (first, phase) = cell(y, shift);
        let (values, downs) = (self.column_sums(first, spline(phase)), self.column_sums(first, spline_slope(phase)));
        let weights: [_; CELL] = std::array::from_fn(|phase| (spline(phase), spline_slope(phase)));
        let points = (0..WIDTH as usize).map(|x| {
            let (first, phase) = cell(x, shift);
            let (values, downs) = (&values[first..first + 4], &downs[first..first + 4]);
            let (flat, slope) = &weights[phase];
            (dot(values, flat), [dot(values, slope), dot(downs, flat)])
        });
        let (heights, slopes) = points.unzip();
        Row { heights, slopes }
    }

    /// The heights of [`Self::row`] alone.
    pub(super) fn heights(&self, y: usize, shift: usize) -> Vec<f32> {
        let (first, phase) = cell(y, shift);
        let values = self.column_sums(first, spline(phase));
        let weights: [_; CELL] = std::array::from_fn(spline);
        (0..WIDTH as usize)
            .map(|x| {
                let (first, phase) = cell(x, shift);
                dot(&values[first..first + 4], &weights[phase])
            })
            .collect()
    }

    /// Weighs four rows of the grid.
    fn column_sums(&self, first: usize, weights: [f32; 4]) -> Vec<f32> {
        let rows = &self.heights[first * COLUMNS..(first + 4) * COLUMNS];
        (0..COLUMNS)
            .map(|x| {
                let row = |index: usize| rows[index * COLUMNS + x];
                row(0) * weights[0] + row(1) * weights[1] + row(2) * weights[2] + row(3) * weights[3]
            })
            .collect()
    }
}

/// A pixel's position relative to the picture's middle, in halves of its height.
pub(super) fn position(x: f32, y: f32) -> (f32, f32) {
    let half = HEIGHT as f32 / 2.0;
    ((x - WIDTH as f32 / 2.0) / half, y / half - 1.0)
}

/// The first of the four points around a pixel, and how far the pixel is into its cell. `shift` is within the margin.
fn cell(pixel: usize, shift: usize) -> (usize, usize) {
    let pixel = pixel + MARGIN * CELL - shift;
    (pixel / CELL, pixel % CELL)
}

fn dot(values: &[f32], weights: &[f32; 4]) -> f32 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2] + values[3] * weights[3]
}

fn spline(phase: usize) -> [f32; 4] {
    let t = phase as f32 / CELL as f32;
    let rest = 1.0 - t;
    [
        rest * rest * rest / 6.0,
        (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
        (3.0 * rest * rest * rest - 6.0 * rest * rest + 4.0) / 6.0,
        t * t * t / 6.0,
    ]
}

/// The change of [`spline`] from one pixel to the next.
fn spline_slope(phase: usize) -> [f32; 4] {
    let t = phase as f32 / CELL as f32;
    let rest = 1.0 - t;
    [-rest * rest / 2.0, 1.5 * t * t - 2.0 * t, 2.0 * rest - 1.5 * rest * rest, t * t / 2.0]
        .map(|slope| slope / CELL as f32)
}

/// Smooth noise of about -1 to 1.
pub(super) struct Noise {
    seed: u64,
}

impl Noise {
    pub(super) fn new(seed: &mut Seed) -> Self {
        Self { seed: seed.next() }
    }

    /// Four octaves, each of half the size and `roughness` times the height of the one before.
    pub(super) fn fractal(&self, x: f32, y: f32, roughness: f32) -> f32 {
        let (mut sum, mut scale, mut height) = (0.0, 1.0, 1.0);
        for octave in 0..4_u8 {
            let shift = f32::from(octave) * 17.3;
            sum += self.gradient(x * scale + shift, y * scale - shift) * height;
            scale *= 2.0;
            height *= roughness;
        }
        sum
    }

    /// Gradient noise.
    pub(super) fn gradient(&self, x: f32, y: f32) -> f32 {
        let (column, row) = (x.floor(), y.floor());
        let (dx, dy) = (x - column, y - row);
        let corner = |right: f32, down: f32| {
            let [across, along] = self.direction(column + right, row + down);
            across * (dx - right) + along * (dy - down)
        };
        let (u, v) = (fade(dx), fade(dy));
        let top = corner(0.0, 0.0) * (1.0 - u) + corner(1.0, 0.0) * u;
        let bottom = corner(0.0, 1.0) * (1.0 - u) + corner(1.0, 1.0) * u;
        (top * (1.0 - v) + bottom * v) * 1.5
    }

    fn direction(&self, column: f32, row: f32) -> [f32; 2] {
        let place = (column as i64 as u64) << 32 ^ (row as i64 as u64 & 0xFFFF_FFFF);
        let angle = unit(mix(self.seed ^ mix(place))) * std::f32::consts::TAU;
        [angle.cos(), angle.sin()]
    }
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}
