//! Travel between stops: from the route provider if one is configured for the mode, otherwise estimated.

use itinerary_api::types::{Coordinate, LegMode};
use itinerary_core::geo;
use itinerary_core::legs::{ESTIMATE, Estimate, Route, Speeds};
use itinerary_core::optimise::Minute;
use itinerary_platform::context::Service;
use itinerary_providers::{Matrix, Mode, Point, Travel};
use tokio::time::Instant;

/// The routes between points. Estimates are computed when they are asked for, because only optimising needs all of
/// them.
pub(super) struct RouteMatrix {
    points: Vec<Coordinate>,
    mode: Option<LegMode>,
    speeds: Speeds,
    /// The provider's results, and its name.
    provided: Vec<(LegMode, Matrix, String)>,
}

impl RouteMatrix {
    /// The routes between all points, by the given mode or by the usual one for each distance.
    pub(super) async fn between(
        service: &Service,
        points: Vec<Coordinate>,
        mode: Option<LegMode>,
        deadline: Instant,
    ) -> Self {
        let mut this = Self { points, mode, speeds: service.config.legs.speeds.clone(), provided: Vec::new() };
        this.ask_provider(service, deadline).await;
        this
    }

    /// The route from one point to another, by their indexes.
    pub(super) fn route(&self, from: usize, to: usize) -> Route {
        let mode = self.mode(from, to);
        match self.provided(mode, from, to) {
            Some((estimate, source)) => Route { mode, estimate, source: source.to_owned() },
            None => Route { mode, estimate: self.estimate(mode, from, to), source: ESTIMATE.to_owned() },
        }
    }

    /// Minutes between all points.
    pub(super) fn minutes(&self) -> Vec<Vec<Minute>> {
        let minutes = |from: usize, to: usize| {
            let mode = self.mode(from, to);
            let provided = self.provided(mode, from, to).map(|(estimate, _)| estimate);
            let estimate = provided.unwrap_or_else(|| self.estimate(mode, from, to));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "minutes on earth")]
            let minutes = estimate.minutes.ceil().max(0.0) as Minute;
            minutes
        };
        let all = 0..self.points.len();
        all.clone().map(|from| all.clone().map(|to| minutes(from, to)).collect()).collect()
    }

    fn mode(&self, from: usize, to: usize) -> LegMode {
        self.mode.unwrap_or_else(|| self.speeds.usual_mode(geo::metres(self.points[from], self.points[to])))
    }

    fn estimate(&self, mode: LegMode, from: usize, to: usize) -> Estimate {
        self.speeds.estimate(self.points[from], self.points[to], mode)
    }

    fn provided(&self, mode: LegMode, from: usize, to: usize) -> Option<(Estimate, &str)> {
        let (_, matrix, source) = self.provided.iter().find(|(provided, ..)| *provided == mode)?;
        let Travel { minutes, metres } = matrix.get(from, to)?;
        Some((Estimate { minutes: minutes.ceil(), metres: metres.round() }, source))
    }

    /// Asks the provider for all routes, with one call for each mode that it supports. If it fails, the estimates stay.
    async fn ask_provider(&mut self, service: &Service, deadline: Instant) {
        let Some(provider) = &service.ports.routes else { return };
        let points: Vec<_> = self.points.iter().map(|point| provider_point(*point)).collect();
        let all = 0..points.len();
        for (mode, asked) in
            [(LegMode::Walk, Mode::Walk), (LegMode::Bicycle, Mode::Bicycle), (LegMode::Drive, Mode::Drive)]
        {
            let is_used = || all.clone().any(|from| all.clone().any(|to| self.mode(from, to) == mode));
            if !provider.supports(asked) || !is_used() {
                continue;
            }
            match provider.matrix(asked, &points, deadline).await {
                Ok(matrix) => self.provided.push((mode, matrix, provider.name().to_owned())),
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
}

/// A coordinate in the providers' type.
pub(super) fn provider_point(coordinate: Coordinate) -> Point {
    Point { latitude: coordinate.latitude.get(), longitude: coordinate.longitude.get() }
}
