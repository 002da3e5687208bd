//! The use cases: check access, apply the rules of `itinerary-core`, call the store, and answer. Independent of HTTP.

pub mod accounts;
pub(crate) mod admission;
pub(crate) mod api_error;
pub mod blocks;
pub mod calendars;
pub mod destinations;
mod error;
pub mod explore;
pub mod export;
pub mod invitations;
pub mod itineraries;
mod list;
mod localities;
pub mod marks;
pub mod members;
mod page;
pub mod people;
mod places;
pub mod reports;
mod routes;

pub use error::{Error, Quota, Result};
pub use list::{ListRequest, list, list_of};

use std::time::Duration;

use bytes::Bytes;
use itinerary_api::policy::Scope;
use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_core::fingerprint;
use itinerary_store::{Earlier, StoredAnswer};
use serde::Serialize;

use crate::context::Service;

/// The answer of a use case: rendered bytes and their metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub outcome: Outcome,
    /// The ETag, with its quotes.
    pub etag: Option<String>,
    /// The path of a new resource.
    pub location: Option<String>,
    /// The JSON, as consecutive chunks.
    pub body: Vec<Bytes>,
    /// Whether this is the stored answer to an earlier request with the same idempotency key.
    pub replayed: bool,
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

impl Answer {
    /// An answer without an ETag.
    fn untagged(json: Vec<u8>) -> Self {
        Self { outcome: Outcome::Done, etag: None, location: None, body: vec![json.into()], replayed: false }
    }

    /// An answer without an ETag, serialised from a value.
    fn json(value: &impl Serialize) -> Self {
        Self::untagged(serde_json::to_vec(value).expect("wire types are plain data"))
    }

    fn tagged(outcome: Outcome, etag: String, body: Vec<Bytes>) -> Self {
        Self { outcome, etag: Some(etag), location: None, body, replayed: false }
    }

    fn stored(&self) -> StoredAnswer {
        StoredAnswer {
            status: self.outcome.code(),
            etag: self.etag.clone(),
            location: self.location.clone(),
            body: self.body.concat(),
        }
    }

    /// The stored answer to a request whose idempotency key was used before.
    fn again(earlier: Earlier) -> Result<Self> {
        let Earlier::Same(stored) = earlier else { return Err(Error::KeyReused) };
        let outcome = if stored.status == Outcome::Created.code() { Outcome::Created } else { Outcome::Done };
        let StoredAnswer { etag, location, body, .. } = stored;
        Ok(Self { outcome, etag, location, body: vec![body.into()], replayed: true })
    }
}

/// The store's form of an idempotency key. A key belongs to one traveller and one app. What the caller is shown is part
/// of the fingerprint: after the plan or the scopes have changed, the stored answer may no longer be shown.
fn store_claim(caller: &Caller, key: IdempotencyKey) -> itinerary_store::Claim {
    itinerary_store::Claim {
        account_id: caller.account,
        client_id: caller.client.clone(),
        operation: key.operation,
        key: key.key,
        fingerprint: fingerprint::shown_to(key.fingerprint, caller.pro, caller.scopes.contains(Scope::DocumentsRead)),
    }
}

/// The stored answer to the same request, if there is one. The write checks again in its own transaction. This check
/// comes first because a replay precedes the checks of `If-Match` and of the body's meaning.
async fn replay(service: &Service, claim: Option<&itinerary_store::Claim>) -> Result<Option<Answer>> {
    let Some(claim) = claim else { return Ok(None) };
    let earlier = service.store.idempotency_find(claim, service.clock.now()).await?;
    earlier.map(Answer::again).transpose()
}

/// The longest wait before another attempt, in milliseconds.
const LONGEST_WAIT: u64 = 64;

/// Waits before another attempt: exponential backoff with jitter, so that competing writers do not collide again.
async fn step_back(service: &Service, attempt: u32) {
    let longest = LONGEST_WAIT.min(1 << attempt.min(16));
    let [chance] = service.random.bytes::<1>();
    tokio::time::sleep(Duration::from_millis(longest * u64::from(chance) / 255)).await;
}
