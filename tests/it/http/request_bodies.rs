//! Bodies on the wire: too large, too short, too slow, of the wrong type; and that the client can read its response.

use std::time::Duration;

use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{create_at, lisbon, rate_limit};
use itinerary_tests::wire::{Wire, exchange, json_head};

/// The limit of a JSON body: 512 KiB.
const JSON_CAP: usize = 524_288;
/// The limit of a body of the sign-in routes: 64 KiB.
const SIGN_IN_CAP: usize = 65_536;

async fn token(world: &World) -> String {
    world.account("ana").await;
    world.token("ana", "itineraries:read itineraries:write").await
}

/// Checks the error for a body that is too large, which closes the connection.
#[track_caller]
fn expect_too_large(response: &RawResponse) {
    assert!(response.expect_error(413, "itineraryTooLarge").is_null());
    assert_eq!(response.header("connection"), "close");
    assert_eq!(rate_limit(response)[..2], ["60", "60;w=60"]);
    assert!(!rate_limit(response)[2].is_empty(), "it was counted");
}

#[track_caller]
fn expect_too_large_for_sign_in(response: &RawResponse) {
    assert_eq!(response.status, 413, "{}", response.text());
    assert_eq!(response.json()["error"], "invalid_request");
    assert_eq!(response.header("connection"), "close");
}

/// The smallest body, padded to this length.
fn padded(length: usize) -> Vec<u8> {
    let mut body = lisbon().to_string().into_bytes();
    body.resize(length, b' ');
    body
}

/// Bytes in chunks of 16 KiB.
fn chunked(bytes: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(bytes.len() + bytes.len() / 1024);
    for chunk in bytes.chunks(16 * 1024) {
        framed.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend_from_slice(b"0\r\n\r\n");
    framed
}

// F-08, H-33: a Content-Length over the limit is rejected before any byte of the body arrives.
#[api_test]
async fn a_declared_length_over_the_limit_is_refused_at_once(world: World) {
    let token = token(&world).await;
    let at = create_at(&world, &token).await;
    for length in [JSON_CAP + 1, 10_000_000_000] {
        for (method, path) in [("POST", "/v1/itineraries"), ("PATCH", &*at)] {
            let framing = format!("Content-Length: {length}");
            expect_too_large(&exchange(&world, json_head(method, path, &token, &framing)).await);
        }
    }
    for path in ["/oauth/register", "/oauth/token", "/oauth/revoke"] {
        let framing = format!("Content-Length: {}", SIGN_IN_CAP + 1);
        expect_too_large_for_sign_in(&exchange(&world, json_head("POST", path, "x", &framing)).await);
    }
}

// F-06, F-08: the limit is exact, and also applies to a chunked body without Content-Length.
#[api_test]
async fn the_limit_is_exact_with_and_without_a_declared_length(world: World) {
    let token = token(&world).await;
    for (length, fits) in [(JSON_CAP, true), (JSON_CAP + 1, false)] {
        let body = padded(length);
        let path = "/v1/itineraries?dryRun=true";
        let declared =
            [json_head("POST", path, &token, &format!("Content-Length: {length}")).into_bytes(), body.clone()];
        let in_chunks = [json_head("POST", path, &token, "Transfer-Encoding: chunked").into_bytes(), chunked(&body)];
        for request in [declared.concat(), in_chunks.concat()] {
            let response = exchange(&world, request).await;
            if fits { assert_eq!(response.status, 200, "{}", response.text()) } else { expect_too_large(&response) }
        }
    }
    // An endless body is rejected when it exceeds the limit, not when it ends.
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/v1/itineraries", &token, "Transfer-Encoding: chunked")).await;
    let endless = chunked(&padded(JSON_CAP + 16 * 1024));
    wire.send(&endless[..endless.len() - b"0\r\n\r\n".len()]).await;
    expect_too_large(&wire.response().await);
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/oauth/register", "x", "Transfer-Encoding: chunked")).await;
    wire.send(&chunked(&padded(SIGN_IN_CAP + 1))).await;
    expect_too_large_for_sign_in(&wire.response().await);
}

// A client that sends all of its 5 MB before it reads gets its response, then the end of the connection.
#[api_test]
async fn a_client_that_is_still_sending_reads_its_response(world: World) {
    let token = token(&world).await;
    let body = padded(5_000_000);
    let declared = format!("Content-Length: {}", body.len());
    let as_it_is = [json_head("POST", "/v1/itineraries", &token, &declared).into_bytes(), body.clone()].concat();
    let in_chunks = json_head("POST", "/v1/itineraries", &token, "Transfer-Encoding: chunked").into_bytes();
    for request in [as_it_is, [in_chunks, chunked(&body)].concat()] {
        let mut wire = Wire::to(&world).await;
        wire.send(request).await;
        expect_too_large(&wire.response().await);
        assert!(wire.is_closed().await);
    }
    // The same if the error has nothing to do with the body.
    for (path, token, status) in
        [("/v1/itineraries", "bad", 401), ("/v1/nothing", &*token, 404), ("/v1/account", &*token, 405)]
    {
        let response =
            exchange(&world, [json_head("POST", path, token, &declared).into_bytes(), body.clone()].concat());
        assert_eq!(response.await.status, status, "{path}");
    }
    let client = world.call(Method::POST, "/v1/itineraries").token(&token).body("application/json", body);
    expect_too_large(&client.send().await);
}

// After a body that was not needed, the connection takes the next request.
#[api_test]
async fn an_unneeded_body_does_not_spoil_the_connection(world: World) {
    let token = token(&world).await;
    let mut wire = Wire::to(&world).await;
    for (method, path, token, status) in [
        ("GET", "/v1/account", &*token, 200),
        ("POST", "/v1/itineraries", "bad", 401),
        ("DELETE", "/v1/account", &*token, 405),
        ("GET", "/healthz", "", 200),
    ] {
        wire.send(json_head(method, path, token, "Content-Length: 40000")).await;
        wire.send(&padded(40_000)).await;
        assert_eq!(wire.response().await.status, status, "{method} {path}");
    }
}

// A client that waits for 100 Continue learns at once that the body is too large.
#[api_test]
async fn a_client_that_waits_to_be_asked_hears_of_the_limit(world: World) {
    let token = token(&world).await;
    let framing = format!("Content-Length: {}\r\nExpect: 100-continue", JSON_CAP + 1);
    expect_too_large(&exchange(&world, json_head("POST", "/v1/itineraries", &token, &framing)).await);
    let body = padded(400);
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/v1/itineraries", &token, "Content-Length: 400\r\nExpect: 100-continue")).await;
    assert!(wire.is_asked_to_continue().await);
    wire.send(&body).await;
    assert_eq!(wire.response().await.status, 201);
}

// A body that ends before its declared length is rejected.
#[api_test]
async fn a_body_that_breaks_off_is_refused(world: World) {
    let token = token(&world).await;
    for framing in ["Content-Length: 5000", "Transfer-Encoding: chunked"] {
        let mut wire = Wire::to(&world).await;
        wire.send(json_head("POST", "/v1/itineraries", &token, framing)).await;
        let part = if framing.starts_with('C') { lisbon().to_string() } else { format!("5000\r\n{}", lisbon()) };
        wire.send(part).await;
        wire.finish_sending().await;
        let response = wire.response().await;
        assert!(response.expect_error(422, "validationFailed").is_null());
        assert!(wire.is_closed().await);
    }
    let list = world.call(Method::GET, "/v1/itineraries").token(&token).send().await;
    assert_eq!(list.json()["data"], json!([]), "nothing was made of half a body");
}

// F-05: a body that stalls is ended after the configured time, whatever its framing.
#[api_test]
async fn a_body_that_stalls_ends(database: Database) {
    let Some(world) = World::start_with(database, |config| config.body_stall = Duration::from_millis(300)).await else {
        return;
    };
    let token = token(&world).await;
    let at = create_at(&world, &token).await;
    let parts = [
        ("POST", "/v1/itineraries", "Content-Length: 100", ""),
        ("POST", "/v1/itineraries", "Content-Length: 100", "{\"destination\""),
        ("PATCH", &*at, "Content-Length: 100", "{"),
        ("POST", "/v1/itineraries", "Transfer-Encoding: chunked", "a\r\n{\"destin"),
        ("POST", "/v1/itineraries", "Transfer-Encoding: chunked", "2\r\n{}\r\n"),
    ];
    for (method, path, framing, part) in parts {
        let mut wire = Wire::to(&world).await;
        wire.send(json_head(method, path, &token, framing) + part).await;
        let response = wire.response().await;
        assert!(response.expect_error(408, "requestTimeout").is_null());
        assert_eq!(response.header("connection"), "close");
        assert!(wire.is_closed().await, "{framing} {part}");
    }
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/oauth/register", "x", "Content-Length: 100") + "{").await;
    let response = wire.response().await;
    assert_eq!((response.status.as_u16(), &response.json()["error"]), (408, &"invalid_request".into()));
}

// The limit is the time between two pieces, so a slow body is not a stalled one.
#[api_test]
async fn a_slow_body_arrives(database: Database) {
    let Some(world) = World::start_with(database, |config| config.body_stall = Duration::from_millis(1500)).await
    else {
        return;
    };
    let token = token(&world).await;
    let body = lisbon().to_string();
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/v1/itineraries", &token, &format!("Content-Length: {}", body.len()))).await;
    let began = std::time::Instant::now();
    for piece in body.as_bytes().chunks(body.len().div_ceil(8)) {
        tokio::time::sleep(Duration::from_millis(220)).await;
        wire.send(piece).await;
    }
    assert_eq!(wire.response().await.status, 201);
    assert!(began.elapsed() > Duration::from_millis(1500), "the whole took longer than any two pieces may");
}

// F-05: a body that drips holds its connection for at most four times the stall limit.
#[api_test]
async fn a_body_that_drips_ends_too(database: Database) {
    let Some(world) = World::start_with(database, |config| config.body_stall = Duration::from_millis(400)).await else {
        return;
    };
    let token = token(&world).await;
    let mut wire = Wire::to(&world).await;
    wire.send(json_head("POST", "/v1/itineraries", &token, "Content-Length: 100000")).await;
    let began = std::time::Instant::now();
    while !wire.is_answered().await {
        wire.send(b" ").await;
        assert!(began.elapsed() < Duration::from_secs(20), "it goes on and on");
    }
    wire.response().await.expect_error(408, "requestTimeout");
    assert!(wire.is_closed().await);
}

// A body that anyone may send has no more time in all than between two pieces: it ends while one of the API goes on.
#[api_test]
async fn a_body_without_a_token_has_less_time(database: Database) {
    let Some(world) = World::start_with(database, |config| config.body_stall = Duration::from_secs(1)).await else {
        return;
    };
    let token = token(&world).await;
    let mut with_token = Wire::to(&world).await;
    with_token.send(json_head("POST", "/v1/itineraries", &token, "Content-Length: 100000")).await;
    for (path, content_type) in [
        ("/oauth/register", "application/json"),
        ("/oauth/token", "application/x-www-form-urlencoded"),
        ("/sign-in", "application/x-www-form-urlencoded"),
    ] {
        let mut dripping = Wire::to(&world).await;
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {content_type}\r\n");
        dripping.send(head + "Content-Length: 10000\r\n\r\n").await;
        while !dripping.is_answered().await {
            dripping.send(b" ").await;
            with_token.send(b" ").await;
        }
        assert_eq!(dripping.response().await.status, 408, "{path}");
        if path == "/oauth/register" {
            assert!(!with_token.is_answered().await, "it has four times as long");
        }
    }
}

// H-34: a body of an unsupported media type is rejected; one without a type is accepted.
#[api_test]
async fn only_known_media_types_are_taken(world: World) {
    let token = token(&world).await;
    let at = create_at(&world, &token).await;
    let lisbon = lisbon().to_string();
    let send = async |method: Method, path: &str, content_type: Option<&str>, body: &str| {
        let call = world.call(method, path).token(&token).header("If-Match", "*");
        let call = match content_type {
            Some(content_type) => call.body(content_type, body.to_owned()),
            None => itinerary_tests::raw::Call(call.0.body(body.to_owned())),
        };
        call.send().await
    };
    let create = "/v1/itineraries?dryRun=true&allowDuplicate=true";
    for good in [None, Some("application/json"), Some("application/json; charset=utf-8"), Some("Application/JSON")] {
        assert_eq!(send(Method::POST, create, good, &lisbon).await.status, 200, "{good:?}");
        assert_eq!(send(Method::PATCH, &at, good, "{}").await.status, 200, "{good:?}");
    }
    assert_eq!(send(Method::PATCH, &at, Some("application/merge-patch+json"), "{}").await.status, 200);
    let merge_patch = send(Method::POST, create, Some("application/merge-patch+json"), &lisbon).await;
    assert!(merge_patch.expect_error(415, "unsupportedMediaType").is_null());
    let bad = [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "json",
        "",
    ];
    for bad in bad {
        for (method, path) in [(Method::POST, create), (Method::PATCH, &*at)] {
            send(method, path, Some(bad), &lisbon).await.expect_error(415, "unsupportedMediaType");
        }
    }
    for (path, content_type) in [
        ("/oauth/register", "application/x-www-form-urlencoded"),
        ("/oauth/token", "application/json"),
        ("/oauth/revoke", "application/json"),
    ] {
        let response = world.call(Method::POST, path).body(content_type, "{}").send().await;
        assert_eq!(response.status, 400, "{path}");
        assert_eq!(response.json()["error"], "invalid_request", "{path}");
    }
}
