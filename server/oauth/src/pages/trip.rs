//! The page of an itinerary, to send to others, and its forms for liking and saving.
//!
//! Without a session, an itinerary that is neither public nor unlisted leads to sign-in, whether it exists or not. With
//! one, what the traveller may not see is a page that was not found. Search engines are asked to index public ones only.

use std::net::IpAddr;
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
use itinerary_api::policy::LimitKind;
use itinerary_api::request_state;
use itinerary_api::types::{ExportFormat, Itinerary, Visibility};
use itinerary_api::values::EntityTags;
use itinerary_app::itineraries::page::{self as trips, PageMarking, Shared};
use itinerary_app::{Error, admission, itineraries, marks};
use itinerary_core::file_name;
use itinerary_export::html;
use itinerary_platform::context::Service;
use itinerary_platform::limits::{Bucket, Verdict};
use itinerary_store::Mark;
use uuid::Uuid;

use super::home::{file, tag};
use super::{Frame, OUT_OF_DATE, failed_for, page, protect, see_other, with_images_of, with_script};
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

/// The message when an account owns as many itineraries as it may.
const TOO_MANY: &str = "You have as many itineraries as an account can have. Delete one, then save again.";

static STYLE_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(html::STYLE));

#[derive(Template)]
#[template(path = "trip_page.html")]
pub(super) struct TripPage<'a> {
    pub(super) frame: Frame,
    pub(super) alert: &'static str,
    pub(super) notice: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    /// The page's own address, if everyone who has it may see it.
    pub(super) open_address: Option<&'a str>,
    pub(super) is_public: bool,
    pub(super) sign_in: &'a str,
    pub(super) article: String,
}

/// `/trip.css`: the style sheet of the page besides that of all pages.
pub async fn trip_style(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, html::STYLE, &STYLE_TAG, "text/css; charset=utf-8")
}

/// `/trips/{id}`: an itinerary as its reader sees it.
pub async fn trip(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(show(service, id, request))).await
}

/// `/trips/{id}/trip.ics` and `/trips/{id}/trip.gpx`: what the page shows, for calendars and devices.
pub async fn trip_file(service: &Service, id: &str, format: ExportFormat, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(download(service, id, format, request))).await
}

/// `/trips/{id}/like`: the form that likes an itinerary, or takes the like back.
pub async fn trip_like(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(submit(service, id, request, Submitted::Like))).await
}

/// `/trips/{id}/save`: the form that saves a copy, and leads to it.
pub async fn trip_save(service: &Service, id: &str, request: &WebRequest) -> Response<Bytes> {
    counted(service, request, Box::pin(submit(service, id, request, Submitted::Save))).await
}

/// Answers a request, if the address may still read pages of trips. The response is made on the heap, because its future is
/// large.
pub(super) async fn counted(
    service: &Service,
    request: &WebRequest,
    response: impl Future<Output = Result<Response<Bytes>, Error>>,
) -> Response<Bytes> {
    let verdict = service.limits.take(&[Bucket::TripPage(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        return over_limit(service, request, verdict).await;
    }
    match response.await {
        Ok(response) => response,
        Err(error) => failed_with(service, request, error).await,
    }
}

pub(super) async fn over_limit(service: &Service, request: &WebRequest, verdict: Verdict) -> Response<Bytes> {
    let retry_after = (RETRY_AFTER, HeaderValue::from(verdict.reset));
    failure(service, request, verdict.status(), Some(retry_after)).await
}

#[derive(Clone, Copy)]
enum Submitted {
    Like,
    Save,
}

/// Likes or saves as the API's operations do, with their limits.
async fn submit(
    service: &Service,
    text: &str,
    request: &WebRequest,
    submitted: Submitted,
) -> Result<Response<Bytes>, Error> {
    let session = sessions::current(service, &request.headers).await?;
    let id = trips::id(text);
    let here = id.map(|id| format!("/trips/{id}"));
    let Some(session) = session else { return Ok(see_other(&forms::with_next("/sign-in", here.as_deref()))) };
    let (Some(id), Some(here)) = (id, here) else { return Err(Error::NotFound) };
    let form = Form::from_body(request);
    if !Guard::session(&session).admits(service, &form) {
        return show_alert(service, &session, id, request, StatusCode::FORBIDDEN, OUT_OF_DATE).await;
    }
    let account = &session.account;
    let verdict = admission::count_on_page(service, LimitKind::Write, account.id).await;
    if !verdict.allowed {
        return Ok(over_limit(service, request, verdict).await);
    }
    let outcome = match submitted {
        Submitted::Like if form.get("do") == "clear" => {
            marks::clear(service, account, id, Mark::Like).await.map(|_| ())
        }
        Submitted::Like => marks::set(service, account, id, Mark::Like).await.map(|_| ()),
        Submitted::Save => itineraries::save_copy(service, account, id).await.map(|_| ()),
    };
    admission::note_write(service, account.id).await;
    match outcome {
        Err(Error::OverQuota(_)) => show_alert(service, &session, id, request, StatusCode::CONFLICT, TOO_MANY).await,
        Err(error) => Err(error),
        Ok(()) => {
            let copy = match submitted {
                Submitted::Like => None,
                Submitted::Save => trips::copy(service, account, id).await?,
            };
            Ok(see_other(&copy.map_or(here, |copy| format!("/trips/{copy}?done=saved"))))
        }
    }
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
    let mut response = Response::new(Bytes::from(file.bytes));
    protect(&mut response, "");
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
    let disposition = HeaderValue::from_str(&file_name::attachment(&file.name));
    headers.insert(CONTENT_DISPOSITION, disposition.expect("ASCII without control characters"));
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    Ok(response)
}

pub(super) async fn failed_with(service: &Service, request: &WebRequest, error: Error) -> Response<Bytes> {
    let error = ApiError::from(error);
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    failure(service, request, status, error.headers).await
}

async fn failure(
    service: &Service,
    request: &WebRequest,
    status: StatusCode,
    headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>,
) -> Response<Bytes> {
    let id = request_state::with(|state| state.request_id().to_owned()).expect("a request has a state");
    let mut page = failed_for(service, &request.headers, status, "/trips", &id).await;
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
    let notice = match Form::from_query(request).get("done") {
        "saved" => "Saved. This is your own copy, which only you can see.",
        "restored" => "Restored. The version before is still in the history.",
        _ => "",
    };
    let asks_for_streets = request.uri.query() == Some(html::STREETS_QUERY);
    let reading = Reading { session: session.as_ref(), sign_in: &sign_in, alert: "", notice, asks_for_streets };
    let page = match id {
        Some(id) => reading.page(service, id, known.as_ref(), request.address).await,
        None => Err(Error::NotFound),
    };
    match page {
        Err(Error::NotFound) if session.is_none() => Ok(see_other(&sign_in)),
        page => page,
    }
}

/// Shows the page with a message after a form was rejected.
async fn show_alert(
    service: &Service,
    session: &Session,
    id: Uuid,
    request: &WebRequest,
    status: StatusCode,
    alert: &'static str,
) -> Result<Response<Bytes>, Error> {
    let reading = Reading { session: Some(session), sign_in: "", alert, notice: "", asks_for_streets: false };
    let mut response = reading.page(service, id, None, request.address).await?;
    *response.status_mut() = status;
    response.headers_mut().remove(ETAG);
    Ok(response)
}

/// Who reads the page, and what it tells them.
struct Reading<'a> {
    session: Option<&'a Session>,
    sign_in: &'a str,
    alert: &'static str,
    notice: &'static str,
    asks_for_streets: bool,
}

impl Reading<'_> {
    async fn page(
        &self,
        service: &Service,
        id: Uuid,
        known: Option<&EntityTags>,
        address: IpAddr,
    ) -> Result<Response<Bytes>, Error> {
        let reader = self.session.map(|session| &session.account);
        let guard = self.session.map(|session| Guard::session(session).code(service));
        let edition = self.edition(service, guard.as_deref());
        let mut shared = trips::view(service, reader, id, known, &edition, address).await?;
        let mut response = match shared.itinerary.take() {
            Some(itinerary) => self.render(service, &shared, itinerary, guard).await?,
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

    /// What the page depends on besides the itinerary: the build, who is signed in, the code of the session's forms,
    /// and the street map.
    fn edition(&self, service: &Service, guard: Option<&str>) -> String {
        let style = STYLE_TAG.to_str().expect("a hash");
        let viewer = Frame::of(self.session).viewer;
        let (streets, maps) = (self.asks_for_streets, &service.config.maps);
        let version = env!("CARGO_PKG_VERSION");
        format!("{version} {style} {viewer:?} {guard:?} {} {streets} {maps:?}", self.notice)
    }

    async fn render(
        &self,
        service: &Service,
        shared: &Shared,
        itinerary: Itinerary,
        guard: Option<String>,
    ) -> Result<Response<Bytes>, Error> {
        let cover = cover(service, &itinerary);
        let marking = match guard {
            Some(guard) => PageMarking::Forms { guard },
            None => PageMarking::SignIn(self.sign_in.to_owned()),
        };
        let (itinerary, article) = shared.article(service, itinerary, cover, marking, self.asks_for_streets).await?;
        let template = TripPage {
            frame: Frame::of(self.session),
            alert: self.alert,
            notice: self.notice,
            title: html::title(&itinerary),
            description: html::description(&itinerary),
            open_address: shared.open_address(),
            is_public: shared.visibility == Visibility::Public,
            sign_in: self.sign_in,
            article: article.html,
        };
        let page = with_script(page(StatusCode::OK, &template));
        Ok(match &service.config.maps.tiles {
            Some(tiles) if article.has_tiles => with_images_of(page, tiles.origin()),
            _ => page,
        })
    }
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

/// The path of the cover. The page shows no covers of other sites, which would learn who reads it.
pub(super) fn cover(service: &Service, itinerary: &Itinerary) -> Option<String> {
    let picture = service.addresses.picture_at(&itinerary.cover_image.as_ref()?.url)?;
    Some(format!("/images/{picture}"))
}
