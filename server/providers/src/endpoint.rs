//! A provider's server: its address, its rate and its breaker. Every adapter calls through one.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::breaker::Breaker;
use crate::http::{Request, same_origin};
use crate::{Failure, Http, Limiter, Misconfigured};

/// A call with less time than this before its deadline would fail, and count against the provider.
const MIN_TIME_TO_CALL: Duration = Duration::from_millis(500);
const PAUSE_BEFORE_RETRY: Duration = Duration::from_millis(100);

/// A provider's server. Clones share the rate and the breaker.
#[derive(Clone)]
pub struct Endpoint {
    http: Http,
    base: Url,
    limiter: Limiter,
    breaker: Breaker,
    observer: Option<Observer>,
}

/// Is told of each call how it ended.
pub type Observer = Arc<dyn Fn(Option<&Failure>) + Send + Sync>;

impl Endpoint {
    /// An endpoint at the operator's base URL, which may be at a private address, have a path and have a query.
    ///
    /// Fails if the base URL is not `http` or `https`, or if it is `https` and TLS cannot be set up.
    pub fn new(http: Http, base_url: &str, limiter: Limiter) -> Result<Self, Misconfigured> {
        let base = Url::parse(base_url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(base) = base else {
            return Err(Misconfigured("A provider's base URL must be an absolute http or https URL.".into()));
        };
        http.prepare(&base)?;
        Ok(Self { http, base, limiter, breaker: Breaker::default(), observer: None })
    }

    /// Tells the observer how each call ends.
    #[must_use]
    pub fn observed_by(self, observer: Observer) -> Self {
        Self { observer: Some(observer), ..self }
    }

    /// The URL of a path below the base URL.
    pub(crate) fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.set_fragment(None);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        url
    }

    /// Calls the provider and parses its response. A parse error counts as a failure of the provider.
    pub(crate) async fn call<T>(
        &self,
        request: &Request,
        deadline: Instant,
        parse: impl FnOnce(&[u8]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let result = self.call_unless_broken(request, deadline, parse).await;
        if let Some(observer) = &self.observer {
            observer(result.as_ref().err());
        }
        result
    }

    async fn call_unless_broken<T>(
        &self,
        request: &Request,
        deadline: Instant,
        parse: impl FnOnce(&[u8]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let permit = self.breaker.permit()?;
        let result = self.send(request, deadline).await.and_then(|body| parse(&body));
        match &result {
            Err(failure) if failure.counts_against_provider() => permit.failed(),
            Ok(_) | Err(Failure::Status(_)) => permit.succeeded(),
            Err(_) => drop(permit),
        }
        result
    }

    /// Downloads from a URL that the provider answered with. A failure does not count against the provider: the
    /// URL may lead anywhere.
    pub(crate) async fn download(&self, request: &Request, deadline: Instant) -> Result<Bytes, Failure> {
        self.send(request, deadline).await
    }

    /// Sends a request, and a second time if the provider could not be reached or failed with 5xx.
    async fn send(&self, request: &Request, deadline: Instant) -> Result<Bytes, Failure> {
        let first = match self.attempt(request, deadline).await {
            Err(failure) if failure.may_pass() => failure,
            other => return other,
        };
        sleep_until(deadline.min(Instant::now() + PAUSE_BEFORE_RETRY)).await;
        match self.attempt(request, deadline).await {
            Err(Failure::RateLimited | Failure::TimedOut) => Err(first),
            other => other,
        }
    }

    async fn attempt(&self, request: &Request, deadline: Instant) -> Result<Bytes, Failure> {
        if same_origin(&request.url, &self.base) {
            self.limiter.turn(deadline.checked_sub(MIN_TIME_TO_CALL).unwrap_or(deadline)).await?;
        }
        self.http.send(request, &self.base, deadline).await
    }
}

/// Parses JSON.
pub(crate) fn json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(Failure::malformed)
}
