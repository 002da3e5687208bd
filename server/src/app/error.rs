//! Why a use case refuses, in the words of the domain.

use std::fmt;

use itinerary_api::policy::Section;
use itinerary_api::read::FieldError;
use itinerary_core::access::Denied;
use itinerary_core::edit::Refusal;
use itinerary_sealed::NotSealed;
use itinerary_store::StoreError;
use uuid::Uuid;

use crate::ports::blobs::BlobError;

/// The result of a use case.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a use case refuses.
#[derive(Debug)]
pub enum Error {
    /// There is no such thing, or the caller may not know of it.
    NotFound,
    /// The caller may see it and may not do this.
    Forbidden(&'static str),
    /// The section needs the Pro subscription.
    SubscriptionRequired(Section),
    /// Something that was sent is wrong.
    Invalid(FieldError),
    /// The itinerary would be larger than it may be.
    TooLarge,
    /// The version that the change was made from was not named.
    PreconditionRequired,
    /// The change was made from an older version; the tag of the newest.
    Modified {
        /// The tag, with its quotes.
        etag: String,
    },
    /// The caller has an itinerary with the same destination and start date.
    Duplicate(Uuid),
    /// It does not go with what is there; in words.
    Conflict(&'static str),
    /// A quota is reached.
    OverQuota(Quota),
    /// The idempotency key was used for something else.
    KeyReused,
    /// The image cannot be used; why.
    Image(String),
    /// The document is not recognised as sealed; why.
    NotSealed(NotSealed),
    /// The account has as many transfers in progress as it may.
    TooManyTransfers,
    /// Integrations are paused, for this many seconds.
    Paused(u32),
    /// The server is not configured for this; what to configure.
    NotConfigured(&'static str),
    /// A provider did not answer, and there is nothing to answer without it.
    ProviderFailed,
    /// The file store did not answer.
    Files(BlobError),
    /// Too many requests are waiting for the same resource.
    Busy,
    /// The database did not answer.
    Unavailable(StoreError),
    /// The stored data is corrupt.
    Corrupt(String),
}

/// A quota, with how much it allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quota {
    /// Itineraries that the caller owns.
    Itineraries(i64),
    /// Members of the itinerary.
    Members(i64),
    /// People whom the caller follows.
    Following(i64),
    /// Memberships of the caller's itineraries for somebody who does not follow the caller.
    UnsolicitedMemberships(i64),
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itineraries(most) => {
                write!(f, "The quota of {most} itineraries that an account may own is reached. Delete some first.")
            }
            Self::Members(most) => {
                write!(f, "The quota of {most} members for an itinerary is reached. Remove some first.")
            }
            Self::Following(most) => {
                write!(f, "The quota of {most} people whom an account may follow is reached. Unfollow some first.")
            }
            Self::UnsolicitedMemberships(most) => write!(
                f,
                "The quota of {most} memberships that an owner may give to an account that does not follow them is \
                 reached. The account must follow you first."
            ),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt(what) => Self::Corrupt(what),
            error => Self::Unavailable(error),
        }
    }
}

impl From<Denied> for Error {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Forbidden(message) => Self::Forbidden(message),
            Denied::SubscriptionRequired(section) => Self::SubscriptionRequired(section),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotFound => Self::NotFound,
            Refusal::Invalid(error) => Self::Invalid(error),
            Refusal::Corrupt(what) => Self::Corrupt(what),
        }
    }
}

impl From<FieldError> for Error {
    fn from(error: FieldError) -> Self {
        Self::Invalid(error)
    }
}

/// Only stored JSON is parsed in the use cases.
impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}
