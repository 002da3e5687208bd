//! How the traveller signs in: the password, passkeys, one-time codes, and identities at providers, which can be linked
//! and unlinked.
//!
//! Linking and unlinking require that the traveller has proved who they are within ten minutes. The last way into the
//! account cannot be unlinked.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::one_time_codes::RECOVERY_CODES;
use itinerary_app::passkeys;
use itinerary_core::ids;
use itinerary_platform::context::Service;
use itinerary_store::{IdentityRow, RemovalOutcome, StoreError};

use super::confirm::{has_password, required};
use super::provider::{form_targets, set_out};
use super::{Frame, OUT_OF_DATE, PageDate, or_unavailable, page_posting_to, quoted, see_other};
use crate::audited::{audited, method_removed};
use crate::forms::{self, Form, Guard};
use crate::providers::{self, BrowserName, Purpose};
use crate::sessions::{self, Session};

pub(super) const HERE: &str = "/account/sign-in-methods";

const LAST: &str =
    "This is the only way to sign in to your account. Link another one first, add a passkey, or set a password.";

#[derive(Template)]
#[template(path = "sign_in_methods.html")]
struct MethodsPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'a str,
    /// Whether people sign in with passwords on this service.
    by_password: bool,
    has_password: bool,
    /// The names of the passkeys.
    passkeys: Vec<String>,
    /// Whether passkeys can be used, or there are some.
    shows_passkeys: bool,
    /// The recovery codes that are left, if one-time codes are on.
    codes: Option<i64>,
    identities: Vec<LinkedIdentity<'a>>,
    /// All providers: segments of addresses, and names.
    providers: Vec<(&'a str, &'a str)>,
}

struct LinkedIdentity<'a> {
    id: String,
    name: &'a str,
    since: PageDate,
    /// Whether the operator has removed its provider.
    is_gone: bool,
}

/// Identifies an identity in forms.
fn id(identity: &IdentityRow) -> String {
    ids::short_hash(&format!("{} {}", identity.issuer, identity.subject))
}

/// `/account/sign-in-methods`: the list, linking and unlinking.
pub async fn sign_in_methods(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("done") {
            "linked" => "The account is linked. You can sign in with it now.",
            "linked-before" => "This account was linked already.",
            "codes-off" => "One-time codes are off. Your recovery codes are not valid any more.",
            "ended" => "You are signed out in every other browser.",
            "unlinked" => "The account is not linked any more.",
            _ => "",
        };
        return show(service, &session, StatusCode::OK, "", notice).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, StatusCode::FORBIDDEN, OUT_OF_DATE, "").await;
    }
    if let Some(confirm) = required(service, &session, HERE).await? {
        return Ok(confirm);
    }
    if let Some(provider) = providers::find(service, form.get("link")) {
        return Ok(set_out(service, provider, &BrowserName::session(&session), Purpose::Link, HERE).await);
    }
    if form.has("end_sessions") {
        service.store.account_other_sessions_end(session.account.id, &session.hash).await?;
        audited(service, request, session.account.id, Event::SessionsEnded, "").await;
        return Ok(see_other(&format!("{HERE}?done=ended")));
    }
    unlink(service, request, &session, form.get("unlink")).await
}

async fn unlink(
    service: &Service,
    request: &WebRequest,
    session: &Session,
    chosen: &str,
) -> Result<Response<Bytes>, StoreError> {
    let identities = service.store.identities(session.account.id).await?;
    let found = identities.iter().find(|identity| id(identity) == chosen);
    let outcome = match found {
        None => RemovalOutcome::Unknown,
        Some(IdentityRow { issuer, subject, .. }) => {
            let ways = passkeys::ways_in(service);
            service.store.identity_unlink(session.account.id, issuer, subject, &ways, &session.hash).await?
        }
    };
    if let (Some(identity), RemovalOutcome::Removed) = (found, outcome) {
        method_removed(service, request, session.account.id, &identity.provider).await;
    }
    match outcome {
        // The form was submitted twice, or is not ours.
        RemovalOutcome::Removed | RemovalOutcome::Unknown => Ok(see_other(&format!("{HERE}?done=unlinked"))),
        RemovalOutcome::SignedOut => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
        RemovalOutcome::LastWayIn => show(service, session, StatusCode::CONFLICT, LAST, "").await,
    }
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    alert: &str,
    notice: &str,
) -> Result<Response<Bytes>, StoreError> {
    let identities = service.store.identities(session.account.id).await?;
    let providers = &service.ports.sign_in_providers;
    let listed = identities.iter().map(|identity| {
        let provider = providers.iter().find(|provider| provider.protocol.issuer() == identity.issuer);
        LinkedIdentity {
            id: id(identity),
            name: provider.map_or(identity.provider.as_str(), |provider| &provider.settings.name),
            since: PageDate::of(identity.linked_at),
            is_gone: provider.is_none(),
        }
    });
    let account = session.account.id;
    let codes = match service.store.one_time_codes(account).await? {
        Some(_) => Some(service.store.recovery_codes_left(account).await?),
        None => None,
    };
    let passkeys: Vec<_> = service.store.passkeys(account).await?.iter().map(|row| quoted(&row.name)).collect();
    let template = MethodsPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        by_password: service.config.sign_in.password_sign_in,
        has_password: has_password(service, &session.account),
        shows_passkeys: passkeys::are_available(service) || !passkeys.is_empty(),
        passkeys,
        codes,
        identities: listed.collect(),
        providers: providers.iter().map(|it| (it.settings.slug.as_str(), it.settings.name.as_str())).collect(),
    };
    Ok(page_posting_to(status, &template, &form_targets(service)))
}
