//! How a client reaches the service: the address, the settings of HTTP, and why neither may be accepted.

use std::time::Duration;

use reqwest::redirect::Policy;
use url::{Host, Url};

use crate::error::{ApiError, ErrorExt};

/// Shorter than the 30 s after which the service closes an idle connection, so that no request is sent into a closing
/// one.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Why a client could not be built.
///
/// ```
/// use itinerary_sdk::{BuildError, Client};
///
/// let refused = Client::builder("http://trips.example").access_token("secret").build();
/// assert!(matches!(refused, Err(BuildError::InsecureHttp)));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The base URL is malformed, or has a query, a fragment or a username.
    #[error("invalid base URL: {0}")]
    InvalidBaseUrl(String),
    /// The base URL is `http` on another machine, where tokens would be sent unencrypted.
    #[error("refusing to send tokens over plain http to another machine: use https, or call allow_insecure_http")]
    InsecureHttp,
    /// The access token contains characters that are not allowed in a header.
    #[error("the access token contains characters that are not allowed in a header")]
    InvalidAccessToken,
    /// The HTTP client could not be set up.
    #[error("failed to set up the HTTP client: {0}")]
    Http(#[from] reqwest::Error),
}

impl ErrorExt for BuildError {
    fn code(&self) -> &str {
        match self {
            Self::InvalidBaseUrl(_) => "invalidBaseUrl",
            Self::InsecureHttp => "insecureHttp",
            Self::InvalidAccessToken => "invalidAccessToken",
            Self::Http(_) => "http",
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        None
    }
}

/// The settings of an HTTP client.
#[derive(Clone)]
pub(crate) struct HttpSettings {
    pub(crate) user_agent: String,
    pub(crate) connect_timeout: Duration,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) timeout: Duration,
}

impl HttpSettings {
    pub(crate) fn without_idle_timeout(&self) -> Self {
        Self { idle_timeout: None, ..self.clone() }
    }

    /// An HTTP client as the service wants it. It follows no redirects: the service makes none, so they lead elsewhere.
    pub(crate) fn client(&self) -> reqwest::Result<reqwest::Client> {
        let mut builder = reqwest::Client::builder()
            .user_agent(&self.user_agent)
            .timeout(self.timeout)
            .connect_timeout(self.connect_timeout)
            .pool_idle_timeout(POOL_IDLE_TIMEOUT)
            .redirect(Policy::none());
        if let Some(timeout) = self.idle_timeout {
            builder = builder.read_timeout(timeout);
        }
        // With both features, rustls is used: which one must not depend on what another package enables.
        #[cfg(feature = "rustls")]
        let builder = builder.tls_backend_rustls();
        builder.build()
    }
}

/// Checks the address of the service.
pub(crate) fn base_url(text: &str, allow_insecure_http: bool) -> Result<Url, BuildError> {
    let url = parse(text)?;
    let refuse = |why: &str| Err(BuildError::InvalidBaseUrl(format!("{why}: {text}")));
    if url.query().is_some() || url.fragment().is_some() {
        return refuse("it must not have a query or a fragment");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it must not have a username");
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if allow_insecure_http || is_loopback(&url) => Ok(url),
        "http" => Err(BuildError::InsecureHttp),
        _ => refuse("its scheme must be http or https"),
    }
}

pub(crate) fn parse(text: &str) -> Result<Url, BuildError> {
    Url::parse(text).map_err(|error| BuildError::InvalidBaseUrl(format!("{error}: {text}")))
}

/// Whether a URL's host is the local machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::Client;

    fn build(base_url: &str) -> Result<Client, BuildError> {
        Client::builder(base_url).build()
    }

    #[test]
    fn plain_http_goes_no_further_than_this_machine() {
        for near in ["http://127.0.0.1:8080", "http://localhost:1", "http://[::1]:8080/"] {
            build(near).unwrap();
        }
        for far in ["http://a.example", "http://127.0.0.1.a.example", "http://192.168.0.1"] {
            assert!(matches!(build(far), Err(BuildError::InsecureHttp)), "{far}");
            Client::builder(far).allow_insecure_http().build().unwrap();
        }
    }

    #[test]
    fn invalid_base_urls_are_rejected() {
        for text in
            ["", "a.example", "ftp://a.example", "https://a.example?x", "https://a.example#x", "https://u@a.example"]
        {
            assert!(matches!(build(text), Err(BuildError::InvalidBaseUrl(_))), "{text}");
        }
    }

    #[test]
    fn a_trailing_slash_makes_no_difference() {
        assert_eq!(build("https://a.example/trips/").unwrap().base_url(), "https://a.example/trips");
    }

    #[test]
    fn a_token_must_fit_a_header() {
        let refused = Client::builder("https://a.example").access_token("a\nb").build();
        assert!(matches!(&refused, Err(BuildError::InvalidAccessToken)));
        assert_eq!(refused.unwrap_err().code(), "invalidAccessToken");
    }
}
