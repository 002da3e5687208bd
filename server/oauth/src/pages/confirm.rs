//! Asking again who is there, before a sensitive page: by password, or at a provider whose identity is linked.
//!
//! A session remembers when its traveller last proved who they are. Sensitive pages require that this was within ten
//! minutes. Signing in counts, at a provider only as of the time when it last asked the traveller itself.

use askama::Template;
use bytes::Bytes;
use chrono::Duration;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_platform::context::Service;
use itinerary_platform::settings::Contact;
use itinerary_store::{Account, NO_PASSWORD, StoreError};

use super::provider::{form_targets, set_out};
use super::sign_in::{self, Attempt};
use super::{Frame, InputField, OUT_OF_DATE, WRONG_PASSWORD, or_unavailable, page_posting_to, see_other};
use crate::forms::{self, Form, Guard};
use crate::providers::{self, BrowserName, Purpose};
use crate::sessions::{self, Session};

/// How long a traveller is not asked again.
pub(super) const RECENT: Duration = Duration::minutes(10);

const HERE: &str = "/account/confirm";
/// Where the traveller continues by default.
const DEFAULT_NEXT: &str = "/account";

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    next: &'a str,
    username: &'a str,
    /// The password, if the account has one.
    fields: Vec<InputField<'a>>,
    /// Providers whose identities are linked: segments of addresses, and names.
    providers: Vec<(&'a str, &'a str)>,
    contact: Option<&'a Contact>,
}

/// Whether the account can be signed in to with a password.
pub(super) fn has_password(service: &Service, account: &Account) -> bool {
    service.config.sign_in.password_sign_in && account.password_hash != NO_PASSWORD
}

/// The redirect to this page, unless the traveller has proved who they are within ten minutes. `next` is the page that
/// asks.
pub(super) async fn required(
    service: &Service,
    session: &Session,
    next: &str,
) -> Result<Option<Response<Bytes>>, StoreError> {
    let at = service.store.session_authenticated_at(&session.hash).await?;
    let since = service.clock.now() - RECENT;
    if at.is_some_and(|at| at > since) {
        return Ok(None);
    }
    Ok(Some(see_other(&forms::with_next(HERE, Some(next)))))
}

/// `/account/confirm`: the password or a provider, and on to the page that asked.
pub async fn confirm(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let is_submitted = request.method == Method::POST;
    let form = if is_submitted { Form::from_body(request) } else { Form::from_query(request) };
    let next = form.next().unwrap_or(DEFAULT_NEXT);
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(next))));
    };
    if !is_submitted {
        return show(service, &session, StatusCode::OK, next, "", None).await;
    }
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, StatusCode::FORBIDDEN, next, OUT_OF_DATE, None).await;
    }
    if let Some(provider) = providers::find(service, form.get("provider")) {
        let purpose = Purpose::Confirm { next: next.to_owned() };
        return Ok(set_out(service, provider, &BrowserName::session(&session), purpose, next).await);
    }
    let wrong = StatusCode::UNPROCESSABLE_ENTITY;
    if !has_password(service, &session.account) {
        return show(service, &session, wrong, next, "Choose how to confirm that it is you.", None).await;
    }
    match sign_in::confirm(service, request, &session, form.get("password")).await? {
        Attempt::Right(_) => {
            service.store.session_authenticated(&session.hash, service.clock.now()).await?;
            Ok(see_other(next))
        }
        Attempt::Wrong => show(service, &session, wrong, next, "", Some(WRONG_PASSWORD)).await,
        Attempt::TooMany(status, seconds) => {
            let page = show(service, &session, status, next, sign_in::alert(status), None).await?;
            Ok(sign_in::too_many(page, seconds))
        }
    }
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    next: &str,
    alert: &str,
    error: Option<&str>,
) -> Result<Response<Bytes>, StoreError> {
    let linked = service.store.identities(session.account.id).await?;
    let is_linked = |issuer: &str| linked.iter().any(|identity| identity.issuer == issuer);
    let providers = service.ports.sign_in_providers.iter().filter(|provider| is_linked(provider.protocol.issuer()));
    let by_password = has_password(service, &session.account);
    let password = InputField::password("password", "Password", "current-password").with_error(error);
    let template = ConfirmPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        next,
        username: &session.account.username,
        fields: by_password.then_some(password).into_iter().collect(),
        providers: providers.map(|it| (it.settings.slug.as_str(), it.settings.name.as_str())).collect(),
        contact: service.config.sign_in.contact.as_ref(),
    };
    Ok(page_posting_to(status, &template, &form_targets(service)))
}
