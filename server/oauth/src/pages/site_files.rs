//! Files that browsers and crawlers request at addresses fixed by convention.

use std::sync::LazyLock;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, LOCATION};
use http::{HeaderValue, Response, StatusCode};
use itinerary_api::extract::WebRequest;

use itinerary_platform::ports::wallets;

use super::home::{bytes_file, file, tag, tag_of};

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

const PASSKEYS: &str = include_str!("../../../templates/passkeys.js");

static PASSKEYS_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag(PASSKEYS));

static LOGO_TAG: LazyLock<HeaderValue> = LazyLock::new(|| tag_of(wallets::logo()));

/// `/logo.png`: the logo on passes for Google Wallet, which Google reads from here.
pub async fn logo(request: &WebRequest) -> Response<Bytes> {
    bytes_file(request, wallets::logo(), &LOGO_TAG, "image/png")
}

/// `/passkeys.js`: asks the browser for passkeys.
pub async fn passkeys_script(request: &WebRequest) -> Response<Bytes> {
    file(request, PASSKEYS, &PASSKEYS_TAG, "text/javascript; charset=utf-8")
}

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
