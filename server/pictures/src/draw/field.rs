//! The landscape's heights: noise on a coarse grid, interpolated by cubic B-splines.

use super::seed::{Seed, mix};
use super::{HEIGHT, WIDTH};

/// Pixels between two points of the grid.
const CELL: usize = 8;
/// Cells around the picture, because shadows extend into it, and slopes need a neighbour.
const MARGIN: usize = 5;
const CELLS_ACROSS: usize = WIDTH as usize / CELL + 2 * MARGIN;
const CELLS_DOWN: usize = HEIGHT as usize / CELL + 2 * MARGIN;
/// A cell lies between the second and the third of the four points that shape it.
const COLUMNS: usize = CELLS_ACROSS + 3;
const ROWS: usize = CELLS_DOWN + 3;
/// Pixels from one row to the next.
const STRIDE: usize = CELLS_ACROSS * CELL;

/// The height of each pixel, including the margin around the picture.
pub(super) struct HeightField {
    heights: Vec<f32>,
}

/// A pixel's index in the field.
#[derive(Clone, Copy)]
pub(super) struct PixelIndex(usize);

impl PixelIndex {
    pub(super) fn new(x: usize, y: usize) -> Self {
        Self((y + MARGIN * CELL) * STRIDE + x + MARGIN * CELL)
    }

    /// The pixel that is `pixels` further left and up; at most the margin.
    pub(super) fn up_left(self, pixels: usize) -> Self {
        Self(self.0 - pixels * (STRIDE + 1))
    }
}

impl HeightField {
    /// Computes heights from a function of x and y, which are 0 in the centre of the picture and 1 at half its height
    /// from there.
    pub(super) fn new(height: impl Fn(f32, f32) -> f32) -> Self {
        let grid = grid(height);
        let weights: [[f32; 4]; CELL] = std::array::from_fn(spline);
        let mut heights = Vec::with_capacity(STRIDE * CELLS_DOWN * CELL);
        for rows in grid.windows(4) {
            for weight in &weights {
                let line = weigh(rows, weight);
                for points in line.windows(4) {
                    heights.extend(weights.iter().map(|weight| dot(points, weight)));
                }
            }
        }
        Self { heights }
    }

    pub(super) fn height(&self, pixel: PixelIndex) -> f32 {
        self.heights[pixel.0]
    }

    /// The change of the height to the right and downwards, for each pixel.
    pub(super) fn slope(&self, PixelIndex(index): PixelIndex) -> [f32; 2] {
        let right = self.heights[index + 1] - self.heights[index - 1];
        let down = self.heights[index + STRIDE] - self.heights[index - STRIDE];
        [right / 2.0, down / 2.0]
    }
}

/// Rows of heights at the grid's points.
fn grid(height: impl Fn(f32, f32) -> f32) -> Vec<Vec<f32>> {
    let pixel = |index: usize| (index as f32 - MARGIN as f32 - 1.0) * CELL as f32;
    let row = |row: usize| {
        let heights = (0..COLUMNS).map(|column| {
            let (x, y) = position(pixel(column), pixel(row));
            height(x, y)
        });
        heights.collect()
    };
    (0..ROWS).map(row).collect()
}

/// Adds up four rows of the grid.
fn weigh(rows: &[Vec<f32>], weights: &[f32; 4]) -> Vec<f32> {
    (0..COLUMNS).map(|x| dot(&[rows[0][x], rows[1][x], rows[2][x], rows[3][x]], weights)).collect()
}

/// A pixel's position relative to the picture's middle, in halves of its height.
pub(super) fn position(x: f32, y: f32) -> (f32, f32) {
    let half = HEIGHT as f32 / 2.0;
    ((x - WIDTH as f32 / 2.0) / half, y / half - 1.0)
}

fn dot(values: &[f32], weights: &[f32; 4]) -> f32 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2] + values[3] * weights[3]
}

/// The weights of the four points around a cell, `phase` pixels into it.
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

/// Smooth noise of about -1 to 1.
pub(super) struct Noise {
    seed: u64,
    /// Unit vectors all around.
    directions: [[f32; 2]; 256],
}

impl Noise {
    pub(super) fn new(seed: &mut Seed) -> Self {
        let directions = std::array::from_fn(|index| {
            let angle = index as f32 / 256.0 * std::f32::consts::TAU;
            [angle.cos(), angle.sin()]
        });
        Self { seed: seed.next(), directions }
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
        self.directions[(mix(self.seed ^ mix(place)) >> 56) as usize]
    }
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}
