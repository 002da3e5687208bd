//! Sign-in at OpenID Connect providers: what a browser set out to do, until it comes back.
//!
//! The parameter `state` is that, sealed for one provider and one browser: for its visitor's cookie, or for its session if
//! it linked or confirmed something. It can be used once, within ten minutes. Nonce and PKCE verifier are in it.

use chrono::{DateTime, Duration, Utc};
use http::HeaderMap;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_platform::ports::identity::SignInProvider;
use itinerary_providers::{Callback, Identity, IdentityFailure, SignInRequest};
use itinerary_store::{ConsentAnswer, StoreError};
use serde::{Deserialize, Serialize};
use url::Url;
use uuid::Uuid;

use super::forms::{self, Form, session_name};
use super::sessions::Session;

/// How long a traveller may take at the provider.
const LIFETIME: Duration = Duration::minutes(10);
/// The maximum length of an address to continue at: it becomes part of the provider's address.
const NEXT: usize = 4_000;

/// What a browser set out to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Purpose {
    /// To sign in, or to create an account.
    SignIn {
        next: Option<String>,
        /// The secret of an invitation, with which an account may be created.
        invitation: Option<String>,
    },
    /// To link the identity to the session's account.
    Link,
    /// To prove that the session's traveller is still there.
    Confirm { next: String },
}

impl Purpose {
    fn is_too_long(&self) -> bool {
        match self {
            Self::SignIn { next, invitation } => {
                let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                length(next) > NEXT || length(invitation) > NEXT
            }
            Self::Link => false,
            Self::Confirm { next } => next.len() > NEXT,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Pending {
    id: Uuid,
    purpose: Purpose,
    nonce: String,
    verifier: String,
    expires_at: DateTime<Utc>,
}

/// The browser that sets out, in the purposes of sealed values.
#[derive(Clone, Debug)]
pub(crate) enum BrowserName {
    Visitor(String),
    Session(String),
}

impl BrowserName {
    /// The browser by its visitor's cookie.
    pub(crate) fn visitor(service: &Service, headers: &HeaderMap) -> Option<Self> {
        forms::visitor(service, headers).map(Self::Visitor)
    }

    pub(crate) fn session(session: &Session) -> Self {
        Self::Session(session_name(session))
    }

    /// The purpose of a value that is sealed for this browser and provider.
    pub(crate) fn seals(&self, use_of: &str, provider: &SignInProvider) -> String {
        let slug = &provider.settings.slug;
        match self {
            Self::Visitor(name) => format!("{use_of} at {slug} by visitor {name}"),
            Self::Session(name) => format!("{use_of} at {slug} by session {name}"),
        }
    }
}

/// The name of all these providers in the metrics. The log names each.
const METRIC: &str = "openid_connect";

/// Why a browser cannot set out, or came back in vain.
#[derive(Debug)]
pub(crate) enum ProviderError {
    /// The state is not one of this browser and provider, has expired or was used.
    OutOfDate,
    /// The address to continue at is too long.
    TooLong,
    /// The traveller, or the provider, has declined.
    Declined,
    Identity(IdentityFailure),
    Store(StoreError),
}

impl From<StoreError> for ProviderError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The provider at this segment of an address.
pub(crate) fn find<'s>(service: &'s Service, slug: &str) -> Option<&'s SignInProvider> {
    service.ports.sign_in_providers.iter().find(|provider| provider.settings.slug == slug)
}

/// The address at which the browser signs in.
pub(crate) async fn sign_in_address(
    service: &Service,
    provider: &SignInProvider,
    browser: &BrowserName,
    purpose: Purpose,
) -> Result<Url, ProviderError> {
    if purpose.is_too_long() {
        return Err(ProviderError::TooLong);
    }
    let now = service.clock.now();
    let scopes: &[&str] = match &purpose {
        Purpose::SignIn { .. } if provider.settings.create_accounts => &["profile", "email"],
        _ => &[],
    };
    let anew = matches!(purpose, Purpose::Confirm { .. });
    let secret = || ids::secret("", &*service.random);
    let id = ids::uuid(now, &*service.random);
    let pending = Pending { id, purpose, nonce: secret(), verifier: secret(), expires_at: now + LIFETIME };
    let plain = serde_json::to_vec(&pending).expect("it is plain data");
    let state = service.key.seal(&browser.seals("sign-in", provider), &plain, &*service.random);
    let Pending { nonce, verifier, .. } = &pending;
    let request = SignInRequest { state: &state, nonce, verifier, scopes, anew };
    let address = provider.protocol.sign_in_address(&request, now).await;
    // Most need no call, because the provider's metadata is kept.
    if let Err(failure) = &address {
        service.metrics.provider_calls().ended_with(METRIC, outcome(Some(failure)));
    }
    address.map_err(ProviderError::Identity)
}

/// The outcome of a call of a provider, for metrics.
fn outcome(failure: Option<&IdentityFailure>) -> &'static str {
    match failure {
        None => "ok",
        Some(IdentityFailure::Provider(failure)) => failure.kind(),
        Some(IdentityFailure::CodeRefused) => "refused",
        Some(IdentityFailure::Invalid(_)) => "malformed",
    }
}

/// A browser that has come back, whose state can no longer be used.
pub(crate) struct Returned {
    pub(crate) purpose: Purpose,
    pending: Pending,
}

/// Opens the state of a browser that has come back, and uses it up.
pub(crate) async fn returned(
    service: &Service,
    provider: &SignInProvider,
    headers: &HeaderMap,
    session: Option<&Session>,
    query: &Form,
) -> Result<Returned, ProviderError> {
    let names = [BrowserName::visitor(service, headers), session.map(BrowserName::session)];
    let open = |name: BrowserName| service.key.open(&name.seals("sign-in", provider), query.get("state"));
    let plain = names.into_iter().flatten().find_map(open).ok_or(ProviderError::OutOfDate)?;
    let pending: Pending = serde_json::from_slice(&plain).map_err(|_| ProviderError::OutOfDate)?;
    if service.clock.now() >= pending.expires_at {
        return Err(ProviderError::OutOfDate);
    }
    let answer = ConsentAnswer { page: pending.id, expires_at: pending.expires_at };
    if !service.store.consent_answer(answer).await? {
        return Err(ProviderError::OutOfDate);
    }
    Ok(Returned { purpose: pending.purpose.clone(), pending })
}

impl Returned {
    /// Who signed in at the provider.
    pub(crate) async fn identify(
        &self,
        service: &Service,
        provider: &SignInProvider,
        query: &Form,
    ) -> Result<Identity, ProviderError> {
        if query.has("error") {
            return Err(ProviderError::Declined);
        }
        let callback = Callback {
            code: query.get("code"),
            issuer: query.has("iss").then(|| query.get("iss")),
            nonce: &self.pending.nonce,
            verifier: &self.pending.verifier,
        };
        if callback.code.is_empty() {
            return Err(ProviderError::Identity(IdentityFailure::CodeRefused));
        }
        let identity = provider.protocol.identify(callback, service.clock.now()).await;
        service.metrics.provider_calls().ended_with(METRIC, outcome(identity.as_ref().err()));
        identity.map_err(ProviderError::Identity)
    }
}
