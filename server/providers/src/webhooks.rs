//! The port for deliveries to webhooks, and its adapter. The URL comes from an app.
//!
//! Posts a body with the guards of the HTTP client: public addresses only, no redirects, no proxy, bounded time. Makes one
//! attempt, on a connection of its own, so that the name is resolved each time. Does not sign, and does not judge the
//! response.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use reqwest::dns::Resolve;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::{Client, Response};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::address::{PublicOnly, System};
use crate::http::{Connecting, LazyClient, check_foreign, classify, header_of};
use crate::{Failure, Misconfigured};

/// The bytes of a response's body that are read.
pub const WEBHOOK_RESPONSE_BYTES: usize = 1_024;

const NOT_KEPT: Connecting = Connecting { timeout: None, idle: 0 };

/// The response of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookResponse {
    pub status: u16,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    /// The start of the body.
    pub body: Vec<u8>,
}

/// Posts events to the addresses of webhooks.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Whether a URL may be called, as far as it says without resolving its name. An error is what the URL must be.
    fn check(&self, url: &Url) -> Result<(), String>;

    /// Posts a body. A status other than success is no failure here.
    async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        deadline: Instant,
    ) -> Result<WebhookResponse, Failure>;
}

/// Which addresses a sender may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Addresses of the public Internet.
    Public,
    /// Any address, for development.
    Any,
}

/// Posts over HTTP.
#[derive(Clone)]
pub struct HttpWebhookSender {
    client: LazyClient,
    reach: Reach,
}

impl HttpWebhookSender {
    /// A sender that identifies itself by the `User-Agent` and resolves names as the operating system does.
    ///
    /// Fails if the `User-Agent` is not a valid header value.
    pub fn new(user_agent: &str, reach: Reach) -> Result<Self, Misconfigured> {
        Self::with_resolver(user_agent, reach, Arc::new(System))
    }

    /// A sender with another resolver, whose results are filtered in the same way.
    pub fn with_resolver(user_agent: &str, reach: Reach, resolver: Arc<dyn Resolve>) -> Result<Self, Misconfigured> {
        let resolver = match reach {
            Reach::Public => Arc::new(PublicOnly(resolver)),
            Reach::Any => resolver,
        };
        Ok(Self { client: LazyClient::new(header_of(user_agent)?, resolver, NOT_KEPT), reach })
    }
}

#[async_trait]
impl WebhookSender for HttpWebhookSender {
    fn check(&self, url: &Url) -> Result<(), String> {
        match self.reach {
            Reach::Any => Ok(()),
            Reach::Public => {
                check_foreign(url).map_err(|_| "must have the name or address of a public host".to_owned())
            }
        }
    }

    async fn post(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: Bytes,
        deadline: Instant,
    ) -> Result<WebhookResponse, Failure> {
        if self.reach == Reach::Public {
            check_foreign(url)?;
        }
        let client = self.client.get().map_err(|_| Failure::NotSetUp)?;
        let response = send(client, url, headers, body);
        let mut response = timeout_at(deadline, response).await.unwrap_or(Err(Failure::TimedOut))?;
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        // The status decides, whether the rest of the body arrives or not.
        let mut start = Vec::new();
        let _ = timeout_at(deadline, read_start(&mut response, &mut start)).await;
        Ok(WebhookResponse { status: response.status().as_u16(), retry_after, body: start })
    }
}

async fn send(client: &Client, url: &Url, headers: HeaderMap, body: Bytes) -> Result<Response, Failure> {
    client.post(url.clone()).headers(headers).body(body).send().await.map_err(|error| classify(&error))
}

async fn read_start(response: &mut Response, start: &mut Vec<u8>) {
    while start.len() < WEBHOOK_RESPONSE_BYTES
        && let Ok(Some(chunk)) = response.chunk().await
    {
        let room = WEBHOOK_RESPONSE_BYTES - start.len();
        start.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
}
