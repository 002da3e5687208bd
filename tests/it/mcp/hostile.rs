//! Attacks on the endpoint: bounded, answered according to the protocol, and subject to scopes and limits.

use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Assistant, expect_rpc_error, legacy, modern, result};
use crate::http::{lisbon, rate_limit};

// M-05: a batch of any length is rejected as a whole.
#[api_test]
async fn batches_are_refused_whole(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let pings = format!("[{}]", vec![ping; 10_000].join(","));
    expect_rpc_error(&ana.send_text(pings).await, 400, -32600, &Value::Null);
    let plan = legacy("tools/call", &json!({ "name": "plan_itinerary", "arguments": lisbon() }));
    expect_rpc_error(&ana.send(&json!(vec![plan; 50])).await, 400, -32600, &Value::Null);
    let listed = ana.tool("list_itineraries", &json!({})).await;
    assert_eq!(listed["structuredContent"]["data"], json!([]));
}

// Bodies that are too large, too deep, or full of invalid values.
#[api_test]
async fn monsters_are_bounded(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let id = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    ana.send_text(id(&format!("\"{}\"", "x".repeat(600_000)))).await.expect_error(413, "payloadTooLarge");
    let digits = ana.send_text(id(&"9".repeat(100_000))).await;
    assert_eq!(digits.status, 400);
    assert!(digits.body.len() < 1_000, "{}", digits.text());
    for depth in [129, 10_000, 200_000] {
        let deep = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        expect_rpc_error(&ana.send_text(deep).await, 400, -32700, &Value::Null);
    }
    let nest = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"list_itineraries","arguments":{arguments}}}}}"#
        )
    };
    expect_rpc_error(&ana.send_text(call(&nest(200))).await, 400, -32700, &Value::Null);
    // At the maximum depth, the arguments reach their tool, which does not know them.
    let deepest = ana.send_text(call(&nest(126))).await;
    assert_eq!(result(&deepest)["isError"], true);
    let method = ana.legacy(&"m".repeat(400_000), &json!({})).await;
    expect_rpc_error(&method, 200, -32601, &json!(1));
    assert!(method.body.len() < 1_000);
    let name = ana.legacy("tools/call", &json!({ "name": "n".repeat(400_000) })).await;
    expect_rpc_error(&name, 200, -32602, &json!(1));
    assert!(name.body.len() < 1_000);
    let many: serde_json::Map<_, _> = (0..20_000).map(|n| (format!("a{n}"), json!(n))).collect();
    let refused = ana.tool("get_itinerary", &Value::Object(many)).await;
    assert_eq!(refused["isError"], true);
    assert!(refused.to_string().len() < 5_000, "it does not repeat what was sent");
    assert_eq!(result(&ana.legacy("ping", &json!({})).await), json!({}), "the server goes on");
}

// Wrong types anywhere are rejected, and never an internal error.
#[api_test(limits = false)]
async fn wrong_types_are_never_a_fault(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let junk = [json!(null), json!(true), json!(-1.5), json!(""), json!("\u{0}"), json!([]), json!({}), json!([[{}]])];
    for value in &junk {
        for field in ["jsonrpc", "id", "method", "params"] {
            for good in [legacy("tools/list", &json!({})), modern("tools/call", &json!({ "name": "list_itineraries" }))]
            {
                let mut message = good;
                message[field] = value.clone();
                let response = ana.send(&message).await;
                assert!(response.status.as_u16() < 500, "{message}: {}", response.text());
            }
        }
        for key in ["name", "arguments", "_meta", "cursor"] {
            let params = json!({ "name": "get_itinerary", key: value });
            for response in [ana.legacy("tools/call", &params).await, ana.legacy("tools/list", &params).await] {
                assert!(response.status.as_u16() < 500, "{params}: {}", response.text());
            }
        }
    }
    let tools = result(&ana.legacy("tools/list", &json!({})).await)["tools"].clone();
    for tool in tools.as_array().expect("a list") {
        let properties = tool["inputSchema"]["properties"].as_object().expect("properties").keys();
        for property in properties {
            for value in &junk {
                let params = json!({ "name": tool["name"], "arguments": { property.as_str(): value } });
                let response = ana.legacy("tools/call", &params).await;
                assert_eq!(response.status, 200, "{params}: {}", response.text());
                assert!(response.json()["error"].is_null(), "{params}: {}", response.text());
            }
        }
    }
}

// M-04: a notification is never run.
#[api_test]
async fn a_notification_calls_no_tool(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let mut plan = legacy("tools/call", &json!({ "name": "plan_itinerary", "arguments": lisbon() }));
    plan.as_object_mut().expect("an object").remove("id");
    assert_eq!(ana.send(&plan).await.status, 202);
    assert_eq!(ana.tool("list_itineraries", &json!({})).await["structuredContent"]["data"], json!([]));
}

// An ambiguous message is rejected, so that what is checked is what is run.
#[api_test]
async fn json_rpc_messages_with_duplicate_keys_are_rejected(world: World) {
    let reader = Assistant::with_scope(&world, "ana", "itineraries:read").await;
    let arguments = lisbon();
    for (first, second) in [("list_itineraries", "plan_itinerary"), ("plan_itinerary", "list_itineraries")] {
        let params = format!(r#""params":{{"name":"{first}","name":"{second}","arguments":{arguments}}}"#);
        let named = reader.send_text(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call",{params}}}"#)).await;
        expect_rpc_error(&named, 400, -32700, &Value::Null);
    }
    for (first, second) in [("tools/list", "tools/call"), ("tools/call", "tools/list")] {
        let params = json!({ "name": "plan_itinerary", "arguments": arguments });
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{first}","method":"{second}","params":{params}}}"#);
        expect_rpc_error(&reader.send_text(body).await, 400, -32700, &Value::Null);
    }
    assert_eq!(reader.tool("list_itineraries", &json!({})).await["structuredContent"]["data"], json!([]));
}

// Ids that look like paths reach no other operation.
#[api_test]
async fn an_id_is_one_segment_of_a_path(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for id in ["../account", "..%2Faccount", ".", "..", "", "?x", "#", "a/b", "\r\nX: y", "\u{e9}", &"x".repeat(70_000)]
    {
        let response =
            ana.legacy("tools/call", &json!({ "name": "get_itinerary", "arguments": { "itineraryId": id } })).await;
        let refused = result(&response);
        assert_eq!(refused["isError"], true, "{id}: {refused}");
        let code = refused["_meta"]["code"].as_str().unwrap_or_default().to_owned();
        assert!(["notFound", "validationFailed"].contains(&&*code), "{id}: {refused}");
    }
    for tag in ["\r\nX: y", "\u{e9}", "", &"x".repeat(70_000)] {
        let arguments = json!({ "itineraryId": "01890000-0000-7000-8000-000000000000", "ifMatch": tag, "title": "x" });
        assert_eq!(ana.tool("update_itinerary", &arguments).await["isError"], true);
    }
}

// Headers of the API have no effect at the endpoint: conditions and keys are arguments.
#[api_test]
async fn headers_of_the_api_do_not_reach_a_tool(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let id = ana.tool("plan_itinerary", &lisbon()).await["structuredContent"]["itinerary"]["id"].clone();
    let rename = json!({ "name": "delete_itinerary", "arguments": { "itineraryId": id } });
    let call =
        ana.post().header("If-Match", "*").header("Idempotency-Key", "nonsense").header("Service-Itinerary-Shape", "x");
    let response = call.json(&legacy("tools/call", &rename)).send().await;
    assert_eq!(result(&response)["isError"], true, "{}", response.text());
    let path = format!("/v1/itineraries/{}", id.as_str().expect("an id"));
    assert_eq!(world.call(Method::GET, &path).token(&ana.token).send().await.status, 200);
    let [limit, ..] = rate_limit(&response);
    assert_eq!(limit, "60");
}
