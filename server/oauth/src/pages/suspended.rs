//! What the owner of a suspended account sees at sign-in: the reason, and a form for one note to the moderators.
//!
//! The form carries the account sealed, because there is no session.

use askama::Template;
use bytes::Bytes;
use chrono::{DateTime, Duration, Utc};
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Actor;
use itinerary_app::moderation::{self, MESSAGE, ModerationError};
use itinerary_core::cursor;
use itinerary_platform::context::Service;
use itinerary_platform::settings::Contact;
use itinerary_store::{StoreError, SuspensionRow};
use uuid::Uuid;

use super::{Frame, PageDate, or_unavailable, page, see_other, with_cookie};
use crate::forms::{Form, Guard};

/// How long the form can be sent.
const LIFETIME: Duration = Duration::minutes(30);
const PURPOSE: &str = "appeal";
/// The form field with the sealed account.
const ACCOUNT: &str = "account";

#[derive(Template)]
#[template(path = "suspended.html")]
struct SuspendedPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'static str,
    username: &'a str,
    since: Option<PageDate>,
    reason: &'a str,
    /// The sealed account, if an appeal can be sent.
    account: Option<String>,
    message: &'a str,
    maximum: usize,
    appealed: Option<PageDate>,
    contact: Option<&'a Contact>,
}

/// The page for somebody who has just proved that the account is theirs. `None` if it is not suspended any more.
pub(super) async fn suspended(
    service: &Service,
    request: &WebRequest,
    account: Uuid,
) -> Result<Option<Response<Bytes>>, StoreError> {
    let Some(suspension) = service.store.suspension(account).await? else { return Ok(None) };
    let guard = Guard::visitor(service, &request.headers);
    let sealed = (suspension.account_id, service.clock.now() + LIFETIME);
    let sealed = cursor::seal(&service.key, &guard.seals(PURPOSE), &sealed, &*service.random);
    Ok(Some(show(service, &guard, &suspension, sealed, (StatusCode::FORBIDDEN, ""), "")))
}

fn show(
    service: &Service,
    guard: &Guard,
    suspension: &SuspensionRow,
    sealed: String,
    (status, alert): (StatusCode, &'static str),
    message: &str,
) -> Response<Bytes> {
    let template = SuspendedPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        alert,
        username: &suspension.username,
        since: suspension.suspended_at.map(PageDate::of),
        reason: &suspension.reason,
        account: suspension.appeal.is_none().then_some(sealed),
        message,
        maximum: MESSAGE,
        appealed: suspension.appealed_at.map(PageDate::of),
        contact: service.config.sign_in.contact.as_ref(),
    };
    with_cookie(page(status, &template), guard.cookie.clone())
}

/// `POST /appeal`: stores the note.
pub async fn appeal(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_body(request);
    let guard = Guard::visitor(service, &request.headers);
    let account = opened(service, &guard, &form).filter(|_| guard.admits(service, &form));
    let sign_in = || Ok(see_other("/sign-in"));
    let Some(account) = account else { return sign_in() };
    let Some(suspension) = service.store.suspension(account).await? else { return sign_in() };
    let (message, sealed) = (form.get("message"), form.get(ACCOUNT).to_owned());
    match moderation::appeal(service, account, message, Actor::Traveller(request.address)).await {
        Ok(()) | Err(ModerationError::Appealed) => {
            let Some(suspension) = service.store.suspension(account).await? else { return sign_in() };
            Ok(show(service, &guard, &suspension, sealed, (StatusCode::OK, ""), ""))
        }
        Err(ModerationError::Store(error)) => Err(error),
        Err(_) => {
            let alert = "Write 1 to 1,000 characters, without invisible ones.";
            Ok(show(service, &guard, &suspension, sealed, (StatusCode::UNPROCESSABLE_ENTITY, alert), message))
        }
    }
}

/// The account of the form, if it was sealed for this browser a short time ago.
fn opened(service: &Service, guard: &Guard, form: &Form) -> Option<Uuid> {
    let sealed = cursor::open(&service.key, &guard.seals(PURPOSE), form.get(ACCOUNT));
    let (account, until): (Uuid, DateTime<Utc>) = sealed.ok()?;
    (service.clock.now() < until).then_some(account)
}
