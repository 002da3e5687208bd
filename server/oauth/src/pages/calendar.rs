//! The secret address of one's calendar: turning it on, replacing it, and turning it off.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::calendars;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;

use super::confirm::required;
use super::{Frame, OUT_OF_DATE, or_unavailable, page, see_other, with_script};
use crate::audited::audited;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/calendar";
/// Where the browser is redirected after the address was ended, so that reloading does not repeat it.
const ENDED: &str = "/account/calendar?ended=1";

#[derive(Template)]
#[template(path = "calendar.html")]
struct CalendarPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    /// The new address. It is shown once.
    address: &'a str,
    /// The same address for calendar programs, which open it to subscribe.
    subscribe: String,
    /// When the current address was made, if there is one.
    since: Option<String>,
    kept_days: i64,
}

/// `/account/calendar`: whether there is an address, making and ending it.
pub async fn calendar(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("ended") {
            "" => "",
            _ => "Your calendar address is turned off. Calendar programs can no longer read it.",
        };
        return show(service, &session, StatusCode::OK, ("", notice), "").await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, StatusCode::FORBIDDEN, (OUT_OF_DATE, ""), "").await;
    }
    if form.get("action") == "end" {
        service.store.calendar_end(session.account.id).await?;
        audited(service, request, session.account.id, Event::CalendarAddressEnded, "").await;
        return Ok(see_other(ENDED));
    }
    // Whoever has the address reads all trips, until it is ended.
    if let Some(confirm) = required(service, &session, HERE).await? {
        return Ok(confirm);
    }
    match calendars::make(service, session.account.id, &session.hash).await? {
        Some(address) => {
            audited(service, request, session.account.id, Event::CalendarAddressMade, "").await;
            show(service, &session, StatusCode::OK, ("", ""), &address).await
        }
        None => Ok(see_other(&forms::with_next("/sign-in", Some(HERE)))),
    }
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    (alert, notice): (&'static str, &'static str),
    address: &str,
) -> Result<Response<Bytes>, StoreError> {
    let since = service.store.calendar_since(session.account.id).await?;
    let template = CalendarPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        address,
        subscribe: address.split_once("://").map(|(_, rest)| format!("webcal://{rest}")).unwrap_or_default(),
        since: since.map(|since| since.format("%-d %B %Y").to_string()),
        kept_days: calendars::KEPT_DAYS,
    };
    Ok(with_script(page(status, &template)))
}
