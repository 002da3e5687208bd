//! The account's security log: sign-ins, and changes of what gives access to the account, of 90 days.

use askama::Template;
use bytes::Bytes;
use http::{Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_core::cursor;
use itinerary_platform::context::Service;
use itinerary_store::{AUDIT_SHORT, AuditFilter, AuditRow, StoreError};

use super::{Frame, PageTime, next_page, or_unavailable, page, quoted, see_other, with_script};
use crate::forms::{self, Form};
use crate::sessions::{self, Session};

const HERE: &str = "/account/security-log";
/// The number of entries on a page.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "security_log.html")]
struct SecurityLogPage {
    frame: Frame,
    entries: Vec<LogEntry>,
    /// The address of the next page.
    more: Option<String>,
    is_first: bool,
}

pub(super) struct LogEntry {
    pub(super) at: PageTime,
    pub(super) event: &'static str,
    /// Who acted, if it was not the account's owner.
    pub(super) by: String,
    pub(super) detail: String,
    pub(super) address: Option<String>,
}

/// `/account/security-log`: the entries, newest first.
pub async fn security_log(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    let list = list_name(&session);
    // An invalid cursor, or one of another account, shows the first page.
    let before = cursor::open(&service.key, &list, Form::from_query(request).get("after")).ok();
    let filter = AuditFilter::Account(session.account.id, service.clock.now() - AUDIT_SHORT);
    let mut rows = service.store.audit_page(filter, before, SHOWN + 1).await?;
    let more = next_page(service, &list, HERE, SHOWN, &mut rows, |last| (last.created_at, last.id));
    let template = SecurityLogPage {
        frame: Frame::of(Some(&session)),
        entries: rows.into_iter().map(entry_for_owner).collect(),
        more,
        is_first: before.is_none(),
    };
    Ok(with_script(page(StatusCode::OK, &template)))
}

fn list_name(session: &Session) -> String {
    format!("security log {}", session.account.id)
}

/// An entry as the account's owner sees it: without the names and addresses of moderators.
fn entry_for_owner(row: AuditRow) -> LogEntry {
    let is_traveller = row.actor == "traveller";
    let by = match &*row.actor {
        "traveller" => "",
        "app" => "An app",
        "moderator" => "A moderator",
        "operator" => "The person who runs this service",
        _ => "The server",
    };
    LogEntry { by: by.to_owned(), address: row.address.clone().filter(|_| is_traveller), ..log_entry(row) }
}

pub(super) fn log_entry(row: AuditRow) -> LogEntry {
    let client = row.client_name.map(|name| quoted(&name));
    let detail = client.into_iter().chain(row.detail).collect::<Vec<_>>().join(" · ");
    LogEntry {
        at: PageTime::of(row.created_at),
        event: Event::from_name(&row.event).map_or("Another event", Event::words),
        by: row.moderator.map_or(row.actor, |name| format!("{name}, moderator")),
        detail,
        address: row.address,
    }
}
