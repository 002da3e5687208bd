//! The front door: the way of every request to its operation's handler.
//!
//! dropshot has no middleware, its own failures bypass handlers, and its errors carry no headers. So the operations live in an
//! inner router. The front door does what every operation shares, then calls the operation's own handler, and sends each
//! answer, good or bad, out with its headers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use dropshot::{Body, HEADER_REQUEST_ID, RequestInfo};
use futures::FutureExt;
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::{BodyRule, LimitKind, Policy, Scope, Surface};
use itinerary_api::scope::{self, RequestScope};
use uuid::Uuid;

use super::answers::oauth_error;
use super::compression::Accepted;
use super::connections::Link;
use super::contexts::Contexts;
use super::headers::{Cors, Counted};
use super::routes::{NoRoute, Route, Run};
use super::{body, compression, gate, headers, origins};
use crate::answers::{Held, Reservation, SMALL};
use crate::context::Service;
use crate::oauth::{forms, pages};

/// Operations whose answers may be several megabytes: memory is kept for them before they run.
const LARGE: [&str; 3] = ["itinerary_list", "account_itinerary_list", "explore_list"];
/// What a page of a hundred itineraries may have, with the longest texts.
const LARGEST: usize = 3 * 1024 * 1024;

/// Answers a request. Gives what the answer holds until it has been sent, too.
///
/// No `async fn`: that would keep, and move, what it is given twice.
#[expect(clippy::disallowed_methods, reason = "this is the front door")]
pub(super) fn front_door(
    contexts: &Arc<Contexts>,
    link: Arc<Link>,
    request: Request<Body>,
) -> impl Future<Output = (Response<Body>, Held)> + use<> {
    let trusted = &contexts.service.config.trusted_proxies;
    let address = gate::client_address(request.headers(), link.remote, trusted);
    let scope = RequestScope::new(Uuid::new_v4().to_string(), address);
    let mut visit = Visit::new(contexts, link, request);
    scope::enter(scope, async move { (visit.answer().await, visit.held) })
}

/// Marks an answer as a page, wherever it was asked for.
#[derive(Clone)]
struct ForPeople;

/// One request on its way through.
struct Visit {
    contexts: Arc<Contexts>,
    link: Arc<Link>,
    /// How often the connection had been read when the headers were complete.
    reads: u64,
    /// `None` once the handler has it.
    request: Option<Request<Body>>,
    accepted: Accepted,
    held: Held,
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
    fn new(contexts: &Arc<Contexts>, link: Arc<Link>, request: Request<Body>) -> Self {
        Self {
            contexts: Arc::clone(contexts),
            reads: link.reads(),
            link,
            accepted: Accepted::by(request.headers()),
            held: Held::default(),
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

    fn service(&self) -> &Service {
        &self.contexts.service
    }

    /// The answer, with its headers, logged.
    async fn answer(&mut self) -> Response<Body> {
        let outcome = AssertUnwindSafe(self.go()).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|panic| {
            tracing::error!(panic = panic_message(&*panic), "a handler panicked");
            Err(ApiError::internal())
        });
        let mut response = outcome.unwrap_or_else(|error| self.render(&error));
        self.compress(&mut response).await;
        self.dress(&mut response);
        self.hold(&response).await;
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
        let body = gate::take_body(&self.contexts.service, policy, request).await?;
        let takes_body = !matches!(policy.body, BodyRule::None | BodyRule::Upload);
        if policy.token && takes_body && self.link.reads() != self.reads {
            let judged = self.judge_again(policy).await;
            judged.map_err(|error| self.challenge(policy, error))?;
        }
        if let Some(account) = account() {
            self.held.memory = reserve(self.service(), policy, account).await?;
        }
        let request = self.request.as_mut().expect("a request is handled once");
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
        let caller = gate::authenticate(self.service(), policy, request).await?;
        let may = gate::check_scope(policy.scope, &caller);
        if may.is_ok() {
            self.counted.verdict = policy.kind.map(|kind| gate::count(self.service(), kind, &caller));
        }
        let account = caller.account;
        scope::admit(caller);
        may?;
        if let Some(verdict) = self.counted.verdict.filter(|verdict| !verdict.allowed) {
            return Err(gate::rate_limited(verdict));
        }
        let slot = self.service().answers.begin(account).await;
        self.held.slot = Some(slot.ok_or_else(gate::too_many_answers)?);
        Ok(())
    }

    /// The body came after the headers: who is calling, and whether they still may. What has been revoked meanwhile does not
    /// write.
    #[expect(clippy::disallowed_methods, reason = "this is the front door")]
    async fn judge_again(&self, policy: &Policy) -> Result<(), ApiError> {
        let request = self.request.as_ref().expect("a request is handled once");
        let caller = gate::authenticate(self.service(), policy, request).await?;
        gate::check_scope(policy.scope, &caller)?;
        scope::admit_again(caller);
        Ok(())
    }

    /// Keeps the memory that the answer has, no more, until it is sent. What others hold delays it, and does not refuse it:
    /// what it tells has been done.
    async fn hold(&mut self, response: &Response<Body>) {
        let size = http_body::Body::size_hint(response.body()).exact().unwrap_or(0);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        // Of the published document there is one copy.
        if size <= SMALL || self.surface == Surface::Discovery {
            self.held.memory = None;
        } else if let Some(memory) = &mut self.held.memory {
            memory.shrink(size);
        } else {
            self.held.memory = self.service().answers.reserve(account(), size).await;
        }
    }

    /// Compresses JSON for those who ask for it.
    async fn compress(&mut self, response: &mut Response<Body>) {
        if matches!(self.surface, Surface::Api | Surface::Discovery) {
            compression::compress(self.accepted, self.service(), response).await;
        }
    }

    /// The challenge of a refusal, with what MCP clients look for in it.
    fn challenge(&self, policy: &Policy, error: ApiError) -> ApiError {
        if !policy.is_mcp() {
            return error;
        }
        let scopes = [Scope::ItinerariesRead, Scope::ItinerariesWrite].into_iter().collect();
        gate::challenge_mcp(&self.service().config.base_url, scopes, error)
    }

    /// Runs the operation's handler.
    async fn handle(&mut self, run: Run) -> Result<Response<Body>, ApiError> {
        let mut request = self.request.take().expect("a request is handled once");
        if self.method == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        let mut context = self.contexts.take().await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "no context can be made");
            ApiError::internal()
        })?;
        context.request = RequestInfo::new(&request, self.link.remote);
        let answer = run(context, request).await;
        // A handler's error has left itself behind, rendered with its headers; dropshot's rendering of it is not used.
        answer.or_else(|| scope::take_failure().map(|failure| self.for_people(failure))).ok_or_else(|| {
            tracing::error!("a handler failed without a word");
            ApiError::internal()
        })
    }

    /// The operation for the method and path; a `HEAD` is a `GET` whose body stays here.
    fn route(&mut self) -> Result<Route, ApiError> {
        let method = if self.method == Method::HEAD { &Method::GET } else { &self.method };
        self.contexts.routes.look_up(method, self.uri.path()).map_err(|none| match none {
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
        let routes = self.contexts.routes.all(self.uri.path());
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
            self.cors = origins::check(origin, &self.service().config);
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

    /// Gives the answer the headers that every answer has.
    fn dress(&self, response: &mut Response<Body>) {
        let https = self.service().config.is_https();
        let status = response.status();
        let good = status.is_success();
        let counted = response.extensions_mut().remove().unwrap_or(self.counted);
        let is_page = self.surface == Surface::Page || response.extensions().get::<ForPeople>().is_some();
        let answer = response.headers_mut();
        answer.reserve(headers::SHARED);
        let id = scope::with(|scope| HeaderValue::from_str(scope.request_id()));
        answer.insert(HEADER_REQUEST_ID, id.expect("a visit has a scope").expect("a UUID"));
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
        self.service().metrics.request(operation, status, took);
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

/// Keeps memory for an answer that may be large.
pub(super) async fn reserve(
    service: &Service,
    policy: &Policy,
    account: Uuid,
) -> Result<Option<Reservation>, ApiError> {
    if !LARGE.contains(&policy.operation) {
        return Ok(None);
    }
    let memory = service.answers.reserve(Some(account), LARGEST).await;
    memory.map(Some).ok_or_else(gate::too_many_answers)
}

/// Whose answer it is.
fn account() -> Option<Uuid> {
    scope::with(|scope| scope.caller().map(|caller| caller.account)).flatten()
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
