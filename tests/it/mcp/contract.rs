//! Requirements of every tool: listing, results, errors.

use std::collections::BTreeSet;

use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Assistant, expect_rpc_error, result};
use crate::http::lisbon;

async fn tools(ana: &Assistant<'_>) -> Vec<Value> {
    result(&ana.legacy("tools/list", &json!({})).await)["tools"].as_array().expect("a list").clone()
}

// the list has one page in a stable order; names are unique and plain.
#[api_test]
async fn tools_are_listed_in_one_order(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let first = ana.legacy("tools/list", &json!({})).await;
    assert_eq!(first.body, ana.legacy("tools/list", &json!({})).await.body);
    assert!(result(&first)["nextCursor"].is_null());
    let names: Vec<_> =
        tools(&ana).await.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    assert!(!names.is_empty() && names.iter().collect::<BTreeSet<_>>().len() == names.len());
    assert!(names.is_sorted(), "{names:?}");
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    assert!(names.iter().all(|name| name.len() <= 128 && name.chars().all(is_plain)));
    for cursor in [json!("x"), json!(""), json!(1), json!({})] {
        expect_rpc_error(&ana.legacy("tools/list", &json!({ "cursor": cursor })).await, 200, -32602, &json!(1));
        expect_rpc_error(&ana.modern("tools/list", &json!({ "cursor": cursor })).await, 200, -32602, &json!(1));
    }
}

fn each(value: &Value, visit: &mut impl FnMut(&str, &Value)) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            visit(key, value);
            each(value, visit);
        }),
        Value::Array(items) => items.iter().for_each(|item| each(item, visit)),
        _ => {}
    }
}

// schemas are self-contained JSON Schema 2020-12, and every tool has annotations.
#[api_test]
async fn every_tool_is_described(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for tool in tools(&ana).await {
        for text in ["name", "title", "description"] {
            assert!(tool[text].as_str().is_some_and(|text| !text.is_empty()), "{tool}");
        }
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
        each(&tool, &mut |key, value| {
            assert_ne!(key, "nullable", "{tool}");
            assert!(key != "$ref" || value.as_str().is_some_and(|target| target.starts_with('#')), "{tool}");
        });
        let hints = &tool["annotations"];
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "{tool}");
        }
        assert!(!(hints["readOnlyHint"] == true && hints["destructiveHint"] == true), "{tool}");
    }
}

// a result has structured content according to the schema, and a text; an error has only a text.
#[api_test]
async fn results_are_structured_and_told(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let listed = tools(&ana).await;
    let planned = ana.tool("plan_itinerary", &lisbon()).await;
    let id = planned["structuredContent"]["itinerary"]["id"].clone();
    let read = ana.tool("get_itinerary", &json!({ "itineraryId": id })).await;
    let list = ana.tool("list_itineraries", &json!({})).await;
    for (name, done) in [("plan_itinerary", planned), ("get_itinerary", read), ("list_itineraries", list)] {
        assert_eq!(done["isError"], false, "{done}");
        let tool = listed.iter().find(|tool| tool["name"] == name).expect("it is listed");
        for field in tool["outputSchema"]["required"].as_array().into_iter().flatten() {
            let field = field.as_str().expect("a name");
            assert!(!done["structuredContent"][field].is_null(), "{name} lacks {field}");
        }
        assert_eq!(done["content"][0]["type"], "text");
        assert!(done["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()), "{done}");
    }
    let nothing = ana.tool("get_itinerary", &json!({ "itineraryId": "01890000-0000-7000-8000-000000000000" })).await;
    assert_eq!((&nothing["isError"], &nothing["structuredContent"]), (&json!(true), &Value::Null));
    assert!(nothing["content"][0]["text"].as_str().is_some_and(|text| !text.is_empty()));
}

// an invalid call is a protocol error; a call that fails is a result for the model.
#[api_test]
async fn refusals_are_told_to_whom_they_concern(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for params in [
        json!({}),
        json!([]),
        json!({ "name": "nonsense" }),
        json!({ "name": "GET_ITINERARY" }),
        json!({ "name": 1 }),
        json!({ "name": "get_itinerary", "arguments": [] }),
        json!({ "name": "get_itinerary", "arguments": "x" }),
    ] {
        expect_rpc_error(&ana.legacy("tools/call", &params).await, 200, -32602, &json!(1));
    }
    let unknown = ana.modern("tools/call", &json!({ "name": "nonsense" })).await;
    expect_rpc_error(&unknown, 200, -32602, &json!(1));
    let nothing = json!({ "itineraryId": "01890000-0000-7000-8000-000000000000" });
    let response = ana.legacy("tools/call", &json!({ "name": "get_itinerary", "arguments": nothing })).await;
    let refused = result(&response);
    assert_eq!((&refused["isError"], &refused["_meta"]["code"]), (&json!(true), &json!("notFound")), "{refused}");
    assert_eq!(refused["_meta"]["requestId"], response.header("x-request-id"));
    let wrong = ana.tool("get_itinerary", &json!({ "itineraryId": 1 })).await;
    assert_eq!(wrong["isError"], true, "{wrong}");
}

// a tool does what its operation does: same content, versions and idempotency.
#[api_test]
async fn tools_are_carried_out_by_the_operations(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let mut plan = lisbon();
    plan["idempotencyKey"] = json!("01890000-0000-7000-8000-00000000abcd");
    let planned = ana.tool("plan_itinerary", &plan).await["structuredContent"].clone();
    let again = ana.tool("plan_itinerary", &plan).await["structuredContent"].clone();
    assert_eq!(planned, again, "the key was used before");
    let id = planned["itinerary"]["id"].as_str().expect("an id");
    let read = world.call(Method::GET, &format!("/v1/itineraries/{id}")).token(&ana.token).send().await;
    assert_eq!(
        (read.header("etag"), &read.json()["title"]),
        (planned["etag"].as_str().expect("a tag"), &planned["itinerary"]["title"])
    );
    let rename = |etag: &str| json!({ "itineraryId": id, "ifMatch": etag, "title": "Spring" });
    let renamed = ana.tool("update_itinerary", &rename(read.header("etag"))).await;
    assert_eq!(renamed["isError"], false, "{renamed}");
    let stale = ana.tool("update_itinerary", &rename(read.header("etag"))).await;
    assert_eq!((&stale["isError"], &stale["_meta"]["code"]), (&json!(true), &json!("itineraryModified")), "{stale}");
}

// everyone is shown every tool, and a call without arguments is answered to the model.
#[api_test(limits = false)]
async fn every_tool_is_shown_to_everyone(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let ben = Assistant::with_scope(&world, "ben", "documents:read").await;
    let listed = tools(&ana).await;
    assert_eq!(listed, tools(&ben).await);
    for tool in listed {
        let needs = tool["inputSchema"]["required"].as_array().is_some_and(|required| !required.is_empty());
        for arguments in [json!({}), json!({ "arguments": {} })] {
            let mut params = arguments;
            params["name"] = tool["name"].clone();
            let called = result(&ana.legacy("tools/call", &params).await);
            assert_eq!(called["isError"], needs, "{called}");
        }
    }
}

// resources, prompts and deprecated features are not offered.
#[api_test]
async fn undeclared_mcp_features_are_not_found(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for method in [
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
        "logging/setLevel",
        "roots/list",
        "sampling/createMessage",
        "elicitation/create",
    ] {
        expect_rpc_error(&ana.legacy(method, &json!({})).await, 200, -32601, &json!(1));
        expect_rpc_error(&ana.modern(method, &json!({})).await, 404, -32601, &json!(1));
    }
    for path in ["/sse", "/messages", "/mcp/sse"] {
        assert_eq!(world.call(Method::GET, path).token(&ana.token).send().await.status, 404, "{path}");
    }
}
