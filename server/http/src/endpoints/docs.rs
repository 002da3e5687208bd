//! Serves the reference pages.

use dropshot::Body;
use http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_FRAME_OPTIONS,
};
use http::{Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::extract::{WebRequest, entity_tags};
use itinerary_oauth::forms::Form;

use crate::compression::accepts_gzip;
use crate::docs::{Docs, PublishedFile};

/// The pages' own script may run and may call this server; nothing else may.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'",
);

/// The overview, a page or a file; the overview with a search is the list of operations found.
pub(super) async fn view(docs: &Docs, request: &WebRequest) -> Result<Response<Body>, ApiError> {
    let site = docs.site().await;
    let file = site.file(request.uri.path()).ok_or_else(ApiError::not_found)?;
    let query = Form::from_query(request);
    let search = query.get("q").trim();
    let is_search = file.is_overview && !search.is_empty();
    let mut response = if is_search {
        let mut response = Response::new(Body::from(site.reference.search(search)));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    } else {
        kept(file, &request.headers)
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type));
    headers.insert(CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    // The address of a page may have the code of a sign-in.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}

/// A file, or 304 if the browser has it. Browsers revalidate each file, so that pages and script are of one version.
fn kept(file: &PublishedFile, request: &HeaderMap) -> Response<Body> {
    let gzip = accepts_gzip(request);
    // A malformed header is ignored.
    let known = entity_tags(request, &IF_NONE_MATCH).ok().flatten().is_some_and(|tags| tags.includes(&file.etag));
    let body = match gzip {
        _ if known => Body::empty(),
        true => file.gzip.clone().into(),
        false => file.plain().into(),
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    if gzip && !known {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(ETAG, HeaderValue::from_str(&file.etag).expect("base64 is plain ASCII"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    response
}
