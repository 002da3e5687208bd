//! What was reported: the reports of an itinerary, its public text, and what a moderator can do about it.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::moderation::{self, MESSAGE, ModerationError};
use itinerary_app::reports;
use itinerary_platform::context::Service;
use itinerary_store::{Account, ReportRow, StoreError};
use uuid::Uuid;

use super::{actor, moderator, state, title};
use crate::forms::{Form, Guard};
use crate::pages::{Frame, OUT_OF_DATE, PageDate, failed_for, or_unavailable, page, see_other};
use crate::sessions::Session;

/// The number of reports that the page shows. All are closed by a verdict.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "moderation_itinerary.html")]
struct ItineraryPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
    notice: &'static str,
    id: Uuid,
    title: String,
    owner: &'a str,
    owner_name: &'a str,
    owner_is_moderator: bool,
    owner_is_suspended: bool,
    state: String,
    reports: Vec<Report>,
    texts: Vec<String>,
    message: &'a str,
    maximum: usize,
}

struct Report {
    reason: String,
    note: Option<String>,
    reporter: String,
    at: PageDate,
}

/// A reported itinerary with its owner.
struct Reported {
    id: Uuid,
    owner: Account,
    reports: Vec<ReportRow>,
}

/// `/moderation/itineraries/{id}`: the reports, the text, and a verdict.
pub async fn moderation_itinerary(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, id, request).await)
}

async fn respond(service: &Service, id: &str, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match moderator(service, request, "/moderation").await? {
        Ok(session) => session,
        Err(response) => return Ok(response),
    };
    let Some(reported) = reported(service, id).await? else {
        return Ok(failed_for(service, &request.headers, StatusCode::NOT_FOUND, request.uri.path(), "").await);
    };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("done") {
            "warn" => "The owner sees your warning on their account page.",
            _ => "",
        };
        return show(service, &session, &reported, (StatusCode::OK, ""), notice, "").await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, &reported, (StatusCode::FORBIDDEN, OUT_OF_DATE), "", form.get("message")).await;
    }
    submit(service, &session, &reported, request, &form).await
}

/// The itinerary, if it exists and has open reports.
async fn reported(service: &Service, id: &str) -> Result<Option<Reported>, StoreError> {
    let Ok(id) = id.parse() else { return Ok(None) };
    let reports = service.store.reports_open_about(id, SHOWN).await?;
    let Some(source) = service.store.explore_entry_source(id).await?.filter(|_| !reports.is_empty()) else {
        return Ok(None);
    };
    let owner = service.store.account(source.owner_id).await?;
    Ok(owner.map(|owner| Reported { id, owner, reports }))
}

async fn submit(
    service: &Service,
    session: &Session,
    reported: &Reported,
    request: &WebRequest,
    form: &Form,
) -> Result<Response<Bytes>, StoreError> {
    let (by, message) = (actor(session, request), form.get("message"));
    let (id, owner) = (reported.id, &reported.owner);
    let verdict = form.get("do");
    if owner.id == session.account.id {
        let own = (StatusCode::FORBIDDEN, "This is your own itinerary. Another moderator decides.");
        return show(service, session, reported, own, "", message).await;
    }
    let outcome = match verdict {
        "keep" | "hide" => resolve(service, id, verdict == "hide", by).await,
        "warn" => moderation::warn(service, owner.id, message, by).await,
        "suspend" => match moderation::suspend(service, owner, message, by).await {
            Ok(_) => resolve(service, id, true, by).await,
            Err(error) => Err(error),
        },
        _ => return show(service, session, reported, (StatusCode::BAD_REQUEST, "Choose what to do."), "", "").await,
    };
    let error = match outcome {
        Ok(()) if verdict == "warn" => return Ok(see_other(&format!("/moderation/itineraries/{id}?done=warn"))),
        Ok(()) => return Ok(see_other(&format!("/moderation?done={verdict}"))),
        Err(ModerationError::Store(error)) => return Err(error),
        Err(ModerationError::Explore(error)) => return Err(StoreError::Corrupt(error)),
        Err(error) => error,
    };
    let (status, alert) = match error {
        ModerationError::Moderator => {
            (StatusCode::FORBIDDEN, "Only the person who runs this service can suspend a moderator.")
        }
        ModerationError::Message => {
            (StatusCode::UNPROCESSABLE_ENTITY, "Write 1 to 1,000 characters, without invisible ones.")
        }
        _ => (StatusCode::CONFLICT, "The itinerary or its owner's account has been deleted meanwhile."),
    };
    show(service, session, reported, (status, alert), "", message).await
}

async fn resolve(
    service: &Service,
    id: Uuid,
    hide: bool,
    by: itinerary_app::audit::Actor<'_>,
) -> Result<(), ModerationError> {
    let resolved = reports::resolve(service, id, hide, by).await;
    let resolved = resolved.map_err(|error| ModerationError::Explore(error.for_log()))?;
    resolved.map(|_| ()).ok_or(ModerationError::Unknown)
}

async fn show(
    service: &Service,
    session: &Session,
    reported: &Reported,
    (status, alert): (StatusCode, &str),
    notice: &'static str,
    message: &str,
) -> Result<Response<Bytes>, StoreError> {
    let Reported { id, owner, reports } = reported;
    let content = service.store.reported_content(*id).await?.unwrap_or_default();
    let first = &reports[0];
    let template = ItineraryPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        id: *id,
        title: title(&first.title_card),
        owner: &owner.username,
        owner_name: &owner.display_name,
        owner_is_moderator: owner.moderator_since.is_some(),
        owner_is_suspended: owner.suspended_at.is_some(),
        state: state(first.visibility.as_str(), first.hidden),
        reports: reports.iter().map(report).collect(),
        texts: reports::texts(&content),
        message,
        maximum: MESSAGE,
    };
    Ok(page(status, &template))
}

fn report(row: &ReportRow) -> Report {
    Report {
        reason: row.reason.clone(),
        note: row.note.clone(),
        reporter: row.reporter.clone(),
        at: PageDate::of(row.created_at),
    }
}
