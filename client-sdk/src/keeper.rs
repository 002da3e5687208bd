//! Keeps a traveller's access token valid: refreshes it before it expires, or when the service rejected it.
//!
//! A refresh token works once, and using it twice ends the sign-in. So only one refresh runs at a time, always to
//! completion, and new tokens are stored before they are used.

use std::io;
use std::sync::Arc;

use chrono::TimeDelta;
use reqwest::StatusCode;
use tokio::sync::Mutex;
use url::Url;

use crate::clock::Clock;
use crate::error::{ApiError, ErrorExt, SIGN_IN_REQUIRED};
use crate::tokens::{TokenStore, Tokens};
use crate::types;

/// How long before its expiry an access token is refreshed.
const MARGIN: TimeDelta = TimeDelta::seconds(60);

/// Why there is no access token to send.
///
/// ```no_run
/// use itinerary_sdk::TokenError;
///
/// # async fn example(client: &itinerary_sdk::Client) {
/// match client.access_token().await {
///     Err(TokenError::SignInRequired { reason }) => println!("please sign in: {reason}"),
///     Err(error) => println!("try again later: {error}"),
///     Ok(_) => println!("signed in"),
/// }
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The traveller has to sign in: they never did, or the service ended the sign-in.
    #[error("sign in again: {reason}")]
    SignInRequired {
        /// An explanation for people, in English.
        reason: String,
    },
    /// The token endpoint could not be reached. Retrying later may help.
    #[error("failed to reach the token endpoint: {0}")]
    Unreachable(#[from] reqwest::Error),
    /// The token endpoint failed without rejecting the refresh token. Retrying later may help.
    #[error("the token endpoint responded with status {status}")]
    Unavailable {
        /// The HTTP status of the response.
        status: u16,
    },
    /// The token store could not be read or written.
    #[error("failed to use the token store: {0}")]
    Store(#[from] io::Error),
    /// The runtime is shutting down, or refreshing panicked.
    #[error("refreshing the token was interrupted")]
    Interrupted,
}

impl TokenError {
    fn sign_in(reason: impl Into<String>) -> Self {
        Self::SignInRequired { reason: reason.into() }
    }
}

impl ErrorExt for TokenError {
    fn code(&self) -> &str {
        match self {
            Self::SignInRequired { .. } => SIGN_IN_REQUIRED,
            Self::Unreachable(_) => "unreachable",
            Self::Unavailable { .. } => "unavailable",
            Self::Store(_) => "store",
            Self::Interrupted => "interrupted",
        }
    }

    fn api_error(&self) -> Option<&ApiError> {
        None
    }
}

/// The state for refreshing tokens.
pub(crate) struct KeeperConfig {
    pub(crate) store: Arc<dyn TokenStore>,
    /// For a confidential client.
    pub(crate) client_secret: Option<String>,
    pub(crate) token_endpoint: Url,
    pub(crate) http: reqwest::Client,
    pub(crate) clock: Arc<dyn Clock>,
}

pub(crate) struct Keeper {
    config: Arc<KeeperConfig>,
    held: Arc<Mutex<Held>>,
}

/// The last known state of the store, to avoid reading it for every request.
#[derive(Default)]
struct Held {
    tokens: Option<Tokens>,
    /// Saving failed after a refresh, so the refresh token in the store is already used.
    unsaved: bool,
    /// The refresh token that was rejected; sending it again is pointless.
    refused: Option<String>,
}

impl Keeper {
    pub(crate) fn new(config: KeeperConfig) -> Self {
        Self { config: Arc::new(config), held: Arc::default() }
    }

    /// Returns an access token that is valid for at least [`MARGIN`] and is not the rejected one.
    pub(crate) async fn token(&self, refused: Option<&str>) -> Result<String, TokenError> {
        let mut held = self.held.clone().lock_owned().await;
        if let Some(tokens) = held.tokens.as_ref().filter(|_| !held.unsaved)
            && self.config.is_good(tokens, refused)
        {
            return Ok(tokens.access_token.clone());
        }
        let (config, refused) = (self.config.clone(), refused.map(str::to_owned));
        // In a separate task, because tokens are issued once and a cancelled caller must not lose them.
        let renewal = tokio::spawn(async move { config.renew(&mut held, refused.as_deref()).await });
        renewal.await.unwrap_or(Err(TokenError::Interrupted))
    }
}

impl KeeperConfig {
    fn is_good(&self, tokens: &Tokens, refused: Option<&str>) -> bool {
        self.clock.now() + MARGIN < tokens.expires_at && refused != Some(&tokens.access_token)
    }

    /// Whether a token that is due for a refresh can still be sent if refreshing fails.
    fn is_alive(&self, tokens: &Tokens, refused: Option<&str>) -> bool {
        self.clock.now() < tokens.expires_at && refused != Some(&tokens.access_token)
    }

    async fn renew(&self, held: &mut Held, refused: Option<&str>) -> Result<String, TokenError> {
        let _lock = self.store.lock().await?;
        if held.unsaved {
            self.save(held).await?;
        }
        let Some(tokens) = self.store.load().await? else {
            held.tokens = None;
            return Err(TokenError::sign_in("the token store is empty"));
        };
        // Another process, or a new sign-in, may have stored newer tokens.
        let access_token = tokens.access_token.clone();
        let (is_good, is_alive) = (self.is_good(&tokens, refused), self.is_alive(&tokens, refused));
        held.tokens = Some(tokens.clone());
        if is_good {
            return Ok(access_token);
        }
        match self.refresh(held, &tokens).await {
            Ok(tokens) => {
                held.tokens = Some(tokens);
                held.unsaved = true;
                self.save(held).await?;
                Ok(held.tokens.as_ref().map(|tokens| tokens.access_token.clone()).unwrap_or_default())
            }
            // The token has not expired yet.
            Err(_) if is_alive => Ok(access_token),
            Err(error) => Err(error),
        }
    }

    async fn save(&self, held: &mut Held) -> Result<(), TokenError> {
        if let Some(tokens) = &held.tokens {
            self.store.save(tokens).await?;
        }
        held.unsaved = false;
        Ok(())
    }

    async fn refresh(&self, held: &mut Held, tokens: &Tokens) -> Result<Tokens, TokenError> {
        let Some(refresh_token) = &tokens.refresh_token else {
            return Err(TokenError::sign_in("the access token has expired, and there is no refresh token"));
        };
        if held.refused.as_ref() == Some(refresh_token) {
            return Err(TokenError::sign_in("the service has ended this sign-in"));
        }
        let form = types::TokenRequest {
            grant_type: types::GrantType::RefreshToken.into(),
            refresh_token: Some(refresh_token.clone()),
            client_id: Some(tokens.client_id.clone()),
            client_secret: self.client_secret.clone(),
            code: None,
            code_verifier: None,
            redirect_uri: None,
            resource: None,
            scope: None,
        };
        let asked_at = self.clock.now();
        let answer = self.http.post(self.token_endpoint.clone()).form(&form).send().await?;
        match answer.status() {
            StatusCode::OK => Ok(Tokens::from_answer(&tokens.client_id, answer.json().await?, asked_at)),
            status => {
                let Some(reason) = refusal(answer).await else {
                    return Err(TokenError::Unavailable { status: status.as_u16() });
                };
                held.refused = Some(refresh_token.clone());
                Err(TokenError::sign_in(reason))
            }
        }
    }
}

/// The OAuth error, if the service rejected the refresh token. Other failures may be temporary, or come from a proxy.
async fn refusal(answer: reqwest::Response) -> Option<String> {
    if !matches!(answer.status(), StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED) {
        return None;
    }
    let body: types::OAuthErrorBody = answer.json().await.ok()?;
    Some(format!("{} ({})", *body.error, body.error_description))
}
