//! Asking again who is there, before a sensitive page: by password (and code, if the account has one-time codes), by
//! passkey, or at a provider whose identity is linked.
//!
//! A session remembers when its traveller last proved who they are. Sensitive pages require that this was within ten
//! minutes. Signing in counts, at a provider only as of the time when it last asked the traveller itself.

use askama::Template;
use bytes::Bytes;
use chrono::Duration;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::one_time_codes;
use itinerary_platform::context::Service;
use itinerary_platform::settings::Contact;
use itinerary_store::{Account, NO_PASSWORD, StoreError};
use uuid::Uuid;

use super::provider::{form_targets, set_out};
use super::sign_in::{self, Attempt};
use super::{
    Frame, InputField, OUT_OF_DATE, WRONG_PASSWORD, or_unavailable, page_posting_to, passkey, second_step, see_other,
    with_script,
};
use crate::ceremonies::{PasskeyForm, Purpose as CeremonyPurpose};
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
    /// The password, if the account has one, and a code.
    fields: Vec<InputField<'a>>,
    /// Providers whose identities are linked: segments of addresses, and names.
    providers: Vec<(&'a str, &'a str)>,
    passkey: Option<PasskeyForm>,
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

/// The session of a request whose traveller has proved who they are within ten minutes. Otherwise the redirect to sign-in or
/// to this page. `next` is the page that asks.
pub(super) async fn recent_session(
    service: &Service,
    request: &WebRequest,
    next: &str,
) -> Result<Result<Session, Response<Bytes>>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(Err(see_other(&forms::with_next("/sign-in", Some(next)))));
    };
    Ok(required(service, &session, next).await?.map_or(Ok(session), Err))
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
    let guard = Guard::session(&session);
    let again = |status, alert, errors| show(service, &session, status, next, alert, errors);
    if !is_submitted {
        return again(StatusCode::OK, "", [None, None]).await;
    }
    if !guard.admits(service, &form) {
        return again(StatusCode::FORBIDDEN, OUT_OF_DATE, [None, None]).await;
    }
    if let Some(provider) = providers::find(service, form.get("provider")) {
        let purpose = Purpose::Confirm { next: next.to_owned() };
        return Ok(set_out(service, provider, &BrowserName::session(&session), purpose, next).await);
    }
    let wrong = StatusCode::UNPROCESSABLE_ENTITY;
    if passkey::is_in(&form) {
        let outcome = passkey::attempt(service, request, &guard, CeremonyPurpose::Confirm, &form).await?;
        return match outcome {
            None => again(StatusCode::FORBIDDEN, OUT_OF_DATE, [None, None]).await,
            Some(Attempt::Right(account)) if account.id == session.account.id => {
                confirmed(service, &session, next).await
            }
            Some(Attempt::Right(_) | Attempt::Wrong) => again(wrong, passkey::REFUSED, [None, None]).await,
            Some(Attempt::TooMany(status, seconds)) => {
                Ok(sign_in::too_many(again(status, sign_in::alert(status), [None, None]).await?, seconds))
            }
        };
    }
    if !has_password(service, &session.account) {
        return again(wrong, "Choose how to confirm that it is you.", [None, None]).await;
    }
    match sign_in::confirm(service, request, &session, form.get("password")).await? {
        Attempt::Right(_) => {}
        Attempt::Wrong => return again(wrong, "", [Some(WRONG_PASSWORD), None]).await,
        Attempt::TooMany(status, seconds) => {
            return Ok(sign_in::too_many(again(status, sign_in::alert(status), [None, None]).await?, seconds));
        }
    }
    if !one_time_codes::are_on(service, session.account.id).await? {
        return confirmed(service, &session, next).await;
    }
    match second_step::attempt(service, request, &session.account, counted_as(&session), form.get(second_step::CODE))
        .await?
    {
        Attempt::Right(_) => confirmed(service, &session, next).await,
        Attempt::Wrong => again(wrong, "", [None, Some(second_step::WRONG)]).await,
        Attempt::TooMany(status, seconds) => {
            Ok(sign_in::too_many(again(status, second_step::alert(status), [None, None]).await?, seconds))
        }
    }
}

/// What wrong codes in a session count for: the session, so that strangers cannot use up the attempts of the owner.
fn counted_as(session: &Session) -> Uuid {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&session.hash[..16]);
    Uuid::from_bytes(bytes)
}

async fn confirmed(service: &Service, session: &Session, next: &str) -> Result<Response<Bytes>, StoreError> {
    service.store.session_authenticated(&session.hash, service.clock.now()).await?;
    Ok(see_other(next))
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    next: &str,
    alert: &str,
    [password_error, code_error]: [Option<&str>; 2],
) -> Result<Response<Bytes>, StoreError> {
    let account = session.account.id;
    let linked = service.store.identities(account).await?;
    let is_linked = |issuer: &str| linked.iter().any(|identity| identity.issuer == issuer);
    let providers = service.ports.sign_in_providers.iter().filter(|provider| is_linked(provider.protocol.issuer()));
    let mut fields = Vec::new();
    if has_password(service, &session.account) {
        fields.push(InputField::password("password", "Password", "current-password").with_error(password_error));
        if one_time_codes::are_on(service, account).await? {
            fields.push(InputField { focus: code_error.is_some(), ..second_step::field(code_error) });
        }
    }
    let guard = Guard::session(session);
    let passkeys = service.store.passkeys(account).await?;
    let passkey =
        if passkeys.is_empty() { None } else { passkey::form(service, &guard, CeremonyPurpose::Confirm, &passkeys) };
    let has_script = passkey.is_some();
    let template = ConfirmPage {
        frame: Frame::of(Some(session)),
        guard: guard.code(service),
        alert,
        next,
        username: &session.account.username,
        fields,
        providers: providers.map(|it| (it.settings.slug.as_str(), it.settings.name.as_str())).collect(),
        passkey,
        contact: service.config.sign_in.contact.as_ref(),
    };
    let page = page_posting_to(status, &template, &form_targets(service));
    Ok(if has_script { with_script(page) } else { page })
}
