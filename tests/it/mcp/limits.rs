//! Which rate limit a message counts against, and that it counts once.

use chrono::TimeDelta;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Assistant, expect_rpc_error, result};
use crate::http::{lisbon, rate_limit};

/// The limit in the headers of a response, and the remaining count.
fn left(response: &RawResponse) -> (String, String) {
    let [limit, _, remaining, _] = rate_limit(response);
    (limit.to_owned(), remaining.to_owned())
}

// M-14: a call counts once, against its tool's limit, in the API's window; everything else counts as a read.
#[api_test]
async fn message_counts_once_for_its_kind_of_limit(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let pair = |limit: &str, remaining: &str| (limit.to_owned(), remaining.to_owned());
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    assert_eq!(left(&ana.legacy("initialize", &hello).await), pair("120", "119"));
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(left(&ana.send(&initialized).await), pair("120", "118"));
    assert_eq!(left(&ana.legacy("tools/list", &json!({})).await), pair("120", "117"));
    assert_eq!(left(&ana.modern("server/discover", &json!({})).await), pair("120", "116"));
    assert_eq!(left(&ana.legacy("ping", &json!({})).await), pair("120", "115"));
    assert_eq!(left(&ana.legacy("nonsense", &json!({})).await), pair("120", "114"));
    assert_eq!(left(&ana.legacy("tools/call", &json!({ "name": "nonsense" })).await), pair("120", "113"));
    let listed = ana.legacy("tools/call", &json!({ "name": "list_itineraries" })).await;
    assert_eq!(left(&listed), pair("120", "112"));
    let planned = ana.legacy("tools/call", &json!({ "name": "plan_itinerary", "arguments": lisbon() })).await;
    assert_eq!(left(&planned), pair("60", "59"));
    let id = result(&planned)["structuredContent"]["itinerary"]["id"].clone();
    // A tool that reads before it writes counts once.
    let stop = json!({ "itineraryId": id, "ifMatch": "*", "day": 1, "stop": { "name": "Castle" } });
    let added = ana.legacy("tools/call", &json!({ "name": "add_stop", "arguments": stop })).await;
    assert_eq!(left(&added), pair("60", "58"), "{}", added.text());
    let explored = ana.legacy("tools/call", &json!({ "name": "explore_itineraries", "arguments": {} })).await;
    assert_eq!(left(&explored), pair("30", "29"));
    // A message with a framing error was parsed, so it counts.
    expect_rpc_error(&ana.send(&json!([])).await, 400, -32600, &Value::Null);
    let read = world.call(Method::GET, "/v1/account").token(&ana.token).send().await;
    assert_eq!(left(&read), pair("120", "110"), "one window with the API");
}

// M-14: a call over its limit does nothing.
#[api_test]
async fn over_its_limit_a_tool_is_not_called(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let dry = json!({ "destination": lisbon()["destination"], "dryRun": true });
    for n in 0..60 {
        assert_eq!(ana.tool("plan_itinerary", &dry).await["isError"], json!(false), "call {n}");
    }
    world.clock.advance(TimeDelta::seconds(17));
    let refused = ana.legacy("tools/call", &json!({ "name": "plan_itinerary", "arguments": lisbon() })).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(rate_limit(&refused), ["60", "60;w=60", "0", "43"]);
    assert_eq!(refused.header("retry-after"), "43");
    let list = ana.tool("list_itineraries", &json!({})).await;
    assert_eq!(list["structuredContent"]["data"], json!([]), "nothing was planned");
}
