//! Runs operations in process, for a request that the front door has admitted: the way of the MCP tools to the API.
//!
//! An operation is looked up, checked and handled as if it had come over HTTP, but for what the request around it has had
//! once: no second authentication, no second count, no access log line of its own.

use std::cell::Cell;
use std::net::IpAddr;
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
use super::front_door::{Door, panic_message};
use super::headers::Counted;
use super::routes::{NoRoute, Route};
use super::{gate, meters};
use crate::app::destinations::{self, Town};
use crate::context::Service;

tokio::task_local! {
    /// The dropshot context that a handler has given back.
    static SPENT: Cell<Option<RequestContext<Door>>>;
}

/// The service, for a handler that needs no more of its context.
///
/// dropshot makes one context for each HTTP request, hands it to the handler, and offers no other way to make one. So a
/// handler that runs in process gives its context back for the next operation.
pub(super) fn service(context: RequestContext<Door>) -> Arc<Service> {
    let service = Arc::clone(&context.context().service);
    // Fails outside of `perform`, where nobody wants the context back.
    let _ = SPENT.try_with(|spent| spent.set(Some(context)));
    service
}

/// Runs operations for one caller within one HTTP request.
pub(crate) struct InProcess {
    service: Arc<Service>,
    caller: Caller,
    address: IpAddr,
    request_id: String,
    /// `None` after an operation whose parameters were refused: dropshot then drops the context.
    context: Mutex<Option<RequestContext<Door>>>,
    missing_scope: OnceLock<Scope>,
}

impl InProcess {
    /// Within the request of this context, which its caller makes.
    pub(crate) fn new(mut context: RequestContext<Door>, caller: Caller) -> Self {
        let (address, request_id) = scope::with(|scope| (scope.address(), scope.request_id().to_owned()))
            .unwrap_or_else(|| (context.request.remote_addr().ip(), std::mem::take(&mut context.request_id)));
        let (service, missing_scope) = (Arc::clone(&context.context().service), OnceLock::new());
        Self { service, caller, address, request_id, context: Mutex::new(Some(context)), missing_scope }
    }

    /// Checks the scope of the request around the operations, and counts it, once for all of them. Gives the refusal.
    pub(crate) fn admit(&self, scope: Option<Scope>, kind: LimitKind) -> Result<Counted, Box<Response<Body>>> {
        if let Some(scope) = scope.filter(|scope| !self.caller.scopes.contains(*scope)) {
            return Err(Box::new(self.scope_refused(scope, Counted { kind, verdict: None })));
        }
        let verdict = gate::count(&self.service, kind, &self.caller);
        let counted = Counted { kind, verdict: Some(verdict) };
        if verdict.allowed {
            return Ok(counted);
        }
        Err(Box::new(self.refused(&gate::rate_limited(verdict), counted)))
    }

    /// The refusal of a request whose token lacks a scope: it asks for that scope and for those that the token has.
    pub(crate) fn scope_refused(&self, missing: Scope, counted: Counted) -> Response<Body> {
        let scopes = self.caller.scopes.iter().chain([missing]).collect();
        let error = gate::challenge_mcp(&self.service.config.base_url, scopes, ApiError::missing_scope(missing));
        self.refused(&error, counted)
    }

    fn refused(&self, error: &ApiError, counted: Counted) -> Response<Body> {
        let mut response = error.response(&self.request_id);
        response.extensions_mut().insert(counted);
        response
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
        destinations::find(&self.service, name).await.map_err(refusal)
    }

    /// Runs the operation that the request names. Operations run one after another. After one that was answered 422 no
    /// other can run.
    #[expect(clippy::disallowed_methods, reason = "the front door has admitted this caller")]
    pub(crate) async fn perform(&self, request: Request<Bytes>) -> Response<Body> {
        let mut context = self.context.lock().await;
        let scope = RequestScope::new(self.request_id.clone(), self.address);
        let visit = async {
            scope::admit(self.caller.clone());
            let outcome = AssertUnwindSafe(self.process(&mut context, request)).catch_unwind().await;
            let outcome = outcome.unwrap_or_else(|panic| {
                tracing::error!(panic = panic_message(&*panic), "a handler panicked");
                Err(ApiError::internal())
            });
            outcome.unwrap_or_else(|error| error.response(&self.request_id))
        };
        scope::enter(scope, visit).await
    }

    /// The checks of the front door in their order, then the handler.
    async fn process(
        &self,
        kept: &mut Option<RequestContext<Door>>,
        request: Request<Bytes>,
    ) -> Result<Response<Body>, ApiError> {
        let began = Instant::now();
        let context = kept.as_ref().ok_or_else(|| {
            tracing::error!("an operation was called after one whose parameters were refused");
            ApiError::internal()
        })?;
        let look_up = context.context().routes.look_up(request.method(), request.uri().path());
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
        if let Some(claim) = gate::claim(policy, &head.headers, &head.uri, &body)? {
            scope::claim(claim);
        }
        let request = Request::from_parts(head, Body::from(body));
        let mut context = kept.take().expect("it was there a moment ago");
        context.request = RequestInfo::new(&request, context.request.remote_addr());
        let handled = SPENT.scope(Cell::new(None), async {
            let answer = run(context, request).await;
            (answer.or_else(scope::take_failure), SPENT.with(Cell::take))
        });
        let (answer, spent) = handled.await;
        *kept = spent;
        let answer = answer.ok_or_else(|| {
            tracing::error!("a handler failed without a word");
            ApiError::internal()
        })?;
        meters::record(policy.operation, answer.status().as_u16(), began.elapsed());
        Ok(answer)
    }
}
