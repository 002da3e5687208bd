//! The one HTTP client: guarded addresses, bounded time and size, no redirects, no proxy.
//!
//! It makes one attempt at a time. [`Endpoint`](crate::Endpoint) repeats, limits and stops calls.

use std::error::Error;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::dns::Resolve;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

use crate::address::{NotPublic, PublicOnly, System, is_public};
use crate::{Failure, Misconfigured};

/// The time for all calls to providers in a write.
pub const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// The time for all calls to providers in a refresh, for activities and for a cover image.
pub const REFRESH_TIMEOUT: Duration = Duration::from_secs(5);

/// How a client connects.
#[derive(Clone, Copy)]
pub(crate) struct Connecting {
    /// How long it may take; `None` until the deadline of the request.
    pub(crate) timeout: Option<Duration>,
    /// The connections that are kept open for later requests, for each host.
    pub(crate) idle: usize,
}

const KEPT_OPEN: Connecting = Connecting { timeout: Some(Duration::from_secs(1)), idle: 4 };

pub(crate) const MAX_JSON_BYTES: usize = 2_000_000;
pub(crate) const MAX_IMAGE_BYTES: usize = 10_000_000;

/// A client for providers. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct Http {
    /// Connects to public addresses only.
    guarded: LazyClient,
    /// Connects to any address. Only for origins that the operator configured.
    trusted: LazyClient,
    /// Headers of each call to such an origin.
    more_headers: Option<MoreHeaders>,
}

/// Makes headers for a call, in the task that calls.
pub type MoreHeaders = Arc<dyn Fn() -> HeaderMap + Send + Sync>;

impl Http {
    /// A client that identifies itself by the `User-Agent` and resolves names as the operating system does.
    ///
    /// Fails if the `User-Agent` is not a valid header value.
    pub fn new(user_agent: &str) -> Result<Self, Misconfigured> {
        Self::with_resolver(user_agent, Arc::new(System))
    }

    /// A client with another resolver, whose results are filtered in the same way.
    pub fn with_resolver(user_agent: &str, resolver: Arc<dyn Resolve>) -> Result<Self, Misconfigured> {
        let user_agent = header_of(user_agent)?;
        let guarded = LazyClient::new(user_agent.clone(), Arc::new(PublicOnly(Arc::clone(&resolver))), KEPT_OPEN);
        let trusted = LazyClient::new(user_agent, resolver, KEPT_OPEN);
        Ok(Self { guarded, trusted, more_headers: None })
    }

    /// Adds headers to each call to an origin that the operator configured. Other origins get none.
    #[must_use]
    pub fn with_headers(self, more_headers: MoreHeaders) -> Self {
        Self { more_headers: Some(more_headers), ..self }
    }

    /// Sets up TLS for an origin that the operator configured, so that a machine without certificates is noticed when
    /// the server starts. Without such an origin, the first call fails with [`Failure::NotSetUp`].
    pub(crate) fn prepare(&self, own: &Url) -> Result<(), Misconfigured> {
        if own.scheme() == "https" { self.trusted.get().map(|_| ()) } else { Ok(()) }
    }

    /// Sends a request once. Returns the complete body of a successful response, or a failure.
    ///
    /// An origin (scheme, host and port) other than `own` must be public.
    pub(crate) async fn send(&self, request: &Request, own: &Url, deadline: Instant) -> Result<Bytes, Failure> {
        self.fetch_response(request, Some(own), deadline).await.map(|response| response.body)
    }

    /// Also returns status and headers. Without `own`, every origin must be public.
    pub(crate) async fn fetch_response(
        &self,
        request: &Request,
        own: Option<&Url>,
        deadline: Instant,
    ) -> Result<ProviderResponse, Failure> {
        let (client, more_headers) = self.client_for(&request.url, own)?;
        let more_headers = more_headers.map(|make| make()).unwrap_or_default();
        timeout_at(deadline, exchange(client, request, more_headers)).await.unwrap_or(Err(Failure::TimedOut))
    }

    fn client_for(&self, url: &Url, own: Option<&Url>) -> Result<(&Client, Option<&MoreHeaders>), Failure> {
        if own.is_some_and(|own| same_origin(url, own)) {
            return Ok((self.trusted.get().map_err(|_| Failure::NotSetUp)?, self.more_headers.as_ref()));
        }
        check_foreign(url)?;
        Ok((self.guarded.get().map_err(|_| Failure::NotSetUp)?, None))
    }
}

/// A successful response.
pub(crate) struct ProviderResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A request that can be sent more than once.
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    /// JSON to post; without it the request is a `GET`.
    pub(crate) body: Option<Bytes>,
    /// The maximum size of the response body.
    pub(crate) max_bytes: usize,
}

impl Request {
    pub(crate) fn get(url: Url) -> Self {
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        Self { url, headers, body: None, max_bytes: MAX_JSON_BYTES }
    }

    pub(crate) fn post(url: Url, body: &serde_json::Value) -> Self {
        let mut request = Self::get(url);
        request.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.body = Some(body.to_string().into());
        request
    }

    pub(crate) fn image(url: Url) -> Self {
        let accepted = HeaderValue::from_static("image/jpeg, image/png, image/webp");
        Self { url, headers: HeaderMap::from_iter([(ACCEPT, accepted)]), body: None, max_bytes: MAX_IMAGE_BYTES }
    }
}

/// The value of the header `User-Agent`.
pub(crate) fn header_of(user_agent: &str) -> Result<HeaderValue, Misconfigured> {
    HeaderValue::from_str(user_agent)
        .map_err(|_| Misconfigured("The User-Agent must be one line of visible ASCII characters.".into()))
}

/// Whether two URLs have the same scheme, host and port.
pub(crate) fn same_origin(one: &Url, other: &Url) -> bool {
    // Opaque origins equal no other.
    one.origin() == other.origin()
}

/// A client that is created on first use: most servers call no provider, and reading the system's certificates takes
/// longer than the rest of their start. Clones share it.
#[derive(Clone)]
pub(crate) struct LazyClient {
    user_agent: HeaderValue,
    resolver: Arc<dyn Resolve>,
    connecting: Connecting,
    client: Arc<OnceLock<Client>>,
}

impl LazyClient {
    pub(crate) fn new(user_agent: HeaderValue, resolver: Arc<dyn Resolve>, connecting: Connecting) -> Self {
        Self { user_agent, resolver, connecting, client: Arc::default() }
    }

    pub(crate) fn get(&self) -> Result<&Client, Misconfigured> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client(&self.user_agent, Arc::clone(&self.resolver), self.connecting)?;
        Ok(self.client.get_or_init(|| client))
    }
}

fn client(
    user_agent: &HeaderValue,
    resolver: Arc<dyn Resolve>,
    connecting: Connecting,
) -> Result<Client, Misconfigured> {
    let builder = Client::builder()
        .user_agent(user_agent)
        .dns_resolver(resolver)
        .redirect(Policy::none())
        .referer(false)
        .no_proxy()
        // Other users of the library need HTTP/2, so that it is compiled in.
        .http1_only()
        .pool_max_idle_per_host(connecting.idle);
    let builder = match connecting.timeout {
        Some(timeout) => builder.connect_timeout(timeout),
        None => builder,
    };
    builder.build().map_err(|error| Misconfigured(format!("The HTTP client cannot be set up: {error}.")))
}

/// Rejects requests that can be rejected before the name is resolved. The `url` crate has normalised decimal, octal,
/// hexadecimal and shortened forms of IPv4 addresses.
pub(crate) fn check_foreign(url: &Url) -> Result<(), Failure> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Failure::Refused(format!("the scheme {} is not http or https", clip(url.scheme()))));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Failure::Refused("the URL contains a user name or password".into()));
    }
    let address: IpAddr = match url.host() {
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        Some(Host::Domain(_)) => return Ok(()),
        None => return Err(Failure::Refused("the URL has no host".into())),
    };
    if is_public(address) { Ok(()) } else { Err(Failure::Refused(format!("{address} is not a public address"))) }
}

fn clip(text: &str) -> String {
    text.chars().take(20).collect()
}

async fn exchange(client: &Client, request: &Request, more_headers: HeaderMap) -> Result<ProviderResponse, Failure> {
    let method = if request.body.is_some() { Method::POST } else { Method::GET };
    let mut builder =
        client.request(method, request.url.clone()).headers(request.headers.clone()).headers(more_headers);
    if let Some(body) = &request.body {
        builder = builder.body(body.clone());
    }
    let response = builder.send().await.map_err(|error| classify(&error))?;
    let status = response.status();
    if !status.is_success() {
        return Err(Failure::Status(status.as_u16()));
    }
    let headers = response.headers().clone();
    Ok(ProviderResponse { status: status.as_u16(), headers, body: read(response, request.max_bytes).await? })
}

async fn read(mut response: Response, max_bytes: usize) -> Result<Bytes, Failure> {
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).is_ok_and(|length| length <= max_bytes) {
        let mut body = BytesMut::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| classify(&error))? {
            if body.len() + chunk.len() > max_bytes {
                return Err(Failure::TooLarge);
            }
            body.extend_from_slice(&chunk);
        }
        return Ok(body.freeze());
    }
    Err(Failure::TooLarge)
}

/// Drops the error's text, which may contain the URL.
pub(crate) fn classify(error: &reqwest::Error) -> Failure {
    if let Some(not_public) = find_cause::<NotPublic>(error) {
        return Failure::Refused(not_public.to_string());
    }
    if error.is_timeout() { Failure::TimedOut } else { Failure::Unreachable }
}

fn find_cause<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let causes = std::iter::successors(Some(error), |&error| error.source());
    causes.take(16).find_map(|error| error.downcast_ref::<E>())
}
