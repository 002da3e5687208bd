//! The front door: the one endpoint that dropshot serves, and the way of every request to its operation's handler.
//!
//! dropshot has no middleware, its own failures bypass handlers, and its errors carry no headers. So the operations
//! live in an inner router; the server has a single catch-all endpoint, which does what every operation shares, then
//! calls the operation's own handler, and sends each answer, good or bad, out with its headers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, Body, CONTENT_TYPE_JSON, HttpError, RawRequest, RequestContext,
};
use futures::FutureExt;
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::{LimitKind, Policy, Scope, Surface};
use itinerary_api::scope::{self, RequestScope};

use super::answers::oauth_error;
use super::headers::{Cors, Counted};
use super::routes::{AnyPath, METHODS, NoRoute, PolicyMissing, Route, Routes, Run};
use super::{body, gate, headers, meters, origins};
use crate::context::Service;
use crate::oauth::{forms, pages};

/// What dropshot gives its handlers: the service, and the way in.
pub struct Door {
    /// The service.
    pub service: Arc<Service>,
    pub(super) routes: Arc<Routes>,
}

impl Door {
    /// The way into this service.
    pub fn new(service: Arc<Service>) -> Result<Self, PolicyMissing> {
        Ok(Self { service, routes: Arc::new(Routes::new()?) })
    }
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

/// No `async fn`: that would keep, and move, what it is given twice.
#[expect(clippy::disallowed_methods, reason = "this is the front door")]
fn front_door(
    mut rqctx: RequestContext<Door>,
    _: AnyPath,
    raw: RawRequest,
) -> impl Future<Output = Result<Response<Body>, HttpError>> {
    let request = raw.into_inner();
    let trusted = &rqctx.context().service.config.trusted_proxies;
    let address = gate::client_address(request.headers(), rqctx.request.remote_addr(), trusted);
    let scope = RequestScope::new(std::mem::take(&mut rqctx.request_id), address);
    let mut visit = Visit::new(rqctx, request);
    scope::enter(scope, async move { Ok(visit.answer().await) })
}

/// Marks an answer as a page, wherever it was asked for.
#[derive(Clone)]
struct ForPeople;

/// One request on its way through.
struct Visit {
    service: Arc<Service>,
    routes: Arc<Routes>,
    /// What the operation's handler is given; `None` once it has been.
    rqctx: Option<RequestContext<Door>>,
    request: Option<Request<Body>>,
    method: Method,
    uri: Uri,
    began: Instant,
    surface: Surface,
    wants_html: bool,
    policy: Option<&'static Policy>,
    counted: Counted,
    cors: Cors,
}

impl Visit {
    fn new(rqctx: RequestContext<Door>, request: Request<Body>) -> Self {
        Self {
            service: Arc::clone(&rqctx.context().service),
            routes: Arc::clone(&rqctx.context().routes),
            rqctx: Some(rqctx),
            method: request.method().clone(),
            uri: request.uri().clone(),
            surface: surface_of(request.uri().path()),
            wants_html: surface_of(request.uri().path()) != Surface::Api && forms::accepts_html(request.headers()),
            request: Some(request),
            began: Instant::now(),
            policy: None,
            counted: Counted { kind: LimitKind::Read, verdict: None },
            cors: Cors::Any,
        }
    }

    /// The answer, with its headers, logged.
    async fn answer(&mut self) -> Response<Body> {
        let outcome = AssertUnwindSafe(self.go()).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|panic| {
            tracing::error!(panic = panic_message(&*panic), "a handler panicked");
            Err(ApiError::internal())
        });
        let mut response = outcome.unwrap_or_else(|error| self.render(&error));
        self.dress(&mut response);
        self.log(&response);
        // A refusal that came before the body was looked at leaves it unread.
        if let Some(request) = self.request.take() {
            body::leave_unread(request.into_body());
        }
        response
    }

    /// An error in the shape of its address's family, for what is at no address of that family too.
    fn render(&self, error: &ApiError) -> Response<Body> {
        if self.is_for_a_person() {
            let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut page = self.failure_page(status);
            page.headers_mut().extend(error.headers.iter().cloned());
            return page;
        }
        match surface_of(self.uri.path()) {
            Surface::OAuth => oauth_error(error).response(),
            _ => scope::with(|scope| error.response(scope.request_id())).expect("a visit has a scope"),
        }
    }

    /// Whether an error is shown to a person: in a browser, at an address that is not the API's. Programs send forms to the
    /// OAuth endpoints, and read JSON whatever they accept.
    fn is_for_a_person(&self) -> bool {
        let is_a_programs = self.surface == Surface::OAuth && self.method == Method::POST;
        self.wants_html && self.surface != Surface::Api && !is_a_programs
    }

    fn failure_page(&self, status: StatusCode) -> Response<Body> {
        let path = self.uri.path();
        let page = scope::with(|scope| pages::failed(status, path, scope.request_id()));
        let mut page = page.expect("a visit has a scope").map(Body::from);
        page.extensions_mut().insert(ForPeople);
        page
    }

    /// A handler's error as a page, if a person follows a link to a file.
    fn for_people(&self, failure: Response<Body>) -> Response<Body> {
        if self.surface != Surface::File || !self.is_for_a_person() {
            return failure;
        }
        let mut page = self.failure_page(failure.status());
        page.headers_mut()
            .extend(failure.headers().get(header::RETRY_AFTER).cloned().map(|it| (header::RETRY_AFTER, it)));
        page
    }

    /// The checks in their order, then the handler.
    async fn go(&mut self) -> Result<Response<Body>, ApiError> {
        if self.method == Method::OPTIONS {
            return self.options();
        }
        let Route { policy, run } = self.route()?;
        self.policy = Some(policy);
        self.counted.kind = policy.kind.unwrap_or(LimitKind::Read);
        self.belongs_to(policy);
        if self.cors == Cors::Refused {
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                "This origin may not call the MCP endpoint: see mcp_origins.",
            ));
        }
        if policy.token {
            let admitted = self.admit(policy).await;
            admitted.map_err(|error| self.challenge(policy, error))?;
        }
        let request = self.request.as_mut().expect("a request is handled once");
        let body = gate::take_body(&self.service, policy, request).await?;
        if let Some(claim) = gate::claim(policy, request.headers(), request.uri(), &body)? {
            scope::claim(claim);
        }
        gate::check_shape(policy, request.headers())?;
        if !body.is_empty() {
            *request.body_mut() = Body::from(body);
        }
        self.handle(run).await
    }

    /// Who is calling, whether they may, and whether not too often.
    #[expect(clippy::disallowed_methods, reason = "this is the front door")]
    async fn admit(&mut self, policy: &Policy) -> Result<(), ApiError> {
        let request = self.request.as_ref().expect("a request is handled once");
        let caller = gate::authenticate(&self.service, policy, request).await?;
        let may = gate::check_scope(policy.scope, &caller);
        if may.is_ok() {
            self.counted.verdict = policy.kind.map(|kind| gate::count(&self.service, kind, &caller));
        }
        scope::admit(caller);
        may?;
        match self.counted.verdict.filter(|verdict| !verdict.allowed) {
            Some(verdict) => Err(gate::rate_limited(verdict)),
            None => Ok(()),
        }
    }

    /// The challenge of a refusal, with what MCP clients look for in it.
    fn challenge(&self, policy: &Policy, error: ApiError) -> ApiError {
        if !policy.is_mcp() {
            return error;
        }
        let scopes = [Scope::ItinerariesRead, Scope::ItinerariesWrite].into_iter().collect();
        gate::challenge_mcp(&self.service.config.base_url, scopes, error)
    }

    /// Runs the operation's handler.
    async fn handle(&mut self, run: Run) -> Result<Response<Body>, ApiError> {
        let (rqctx, request) = (self.rqctx.take(), self.request.take());
        let (rqctx, mut request) = rqctx.zip(request).expect("a request is handled once");
        if self.method == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        let answer = run(rqctx, request).await;
        // A handler's error has left itself behind, rendered with its headers; dropshot's rendering of it is not used.
        answer.or_else(|| scope::take_failure().map(|failure| self.for_people(failure))).ok_or_else(|| {
            tracing::error!("a handler failed without a word");
            ApiError::internal()
        })
    }

    /// The operation for the method and path; a `HEAD` is a `GET` whose body stays here.
    fn route(&mut self) -> Result<Route, ApiError> {
        let method = if self.method == Method::HEAD { &Method::GET } else { &self.method };
        self.routes.look_up(method, self.uri.path()).map_err(|none| match none {
            NoRoute::Path => ApiError::not_found(),
            NoRoute::Method => {
                let mut error = ApiError::new(ErrorCode::MethodNotAllowed, "This address does not take that method.");
                error.headers.extend(self.allow().map(|allow| (header::ALLOW, allow)));
                error
            }
        })
    }

    /// The methods that the path takes; `None` when there is nothing at it. The address is then known to belong to the
    /// family of what is there.
    fn allow(&mut self) -> Option<HeaderValue> {
        let routes = self.routes.all(self.uri.path());
        self.belongs_to(routes.first()?.1.policy);
        let mut allowed: Vec<&str> = routes.iter().map(|(method, _)| *method).collect();
        if allowed.contains(&"GET") {
            allowed.push("HEAD");
        }
        allowed.push("OPTIONS");
        HeaderValue::from_str(&allowed.join(", ")).ok()
    }

    /// The address is one of this operation's family.
    fn belongs_to(&mut self, policy: &Policy) {
        self.surface = policy.surface;
        if policy.is_mcp() {
            let origin = self.request.as_ref().and_then(|request| request.headers().get(header::ORIGIN));
            self.cors = origins::check(origin, &self.service.config);
        }
    }

    /// What the path takes, and to a preflight what a web page may send.
    fn options(&mut self) -> Result<Response<Body>, ApiError> {
        let allow = self.allow().ok_or_else(ApiError::not_found)?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        if self.surface != Surface::Page && self.cors != Cors::Refused {
            headers::preflight(response.headers_mut(), &allow);
        }
        response.headers_mut().insert(header::ALLOW, allow);
        Ok(response)
    }

    /// Gives the answer the headers that every answer has; the request's id dropshot adds itself.
    fn dress(&self, response: &mut Response<Body>) {
        let https = self.service.config.is_https();
        let status = response.status();
        let good = status.is_success();
        let counted = response.extensions_mut().remove().unwrap_or(self.counted);
        let is_page = self.surface == Surface::Page || response.extensions().get::<ForPeople>().is_some();
        let answer = response.headers_mut();
        answer.reserve(headers::SHARED);
        if self.surface == Surface::Api {
            headers::rate_limit(answer, counted);
        }
        if (good || status == StatusCode::NOT_MODIFIED) && self.policy.is_some_and(|policy| policy.shape) {
            answer.insert(headers::SHAPE, HeaderValue::from_static("clean"));
        }
        if !is_page {
            headers::cors(answer, &self.cors);
        }
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

    /// One line and one metric a request. No query, no token, no signed link: they may hold secrets.
    fn log(&self, response: &Response<Body>) {
        let status = response.status().as_u16();
        let operation = self.policy.map_or("none", |policy| policy.operation);
        let took = self.began.elapsed();
        meters::record(operation, status, took);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let path = self.uri.path();
        let is_link = path.trim_start_matches('/').starts_with("documents/");
        let path = if is_link { "/documents/{signed}" } else { path };
        let method = self.method.as_str();
        scope::with(|scope| {
            let client = scope.caller().map(|caller| caller.client.as_str());
            let account = scope.caller().map(|caller| tracing::field::display(caller.account));
            tracing::info!(target: "access", method, path, status, operation, micros, client, account);
        });
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

pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
