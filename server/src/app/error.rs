//! Why a use case refuses, in the words of the domain.

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
