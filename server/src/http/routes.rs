//! The inner router: finds an operation's policy row and handler by method and path.

use std::collections::HashMap;

use dropshot::{Body, HttpError, RequestContext};
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use itinerary_api::itinerary_api_mod;
use itinerary_api::policy::{POLICIES, Policy};

use super::contexts::Door;
use super::endpoints::Api;

/// The methods of operations.
pub(super) const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// An operation without a policy row, or a row without an operation. The server does not start.
#[derive(Debug, thiserror::Error)]
#[error("operation and policy table disagree about {0}: refusing to start")]
pub struct PolicyMissing(String);

/// Runs an operation's handler. An error is left in the request's context.
pub(super) type Run =
    Box<dyn FnOnce(RequestContext<Door>, Request<Body>) -> BoxFuture<'static, Option<Response<Body>>> + Send>;

/// The operation for a method and a path.
pub(super) struct Route {
    pub(super) policy: &'static Policy,
    pub(super) run: Run,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoute {
    Path,
    /// The path has other methods.
    Method,
}

type LookUp = Box<dyn Fn(&Method, &str) -> Result<Route, NoRoute> + Send + Sync>;

/// The inner router. A closure, because its type is private to dropshot.
pub(super) struct Routes(LookUp);

impl Routes {
    /// The router of all operations with their policy rows.
    pub(super) fn new() -> Result<Self, PolicyMissing> {
        let operations =
            itinerary_api_mod::api_description::<Api>().map_err(|error| PolicyMissing(error.to_string()))?;
        let router = operations.into_router();
        let rows: HashMap<&str, &'static Policy> = POLICIES.iter().map(|row| (row.operation, row)).collect();
        let known: Vec<String> = router.endpoints(None).map(|(_, _, endpoint)| endpoint.operation_id.clone()).collect();
        if let Some(without) = known.iter().find(|id| !rows.contains_key(id.as_str())) {
            return Err(PolicyMissing(without.clone()));
        }
        if let Some(row) = POLICIES.iter().find(|row| !known.iter().any(|id| id == row.operation)) {
            return Err(PolicyMissing(row.operation.to_owned()));
        }
        Ok(Self(Box::new(move |method, path| {
            let found = router.lookup_route(method, path.into(), None).map_err(|error| no_route(&error))?;
            let policy = rows.get(found.endpoint.operation_id.as_str()).copied().ok_or(NoRoute::Path)?;
            let run: Run = Box::new(move |mut rqctx, request| {
                rqctx.endpoint = found.endpoint;
                Box::pin(async move { found.handler.handle_request(rqctx, request).await.ok() })
            });
            Ok(Route { policy, run })
        })))
    }

    /// The operation for a method and a path. Methods are case-sensitive, unlike in dropshot's router.
    pub(super) fn look_up(&self, method: &Method, path: &str) -> Result<Route, NoRoute> {
        let known = METHODS.contains(method);
        // Any method shows whether the path exists.
        let found = (self.0)(if known { method } else { &Method::GET }, path);
        if known { found } else { found.and(Err(NoRoute::Method)) }
    }

    /// The methods of a path and their operations.
    pub(super) fn all(&self, path: &str) -> Vec<(&'static str, Route)> {
        const NAMES: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let found = METHODS.iter().zip(NAMES).map(|(method, name)| Some((name, self.look_up(method, path).ok()?)));
        found.flatten().collect()
    }
}

fn no_route(error: &HttpError) -> NoRoute {
    if error.status_code.as_status() == StatusCode::METHOD_NOT_ALLOWED { NoRoute::Method } else { NoRoute::Path }
}
