//! What the front door learnt about a request, for its handler to take, and the error that the handler leaves behind.
//!
//! dropshot hands its handlers nothing but the request, and renders their errors without headers; so both travel beside
//! the request, in a task-local. Only the front door enters a scope (`clippy.toml` says so too).

use std::cell::RefCell;
use std::future::Future;
use std::net::IpAddr;

use dropshot::Body;
use http::Response;
use uuid::Uuid;

use crate::permission::Scopes;

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
pub struct Claim {
    /// The key.
    pub key: Uuid,
    /// The operation and its path.
    pub operation: String,
    /// SHA-256 of the query's meaning and of the JSON body with sorted keys.
    pub fingerprint: [u8; 32],
}

/// What the front door learnt.
#[derive(Clone, Debug)]
pub struct RequestScope {
    /// The request's id.
    pub request_id: String,
    /// Where it came from, behind trusted proxies.
    pub address: IpAddr,
    /// Who is calling; `None` where the policy asks for no token.
    pub caller: Option<Caller>,
    /// The idempotency claim, when a key was sent to an operation that honours it.
    pub claim: Option<Claim>,
}

struct Slot {
    scope: RequestScope,
    failure: RefCell<Option<Response<Body>>>,
}

tokio::task_local! {
    static SLOT: Slot;
}

/// Runs a handler within its scope. Gives its outcome and the error that it left, rendered, if it left one.
pub async fn enter<F: Future>(scope: RequestScope, handler: F) -> (F::Output, Option<Response<Body>>) {
    let slot = Slot { scope, failure: RefCell::new(None) };
    SLOT.scope(slot, async {
        let outcome = handler.await;
        (outcome, SLOT.with(|slot| slot.failure.take()))
    })
    .await
}

/// The scope of the request that is being handled; `None` outside of one.
pub(crate) fn current() -> Option<RequestScope> {
    SLOT.try_with(|slot| slot.scope.clone()).ok()
}

/// Leaves a rendered error for the front door.
pub(crate) fn leave(render: impl FnOnce(&str) -> Response<Body>) {
    // Outside a scope there is nobody to pick it up: dropshot then renders the error in its own way.
    let _ = SLOT.try_with(|slot| slot.failure.replace(Some(render(&slot.scope.request_id))));
}
