//! The port for travel times and distances. If a provider cannot answer, the server estimates.

use async_trait::async_trait;
use tokio::time::Instant;

use crate::{Failure, Point};

/// A mode of travel that a routing provider may support. The server estimates all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Walk,
    Bicycle,
    Drive,
}

/// Duration and distance from one point to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    pub minutes: f64,
    pub metres: f64,
}

/// Durations and distances between all pairs of points, in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: usize,
    cells: Vec<Option<Travel>>,
}

impl Matrix {
    /// Builds a matrix row by row; `None` is unreachable. Returns `None` unless there are `size` rows of `size` cells.
    pub fn from_rows(size: usize, rows: Vec<Vec<Option<Travel>>>) -> Option<Self> {
        let square = rows.len() == size && rows.iter().all(|row| row.len() == size);
        square.then(|| Self { size, cells: rows.into_iter().flatten().collect() })
    }

    /// The matrix of less than two points.
    pub(crate) fn trivial(size: usize) -> Self {
        assert!(size < 2, "several points need a provider");
        Self { size, cells: vec![Some(Travel { minutes: 0.0, metres: 0.0 }); size * size] }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Duration and distance between two points by their zero-based indexes. `None` if unreachable or out of range.
    pub fn get(&self, from: usize, to: usize) -> Option<Travel> {
        if from >= self.size || to >= self.size {
            return None;
        }
        self.cells[from * self.size + to]
    }
}

/// Finds travel times and distances in a road network.
#[async_trait]
pub trait Routes: Send + Sync {
    /// Returns the matrix of all pairs of points, in one call to the provider.
    ///
    /// Fails with [`Failure::Unsupported`] for a mode that is not supported or for more than [`MAX_POINTS`] points.
    async fn matrix(&self, mode: Mode, points: &[Point], deadline: Instant) -> Result<Matrix, Failure>;

    /// Whether the provider supports the mode.
    fn supports(&self, mode: Mode) -> bool;

    /// The provider's name, such as `osrm`.
    fn name(&self) -> &str;
}

/// The most points in one matrix. Within the default limit of OSRM (100) and of Valhalla (50 by most modes).
pub const MAX_POINTS: usize = 50;

/// Rejects a request with too many points.
pub(crate) fn check_points(points: &[Point]) -> Result<(), Failure> {
    if points.len() > MAX_POINTS {
        return Err(Failure::Unsupported(format!("{} points; expected at most {MAX_POINTS}", points.len())));
    }
    Ok(())
}

/// Converts a provider's numbers. `None` unless both are finite and not negative.
pub(crate) fn travel(seconds: f64, metres: f64) -> Option<Travel> {
    let valid = |number: f64| number.is_finite() && number >= 0.0;
    (valid(seconds) && valid(metres)).then_some(Travel { minutes: seconds / 60.0, metres })
}
