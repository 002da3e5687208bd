//! When a failed request is sent again (specification, section 7.3), and when it is not.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use futures::future::BoxFuture;
use reqwest::header::{HeaderValue, RETRY_AFTER};
use reqwest::{Method, Request, Response, StatusCode};
use uuid::Uuid;

use crate::clock::Clock;
use crate::hooks::IDEMPOTENCY_KEY;
use crate::imports::IMPORT;

/// Retries of a request, after its first attempt.
const MAX_RETRIES: u32 = 3;
/// The time from the first attempt until the last one starts.
const MAX_TIME: Duration = Duration::from_secs(30);
/// After so many doublings, the wait is [`LONGEST_WAIT`].
const MAX_DOUBLINGS: u32 = 4;
/// The longest wait before the first retry if the service names none; doubled for each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);
/// What is added at most to the wait that the service asks for, so that its clients do not return all at once.
const MOST_JITTER: Duration = Duration::from_secs(1);

/// A request that is about to be sent again, as a hook sees it.
///
/// ```
/// use itinerary_sdk::{BuildError, Client, RetryReason};
///
/// # fn example() -> Result<(), BuildError> {
/// let client = Client::builder("https://trips.example")
///     .on_retry(|retry| match retry.reason {
///         RetryReason::Status(429) => eprintln!("rate limited: waiting {:?}", retry.wait),
///         _ => eprintln!("{} failed, retry {}: {}", retry.operation, retry.number, retry.reason),
///     })
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// The id of the operation, such as `itinerary_view`.
    pub operation: &'static str,
    /// 1 for the first retry, at most 3 without [`retry_within`](crate::ClientBuilder::retry_within).
    pub number: u32,
    /// The time until the request is sent again.
    pub wait: Duration,
    /// Why the last attempt failed.
    pub reason: RetryReason,
}

/// Why a request is sent again. Displayed as `status 503` or `broken connection`.
///
/// ```
/// assert_eq!(itinerary_sdk::RetryReason::Status(503).to_string(), "status 503");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RetryReason {
    /// The service responded with this status: 429, 502 or 503.
    Status(u16),
    /// No connection could be opened, or it broke before the response was complete.
    Connection,
}

impl fmt::Display for RetryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::Connection => f.write_str("broken connection"),
        }
    }
}

/// Time and randomness for the waits between retries. Replace it in tests, which then need not wait.
///
/// ```
/// use std::time::{Duration, Instant};
/// use futures::future::BoxFuture;
/// use itinerary_sdk::{Client, RetryTimer, SystemTimer};
///
/// struct NoWaits;
///
/// impl RetryTimer for NoWaits {
///     fn now(&self) -> Instant {
///         SystemTimer.now()
///     }
///     fn sleep(&self, _wait: Duration) -> BoxFuture<'static, ()> {
///         Box::pin(async {})
///     }
///     fn random(&self) -> f64 {
///         0.5
///     }
/// }
///
/// let client = Client::builder("http://127.0.0.1:8080").retry_timer(NoWaits).build();
/// # client.unwrap();
/// ```
pub trait RetryTimer: Send + Sync {
    /// Returns the current instant.
    fn now(&self) -> Instant;

    /// Waits.
    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()>;

    /// Returns a random number from 0 to 1.
    fn random(&self) -> f64;
}

/// The default [`RetryTimer`]: the monotonic clock and tokio's timer.
///
/// ```
/// use itinerary_sdk::{RetryTimer, SystemTimer};
///
/// assert!((0.0..=1.0).contains(&SystemTimer.random()));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTimer;

impl RetryTimer for SystemTimer {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn sleep(&self, wait: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(wait))
    }

    fn random(&self) -> f64 {
        // The lowest 32 bits of a version 4 UUID are random.
        let (.., last) = Uuid::new_v4().as_u64_pair();
        let [.., a, b, c, d] = last.to_be_bytes();
        f64::from(u32::from_be_bytes([a, b, c, d])) / f64::from(u32::MAX)
    }
}

/// Called before the wait of each retry.
pub(crate) type RetryHook = Arc<dyn Fn(&Retry) + Send + Sync>;

/// How a client retries.
pub(crate) struct Retries {
    pub(crate) enabled: bool,
    /// The time for as many retries as fit into it; `None` for the default limits.
    pub(crate) within: Option<Duration>,
    pub(crate) hook: Option<RetryHook>,
    pub(crate) timer: Arc<dyn RetryTimer>,
    /// For a `Retry-After` that is a date.
    pub(crate) clock: Arc<dyn Clock>,
}

impl Retries {
    /// Starts the attempts of one request. `timeout` limits them in all.
    pub(crate) fn attempts(
        &self,
        request: &Request,
        operation: &'static str,
        timeout: Option<Duration>,
    ) -> Attempts<'_> {
        let rule = if self.enabled { Rule::of(request, operation) } else { Rule::NEVER };
        Attempts { retries: self, operation, rule, timeout, began: self.timer.now(), made: 0 }
    }

    /// Tells the hook and the log, and waits.
    pub(crate) async fn wait(&self, retry: &Retry) {
        let wait_ms = u64::try_from(retry.wait.as_millis()).unwrap_or(u64::MAX);
        tracing::warn!(
            operation = retry.operation,
            retry = retry.number,
            wait_ms,
            reason = %retry.reason,
            "retrying a request"
        );
        if let Some(hook) = &self.hook {
            hook(retry);
        }
        self.timer.sleep(retry.wait).await;
    }

    /// Half of a wait is random, so that clients that failed together do not return together.
    pub(crate) fn spread(&self, longest: Duration) -> Duration {
        (longest / 2).mul_f64(1.0 + self.random())
    }

    fn random(&self) -> f64 {
        self.timer.random().clamp(0.0, 1.0)
    }

    fn max_retries(&self) -> u32 {
        if self.within.is_some() { u32::MAX } else { MAX_RETRIES }
    }
}

/// After which failures a request may be sent again.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Rule {
    status: bool,
    broken_connection: bool,
}

impl Rule {
    const NEVER: Self = Self { status: false, broken_connection: false };
    const ALWAYS: Self = Self { status: true, broken_connection: true };

    fn of(request: &Request, operation: &str) -> Self {
        // The status of these is the answer.
        if operation.starts_with("health_") {
            return Self::NEVER;
        }
        match *request.method() {
            Method::GET | Method::HEAD => Self::ALWAYS,
            // The first attempt may have succeeded before the connection broke; a second one would then fail, or undo what
            // others have changed since.
            Method::PUT | Method::DELETE => Self { status: true, broken_connection: false },
            // It stores nothing.
            Method::POST if operation == IMPORT => Self::ALWAYS,
            Method::POST | Method::PATCH if request.headers().contains_key(IDEMPOTENCY_KEY) => Self::ALWAYS,
            _ => Self::NEVER,
        }
    }
}

/// The attempts of one request.
pub(crate) struct Attempts<'a> {
    retries: &'a Retries,
    operation: &'static str,
    rule: Rule,
    timeout: Option<Duration>,
    began: Instant,
    made: u32,
}

impl Attempts<'_> {
    /// Whether a copy of the request is needed, because it may be sent again.
    pub(crate) fn may_go_on(&self) -> bool {
        self.rule.status && self.made < self.retries.max_retries()
    }

    /// How many retries there were.
    pub(crate) fn retried(&self) -> u32 {
        self.made
    }

    /// The next retry after this result; `None` if the result is final.
    pub(crate) fn next(&mut self, result: &reqwest::Result<Response>) -> Option<Retry> {
        let reason = self.reason(result)?;
        if self.made == self.retries.max_retries() {
            return None;
        }
        let within = self.retries.within.unwrap_or(MAX_TIME);
        let left = self.timeout.map_or(within, |timeout| timeout.min(within)).checked_sub(self.elapsed())?;
        let asked = result.as_ref().ok().and_then(|answer| answer.headers().get(RETRY_AFTER));
        let wait = match asked.and_then(|value| self.retry_after(value)) {
            Some(asked) if asked > left => return None,
            Some(asked) => {
                self.at_least(left.min(asked + (asked / 10).min(MOST_JITTER).mul_f64(self.retries.random())))
            }
            None => self.backoff(),
        };
        if wait > left {
            return None;
        }
        self.made += 1;
        Some(Retry { operation: self.operation, number: self.made, wait, reason })
    }

    /// Tells the hook and the log, and waits.
    pub(crate) async fn wait(&self, retry: &Retry) {
        self.retries.wait(retry).await;
    }

    /// The rest of the time limit, for the next attempt.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        Some(self.timeout?.saturating_sub(self.elapsed()))
    }

    fn elapsed(&self) -> Duration {
        self.retries.timer.now().saturating_duration_since(self.began)
    }

    fn reason(&self, result: &reqwest::Result<Response>) -> Option<RetryReason> {
        match result {
            Ok(answer) if self.rule.status && is_temporary(answer.status()) => {
                Some(RetryReason::Status(answer.status().as_u16()))
            }
            Err(error) if self.rule.broken_connection && is_broken(error) => Some(RetryReason::Connection),
            _ => None,
        }
    }

    fn retry_after(&self, value: &HeaderValue) -> Option<Duration> {
        let text = value.to_str().ok()?.trim();
        if let Ok(seconds) = text.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let date = DateTime::parse_from_rfc2822(text).ok()?;
        Some(date.signed_duration_since(self.retries.clock.now()).to_std().unwrap_or_default())
    }

    /// Without a limit of retries, `Retry-After: 0` must not become a loop without waits.
    fn at_least(&self, wait: Duration) -> Duration {
        if self.made < MAX_RETRIES { wait } else { wait.max(self.backoff()) }
    }

    fn backoff(&self) -> Duration {
        self.retries.spread(FIRST_WAIT.saturating_mul(1 << self.made.min(MAX_DOUBLINGS)).min(LONGEST_WAIT))
    }
}

fn is_temporary(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE)
}

/// Whether there was no connection, or it ended too early. A request that ran into its time limit is not one of these: the
/// service may still be working on it.
fn is_broken(error: &reqwest::Error) -> bool {
    // A body that ends too early is an error of decoding.
    let failed = error.is_request() || error.is_body() || error.is_decode();
    error.is_connect() || (failed && !error.is_timeout())
}

#[cfg(test)]
mod tests;
