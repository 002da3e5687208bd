//! The list of blocked travellers: blocking by username, and unblocking.

use askama::Template;
use bytes::Bytes;
use http::{Method, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_app::Error;
use itinerary_app::accounts::folded;
use itinerary_core::cursor;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;
use uuid::Uuid;

use super::{After, Frame, OUT_OF_DATE, PageDate, SHOWN, next_page, or_unavailable, page, see_other};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/blocks";

#[derive(Template)]
#[template(path = "blocks.html")]
struct BlocksPage {
    frame: Frame,
    guard: String,
    alert: &'static str,
    notice: &'static str,
    blocked: Vec<BlockedAccount>,
    /// The address of the next page.
    more: Option<String>,
    is_first: bool,
}

struct BlockedAccount {
    account: Uuid,
    name: String,
    username: String,
    since: PageDate,
}

/// `/account/blocks`: the list, blocking and unblocking.
pub async fn blocks(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(respond(service, request).await)
}

async fn respond(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))));
    };
    if request.method != Method::POST {
        let query = Form::from_query(request);
        let notice = match query.get("done") {
            "block" => "The traveller is blocked.",
            "unblock" => "The traveller is not blocked any more.",
            _ => "",
        };
        // An invalid cursor, or one of another account, shows the first page.
        let after = cursor::open(&service.key, &list_name(&session), query.get("after")).ok();
        return show(service, &session, after, StatusCode::OK, "", notice).await;
    }
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show(service, &session, None, StatusCode::FORBIDDEN, OUT_OF_DATE, "").await;
    }
    let (own, done) = (session.account.id, if form.get("account").is_empty() { "block" } else { "unblock" });
    let outcome = match (done, form.get("account").parse()) {
        ("block", _) => block(service, own, form.get("username")).await,
        (_, Ok(account)) => itinerary_app::blocks::clear(service, own, account).await,
        (_, Err(_)) => Err(Error::NotFound),
    };
    let (status, alert) = match outcome {
        Ok(()) => return Ok(see_other(&format!("{HERE}?done={done}"))),
        Err(Error::NotFound) => (StatusCode::NOT_FOUND, "No traveller has this username."),
        Err(Error::Invalid(_)) => (StatusCode::UNPROCESSABLE_ENTITY, "You cannot block yourself."),
        Err(Error::OverQuota(_)) => {
            (StatusCode::CONFLICT, "You have blocked too many travellers. Unblock someone first.")
        }
        Err(Error::Unavailable(error)) => return Err(error),
        Err(error) => return Err(StoreError::Corrupt(error.for_log())),
    };
    show(service, &session, None, status, alert, "").await
}

/// Blocks the account with a username.
async fn block(service: &Service, own: Uuid, username: &str) -> itinerary_app::Result<()> {
    let found = service.store.profile_by_username(&folded(username.trim()), own).await?;
    itinerary_app::blocks::set(service, own, found.ok_or(Error::NotFound)?.id).await
}

fn list_name(session: &Session) -> String {
    format!("blocks {}", session.account.id)
}

async fn show(
    service: &Service,
    session: &Session,
    after: Option<After>,
    status: StatusCode,
    alert: &'static str,
    notice: &'static str,
) -> Result<Response<Bytes>, StoreError> {
    let mut rows = service.store.block_page(session.account.id, after, SHOWN + 1).await?;
    let more = next_page(service, &list_name(session), HERE, SHOWN, &mut rows, |(since, last)| (*since, last.id));
    let blocked = rows.into_iter().map(|(since, row)| BlockedAccount {
        account: row.id,
        name: row.display_name,
        username: row.username,
        since: PageDate::of(since),
    });
    let template = BlocksPage {
        frame: Frame::of(Some(session)),
        guard: Guard::session(session).code(service),
        alert,
        notice,
        blocked: blocked.collect(),
        more,
        is_first: after.is_none(),
    };
    Ok(page(status, &template))
}
