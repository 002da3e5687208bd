//! Browser sessions: a cookie of 256 random bits, of which the store keeps the hash.
//!
//! Cookies are `HttpOnly` and `SameSite=Lax`, and over https also `Secure` with the `__Host-` prefix. Each sign-in
//! begins a new session, which prevents session fixation.

use std::error::Error;

use chrono::{DateTime, Duration, Utc};
use cookie::{Cookie, SameSite, time};
use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{Account, Hash, StoreError};
use uuid::Uuid;

const NAME: &str = "session";
const LIFETIME: Duration = Duration::days(30);

/// A browser session of a signed-in traveller.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The hash of its cookie.
    pub hash: Hash,
    pub account: Account,
}

/// The session of a request, if it has a valid one.
pub(crate) async fn current(service: &Service, headers: &HeaderMap) -> Result<Option<Session>, StoreError> {
    let Some(secret) = cookie(service, headers, NAME) else { return Ok(None) };
    let hash = ids::hash(&secret);
    let account = service.store.session(&hash, service.clock.now()).await?;
    Ok(account.map(|account| Session { hash, account }))
}

/// The session of a request for which an error is shown. `None` also if the session cannot be read.
pub(crate) async fn current_or_none(service: &Service, headers: &HeaderMap) -> Option<Session> {
    let session = current(service, headers).await;
    session
        .inspect_err(|error| tracing::warn!(error = error as &dyn Error, "the session for an error page was not read"))
        .ok()
        .flatten()
}

/// Begins a session in place of the request's and returns its cookie. `None` if the password has changed since it was
/// checked.
pub(crate) async fn begin_checked(
    service: &Service,
    headers: &HeaderMap,
    account: &Account,
) -> Result<Option<HeaderValue>, StoreError> {
    start(service, headers, account.id, Some(&account.password_hash), service.clock.now()).await
}

/// The same for an account that was found by its identity at a provider, which says when the traveller last authenticated
/// there. `None` if the account has changed since it was found.
pub(crate) async fn begin_by_provider(
    service: &Service,
    headers: &HeaderMap,
    account: &Account,
    authenticated_at: Option<DateTime<Utc>>,
) -> Result<Option<HeaderValue>, StoreError> {
    let at = authenticated_at.unwrap_or(DateTime::UNIX_EPOCH);
    start(service, headers, account.id, Some(&account.password_hash), at).await
}

/// Begins a session for an account that was just created by an identity. `None` if it was suspended at once.
pub(crate) async fn begin_new(
    service: &Service,
    headers: &HeaderMap,
    account_id: Uuid,
    authenticated_at: Option<DateTime<Utc>>,
) -> Result<Option<HeaderValue>, StoreError> {
    let at = authenticated_at.unwrap_or(DateTime::UNIX_EPOCH);
    start(service, headers, account_id, None, at).await
}

/// Begins a session after the account was created or its password set, and returns its cookie. `None` if the account is
/// suspended.
pub(crate) async fn begin(
    service: &Service,
    headers: &HeaderMap,
    account_id: Uuid,
) -> Result<Option<HeaderValue>, StoreError> {
    start(service, headers, account_id, None, service.clock.now()).await
}

async fn start(
    service: &Service,
    headers: &HeaderMap,
    account_id: Uuid,
    checked: Option<&str>,
    authenticated_at: DateTime<Utc>,
) -> Result<Option<HeaderValue>, StoreError> {
    if let Some(former) = cookie(service, headers, NAME) {
        service.store.session_delete(&ids::hash(&former)).await?;
    }
    let secret = ids::secret("", &*service.random);
    let created_at = service.clock.now();
    let hash = ids::hash(&secret);
    let expires_at = created_at + LIFETIME;
    let session = itinerary_store::Session { hash, account_id, created_at, expires_at, authenticated_at };
    let is_stored = service.store.session_insert(&session, checked).await?;
    let age = time::Duration::seconds(LIFETIME.num_seconds());
    Ok(is_stored.then(|| set_cookie(service, NAME, secret, Some(age))))
}

/// Ends a session. Returns the cookie that deletes the browser's.
pub(crate) async fn end(service: &Service, session: &Session) -> Result<HeaderValue, StoreError> {
    service.store.session_delete(&session.hash).await?;
    Ok(set_cookie(service, NAME, String::new(), Some(time::Duration::ZERO)))
}

/// The value of one of our cookies.
pub(super) fn cookie(service: &Service, headers: &HeaderMap, name: &str) -> Option<String> {
    let name = full_name(service, name);
    let sent = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    sent.flat_map(Cookie::split_parse).flatten().find(|cookie| cookie.name() == name).map(|it| it.value().to_owned())
}

/// A `Set-Cookie` header for one of our cookies. Without an age, a session cookie.
pub(super) fn set_cookie(service: &Service, name: &str, value: String, age: Option<time::Duration>) -> HeaderValue {
    let mut cookie = Cookie::build((full_name(service, name), value))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(service.config.is_https())
        .build();
    cookie.set_max_age(age);
    HeaderValue::from_str(&cookie.to_string()).expect("names and values are plain ASCII")
}

fn full_name(service: &Service, name: &str) -> String {
    if service.config.is_https() { format!("__Host-{name}") } else { name.to_owned() }
}
