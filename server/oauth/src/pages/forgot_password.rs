//! Asking for a link to set a new password by mail. The answer is the same whether an account has the address or not.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::mails::{self, MailError};
use itinerary_platform::context::Service;
use itinerary_platform::mail_address::MailAddress;
use itinerary_platform::settings::Contact;
use itinerary_store::StoreError;

use super::email::{EMAIL, INVALID, field, too_many_alert};
use super::sign_in::too_many;
use super::{Frame, InputField, OUT_OF_DATE, or_unavailable, page, reset_password, see_other, with_cookie};
use crate::forms::{Form, Guard};

pub(super) const HERE: &str = "/forgot-password";
/// Where the browser is redirected afterwards, so that reloading does not ask again.
const SENT: &str = "/forgot-password?sent=1";

#[derive(Template)]
#[template(path = "forgot_password.html")]
struct ForgotPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    /// Whether the form was sent.
    is_sent: bool,
    contact: Option<&'a Contact>,
    fields: [InputField<'a>; 1],
}

/// `/forgot-password`: the form, and queueing the mail.
pub async fn forgot_password(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let is_submitted = request.method == Method::POST;
    if !service.config.sign_in.password_sign_in {
        return Ok(see_other("/sign-in"));
    }
    if !mails::is_on(service) {
        return Ok(reset_password::refused(service, is_submitted, true));
    }
    let guard = Guard::visitor(service, &request.headers);
    if !is_submitted {
        let form = Form::from_query(request);
        return Ok(show(service, &guard, StatusCode::OK, &Form::default(), form.has("sent"), "", None));
    }
    let form = Form::from_body(request);
    let again = |status, alert, error| show(service, &guard, status, &form, false, alert, error);
    if !guard.admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE, None));
    }
    let Some(address) = MailAddress::parse(form.get(EMAIL)) else {
        return Ok(again(StatusCode::UNPROCESSABLE_ENTITY, "", Some(INVALID)));
    };
    match mails::request_reset(service, request.address, &address).await {
        Ok(()) => Ok(see_other(SENT)),
        Err(MailError::Store(error)) => Err(error),
        Err(MailError::TooMany(verdict)) => {
            Ok(too_many(again(verdict.status(), too_many_alert(verdict), None), verdict.reset))
        }
    }
}

fn show(
    service: &Service,
    guard: &Guard,
    status: StatusCode,
    form: &Form,
    is_sent: bool,
    alert: &str,
    error: Option<&str>,
) -> Response<Bytes> {
    let template = ForgotPage {
        frame: Frame::bare(),
        guard: guard.code(service),
        alert,
        is_sent,
        contact: service.config.sign_in.contact.as_ref(),
        fields: [field(form.get(EMAIL), "The one that you have verified for your account.").with_error(error)],
    };
    with_cookie(page(status, &template), guard.cookie.clone())
}
