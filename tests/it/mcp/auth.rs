//! Access: tokens and their resource, scopes, and the order of errors.

use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Assistant, expect_rpc_error, legacy, modern, result};
use crate::http::{lisbon, pause, rate_limit, token_through};

const SCOPES: &str = "itineraries:read itineraries:write";

/// The end of the challenge, after the error.
fn pointer(world: &World, scopes: &str) -> String {
    let base_url = &world.base_url;
    format!("scope=\"{scopes}\", resource_metadata=\"{base_url}/.well-known/oauth-protected-resource/mcp\"")
}

// M-14, V-03: a request without a valid token is told where to get one.
#[api_test]
async fn every_request_needs_a_token(world: World) {
    let pointer = pointer(&world, SCOPES);
    for message in
        [legacy("tools/list", &json!({})), legacy("ping", &json!({})), modern("server/discover", &json!({})), json!([])]
    {
        let nothing = world.call(Method::POST, "/mcp").json(&message).send().await;
        nothing.expect_error(401, "unauthenticated");
        assert_eq!(nothing.header("www-authenticate"), format!("Bearer {pointer}"));
        let unknown = world.call(Method::POST, "/mcp").token("itp_at_unknown").json(&message).send().await;
        unknown.expect_error(401, "unauthenticated");
        assert_eq!(unknown.header("www-authenticate"), format!("Bearer error=\"invalid_token\", {pointer}"));
    }
    let metadata = world.call(Method::GET, "/.well-known/oauth-protected-resource/mcp").send().await.json();
    assert_eq!(metadata["resource"], format!("{}/mcp", world.base_url));
}

// T-15: a token for the endpoint is valid only there, and allows what its scopes allow.
#[api_test]
async fn a_token_may_be_bound_to_the_endpoint(world: World) {
    let account = world.account("ana").await;
    let bound = format!("{}/mcp", world.base_url);
    let token = token_through(&world, account, "app", SCOPES, Some(&bound)).await;
    let ana = Assistant { world: &world, token };
    assert_eq!(ana.tool("plan_itinerary", &lisbon()).await["isError"], json!(false));
    let refused = world.call(Method::GET, "/v1/itineraries").token(&ana.token).send().await;
    refused.expect_error(401, "unauthenticated");
    for other in ["https://other.example/mcp", &format!("{}/v1", world.base_url), &format!("{bound}/x")] {
        let token = token_through(&world, account, "app", SCOPES, Some(other)).await;
        let other = Assistant { world: &world, token };
        other.legacy("tools/list", &json!({})).await.expect_error(401, "unauthenticated");
    }
    for everywhere in [None, Some(world.base_url.as_str())] {
        let token = token_through(&world, account, "app", SCOPES, everywhere).await;
        result(&Assistant { world: &world, token }.legacy("tools/list", &json!({})).await);
    }
}

// M-14, H-40: while integrations are paused, the message is not parsed.
#[api_test]
async fn a_pause_comes_before_the_message(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    pause(&world, Some(90)).await;
    for body in ["nonsense", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#] {
        let response = ana.send_text(body).await;
        response.expect_error(503, "featureUnavailable");
        assert_eq!(response.header("retry-after"), "90");
    }
}

/// Checks the error for a missing scope.
#[track_caller]
fn expect_step_up(response: &RawResponse, world: &World, missing: &str, asked: &str) {
    assert_eq!(response.expect_error(403, "forbidden")["required"], missing);
    let challenge = format!("Bearer error=\"insufficient_scope\", {}", pointer(world, asked));
    assert_eq!(response.header("www-authenticate"), challenge);
}

// X-04, V-04: a tool whose scope is missing is not run, and the challenge names the token's scopes and the missing one.
#[api_test]
async fn a_missing_scope_asks_for_more(world: World) {
    let plan = json!({ "name": "plan_itinerary", "arguments": lisbon() });
    let list = json!({ "name": "list_itineraries" });
    for (held, call, missing, asked) in [
        ("itineraries:read", &plan, "itineraries:write", SCOPES),
        ("itineraries:write", &list, "itineraries:read", SCOPES),
        ("documents:read", &plan, "itineraries:write", "itineraries:write documents:read"),
    ] {
        let ana = Assistant::with_scope(&world, "ana", held).await;
        for response in [ana.legacy("tools/call", call).await, ana.modern("tools/call", call).await] {
            expect_step_up(&response, &world, missing, asked);
            assert!(!rate_limit(&response)[2].is_empty(), "it was counted");
        }
        assert!(!result(&ana.legacy("tools/list", &json!({})).await)["tools"].is_null(), "listing needs no scope");
    }
    let reader = Assistant::of(&world, "ana").await;
    assert_eq!(reader.tool("list_itineraries", &json!({})).await["structuredContent"]["data"], json!([]));
}

// V-04: a tool that reads before it writes needs both scopes; the challenge names the missing one in the same way.
#[api_test]
async fn a_scope_that_is_missing_inside_a_tool_is_asked_for(world: World) {
    let writer = Assistant::with_scope(&world, "ana", "itineraries:write").await;
    let mut plan = lisbon();
    plan["days"] = json!([{ "stops": [] }]);
    let planned = writer.tool("plan_itinerary", &plan).await;
    assert_eq!(planned["isError"], json!(false), "creating reads nothing: {planned}");
    let itinerary = &planned["structuredContent"]["itinerary"];
    let stop = json!({ "itineraryId": itinerary["id"], "ifMatch": "*", "day": 1, "stop": { "name": "Castle" } });
    let refused = writer.legacy("tools/call", &json!({ "name": "add_stop", "arguments": stop })).await;
    expect_step_up(&refused, &world, "itineraries:read", SCOPES);
    assert_eq!(rate_limit(&refused)[2], "58", "it was counted as what the tool does");
    let both = Assistant::of(&world, "ana").await;
    let read = both.tool("get_itinerary", &json!({ "itineraryId": itinerary["id"] })).await;
    assert_eq!(read["structuredContent"]["itinerary"]["days"][0]["stops"], json!([]), "{read}");
    assert_eq!(both.tool("add_stop", &stop).await["isError"], json!(false));
}

// The order of errors: body, framing, scope, limit.
#[api_test]
async fn refusals_come_in_their_order(world: World) {
    let ana = Assistant::with_scope(&world, "ana", "itineraries:read").await;
    let plan = json!({ "name": "plan_itinerary", "arguments": lisbon() });
    let large = "x".repeat(600_000);
    ana.post().body("text/plain", large).send().await.expect_error(413, "payloadTooLarge");
    ana.post().body("text/plain", "[]").send().await.expect_error(415, "unsupportedMediaType");
    let unframed = ana.post().json(&modern("tools/call", &plan)).send().await;
    expect_rpc_error(&unframed, 400, -32020, &json!(1));
    // A message with a framing error was parsed, so it counts.
    for _ in 0..119 {
        result(&ana.legacy("ping", &json!({})).await);
    }
    ana.send(&json!([])).await.expect_error(429, "rateLimited");
    expect_step_up(&ana.legacy("tools/call", &plan).await, &world, "itineraries:write", SCOPES);
    ana.legacy("tools/call", &json!({ "name": "nonsense" })).await.expect_error(429, "rateLimited");
    ana.legacy("nonsense", &json!({})).await.expect_error(429, "rateLimited");
    assert_eq!(world.call(Method::GET, "/v1/account").token(&ana.token).send().await.status, 429, "one window");
}
