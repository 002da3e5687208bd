//! Headers of responses: CORS, security, caching, request ids, rate limits.

use std::collections::HashSet;

use chrono::TimeDelta;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::samples::{SAMPLES, Sample};
use super::{NOTHING, create, create_whole, pause, rate_limit};

/// An origin that may also call the MCP endpoint.
const PAGE: &str = "https://page.example";
const ALLOWED: &str = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, \
    Service-Itinerary-Shape, Range, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID";
const EXPOSED: [&str; 15] = [
    "ETag",
    "Location",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Policy",
    "X-Request-Id",
    "WWW-Authenticate",
    "RateLimit-Remaining",
    "RateLimit-Reset",
    "Idempotency-Replayed",
    "Content-Disposition",
    "Content-Range",
    "Deprecation",
    "Sunset",
    "Link",
];

/// Whether the path is a page for people, which other sites may not read.
fn is_page(path: &str) -> bool {
    let pages = [
        "/",
        "/style.css",
        "/icon.svg",
        "/logo.png",
        "/trip.css",
        "/page.js",
        "/passkeys.js",
        "/favicon.ico",
        "/robots.txt",
        "/trips",
        "/trips/{id}",
        "/trips/{id}/like",
        "/trips/{id}/save",
        "/trips/{id}/history",
        "/trips/{id}/trip.ics",
        "/trips/{id}/trip.gpx",
        "/t/{secret}",
        "/t/{secret}/trip.ics",
        "/t/{secret}/trip.gpx",
        "/llms.txt",
        "/llms-full.txt",
        "/sign-up",
        "/appeal",
        "/reset-password",
        "/forgot-password",
        "/verify-email",
        "/sign-in",
        "/sign-out",
    ];
    pages.contains(&path)
        || path.starts_with("/sign-in/")
        || path.starts_with("/docs")
        || path.starts_with("/account")
        || path.starts_with("/moderation")
        || path.starts_with("/oauth/authorise")
}

/// A server that allows the origin.
async fn start(database: Database) -> Option<World> {
    World::start_with(database, |config| config.mcp_origins = vec![PAGE.to_owned()]).await
}

#[track_caller]
fn expect_open(response: &RawResponse, path: &str, what: &str) {
    let origin = if path == "/mcp" { PAGE } else { "*" };
    assert_eq!(response.header("access-control-allow-origin"), origin, "{what}");
    assert_eq!(response.header("access-control-allow-credentials"), "", "{what}");
    let exposed: HashSet<&str> = response.header("access-control-expose-headers").split(", ").collect();
    assert_eq!(exposed, HashSet::from(EXPOSED), "{what}");
}

#[track_caller]
fn expect_closed(response: &RawResponse, what: &str) {
    let cors = response.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
    assert_eq!(cors, None, "{what}");
}

/// Responses of every kind, successes and errors, each with a description.
async fn responses(world: &World) -> Vec<(String, RawResponse)> {
    world.pro_account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let made = create_whole(world, &token).await;
    let id = made.json()["id"].as_str().expect("an id").to_owned();
    let mut responses = Vec::new();
    for sample in SAMPLES.iter() {
        let call = sample.call(world, &id);
        // At OAuth's routes, the Authorization header has client credentials.
        let call = if sample.policy().token { call.token(&token) } else { call };
        responses.push((sample.path.clone(), call.header("Origin", PAGE).send().await));
        let refused = sample.call(world, "no-uuid").header("Origin", PAGE).send().await;
        responses.push((sample.path.clone(), refused));
        // No path has both methods.
        let takes_put = SAMPLES.iter().any(|other| other.path == sample.path && other.method == "PUT");
        let method = if takes_put { Method::POST } else { Method::PUT };
        let wrong = world.call(method, &sample.path_to(&id)).header("Origin", PAGE).send().await;
        assert_eq!(wrong.status, 405, "{}", sample.path);
        responses.push((sample.path.clone(), wrong));
    }
    let list = |path: &str| world.call(Method::GET, path).token(&token).header("Origin", PAGE);
    for (path, status) in [
        ("/v1/itineraries?limit=0", 422),
        ("/v1/itineraries/01890000-0000-7000-8000-000000000000", 404),
        ("/v1/nothing", 404),
        ("/v1", 404),
        ("/mcp", 405),
        ("/.well-known/openid-configuration", 404),
        ("/nothing", 404),
    ] {
        let response = list(path).send().await;
        assert_eq!(response.status, status, "{path}");
        responses.push((path.to_owned(), response));
    }
    let again = create(world, &token).await;
    let same = list(again.header("location")).header("If-None-Match", again.header("etag")).send().await;
    assert_eq!(same.status, 304);
    responses.push((again.header("location").to_owned(), same));
    responses
}

// H-37: any page may read the API's responses and errors; none may read pages for people (A-08).
#[api_test]
async fn cors_is_on_every_response_but_those_for_people(database: Database) {
    let Some(world) = start(database).await else { return };
    for (path, response) in responses(&world).await {
        let what = format!("{} {path}", response.status);
        if is_page(&path) { expect_closed(&response, &what) } else { expect_open(&response, &path, &what) }
    }
}

// Every response has its own request id, which errors repeat in their bodies.
#[api_test]
async fn every_response_has_a_request_id_of_its_own(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ids = HashSet::new();
    for (path, response) in responses(&world).await {
        let id = response.header("x-request-id").to_owned();
        assert!(!id.is_empty(), "{path}");
        assert_eq!(response.headers.get_all("x-request-id").iter().count(), 1, "{path}");
        if response.header("content-type") == "application/json" && response.status.as_u16() >= 400 {
            let body = response.json();
            // Errors of the sign-in routes have no request id in the body.
            assert!(body["error"].is_string() || body["error"]["requestId"] == id.as_str(), "{path}: {body}");
        }
        assert!(ids.insert(id), "{path}");
    }
}

// H-20: every response of the API and of OAuth has the rate limit headers.
#[api_test]
async fn every_response_tells_its_limit(database: Database) {
    let Some(world) = start(database).await else { return };
    for (path, response) in responses(&world).await {
        let [limit, policy, remaining, reset] = rate_limit(&response);
        if path.starts_with("/v1") || path.starts_with("/mcp") {
            assert!(["120", "60", "30", "20", "10"].contains(&limit), "{path}: {limit}");
            assert_eq!(policy, format!("{limit};w=60"), "{path}");
            assert_eq!(remaining.is_empty(), reset.is_empty(), "{path}");
            // Without an operation, the limit is that of reads.
            if [404, 405].contains(&response.status.as_u16()) && remaining.is_empty() {
                assert_eq!(limit, "120", "{path}");
            }
        } else if path.starts_with("/oauth") {
            let expected = match path.as_str() {
                "/oauth/register" => ("10", "10;w=3600"),
                path if path.starts_with("/oauth/authorise") => ("60", "60;w=3600"),
                _ => ("30", "30;w=60"),
            };
            assert_eq!((limit, policy), expected, "{path}");
        } else {
            assert_eq!([limit, policy, remaining, reset], [""; 4], "{path}");
        }
    }
}

// H-38: no response is sniffed by browsers, and no private one is cached by others.
#[api_test]
async fn every_response_has_its_security_headers(database: Database) {
    let Some(world) = start(database).await else { return };
    for (path, response) in responses(&world).await {
        let what = format!("{} {path}", response.status);
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{what}");
        assert_eq!(response.header("strict-transport-security"), "", "{what}: this is no TLS");
        let policy = response.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'"), "{what}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{what}: {policy}");
        let cache = response.header("cache-control");
        if path.starts_with("/v1") || path.starts_with("/mcp") {
            assert_eq!(cache, "private, no-cache", "{what}");
            let vary = match path.as_str() {
                "/mcp" => "Authorization, Origin, Accept-Encoding",
                path if (path.ends_with("/export") || path == "/v1/changes") && response.status == 200 => {
                    "Accept, Authorization, Service-Itinerary-Shape, Accept-Encoding"
                }
                _ => "Authorization, Service-Itinerary-Shape, Accept-Encoding",
            };
            assert_eq!(response.header("vary"), vary, "{what}");
        } else if path.starts_with("/.well-known/oauth") || path == "/openapi.json" {
            let expected = if response.status == 200 { "public, max-age=300" } else { "no-store" };
            assert_eq!(cache, expected, "{what}");
        } else if ![
            "/style.css",
            "/icon.svg",
            "/logo.png",
            "/trip.css",
            "/page.js",
            "/passkeys.js",
            "/favicon.ico",
            "/robots.txt",
        ]
        .contains(&path.as_str())
            && !["/docs", "/llms"].iter().any(|it| path.starts_with(it))
        {
            assert_eq!(cache, "no-store", "{what}");
        }
    }
}

// H-38: behind a proxy with TLS, browsers are told to stay on https.
#[api_test]
async fn behind_tls_browsers_are_told_to_stay_there(database: Database) {
    let Some(world) = World::start_with(database, |config| {
        "https://trips.example".clone_into(&mut config.base_url);
    })
    .await
    else {
        return;
    };
    for path in ["/v1/account", "/healthz", "/sign-in", "/nothing", "/oauth/token"] {
        let response = world.http.get(format!("http://{}{path}", world.address())).send().await.expect("an answer");
        let header = response.headers().get("strict-transport-security").expect(path);
        assert_eq!(header, "max-age=31536000", "{path}");
    }
}

// H-37: a preflight needs no token and is answered even while integrations are paused.
#[api_test]
async fn a_preflight_is_answered_without_a_token(database: Database) {
    let Some(world) = start(database).await else { return };
    pause(&world, Some(60)).await;
    for sample in SAMPLES.iter() {
        let response = preflight(&world, &sample.path_to(NOTHING), sample).await;
        assert_eq!(response.status, 204, "{}", sample.path);
        assert!(response.body.is_empty() && response.header("content-type").is_empty(), "{}", sample.path);
        assert!(!response.header("x-request-id").is_empty());
        if is_page(&sample.path) {
            expect_closed(&response, &sample.path);
            continue;
        }
        expect_open(&response, &sample.path, &sample.path);
        let methods: Vec<&str> = response.header("access-control-allow-methods").split(", ").collect();
        assert!(methods.contains(&&*sample.method), "{}: {methods:?}", sample.path);
        assert_eq!(response.header("access-control-allow-headers"), ALLOWED, "{}", sample.path);
    }
    let nothing = world.call(Method::OPTIONS, "/v1/nothing").header("Origin", PAGE).send().await;
    nothing.expect_error(404, "notFound");
    expect_open(&nothing, "/v1/nothing", "a preflight of nothing");
}

async fn preflight(world: &World, path: &str, sample: &Sample) -> RawResponse {
    let call = world.call(Method::OPTIONS, path).header("Origin", PAGE);
    let call = call.header("Access-Control-Request-Method", &sample.method);
    call.header("Access-Control-Request-Headers", "authorization, if-match").send().await
}

// H-20, H-04: each request lowers the remaining count, and the clock lowers the reset time. Errors and 304 count, and
// HEAD counts like GET.
#[api_test]
async fn the_limit_counts_down_with_requests_and_the_clock(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let made = create(&world, &token).await;
    let (at, etag) = (made.header("location").to_owned(), made.header("etag").to_owned());
    let get = |path: &str| world.call(Method::GET, path).token(&token);
    let mut left = 120;
    let mut expect = |response: &RawResponse, status: u16, reset: &str| {
        left -= 1;
        assert_eq!(response.status.as_u16(), status);
        assert_eq!(rate_limit(response), ["120", "120;w=60", &left.to_string(), reset]);
    };
    expect(&get("/v1/account").send().await, 200, "60");
    expect(&get(&at).send().await, 200, "60");
    world.clock.advance(TimeDelta::milliseconds(1));
    expect(&get(&at).header("If-None-Match", &etag).send().await, 304, "60");
    world.clock.advance(TimeDelta::milliseconds(999));
    expect(&get("/v1/itineraries/no-uuid").send().await, 422, "59");
    world.clock.advance(TimeDelta::milliseconds(1));
    expect(&get(&format!("/v1/itineraries/{NOTHING}")).send().await, 404, "59");
    world.clock.advance(TimeDelta::seconds(30));
    expect(&world.call(Method::HEAD, &at).token(&token).send().await, 200, "29");
    // A request without an operation shows the limit and is not counted.
    let unknown = get("/v1/nothing").send().await;
    assert_eq!(rate_limit(&unknown), ["120", "120;w=60", "", ""]);
    world.clock.advance(TimeDelta::milliseconds(28_998));
    expect(&get("/v1/account").send().await, 200, "1");
    world.clock.advance(TimeDelta::milliseconds(1));
    let next_window = get("/v1/account").send().await;
    assert_eq!(rate_limit(&next_window), ["120", "120;w=60", "119", "60"]);
}

// H-06: a strong ETag names these exact bytes, so compression needs another ETag.
#[api_test]
async fn nothing_is_compressed(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create(&world, &token).await.header("location").to_owned();
    let plain = world.call(Method::GET, &at).token(&token).send().await;
    let asked = world.call(Method::GET, &at).token(&token).header("Accept-Encoding", "gzip, br").send().await;
    assert_eq!((asked.header("content-encoding"), &asked.body), ("", &plain.body));
    assert_eq!(asked.header("etag"), plain.header("etag"));
}

// H-39: there is one shape; others are rejected, and the response names the shape.
#[api_test]
async fn the_itinerary_shape_is_clean_or_absent(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let made = create(&world, &token).await;
    assert_eq!(made.header("service-itinerary-shape"), "clean");
    let at = made.header("location").to_owned();
    let get = || world.call(Method::GET, &at).token(&token);
    let without = get().send().await;
    let with = get().header("Service-Itinerary-Shape", "clean").send().await;
    assert_eq!((with.status, &with.body), (without.status, &without.body));
    for response in [&without, &with] {
        assert_eq!(response.header("service-itinerary-shape"), "clean");
    }
    for value in ["Clean", "raw", "", "clean, raw", "clean,clean"] {
        let refused = get().header("Service-Itinerary-Shape", value).send().await;
        refused.expect_invalid("Service-Itinerary-Shape");
        assert_eq!(refused.header("service-itinerary-shape"), "", "it has no itinerary");
        let create = world.call(Method::POST, "/v1/itineraries").token(&token).json(&json!({}));
        let create = create.header("Service-Itinerary-Shape", value).send().await;
        create.expect_invalid("Service-Itinerary-Shape");
    }
}
