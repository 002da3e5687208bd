//! Travel between stops: from the route provider if one is configured for the mode, otherwise estimated.

use std::collections::HashMap;

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
    /// Whether a call failed.
    failed: bool,
}

/// The pairs of points whose routes are needed.
#[derive(Clone, Copy)]
enum Pairs<'p> {
    All,
    /// By their indexes.
    Only(&'p [(usize, usize)]),
}

impl RouteMatrix {
    /// The routes between all points, by the given mode or by the usual one for each distance.
    pub(super) async fn between(
        service: &Service,
        points: Vec<Coordinate>,
        mode: Option<LegMode>,
        deadline: Instant,
    ) -> Self {
        let mut this = Self::estimated(service, points, mode);
        this.ask_provider(service, Pairs::All, deadline).await;
        this
    }

    /// The same without a provider.
    fn estimated(service: &Service, points: Vec<Coordinate>, mode: Option<LegMode>) -> Self {
        Self { points, mode, speeds: service.config.legs.speeds.clone(), provided: Vec::new(), failed: false }
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

    /// Asks the provider for the routes, with one call for each of their modes that it supports. If it fails, the estimates
    /// stay.
    async fn ask_provider(&mut self, service: &Service, pairs: Pairs<'_>, deadline: Instant) {
        let Some(provider) = &service.ports.routes else { return };
        let points: Vec<_> = self.points.iter().map(|point| provider_point(*point)).collect();
        let all = 0..points.len();
        for (mode, asked) in
            [(LegMode::Walk, Mode::Walk), (LegMode::Bicycle, Mode::Bicycle), (LegMode::Drive, Mode::Drive)]
        {
            let is_used = || match pairs {
                Pairs::All => all.clone().any(|from| all.clone().any(|to| self.mode(from, to) == mode)),
                Pairs::Only(pairs) => pairs.iter().any(|(from, to)| self.mode(*from, *to) == mode),
            };
            if !provider.supports(asked) || !is_used() {
                continue;
            }
            match provider.matrix(asked, &points, deadline).await {
                Ok(matrix) => self.provided.push((mode, matrix, provider.name().to_owned())),
                Err(failure) => {
                    self.failed = true;
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

/// The coordinates of a route's ends.
pub(super) type RouteEnds = (Coordinate, Coordinate);

/// The routes that a request has found.
#[derive(Default)]
pub(super) struct FoundRoutes {
    found: HashMap<[u64; 4], Route>,
    /// After a failure, the request asks the provider no more.
    provider_failed: bool,
}

/// The number of routes in a call to the provider, which accepts at most 50 points.
const ROUTES_PER_CALL: usize = 24;

impl FoundRoutes {
    /// Finds the routes between these ends that are not found yet.
    pub(super) async fn find(&mut self, service: &Service, ends: impl Iterator<Item = RouteEnds>, deadline: Instant) {
        let new: Vec<RouteEnds> = ends.filter(|ends| self.get(*ends).is_none()).collect();
        for chunk in new.chunks(ROUTES_PER_CALL) {
            let mut points: Vec<Coordinate> = Vec::new();
            let mut number = |point: Coordinate| {
                // The previous route usually ends where this one begins.
                let found = points.iter().rposition(|other| *other == point);
                found.unwrap_or_else(|| {
                    points.push(point);
                    points.len() - 1
                })
            };
            let pairs: Vec<_> = chunk.iter().map(|(from, to)| (number(*from), number(*to))).collect();
            let mut routes = RouteMatrix::estimated(service, points, None);
            if !self.provider_failed {
                routes.ask_provider(service, Pairs::Only(&pairs), deadline).await;
                self.provider_failed = routes.failed;
            }
            let found = chunk.iter().zip(&pairs).map(|(ends, (from, to))| (Self::key(*ends), routes.route(*from, *to)));
            self.found.extend(found);
        }
    }

    pub(super) fn get(&self, ends: RouteEnds) -> Option<&Route> {
        self.found.get(&Self::key(ends))
    }

    fn key((from, to): RouteEnds) -> [u64; 4] {
        [from.latitude.get(), from.longitude.get(), to.latitude.get(), to.longitude.get()].map(f64::to_bits)
    }
}

/// A coordinate in the providers' type.
pub(super) fn provider_point(coordinate: Coordinate) -> Point {
    Point { latitude: coordinate.latitude.get(), longitude: coordinate.longitude.get() }
}
