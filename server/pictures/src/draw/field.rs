//! The paper's heights: given on a coarse grid, interpolated by cubic B-splines.

use super::{HEIGHT, WIDTH};

/// Pixels between two points of the grid.
pub(super) const CELL: usize = 4;
/// Cells around the picture, because shadows extend into it, and slopes need a neighbour.
const MARGIN: usize = 10;
const CELLS_ACROSS: usize = WIDTH as usize / CELL + 2 * MARGIN;
const CELLS_DOWN: usize = HEIGHT as usize / CELL + 2 * MARGIN;
/// A cell lies between the second and the third of the four points that shape it.
pub(super) const COLUMNS: usize = CELLS_ACROSS + 3;
pub(super) const ROWS: usize = CELLS_DOWN + 3;
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
    /// Computes heights from those at the grid's points, row by row.
    pub(super) fn new(grid: &[f32]) -> Self {
        let grid: Vec<&[f32]> = grid.chunks_exact(COLUMNS).collect();
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

/// The pixel at a point of the grid, from its column or row.
pub(super) fn pixel(index: usize) -> f32 {
    (index as f32 - MARGIN as f32 - 1.0) * CELL as f32
}

/// Adds up four rows of the grid.
fn weigh(rows: &[&[f32]], weights: &[f32; 4]) -> Vec<f32> {
    (0..COLUMNS).map(|x| dot(&[rows[0][x], rows[1][x], rows[2][x], rows[3][x]], weights)).collect()
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
