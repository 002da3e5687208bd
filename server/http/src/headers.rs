//! Headers of responses: request id, rate limits, CORS, security, caching.

use http::StatusCode;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use itinerary_api::deprecation::Deprecation;
use itinerary_api::policy::{RateLimit, Surface};
use itinerary_platform::limits::Verdict;

use crate::compression::is_public;

pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");
const RATE_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(super) const SHAPE: HeaderName = HeaderName::from_static("service-itinerary-shape");
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The approximate number of headers of every response.
pub(super) const SHARED: usize = 14;

const ALLOWED_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Service-Itinerary-Shape, \
     Range, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
);
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "ETag, Location, Retry-After, RateLimit-Limit, RateLimit-Policy, RateLimit-Remaining, RateLimit-Reset, \
     X-Request-Id, WWW-Authenticate, Idempotency-Replayed, Content-Disposition, Content-Range, Deprecation, Sunset, \
     Link",
);

/// Adds the limit that a response names and, if its request was counted, what is left of it.
pub(super) fn rate_limit(headers: &mut HeaderMap, limit: RateLimit, verdict: Option<Verdict>) {
    let RateLimit { requests, seconds } = limit;
    let policy = HeaderValue::from_str(&format!("{requests};w={seconds}")).expect("two numbers");
    headers.insert(RATE_LIMIT, HeaderValue::from(requests));
    headers.insert(RATE_POLICY, policy);
    headers
        .extend(verdict.into_iter().flat_map(Verdict::headers).map(|(name, value)| (name, HeaderValue::from(value))));
}

/// Says that the operation is deprecated, and where that is explained.
pub(super) fn deprecation(headers: &mut HeaderMap, deprecation: Deprecation, base_url: &str) {
    let value = |text: String| HeaderValue::try_from(text).expect("dates and the base URL are ASCII");
    headers.insert(DEPRECATION, value(deprecation.header()));
    headers.extend(deprecation.sunset_header().map(|date| (SUNSET, value(date))));
    let link = format!("<{base_url}/docs/deprecation>; rel=\"deprecation\"; type=\"text/html\"");
    headers.append(header::LINK, value(link));
}

/// The web pages that may read a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cors {
    /// Any page: callers of the API send their token themselves, and cookies are ignored.
    Any,
    /// Pages of this origin. `None` if the request has no origin.
    Only(Option<HeaderValue>),
    /// No page; the request is rejected.
    Refused,
}

/// Adds the CORS headers. Pages for people have none, because no other page may read them.
pub(super) fn cors(headers: &mut HeaderMap, cors: &Cors) {
    let origin = match cors {
        Cors::Any => Some(HeaderValue::from_static("*")),
        Cors::Only(origin) => origin.clone(),
        Cors::Refused => None,
    };
    if *cors != Cors::Any {
        headers.insert(header::VARY, HeaderValue::from_static("Authorization, Origin, Accept-Encoding"));
    }
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
    }
}

/// Adds the headers of a response to a preflight.
pub(super) fn preflight(headers: &mut HeaderMap, allow: &HeaderValue) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allow.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}

/// Adds security and caching headers that the handler has not set. A 304 of a page gets no policy: browsers would put it in
/// place of that of the page that they have.
pub(super) fn defaults(headers: &mut HeaderMap, surface: Surface, status: StatusCode, https: bool) {
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if https {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    let is_public = is_public(headers);
    let mut otherwise = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    if surface != Surface::Page || status != StatusCode::NOT_MODIFIED {
        otherwise(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
    }
    match surface {
        Surface::Api => {
            otherwise(header::CACHE_CONTROL, "private, no-cache");
            otherwise(header::VARY, "Authorization, Service-Itinerary-Shape, Accept-Encoding");
        }
        Surface::Discovery if status.is_success() => {
            otherwise(header::CACHE_CONTROL, "public, max-age=300");
            otherwise(header::VARY, "Accept-Encoding");
        }
        Surface::Page if is_public => otherwise(header::VARY, "Accept-Encoding"),
        Surface::Discovery | Surface::File | Surface::OAuth | Surface::Operations | Surface::Page => {
            otherwise(header::CACHE_CONTROL, "no-store");
        }
    }
}
