//! What the front door learnt about a request, for its handler to take, and the error that the handler leaves behind.
//!
//! dropshot hands its handlers nothing but the request, and renders their errors without headers; so both travel beside
//! the request, in a task-local. Only the front door enters a state and admits callers (`clippy.toml` says so too).

use std::any::Any;
use std::cell::{Cell, OnceCell};
use std::future::Future;
use std::net::IpAddr;

use dropshot::Body;
use http::Response;
use uuid::Uuid;

use crate::permission::Scopes;
use crate::values::EntityTags;

/// Who is calling: one traveller, through one app. Only the front door makes one, from a bearer token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The traveller.
    pub account: Uuid,
    /// The app.
    pub client: String,
    /// The sign-in that the token came from.
    pub grant: Uuid,
    /// What the traveller allowed.
    pub scopes: Scopes,
    /// Whether the traveller has the Pro subscription.
    pub pro: bool,
}

/// A well-formed idempotency key with what it was sent for: the store redeems it in the write's own transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The key.
    pub key: Uuid,
    /// The operation and its path.
    pub operation: String,
    /// SHA-256 of the query's meaning and of the JSON body with sorted keys.
    pub fingerprint: [u8; 32],
}

/// What a write says of the version that it was made from, and of the key under which it can be repeated.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// The tags of `If-Match`.
    pub if_match: Option<EntityTags>,
    /// The idempotency key.
    pub key: Option<IdempotencyKey>,
}

/// What the front door learns about a request, little by little.
pub struct RequestState {
    request_id: String,
    address: IpAddr,
    caller: OnceCell<Caller>,
    /// The caller as they were when a body that came late was complete.
    caller_again: OnceCell<Caller>,
    key: OnceCell<IdempotencyKey>,
    preloaded: Cell<Option<Box<dyn Any + Send>>>,
    failure: Cell<Option<Response<Body>>>,
}

impl RequestState {
    /// The state of a request with this id, which came from this address, behind trusted proxies.
    pub fn new(request_id: String, address: IpAddr) -> Self {
        let (caller, caller_again, key) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { request_id, address, caller, caller_again, key, preloaded: Cell::new(None), failure: Cell::new(None) }
    }

    /// The request's id.
    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    /// Where it came from, behind trusted proxies.
    pub fn address(&self) -> IpAddr {
        self.address
    }

    /// Who is calling; `None` where the policy asks for no token, and until the token has been looked at.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller_again.get().or_else(|| self.caller.get())
    }

    /// The idempotency key, when a key was sent to an operation that honours it.
    pub fn idempotency_key(&self) -> Option<&IdempotencyKey> {
        self.key.get()
    }
}

tokio::task_local! {
    static STATE: RequestState;
}

/// A request's way through the front door, with its state.
pub fn enter<F: Future>(state: RequestState, visit: F) -> impl Future<Output = F::Output> {
    STATE.scope(state, visit)
}

/// Says who is calling. A request has one caller; a second one changes nothing.
pub fn admit(caller: Caller) {
    let _ = STATE.try_with(|state| state.caller.set(caller));
}

/// Says who is calling now that the body has come. The last word on it.
pub fn admit_again(caller: Caller) {
    let _ = STATE.try_with(|state| state.caller_again.set(caller));
}

/// Says what idempotency key the request carries.
pub fn set_idempotency_key(key: IdempotencyKey) {
    let _ = STATE.try_with(|state| state.key.set(key));
}

/// Keeps what was read together with the caller, for the handler to take.
pub fn preload<T: Any + Send>(read: T) {
    let _ = STATE.try_with(|state| state.preloaded.set(Some(Box::new(read))));
}

/// Takes what was read together with the caller; `None` if nothing of this type was.
pub fn take_preloaded<T: Any>() -> Option<T> {
    let read = STATE.try_with(|state| state.preloaded.take()).ok().flatten()?;
    read.downcast().ok().map(|read| *read)
}

/// Looks at the state of the request that is being handled; `None` outside of one.
pub fn with<T>(look: impl FnOnce(&RequestState) -> T) -> Option<T> {
    STATE.try_with(look).ok()
}

/// Leaves a rendered error for the front door.
pub(crate) fn leave(render: impl FnOnce(&str) -> Response<Body>) {
    // Outside a request there is nobody to pick it up: dropshot then renders the error in its own way.
    let _ = STATE.try_with(|state| state.failure.set(Some(render(&state.request_id))));
}

/// Takes the error that a handler has left, rendered.
pub fn take_failure() -> Option<Response<Body>> {
    STATE.try_with(|state| state.failure.take()).ok().flatten()
}
