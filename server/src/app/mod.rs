//! The use cases: who may, the rules of `itinerary-core`, the store, the answer. They know nothing of HTTP.

pub mod destinations;
mod error;
pub mod explore;
pub mod export;
pub mod itineraries;
mod list;
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

/// What a use case answers: bytes that are ready to send, and what names them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What became of the request.
    pub outcome: Outcome,
    /// The tag of what is answered, with its quotes.
    pub etag: Option<String>,
    /// Where a new thing is.
    pub location: Option<String>,
    /// The JSON, as consecutive chunks.
    pub body: Vec<Bytes>,
    /// Whether it is the first answer to the same request, sent again.
    pub replayed: bool,
}

/// What became of a request that went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// Something new was made.
    Created,
    /// The reader has it already.
    NotModified,
}

impl Outcome {
    /// How it is stored with an idempotency key.
    fn code(self) -> u16 {
        match self {
            Self::Done => 200,
            Self::Created => 201,
            Self::NotModified => 304,
        }
    }
}

impl Answer {
    /// An answer without a version.
    fn untagged(json: Vec<u8>) -> Self {
        Self { outcome: Outcome::Done, etag: None, location: None, body: vec![json.into()], replayed: false }
    }

    /// The same, of something that is serialised now.
    fn json(value: &impl Serialize) -> Self {
        Self::untagged(serde_json::to_vec(value).expect("wire types are plain data"))
    }

    /// An answer that shows something of this version.
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

    /// The answer to a request whose idempotency key was used before.
    fn again(earlier: Earlier) -> Result<Self> {
        let Earlier::Same(stored) = earlier else { return Err(Error::KeyReused) };
        let outcome = if stored.status == Outcome::Created.code() { Outcome::Created } else { Outcome::Done };
        let StoredAnswer { etag, location, body, .. } = stored;
        Ok(Self { outcome, etag, location, body: vec![body.into()], replayed: true })
    }
}

/// What the store claims with a key: a key is one traveller's, through one app. What the caller is shown is part of what was
/// asked: when the plan or the scopes have changed since, the first answer is no longer theirs to see.
fn store_claim(caller: &Caller, key: IdempotencyKey) -> itinerary_store::Claim {
    itinerary_store::Claim {
        account_id: caller.account,
        client_id: caller.client.clone(),
        operation: key.operation,
        key: key.key,
        fingerprint: fingerprint::shown_to(key.fingerprint, caller.pro, caller.scopes.contains(Scope::DocumentsRead)),
    }
}

/// The first answer to the same request, if it was answered. The write looks again in its own transaction; this look
/// comes first because a replay is given before `If-Match` and the meaning of the body are looked at.
async fn replay(service: &Service, claim: Option<&itinerary_store::Claim>) -> Result<Option<Answer>> {
    let Some(claim) = claim else { return Ok(None) };
    let earlier = service.store.idempotency_find(claim, service.clock.now()).await?;
    earlier.map(Answer::again).transpose()
}

/// The longest wait before another try, in milliseconds.
const LONGEST_WAIT: u64 = 64;

/// Waits a little before another try: longer each time, and by chance, so that writers who met once do not meet again.
async fn step_back(service: &Service, attempt: u32) {
    let longest = LONGEST_WAIT.min(1 << attempt.min(16));
    let [chance] = service.random.bytes::<1>();
    tokio::time::sleep(Duration::from_millis(longest * u64::from(chance) / 255)).await;
}
