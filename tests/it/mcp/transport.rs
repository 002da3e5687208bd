//! HTTP of the endpoint: methods, origins, media types, framing.

use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Assistant, expect_rpc_error, legacy, result};
use itinerary_tests::wire::Wire;

// M-01: the endpoint supports only POST.
#[api_test]
async fn other_methods_are_refused(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::PATCH] {
        let response = world.call(method.clone(), "/mcp").token(&ana.token).send().await;
        response.expect_error(405, "methodNotAllowed");
        assert_eq!(response.header("allow"), "POST, OPTIONS", "{method}");
    }
    let head = world.call(Method::HEAD, "/mcp").token(&ana.token).send().await;
    assert_eq!((head.status.as_u16(), head.header("allow"), &*head.text()), (405, "POST, OPTIONS", ""));
    let sse = world.call(Method::GET, "/mcp").token(&ana.token).header("Accept", "text/event-stream").send().await;
    sse.expect_error(405, "methodNotAllowed");
}

// M-02: web pages of the server's own origin, of the same machine and of the configured list may call it, and no
// others.
#[api_test]
async fn only_allowed_origins_may_call(database: Database) {
    let configured = "https://assistant.example";
    let world = World::start_with(database, |config| config.mcp_origins = vec![configured.to_owned()]).await;
    let Some(world) = world else { return };
    let ana = Assistant::of(&world, "ana").await;
    let list = legacy("tools/list", &json!({}));
    for origin in [&world.base_url, "http://localhost:6274", "http://127.0.0.1", "http://[::1]:9", configured] {
        let response = ana.post().header("Origin", origin).json(&list).send().await;
        assert_eq!(response.header("access-control-allow-origin"), origin);
        assert!(response.header("access-control-expose-headers").contains("WWW-Authenticate"));
        assert_eq!(response.header("vary"), "Authorization, Origin, Accept-Encoding");
        result(&response);
        let preflight = world.call(Method::OPTIONS, "/mcp").header("Origin", origin).send().await;
        assert_eq!((preflight.status.as_u16(), preflight.header("access-control-allow-origin")), (204, origin));
        for header in ["Authorization", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
            assert!(preflight.header("access-control-allow-headers").contains(header), "{header}");
        }
        // A page that may call can also read errors.
        let refused = world.call(Method::POST, "/mcp").header("Origin", origin).json(&list).send().await;
        refused.expect_error(401, "unauthenticated");
        assert_eq!(refused.header("access-control-allow-origin"), origin);
    }
    for origin in
        ["http://evil.example.com", "null", "https://assistant.example.evil.example", "http://assistant.example"]
    {
        for call in [ana.post(), world.call(Method::POST, "/mcp")] {
            let response = call.header("Origin", origin).json(&list).send().await;
            response.expect_error(403, "forbidden");
            assert_eq!(response.header("access-control-allow-origin"), "", "{origin}");
        }
        let preflight = world.call(Method::OPTIONS, "/mcp").header("Origin", origin).send().await;
        for header in ["access-control-allow-origin", "access-control-allow-methods", "access-control-allow-headers"] {
            assert_eq!(preflight.header(header), "", "{origin}");
        }
    }
    let without = ana.send(&list).await;
    assert_eq!(without.header("access-control-allow-origin"), "");
    result(&without);
    let elsewhere =
        world.call(Method::GET, "/v1/account").token(&ana.token).header("Origin", "http://evil.example.com");
    let elsewhere = elsewhere.send().await;
    assert_eq!((elsewhere.status.as_u16(), elsewhere.header("access-control-allow-origin")), (200, "*"));
}

// M-02: DNS rebinding, in which both headers have a foreign name.
#[api_test]
async fn a_rebound_name_is_refused(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let list = legacy("tools/list", &json!({}));
    let rebound = ana.post().header("Host", "evil.example.com").header("Origin", "http://evil.example.com");
    rebound.json(&list).send().await.expect_error(403, "forbidden");
    let host = world.base_url.trim_start_matches("http://");
    let own = ana.post().header("Host", host).header("Origin", &world.base_url);
    result(&own.json(&list).send().await);
}

/// Sends a message by hand, with these header lines.
async fn by_hand(ana: &Assistant<'_>, headers: &str, body: &str) -> RawResponse {
    let mut wire = Wire::to(ana.world).await;
    let token = &ana.token;
    let length = body.len();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n{headers}\r\n"
    );
    wire.send(head + body).await;
    wire.response().await
}

// M-03: whatever `Accept` says, the response is JSON.
#[api_test]
async fn any_accept_is_answered_json(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let list = legacy("tools/list", &json!({})).to_string();
    for accept in [
        "",
        "Accept: */*\r\n",
        "Accept: application/json, text/event-stream\r\n",
        "Accept: application/json\r\n",
        "Accept: text/event-stream\r\n",
        "Accept: \u{e9}\r\n",
    ] {
        let response = by_hand(&ana, &format!("Content-Type: application/json\r\n{accept}"), &list).await;
        assert!(result(&response)["tools"].is_array(), "{accept}");
    }
}

// M-04: requests and responses are JSON, and a notification is answered without a body.
#[api_test]
async fn messages_are_json_and_notifications_are_accepted(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let list = legacy("tools/list", &json!({})).to_string();
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json", "", "\u{e9}"]
    {
        let response = by_hand(&ana, &format!("Content-Type: {media_type}\r\n"), &list).await;
        response.expect_error(415, "unsupportedMediaType");
    }
    for media_type in ["application/json", "Application/JSON; charset=utf-8"] {
        result(&by_hand(&ana, &format!("Content-Type: {media_type}\r\n"), &list).await);
    }
    result(&by_hand(&ana, "", &list).await);
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/anything"] {
        let response = ana.send(&json!({ "jsonrpc": "2.0", "method": method, "params": {} })).await;
        assert_eq!((response.status.as_u16(), &*response.text()), (202, ""), "{method}");
        assert_eq!(response.header("content-type"), "");
    }
}

// M-05.
#[api_test]
async fn invalid_messages_get_json_rpc_errors(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for body in ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}"] {
        expect_rpc_error(&ana.send_text(body).await, 400, -32700, &Value::Null);
    }
    let list = legacy("tools/list", &json!({}));
    for message in [json!([]), json!([list]), json!([1, 2]), json!("ping"), json!(1), json!(null), json!({})] {
        expect_rpc_error(&ana.send(&message).await, 400, -32600, &Value::Null);
    }
    for message in [
        json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
        json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": 1, "message": "x" } }),
        json!({ "jsonrpc": "1.0", "id": 3, "method": "ping" }),
        json!({ "id": 3, "method": "ping" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": null }),
    ] {
        expect_rpc_error(&ana.send(&message).await, 400, -32600, &json!(3));
    }
}
