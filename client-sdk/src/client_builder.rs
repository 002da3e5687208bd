//! Builds a client from its settings. The hooks say how it sends requests.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;

use crate::clock::{Clock, SystemClock};
use crate::connection::{BuildError, HttpSettings, base_url, parse};
use crate::generated::Client;
use crate::keeper::{Keeper, KeeperConfig};
use crate::retry::{Retries, Retry, RetryHook, RetryTimer, SystemTimer};
use crate::session::{Credentials, Sending, Session, Transfers};
use crate::tokens::TokenStore;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The service drops a response of which nothing is taken for 30 s, and works on none for that long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer than the 30 s after which the service rejects a stalled body, and than all waits between retries.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The time for the last attempt of a call with longer retries, in which the service works on it.
const LAST_ATTEMPT: Duration = IDLE_TIMEOUT;
const USER_AGENT: &str = concat!("itinerary-sdk/", env!("CARGO_PKG_VERSION"));

/// Builds a [`Client`]. Without an access token or a token store, the client can call public operations only.
///
/// ```
/// use std::time::Duration;
/// use itinerary_sdk::{Client, FileTokenStore};
///
/// let client = Client::builder("https://trips.example")
///     .token_store(FileTokenStore::new("tokens.json"))
///     .user_agent("trip-planner/1.2")
///     .timeout(Duration::from_secs(20))
///     .build()?;
/// # Ok::<(), itinerary_sdk::BuildError>(())
/// ```
#[must_use]
pub struct ClientBuilder {
    base_url: String,
    access_token: Option<String>,
    token_store: Option<Arc<dyn TokenStore>>,
    client_secret: Option<String>,
    user_agent: String,
    connect_timeout: Duration,
    idle_timeout: Duration,
    timeout: Option<Duration>,
    http_client: Option<reqwest::Client>,
    retries: bool,
    retry_within: Option<Duration>,
    retry_hook: Option<RetryHook>,
    retry_timer: Arc<dyn RetryTimer>,
    clock: Arc<dyn Clock>,
    allow_insecure_http: bool,
}

impl ClientBuilder {
    /// The defaults, for the service at this address.
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            access_token: None,
            token_store: None,
            client_secret: None,
            user_agent: USER_AGENT.to_owned(),
            connect_timeout: CONNECT_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            timeout: None,
            http_client: None,
            retries: true,
            retry_within: None,
            retry_hook: None,
            retry_timer: Arc::new(SystemTimer),
            clock: Arc::new(SystemClock),
            allow_insecure_http: false,
        }
    }

    /// Sends this access token with every request. It is never refreshed. Takes precedence over a token store.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = itinerary_sdk::Client::builder("https://trips.example").access_token("secret").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn access_token(mut self, token: impl Into<String>) -> Self {
        self.access_token = Some(token.into());
        self
    }

    /// Sends the access token of this store, and stores refreshed tokens in it. Pass an `Arc` to keep access to the
    /// store.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::sync::Arc;
    /// use itinerary_sdk::{Client, MemoryTokenStore};
    ///
    /// let store = Arc::new(MemoryTokenStore::default());
    /// let client = Client::builder("https://trips.example").token_store(store.clone()).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn token_store(mut self, store: impl TokenStore + 'static) -> Self {
        self.token_store = Some(Arc::new(store));
        self
    }

    /// Sets the secret of a confidential client, which refreshing needs. The client id comes with the tokens.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::{Client, FileTokenStore};
    ///
    /// let client = Client::builder("https://trips.example").token_store(FileTokenStore::new("tokens.json"));
    /// let client = client.client_secret(std::env::var("CLIENT_SECRET")?).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_secret(mut self, secret: impl Into<String>) -> Self {
        self.client_secret = Some(secret.into());
        self
    }

    /// Sets the `User-Agent`: the program's name and version, such as `trip-planner/1.2`. Defaults to that of the SDK.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = itinerary_sdk::Client::builder("https://trips.example").user_agent("trip-planner/1.2").build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = user_agent.into();
        self
    }

    /// Limits the time to open a connection. Defaults to 10 seconds.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// let client = itinerary_sdk::Client::builder("https://trips.example");
    /// let client = client.connect_timeout(Duration::from_secs(3)).idle_timeout(Duration::from_secs(10)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Limits the time without any byte from the service, before or within a response. Defaults to 30 seconds. Does not
    /// apply while a body of more than 64 KiB is sent.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// let client = itinerary_sdk::Client::builder("https://trips.example").idle_timeout(Duration::from_secs(10)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle_timeout = timeout;
        self
    }

    /// Limits the total time of a call, retries and their waits included. Defaults to one minute, or to the time of
    /// [`retry_within`](Self::retry_within) plus 30 seconds if that is longer. Document transfers have a longer limit
    /// that depends on their size.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// let client = itinerary_sdk::Client::builder("https://trips.example").timeout(Duration::from_secs(20)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends every request once, even if another attempt could succeed.
    ///
    /// By default, a request is retried after 429, 502, 503 or a broken connection, at most three times within 30
    /// seconds. PUT and DELETE are not retried after a broken connection; POST and PATCH only if they carry an
    /// `Idempotency-Key`, as those under `/v1/itineraries` do. An upload of a document is sent once; a download is
    /// retried until its response begins.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = itinerary_sdk::Client::builder("https://trips.example").no_retries().build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn no_retries(mut self) -> Self {
        self.retries = false;
        self
    }

    /// Retries for this long, as often as fits, instead of three times within 30 seconds. For programs that run
    /// unattended: the window of a rate limit is a minute, so two minutes outlast it. A request is not sent again if the
    /// service asks for a longer wait than is left.
    ///
    /// The time is from the first attempt of a call until the last one starts. It extends the default of
    /// [`timeout`](Self::timeout), but not a timeout that is set.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    ///
    /// let client = itinerary_sdk::Client::builder("https://trips.example").retry_within(Duration::from_secs(120)).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn retry_within(mut self, time: Duration) -> Self {
        self.retry_within = Some(time);
        self
    }

    /// Calls this before the wait of each retry, for example to count them. It must not block.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// use itinerary_sdk::Client;
    ///
    /// let retries = Arc::new(AtomicU32::new(0));
    /// let counter = retries.clone();
    /// let client = Client::builder("https://trips.example")
    ///     .on_retry(move |_| drop(counter.fetch_add(1, Ordering::Relaxed)))
    ///     .build()?;
    /// # Ok::<(), itinerary_sdk::BuildError>(())
    /// ```
    pub fn on_retry(mut self, hook: impl Fn(&Retry) + Send + Sync + 'static) -> Self {
        self.retry_hook = Some(Arc::new(hook));
        self
    }

    /// Replaces the timer for the waits between retries, for tests.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::{Client, SystemTimer};
    ///
    /// let client = Client::builder("https://trips.example").retry_timer(SystemTimer).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn retry_timer(mut self, timer: impl RetryTimer + 'static) -> Self {
        self.retry_timer = Arc::new(timer);
        self
    }

    /// Uses this HTTP client, whose own settings replace user agent and time limits. It should not follow redirects,
    /// since a refresh token would be sent along, and should close idle connections within 20 s.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use reqwest::redirect::Policy;
    ///
    /// let http = reqwest::Client::builder().redirect(Policy::none()).pool_idle_timeout(Duration::from_secs(20));
    /// let client = itinerary_sdk::Client::builder("https://trips.example").http_client(http.build()?).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http_client = Some(client);
        self
    }

    /// Replaces the system clock, for tests of token expiry.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use chrono::{DateTime, Utc};
    /// use itinerary_sdk::{Client, Clock};
    ///
    /// struct NewYear;
    ///
    /// impl Clock for NewYear {
    ///     fn now(&self) -> DateTime<Utc> {
    ///         DateTime::from_timestamp(1_798_761_600, 0).unwrap_or_default()
    ///     }
    /// }
    ///
    /// let client = Client::builder("https://trips.example").clock(NewYear).build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Allows `http://` to other machines. Anyone on the network path can then read the tokens.
    ///
    /// ```
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = itinerary_sdk::Client::builder("http://trips.internal").allow_insecure_http().build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn allow_insecure_http(mut self) -> Self {
        self.allow_insecure_http = true;
        self
    }

    /// Builds the client. Sends no request.
    ///
    /// ```
    /// use itinerary_sdk::{BuildError, Client};
    ///
    /// assert!(matches!(Client::builder("trips.example").build(), Err(BuildError::InvalidBaseUrl(_))));
    /// ```
    pub fn build(self) -> Result<Client, BuildError> {
        let base = base_url(&self.base_url, self.allow_insecure_http)?;
        let longest = self.retry_within.map_or(TIMEOUT, |time| TIMEOUT.max(time.saturating_add(LAST_ATTEMPT)));
        let timeout = self.timeout.unwrap_or(longest);
        let settings = HttpSettings {
            user_agent: self.user_agent,
            connect_timeout: self.connect_timeout,
            idle_timeout: Some(self.idle_timeout),
            timeout,
        };
        let timeout = self.http_client.is_none().then_some(timeout);
        let (http, transfers) = match self.http_client {
            Some(client) => (client, Transfers::same()),
            None => (settings.client()?, Transfers::new(move || settings.without_idle_timeout().client())),
        };
        let base_text = self.base_url.trim_end_matches('/');
        let credentials = match (self.access_token, self.token_store) {
            (Some(token), _) if HeaderValue::try_from(&token).is_err() => return Err(BuildError::InvalidAccessToken),
            (Some(token), _) => Credentials::Fixed(token),
            (None, Some(store)) => Credentials::Kept(Keeper::new(KeeperConfig {
                store,
                client_secret: self.client_secret,
                token_endpoint: parse(&format!("{base_text}/oauth/token"))?,
                http: http.clone(),
                clock: self.clock.clone(),
            })),
            (None, None) => Credentials::Nobody,
        };
        let retries = Retries {
            enabled: self.retries,
            within: self.retry_within,
            hook: self.retry_hook,
            timer: self.retry_timer,
            clock: self.clock,
        };
        let session = Session::new(base, credentials, Sending { retries, timeout, transfers });
        Ok(Client::new_with_client(base_text, http, session))
    }
}
