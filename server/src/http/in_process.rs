//! Runs operations in process for a request that the front door has admitted. The MCP tools call the API this way.
//!
//! An operation is routed, checked and handled as over HTTP, except for what the outer request has already had:
//! authentication, rate limit and access line.

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
use itinerary_api::request_state::{self, Caller, RequestState, SharedTrace};
use tokio::sync::Mutex;

use super::contexts::{self, Contexts, Door};
use super::front_door::reserve_memory;
use super::gate;
use super::headers::Counted;
use super::routes::{NoRoute, Route};
use crate::app::destinations::{self, Destination};
use crate::log::panic_message;
use crate::response_budget::ReservedMemory;

/// Runs operations for one caller within one HTTP request.
pub(crate) struct InProcess {
    contexts: Arc<Contexts>,
    caller: Caller,
    remote: SocketAddr,
    address: IpAddr,
    request_id: String,
    trace: SharedTrace,
    /// Held while an operation runs, because they run one at a time.
    running: Mutex<()>,
    missing_scope: OnceLock<Scope>,
    /// The name and fingerprint that idempotency keys cover, instead of those of the operations.
    keys_for: OnceLock<(String, [u8; 32])>,
    /// Memory for a large answer of an operation, held until the tool's own answer is made.
    memory: OnceLock<ReservedMemory>,
}

impl InProcess {
    /// Takes over the request of this context and its caller. `None` while the server stops.
    pub(crate) fn new(mut context: RequestContext<Door>, caller: Caller) -> Option<Self> {
        let remote = context.request.remote_addr();
        let outer = |state: &RequestState| (state.address(), state.request_id().to_owned(), state.trace().clone());
        let (address, request_id, trace) = request_state::with(outer)
            .unwrap_or_else(|| (remote.ip(), std::mem::take(&mut context.request_id), SharedTrace::default()));
        let contexts = contexts::give_back(context)?;
        let running = Mutex::default();
        let (missing_scope, keys_for, memory) = Default::default();
        Some(Self { contexts, caller, remote, address, request_id, trace, running, missing_scope, keys_for, memory })
    }

    /// Counts the outer request once for all its operations, then checks its scope. Returns the error response if one of them
    /// rejects it.
    pub(crate) async fn admit(&self, scope: Option<Scope>, kind: LimitKind) -> Result<Counted, Box<Response<Body>>> {
        let verdict = gate::count(&self.contexts.service, kind, &self.caller).await;
        let counted = Counted { kind, verdict: Some(verdict) };
        if !verdict.allowed {
            return Err(Box::new(self.refused(&gate::rate_limited(verdict), counted)));
        }
        match scope.filter(|scope| !self.caller.scopes.contains(*scope)) {
            Some(missing) => Err(Box::new(self.scope_refused(missing, counted))),
            None => Ok(counted),
        }
    }

    /// The error response for a missing scope. Its challenge names that scope and the token's scopes.
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

    /// Binds idempotency keys to this name and fingerprint of the outer request, instead of to the operations.
    pub(crate) fn use_keys_for(&self, keys_for: (String, [u8; 32])) {
        let _ = self.keys_for.set(keys_for);
    }

    /// The scope that an operation needed and the token lacks.
    pub(crate) fn missing_scope(&self) -> Option<Scope> {
        self.missing_scope.get().copied()
    }

    /// The id of the outer request, which errors of the operations carry too.
    pub(crate) fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The towns that a destination's name may mean: see [`destinations::find`].
    pub(crate) async fn find_destination(&self, name: &str) -> Result<Destination, ApiError> {
        Ok(destinations::find(&self.contexts.service, name).await?)
    }

    /// Runs the operation of a request, after any that is running.
    #[expect(clippy::disallowed_methods, reason = "the front door has admitted this caller")]
    pub(crate) async fn perform(&self, request: Request<Bytes>) -> Response<Body> {
        let _running = self.running.lock().await;
        let state = RequestState::new(self.request_id.clone(), self.address).with_trace(self.trace.clone());
        let visit = async {
            request_state::admit(self.caller.clone());
            let outcome = AssertUnwindSafe(self.process(request)).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|panic| {
                tracing::error!(panic = panic_message(&*panic), "a handler panicked");
                Err(ApiError::internal())
            });
            outcome.unwrap_or_else(|error| error.response(&self.request_id))
        };
        request_state::enter(state, visit).await
    }

    /// Runs the checks in order, then the handler.
    async fn process(&self, request: Request<Bytes>) -> Result<Response<Body>, ApiError> {
        let began = Instant::now();
        let look_up = self.contexts.routes.look_up(request.method(), request.uri().path());
        let Route { policy, run, .. } = look_up.map_err(|none| match none {
            NoRoute::Path => ApiError::not_found(),
            NoRoute::Method => {
                tracing::error!(path = request.uri().path(), "no operation has this path and method");
                ApiError::internal()
            }
        })?;
        // Not for pages, and not for the MCP endpoint itself.
        if !policy.token || policy.is_mcp() {
            return Err(ApiError::not_found());
        }
        gate::check_scope(policy.scope, &self.caller).inspect_err(|_| {
            let _ = policy.scope.map(|scope| self.missing_scope.set(scope));
        })?;
        let (head, body) = request.into_parts();
        gate::check_size(policy, body.len())?;
        if let Some(mut key) = gate::idempotency_key(policy, &head.headers, &head.uri, &body)? {
            if let Some((operation, fingerprint)) = self.keys_for.get() {
                (key.operation, key.fingerprint) = (operation.clone(), *fingerprint);
            }
            request_state::set_idempotency_key(key);
        }
        if let Some(memory) = reserve_memory(&self.contexts.service, policy, self.caller.account).await? {
            let _ = self.memory.set(memory);
        }
        let request = Request::from_parts(head, Body::from(body));
        let mut context = self.contexts.take().await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "no handler context can be created");
            ApiError::internal()
        })?;
        context.request = RequestInfo::new(&request, self.remote);
        let method = request.method().clone();
        let answer = run(context, request).await.unwrap_or_else(|error| error.response(&self.request_id));
        gate::note_write(&self.contexts.service, policy, &method, self.caller.account).await;
        let metrics = &self.contexts.service.metrics;
        metrics.request(policy.operation, answer.status().as_u16(), began.elapsed());
        Ok(answer)
    }
}
