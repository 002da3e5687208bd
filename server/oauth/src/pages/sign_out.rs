//! Sign-out: a page with a button, because a link must not change state.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;

use super::{Frame, OUT_OF_DATE, or_unavailable, page, see_other, with_cookie};
use crate::forms::{Form, Guard};
use crate::sessions::{self, Session};

/// Where the browser is redirected after signing out.
const DONE: &str = "/?account=signed-out";

#[derive(Template)]
#[template(path = "sign_out.html")]
struct SignOutPage<'a> {
    frame: Frame,
    guard: String,
    next: &'a str,
    username: &'a str,
    alert: &'a str,
}

/// `/sign-out`: the button, and signing out.
pub async fn sign_out(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let submitted = request.method == Method::POST;
    let form = if submitted { Form::from_body(request) } else { Form::from_query(request) };
    let next = form.next().unwrap_or("/");
    let Some(session) = sessions::current(service, &request.headers).await? else { return Ok(see_other(next)) };
    if !submitted {
        return Ok(show(service, &session, StatusCode::OK, &form, ""));
    }
    if !Guard::session(&session).admits(service, &form) {
        return Ok(show(service, &session, StatusCode::FORBIDDEN, &form, OUT_OF_DATE));
    }
    let cookie = sessions::end(service, &session).await?;
    Ok(with_cookie(see_other(form.next().unwrap_or(DONE)), Some(cookie)))
}

fn show(service: &Service, session: &Session, status: StatusCode, form: &Form, alert: &str) -> Response<Bytes> {
    let template = SignOutPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        next: form.next().unwrap_or_default(),
        username: &session.account.username,
        alert,
    };
    page(status, &template)
}
