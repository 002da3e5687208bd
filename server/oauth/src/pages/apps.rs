//! The list of connected apps, and disconnecting them.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_core::cursor;
use itinerary_core::oauth::scopes::{ScopeList, consent_words};
use itinerary_core::oauth::{client_document, redirect};
use itinerary_platform::context::Service;
use itinerary_store::{ConnectedApp, StoreError};

use super::{After, Frame, OUT_OF_DATE, PageDate, SHOWN, next_page, or_unavailable, page, quoted, see_other};
use crate::audited::audited_app;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/apps";
/// The maximum number of hosts shown for an app.
const HOSTS: usize = 3;
/// Where the browser is redirected after an app was disconnected, so that reloading does not repeat it.
const DONE: &str = "/account/apps?disconnected=1";

#[derive(Template)]
#[template(path = "apps.html")]
struct AppsPage {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    count: i64,
    apps: Vec<App>,
    /// The address of the next page.
    more: Option<String>,
    is_first: bool,
}

struct App {
    grant: String,
    name: String,
    /// The host of the app's metadata document, if it has one.
    publisher: Option<String>,
    /// The hosts of the app's redirect URIs.
    hosts: String,
    allowed: Vec<&'static str>,
    since: PageDate,
    used: PageDate,
}

/// `/account/apps`: the list, and disconnecting an app.
pub async fn apps(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let query = Form::from_query(request);
        let notice = match query.get("disconnected") {
            "" => "",
            _ => "The app is disconnected and can no longer use your account.",
        };
        // An invalid cursor, or one of another account, shows the first page.
        let after = cursor::open(&service.key, &list_name(&session), query.get("after")).ok();
        return show(service, &session, after, StatusCode::OK, "", notice).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, None, StatusCode::FORBIDDEN, OUT_OF_DATE, "").await;
    }
    if let Ok(grant) = form.get("grant").parse() {
        // Changes nothing if the grant has ended or belongs to another account.
        let (account, now) = (session.account.id, service.clock.now());
        if let Some(client) = service.store.grant_revoke_owned(account, grant, now).await? {
            audited_app(service, request, account, Event::AppDisconnected, &client).await;
        }
    }
    Ok(see_other(DONE))
}

fn list_name(session: &Session) -> String {
    format!("connected apps {}", session.account.id)
}

async fn show(
    service: &Service,
    session: &Session,
    after: Option<After>,
    status: StatusCode,
    alert: &'static str,
    notice: &'static str,
) -> Result<Response<Bytes>, StoreError> {
    let (store, account, now) = (&service.store, session.account.id, service.clock.now());
    let mut grants = store.grant_page(account, now, after, SHOWN + 1).await?;
    let more =
        next_page(service, &list_name(session), HERE, SHOWN, &mut grants, |last| (last.created_at, last.grant_id));
    let count = store.grant_count(account, now).await?;
    let template = AppsPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        count,
        apps: grants.iter().map(App::of).collect(),
        more,
        is_first: after.is_none(),
    };
    Ok(page(status, &template))
}

impl App {
    fn of(grant: &ConnectedApp) -> Self {
        let mut hosts = redirect::hosts(&grant.redirect_uris);
        let others = hosts.len().saturating_sub(HOSTS);
        hosts.truncate(HOSTS);
        let named = hosts.join(", ");
        let hosts = if others == 0 { named } else { format!("{named} and {others} more") };
        Self {
            grant: grant.grant_id.to_string(),
            publisher: client_document::host(&grant.client_id).map(str::to_owned),
            name: quoted(&grant.client_name),
            hosts,
            allowed: ScopeList::known(&grant.scope).scopes().map(|scope| consent_words(scope).0).collect(),
            since: PageDate::of(grant.created_at),
            used: PageDate::of(grant.last_used_at),
        }
    }
}
