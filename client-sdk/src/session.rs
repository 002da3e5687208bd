//! The credentials of a client, and how it sends requests. The hooks decide which requests carry the credentials.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use url::{Host, Url};

use crate::keeper::{Keeper, TokenError};
use crate::retry::Retries;

/// The credentials of a client, made by a [`ClientBuilder`](crate::ClientBuilder). Its `Debug` output omits them.
///
/// ```
/// use itinerary_sdk::{Client, ClientInfo};
///
/// # fn example() -> Result<(), itinerary_sdk::BuildError> {
/// let client = Client::builder("https://trips.example").access_token("secret").build()?;
/// assert!(!format!("{:?}", client.inner()).contains("secret"));
/// # Ok(())
/// # }
/// # example().unwrap();
/// ```
#[derive(Clone)]
pub struct Session(Arc<State>);

struct State {
    base: Url,
    credentials: Credentials,
    sending: Sending,
}

/// How requests are sent.
pub(crate) struct Sending {
    pub(crate) retries: Retries,
    /// The time limit of a request with all its attempts; `None` if the HTTP client is the caller's own.
    pub(crate) timeout: Option<Duration>,
    pub(crate) transfers: Transfers,
}

/// The HTTP client for large bodies and event streams. While a body is sent, nothing arrives, so the time limit of an idle
/// connection does not apply to it.
pub(crate) struct Transfers {
    client: OnceLock<reqwest::Client>,
    /// `None` if the HTTP client is the caller's own.
    builder: Option<Box<dyn Fn() -> reqwest::Result<reqwest::Client> + Send + Sync>>,
}

impl Transfers {
    pub(crate) fn new(builder: impl Fn() -> reqwest::Result<reqwest::Client> + Send + Sync + 'static) -> Self {
        Self { client: OnceLock::new(), builder: Some(Box::new(builder)) }
    }

    /// Uses the client for other requests.
    pub(crate) fn same() -> Self {
        Self { client: OnceLock::new(), builder: None }
    }

    /// The client for transfers, built when it is first needed, because most programs transfer nothing.
    pub(crate) fn client(&self, other: &reqwest::Client) -> reqwest::Client {
        let Some(builder) = &self.builder else { return other.clone() };
        self.client.get_or_init(|| builder().unwrap_or_else(|_| other.clone())).clone()
    }
}

/// Where the bearer token comes from.
pub(crate) enum Credentials {
    /// No token: public operations only.
    Nobody,
    /// A token that is never refreshed.
    Fixed(String),
    /// A token from a store, refreshed when needed.
    Kept(Keeper),
}

impl Session {
    pub(crate) fn new(base: Url, credentials: Credentials, sending: Sending) -> Self {
        Self(Arc::new(State { base, credentials, sending }))
    }

    pub(crate) fn sending(&self) -> &Sending {
        &self.0.sending
    }

    /// Whether a rejected token can be refreshed.
    pub(crate) fn can_renew(&self) -> bool {
        matches!(self.0.credentials, Credentials::Kept(_))
    }

    /// The bearer token to send.
    pub(crate) async fn token(&self) -> Result<Option<String>, TokenError> {
        match &self.0.credentials {
            Credentials::Nobody => Ok(None),
            Credentials::Fixed(token) => Ok(Some(token.clone())),
            Credentials::Kept(keeper) => keeper.token(None).await.map(Some),
        }
    }

    /// A token other than the rejected one; `None` if it cannot be refreshed.
    pub(crate) async fn token_instead_of(&self, refused: &str) -> Result<Option<String>, TokenError> {
        match &self.0.credentials {
            Credentials::Kept(keeper) => keeper.token(Some(refused)).await.map(Some),
            Credentials::Nobody | Credentials::Fixed(_) => Ok(None),
        }
    }

    /// The part of a URL after the base URL; `None` for other hosts, which must not get the token.
    pub(crate) fn path<'url>(&self, url: &'url Url) -> Option<&'url str> {
        let base = &self.0.base;
        if origin(url) == origin(base) { url.path().strip_prefix(base.path().trim_end_matches('/')) } else { None }
    }
}

/// Like [`Url::origin`], which copies the host.
fn origin(url: &Url) -> (&str, Option<Host<&str>>, Option<u16>) {
    (url.scheme(), url.host(), url.port_or_known_default())
}

/// Omits secrets.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let credentials = match &self.0.credentials {
            Credentials::Nobody => "nobody",
            Credentials::Fixed(_) => "a fixed token",
            Credentials::Kept(_) => "a token store",
        };
        f.debug_struct("Session").field("base", &self.0.base.as_str()).field("credentials", &credentials).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::retry::SystemTimer;

    fn session(base: &str, credentials: Credentials) -> Session {
        let retries = Retries {
            enabled: true,
            within: None,
            hook: None,
            timer: Arc::new(SystemTimer),
            clock: Arc::new(SystemClock),
        };
        let sending = Sending { retries, timeout: None, transfers: Transfers::same() };
        Session::new(base.parse().unwrap(), credentials, sending)
    }

    #[test]
    fn only_addresses_under_the_base_have_a_path() {
        let path =
            |base: &str, url: &str| session(base, Credentials::Nobody).path(&url.parse().unwrap()).map(str::to_owned);
        assert_eq!(path("https://a.example", "https://a.example/v1/account").as_deref(), Some("/v1/account"));
        assert_eq!(path("https://a.example/trips", "https://a.example/trips/v1/x").as_deref(), Some("/v1/x"));
        assert_eq!(path("https://a.example/trips", "https://a.example/v1/x"), None);
        for other in ["http://a.example/v1/x", "https://b.example/v1/x", "https://a.example:444/v1/x"] {
            assert_eq!(path("https://a.example", other), None, "{other}");
        }
    }

    #[test]
    fn a_token_is_not_shown() {
        let session = session("https://a.example", Credentials::Fixed("hush".to_owned()));
        assert!(!format!("{session:?}").contains("hush"));
    }
}
