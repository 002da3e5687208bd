//! Setting a new password with a reset link, which the operator's command prints.
//!
//! The form carries the link's secret on. The link is used in the transaction that sets the password; looking at the page
//! does not use it, because programs that check links open them too. Afterwards the traveller signs in as always.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::accounts::AccountError;
use itinerary_app::audit::Event;
use itinerary_app::{mails, password_resets};
use itinerary_platform::context::Service;
use itinerary_store::{Account, StoreError};

use super::advice::{advice, advice_with_link};
use super::forgot_password;
use super::{Frame, InputField, OUT_OF_DATE, PASSWORD_RULES, or_unavailable, page, see_other, sign_in, with_cookie};
use crate::audited::audited;
use crate::forms::{Form, Guard};

const BUSY: &str = "Many people are signing in right now. Please try again in a moment.";
/// The parameter and field with the link's secret.
const TOKEN: &str = "token";
/// Where the browser is redirected afterwards.
const DONE: &str = "/sign-in?reset=done";

#[derive(Template)]
#[template(path = "reset_password.html")]
struct ResetPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    token: &'a str,
    username: &'a str,
    end_apps: bool,
    fields: [InputField<'a>; 1],
}

/// `/reset-password`: the form, and setting the password.
pub async fn reset_password(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    if !service.config.sign_in.password_sign_in {
        return Ok(see_other("/sign-in"));
    }
    let is_submitted = request.method == Method::POST;
    let form = if is_submitted { Form::from_body(request) } else { Form::from_query(request) };
    let Some(account) = password_resets::account(service, form.get(TOKEN)).await? else {
        return Ok(refused(service, is_submitted, form.get(TOKEN).is_empty()));
    };
    let guard = Guard::visitor(service, &request.headers);
    let again = |status, alert, error| show(service, &guard, &account, &form, (status, alert), error);
    if !is_submitted {
        return Ok(again(StatusCode::OK, "", None));
    }
    if !guard.admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, None));
    }
    let password = form.get("password");
    match password_resets::set_password(service, &account, form.get(TOKEN), password, form.has("end_apps")).await {
        Ok(()) => {
            audited(service, request, account.id, Event::PasswordReset, "").await;
            Ok(see_other(DONE))
        }
        Err(AccountError::Store(error)) => Err(error),
        Err(AccountError::Busy) => {
            let busy = again(StatusCode::TOO_MANY_REQUESTS, BUSY, None);
            Ok(sign_in::too_many(busy, sign_in::BUSY_SECONDS))
        }
        Err(AccountError::Invalid { message, .. }) => Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", Some(&message))),
        // The link was used concurrently, or has just expired.
        Err(_) => Ok(refused(service, true, false)),
    }
}

pub(super) fn refused(service: &Service, is_submitted: bool, is_missing: bool) -> Response<Bytes> {
    let status = if is_submitted { StatusCode::FORBIDDEN } else { StatusCode::OK };
    if mails::is_on(service) && service.config.sign_in.password_sign_in {
        let words = "It has been used or replaced, it has expired, or its address is incomplete.";
        let link = (forgot_password::HERE, "Ask for another one");
        return advice_with_link(status, "This link is not valid", words, link);
    }
    let (title, words) = if is_missing {
        ("Forgot your password?", "Ask the person who runs this service for a link with which you can set a new one.")
    } else {
        (
            "This link is not valid",
            "It has been used or replaced, it has expired, or its address is incomplete. Ask the person who runs this \
             service for another one.",
        )
    };
    advice(service, status, title, words, None)
}

fn show(
    service: &Service,
    guard: &Guard,
    account: &Account,
    form: &Form,
    (status, alert): (StatusCode, &str),
    error: Option<&str>,
) -> Response<Bytes> {
    let template = ResetPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        alert,
        token: form.get(TOKEN),
        username: &account.username,
        end_apps: form.has("end_apps"),
        fields: [InputField {
            hint: PASSWORD_RULES,
            ..InputField::password("password", "New password", "new-password")
        }
        .with_error(error)],
    };
    with_cookie(page(status, &template), guard.cookie.clone())
}
