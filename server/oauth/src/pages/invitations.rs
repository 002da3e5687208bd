//! The list of pending invitations: accepting and declining them, and blocking their senders.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::Error;
use itinerary_core::cursor;
use itinerary_model::MemberRole;
use itinerary_platform::context::Service;
use itinerary_store::{InvitationRow, StoreError};
use serde::Deserialize;
use uuid::Uuid;

use super::{After, Frame, OUT_OF_DATE, PageDate, SHOWN, next_page, or_unavailable, page, see_other};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/invitations";

#[derive(Template)]
#[template(path = "invitations.html")]
struct InvitationsPage {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    /// The itinerary that was just accepted.
    accepted: Option<Uuid>,
    invitations: Vec<InvitationRowView>,
    /// The address of the next page.
    more: Option<String>,
    is_first: bool,
}

/// The messages above the list.
struct Messages {
    alert: &'static str,
    notice: &'static str,
    accepted: Option<Uuid>,
}

impl Messages {
    fn alert(alert: &'static str) -> Self {
        Self { alert, notice: "", accepted: None }
    }
}

struct InvitationRowView {
    itinerary: Uuid,
    title: String,
    place: String,
    owner: Uuid,
    name: String,
    username: String,
    may_edit: bool,
    since: PageDate,
}

/// The fields of a stored card that the page shows.
#[derive(Deserialize)]
struct InvitationFields {
    title: String,
    destination: InvitedTo,
}

#[derive(Deserialize)]
struct InvitedTo {
    name: String,
}

/// `/account/invitations`: the list, and answering an invitation.
pub async fn invitations(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let query = Form::from_query(request);
        let notice = match query.get("done") {
            "accept" => "You have accepted.",
            "decline" => "You have declined. You are not invited to this itinerary again.",
            "block" => "The traveller is blocked.",
            _ => "",
        };
        // An invalid cursor, or one of another account, shows the first page.
        let after = cursor::open(&service.key, &list_name(&session), query.get("after")).ok();
        let accepted = query.get("trip").parse().ok().filter(|_| query.get("done") == "accept");
        return show(service, &session, after, StatusCode::OK, Messages { alert: "", notice, accepted }).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, None, StatusCode::FORBIDDEN, Messages::alert(OUT_OF_DATE)).await;
    }
    let done = form.get("do");
    let id = form.get(if done == "block" { "account" } else { "itinerary" }).parse().unwrap_or_default();
    let account = session.account.id;
    let outcome = match done {
        "accept" => itinerary_app::invitations::accept(service, account, id).await.map(|_| ()),
        "decline" => itinerary_app::invitations::decline(service, account, id).await,
        "block" => itinerary_app::blocks::set(service, account, id).await,
        _ => Err(Error::NotFound),
    };
    match outcome {
        Ok(()) if done == "accept" => Ok(see_other(&format!("{HERE}?done={done}&trip={id}"))),
        Ok(()) => Ok(see_other(&format!("{HERE}?done={done}"))),
        Err(Error::NotFound | Error::Invalid(_)) => {
            let alert = "This invitation is not pending any more.";
            show(service, &session, None, StatusCode::NOT_FOUND, Messages::alert(alert)).await
        }
        Err(Error::OverQuota(_)) => {
            let alert = "You have blocked too many travellers. Unblock someone first.";
            show(service, &session, None, StatusCode::CONFLICT, Messages::alert(alert)).await
        }
        Err(Error::Unavailable(error)) => Err(error),
        Err(error) => Err(StoreError::Corrupt(error.for_log())),
    }
}

fn list_name(session: &Session) -> String {
    format!("invitations {}", session.account.id)
}

async fn show(
    service: &Service,
    session: &Session,
    after: Option<After>,
    status: StatusCode,
    Messages { alert, notice, accepted }: Messages,
) -> Result<Response<Bytes>, StoreError> {
    let mut rows = service.store.invitation_page(session.account.id, after, SHOWN + 1).await?;
    let more =
        next_page(service, &list_name(session), HERE, SHOWN, &mut rows, |last| (last.created_at, last.itinerary_id));
    let template = InvitationsPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        accepted,
        invitations: rows.into_iter().map(shown).collect::<Result<_, _>>()?,
        more,
        is_first: after.is_none(),
    };
    Ok(page(status, &template))
}

fn shown(row: InvitationRow) -> Result<InvitationRowView, StoreError> {
    let fields: InvitationFields = serde_json::from_str(&row.card)
        .map_err(|error| StoreError::Corrupt(format!("the card of an itinerary: {error}")))?;
    Ok(InvitationRowView {
        itinerary: row.itinerary_id,
        title: fields.title,
        place: fields.destination.name,
        owner: row.owner_id,
        name: row.display_name,
        username: row.username,
        may_edit: row.role == MemberRole::Editor,
        since: PageDate::of(row.created_at),
    })
}
