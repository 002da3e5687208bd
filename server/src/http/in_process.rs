//! Runs operations in process, for a request that the front door has admitted: the way of the MCP tools to the API.
//!
//! An operation is looked up, checked and handled as if it had come over HTTP, but for what the request around it has had
//! once: no second authentication, no second count, no access log line of its own.

use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use bytes::Bytes;
use dropshot::{Body, RequestContext, RequestInfo};
use futures::FutureExt;
use http::{Request, Response};
use itinerary_api::error::ApiError;
use itinerary_api::policy::{LimitKind, Scope};
use itinerary_api::scope::{self, Caller, RequestScope};
use tokio::sync::Mutex;

use super::answers::refusal;
use super::contexts::{self, Contexts, Door};
use super::front_door::{panic_message, reserve};
use super::gate;
use super::headers::Counted;
use super::routes::{NoRoute, Route};
use crate::answers::Reservation;
use crate::app::destinations::{self, Town};

/// Runs operations for one caller within one HTTP request.
pub(crate) struct InProcess {
    contexts: Arc<Contexts>,
    caller: Caller,
    remote: SocketAddr,
    address: IpAddr,
    request_id: String,
    /// Held while an operation runs: they run one after another.
    running: Mutex<()>,
    missing_scope: OnceLock<Scope>,
    /// What idempotency keys stand for, instead of the operations.
    claim: OnceLock<(String, [u8; 32])>,
    /// The memory of an answer that may be large, until the caller has made its own of it.
    memory: OnceLock<Reservation>,
}

impl InProcess {
    /// Within the request of this context, which its caller makes. `None` while the server stops.
    pub(crate) fn new(mut context: RequestContext<Door>, caller: Caller) -> Option<Self> {
        let remote = context.request.remote_addr();
        let (address, request_id) = scope::with(|scope| (scope.address(), scope.request_id().to_owned()))
            .unwrap_or_else(|| (remote.ip(), std::mem::take(&mut context.request_id)));
        let contexts = contexts::give_back(context)?;
        let running = Mutex::default();
        let (missing_scope, claim, memory) = Default::default();
        Some(Self { contexts, caller, remote, address, request_id, running, missing_scope, claim, memory })
    }

    /// Checks the scope of the request around the operations, and counts it, once for all of them. Gives the refusal.
    pub(crate) fn admit(&self, scope: Option<Scope>, kind: LimitKind) -> Result<Counted, Box<Response<Body>>> {
        if let Some(scope) = scope.filter(|scope| !self.caller.scopes.contains(*scope)) {
            return Err(Box::new(self.scope_refused(scope, Counted { kind, verdict: None })));
        }
        let verdict = gate::count(&self.contexts.service, kind, &self.caller);
        let counted = Counted { kind, verdict: Some(verdict) };
        if verdict.allowed {
            return Ok(counted);
        }
        Err(Box::new(self.refused(&gate::rate_limited(verdict), counted)))
    }

    /// The refusal of a request whose token lacks a scope: it asks for that scope and for those that the token has.
    pub(crate) fn scope_refused(&self, missing: Scope, counted: Counted) -> Response<Body> {
        let scopes = self.caller.scopes.iter().chain([missing]).collect();
        let error =
            gate::challenge_mcp(&self.contexts.service.config.base_url, scopes, ApiError::missing_scope(missing));
        self.refused(&error, counted)
    }

    fn refused(&self, error: &ApiError, counted: Counted) -> Response<Body> {
        let mut response = error.response(&self.request_id);
        response.extensions_mut().insert(counted);
        response
    }

    /// Has idempotency keys stand for this request, told by a name and a fingerprint, and not for the operations that it
    /// takes.
    pub(crate) fn claim_as(&self, claim: (String, [u8; 32])) {
        let _ = self.claim.set(claim);
    }

    /// The scope that an operation has lacked, if one has.
    pub(crate) fn missing_scope(&self) -> Option<Scope> {
        self.missing_scope.get().copied()
    }

    /// The id of the request around the operations, which their errors carry too.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The towns that a destination's name may mean: see [`destinations::find`].
    pub(crate) async fn find_destination(&self, name: &str) -> Result<Vec<Town>, ApiError> {
        destinations::find(&self.contexts.service, name).await.map_err(refusal)
    }

    /// Runs the operation that the request names. Operations run one after another.
    #[expect(clippy::disallowed_methods, reason = "the front door has admitted this caller")]
    pub(crate) async fn perform(&self, request: Request<Bytes>) -> Response<Body> {
        let _running = self.running.lock().await;
        let scope = RequestScope::new(self.request_id.clone(), self.address);
        let visit = async {
            scope::admit(self.caller.clone());
            let outcome = AssertUnwindSafe(self.process(request)).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|panic| {
                tracing::error!(panic = panic_message(&*panic), "a handler panicked");
                Err(ApiError::internal())
            });
            outcome.unwrap_or_else(|error| error.response(&self.request_id))
        };
        scope::enter(scope, visit).await
    }

    /// The checks of the front door in their order, then the handler.
    async fn process(&self, request: Request<Bytes>) -> Result<Response<Body>, ApiError> {
        let began = Instant::now();
        let look_up = self.contexts.routes.look_up(request.method(), request.uri().path());
        let Route { policy, run } = look_up.map_err(|none| match none {
            NoRoute::Path => ApiError::not_found(),
            NoRoute::Method => {
                tracing::error!(path = request.uri().path(), "no operation has this path and method");
                ApiError::internal()
            }
        })?;
        // Neither a page nor the endpoint that is calling.
        if !policy.token || policy.is_mcp() {
            return Err(ApiError::not_found());
        }
        gate::check_scope(policy.scope, &self.caller).inspect_err(|_| {
            let _ = policy.scope.map(|scope| self.missing_scope.set(scope));
        })?;
        let (head, body) = request.into_parts();
        gate::check_size(policy, body.len())?;
        if let Some(mut claim) = gate::claim(policy, &head.headers, &head.uri, &body)? {
            if let Some((operation, fingerprint)) = self.claim.get() {
                (claim.operation, claim.fingerprint) = (operation.clone(), *fingerprint);
            }
            scope::claim(claim);
        }
        if let Some(memory) = reserve(&self.contexts.service, policy, self.caller.account).await? {
            let _ = self.memory.set(memory);
        }
        let request = Request::from_parts(head, Body::from(body));
        let mut context = self.contexts.take().await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "no context can be made");
            ApiError::internal()
        })?;
        context.request = RequestInfo::new(&request, self.remote);
        let answer = run(context, request).await.or_else(scope::take_failure);
        let answer = answer.ok_or_else(|| {
            tracing::error!("a handler failed without a word");
            ApiError::internal()
        })?;
        let metrics = &self.contexts.service.metrics;
        metrics.request(policy.operation, answer.status().as_u16(), began.elapsed());
        Ok(answer)
    }
}
