//! Signing in from a program on the traveller's machine, through the browser with a loopback redirect (RFC 8252). Web
//! applications receive the redirect on their own server instead.

mod browser;
mod callback;

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use oauth2::basic::BasicClient;
use oauth2::{AuthType, AuthUrl, AuthorizationCode, ClientId, CsrfToken, EndpointNotSet, EndpointSet, HttpRequest};
use oauth2::{HttpResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse, TokenUrl};
use progenitor_client::ClientInfo;
use url::Url;

pub use browser::open_browser;

use crate::clock::{Clock, SystemClock};
use crate::connection::{BuildError, is_loopback};
use crate::error::{ApiError, ErrorExt};
use crate::generated::Client;
use crate::tokens::{TokenStore, Tokens};
use crate::types::{AuthorisationServerMetadata, ClientAuthMethod, RegistrationRequest};
use callback::{Callback, Outcome};

/// The default time limit for the traveller.
const TIME_LIMIT: Duration = Duration::from_mins(5);
/// Registered without a port: loopback redirects match with any port.
const REGISTERED_REDIRECT: &str = "http://127.0.0.1/callback";

/// The client of the `oauth2` crate, with an authorisation and a token endpoint.
type OauthClient = BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// Why a sign-in failed.
///
/// ```no_run
/// use itinerary_sdk::{SignIn, SignInError};
///
/// # async fn example() {
/// match SignIn::new("https://trips.example", "Trip planner").run(|url| println!("Open {url}")).await {
///     Ok(tokens) => println!("signed in for {}", tokens.scope),
///     Err(SignInError::Refused { error, .. }) if error == "access_denied" => println!("not approved"),
///     Err(SignInError::TimedOut) => println!("nobody signed in"),
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// The base URL is malformed or insecure.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The metadata of the authorisation server could not be read.
    #[error("failed to read the authorisation server metadata: {0}")]
    Discovery(#[source] Box<dyn Error + Send + Sync>),
    /// The authorisation server's issuer differs from the base URL.
    #[error("the issuer of the service is {issuer}: use that as the base URL")]
    OtherIssuer {
        /// The issuer, to be used as the base URL.
        issuer: String,
    },
    /// The authorisation server's endpoints or methods are not safe to use.
    #[error("the authorisation server is not safe to use: {0}")]
    Unsafe(String),
    /// The program could not be registered as a client.
    #[error("failed to register the program: {0}")]
    Registration(#[source] Box<dyn Error + Send + Sync>),
    /// No loopback port could be opened for the redirect.
    #[error("failed to listen for the redirect: {0}")]
    Listen(#[source] io::Error),
    /// The traveller did not finish within the time limit.
    #[error("the traveller did not finish signing in within the time limit")]
    TimedOut,
    /// The traveller or the service denied the request.
    #[error("the sign-in was denied: {error} {description}")]
    Refused {
        /// The OAuth error code; `access_denied` if the traveller denied it.
        error: String,
        /// An explanation for developers; may be empty.
        description: String,
    },
    /// The tokens could not be read from their store or saved in it.
    #[error("failed to store the tokens: {0}")]
    Store(#[source] io::Error),
    /// The redirect came from another authorisation server (RFC 9207).
    #[error("the redirect came from another authorisation server")]
    WrongIssuer,
    /// The authorisation code could not be exchanged for tokens.
    #[error("failed to exchange the authorisation code: {0}")]
    Exchange(#[source] Box<dyn Error + Send + Sync>),
}

impl ErrorExt for SignInError {
    fn code(&self) -> &str {
        if let Some(error) = self.api_error() {
            return error.code();
        }
        match self {
            Self::Build(error) => error.code(),
            Self::Discovery(_) => "discovery",
            Self::OtherIssuer { .. } => "otherIssuer",
            Self::Unsafe(_) => "unsafe",
            Self::Registration(_) => "registration",
            Self::Listen(_) => "listen",
            Self::TimedOut => "timedOut",
            Self::Refused { .. } => "refused",
            Self::Store(_) => "store",
            Self::WrongIssuer => "wrongIssuer",
            Self::Exchange(_) => "exchange",
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::Discovery(error) | Self::Registration(error) | Self::Exchange(error) => error.downcast_ref(),
            _ => None,
        }
    }
}

/// Signs a traveller in through the browser, for a program on the traveller's machine.
///
/// ```no_run
/// use itinerary_sdk::{Client, FileTokenStore, SignIn, open_browser};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = FileTokenStore::new("tokens.json");
/// let sign_in = SignIn::new("https://trips.example", "Trip planner").scopes(["itineraries:read", "itineraries:write"]);
/// sign_in
///     .run_if_needed(&store, |url| {
///         println!("If no browser opens, open {url}");
///         open_browser(url).ok();
///     })
///     .await?;
/// let client = Client::builder("https://trips.example").token_store(store).build()?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct SignIn {
    base_url: String,
    app_name: String,
    scopes: Vec<String>,
    client_id: Option<String>,
    time_limit: Duration,
    http_client: Option<reqwest::Client>,
    clock: Arc<dyn Clock>,
    allow_insecure_http: bool,
}

impl SignIn {
    /// Prepares a sign-in to the service at `base_url`. The consent page shows `app_name`.
    ///
    /// ```
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner");
    /// ```
    pub fn new(base_url: impl Into<String>, app_name: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            app_name: app_name.into(),
            scopes: Vec::new(),
            client_id: None,
            time_limit: TIME_LIMIT,
            http_client: None,
            clock: Arc::new(SystemClock),
            allow_insecure_http: false,
        }
    }

    /// Sets the scopes to request. Defaults to `itineraries:read`.
    ///
    /// ```
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner")
    ///     .scopes(["itineraries:read", "itineraries:write"]);
    /// ```
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Uses a registered client, such as that of earlier [`Tokens`]. By default the program registers itself, which the
    /// service allows ten times an hour. The client must be public and have the redirect URI
    /// `http://127.0.0.1/callback`.
    ///
    /// ```
    /// # fn example(earlier: &itinerary_sdk::Tokens) {
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner").client_id(&earlier.client_id);
    /// # }
    /// ```
    pub fn client_id(mut self, client_id: impl Into<String>) -> Self {
        self.client_id = Some(client_id.into());
        self
    }

    /// Limits the time that the traveller has. Defaults to five minutes.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner").time_limit(Duration::from_secs(60));
    /// ```
    pub fn time_limit(mut self, time_limit: Duration) -> Self {
        self.time_limit = time_limit;
        self
    }

    /// Uses this HTTP client. It must not follow redirects, since the code and its verifier would be sent along.
    ///
    /// ```
    /// # fn example() -> Result<(), reqwest::Error> {
    /// let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner").http_client(http);
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
    /// use itinerary_sdk::{SignIn, SystemClock};
    ///
    /// let sign_in = SignIn::new("https://trips.example", "Trip planner").clock(SystemClock);
    /// ```
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Allows `http://` to other machines. Anyone on the network path can then read the tokens.
    ///
    /// ```
    /// let sign_in = itinerary_sdk::SignIn::new("http://trips.internal", "Trip planner").allow_insecure_http();
    /// ```
    pub fn allow_insecure_http(mut self) -> Self {
        self.allow_insecure_http = true;
        self
    }

    /// Passes the authorisation URL to `present`, such as to [`open_browser`], waits for the redirect and returns the
    /// tokens. Stores nothing.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), itinerary_sdk::SignInError> {
    /// let sign_in = itinerary_sdk::SignIn::new("https://trips.example", "Trip planner");
    /// let tokens = sign_in.run(|url| println!("Open {url}")).await?;
    /// println!("signed in for {}", tokens.scope);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run(self, present: impl FnOnce(&Url)) -> Result<Tokens, SignInError> {
        let client = self.client()?;
        let metadata = self.discover(&client).await?;
        let client_id = match &self.client_id {
            Some(client_id) => client_id.clone(),
            None => self.register(&client).await?,
        };
        let callback = Callback::listen().await.map_err(SignInError::Listen)?;
        let oauth = self.oauth(&metadata, client_id, callback.address())?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state) = oauth
            .authorize_url(CsrfToken::new_random)
            .add_scopes(self.scopes.iter().cloned().map(Scope::new))
            .set_pkce_challenge(challenge)
            .url();
        present(&url);
        let code = self.code(callback, &state, &metadata.issuer).await?;
        self.exchange(&client, &oauth, code, verifier).await
    }

    /// Signs in like [`run`](SignIn::run) and saves the tokens in this store, unless it has tokens.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), itinerary_sdk::SignInError> {
    /// use itinerary_sdk::{FileTokenStore, SignIn};
    ///
    /// let sign_in = SignIn::new("https://trips.example", "Trip planner");
    /// sign_in.run_if_needed(&FileTokenStore::new("tokens.json"), |url| println!("Open {url}")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_if_needed(self, store: &impl TokenStore, present: impl FnOnce(&Url)) -> Result<(), SignInError> {
        if store.load().await.map_err(SignInError::Store)?.is_none() {
            let tokens = self.run(present).await?;
            store.save(&tokens).await.map_err(SignInError::Store)?;
        }
        Ok(())
    }

    /// A client for the public operations.
    fn client(&self) -> Result<Client, BuildError> {
        let mut builder = Client::builder(&self.base_url);
        if let Some(http_client) = &self.http_client {
            builder = builder.http_client(http_client.clone());
        }
        if self.allow_insecure_http {
            builder = builder.allow_insecure_http();
        }
        builder.build()
    }

    async fn discover(&self, client: &Client) -> Result<AuthorisationServerMetadata, SignInError> {
        let answer = client.discovery_authorisation_server().send().await;
        let metadata = answer.map_err(|error| SignInError::Discovery(error.into()))?;
        // Metadata of another issuer must not be trusted (RFC 8414, section 3.3).
        if metadata.issuer != client.baseurl() {
            return Err(SignInError::OtherIssuer { issuer: metadata.issuer });
        }
        if !metadata.code_challenge_methods_supported.iter().any(|method| method == "S256") {
            return Err(SignInError::Unsafe("it does not support PKCE with S256".to_owned()));
        }
        Ok(metadata)
    }

    async fn register(&self, client: &Client) -> Result<String, SignInError> {
        let request = RegistrationRequest::new([REGISTERED_REDIRECT])
            .client_name(&self.app_name)
            .token_endpoint_auth_method(ClientAuthMethod::None)
            .application_type("native");
        let answer = client.oauth_register(request).send().await;
        Ok(answer.map_err(|error| SignInError::Registration(error.into()))?.client_id)
    }

    fn oauth(
        &self,
        metadata: &AuthorisationServerMetadata,
        client_id: String,
        redirect: Url,
    ) -> Result<OauthClient, SignInError> {
        Ok(BasicClient::new(ClientId::new(client_id))
            .set_auth_type(AuthType::RequestBody)
            .set_auth_uri(AuthUrl::from_url(self.endpoint(&metadata.authorization_endpoint)?))
            .set_token_uri(TokenUrl::from_url(self.endpoint(&metadata.token_endpoint)?))
            .set_redirect_uri(RedirectUrl::from_url(redirect)))
    }

    async fn code(
        &self,
        callback: Callback,
        state: &CsrfToken,
        issuer: &str,
    ) -> Result<AuthorizationCode, SignInError> {
        let answer = callback.answer(state.secret(), issuer, &self.app_name);
        match tokio::time::timeout(self.time_limit, answer).await {
            Ok(Outcome::Code(code)) => Ok(AuthorizationCode::new(code)),
            Ok(Outcome::Refused { error, description }) => Err(SignInError::Refused { error, description }),
            Ok(Outcome::WrongIssuer) => Err(SignInError::WrongIssuer),
            Err(_) => Err(SignInError::TimedOut),
        }
    }

    async fn exchange(
        &self,
        client: &Client,
        oauth: &OauthClient,
        code: AuthorizationCode,
        verifier: PkceCodeVerifier,
    ) -> Result<Tokens, SignInError> {
        let send = |request| send(client.client().clone(), request);
        let asked_at = self.clock.now();
        let answer = oauth.exchange_code(code).set_pkce_verifier(verifier).request_async(&send).await;
        let answer = answer.map_err(|error| SignInError::Exchange(error.into()))?;
        let lifetime = answer.expires_in().and_then(|lifetime| TimeDelta::from_std(lifetime).ok()).unwrap_or_default();
        // A response without scopes grants those that were requested (RFC 6749, section 5.1).
        let scope = match answer.scopes() {
            Some(scopes) => scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" "),
            None => self.scopes.join(" "),
        };
        Ok(Tokens {
            client_id: oauth.client_id().to_string(),
            access_token: answer.access_token().secret().clone(),
            refresh_token: answer.refresh_token().map(|token| token.secret().clone()),
            expires_at: asked_at.checked_add_signed(lifetime).unwrap_or(asked_at),
            scope,
        })
    }

    /// Checks a URL that the browser or tokens are sent to: `https`, or `http` where that is allowed.
    fn endpoint(&self, text: &str) -> Result<Url, SignInError> {
        let url = Url::parse(text).map_err(|error| SignInError::Unsafe(format!("{error}: {text}")))?;
        match url.scheme() {
            "https" => Ok(url),
            "http" if self.allow_insecure_http || is_loopback(&url) => Ok(url),
            _ => Err(SignInError::Unsafe(format!("{text} is not https"))),
        }
    }
}

/// Adapts our HTTP client to the `oauth2` crate, which knows an older version of it.
async fn send(http: reqwest::Client, request: HttpRequest) -> reqwest::Result<HttpResponse> {
    let answer = http.execute(request.try_into()?).await?;
    let mut response = HttpResponse::new(Vec::new());
    *response.status_mut() = answer.status();
    *response.headers_mut() = answer.headers().clone();
    *response.body_mut() = answer.bytes().await?.to_vec();
    Ok(response)
}
