//! The pages of moderators: the queue of reports, suspended accounts, recent acts, and invitations.
//!
//! Only a moderator learns that these pages exist.

mod invitations;
mod itinerary;

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Actor;
use itinerary_app::moderation::{self, ModerationError};
use itinerary_platform::context::Service;
use itinerary_platform::settings::SignUpMode;
use itinerary_store::{AuditFilter, AuditRow, ReportedItinerary, StoreError, SuspensionRow};
use serde::Deserialize;
use uuid::Uuid;

use super::security_log::{LogEntry, log_entry};
use super::{Frame, OUT_OF_DATE, PageDate, failed_for, or_unavailable, page, see_other, with_script};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

pub use invitations::moderation_invitations;
pub use itinerary::moderation_itinerary;

const HERE: &str = "/moderation";
/// The number of itineraries, of accounts and of acts that the page shows.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "moderation.html")]
struct ModerationPage {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    open: i64,
    queue: Vec<QueueEntry>,
    suspended: Vec<SuspendedAccount>,
    acts: Vec<LogEntry>,
    invites: bool,
}

struct QueueEntry {
    id: Uuid,
    title: String,
    owner: String,
    reports: i64,
    oldest: PageDate,
    state: String,
}

struct SuspendedAccount {
    id: Uuid,
    username: String,
    since: Option<PageDate>,
    reason: String,
    appeal: Option<String>,
    appealed: Option<PageDate>,
}

/// The field of a stored card that the pages show.
#[derive(Deserialize)]
struct CardTitle {
    title: String,
}

/// The title in an itinerary's card.
fn title(card: &str) -> String {
    serde_json::from_str(card).map(|CardTitle { title }| title).unwrap_or_default()
}

/// The moderator of a request; otherwise the response: sign-in, or a page that was not found.
async fn moderator(
    service: &Service,
    request: &WebRequest,
    next: &str,
) -> Result<Result<Session, Response<Bytes>>, StoreError> {
    Ok(match sessions::current(service, &request.headers).await? {
        None => Err(see_other(&forms::with_next("/sign-in", Some(next)))),
        Some(session) if session.account.moderator_since.is_some() => Ok(session),
        Some(_) => Err(failed_for(service, &request.headers, StatusCode::NOT_FOUND, request.uri.path(), "").await),
    })
}

/// `/moderation`: the lists, and ending suspensions.
pub async fn moderation(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match moderator(service, request, HERE).await? {
        Ok(session) => session,
        Err(response) => return Ok(response),
    };
    if request.method != Method::POST {
        let notice = match Form::from_query(request).get("done") {
            "keep" => "The itinerary stays in Explore, and its reports are closed.",
            "hide" => "The itinerary is hidden from Explore, and its reports are closed.",
            "suspend" => "The account is suspended.",
            "unsuspend" => "The suspension has ended.",
            _ => "",
        };
        return show(service, &session, StatusCode::OK, "", notice).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, StatusCode::FORBIDDEN, OUT_OF_DATE, "").await;
    }
    let account = form.get("unsuspend").parse().unwrap_or_default();
    match moderation::unsuspend(service, account, actor(&session, request)).await {
        Ok(()) => Ok(see_other("/moderation?done=unsuspend")),
        Err(ModerationError::Store(error)) => Err(error),
        Err(ModerationError::Explore(error)) => Err(StoreError::Corrupt(error)),
        Err(_) => show(service, &session, StatusCode::NOT_FOUND, "This account is not suspended.", "").await,
    }
}

fn actor(session: &Session, request: &WebRequest) -> Actor<'static> {
    Actor::Moderator(session.account.id, request.address)
}

async fn show(
    service: &Service,
    session: &Session,
    status: StatusCode,
    alert: &'static str,
    notice: &'static str,
) -> Result<Response<Bytes>, StoreError> {
    let store = &service.store;
    let template = ModerationPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        open: store.report_count().await?,
        queue: store.reported_itineraries(SHOWN).await?.into_iter().map(queue_entry).collect(),
        suspended: store.suspensions(SHOWN).await?.into_iter().map(suspended_account).collect(),
        acts: store.audit_page(AuditFilter::Moderators, None, SHOWN).await?.into_iter().map(act).collect(),
        invites: service.config.sign_in.sign_up == SignUpMode::Invite,
    };
    Ok(with_script(page(status, &template)))
}

/// An act of a moderator, with the account that it is about, and without the address, which is for the operator.
fn act(row: AuditRow) -> LogEntry {
    let about = row.username.clone().map(|name| format!("About {name}"));
    let entry = log_entry(row);
    let detail =
        about.into_iter().chain([entry.detail]).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" · ");
    LogEntry { address: None, detail, ..entry }
}

fn queue_entry(row: ReportedItinerary) -> QueueEntry {
    QueueEntry {
        id: row.itinerary_id,
        title: title(&row.title_card),
        owner: row.owner,
        reports: row.reports,
        oldest: PageDate::of(row.oldest),
        state: state(row.visibility.as_str(), row.hidden),
    }
}

/// Who sees an itinerary.
fn state(visibility: &str, is_hidden: bool) -> String {
    format!("{visibility}{}", if is_hidden { ", hidden from Explore" } else { "" })
}

fn suspended_account(row: SuspensionRow) -> SuspendedAccount {
    SuspendedAccount {
        id: row.account_id,
        username: row.username,
        since: row.suspended_at.map(PageDate::of),
        reason: row.reason,
        appeal: row.appeal,
        appealed: row.appealed_at.map(PageDate::of),
    }
}
