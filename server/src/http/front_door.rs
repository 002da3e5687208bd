//! The front door: the one endpoint that dropshot serves, and the way of every request to its operation's handler.
//!
//! dropshot has no middleware, its own failures bypass handlers, and its errors carry no headers. So the operations
//! live in an inner router; the server has a single catch-all endpoint, which does what every operation shares, then
//! calls the operation's own handler, and sends each answer, good or bad, out with its headers.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, CONTENT_TYPE_JSON, HttpError, Path, RawRequest,
    RequestContext,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::itinerary_api_mod;
use itinerary_api::policy::{LimitKind, POLICIES, Policy, Surface, policy};
use itinerary_api::scope::{self, Caller, RequestScope};
use schemars::JsonSchema;
use serde::Deserialize;
use tracing::Instrument;

use super::answers::oauth_error;
use super::endpoints::Api;
use super::{body, gate, headers};
use crate::context::Service;
use crate::limits::Verdict;
use crate::oauth::{forms, pages};

/// What dropshot gives its handlers: the service, and the way in.
pub struct Door {
    /// The service.
    pub service: Arc<Service>,
    routes: OnceLock<Routes>,
}

/// An operation without a policy row, or a row without an operation: the server does not start.
#[derive(Debug, thiserror::Error)]
#[error("operation and policy table disagree about {0}: refusing to start")]
pub struct PolicyMissing(String);

impl Door {
    /// The way into this service.
    pub fn new(service: Arc<Service>) -> Result<Self, PolicyMissing> {
        let routes = OnceLock::from(routes()?);
        Ok(Self { service, routes })
    }
}

const METHODS: [Method; 5] = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

type Run = Box<dyn FnOnce(RequestContext<Door>, Request<Body>) -> BoxFuture<'static, Option<Response<Body>>> + Send>;

/// An operation that was found for a method and a path.
struct Route {
    policy: &'static Policy,
    run: Run,
}

/// The inner router, whose type dropshot keeps to itself.
type Routes = Box<dyn Fn(&Method, &str) -> Option<Route> + Send + Sync>;

fn routes() -> Result<Routes, PolicyMissing> {
    let operations = itinerary_api_mod::api_description::<Api>().map_err(|error| PolicyMissing(error.to_string()))?;
    let router = operations.into_router();
    let known: Vec<String> = router.endpoints(None).map(|(_, _, endpoint)| endpoint.operation_id.clone()).collect();
    if let Some(without) = known.iter().find(|id| policy(id).is_none()) {
        return Err(PolicyMissing(without.clone()));
    }
    if let Some(row) = POLICIES.iter().find(|row| !known.iter().any(|id| id == row.operation)) {
        return Err(PolicyMissing(row.operation.to_owned()));
    }
    Ok(Box::new(move |method, path| {
        let found = router.lookup_route(method, path.into(), None).ok()?;
        let policy = policy(&found.endpoint.operation_id)?;
        let run: Run = Box::new(move |mut rqctx, request| {
            rqctx.endpoint = found.endpoint;
            Box::pin(async move { found.handler.handle_request(rqctx, request).await.ok() })
        });
        Some(Route { policy, run })
    }))
}

#[derive(Deserialize, JsonSchema)]
struct AnyPath {
    #[expect(dead_code, reason = "the front door looks the path up itself")]
    path: Vec<String>,
}

/// The API that dropshot serves: a catch-all for each method.
pub fn api() -> ApiDescription<Door> {
    let mut outer = ApiDescription::new();
    for method in METHODS.into_iter().chain([Method::HEAD, Method::OPTIONS]) {
        let name = format!("front_door_{}", method.as_str().to_lowercase());
        let versions = ApiEndpointVersions::All;
        let mut door = ApiEndpoint::new(name, front_door, method, CONTENT_TYPE_JSON, "/{path:.*}", versions);
        door.visible = false;
        outer.register(door).expect("one catch-all a method");
    }
    outer
}

async fn front_door(
    rqctx: RequestContext<Door>,
    _: Path<AnyPath>,
    raw: RawRequest,
) -> Result<Response<Body>, HttpError> {
    let span = tracing::info_span!("request", id = %rqctx.request_id);
    Ok(Visit::new(rqctx, raw.into_inner()).answer().instrument(span).await)
}

/// One request on its way through.
struct Visit {
    service: Arc<Service>,
    rqctx: Option<RequestContext<Door>>,
    request: Request<Body>,
    method: Method,
    path: String,
    wants_html: bool,
    request_id: String,
    began: Instant,
    surface: Surface,
    policy: Option<&'static Policy>,
    caller: Option<Caller>,
    verdict: Option<Verdict>,
}

impl Visit {
    fn new(rqctx: RequestContext<Door>, request: Request<Body>) -> Self {
        let path = request.uri().path().to_owned();
        Self {
            service: Arc::clone(&rqctx.context().service),
            request_id: rqctx.request_id.clone(),
            rqctx: Some(rqctx),
            method: request.method().clone(),
            wants_html: forms::accepts_html(request.headers()),
            request,
            surface: surface_of(&path),
            path,
            began: Instant::now(),
            policy: None,
            caller: None,
            verdict: None,
        }
    }

    /// The answer, with its headers, logged.
    async fn answer(mut self) -> Response<Body> {
        let outcome = AssertUnwindSafe(self.go()).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|panic| {
            tracing::error!(panic = panic_message(&*panic), "a handler panicked");
            Err(ApiError::internal())
        });
        let mut response = outcome.unwrap_or_else(|error| self.render(&error));
        self.dress(&mut response);
        self.log(&response);
        // A refusal that came before the body was looked at leaves it unread.
        body::leave_unread(std::mem::replace(self.request.body_mut(), Body::empty()));
        response
    }

    /// An error in the shape of its address's family, for what is at no address of that family too.
    fn render(&self, error: &ApiError) -> Response<Body> {
        if self.surface == Surface::Page && self.wants_html {
            return pages::refused(&oauth_error(error)).map(Body::from);
        }
        match surface_of(&self.path) {
            Surface::OAuth => oauth_error(error).response(),
            _ => error.response(&self.request_id),
        }
    }

    /// The checks in their order, then the handler.
    async fn go(&mut self) -> Result<Response<Body>, ApiError> {
        if self.method == Method::OPTIONS {
            return self.options();
        }
        let Route { policy, run } = self.route()?;
        self.policy = Some(policy);
        self.surface = policy.surface;
        let service = Arc::clone(&self.service);
        if policy.token {
            let caller = gate::authenticate(&service, self.request.headers()).await?;
            let caller = self.caller.insert(caller);
            gate::check_scope(policy, caller)?;
            self.verdict = gate::count(&service, policy, caller);
            if let Some(verdict) = self.verdict.filter(|verdict| !verdict.allowed) {
                return Err(gate::rate_limited(verdict));
            }
        }
        let body = gate::take_body(&service, policy, &mut self.request).await?;
        let claim = gate::claim(policy, self.request.headers(), self.request.uri(), &body)?;
        gate::check_shape(policy, self.request.headers())?;
        self.handle(run, body, claim).await
    }

    /// The operation for the method and path; a `HEAD` is a `GET` whose body stays here.
    fn route(&mut self) -> Result<Route, ApiError> {
        let method = if self.method == Method::HEAD { &Method::GET } else { &self.method };
        if let Some(route) = self.look_up(method) {
            return Ok(route);
        }
        match self.allow() {
            None => Err(ApiError::not_found()),
            Some(allow) => {
                self.surface = self.family();
                let message = "This address does not take that method.";
                let mut error = ApiError::new(ErrorCode::MethodNotAllowed, message);
                error.headers.push((header::ALLOW, allow));
                Err(error)
            }
        }
    }

    /// Methods are what they are letter by letter; dropshot's router does not mind their case.
    fn look_up(&self, method: &Method) -> Option<Route> {
        if !METHODS.contains(method) {
            return None;
        }
        let rqctx = self.rqctx.as_ref()?;
        let routes = rqctx.context().routes.get()?;
        routes(method, &self.path)
    }

    /// The methods that the path takes; `None` when there is nothing at it.
    fn allow(&self) -> Option<HeaderValue> {
        let mut allowed: Vec<&str> = METHODS.iter().filter(|m| self.look_up(m).is_some()).map(Method::as_str).collect();
        if allowed.is_empty() {
            return None;
        }
        if allowed.contains(&"GET") {
            allowed.push("HEAD");
        }
        allowed.push("OPTIONS");
        HeaderValue::from_str(&allowed.join(", ")).ok()
    }

    /// The family of whatever the path takes.
    fn family(&self) -> Surface {
        let route = METHODS.iter().find_map(|method| self.look_up(method));
        route.map_or(self.surface, |route| route.policy.surface)
    }

    /// What the path takes, and to a preflight what a web page may send.
    fn options(&mut self) -> Result<Response<Body>, ApiError> {
        let allow = self.allow().ok_or_else(ApiError::not_found)?;
        self.surface = self.family();
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        if self.surface != Surface::Page {
            headers::preflight(response.headers_mut(), &allow);
        }
        response.headers_mut().insert(header::ALLOW, allow);
        Ok(response)
    }

    /// Runs the operation's handler within the request's scope.
    #[expect(clippy::disallowed_methods, reason = "this is the front door")]
    async fn handle(&mut self, run: Run, body: Bytes, claim: Option<scope::Claim>) -> Result<Response<Body>, ApiError> {
        let rqctx = self.rqctx.take().expect("a request is handled once");
        let mut request = std::mem::replace(&mut self.request, Request::new(Body::empty()));
        if self.method == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        *request.body_mut() = Body::from(body);
        let trusted = &self.service.config.trusted_proxies;
        let scope = RequestScope {
            request_id: self.request_id.clone(),
            address: gate::client_address(request.headers(), rqctx.request.remote_addr(), trusted),
            caller: self.caller.clone(),
            claim,
        };
        let (answer, failure) = scope::enter(scope, run(rqctx, request)).await;
        // A handler's error has left itself behind, rendered with its headers; dropshot's rendering of it is not used.
        answer.or(failure).ok_or_else(|| {
            tracing::error!("a handler failed without a word");
            ApiError::internal()
        })
    }

    /// Gives the answer the headers that every answer has.
    fn dress(&self, response: &mut Response<Body>) {
        let https = self.service.config.is_https();
        let status = response.status();
        let good = status.is_success();
        let answer = response.headers_mut();
        if let Ok(id) = HeaderValue::from_str(&self.request_id) {
            answer.insert(headers::REQUEST_ID, id);
        }
        if self.surface == Surface::Api {
            let kind = self.policy.and_then(|policy| policy.kind).unwrap_or(LimitKind::Read);
            headers::rate_limit(answer, kind, self.verdict);
        }
        if (good || status == StatusCode::NOT_MODIFIED) && self.policy.is_some_and(|policy| policy.shape) {
            answer.insert(headers::SHAPE, HeaderValue::from_static("clean"));
        }
        headers::cors(answer, self.surface);
        headers::defaults(answer, self.surface, good, https);
        // A 304 has no body of its own: a length would speak of the one that the reader has.
        if self.method == Method::HEAD && response.status() != StatusCode::NOT_MODIFIED {
            let length = http_body::Body::size_hint(response.body()).exact();
            *response.body_mut() = Body::empty();
            if let Some(length) = length {
                response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            }
        }
    }

    /// One line and one metric a request. No query, no token: they may hold secrets.
    fn log(&self, response: &Response<Body>) {
        let status = response.status().as_u16();
        let operation = self.policy.map_or("none", |policy| policy.operation);
        let took = self.began.elapsed();
        metrics::counter!("http_requests_total", "operation" => operation, "status" => status.to_string()).increment(1);
        metrics::histogram!("http_request_seconds", "operation" => operation).record(took);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let client = self.caller.as_ref().map(|caller| caller.client.as_str());
        let account = self.caller.as_ref().map(|caller| tracing::field::display(caller.account));
        let (method, path) = (&self.method, &self.path);
        tracing::info!(target: "access", %method, path, status, operation, micros, client, account);
    }
}

/// The family of an address that nothing was found at.
fn surface_of(path: &str) -> Surface {
    // The router passes over slashes that are doubled.
    match path.trim_start_matches('/').split('/').next() {
        Some("v1" | "mcp") => Surface::Api,
        Some("oauth") => Surface::OAuth,
        _ => Surface::Operations,
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
