//! Changing one's password: asks for the old one, and offers to end every connected app. An account without a password,
//! or with one-time codes, confirms first.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::accounts::{self, AccountError};
use itinerary_app::audit::Event;
use itinerary_app::one_time_codes;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;

use super::confirm::{has_password, required};
use super::sign_in::{self, Attempt};
use super::sign_in_methods;
use super::{Frame, InputField, OUT_OF_DATE, PASSWORD_RULES, or_unavailable, page, see_other, with_cookie};
use crate::audited::audited;
use crate::devices;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/password";
/// Where the browser is redirected after the change, so that reloading does not repeat it.
const DONE: &str = "/account?password=changed";
const WRONG: &str = "This is not your current password.";
const BUSY: &str = "Many people are signing in right now. Please try again in a moment.";

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    username: &'a str,
    end_apps: bool,
    has_password: bool,
    /// The old password, if there is one, and the new one.
    fields: Vec<InputField<'a>>,
}

/// `/account/password`: the form, and changing the password.
pub async fn password(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if !service.config.sign_in.password_sign_in {
        return Ok(see_other(sign_in_methods::HERE));
    }
    let is_enough =
        has_password(service, &session.account) && !one_time_codes::are_on(service, session.account.id).await?;
    if !is_enough && let Some(confirm) = required(service, &session, HERE).await? {
        return Ok(confirm);
    }
    if request.method != Method::POST {
        return Ok(show(service, &session, StatusCode::OK, &Form::default(), "", [None, None]));
    }
    submit(service, request, &session).await
}

async fn submit(service: &Service, request: &WebRequest, session: &Session) -> Result<Response<Bytes>, StoreError> {
    let form = Form::from_body(request);
    let again = |status, alert, errors| show(service, session, status, &form, alert, errors);
    let wrong = || again(StatusCode::UNPROCESSABLE_ENTITY, "", [Some(WRONG), None]);
    if !Guard::session(session).admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, [None, None]));
    }
    let confirmed = if has_password(service, &session.account) {
        sign_in::confirm(service, request, session, form.get("current")).await?
    } else {
        Attempt::Right(Box::new(session.account.clone()))
    };
    let account = match confirmed {
        Attempt::Right(account) => account,
        Attempt::Wrong => return Ok(wrong()),
        Attempt::TooMany(status, seconds) => {
            return Ok(sign_in::too_many(again(status, sign_in::alert(status), [None, None]), seconds));
        }
    };
    match accounts::change_password(service, &account, form.get("password"), form.has("end_apps")).await {
        Ok(()) => {
            let cookie = sessions::begin(service, &request.headers, account.id).await?;
            audited(service, request, account.id, Event::PasswordChanged, "").await;
            let known = devices::known(service, &request.headers, account.id);
            Ok(with_cookie(with_cookie(see_other(DONE), cookie), known))
        }
        Err(AccountError::Store(error)) => Err(error),
        Err(AccountError::Busy) => {
            Ok(sign_in::too_many(again(StatusCode::TOO_MANY_REQUESTS, BUSY, [None, None]), sign_in::BUSY_SECONDS))
        }
        Err(AccountError::Invalid { message, .. }) => {
            Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", [None, Some(&message)]))
        }
        // The password was changed concurrently, so the entered one is no longer right.
        Err(AccountError::Unknown | AccountError::Taken | AccountError::NotInvited | AccountError::IdentityTaken) => {
            Ok(wrong())
        }
    }
}

fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    form: &Form,
    alert: &str,
    [current, new]: [Option<&str>; 2],
) -> Response<Bytes> {
    let current = InputField::password("current", "Current password", "current-password").with_error(current);
    let current = has_password(service, &session.account).then_some(current);
    let new = InputField { hint: PASSWORD_RULES, ..InputField::password("password", "New password", "new-password") }
        .with_error(new);
    let template = PasswordPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        username: &session.account.username,
        end_apps: form.has("end_apps"),
        has_password: current.is_some(),
        fields: current.into_iter().chain([new]).collect(),
    };
    page(status, &template)
}
