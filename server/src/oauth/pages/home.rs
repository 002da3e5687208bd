//! The welcome page, and the files that all pages use.

use std::sync::LazyLock;

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;
use itinerary_store::StoreError;
use openssl::sha::sha256;

use super::{Frame, or_unavailable, page};
use crate::context::Service;
use crate::oauth::sessions;

const STYLE: &str = include_str!("../../../templates/style.css");

const ICON: &str = include_str!("../../../templates/icon.svg");

static STYLE_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(STYLE));
static ICON_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(ICON));

/// A file's tag: its hash.
fn tag(file: &str) -> HeaderValue {
    let hash = URL_SAFE_NO_PAD.encode(sha256(file.as_bytes()));
    HeaderValue::from_str(&format!("\"{hash}\"")).expect("base64 is plain ASCII")
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    frame: Frame,
    base_url: &'a str,
}

/// `/`: what this is, and where to go.
pub async fn home(service: &Service, request: &WebRequest) -> Response<Bytes> {
    or_unavailable(show(service, request).await)
}

async fn show(service: &Service, request: &WebRequest) -> Result<Response<Bytes>, StoreError> {
    let session = sessions::current(service, &request.headers).await?;
    let template = HomePage { frame: Frame::of(session.as_ref()), base_url: &service.config.base_url };
    Ok(page(StatusCode::OK, &template))
}

/// `/style.css`.
pub async fn style(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, STYLE, &STYLE_TAG, "text/css; charset=utf-8")
}

/// `/icon.svg`: what browsers show beside the title.
pub async fn icon(_: &Service, request: &WebRequest) -> Response<Bytes> {
    file(request, ICON, &ICON_TAG, "image/svg+xml")
}

/// A file that is the same for everybody, kept by browsers for an hour and asked after by its tag from then on.
fn file(request: &WebRequest, text: &'static str, tag: &HeaderValue, kind: &'static str) -> Response<Bytes> {
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
