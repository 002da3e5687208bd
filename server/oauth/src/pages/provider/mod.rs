//! Sign-in at OpenID Connect providers: setting out, coming back, and creating an account on return.
//!
//! An account is found by the identity (issuer and subject) alone, never by a mail address. An unknown identity may
//! create an account; an existing account links it on its own page (`sign_in_methods.rs`).

mod new_account;

use askama::Template;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_platform::ports::identity::SignInProvider;
use itinerary_providers::{Identity, IdentityFailure};
use itinerary_store::{IdentityLinkOutcome, NewIdentity, StoreError};
use url::Url;

use super::confirm::RECENT;
use super::sign_in::NOT_COUNTED;
use super::suspended::suspended;
use super::{AFTER_SIGN_IN, Frame, failed_for, or_unavailable, page, see_other, with_cookie};
use crate::audited::{audited, method_added};
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::providers::{self, BrowserName, ProviderError, Purpose};
use crate::sessions::{self, Session};

pub use new_account::provider_account;

/// Buttons that lead to providers.
pub(super) struct ProviderButtons {
    pub(super) guard: String,
    pub(super) next: String,
    /// The secret of an invitation.
    pub(super) invitation: String,
    /// Segments of addresses, and names.
    pub(super) buttons: Vec<(String, String)>,
}

impl ProviderButtons {
    /// The buttons of a page for visitors.
    pub(super) fn new(service: &Service, guard: &Guard, form: &Form, suits: impl Fn(&SignInProvider) -> bool) -> Self {
        let suitable = service.ports.sign_in_providers.iter().filter(|provider| suits(provider));
        Self {
            guard: guard.code(service),
            next: form.next().unwrap_or_default().to_owned(),
            invitation: form.get("invitation").to_owned(),
            buttons: suitable.map(|it| (it.settings.slug.clone(), it.settings.name.clone())).collect(),
        }
    }
}

/// Other origins to which pages with such buttons may post: some browsers apply `form-action` to redirects after a form.
/// Providers redirect to wherever they sign people in.
pub(super) fn form_targets(service: &Service) -> String {
    let mut origins: Vec<String> = Vec::new();
    for provider in &service.ports.sign_in_providers {
        let issuer = Url::parse(provider.protocol.issuer()).ok().filter(|issuer| issuer.scheme() != "https");
        // A policy cannot contain an IPv6 address.
        let origin = issuer.map(|issuer| issuer.origin().ascii_serialization()).filter(|origin| !origin.contains('['));
        origins.push(origin.unwrap_or_else(|| "https:".to_owned()));
    }
    origins.sort();
    origins.dedup();
    origins.join(" ")
}

#[derive(Template)]
#[template(path = "provider_failure.html")]
struct FailurePage<'a> {
    frame: Frame,
    title: String,
    advice: String,
    back: &'a str,
}

/// A page that says why a provider's sign-in came to nothing.
fn failure(status: StatusCode, title: String, advice: &str, back: &str) -> Response<Bytes> {
    page(status, &FailurePage { frame: Frame::bare(), title, advice: advice.to_owned(), back })
}

/// `POST /sign-in/{provider}`: sends the browser to the provider.
pub async fn provider_sign_in(service: &Service, slug: &str, request: &WebRequest) -> Response<Bytes> {
    let Some(provider) = providers::find(service, slug) else { return unknown(service, request).await };
    let form = Form::from_body(request);
    let back = forms::with_next("/sign-in", form.next());
    if !Guard::visitor(service, &request.headers).admits(service, &form) {
        return refusal(provider, ProviderError::OutOfDate, &back);
    }
    let Some(browser) = BrowserName::visitor(service, &request.headers) else {
        return refusal(provider, ProviderError::OutOfDate, &back);
    };
    let invitation = Some(form.get("invitation")).filter(|secret| !secret.is_empty()).map(str::to_owned);
    let purpose = Purpose::SignIn { next: form.next().map(str::to_owned), invitation };
    set_out(service, provider, &browser, purpose, &back).await
}

/// Redirects to the provider, or shows why not.
pub(super) async fn set_out(
    service: &Service,
    provider: &SignInProvider,
    browser: &BrowserName,
    purpose: Purpose,
    back: &str,
) -> Response<Bytes> {
    match providers::sign_in_address(service, provider, browser, purpose).await {
        Ok(address) => see_other(address.as_str()),
        Err(error) => refusal(provider, error, back),
    }
}

async fn unknown(service: &Service, request: &WebRequest) -> Response<Bytes> {
    failed_for(service, &request.headers, StatusCode::NOT_FOUND, request.uri.path(), "").await
}

/// `GET /sign-in/{provider}/callback`: the browser comes back.
pub async fn provider_callback(service: &Service, slug: &str, request: &WebRequest) -> Response<Bytes> {
    let Some(provider) = providers::find(service, slug) else { return unknown(service, request).await };
    match come_back(service, provider, request).await {
        Ok(response) => response,
        Err(error) => refusal(provider, error, "/sign-in"),
    }
}

async fn come_back(
    service: &Service,
    provider: &SignInProvider,
    request: &WebRequest,
) -> Result<Response<Bytes>, ProviderError> {
    // Before the state is used up, which stores its id.
    let failures = vec![Bucket::SignInFromAddress(request.address)];
    let guess = match service.limits.reserve(failures, service.clock.now()).await {
        Ok(guess) => guess,
        Err(full) => return Ok(too_many(full.status(), full.reset)),
    };
    let query = Form::from_query(request);
    let session = sessions::current(service, &request.headers).await?;
    let returned = providers::returned(service, provider, &request.headers, session.as_ref(), &query).await?;
    let back = back_of(&returned.purpose);
    let identity = returned.identify(service, provider, &query).await;
    if !identity.as_ref().is_err_and(counts) {
        guess.give_back(service.clock.now()).await;
    }
    match identity {
        Ok(identity) => finish(service, provider, request, session, returned.purpose, identity).await,
        Err(ProviderError::Store(error)) => Err(error.into()),
        Err(error) => Ok(refusal(provider, error, &back)),
    }
}

/// Whether an error counts like a wrong password of the address: codes and tokens that the provider does not confirm, and a
/// sign-in that was declined, because anyone can send that.
fn counts(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Declined | ProviderError::Identity(IdentityFailure::CodeRefused | IdentityFailure::Invalid(_))
    )
}

fn too_many(status: StatusCode, seconds: u32) -> Response<Bytes> {
    let advice = if status == StatusCode::TOO_MANY_REQUESTS {
        "There were too many attempts in a short time. Wait a minute, then try again."
    } else {
        NOT_COUNTED
    };
    let mut response = failure(status, "One moment, please".to_owned(), advice, "/sign-in");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Where the browser came from.
fn back_of(purpose: &Purpose) -> String {
    match purpose {
        Purpose::SignIn { next, .. } => forms::with_next("/sign-in", next.as_deref()),
        Purpose::Link => super::sign_in_methods::HERE.to_owned(),
        Purpose::Confirm { next } => next.clone(),
    }
}

async fn finish(
    service: &Service,
    provider: &SignInProvider,
    request: &WebRequest,
    session: Option<Session>,
    purpose: Purpose,
    identity: Identity,
) -> Result<Response<Bytes>, ProviderError> {
    let issuer = provider.protocol.issuer();
    match (purpose, session) {
        (Purpose::SignIn { next, invitation }, _) => {
            let Some(account) = service.store.identity_account(issuer, &identity.subject).await? else {
                let (next, invitation) = (next.as_deref(), invitation.as_deref());
                return Ok(new_account::offer(service, provider, request, &identity, next, invitation).await?);
            };
            if account.suspended_at.is_some()
                && let Some(page) = suspended(service, request, account.id).await?
            {
                return Ok(page);
            }
            let headers = &request.headers;
            let begun = sessions::begin_by_provider(service, headers, &account, identity.authenticated_at).await?;
            let cookie = begun.ok_or(ProviderError::OutOfDate)?;
            audited(service, request, account.id, Event::SignedIn, &provider.settings.name).await;
            let known = devices::signed_in(service, headers, account.id).await;
            let response = with_cookie(see_other(next.as_deref().unwrap_or(AFTER_SIGN_IN)), Some(cookie));
            Ok(with_cookie(response, known))
        }
        (Purpose::Link, Some(session)) => Ok(link(service, provider, request, &session, &identity).await?),
        (Purpose::Confirm { next }, Some(session)) => {
            let account = service.store.identity_account(issuer, &identity.subject).await?;
            if account.is_none_or(|account| account.id != session.account.id) {
                let advice =
                    "It is not linked to the account that is signed in here. Use the one that you have linked.";
                let title = format!("This is another account at {}", provider.settings.name);
                return Ok(failure(StatusCode::FORBIDDEN, title, advice, &next));
            }
            let since = service.clock.now() - RECENT;
            let Some(at) = identity.authenticated_at.filter(|at| *at > since) else {
                let advice = "It did not ask you to sign in again, or does not say when you did.";
                let title = format!("{} did not confirm that it is you", provider.settings.name);
                return Ok(failure(StatusCode::FORBIDDEN, title, advice, &next));
            };
            service.store.session_authenticated(&session.hash, at).await?;
            Ok(see_other(&next))
        }
        // Its state was sealed for a session.
        (Purpose::Link | Purpose::Confirm { .. }, None) => Err(ProviderError::OutOfDate),
    }
}

fn new_identity(service: &Service, provider: &SignInProvider, subject: &str) -> NewIdentity {
    NewIdentity {
        issuer: provider.protocol.issuer().to_owned(),
        subject: subject.to_owned(),
        provider: provider.settings.name.clone(),
        linked_at: service.clock.now(),
    }
}

async fn link(
    service: &Service,
    provider: &SignInProvider,
    request: &WebRequest,
    session: &Session,
    identity: &Identity,
) -> Result<Response<Bytes>, StoreError> {
    let here = super::sign_in_methods::HERE;
    let name = &provider.settings.name;
    let new = new_identity(service, provider, &identity.subject);
    Ok(match service.store.identity_link(&new, session.account.id, &session.hash).await? {
        IdentityLinkOutcome::Linked => {
            method_added(service, request, session.account.id, name).await;
            see_other(&format!("{here}?done=linked"))
        }
        IdentityLinkOutcome::LinkedBefore => see_other(&format!("{here}?done=linked-before")),
        IdentityLinkOutcome::OfAnother => failure(
            StatusCode::CONFLICT,
            format!("Your {name} account is linked to another account here"),
            "It can be linked to one account only. Sign in with it, and unlink it there first.",
            here,
        ),
        IdentityLinkOutcome::TooMany => failure(
            StatusCode::CONFLICT,
            "You have linked too many accounts".to_owned(),
            "Unlink one of them, then try again.",
            here,
        ),
        IdentityLinkOutcome::SignedOut => see_other(&forms::with_next("/sign-in", Some(here))),
    })
}

/// The page for an error. The log says more, without what the traveller or the provider sent.
fn refusal(provider: &SignInProvider, error: ProviderError, back: &str) -> Response<Bytes> {
    let name = &provider.settings.name;
    let log = |why: &str| tracing::warn!(provider = provider.settings.slug, why, "a sign-in by a provider failed");
    match error {
        ProviderError::Store(error) => or_unavailable(Err(error)),
        ProviderError::OutOfDate => failure(
            StatusCode::FORBIDDEN,
            "This sign-in is out of date".to_owned(),
            "It was begun in another browser, has been completed, or took more than ten minutes. Please start again.",
            back,
        ),
        ProviderError::TooLong => failure(
            StatusCode::BAD_REQUEST,
            "This request is too long".to_owned(),
            "The app that sent you here asks for too much at once. Sign in first, then go back to the app.",
            "/sign-in",
        ),
        ProviderError::Declined => failure(
            StatusCode::FORBIDDEN,
            format!("{name} did not sign you in"),
            "You cancelled, or it refused. Nothing was changed.",
            back,
        ),
        ProviderError::Identity(IdentityFailure::Provider(failed)) => {
            log(&failed.for_log());
            failure(
                StatusCode::BAD_GATEWAY,
                format!("{name} does not answer"),
                "It cannot be reached at the moment, or did not answer as it should. Try again in a little while.",
                back,
            )
        }
        ProviderError::Identity(error) => {
            log(&error.to_string());
            failure(
                StatusCode::FORBIDDEN,
                "This sign-in could not be verified".to_owned(),
                &format!("What {name} said does not belong to it. Please start again."),
                back,
            )
        }
    }
}
