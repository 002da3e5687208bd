//! Files that browsers and crawlers request at addresses fixed by convention.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;

use super::home::{file, tag};

/// Pages of trips are not listed: a crawler must read one to find that it is not to be indexed (`noindex`).
const ROBOTS: &str = "\
User-agent: *
Disallow: /account
Disallow: /calendar/
Disallow: /documents/
Disallow: /mcp
Disallow: /oauth/
Disallow: /sign-in
Disallow: /sign-out
Disallow: /sign-up
Disallow: /v1/
Allow: /
";

static ROBOTS_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(ROBOTS));

/// `/robots.txt` (RFC 9309): keeps crawlers out of forms, the account's pages and the API.
pub async fn robots(request: &WebRequest) -> Response<Bytes> {
    file(request, ROBOTS, &ROBOTS_TAG, "text/plain; charset=utf-8")
}

/// `/favicon.ico`: redirects to the icon, for programs that do not read the pages' link to it.
pub async fn favicon() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/icon.svg"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=86400"));
    response
}
