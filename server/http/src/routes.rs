//! The inner router: finds an operation's policy row and handler by method and path.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use dropshot::{Body, HttpError, RequestContext};
use futures::future::BoxFuture;
use http::{Method, Request, Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::itinerary_api_mod;
use itinerary_api::policy::Policy;
use itinerary_api::request_state;

use uuid::Uuid;

use super::contexts::HandlerContext;
use super::endpoints::Api;

/// The methods of operations.
pub(super) const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// The number of segments of a path in the log, more than an operation has.
const SEGMENTS: usize = 12;

/// An operation without a policy row, or a row without an operation. The server does not start.
#[derive(Debug, thiserror::Error)]
#[error("operation and policy table disagree about {0}: refusing to start")]
pub struct PolicyMissing(String);

/// Runs an operation's handler. An error is that of an extractor; those of the handler itself are responses.
pub(super) type RunHandler = Box<
    dyn FnOnce(RequestContext<HandlerContext>, Request<Body>) -> BoxFuture<'static, Result<Response<Body>, ApiError>>
        + Send,
>;

/// The operation for a method and a path.
pub(super) struct MatchedRoute {
    pub(super) policy: &'static Policy,
    /// The UUID in the path at `{id}`; `None` if there is none.
    pub(super) id: Option<Uuid>,
    pub(super) run: RunHandler,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoRoute {
    Path,
    /// The path has other methods.
    Method,
}

type LookUp = Box<dyn Fn(&Method, &str) -> Result<MatchedRoute, NoRoute> + Send + Sync>;

/// The inner router.
pub(super) struct RouteTable {
    /// A closure, because the router's type is private to dropshot.
    look_up: LookUp,
    /// The segments of paths that are the same in every request.
    words: HashSet<String>,
}

impl RouteTable {
    /// The router of all operations with these policy rows.
    pub(super) fn new(policies: &'static [Policy]) -> Result<Self, PolicyMissing> {
        let operations =
            itinerary_api_mod::api_description::<Api>().map_err(|error| PolicyMissing(error.to_string()))?;
        let router = operations.into_router();
        let rows: HashMap<&str, &'static Policy> = policies.iter().map(|row| (row.operation, row)).collect();
        let known: Vec<String> = router.endpoints(None).map(|(_, _, endpoint)| endpoint.operation_id.clone()).collect();
        if let Some(without) = known.iter().find(|id| !rows.contains_key(id.as_str())) {
            return Err(PolicyMissing(without.clone()));
        }
        if let Some(row) = policies.iter().find(|row| !known.iter().any(|id| id == row.operation)) {
            return Err(PolicyMissing(row.operation.to_owned()));
        }
        let paths = router.endpoints(None).map(|(path, ..)| path);
        let words = paths.flat_map(|path| path.split('/').map(str::to_owned).collect::<Vec<_>>());
        let words = words.filter(|word| !word.starts_with('{')).collect();
        let templates = router.endpoints(None).map(|(path, _, endpoint)| (endpoint.operation_id.clone(), path));
        let templates: HashMap<String, String> = templates.collect();
        let look_up: LookUp = Box::new(move |method, path| {
            let found = router.lookup_route(method, path.into(), None).map_err(|error| no_route(&error))?;
            let policy = rows.get(found.endpoint.operation_id.as_str()).copied().ok_or(NoRoute::Path)?;
            let id = templates.get(policy.operation).and_then(|template| id_in(template, path));
            let run: RunHandler = Box::new(move |mut rqctx, request| {
                rqctx.endpoint = found.endpoint;
                Box::pin(async move { found.handler.handle_request(rqctx, request).await.map_err(|_| refusal()) })
            });
            Ok(MatchedRoute { policy, id, run })
        });
        Ok(Self { look_up, words })
    }

    /// The path for the log: UUIDs and the words of operations' paths. Everything else may be a secret (a signed link, a
    /// calendar's address) or personal (whatever is sent to a path without an operation), and is replaced by `*`.
    pub(super) fn path_for_log<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let is_known = |segment: &str| self.words.contains(segment) || is_uuid(segment);
        if path.split('/').take(SEGMENTS + 1).count() <= SEGMENTS && path.split('/').all(is_known) {
            return path.into();
        }
        let shown = path.split('/').take(SEGMENTS).map(|segment| if is_known(segment) { segment } else { "*" });
        shown.collect::<Vec<_>>().join("/").into()
    }

    /// The operation for a method and a path. Methods are case-sensitive, unlike in dropshot's router.
    pub(super) fn look_up(&self, method: &Method, path: &str) -> Result<MatchedRoute, NoRoute> {
        let known = METHODS.contains(method);
        // Any method shows whether the path exists.
        let found = (self.look_up)(if known { method } else { &Method::GET }, path);
        if known { found } else { found.and(Err(NoRoute::Method)) }
    }

    /// The methods of a path and their operations.
    pub(super) fn all(&self, path: &str) -> Vec<(&'static str, MatchedRoute)> {
        const NAMES: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
        let found = METHODS.iter().zip(NAMES).map(|(method, name)| Some((name, self.look_up(method, path).ok()?)));
        found.flatten().collect()
    }
}

/// The UUID of a path where its template has `{id}`. The router ignores empty segments too. Its own variables have a type
/// that only dropshot can read.
fn id_in(template: &str, path: &str) -> Option<Uuid> {
    let mut names = template.split('/').filter(|segment| !segment.is_empty());
    let mut segments = path.split('/').filter(|segment| !segment.is_empty());
    let id = segments.nth(names.position(|name| name == "{id}")?)?;
    Uuid::try_parse(id).ok()
}

/// The error with which an extractor refused the current request. dropshot's error cannot be read: its type is private.
fn refusal() -> ApiError {
    request_state::take_refusal().unwrap_or_else(|| {
        tracing::error!("a handler failed without an error");
        ApiError::internal()
    })
}

/// The method for the log. Clients may make up others, of any length and content.
pub(super) fn method_for_log(method: &Method) -> &str {
    let is_known = METHODS.contains(method) || matches!(*method, Method::HEAD | Method::OPTIONS);
    if is_known { method.as_str() } else { "*" }
}

fn is_uuid(segment: &str) -> bool {
    segment.len() == 36 && Uuid::try_parse(segment).is_ok()
}

fn no_route(error: &HttpError) -> NoRoute {
    if error.status_code.as_status() == StatusCode::METHOD_NOT_ALLOWED { NoRoute::Method } else { NoRoute::Path }
}

#[cfg(test)]
mod tests {
    use itinerary_api::policy::POLICIES;

    use super::*;

    #[test]
    fn the_id_of_a_path_is_where_its_template_has_it() {
        let id = Uuid::from_u128(1);
        let template = "/v1/itineraries/{id}/days/{dayId}";
        for (path, found) in [
            (format!("/v1/itineraries/{id}/days/d1"), Some(id)),
            (format!("//v1/itineraries//{id}/days/d1"), Some(id)),
            (format!("/v1/itineraries/x/days/{id}"), None),
            ("/v1/itineraries".to_owned(), None),
        ] {
            assert_eq!(id_in(template, &path), found, "{path}");
        }
        assert_eq!(id_in("/v1/itineraries", &format!("/v1/itineraries/{id}")), None);
    }

    #[test]
    fn the_log_shows_only_known_methods() {
        let made_up = Method::from_bytes(b"ANA").expect("a token");
        let shown = [Method::PATCH, Method::HEAD, Method::OPTIONS, Method::TRACE, made_up];
        assert_eq!(shown.each_ref().map(method_for_log), ["PATCH", "HEAD", "OPTIONS", "*", "*"]);
    }

    #[test]
    fn the_log_shows_only_known_words_and_uuids_of_a_path() {
        let routes = RouteTable::new(POLICIES).expect("every operation has a row");
        let id = "0197f3a0-5a5c-7d55-8f2b-0123456789ab";
        for (path, shown) in [
            ("/", "/".to_owned()),
            ("/v1/itineraries", "/v1/itineraries".to_owned()),
            (&format!("/v1/itineraries/{id}/days/d1/stops"), format!("/v1/itineraries/{id}/days/*/stops")),
            ("/documents/eyJhbGciOi", "/documents/*".to_owned()),
            ("/%64ocuments/eyJhbGciOi", "/*/*".to_owned()),
            ("/calendar/secret.ics", "/calendar/*".to_owned()),
            ("/ana@mail.example//x", "/*//*".to_owned()),
            (&"/x".repeat(1000), "/*".repeat(11)),
            (&"/v1".repeat(1000), "/v1".repeat(11)),
        ] {
            assert_eq!(routes.path_for_log(path), shown);
        }
    }
}
