//! Deleting one's account after entering the password. Without one, or with one-time codes, after confirming.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::{accounts, one_time_codes};
use itinerary_platform::context::Service;
use itinerary_store::StoreError;

use super::confirm::{has_password, required};
use super::sign_in::{self, Attempt};
use super::{Frame, InputField, OUT_OF_DATE, WRONG_PASSWORD, or_unavailable, page, see_other, with_cookie};
use crate::audited::audited;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/delete";
/// Where the browser is redirected afterwards.
const DONE: &str = "/?account=deleted";

#[derive(Template)]
#[template(path = "delete.html")]
struct DeletePage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    username: &'a str,
    reserved_days: i64,
    /// The password, if the account has one.
    fields: Vec<InputField<'a>>,
}

/// `/account/delete`: says what is deleted, and deletes the account.
pub async fn delete(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    let by_password = has_password(service, &session.account);
    // Where the password alone does not sign in, it does not delete either.
    let is_enough = by_password && !one_time_codes::are_on(service, session.account.id).await?;
    if !is_enough && let Some(confirm) = required(service, &session, HERE).await? {
        return Ok(confirm);
    }
    let again = |status, alert| show(service, &session, status, alert, None);
    if request.method != Method::POST {
        return Ok(again(StatusCode::OK, ""));
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return Ok(again(StatusCode::FORBIDDEN, OUT_OF_DATE));
    }
    let confirmed = if by_password {
        sign_in::confirm(service, request, &session, form.get("password")).await?
    } else {
        Attempt::Right(Box::new(session.account.clone()))
    };
    match confirmed {
        Attempt::Right(account) if accounts::delete(service, &account).await? => {
            audited(service, request, account.id, Event::AccountDeleted, "").await;
            let cookie = sessions::end(service, &session).await?;
            Ok(with_cookie(see_other(DONE), Some(cookie)))
        }
        // The password was changed concurrently, so the entered one is no longer right.
        Attempt::Right(_) | Attempt::Wrong => {
            Ok(show(service, &session, StatusCode::UNPROCESSABLE_ENTITY, "", Some(WRONG_PASSWORD)))
        }
        Attempt::TooMany(status, seconds) => Ok(sign_in::too_many(again(status, sign_in::alert(status)), seconds)),
    }
}

fn show(service: &Service, session: &Session, status: StatusCode, alert: &str, error: Option<&str>) -> Response<Bytes> {
    let password = InputField::password("password", "Password", "current-password");
    let template = DeletePage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        username: &session.account.username,
        reserved_days: accounts::USERNAME_RESERVED.num_days(),
        fields: if has_password(service, &session.account) { vec![password.with_error(error)] } else { Vec::new() },
    };
    page(status, &template)
}
