//! The apps that a traveller has let in, and how to shut them out again.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_core::oauth::scopes::{ScopeList, consent_words};
use itinerary_store::StoreError;

use super::{Frame, or_unavailable, page, see_other};
use crate::context::Service;
use crate::oauth::forms::{self, Form, Guard};
use crate::oauth::sessions::{self, Session};

const HERE: &str = "/account/apps";
/// How many are shown.
const MOST: u32 = 100;
/// Where the browser goes after an app was disconnected, so that reloading does nothing again.
const DONE: &str = "/account/apps?disconnected=1";

#[derive(Template)]
#[template(path = "apps.html")]
struct AppsPage {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    apps: Vec<App>,
}

struct App {
    grant: String,
    name: String,
    allowed: Vec<&'static str>,
    since: String,
    since_machine: String,
}

/// `/account/apps`: the list, and disconnecting one of it.
pub async fn apps(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(answer(service, request).await)
}

async fn answer(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let notice = match Form::of_query(request).get("disconnected") {
            "" => "",
            _ => "The app is disconnected. Its access ended at once.",
        };
        return show(service, &session, StatusCode::OK, "", notice).await;
    }
    let form = Form::of(request);
    if !Guard::session(&session).admits(service, &form) {
        let alert = "This page was out of date. Please try once more.";
        return show(service, &session, StatusCode::FORBIDDEN, alert, "").await;
    }
    if let Ok(grant) = form.get("grant").parse() {
        // A grant that has ended before, or is somebody else's, changes nothing.
        service.store.grant_revoke_owned(session.account.id, grant, service.clock.now()).await?;
    }
    Ok(see_other(DONE))
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    alert: &'static str,
    notice: &'static str,
) -> Result<Response<Bytes>, StoreError> {
    let grants = service.store.grant_page(session.account.id, service.clock.now(), None, MOST).await?;
    let app = |grant: itinerary_store::ConnectedApp| App {
        grant: grant.grant_id.to_string(),
        name: grant.client_name,
        allowed: ScopeList::known(&grant.scope).scopes().map(|scope| consent_words(scope).0).collect(),
        since: grant.created_at.format("%-d %B %Y").to_string(),
        since_machine: grant.created_at.format("%Y-%m-%d").to_string(),
    };
    let template = AppsPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        apps: grants.into_iter().map(app).collect(),
    };
    Ok(page(status, &template))
}
