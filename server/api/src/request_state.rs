//! The request pipeline's results for a request, for its handler, and an extractor's error, for the request pipeline.
//!
//! dropshot passes only the request to handlers and renders errors of extractors itself, so both are kept in a task-local.
//! Only the request pipeline may enter a state and admit callers; `clippy.toml` enforces this.

use std::cell::{Cell, OnceCell};
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use uuid::Uuid;

use crate::error::ApiError;
use crate::permission::Scopes;
use crate::trace::Trace;
use crate::values::EntityTags;

/// The traveller and the app that a bearer token stands for. Only the request pipeline creates one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The id of the traveller's account.
    pub account: Uuid,
    /// The OAuth client id of the app.
    pub client: String,
    /// The id of the grant that the token belongs to.
    pub grant: Uuid,
    /// The scopes that the traveller approved for the token.
    pub scopes: Scopes,
    /// Whether the traveller has the Pro subscription.
    pub pro: bool,
}

/// A well-formed idempotency key with the request's fingerprint. The store redeems it in the transaction of the write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The UUID of the header `Idempotency-Key`.
    pub key: Uuid,
    /// The operation id with the path.
    pub operation: String,
    /// SHA-256 of the meaningful query parameters and of the JSON body with sorted keys.
    pub fingerprint: [u8; 32],
}

/// The headers for versions and retries of a write. The document describes them by the policy table.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The tags of `If-Match`; `None` if the header is absent.
    pub if_match: Option<EntityTags>,
    /// Whether the request has `Prefer: merge`, and its operation supports it.
    pub prefers_merge: bool,
    /// The idempotency key with the request's fingerprint; `None` if no key was sent.
    pub key: Option<IdempotencyKey>,
}

/// The trace of a request, set when it is known. Shared by the operations that run within the request.
pub type SharedTrace = Arc<OnceLock<Trace>>;

/// The request pipeline's data about a request.
pub struct RequestState {
    request_id: String,
    address: IpAddr,
    trace: SharedTrace,
    caller: OnceCell<Caller>,
    /// The caller, authenticated again after a slow body was complete.
    caller_again: OnceCell<Caller>,
    key: OnceCell<IdempotencyKey>,
    refusal: Cell<Option<ApiError>>,
}

impl RequestState {
    /// Starts with the request's id and the client's address, as the trusted proxies report it.
    pub fn new(request_id: String, address: IpAddr) -> Self {
        let (caller, caller_again, key) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let (trace, refusal) = (SharedTrace::default(), Cell::new(None));
        Self { request_id, address, trace, caller, caller_again, key, refusal }
    }

    /// The same with the trace of another state.
    #[must_use]
    pub fn with_trace(self, trace: SharedTrace) -> Self {
        Self { trace, ..self }
    }

    /// The trace that the request belongs to, if it is known.
    pub fn trace(&self) -> &SharedTrace {
        &self.trace
    }

    /// The id in `X-Request-Id` and in the log.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// The client's address, as the trusted proxies report it.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// The caller; `None` before authentication, and for operations without a token.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller_again.get().or_else(|| self.caller.get())
    }

    /// The idempotency key; `None` if no key was sent or the operation does not support it.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.key.get()
    }
}

tokio::task_local! {
    static STATE: RequestState;
}

/// Runs the request pipeline's work on a request with the state in the task-local.
pub fn enter<F: Future>(state: RequestState, visit: F) -> impl Future<Output = F::Output> {
    STATE.scope(state, visit)
}

/// Sets the caller. A second call has no effect.
pub fn admit(caller: Caller) {
    let _ = STATE.try_with(|state| state.caller.set(caller));
}

/// Replaces the caller after a slow body was complete. A second call has no effect.
pub fn admit_again(caller: Caller) {
    let _ = STATE.try_with(|state| state.caller_again.set(caller));
}

/// Sets the idempotency key. A second call has no effect.
pub fn set_idempotency_key(key: IdempotencyKey) {
    let _ = STATE.try_with(|state| state.key.set(key));
}

/// Reads the state of the current request; `None` outside of one.
pub fn with<T>(look: impl FnOnce(&RequestState) -> T) -> Option<T> {
    STATE.try_with(look).ok()
}

/// Leaves an extractor's error for the request pipeline. An extractor cannot return it: dropshot converts what an
/// extractor returns into a response that the server cannot read. Only `extract::refuse` calls this.
pub(crate) fn refuse(error: ApiError) {
    let _ = STATE.try_with(|state| state.refusal.set(Some(error)));
}

/// Takes the error of the extractor that refused the request, if one did.
pub fn take_refusal() -> Option<ApiError> {
    STATE.try_with(|state| state.refusal.take()).ok().flatten()
}
