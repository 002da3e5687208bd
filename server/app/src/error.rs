//! Why a use case fails, in terms of the domain.

use std::fmt;

use itinerary_api::error::MergeConflict;
use itinerary_api::policy::Section;
use itinerary_api::read::FieldError;
use itinerary_core::access::Denied;
use itinerary_core::edit::Refusal;
use itinerary_platform::cpu_time::ShareUsed;
use itinerary_platform::error_chain::chain;
use itinerary_platform::fair_pool::Busy;
use itinerary_platform::limits::Verdict;
use itinerary_platform::log::without_quotes;
use itinerary_platform::long_work::LongWorkError;
use itinerary_platform::ports::blobs::BlobError;
use itinerary_sealed::NotSealed;
use itinerary_store::{INVITATION_DAYS, StoreError, WEBHOOKS_PER_ACCOUNT};
use uuid::Uuid;

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug)]
pub enum Error {
    /// Not found, or not visible to the caller.
    NotFound,
    /// Visible to the caller, who lacks the role for this. Holds the message.
    Forbidden(&'static str),
    SubscriptionRequired(Section),
    /// A field of the request is invalid.
    Invalid(FieldError),
    /// The itinerary would exceed the size limit.
    TooLarge,
    /// `If-Match` is missing.
    PreconditionRequired,
    /// `If-Match` names an older version than the current one.
    Modified {
        /// The current ETag, with its quotes.
        etag: String,
    },
    /// The change of an older version cannot be merged into the current one.
    NotMerged {
        /// The current ETag, with its quotes.
        etag: String,
        /// What both changes have changed; `None` if the older version is not kept.
        conflicts: Option<Vec<MergeConflict>>,
    },
    /// The caller has an itinerary with the same destination and start date.
    Duplicate(Uuid),
    /// Conflicts with the current state. Holds the message.
    Conflict(&'static str),
    /// Conflicts with the value of a field elsewhere.
    Taken {
        field: &'static str,
        message: &'static str,
    },
    OverQuota(Quota),
    /// The changes after the cursor are not kept any more.
    CursorExpired,
    /// The idempotency key was used for a different request.
    KeyReused,
    /// The image cannot be used. Holds the message.
    Image(String),
    /// The document is not recognised as sealed.
    NotSealed(NotSealed),
    /// The account has too many transfers in progress.
    TooManyTransfers,
    /// The app has this many streams open for the account.
    TooManyStreams(usize),
    /// The server has as many streams open as it can.
    NoRoomForStreams,
    /// The server is stopping.
    Stopping,
    /// Too many requests of the account or address wait for their turn.
    TooManyWaiting,
    /// A work limit is exceeded.
    OverLimit {
        verdict: Verdict,
        /// The limit, as a sentence.
        limit: &'static str,
    },
    /// The account or address exceeded its processor time in this minute. Holds the seconds after which to retry.
    OverShare(u32),
    /// Integrations are paused. Holds the seconds after which to retry.
    Paused(u32),
    /// The server lacks the configuration for this. Holds what to configure.
    NotConfigured(&'static str),
    /// A provider failed, and there is no response without it.
    ProviderFailed,
    /// The file store failed.
    Files(BlobError),
    /// Too many requests are waiting for the same resource.
    Busy,
    /// The database failed.
    Unavailable(StoreError),
    Corrupt(String),
}

impl Error {
    /// The error for the log, with its causes and without what travellers have written.
    pub fn for_log(&self) -> String {
        match self {
            Self::Unavailable(error) => chain(error),
            Self::Files(error) => chain(error),
            Self::Corrupt(what) => without_quotes(what).to_owned(),
            _ => "a rule does not allow it".to_owned(),
        }
    }
}

/// An exceeded quota and its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quota {
    /// Itineraries that the caller owns.
    Itineraries(i64),
    /// Members of the itinerary.
    Members(i64),
    /// People whom the caller follows.
    Following(i64),
    /// Invitations that the caller has sent lately and that were not accepted.
    Invitations(i64),
    /// Accounts that the caller has blocked.
    Blocks(i64),
    /// Webhooks of the app for the caller.
    Webhooks(i64),
    /// Secret links of the itinerary.
    Links(i64),
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itineraries(most) => {
                write!(f, "The quota of {most} itineraries per account is reached. Delete one first.")
            }
            Self::Members(most) => {
                write!(f, "The quota of {most} members and invitations per itinerary is reached. Remove one first.")
            }
            Self::Following(most) => {
                write!(f, "The quota of {most} people that an account may follow is reached. Unfollow someone first.")
            }
            Self::Invitations(most) => write!(
                f,
                "The quota of {most} invitations in {INVITATION_DAYS} days that were not accepted is reached. \
                 Travellers who follow you can still be added."
            ),
            Self::Blocks(most) => {
                write!(f, "The quota of {most} blocked accounts is reached. Unblock someone first.")
            }
            Self::Links(most) => {
                write!(f, "The quota of {most} secret links per itinerary is reached. Delete one first.")
            }
            Self::Webhooks(most) => {
                write!(
                    f,
                    "The quota of {most} webhooks per app, or of {WEBHOOKS_PER_ACCOUNT} per account, is reached. Delete one first."
                )
            }
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

impl From<Busy> for Error {
    fn from(busy: Busy) -> Self {
        match busy {
            Busy::TooManyWaiting => Self::TooManyWaiting,
            Busy::DeadlinePassed => Self::Busy,
        }
    }
}

impl From<ShareUsed> for Error {
    fn from(used: ShareUsed) -> Self {
        Self::OverShare(used.seconds)
    }
}

impl From<LongWorkError> for Error {
    fn from(why: LongWorkError) -> Self {
        match why {
            LongWorkError::Busy(busy) => busy.into(),
            LongWorkError::ShareUsed(used) => used.into(),
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

// The use cases parse no JSON but the stored one.
impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}
