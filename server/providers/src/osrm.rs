//! Routes from OSRM, by `GET /table/v1`.
//!
//! Follows <https://project-osrm.org/docs/v5.24.0/api/#table-service>. An OSRM process serves one profile, so each mode
//! has its own endpoint.

use async_trait::async_trait;
use serde::Deserialize;
use tokio::time::Instant;
use url::Url;

use crate::endpoint::json;
use crate::http::Request;
use crate::routes::{check_points, travel};
use crate::{Endpoint, Failure, Matrix, Mode, Point, Routes};

/// The routing engine OSRM.
#[derive(Clone, Default)]
pub struct Osrm {
    walk: Option<Endpoint>,
    bicycle: Option<Endpoint>,
    drive: Option<Endpoint>,
}

impl Osrm {
    /// An adapter without servers. Supports no mode.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces the server of a mode.
    #[must_use]
    pub fn with(mut self, mode: Mode, endpoint: Endpoint) -> Self {
        let slot = match mode {
            Mode::Walk => &mut self.walk,
            Mode::Bicycle => &mut self.bicycle,
            Mode::Drive => &mut self.drive,
        };
        *slot = Some(endpoint);
        self
    }

    fn endpoint(&self, mode: Mode) -> Option<&Endpoint> {
        match mode {
            Mode::Walk => self.walk.as_ref(),
            Mode::Bicycle => self.bicycle.as_ref(),
            Mode::Drive => self.drive.as_ref(),
        }
    }
}

#[async_trait]
impl Routes for Osrm {
    async fn matrix(&self, mode: Mode, points: &[Point], deadline: Instant) -> Result<Matrix, Failure> {
        let Some(endpoint) = self.endpoint(mode) else {
            return Err(Failure::Unsupported(format!("no server for {mode:?}")));
        };
        check_points(points)?;
        if points.len() < 2 {
            return Ok(Matrix::trivial(points.len()));
        }
        let request = Request::get(url(endpoint, mode, points));
        endpoint.call(&request, deadline, |body| parse(body, points.len())).await
    }

    fn supports(&self, mode: Mode) -> bool {
        self.endpoint(mode).is_some()
    }

    fn name(&self) -> &'static str {
        "osrm"
    }
}

fn url(endpoint: &Endpoint, mode: Mode, points: &[Point]) -> Url {
    // The server answers with the profile that it was prepared with, whatever the URL names.
    let profile = match mode {
        Mode::Walk => "foot",
        Mode::Bicycle => "bike",
        Mode::Drive => "car",
    };
    let coordinates: Vec<_> =
        points.iter().map(|point| format!("{:.6},{:.6}", point.longitude, point.latitude)).collect();
    let mut url = endpoint.url(&["table", "v1", profile, &coordinates.join(";")]);
    url.query_pairs_mut().append_pair("annotations", "duration,distance");
    url
}

#[derive(Deserialize)]
struct TableResponse {
    code: String,
    /// In seconds; `null` is unreachable.
    durations: Option<Vec<Vec<Option<f64>>>>,
    /// In metres; `null` is unreachable.
    distances: Option<Vec<Vec<Option<f64>>>>,
}

fn parse(body: &[u8], size: usize) -> Result<Matrix, Failure> {
    let response: TableResponse = json(body)?;
    if response.code != "Ok" {
        return Err(Failure::malformed(format_args!("code is {:?}", response.code)));
    }
    let (Some(durations), Some(distances)) = (response.durations, response.distances) else {
        return Err(Failure::malformed("durations or distances are missing"));
    };
    let same_shape = durations.len() == distances.len()
        && durations.iter().zip(&distances).all(|(durations, distances)| durations.len() == distances.len());
    if !same_shape {
        return Err(Failure::malformed("durations and distances differ in size"));
    }
    let rows = durations.into_iter().zip(distances).map(|(durations, distances)| {
        let cells = durations.into_iter().zip(distances);
        cells.map(|(seconds, metres)| travel(seconds?, metres?)).collect()
    });
    Matrix::from_rows(size, rows.collect()).ok_or_else(|| Failure::malformed("the table has another size"))
}
