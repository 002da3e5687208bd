//! The request pipeline: takes every request to its operation's handler.
//!
//! dropshot has no middleware, its own errors bypass handlers, and its errors carry no headers. So the operations are
//! in an inner router. The request pipeline does what all operations share, calls the operation's handler, and adds the
//! headers to every response.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use dropshot::{Body, HEADER_REQUEST_ID, RequestInfo};
use futures::FutureExt;
use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode, Uri};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::{BodyRule, LimitKind, Policy, RateLimit, Scope, Surface};
use itinerary_api::reply::{IsError, IsStream};
use itinerary_api::request_state::{self, RequestState};
use itinerary_api::trace::Trace;
use itinerary_app::admission::{self, Counted};
use itinerary_oauth::{forms, pages};
use itinerary_platform::context::Service;
use itinerary_platform::fair_pool::Requester;
use itinerary_platform::log::panic_message;
use itinerary_platform::response_budget::{HeldByResponse, SMALL};
use uuid::Uuid;

use super::connections::Link;
use super::contexts::Contexts;
use super::headers::Cors;
use super::replies::oauth_error;
use super::routes::{MatchedRoute, NoRoute, RunHandler, method_for_log};
use super::{body, compression, guards, headers, origins, own_itinerary};

/// Answers a request. Also returns what the response holds until it has been sent.
///
/// Not an `async fn`, whose future would store its arguments twice.
#[expect(clippy::disallowed_methods, reason = "this is the request pipeline")]
pub(super) fn handle_request(
    contexts: &Arc<Contexts>,
    link: Arc<Link>,
    request: Request<Body>,
) -> impl Future<Output = (Response<Body>, HeldByResponse)> + use<> {
    let trusted = &contexts.service.config.trusted_proxies;
    let address = guards::client_address(request.headers(), link.remote, trusted);
    guards::warn_of_untrusted_proxy(request.headers(), link.remote, trusted);
    let state = RequestState::new(Uuid::new_v4().to_string(), address);
    if let Some(trace) = Trace::of(request.headers(), || contexts.service.random.bytes()) {
        let _ = state.trace().set(trace);
    }
    let mut pipeline = RequestPipeline::new(contexts, link, request);
    request_state::enter(state, own_itinerary::enter(async move { (pipeline.run().await, pipeline.held) }))
}

/// Marks a response as an HTML page, whatever its address.
#[derive(Clone)]
struct ForPeople;

/// The state of one request.
struct RequestPipeline {
    contexts: Arc<Contexts>,
    link: Arc<Link>,
    /// The connection's count of reads when the headers were complete.
    read_count: u64,
    /// `None` once the handler has it.
    request: Option<Request<Body>>,
    accepts_gzip: bool,
    /// Whether the client sends the body only after `100 Continue`.
    waits_for_continue: bool,
    held: HeldByResponse,
    method: Method,
    uri: Uri,
    began: Instant,
    surface: Surface,
    /// The limit of the path, if it has one of its own.
    own_limit: Option<RateLimit>,
    wants_html: bool,
    /// The cookies, with which an error page finds who is signed in. Empty unless such a page may be shown.
    cookies: HeaderMap,
    policy: Option<&'static Policy>,
    counted: Counted,
    cors: Cors,
}

impl RequestPipeline {
    fn new(contexts: &Arc<Contexts>, link: Arc<Link>, request: Request<Body>) -> Self {
        let surface = surface_of(request.uri().path());
        let wants_html = surface != Surface::Api && forms::accepts_html(request.headers());
        let cookies = request.headers().get_all(header::COOKIE).iter().filter(|_| wants_html);
        Self {
            contexts: Arc::clone(contexts),
            read_count: link.read_count(),
            link,
            accepts_gzip: compression::accepts_gzip(request.headers()),
            waits_for_continue: body::waits_for_continue(request.headers()),
            held: HeldByResponse::default(),
            method: request.method().clone(),
            uri: request.uri().clone(),
            surface,
            own_limit: None,
            wants_html,
            cookies: cookies.map(|cookie| (header::COOKIE, cookie.clone())).collect(),
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

    /// Answers the request, adds headers and writes the access line.
    async fn run(&mut self) -> Response<Body> {
        let _in_flight = self.service().metrics.request_begins();
        let outcome = AssertUnwindSafe(self.process()).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|panic| {
            tracing::error!(panic = panic_message(&*panic), "a handler panicked");
            Err(ApiError::internal())
        });
        let mut response = match outcome {
            Ok(response) => response,
            Err(error) => self.render(&error).await,
        };
        self.compress(&mut response).await;
        self.finish_headers(&mut response);
        self.hold(&response).await;
        if response.extensions().get::<IsStream>().is_some() {
            self.held.slot = None;
            self.link.streams();
        }
        self.log(&response);
        // The body is still unread if the request was rejected early.
        if let Some(request) = self.request.take() {
            let (head, body) = request.into_parts();
            body::leave_unread(&head.headers, body);
        }
        response
    }

    /// Renders an error in the format of the address's family, also for addresses without an operation.
    async fn render(&self, error: &ApiError) -> Response<Body> {
        if self.is_for_a_person() {
            let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            let mut page = self.failure_page(status).await;
            page.headers_mut().extend(error.headers.iter().cloned());
            return page;
        }
        match surface_of(self.uri.path()) {
            Surface::OAuth => oauth_error(error).response(),
            _ => request_state::with(|state| error.response(state.request_id())).expect("a request has a state"),
        }
    }

    /// Whether to show an error as a page: in a browser, outside the API. The OAuth endpoints get forms from programs,
    /// which read JSON whatever they accept.
    fn is_for_a_person(&self) -> bool {
        let is_a_programs = self.surface == Surface::OAuth && self.method == Method::POST;
        self.wants_html && self.surface != Surface::Api && !is_a_programs
    }

    async fn failure_page(&self, status: StatusCode) -> Response<Body> {
        let id = request_state::with(|state| state.request_id().to_owned()).expect("a request has a state");
        let page = pages::failed_for(self.service(), &self.cookies, status, self.uri.path(), &id).await;
        let mut page = page.map(Body::from);
        page.extensions_mut().insert(ForPeople);
        page
    }

    /// Turns a handler's error into a page if a person follows a link to a file or page.
    async fn for_people(&self, failure: Response<Body>) -> Response<Body> {
        if !matches!(self.surface, Surface::File | Surface::Page) || !self.is_for_a_person() {
            return failure;
        }
        let mut page = self.failure_page(failure.status()).await;
        page.headers_mut()
            .extend(failure.headers().get(header::RETRY_AFTER).cloned().map(|it| (header::RETRY_AFTER, it)));
        page
    }

    /// Runs the checks in order, then the handler.
    async fn process(&mut self) -> Result<Response<Body>, ApiError> {
        if self.method == Method::OPTIONS {
            return self.options();
        }
        let MatchedRoute { policy, id, run } = self.route()?;
        self.policy = Some(policy);
        self.counted.kind = policy.kind.unwrap_or(LimitKind::Read);
        self.set_surface(policy);
        if self.cors == Cors::Refused {
            return Err(ApiError::new(
                ErrorCode::Forbidden,
                "This origin may not call the MCP endpoint. The setting mcp_origins allows further origins.",
            ));
        }
        if policy.token {
            let admitted = self.admit(policy, id).await;
            admitted.map_err(|error| self.challenge(policy, error))?;
        }
        if self.waits_for_continue && policy.body == BodyRule::Image {
            guards::check_change(&self.contexts.service, id).await?;
        }
        let request = self.request.as_mut().expect("a request is handled once");
        let body = guards::take_body(&self.contexts.service, policy, request).await?;
        let takes_body = !matches!(policy.body, BodyRule::None | BodyRule::Upload | BodyRule::Files);
        if policy.token && takes_body && self.link.read_count() != self.read_count {
            let reauthenticated = self.reauthenticate(policy).await;
            reauthenticated.map_err(|error| self.challenge(policy, error))?;
        }
        if let Some(account) = account() {
            self.held.memory = admission::reserve_memory(self.service(), policy, account).await?;
        }
        let request = self.request.as_mut().expect("a request is handled once");
        if let Some(key) = guards::idempotency_key(policy, request.headers(), request.uri(), &body)? {
            request_state::set_idempotency_key(key);
        }
        guards::check_shape(policy, request.headers())?;
        if !body.is_empty() {
            *request.body_mut() = Body::from(body);
        }
        let outcome = self.handle(run).await;
        if let Some(account) = account().filter(|_| !self.method.is_safe() && !policy.is_mcp()) {
            admission::note_write(self.service(), account).await;
        }
        outcome
    }

    /// Authenticates the caller and checks rate limit, scope and responses in progress. A request without the scope
    /// counts too: looking up its token costs as much.
    #[expect(clippy::disallowed_methods, reason = "this is the request pipeline")]
    async fn admit(&mut self, policy: &Policy, id: Option<Uuid>) -> Result<(), ApiError> {
        let headers = self.request.as_ref().expect("a request is handled once").headers();
        let (caller, own) = guards::authenticate_and_read(self.service(), policy, headers, id).await?;
        if let Some(own) = own {
            own_itinerary::keep(own);
        }
        if let Some(kind) = policy.kind {
            self.counted.verdict = Some(admission::count(self.service(), kind, &caller).await);
        }
        let may = admission::check_scope(policy.scope, &caller);
        let account = caller.account;
        request_state::admit(caller);
        if let Some(verdict) = self.counted.verdict.filter(|verdict| !verdict.allowed) {
            return Err(admission::rate_limited(verdict));
        }
        may?;
        let slot = self.service().responses.slot(account).await;
        self.held.slot = Some(slot.ok_or_else(admission::too_many_responses)?);
        Ok(())
    }

    /// Repeats authentication and the scope check if the body arrived after the headers, because the token may have
    /// been revoked in the meantime.
    #[expect(clippy::disallowed_methods, reason = "this is the request pipeline")]
    async fn reauthenticate(&self, policy: &Policy) -> Result<(), ApiError> {
        let request = self.request.as_ref().expect("a request is handled once");
        let caller = guards::authenticate(self.service(), policy, request.headers()).await?;
        admission::check_scope(policy.scope, &caller)?;
        request_state::admit_again(caller);
        Ok(())
    }

    /// Reserves exactly the memory that the response needs until it is sent. Waits for memory but does not fail without
    /// it, because the operation has already run.
    async fn hold(&mut self, response: &Response<Body>) {
        let size = http_body::Body::size_hint(response.body()).exact().unwrap_or(0);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        // The published document exists once, whatever the number of requests.
        if size <= SMALL || self.surface == Surface::Discovery {
            self.held.memory = None;
        } else if let Some(memory) = &mut self.held.memory {
            memory.shrink(size);
        } else {
            self.held.memory = self.service().responses.reserve_memory(account(), size).await;
        }
    }

    /// Compresses what has no secret beside text of others, if the client accepts it.
    async fn compress(&mut self, response: &mut Response<Body>) {
        if self.accepts_gzip && compression::is_safe(self.surface, response.headers()) {
            self.charged(compression::compress(&self.contexts.docs, response)).await;
        }
    }

    /// Does work, and charges the caller's account for its processor time.
    async fn charged<T>(&self, work: impl Future<Output = T>) -> T {
        match account() {
            Some(account) => self.service().cpu_time.payer(Requester::Account(account)).pays_for(work).await,
            None => work.await,
        }
    }

    /// Adds what MCP clients expect to the challenge of an error.
    fn challenge(&self, policy: &Policy, error: ApiError) -> ApiError {
        if !policy.is_mcp() {
            return error;
        }
        let scopes = [Scope::ItinerariesRead, Scope::ItinerariesWrite].into_iter().collect();
        itinerary_mcp::challenge::complete(&self.service().config.base_url, scopes, error)
    }

    async fn handle(&mut self, run: RunHandler) -> Result<Response<Body>, ApiError> {
        if let Some(account) = account() {
            let admitted = self.service().cpu_time.admit(Requester::Account(account));
            admitted.map_err(itinerary_app::Error::from)?;
        }
        let mut request = self.request.take().expect("a request is handled once");
        if self.method == Method::HEAD {
            *request.method_mut() = Method::GET;
        }
        let mut context = self.contexts.take().await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "no handler context can be created");
            ApiError::internal()
        })?;
        context.request = RequestInfo::new(&request, self.link.remote);
        let response = self.charged(run(context, request)).await?;
        let is_error = response.extensions().get::<IsError>().is_some();
        Ok(if is_error { self.for_people(response).await } else { response })
    }

    /// The operation for the method and path. `HEAD` is routed as `GET`.
    fn route(&mut self) -> Result<MatchedRoute, ApiError> {
        let method = if self.method == Method::HEAD { &Method::GET } else { &self.method };
        self.contexts.routes.look_up(method, self.uri.path()).map_err(|none| match none {
            NoRoute::Path => ApiError::not_found(),
            NoRoute::Method => {
                let mut error = ApiError::new(
                    ErrorCode::MethodNotAllowed,
                    "This path does not support the method. See the Allow header.",
                );
                error.headers.extend(self.allow().map(|allow| (header::ALLOW, allow)));
                error
            }
        })
    }

    /// The methods of the path, or `None` if there are none. Also determines the family of the address.
    fn allow(&mut self) -> Option<HeaderValue> {
        let routes = self.contexts.routes.all(self.uri.path());
        self.set_surface(routes.first()?.1.policy);
        let mut allowed: Vec<&str> = routes.iter().map(|(method, _)| *method).collect();
        if allowed.contains(&"GET") {
            allowed.push("HEAD");
        }
        allowed.push("OPTIONS");
        HeaderValue::from_str(&allowed.join(", ")).ok()
    }

    /// Records the family of the address, its limit and its CORS policy.
    fn set_surface(&mut self, policy: &Policy) {
        self.surface = policy.surface;
        self.own_limit = policy.own_limit;
        if policy.is_mcp() {
            let origin = self.request.as_ref().and_then(|request| request.headers().get(header::ORIGIN));
            self.cors = origins::check(origin, &self.service().config);
        }
    }

    /// Answers `OPTIONS` with the methods of the path and, to a preflight, with what a web page may send.
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

    /// Adds the headers that every response has.
    fn finish_headers(&self, response: &mut Response<Body>) {
        let https = self.service().config.is_https();
        let status = response.status();
        let good = status.is_success();
        let counted = response.extensions_mut().remove().unwrap_or(self.counted);
        let is_page = self.surface == Surface::Page || response.extensions().get::<ForPeople>().is_some();
        let outcome = response.headers_mut();
        outcome.reserve(headers::SHARED);
        let id = request_state::with(|state| HeaderValue::from_str(state.request_id()));
        outcome.insert(HEADER_REQUEST_ID, id.expect("a request has a state").expect("a UUID"));
        // Without a route, the limit is that of reads.
        let kinds = matches!(self.surface, Surface::Api | Surface::OAuth).then(|| counted.kind.rate_limit());
        if let Some(limit) = self.own_limit.or(kinds) {
            headers::rate_limit(outcome, limit, counted.verdict);
        }
        if (good || status == StatusCode::NOT_MODIFIED) && self.policy.is_some_and(|policy| policy.shape) {
            outcome.insert(headers::SHAPE, HeaderValue::from_static("clean"));
        }
        if let Some(deprecation) = self.policy.and_then(|policy| policy.deprecation) {
            headers::deprecation(outcome, deprecation, &self.service().config.base_url);
        }
        if !is_page {
            headers::cors(outcome, &self.cors);
        }
        headers::defaults(outcome, self.surface, status, https);
        if self.waits_for_continue && !good {
            // The body was probably not asked for, and whether the client sends it nevertheless is unknown.
            outcome.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        // A 304 has no body of its own; a length would be that of the current representation.
        if self.method == Method::HEAD && response.status() != StatusCode::NOT_MODIFIED {
            let length = http_body::Body::size_hint(response.body()).exact();
            *response.body_mut() = Body::empty();
            if let Some(length) = length {
                response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            }
        }
    }

    /// Writes the access line and the metrics. Leaves out the client's address, queries, and whatever else may be a
    /// secret or personal.
    fn log(&self, response: &Response<Body>) {
        let status = response.status().as_u16();
        let operation = self.policy.map_or("none", |policy| policy.operation);
        let took = self.began.elapsed();
        self.service().metrics.request(operation, status, took);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let path = &*self.contexts.routes.path_for_log(self.uri.path());
        let method = method_for_log(&self.method);
        request_state::with(|state| {
            let client = state.caller().map(|caller| caller.client.as_str());
            let account = state.caller().map(|caller| tracing::field::display(caller.account));
            let trace = state.trace().get();
            let trace_id = trace.map(|trace| tracing::field::display(trace.trace_id()));
            let span_id = trace.map(|trace| tracing::field::display(trace.span_id()));
            let parent_id = trace.and_then(Trace::parent_id).map(tracing::field::display);
            tracing::info!(
                target: "access", method, path, status, operation, micros, client, account, trace_id, span_id, parent_id
            );
        });
    }
}

/// The caller's account.
fn account() -> Option<Uuid> {
    request_state::with(|state| state.caller().map(|caller| caller.account)).flatten()
}

/// The family of an address without an operation.
fn surface_of(path: &str) -> Surface {
    // The router ignores repeated slashes.
    match path.trim_start_matches('/').split('/').next() {
        Some("v1" | "mcp") => Surface::Api,
        Some("oauth") => Surface::OAuth,
        _ => Surface::Operations,
    }
}
