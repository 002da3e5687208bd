//! The errors of the crate. No message contains a URL's query or a header, because both may contain a key.

use thiserror::Error;

/// The longest detail that a message repeats from a provider's response.
const MAX_DETAIL_CHARS: usize = 200;

/// The reason why a provider gave no result. `upstreamFailed` in the API.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// No complete response by the deadline.
    #[error("The provider did not answer in time.")]
    TimedOut,
    /// The name was not resolved, the connection failed or it closed too early.
    #[error("The provider could not be reached.")]
    Unreachable,
    /// The provider answered with a status other than success. Redirects are not followed.
    #[error("The provider answered with HTTP status {0}.")]
    Status(u16),
    /// The response is longer than allowed.
    #[error("The provider's answer is too large.")]
    TooLarge,
    /// The response differs from the provider's documentation.
    #[error("The provider's answer is malformed: {0}.")]
    Malformed(String),
    /// The address must not be called: it is not public, or not `http` or `https`.
    #[error("The address must not be called: {0}.")]
    Refused(String),
    /// The HTTP client cannot be set up, for example without the system's certificates. Nothing was sent.
    #[error("The HTTP client cannot be set up.")]
    NotSetUp,
    /// The adapter does not support this request. Nothing was sent.
    #[error("The provider does not support this: {0}.")]
    Unsupported(String),
    /// The provider failed repeatedly and is not called for now.
    #[error("The provider failed repeatedly and is not called for now.")]
    BreakerOpen,
    /// The provider's rate limit allows no call before the deadline.
    #[error("The provider's rate limit allows no call in time.")]
    RateLimited,
}

impl Failure {
    /// A [`Failure::Malformed`] with a detail of bounded length.
    pub(crate) fn malformed(detail: impl std::fmt::Display) -> Self {
        Self::Malformed(detail.to_string().chars().take(MAX_DETAIL_CHARS).collect())
    }

    /// The message for a log: without what it repeats from the response, which may contain the traveller's question.
    pub fn for_log(&self) -> String {
        match self {
            Self::Malformed(_) => "The provider's answer is malformed.".to_owned(),
            failure => failure.to_string(),
        }
    }

    /// The kind of the failure in one word, for metrics.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::Unreachable => "unreachable",
            Self::Status(_) => "status",
            Self::TooLarge => "too_large",
            Self::Malformed(_) => "malformed",
            Self::Refused(_) => "refused",
            Self::NotSetUp => "not_set_up",
            Self::Unsupported(_) => "unsupported",
            Self::BreakerOpen => "breaker_open",
            Self::RateLimited => "rate_limited",
        }
    }

    /// Whether a second attempt may succeed.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable | Self::Status(500..=599))
    }

    /// Whether the failure counts towards opening the breaker: the provider is failing, or rejects all calls.
    ///
    /// Other 4xx concern a single request; a request that was not sent does not count.
    pub(crate) fn counts_against_provider(&self) -> bool {
        match self {
            Self::TimedOut | Self::Unreachable | Self::TooLarge | Self::Malformed(_) => true,
            Self::Status(status) => !(400..500).contains(status) || matches!(status, 401 | 403 | 408 | 429),
            Self::Refused(_) | Self::NotSetUp | Self::Unsupported(_) | Self::BreakerOpen | Self::RateLimited => false,
        }
    }
}

/// The configuration of a provider is invalid. The message is a sentence without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Misconfigured(pub(crate) String);
