//! Routes from Valhalla, by `POST /sources_to_targets`.
//!
//! Follows <https://valhalla.github.io/valhalla/api/matrix/api-reference/>. One server supports all modes.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::http::Request;
use crate::routes::{check_points, travel};
use crate::{Endpoint, Failure, Matrix, Mode, Point, Routes, Travel};

const METRES_PER_KM: f64 = 1_000.0;

/// The routing engine Valhalla.
#[derive(Clone)]
pub struct Valhalla {
    endpoint: Endpoint,
}

impl Valhalla {
    /// An adapter for a server.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }
}

#[async_trait]
impl Routes for Valhalla {
    async fn matrix(&self, mode: Mode, points: &[Point], deadline: Instant) -> Result<Matrix, Failure> {
        check_points(points)?;
        if points.len() < 2 {
            return Ok(Matrix::trivial(points.len()));
        }
        let request = Request::post(self.endpoint.url(&["sources_to_targets"]), &question(mode, points));
        self.endpoint.call(&request, deadline, |body| parse(body, points.len())).await
    }

    fn supports(&self, _mode: Mode) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "valhalla"
    }
}

fn question(mode: Mode, points: &[Point]) -> Value {
    let costing = match mode {
        Mode::Walk => "pedestrian",
        Mode::Bicycle => "bicycle",
        Mode::Drive => "auto",
    };
    let locations: Vec<_> = points.iter().map(|point| json!({"lat": point.latitude, "lon": point.longitude})).collect();
    json!({"sources": locations, "targets": locations, "costing": costing})
}

#[derive(Deserialize)]
struct MatrixResponse {
    sources_to_targets: Vec<Vec<Cell>>,
    units: Option<String>,
}

/// The indexes are the position in the array.
#[derive(Deserialize)]
struct Cell {
    /// In seconds; `null` is unreachable.
    time: Option<f64>,
    /// In kilometres; `null` is unreachable.
    distance: Option<f64>,
}

fn parse(body: &[u8], size: usize) -> Result<Matrix, Failure> {
    let response: MatrixResponse = crate::endpoint::json(body)?;
    if response.units.is_some_and(|units| !matches!(units.as_str(), "kilometers" | "km")) {
        return Err(Failure::malformed("units are not kilometers"));
    }
    let cell = |cell: Cell| -> Option<Travel> { travel(cell.time?, cell.distance? * METRES_PER_KM) };
    let rows = response.sources_to_targets.into_iter().map(|row| row.into_iter().map(cell).collect());
    Matrix::from_rows(size, rows.collect()).ok_or_else(|| Failure::malformed("the matrix has another size"))
}
