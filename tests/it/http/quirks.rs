//! Answers of hyper before the request pipeline, and the handling of unusual addresses; see `docs/known-quirks.md`.
//!
//! These responses lack the documented format, but all are errors, and none reaches an operation.

use itinerary_tests::{RawResponse, World, api_test};

use itinerary_tests::wire::{Wire, exchange};

/// The response to a request line with minimal headers.
async fn ask(world: &World, line: &str) -> RawResponse {
    exchange(world, format!("{line}\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await
}

/// Checks that the response is hyper's: a status and nothing else.
#[track_caller]
fn expect_of_hyper(response: &RawResponse, status: u16, what: &str) {
    assert_eq!(response.status.as_u16(), status, "{what}: {}", response.text());
    assert!(response.body.is_empty(), "{what}: {}", response.text());
    assert_eq!(response.header("x-request-id"), "", "{what}");
}

// H-31: malformed paths are not found.
#[api_test]
async fn malformed_paths_are_not_found(world: World) {
    for path in ["/v1/%ff", "/v1/itineraries/%c3%28", "/v1/../x", "/v1/./itineraries", "/.", "/v1/itineraries/.."] {
        ask(&world, &format!("GET {path} HTTP/1.1")).await.expect_error(404, "notFound");
    }
}

// H-31: methods of no operation.
#[api_test]
async fn unknown_methods_are_refused(world: World) {
    for method in ["TRACE", "PROPFIND", "FOO"] {
        let response = ask(&world, &format!("{method} /v1/itineraries HTTP/1.1")).await;
        response.expect_error(405, "methodNotAllowed");
        assert_eq!(response.header("allow"), "GET, POST, HEAD, OPTIONS", "{method}");
        ask(&world, &format!("{method} /nothing HTTP/1.1")).await.expect_error(404, "notFound");
    }
    assert_eq!(ask(&world, "CONNECT localhost:80 HTTP/1.1").await.status, 405);
    // dropshot's router ignores their case; the request pipeline does not.
    for method in ["get", "Head", "options"] {
        let response = ask(&world, &format!("{method} /healthz HTTP/1.1")).await;
        response.expect_error(405, "methodNotAllowed");
        assert_eq!(response.header("allow"), "GET, HEAD, OPTIONS", "{method}");
    }
}

// F-07. hyper also closes the connection.
#[api_test]
async fn malformed_http_is_rejected_by_hyper(world: World) {
    let good = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    let many = "X: 1\r\n".repeat(101);
    for (what, request, status) in [
        ("no request line", "nonsense\r\n\r\n".to_owned(), 400),
        ("no version", "GET /healthz\r\n\r\n".to_owned(), 400),
        ("an unknown version", "GET /healthz HTTP/9.9\r\n\r\n".to_owned(), 400),
        ("a blank in the path", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(), 400),
        ("a header without a name", format!("{good}: x\r\n\r\n"), 400),
        ("a blank before the colon", format!("{good}X : x\r\n\r\n"), 400),
        ("a folded header", format!("{good}X: a\r\n b\r\n\r\n"), 400),
        ("a NUL in a header", format!("{good}X: a\0b\r\n\r\n"), 400),
        ("two lengths", format!("{good}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400),
        ("a list of lengths", format!("{good}Content-Length: 1,1\r\n\r\n"), 400),
        ("a negative length", format!("{good}Content-Length: -1\r\n\r\n"), 400),
        ("an unknown coding", format!("{good}Transfer-Encoding: gzip\r\n\r\n"), 400),
        ("too many headers", format!("{good}{many}\r\n"), 431),
        (
            "an address that is too long",
            format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70_000)),
            414,
        ),
    ] {
        expect_of_hyper(&exchange(&world, request).await, status, what);
    }
    assert_eq!(ask(&world, "GET /healthz HTTP/1.1").await.status, 200);
}

// F-07: with both Content-Length and chunks, the chunks count, and what follows is not taken for another request.
#[api_test]
async fn a_length_beside_chunks_smuggles_nothing(world: World) {
    let mut wire = Wire::to(&world).await;
    wire.send(
        "POST /oauth/register HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\
         Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    )
    .await;
    let first = wire.response().await;
    assert_eq!(first.status, 400);
    assert_eq!(first.json()["error"], "invalid_request", "the body was empty");
    assert!(wire.is_closed().await);
}

// H-32: repeated and trailing slashes are ignored, and escapes are decoded; query and fragment are not part of the
// path.
#[api_test]
async fn several_ways_of_writing_a_path_lead_to_one_place(world: World) {
    for path in [
        "/healthz/",
        "//healthz",
        "/healthz//",
        "/%68ealthz",
        "/healthz?",
        "/healthz?x=%ff",
        "http://localhost/healthz",
    ] {
        let response = ask(&world, &format!("GET {path} HTTP/1.1")).await;
        assert_eq!((response.status.as_u16(), &*response.text()), (200, "{\"status\":\"ok\"}"), "{path}");
    }
    // The operation's policy applies, whatever the spelling of the path.
    for path in ["//v1/account", "/v1//account/", "/%761/account", "/v1/account/"] {
        let response = ask(&world, &format!("GET {path} HTTP/1.1")).await;
        response.expect_error(401, "unauthenticated");
        assert_eq!(response.header("ratelimit-limit"), "120", "{path}");
    }
    for path in ["/v1/account%2f", "/V1/account", "/v1%2faccount", "//v1//nothing"] {
        let response = ask(&world, &format!("GET {path} HTTP/1.1")).await;
        response.expect_error(404, "notFound");
    }
    assert_eq!(ask(&world, "GET //v1//nothing HTTP/1.1").await.header("ratelimit-limit"), "120");
    ask(&world, "OPTIONS * HTTP/1.1").await.expect_error(404, "notFound");
    // hyper reads a target without a slash as a host with an empty path.
    let home = ask(&world, "GET / HTTP/1.1").await.body;
    assert_eq!(ask(&world, "GET v1 HTTP/1.1").await.body, home);
}

// HTTP/1.0 works, without Host and keep-alive.
#[api_test]
async fn http_1_0_is_answered(world: World) {
    let response = exchange(&world, "GET /healthz HTTP/1.0\r\n\r\n").await;
    assert_eq!((response.status.as_u16(), &*response.text()), (200, "{\"status\":\"ok\"}"));
}
