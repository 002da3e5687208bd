//! The page of an itinerary, to send to others.
//!
//! Without a session, an itinerary that is neither public nor unlisted leads to sign-in, whether it exists or not. With
//! one, what the traveller may not see is a page that was not found. Search engines are asked to index public ones only.

use std::sync::LazyLock;

use askama::Template;
use bytes::Bytes;
use http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH,
    RETRY_AFTER, VARY,
};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::extract::{WebRequest, entity_tags};
use itinerary_api::request_state;
use itinerary_api::types::{ExportFormat, Itinerary, Visibility};
use itinerary_app::Error;
use itinerary_app::itineraries::page::{self as trips, Shared};
use itinerary_export::html;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;

use super::home::{file, tag};
use super::{Frame, failed, page, protect, see_other, with_images_of, with_script};
use crate::forms;
use crate::sessions;

static STYLE_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(html::STYLE));

#[derive(Template)]
#[template(path = "trip_page.html")]
struct TripPage<'a> {
    frame: Frame,
    title: String,
    description: String,
    /// The page's own address, if everyone who has it may see it.
    open_address: Option<&'a str>,
    is_public: bool,
    sign_in: String,
    article: String,
}

/// `/trip.css`: the style sheet of the page besides that of all pages.
pub async fn trip_style(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, html::STYLE, &STYLE_TAG, "text/css; charset=utf-8")
}

/// `/trips/{id}`: an itinerary as its reader sees it.
pub async fn trip(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    let verdict = service.limits.take(&[Bucket::TripPage(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        return failure(verdict.status(), Some((RETRY_AFTER, HeaderValue::from(verdict.reset))));
    }
    show(service, id, request).await.unwrap_or_else(failed_with)
}

/// `/trips/{id}/trip.ics` and `/trips/{id}/trip.gpx`: what the page shows, for calendars and devices.
pub async fn trip_file(service: &Service, id: &str, format: ExportFormat, request: &WebRequest) -> Response<Bytes> {
    let verdict = service.limits.take(&[Bucket::TripPage(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        return failure(verdict.status(), Some((RETRY_AFTER, HeaderValue::from(verdict.reset))));
    }
    download(service, id, format, request).await.unwrap_or_else(failed_with)
}

async fn download(
    service: &Service,
    text: &str,
    format: ExportFormat,
    request: &WebRequest,
) -> Result<Response<Bytes>, Error> {
    let session = sessions::current(service, &request.headers).await?;
    let id = trips::id(text).ok_or(Error::NotFound)?;
    let reader = session.as_ref().map(|session| &session.account);
    let file = trips::export(service, reader, id, format, request.address).await?;
    let mut response = Response::new(Bytes::from(file));
    protect(&mut response, "");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Ok(response)
}

fn failed_with(error: Error) -> Response<Bytes> {
    let error = ApiError::from(error);
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    failure(status, error.headers)
}

fn failure(status: StatusCode, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Response<Bytes> {
    let page = request_state::with(|state| failed(status, "/trips", state.request_id()));
    let mut page = page.expect("a visit has a state");
    page.headers_mut().extend(headers);
    page
}

async fn show(service: &Service, text: &str, request: &WebRequest) -> Result<Response<Bytes>, Error> {
    let session = sessions::current(service, &request.headers).await?;
    let id = trips::id(text);
    let here = match id {
        Some(id) => format!("/trips/{id}"),
        None => request.uri.path().to_owned(),
    };
    let sign_in = forms::with_next("/sign-in", Some(&*here).filter(|here| forms::is_local(here)));
    let known = entity_tags(&request.headers, &IF_NONE_MATCH).ok().flatten();
    let frame = Frame::of(session.as_ref());
    let asks_for_streets = request.uri.query() == Some(html::STREETS_QUERY);
    let edition = edition(service, &frame, asks_for_streets);
    let reader = session.as_ref().map(|session| &session.account);
    let shared = match id {
        Some(id) => trips::view(service, reader, id, known.as_ref(), &edition, request.address).await,
        None => Err(Error::NotFound),
    };
    let mut shared = match shared {
        Err(Error::NotFound) if session.is_none() => return Ok(see_other(&sign_in)),
        shared => shared?,
    };
    let mut response = match shared.itinerary.take() {
        Some(itinerary) => render(service, frame, &shared, itinerary, (sign_in, asks_for_streets)).await?,
        None => not_modified(),
    };
    let headers = response.headers_mut();
    headers.insert(ETAG, HeaderValue::from_str(&shared.etag).expect("tags are plain ASCII"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Cookie"));
    if shared.visibility != Visibility::Public {
        headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    }
    Ok(response)
}

/// What the page depends on besides the itinerary: the build, who is signed in, and the street map.
fn edition(service: &Service, frame: &Frame, asks_for_streets: bool) -> String {
    let style = STYLE_TAG.to_str().expect("a hash");
    let maps = &service.config.maps;
    format!("{} {style} {:?} {asks_for_streets} {maps:?}", env!("CARGO_PKG_VERSION"), frame.viewer)
}

/// Has no policy, which would replace that of the page that the browser has: only its content says whether it shows
/// streets.
fn not_modified() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    protect(&mut response, "");
    response.headers_mut().remove(CONTENT_SECURITY_POLICY);
    response
}

async fn render(
    service: &Service,
    frame: Frame,
    shared: &Shared,
    itinerary: Itinerary,
    (sign_in, asks_for_streets): (String, bool),
) -> Result<Response<Bytes>, Error> {
    let cover = cover(service, &itinerary);
    let (itinerary, article) = shared.article(service, itinerary, cover, asks_for_streets).await?;
    let template = TripPage {
        frame,
        title: html::title(&itinerary),
        description: html::description(&itinerary),
        open_address: shared.open_address(),
        is_public: shared.visibility == Visibility::Public,
        sign_in,
        article: article.html,
    };
    let page = with_script(page(StatusCode::OK, &template));
    Ok(match &service.config.maps.tiles {
        Some(tiles) if article.has_tiles => with_images_of(page, tiles.origin()),
        _ => page,
    })
}

/// The path of the cover. The page shows no covers of other sites, which would learn who reads it.
fn cover(service: &Service, itinerary: &Itinerary) -> Option<String> {
    let picture = service.addresses.picture_at(&itinerary.cover_image.as_ref()?.url)?;
    Some(format!("/images/{picture}"))
}
