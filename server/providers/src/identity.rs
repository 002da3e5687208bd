//! Sign-in by an OpenID Connect provider of the operator, as `openidconnect` implements the protocol.
//!
//! The provider's metadata and keys are cached for an hour, and fetched once more for an unknown key. Requests go through
//! the HTTP client of the crate: no redirects, bounded time and size; other addresses than the issuer's origin must be
//! public. Callers keep state, nonce and PKCE verifier, and decide which account an identity belongs to.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthenticationFlow, CoreClaimName, CoreClaimType, CoreClient, CoreClientAuthMethod,
    CoreGrantType, CoreIdToken, CoreIdTokenClaims, CoreIdTokenVerifier, CoreJsonWebKey,
    CoreJweContentEncryptionAlgorithm, CoreJweKeyManagementAlgorithm, CoreJwsSigningAlgorithm, CoreResponseMode,
    CoreResponseType, CoreSubjectIdentifierType,
};
use openidconnect::{
    AdditionalProviderMetadata, AsyncHttpClient, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId,
    ClientSecret, CsrfToken, DiscoveryError, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    IssuerUrl, Nonce, PkceCodeChallenge, PkceCodeVerifier, ProviderMetadata, RedirectUrl, RequestTokenError, Scope,
    SignatureVerificationError, TokenResponse,
};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use url::Url;

use crate::http::Request;
use crate::{Failure, Http, Misconfigured};

/// How long one request to a provider may take, and all that fetch its metadata and keys together.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The maximum size of a response.
const MAX_BYTES: usize = 256 * 1024;
/// How long metadata and keys are used before they are fetched again.
const FRESH: TimeDelta = TimeDelta::hours(1);
/// How much the provider's clock may be ahead.
const SKEW: TimeDelta = TimeDelta::minutes(1);
/// The maximum age of an ID token: it has just been made for this sign-in.
const TOKEN_AGE: TimeDelta = TimeDelta::minutes(10);
/// The maximum length of a subject (OpenID Connect Core, section 2).
const SUBJECT: usize = 255;

/// The signatures that are accepted. No HMAC: whoever knows the client secret could sign with it.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// RFC 9207: whether every authorisation response names its issuer.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct IssuerInResponse {
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for IssuerInResponse {}

type Metadata = ProviderMetadata<
    IssuerInResponse,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

type ReadyClient =
    CoreClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointMaybeSet, EndpointMaybeSet>;

/// What a provider knows this service by.
#[derive(Clone)]
pub struct ClientRegistration {
    /// The issuer, character for character as the provider writes it.
    pub issuer: String,
    pub client_id: String,
    pub client_secret: String,
    /// The address to which the provider sends the browser back.
    pub redirect_uri: String,
}

/// What is asked of a provider. The caller remembers it until the browser comes back.
#[derive(Clone, Debug)]
pub struct SignInRequest<'a> {
    pub state: &'a str,
    pub nonce: &'a str,
    /// The PKCE verifier (RFC 7636), 43 to 128 characters.
    pub verifier: &'a str,
    /// The scopes besides `openid`.
    pub scopes: &'a [&'a str],
    /// Whether the traveller must authenticate anew.
    pub anew: bool,
}

/// What the provider sent back with the browser.
#[derive(Clone, Copy, Debug)]
pub struct Callback<'a> {
    pub code: &'a str,
    /// The parameter `iss`, if there was one.
    pub issuer: Option<&'a str>,
    pub nonce: &'a str,
    pub verifier: &'a str,
}

/// Who signed in, as the provider says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Identifies the person among all of the issuer.
    pub subject: String,
    pub preferred_username: Option<String>,
    pub name: Option<String>,
    /// Only if the provider says that it has verified it.
    pub verified_email: Option<String>,
    /// When the person last authenticated, if the provider says so.
    pub authenticated_at: Option<DateTime<Utc>>,
}

/// Why nobody was identified.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityFailure {
    /// The provider does not answer, or not as OpenID Connect says.
    #[error(transparent)]
    Provider(#[from] Failure),
    /// The provider does not accept the code, or not from this client.
    #[error("The provider refused the code.")]
    CodeRefused,
    /// The response or the ID token is not what was asked of this provider. The text names no claim's value.
    #[error("The response is invalid: {0}.")]
    Invalid(&'static str),
}

/// A provider.
pub struct IdentityProvider {
    http: Http,
    issuer: IssuerUrl,
    client_id: ClientId,
    client_secret: ClientSecret,
    redirect_uri: RedirectUrl,
    known: Mutex<Option<Known>>,
}

/// What a provider answers. On the heap, because the compiler cannot prove otherwise that tasks may hold the library's
/// futures.
type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl<'c> AsyncHttpClient<'c> for IdentityProvider {
    type Error = Failure;
    type Future = Answer<'c, Result<HttpResponse, Failure>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.send(request))
    }
}

/// The metadata and keys of a provider.
#[derive(Clone)]
struct Known {
    metadata: Arc<Metadata>,
    fetched_at: DateTime<Utc>,
}

impl IdentityProvider {
    /// A provider whose issuer is an http or https URL.
    ///
    /// Fails if an address is none, or if TLS cannot be set up.
    pub fn new(http: Http, registration: ClientRegistration) -> Result<Self, Misconfigured> {
        let ClientRegistration { issuer, client_id, client_secret, redirect_uri } = registration;
        let wrong = |what: &str| Misconfigured(format!("The {what} of an identity provider must be a URL."));
        let issuer = IssuerUrl::new(issuer).map_err(|_| wrong("issuer"))?;
        let redirect_uri = RedirectUrl::new(redirect_uri).map_err(|_| wrong("redirect URI"))?;
        http.prepare(issuer.url())?;
        Ok(Self {
            http,
            issuer,
            client_id: ClientId::new(client_id),
            client_secret: ClientSecret::new(client_secret),
            redirect_uri,
            known: Mutex::default(),
        })
    }

    /// The issuer, as the operator wrote it.
    pub fn issuer(&self) -> &str {
        self.issuer.as_str()
    }

    /// The address to which the browser goes to sign in.
    pub fn sign_in_address<'a>(
        &'a self,
        request: &'a SignInRequest<'a>,
        now: DateTime<Utc>,
    ) -> Answer<'a, Result<Url, IdentityFailure>> {
        Box::pin(self.address(request, now))
    }

    /// Exchanges the code and verifies the ID token.
    pub fn identify<'a>(
        &'a self,
        callback: Callback<'a>,
        now: DateTime<Utc>,
    ) -> Answer<'a, Result<Identity, IdentityFailure>> {
        Box::pin(self.redeem(callback, now))
    }

    async fn address(&self, request: &SignInRequest<'_>, now: DateTime<Utc>) -> Result<Url, IdentityFailure> {
        let client = self.client(&self.fresh(now).await?);
        let (state, nonce) = (CsrfToken::new(request.state.to_owned()), Nonce::new(request.nonce.to_owned()));
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier(request.verifier));
        let mut asked = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, move || state, move || nonce)
            .set_pkce_challenge(challenge)
            .add_scopes(request.scopes.iter().map(|scope| Scope::new((*scope).to_owned())));
        if request.anew {
            asked = asked.set_max_age(Duration::ZERO);
        }
        let (address, _, _) = asked.url();
        if !matches!(address.scheme(), "http" | "https") {
            return Err(Failure::malformed("the authorisation endpoint is not an http or https URL").into());
        }
        Ok(address)
    }

    async fn redeem(&self, callback: Callback<'_>, now: DateTime<Utc>) -> Result<Identity, IdentityFailure> {
        let mut known = self.fresh(now).await?;
        self.check_issuer(&known, callback.issuer)?;
        let client = self.client(&known);
        let exchange = client.exchange_code(AuthorizationCode::new(callback.code.to_owned()));
        let exchange = exchange.map_err(|_| Failure::malformed("there is no token endpoint"))?;
        let response = exchange.set_pkce_verifier(verifier(callback.verifier)).request_async(self).await;
        let response = response.map_err(|error| match error {
            RequestTokenError::Request(Failure::Status(400..=499)) | RequestTokenError::ServerResponse(_) => {
                IdentityFailure::CodeRefused
            }
            RequestTokenError::Request(failure) => failure.into(),
            RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
                Failure::malformed("the token response is not that of OpenID Connect").into()
            }
        })?;
        let token = response.id_token().ok_or(Failure::malformed("the token response has no ID token"))?;
        let nonce = Nonce::new(callback.nonce.to_owned());
        let mut verified = self.verified(&known, token, &nonce, now);
        if is_unknown_key(&verified) {
            // The provider may have new keys.
            known = self.fetched_after(&known, now).await?;
            verified = self.verified(&known, token, &nonce, now);
        }
        self.identity(verified.map_err(|error| invalid(&error))?, now)
    }

    /// RFC 9207: a response with another issuer was made for another client.
    fn check_issuer(&self, known: &Known, issuer: Option<&str>) -> Result<(), IdentityFailure> {
        match issuer {
            Some(issuer) if issuer == self.issuer.as_str() => Ok(()),
            None if !known.metadata.additional_metadata().authorization_response_iss_parameter_supported => Ok(()),
            Some(_) => Err(IdentityFailure::Invalid("it is from another issuer")),
            None => Err(IdentityFailure::Invalid("it does not name its issuer")),
        }
    }

    fn verified<'t>(
        &self,
        known: &Known,
        token: &'t CoreIdToken,
        nonce: &Nonce,
        now: DateTime<Utc>,
    ) -> Result<&'t CoreIdTokenClaims, ClaimsVerificationError> {
        let keys = known.metadata.jwks().clone();
        // A verifier of a public client has no secret to verify an HMAC with.
        let verifier = CoreIdTokenVerifier::new_public_client(self.client_id.clone(), self.issuer.clone(), keys)
            .set_allowed_algs(ALGORITHMS)
            .set_time_fn(move || now)
            .set_issue_time_verifier_fn(move |issued| {
                if issued > now + SKEW {
                    Err("issued in the future".to_owned())
                } else if issued < now - TOKEN_AGE {
                    Err("issued too long ago".to_owned())
                } else {
                    Ok(())
                }
            });
        token.claims(&verifier, nonce)
    }

    fn identity(&self, claims: &CoreIdTokenClaims, now: DateTime<Utc>) -> Result<Identity, IdentityFailure> {
        if claims.authorized_party().is_some_and(|party| *party != self.client_id) {
            return Err(IdentityFailure::Invalid("the ID token is for another client"));
        }
        let subject = claims.subject().as_str();
        if subject.is_empty() || subject.len() > SUBJECT || subject.contains('\0') {
            return Err(IdentityFailure::Invalid("the subject must have 1 to 255 characters"));
        }
        let authenticated_at = claims.auth_time();
        if authenticated_at.is_some_and(|at| at > now + SKEW) {
            return Err(IdentityFailure::Invalid("the traveller has signed in in the future"));
        }
        let name = claims.name().and_then(|name| name.get(None)).map(|name| name.as_str().to_owned());
        let email = claims.email().filter(|_| claims.email_verified() == Some(true));
        Ok(Identity {
            subject: subject.to_owned(),
            preferred_username: claims.preferred_username().map(|name| name.as_str().to_owned()),
            name,
            verified_email: email.map(|email| email.as_str().to_owned()),
            authenticated_at: authenticated_at.map(|at| at.min(now)),
        })
    }

    fn client(&self, known: &Known) -> ReadyClient {
        let (id, secret) = (self.client_id.clone(), Some(self.client_secret.clone()));
        let metadata = Metadata::clone(&known.metadata);
        // HTTP Basic is the default of OpenID Connect Discovery.
        let accepted = metadata.token_endpoint_auth_methods_supported();
        let is_basic = accepted.is_none_or(|methods| {
            methods.contains(&CoreClientAuthMethod::ClientSecretBasic)
                || !methods.contains(&CoreClientAuthMethod::ClientSecretPost)
        });
        CoreClient::from_provider_metadata(metadata, id, secret)
            .set_redirect_uri(self.redirect_uri.clone())
            .set_auth_type(if is_basic { AuthType::BasicAuth } else { AuthType::RequestBody })
    }

    /// The metadata and keys, fetched if they are not fresh. Concurrent callers share a fetch, and wait no longer than
    /// one may take.
    async fn fresh(&self, now: DateTime<Utc>) -> Result<Known, Failure> {
        self.known_if(now, |known| now - known.fetched_at < FRESH && known.fetched_at <= now).await
    }

    /// Newer metadata and keys than these.
    async fn fetched_after(&self, old: &Known, now: DateTime<Utc>) -> Result<Known, Failure> {
        self.known_if(now, |known| !Arc::ptr_eq(&known.metadata, &old.metadata)).await
    }

    async fn known_if(&self, now: DateTime<Utc>, suffices: impl Fn(&Known) -> bool) -> Result<Known, Failure> {
        timeout(TIMEOUT, self.known_or_fetched(now, suffices)).await.unwrap_or(Err(Failure::TimedOut))
    }

    async fn known_or_fetched(&self, now: DateTime<Utc>, suffices: impl Fn(&Known) -> bool) -> Result<Known, Failure> {
        let mut known = self.known.lock().await;
        if let Some(known) = known.as_ref().filter(|known| suffices(known)) {
            return Ok(known.clone());
        }
        let found = Metadata::discover_async(self.issuer.clone(), self).await;
        let metadata = found.map_err(|error| match error {
            DiscoveryError::Request(failure) => failure,
            DiscoveryError::Response(status, ..) if !status.is_success() => Failure::Status(status.as_u16()),
            DiscoveryError::Validation(_) => Failure::malformed("the metadata is of another issuer"),
            _ => Failure::malformed("the metadata or the keys are not those of OpenID Connect"),
        })?;
        let fetched = Known { metadata: Arc::new(metadata), fetched_at: now };
        *known = Some(fetched.clone());
        Ok(fetched)
    }

    /// Sends a request of the library.
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let (head, body) = request.into_parts();
        let url = Url::parse(&head.uri.to_string()).map_err(|_| Failure::malformed("an endpoint is not a URL"))?;
        let body = (head.method == Method::POST).then(|| body.into());
        let request = Request { url, headers: head.headers, body, max_bytes: MAX_BYTES };
        let deadline = Instant::now() + TIMEOUT;
        let response = self.http.fetch_response(&request, Some(self.issuer.url()), deadline).await?;
        let mut answered = HttpResponse::new(response.body.to_vec());
        *answered.status_mut() =
            response.status.try_into().map_err(|_| Failure::malformed("the status is out of range"))?;
        *answered.headers_mut() = response.headers;
        Ok(answered)
    }
}

fn verifier(verifier: &str) -> PkceCodeVerifier {
    PkceCodeVerifier::new(verifier.to_owned())
}

fn is_unknown_key<T>(verified: &Result<T, ClaimsVerificationError>) -> bool {
    let unknown = SignatureVerificationError::NoMatchingKey;
    matches!(verified, Err(ClaimsVerificationError::SignatureVerification(error)) if *error == unknown)
}

/// The library's messages repeat claims.
fn invalid(error: &ClaimsVerificationError) -> IdentityFailure {
    IdentityFailure::Invalid(match error {
        ClaimsVerificationError::Expired(_) => "the ID token has expired, or was not made just now",
        ClaimsVerificationError::InvalidAudience(_) => "the ID token is for another client",
        ClaimsVerificationError::InvalidIssuer(_) => "the ID token is from another issuer",
        ClaimsVerificationError::InvalidNonce(_) => "the ID token is for another sign-in",
        ClaimsVerificationError::SignatureVerification(_) => "the ID token's signature is not the provider's",
        _ => "the ID token is not one that this service accepts",
    })
}
