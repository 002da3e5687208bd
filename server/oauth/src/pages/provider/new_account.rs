//! Creating an account for an identity that no account has: the traveller chooses a username; there is no password.
//!
//! The identity is carried by the form, sealed for this browser.

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::accounts::{self, AccountCandidate, AccountError};
use itinerary_app::audit::Event;
use itinerary_app::sign_up_invitations;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;
use itinerary_platform::ports::identity::SignInProvider;
use itinerary_platform::settings::{Contact, SignUpMode};
use itinerary_providers::Identity;
use itinerary_store::{Hash, StoreError};
use serde::{Deserialize, Serialize};

use super::{new_identity, refusal, unknown};
use crate::audited::audited;
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::pages::sign_up::{DISPLAY_NAME_HINT, USERNAME_HINT, message, too_many_alert};
use crate::pages::{AFTER_SIGN_IN, Frame, InputField, OUT_OF_DATE, or_unavailable, page, see_other, with_cookie};
use crate::providers::{self, BrowserName, ProviderError};
use crate::sessions;

/// How long a traveller may take to choose a name.
const LIFETIME: Duration = Duration::minutes(30);
/// The form field with the sealed identity.
const IDENTITY: &str = "identity";

#[derive(Template)]
#[template(path = "provider_account.html")]
struct NewAccountPage<'a> {
    frame: Frame,
    slug: &'a str,
    provider: &'a str,
    guard: String,
    identity: &'a str,
    alert: &'a str,
    fields: [InputField<'a>; 2],
}

#[derive(Template)]
#[template(path = "provider_unknown.html")]
struct UnknownPage<'a> {
    frame: Frame,
    provider: &'a str,
    /// Why no account can be created.
    reason: &'static str,
    /// Whether an account can be signed in to with a password.
    by_password: bool,
    contact: Option<&'a Contact>,
    sign_in: String,
}

/// A verified identity without an account.
#[derive(Serialize, Deserialize)]
struct Newcomer {
    subject: String,
    authenticated_at: Option<DateTime<Utc>>,
    invitation: Option<String>,
    next: Option<String>,
    expires_at: DateTime<Utc>,
}

/// Whether an account can be created, and with which invitation, if one is needed. An error says why not.
async fn admitted(
    service: &Service,
    provider: &SignInProvider,
    invitation: Option<&str>,
) -> Result<Result<Option<Hash>, &'static str>, StoreError> {
    if !provider.settings.create_accounts {
        return Ok(Err(""));
    }
    match (service.config.sign_in.sign_up, invitation) {
        (SignUpMode::Open, _) => Ok(Ok(None)),
        (SignUpMode::Closed, _) => Ok(Err("Accounts on this service are created by the person who runs it.")),
        (SignUpMode::Invite, None) => Ok(Err(
            "Accounts on this service are created by invitation. If you have one, open its address and continue from \
             there.",
        )),
        (SignUpMode::Invite, Some(secret)) => {
            let valid = sign_up_invitations::valid(service, secret).await?;
            Ok(valid.map(Some).ok_or("Your invitation has been used or revoked, or it has expired."))
        }
    }
}

/// Offers to create an account, or says that none is linked.
pub(super) async fn offer(
    service: &Service,
    provider: &SignInProvider,
    request: &WebRequest,
    identity: &Identity,
    next: Option<&str>,
    invitation: Option<&str>,
) -> Result<Response<Bytes>, StoreError> {
    let reason = match admitted(service, provider, invitation).await? {
        Ok(_) if provider.settings.accepts(identity.verified_email.as_deref()) => None,
        Ok(_) => Some("Accounts are created for certain e-mail addresses only, which the provider has verified."),
        Err(reason) => Some(reason),
    };
    if let Some(reason) = reason {
        return Ok(not_linked(service, provider, reason, next));
    }
    let Some(browser) = BrowserName::visitor(service, &request.headers) else {
        return Ok(refusal(provider, ProviderError::OutOfDate, "/sign-in"));
    };
    let newcomer = Newcomer {
        subject: identity.subject.clone(),
        authenticated_at: identity.authenticated_at,
        invitation: invitation.map(str::to_owned),
        next: next.map(str::to_owned),
        expires_at: service.clock.now() + LIFETIME,
    };
    let plain = serde_json::to_vec(&newcomer).expect("it is plain data");
    let sealed = service.key.seal(&browser.seals("new account", provider), &plain, &*service.random);
    let username = suggestion(identity.preferred_username.as_deref());
    let name = identity.name.as_deref().filter(|name| accounts::is_display_name(name)).unwrap_or(&username);
    let form = Form::from_pairs([("username", &*username), ("display_name", name), (IDENTITY, &*sealed)]);
    let guard = Guard::visitor(service, &request.headers);
    Ok(show(service, provider, &guard, StatusCode::OK, &form, "", &[]))
}

fn not_linked(
    service: &Service,
    provider: &SignInProvider,
    reason: &'static str,
    next: Option<&str>,
) -> Response<Bytes> {
    let template = UnknownPage {
        frame: Frame::bare(),
        provider: &provider.settings.name,
        reason,
        by_password: service.config.sign_in.password_sign_in,
        contact: service.config.sign_in.contact.as_ref(),
        sign_in: forms::with_next("/sign-in", next),
    };
    page(StatusCode::FORBIDDEN, &template)
}

/// A username after the one at the provider, which may be a mail address; empty if none can be made of it.
fn suggestion(preferred: Option<&str>) -> String {
    let folded = accounts::folded(preferred.unwrap_or_default());
    let local = folded.split('@').next().unwrap_or_default();
    if accounts::is_username(local) { local.to_owned() } else { String::new() }
}

fn show(
    service: &Service,
    provider: &SignInProvider,
    guard: &Guard,
    status: StatusCode,
    form: &Form,
    alert: &str,
    errors: &[AccountError],
) -> Response<Bytes> {
    let field = |name, label, autocomplete, hint| InputField {
        name,
        label,
        kind: "text",
        autocomplete,
        hint,
        value: form.get(name),
        error: message(errors, name),
        focus: message(errors, name).is_some(),
    };
    let template = NewAccountPage {
        frame: Frame::bare(),
        slug: &provider.settings.slug,
        provider: &provider.settings.name,
        guard: guard.code(service),
        identity: form.get(IDENTITY),
        alert,
        fields: [
            field("username", "Username", "username", USERNAME_HINT),
            field("display_name", "Display name", "name", DISPLAY_NAME_HINT),
        ],
    };
    with_cookie(page(status, &template), guard.cookie.clone())
}

/// `POST /sign-in/{provider}/account`: creates the account.
pub async fn provider_account(service: &Service, slug: &str, request: &WebRequest) -> Response<Bytes> {
    let Some(provider) = providers::find(service, slug) else { return unknown(service, request).await };
    or_unavailable(submit(service, provider, request).await)
}

async fn submit(
    service: &Service,
    provider: &SignInProvider,
    request: &WebRequest,
) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_body(request);
    let guard = Guard::visitor(service, &request.headers);
    let again =
        |status, alert: &str, errors: &[AccountError]| show(service, provider, &guard, status, &form, alert, errors);
    if !guard.admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, &[]));
    }
    let out_of_date = || refusal(provider, ProviderError::OutOfDate, "/sign-in");
    let Some(newcomer) = opened(service, provider, request, &form) else { return Ok(out_of_date()) };
    let next = newcomer.next.as_deref();
    let invitation = match admitted(service, provider, newcomer.invitation.as_deref()).await? {
        Ok(invitation) => invitation,
        Err(reason) => return Ok(not_linked(service, provider, reason, next)),
    };
    let candidate = match AccountCandidate::without_password(form.get("username"), form.get("display_name")) {
        Ok(candidate) => candidate,
        Err(errors) => return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &errors)),
    };
    let verdict = service.limits.take(&[Bucket::SignUp(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        let mut response = again(verdict.status(), too_many_alert(verdict), &[]);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(verdict.reset));
        return Ok(response);
    }
    let identity = new_identity(service, provider, &newcomer.subject);
    match accounts::create_candidate(service, &candidate, invitation.as_ref(), Some(&identity)).await {
        Ok(account) => {
            let at = newcomer.authenticated_at;
            let cookie = sessions::begin_new(service, &request.headers, account, at).await?;
            audited(service, request, account, Event::AccountCreated, &provider.settings.name).await;
            let known = devices::known(service, &request.headers, account);
            Ok(with_cookie(with_cookie(see_other(next.unwrap_or(AFTER_SIGN_IN)), cookie), known))
        }
        Err(AccountError::Store(error)) => Err(error),
        // It was used concurrently.
        Err(AccountError::NotInvited) => {
            Ok(not_linked(service, provider, "Your invitation has been used or revoked, or it has expired.", next))
        }
        // The form was submitted twice.
        Err(AccountError::IdentityTaken) => Ok(out_of_date()),
        Err(error) => Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", &[error])),
    }
}

/// The identity of a form, if it was verified in this browser just now.
fn opened(service: &Service, provider: &SignInProvider, request: &WebRequest, form: &Form) -> Option<Newcomer> {
    let browser = BrowserName::visitor(service, &request.headers)?;
    let plain = service.key.open(&browser.seals("new account", provider), form.get(IDENTITY))?;
    let newcomer: Newcomer = serde_json::from_slice(&plain).ok()?;
    (service.clock.now() < newcomer.expires_at).then_some(newcomer)
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_username_is_suggested_if_one_can_be_made() {
        for (preferred, suggested) in [
            (None, ""),
            (Some(""), ""),
            (Some("Ana.Silva"), "ana.silva"),
            (Some("ana@example.org"), "ana"),
            (Some("a"), ""),
            (Some("Ana Silva"), ""),
            (Some("<b>"), ""),
        ] {
            assert_eq!(suggestion(preferred), suggested, "{preferred:?}");
        }
    }
}
