//! Travel between stops: from the route provider if one is configured for the mode, otherwise estimated.

use itinerary_api::types::{Coordinate, LegMode};
use itinerary_core::geo;
use itinerary_core::legs::{ESTIMATE, Estimate, Way};
use itinerary_core::optimise::Minute;
use itinerary_providers::{Matrix, Mode, Point, Travel};
use tokio::time::Instant;

use crate::context::Service;

pub(super) struct Ways {
    points: Vec<Coordinate>,
    ways: Vec<Vec<Way>>,
}

impl Ways {
    /// The ways between all points, by the given mode or by the usual one for each distance.
    pub(super) async fn between(
        service: &Service,
        points: Vec<Coordinate>,
        mode: Option<LegMode>,
        deadline: Instant,
    ) -> Self {
        let speeds = &service.config.legs.speeds;
        let way = |from: Coordinate, to: Coordinate| {
            let mode = mode.unwrap_or_else(|| speeds.usual_mode(geo::metres(from, to)));
            Way { mode, estimate: speeds.estimate(from, to, mode), source: ESTIMATE.to_owned() }
        };
        let ways = points.iter().map(|from| points.iter().map(|to| way(*from, *to)).collect()).collect();
        let mut this = Self { points, ways };
        this.ask_provider(service, deadline).await;
        this
    }

    /// The way from one point to another, by their indexes.
    pub(super) fn way(&self, from: usize, to: usize) -> &Way {
        &self.ways[from][to]
    }

    /// Minutes between all points.
    pub(super) fn minutes(&self) -> Vec<Vec<Minute>> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "minutes on earth")]
        let minutes = |way: &Way| way.estimate.minutes.ceil().max(0.0) as Minute;
        self.ways.iter().map(|row| row.iter().map(minutes).collect()).collect()
    }

    /// Replaces estimates by the provider's results, with one call for each mode that it supports. If it fails, the
    /// estimates stay.
    async fn ask_provider(&mut self, service: &Service, deadline: Instant) {
        let Some(provider) = &service.ports.routes else { return };
        let points: Vec<_> = self.points.iter().map(|point| provider_point(*point)).collect();
        for (mode, asked) in
            [(LegMode::Walk, Mode::Walk), (LegMode::Bicycle, Mode::Bicycle), (LegMode::Drive, Mode::Drive)]
        {
            let is_used = self.ways.iter().flatten().any(|way| way.mode == mode);
            if !is_used || !provider.supports(asked) {
                continue;
            }
            match provider.matrix(asked, &points, deadline).await {
                Ok(matrix) => self.take(mode, &matrix, provider.name()),
                Err(failure) => {
                    tracing::warn!(
                        failure = failure.for_log(),
                        provider = provider.name(),
                        "routing failed; legs are estimated"
                    );
                }
            }
        }
    }

    fn take(&mut self, mode: LegMode, matrix: &Matrix, source: &str) {
        for (from, row) in self.ways.iter_mut().enumerate() {
            for (to, way) in row.iter_mut().enumerate().filter(|(_, way)| way.mode == mode) {
                if let Some(Travel { minutes, metres }) = matrix.get(from, to) {
                    let estimate = Estimate { minutes: minutes.ceil(), metres: metres.round() };
                    *way = Way { mode, estimate, source: source.to_owned() };
                }
            }
        }
    }
}

/// A coordinate in the providers' type.
pub(super) fn provider_point(coordinate: Coordinate) -> Point {
    Point { latitude: coordinate.latitude.get(), longitude: coordinate.longitude.get() }
}
