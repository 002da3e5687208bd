//! The start page: an introduction with a trip of Explore for visitors; for travellers the trip that runs or is next, and
//! the newest itineraries. Also the files that all pages use.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::Days;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_export::Stage;
use itinerary_model::ListFilter;
use itinerary_platform::context::Service;
use itinerary_store::{ListContent, ListQuery, StoreError, SummaryRow};
use openssl::sha::sha256;
use uuid::Uuid;

use super::cards::Card;
use super::{Frame, or_unavailable, page};
use crate::forms::Form;
use crate::sessions;

const STYLE: &str = include_str!("../../../templates/style.css");

const SCRIPT: &str = include_str!("../../../templates/page.js");

const ICON: &str = include_str!("../../../templates/icon.svg");

static STYLE_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(STYLE));
static SCRIPT_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(SCRIPT));
static ICON_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(ICON));

/// A file's ETag: its hash.
pub(super) fn tag(file: &str) -> HeaderValue {
    tag_of(file.as_bytes())
}

pub(super) fn tag_of(content: &[u8]) -> HeaderValue {
    let hash = URL_SAFE_NO_PAD.encode(sha256(content));
    HeaderValue::from_str(&format!("\"{hash}\"")).expect("base64 is plain ASCII")
}

/// The number of itineraries on the start page.
const NEWEST: u32 = 5;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    frame: Frame,
    notice: &'static str,
    base_url: &'a str,
    can_sign_up: bool,
    favourite: Option<StartPageEntry>,
}

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage<'a> {
    frame: Frame,
    name: &'a str,
    base_url: &'a str,
    /// The trip that runs or starts next.
    upcoming: Option<StartPageEntry>,
    /// When it is: `Day 3 of 7`, `Starts tomorrow`.
    when: String,
    itineraries: Vec<StartPageEntry>,
}

struct StartPageEntry {
    id: Uuid,
    title: String,
    place: String,
    dates: String,
    /// The picture of the cover, if this server stores it.
    cover: Option<Uuid>,
    author: String,
    /// Whether the reader owns it.
    is_own: bool,
    likes: i64,
}

/// `/`: the introduction, or the traveller's trips and links.
pub async fn home(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(show(service, request).await)
}

async fn show(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let base_url = &*service.config.base_url;
    let Some(session) = sessions::current(service, &request.headers).await? else {
        let notice = match Form::from_query(request).get("account") {
            "signed-out" => "You are signed out.",
            "deleted" => "Your account is deleted. Its data is being erased.",
            _ => "",
        };
        let favourite = service.store.explore_favourite().await?;
        let favourite =
            favourite.map(|row| Ok::<_, StoreError>(entry(Card::of(&row)?, row, Uuid::nil()))).transpose()?;
        let can_sign_up = super::can_sign_up(service);
        return Ok(page(StatusCode::OK, &HomePage { frame: Frame::bare(), notice, base_url, can_sign_up, favourite }));
    };
    let account = &session.account;
    let upcoming = upcoming(service, account.id).await?;
    let shown = upcoming.as_ref().map(|(entry, _)| entry.id);
    let newest = ListQuery {
        account_id: account.id,
        content: ListContent::Library(ListFilter::All),
        updated_since: None,
        after: None,
        limit: NEWEST + 1,
    };
    let rows = service.store.itinerary_page(&newest).await?;
    let others = rows.into_iter().map(|(_, row)| row).filter(|row| Some(row.id) != shown).take(NEWEST as usize);
    let itineraries =
        others.map(|row| Ok(entry(Card::of(&row)?, row, account.id))).collect::<Result<_, StoreError>>()?;
    let (upcoming, when) = upcoming.map_or((None, String::new()), |(entry, when)| (Some(entry), when));
    let (frame, name) = (Frame::of(Some(&session)), &*account.display_name);
    Ok(page(StatusCode::OK, &StartPage { frame, name, base_url, upcoming, when, itineraries }))
}

/// The trip of a library that runs, otherwise the one that starts next, and when that is.
async fn upcoming(service: &Service, account: Uuid) -> Result<Option<(StartPageEntry, String)>, StoreError> {
    let now = service.clock.now();
    // Somewhere it is tomorrow already.
    let latest = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(now.date_naive());
    let mut next = None;
    for row in service.store.itineraries_around(account, &latest.to_string()).await? {
        let card = Card::of(&row)?;
        match card.stage(now) {
            Stage::Runs(day) => {
                let when = format!("Now: day {day} of {}", card.days_count.max(1));
                // Of several that run, the one that started last.
                next = Some((entry(card, row, account), when));
            }
            Stage::Ahead(days) if next.is_none() => {
                let when = if days == 1 { "Starts tomorrow".to_owned() } else { format!("Starts in {days} days") };
                next = Some((entry(card, row, account), when));
            }
            Stage::Ahead(_) | Stage::Over => {}
        }
    }
    Ok(next)
}

fn entry(card: Card, row: SummaryRow, reader: Uuid) -> StartPageEntry {
    StartPageEntry {
        id: row.id,
        dates: card.dates(),
        title: card.title,
        place: card.destination.name,
        cover: row.picture,
        author: row.display_name,
        is_own: row.owner_id == reader,
        likes: row.likes,
    }
}

pub async fn style(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, STYLE, &STYLE_TAG, "text/css; charset=utf-8")
}

/// `/page.js`: what buttons do that need a script. Every page works without it.
pub async fn script(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, SCRIPT, &SCRIPT_TAG, "text/javascript; charset=utf-8")
}

/// `/icon.svg`: the icon that browsers show beside the title.
pub async fn icon(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, ICON, &ICON_TAG, "image/svg+xml")
}

/// A static file. Browsers cache it for an hour and then revalidate it by its ETag.
pub(super) fn file(request: &WebRequest, text: &'static str, tag: &HeaderValue, kind: &'static str) -> Response<Bytes> {
    bytes_file(request, text.as_bytes(), tag, kind)
}

/// A static file that is no text.
pub(super) fn bytes_file(
    request: &WebRequest,
    content: &'static [u8],
    tag: &HeaderValue,
    kind: &'static str,
) -> Response<Bytes> {
    let known = request.headers.get(IF_NONE_MATCH) == Some(tag);
    let mut response = Response::new(if known { Bytes::new() } else { Bytes::from_static(content) });
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
    headers.insert(ETAG, tag.clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    response
}
