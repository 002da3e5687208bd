//! `/trips/{id}/history`: the versions that an itinerary has had, for its owner and editors, and the form that restores
//! one.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_api::policy::LimitKind;
use itinerary_api::types::Author;
use itinerary_api::values::EntityTags;
use itinerary_app::itineraries::page as trips;
use itinerary_app::itineraries::revisions::{self, PageVersion};
use itinerary_app::{Error, admission};
use itinerary_core::change_text::ChangeText;
use itinerary_platform::context::Service;
use uuid::Uuid;

use super::trip::{counted, over_limit};
use super::{Frame, OUT_OF_DATE, PageTime, page, quoted, see_other, with_script};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

/// The message when somebody has changed the trip since the page was read.
const CHANGED: &str = "The trip has changed since you opened this page. Nothing was restored. Look at the latest changes, \
                       then try once more.";
/// The message when a version is no longer kept, or never was.
const GONE: &str = "That version is no longer kept. Nothing was restored.";

#[derive(Template)]
#[template(path = "trip_history.html")]
struct HistoryPage {
    frame: Frame,
    alert: &'static str,
    trip: Uuid,
    title: String,
    guard: String,
    /// The current version's tag, which a form sends back: it restores nothing if the trip has changed since.
    current: String,
    versions: Vec<Version>,
}

/// A version as the page shows it.
struct Version {
    number: i64,
    is_current: bool,
    at: PageTime,
    by: String,
    /// The name of the app, in quotes.
    app: Option<String>,
    restored_from: Option<i64>,
    sentences: Vec<ChangeText>,
    has_more: bool,
}

/// The page, and restoring a version.
pub async fn trip_history(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(respond(service, id, request))).await
}

async fn respond(service: &Service, text: &str, request: &WebRequest) -> Result<Response<Bytes>, Error> {
    let session = sessions::current(service, &request.headers).await?;
    let id = trips::id(text);
    let here = id.map(|id| format!("/trips/{id}/history"));
    let Some(session) = session else { return Ok(see_other(&forms::with_next("/sign-in", here.as_deref()))) };
    let id = id.ok_or(Error::NotFound)?;
    if request.method == Method::POST {
        return submit(service, &session, id, request).await;
    }
    show(service, &session, id, StatusCode::OK, "").await
}

/// Restores a version as the API's operation does, with its limit.
async fn submit(
    service: &Service,
    session: &Session,
    id: Uuid,
    request: &WebRequest,
) -> Result<Response<Bytes>, Error> {
    let form = Form::from_body(request);
    if !Guard::session(session).admits(service, &form) {
        return show(service, session, id, StatusCode::FORBIDDEN, OUT_OF_DATE).await;
    }
    let account = &session.account;
    let verdict = admission::count_on_page(service, LimitKind::Write, account.id).await;
    if !verdict.allowed {
        return Ok(over_limit(service, request, verdict).await);
    }
    let Ok(version) = form.get("version").parse() else {
        return show(service, session, id, StatusCode::NOT_FOUND, GONE).await;
    };
    let Ok(current) = EntityTags::parse(form.get("current")) else {
        return show(service, session, id, StatusCode::CONFLICT, CHANGED).await;
    };
    let outcome = revisions::restore_on_page(service, account, id, current, version).await;
    admission::note_write(service, account.id).await;
    match outcome {
        Ok(()) => Ok(see_other(&format!("/trips/{id}?done=restored"))),
        Err(Error::Modified { .. }) => show(service, session, id, StatusCode::CONFLICT, CHANGED).await,
        // If the whole trip is gone, or hidden by now, there is no page to show either.
        Err(Error::NotFound) => show(service, session, id, StatusCode::NOT_FOUND, GONE).await,
        Err(error) => Err(error),
    }
}

async fn show(
    service: &Service,
    session: &Session,
    id: Uuid,
    status: StatusCode,
    alert: &'static str,
) -> Result<Response<Bytes>, Error> {
    let account = &session.account;
    let history = revisions::history(service, account, id).await?;
    let current = history.versions.first().map(|version| version.revision.version);
    let version = |version| Version::of(version, current, account.id);
    let template = HistoryPage {
        frame: Frame::of(Some(session)),
        alert,
        trip: id,
        title: history.title,
        guard: Guard::session(session).code(service),
        current: history.etag,
        versions: history.versions.into_iter().map(version).collect(),
    };
    Ok(with_script(page(status, &template)))
}

impl Version {
    fn of(version: PageVersion, current: Option<i64>, reader: Uuid) -> Self {
        let PageVersion { revision, sentences, has_more } = version;
        Self {
            number: revision.version,
            is_current: current == Some(revision.version),
            at: PageTime::of(revision.updated_at.0),
            by: name(revision.by.as_ref(), reader),
            app: revision.app.as_deref().map(quoted),
            restored_from: revision.restored_from,
            sentences,
            has_more,
        }
    }
}

fn name(author: Option<&Author>, reader: Uuid) -> String {
    match author {
        Some(author) if author.account_id == reader => "you".to_owned(),
        Some(author) => author.display_name.clone(),
        None => "a deleted account".to_owned(),
    }
}
