//! The start page: an introduction for visitors, the newest itineraries for travellers. Also the files that all pages
//! use.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use chrono::NaiveDate;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_export::dates;
use itinerary_model::ListFilter;
use itinerary_platform::context::Service;
use itinerary_store::{ListContent, ListQuery, StoreError, SummaryRow};
use openssl::sha::sha256;
use serde::Deserialize;
use uuid::Uuid;

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
    let hash = URL_SAFE_NO_PAD.encode(sha256(file.as_bytes()));
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
}

#[derive(Template)]
#[template(path = "start.html")]
struct StartPage<'a> {
    frame: Frame,
    name: &'a str,
    base_url: &'a str,
    itineraries: Vec<StartPageEntry>,
}

struct StartPageEntry {
    id: Uuid,
    title: String,
    place: String,
    dates: String,
    /// The owner, if the itinerary is shared with the traveller.
    owner: Option<String>,
}

/// The fields of a stored card that the start page shows.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StartPageFields {
    title: String,
    destination: DestinationName,
    start_date: NaiveDate,
    days_count: u64,
}

#[derive(Deserialize)]
struct DestinationName {
    name: String,
}

/// `/`: the introduction, or the newest itineraries and links.
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
        return Ok(page(StatusCode::OK, &HomePage { frame: Frame::bare(), notice, base_url }));
    };
    let account = &session.account;
    let newest = ListQuery {
        account_id: account.id,
        content: ListContent::Library(ListFilter::All),
        updated_since: None,
        after: None,
        limit: NEWEST,
    };
    let rows = service.store.itinerary_page(&newest).await?;
    let itineraries = rows.into_iter().map(|(_, row)| listed(row, account.id)).collect::<Result<_, _>>()?;
    let frame = Frame::of(Some(&session));
    Ok(page(StatusCode::OK, &StartPage { frame, name: &account.display_name, base_url, itineraries }))
}

fn listed(row: SummaryRow, reader: Uuid) -> Result<StartPageEntry, StoreError> {
    let fields: StartPageFields = serde_json::from_str(&row.card)
        .map_err(|error| StoreError::Corrupt(format!("the card of an itinerary: {error}")))?;
    Ok(StartPageEntry {
        id: row.id,
        title: fields.title,
        place: fields.destination.name,
        dates: dates(fields.start_date, fields.days_count),
        owner: (row.owner_id != reader).then_some(row.display_name),
    })
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
    let known = request.headers.get(IF_NONE_MATCH) == Some(tag);
    let mut response = Response::new(if known { Bytes::new() } else { Bytes::from_static(text.as_bytes()) });
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
