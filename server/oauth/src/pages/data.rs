//! Downloading one's data: the page that describes the archive, and the archive.

use std::sync::Arc;

use askama::Template;
use bytes::Bytes;
use dropshot::Body;
use futures::TryStreamExt;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body::Frame as BodyFrame;
use http_body_util::StreamBody;
use itinerary_api::extract::WebRequest;
use itinerary_app::audit::Event;
use itinerary_app::export;
use itinerary_platform::context::Service;
use itinerary_store::StoreError;
use sync_wrapper::SyncStream;

use super::confirm::{recent_session, required};
use super::{Frame, OUT_OF_DATE, or_unavailable, page, protect, see_other};
use crate::audited::audited;
use crate::forms::{self, Form, Guard};
use crate::sessions::{self, Session};

const HERE: &str = "/account/data";
const RUNNING: &str = "A download of your data is already running. Wait until it has ended.";

#[derive(Template)]
#[template(path = "data.html")]
struct DataPage<'a> {
    frame: Frame,
    guard: String,
    alert: &'a str,
}

/// `/account/data`: describes the archive.
pub async fn data(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(describe(service, request).await)
}

async fn describe(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = match recent_session(service, request, HERE).await? {
        Ok(session) => session,
        Err(redirect) => return Ok(redirect),
    };
    Ok(show(service, &session, StatusCode::OK, ""))
}

/// The archive. It takes a form, so that no other site can make a browser fetch it.
pub async fn data_download(service: &Arc<Service>, request: &WebRequest) -> Response<Body> {
    match download(service, request).await {
        Ok(response) => response,
        Err(error) => or_unavailable(Err(error)).map(Body::from),
    }
}

async fn download(service: &Arc<Service>, request: &WebRequest) -> Result<Response<Body>, StoreError> {
    let Some(session) = sessions::current(service, &request.headers).await? else {
        return Ok(see_other(&forms::with_next("/sign-in", Some(HERE))).map(Body::from));
    };
    if !Guard::session(&session).admits(service, &Form::from_body(request)) {
        return Ok(show(service, &session, StatusCode::FORBIDDEN, OUT_OF_DATE).map(Body::from));
    }
    if let Some(confirm) = required(service, &session, HERE).await? {
        return Ok(confirm.map(Body::from));
    }
    let name = format!("itineraries-{}-{}.zip", session.account.username, service.clock.now().format("%Y-%m-%d"));
    let Some(archive) = export::archive(service, session.account.clone()) else {
        return Ok(show(service, &session, StatusCode::TOO_MANY_REQUESTS, RUNNING).map(Body::from));
    };
    audited(service, request, session.account.id, Event::DataExported, "").await;
    let mut response = Response::new(Bytes::new());
    protect(&mut response, "");
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    headers.insert(CONTENT_DISPOSITION, disposition.expect("usernames are plain ASCII"));
    Ok(response.map(|_| Body::wrap(StreamBody::new(SyncStream::new(archive.map_ok(BodyFrame::data))))))
}

fn show(service: &Service, session: &Session, status: StatusCode, alert: &str) -> Response<Bytes> {
    let guard = Guard::session(session).code(service);
    page(status, &DataPage { frame: Frame::of(Some(session)), guard, alert })
}
