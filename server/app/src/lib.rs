//! The use cases: check access, apply the rules of `itinerary-core`, call the store, and respond. They know no connection
//! and no request; only `admission` and `api_error` use HTTP's types, for the checks and errors that HTTP and MCP share.

pub mod accounts;
pub mod admission;
pub mod api_error;
pub mod audit;
pub mod blocks;
pub mod calendars;
pub mod changes;
pub mod destinations;
mod error;
pub mod explore;
pub mod export;
pub mod invitations;
pub mod itineraries;
pub mod links;
mod list;
mod localities;
pub mod mails;
pub mod marks;
pub mod members;
pub mod moderation;
pub mod one_time_codes;
mod page;
pub mod passkeys;
pub mod password_resets;
pub mod people;
pub mod personal_tokens;
mod places;
pub mod reports;
mod routes;
pub mod sign_up_invitations;
pub mod webhooks;

pub use error::{Error, Quota, Result};
pub use list::{list, list_of};

use std::marker::PhantomData;
use std::time::Duration;

use bytes::Bytes;
use itinerary_api::policy::Scope;
use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_core::fingerprint;
use itinerary_platform::context::Service;
use itinerary_store::{Earlier, StoredResponse};
use serde::Serialize;

/// The response of a use case: the JSON of a `T`, rendered, and its metadata. Only an operation that the contract declares
/// with this type can return it.
pub struct Rendered<T> {
    pub outcome: Outcome,
    /// The ETag, with its quotes.
    pub etag: Option<String>,
    /// The path of a new resource.
    pub location: Option<String>,
    /// The JSON, as consecutive chunks.
    pub body: Vec<Bytes>,
    /// Whether this is the stored response to an earlier request with the same idempotency key.
    pub replayed: bool,
    /// Whether a change of an older version was merged into the current one.
    pub merged: bool,
    described_by: PhantomData<fn() -> T>,
}

/// The outcome of a successful request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Created,
    /// The reader's representation is current.
    NotModified,
}

impl Outcome {
    /// The code stored with an idempotency key.
    fn code(self) -> u16 {
        match self {
            Self::Done => 200,
            Self::Created => 201,
            Self::NotModified => 304,
        }
    }
}

impl<T> Rendered<T> {
    /// A response without an ETag.
    fn untagged(json: Vec<u8>) -> Self {
        Self::new(Outcome::Done, None, vec![json.into()])
    }

    fn tagged(outcome: Outcome, etag: String, body: Vec<Bytes>) -> Self {
        Self::new(outcome, Some(etag), body)
    }

    fn new(outcome: Outcome, etag: Option<String>, body: Vec<Bytes>) -> Self {
        Self { outcome, etag, location: None, body, replayed: false, merged: false, described_by: PhantomData }
    }

    fn stored(&self) -> StoredResponse {
        StoredResponse {
            status: self.outcome.code(),
            etag: self.etag.clone(),
            location: self.location.clone(),
            body: self.body.concat(),
        }
    }

    /// The stored response to a request whose idempotency key was used before. A key belongs to one operation, so its
    /// response has the same type.
    fn again(earlier: Earlier) -> Result<Self> {
        let Earlier::Same(stored) = earlier else { return Err(Error::KeyReused) };
        let outcome = if stored.status == Outcome::Created.code() { Outcome::Created } else { Outcome::Done };
        let StoredResponse { etag, location, body, .. } = stored;
        Ok(Self { location, replayed: true, ..Self::new(outcome, etag, vec![body.into()]) })
    }
}

impl<T: Serialize> Rendered<T> {
    /// A response without an ETag, serialised from a value.
    fn json(value: &T) -> Self {
        Self::untagged(to_json(value))
    }
}

/// Serialises a value of the contract.
fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("wire types are plain data")
}

/// The store's form of an idempotency key. A key belongs to one traveller and one app. What the caller is shown is part
/// of the fingerprint: after the plan or the scopes have changed, the stored response may no longer be shown.
fn store_claim(caller: &Caller, key: IdempotencyKey) -> itinerary_store::Claim {
    itinerary_store::Claim {
        account_id: caller.account,
        client_id: caller.client.clone(),
        operation: key.operation,
        key: key.key,
        fingerprint: fingerprint::shown_to(key.fingerprint, caller.pro, caller.scopes.contains(Scope::DocumentsRead)),
    }
}

/// The stored response to the same request, if there is one. The write checks again in its own transaction. This check
/// comes first because a replay precedes the checks of `If-Match` and of the body's meaning.
async fn replay<T>(service: &Service, claim: Option<&itinerary_store::Claim>) -> Result<Option<Rendered<T>>> {
    let Some(claim) = claim else { return Ok(None) };
    let earlier = service.store.idempotency_find(claim, service.clock.now()).await?;
    earlier.map(Rendered::again).transpose()
}

/// The longest wait before another attempt, in milliseconds.
const LONGEST_WAIT: u64 = 64;

/// Waits before another attempt: exponential backoff with jitter, so that competing writers do not collide again.
async fn backoff(service: &Service, attempt: u32) {
    let longest = LONGEST_WAIT.min(1 << attempt.min(16));
    let [chance] = service.random.bytes::<1>();
    tokio::time::sleep(Duration::from_millis(longest * u64::from(chance) / 255)).await;
}
