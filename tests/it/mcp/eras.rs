//! The eras of the protocol: with the handshake of older versions, without any, and since 2026-07-28.

use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Assistant, MODERN, VERSIONS, expect_rpc_error, legacy, modern, result};

const VERSION: &str = "MCP-Protocol-Version";

// M-06: a message with only a token works, and so does one of any version.
#[api_test]
async fn every_era_is_served(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let bare = ana.send_text(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    let tools = result(&bare)["tools"].clone();
    assert_eq!(bare.header("mcp-session-id"), "");
    for version in &VERSIONS[..4] {
        let response = ana.post().header(VERSION, version).json(&legacy("tools/list", &json!({}))).send().await;
        let list = result(&response);
        assert_eq!((&list["tools"], &list["resultType"]), (&tools, &Value::Null), "{version}");
    }
    let list = result(&ana.modern("tools/list", &json!({})).await);
    assert_eq!((&list["tools"], &list["resultType"]), (&tools, &json!("complete")));
    let hello = json!({ "protocolVersion": MODERN, "capabilities": {}, "clientInfo": { "name": "x", "version": "1" } });
    assert_eq!(
        result(&ana.legacy("initialize", &hello).await)["protocolVersion"],
        "2025-11-25",
        "a handshake is legacy"
    );
}

// M-07: the handshake is a pure function of the proposed version, and needs no session.
#[api_test]
async fn the_handshake_agrees_on_a_version(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let hello = |version: &str| {
        let client = json!({ "name": "x", "version": "1" });
        json!({ "protocolVersion": version, "capabilities": { "roots": {} }, "clientInfo": client })
    };
    for (asked, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let response = ana.legacy("initialize", &hello(asked)).await;
        assert_eq!(response.header("mcp-session-id"), "");
        let welcome = result(&response);
        assert_eq!(welcome["protocolVersion"], agreed, "{asked}");
        assert_eq!(welcome["capabilities"], json!({ "tools": {} }));
        assert_eq!(welcome["serverInfo"]["name"], "itinerary-planning-service");
        assert!(welcome["instructions"].as_str().is_some_and(|text| text.contains("plan_itinerary")));
    }
    let with_header = ana.post().header(VERSION, "2025-06-18").json(&legacy("initialize", &hello("2025-11-25")));
    assert_eq!(result(&with_header.send().await)["protocolVersion"], "2025-11-25");
    assert_eq!(result(&ana.legacy("ping", &json!({})).await), json!({}));
    for version in ["2099-01-01", "1999-01-01", "x"] {
        let response = ana.post().header(VERSION, version).json(&legacy("tools/list", &json!({}))).send().await;
        expect_rpc_error(&response, 400, -32022, &json!(1));
    }
    for method in ["nonsense", "logging/setLevel", "completion/complete", "tasks/get", "rpc.discover", "__proto__"] {
        expect_rpc_error(&ana.legacy(method, &json!({})).await, 200, -32601, &json!(1));
    }
    expect_rpc_error(&ana.legacy("initialize", &json!({})).await, 200, -32602, &json!(1));
}

// M-08: a modern request's headers must be present and match the body.
#[api_test]
async fn headers_must_match_the_body(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let list = modern("tools/list", &json!({}));
    let call = modern("tools/call", &json!({ "name": "list_itineraries", "arguments": {} }));
    let both = [(VERSION, MODERN), ("Mcp-Method", "tools/list")];
    let named = |name: &'static str| [(VERSION, MODERN), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
    let wrong: [(&[(&str, &str)], &Value); 10] = [
        (&[], &list),
        (&both[..1], &list),
        (&both[1..], &list),
        (&[(VERSION, "2025-11-25"), both[1]], &list),
        (&[both[0], ("Mcp-Method", "tools/call")], &list),
        (&[both[0], ("Mcp-Method", "TOOLS/LIST")], &list),
        (&[both[0], both[1], both[1]], &list),
        (&named("list_itineraries")[..2], &call),
        (&named("List_itineraries"), &call),
        (&named("=?base64?bm9uc2Vuc2U=?="), &call),
    ];
    for (headers, message) in wrong {
        let sent = headers.iter().fold(ana.post(), |call, (name, value)| call.header(name, value));
        let data = expect_rpc_error(&sent.json(message).send().await, 400, -32020, &json!(1));
        assert!(data["details"]["field"].is_string(), "{headers:?}");
    }
    let right: [(&[(&str, &str)], &Value); 4] = [
        (&both, &list),
        (&[("mcp-protocol-VERSION", MODERN), ("MCP-METHOD", "tools/list")], &list),
        (&named("list_itineraries"), &call),
        (&named("=?base64?bGlzdF9pdGluZXJhcmllcw==?="), &call),
    ];
    for (headers, message) in right {
        let sent = headers.iter().fold(ana.post(), |call, (name, value)| call.header(name, value));
        result(&sent.json(message).send().await);
    }
}

// M-09: a modern request names its version and the client's capabilities; the server sends no requests.
#[api_test]
async fn a_modern_request_brings_what_a_handshake_agreed_on(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for key in ["protocolVersion", "clientCapabilities"] {
        for value in [None, Some(json!(null)), Some(json!(1)), Some(json!([]))] {
            let mut message = modern("tools/list", &json!({}));
            let meta = message["params"]["_meta"].as_object_mut().expect("an object");
            meta.remove(&format!("io.modelcontextprotocol/{key}"));
            if let Some(value) = value {
                meta.insert(format!("io.modelcontextprotocol/{key}"), value);
            }
            let response = ana.modern_call("tools/list", None).json(&message).send().await;
            expect_rpc_error(&response, 400, -32602, &json!(1));
        }
    }
    let mut future = modern("tools/list", &json!({}));
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let sent = ana.post().header(VERSION, "2099-01-01").header("Mcp-Method", "tools/list").json(&future);
    let data = expect_rpc_error(&sent.send().await, 400, -32022, &json!(1));
    assert_eq!((&data["supported"], &data["requested"]), (&json!(VERSIONS), &json!("2099-01-01")));
    let mut named = modern("tools/list", &json!({}));
    named["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "x", "version": "1" });
    result(&ana.modern_call("tools/list", None).json(&named).send().await);
    // No tool needs a capability, so none is ever missing (-32021).
    for tool in result(&ana.modern("tools/list", &json!({})).await)["tools"].as_array().expect("a list") {
        let call = ana.modern("tools/call", &json!({ "name": tool["name"], "arguments": { "id": 1 } })).await;
        assert_eq!(result(&call)["isError"], true, "{tool}");
    }
}

// M-10: methods that the modern protocol does not have, or no longer has, are not found.
#[api_test]
async fn removed_methods_are_not_found(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    for method in [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "tasks/list",
        "subscriptions/listen",
        "nonsense",
    ] {
        let mut message = modern(method, &json!({ "protocolVersion": MODERN }));
        message["id"] = json!("the-id");
        let response = ana.modern_call(method, None).json(&message).send().await;
        expect_rpc_error(&response, 404, -32601, &json!("the-id"));
    }
}

// M-11, M-12: the server describes itself without a handshake; cacheable results say for how long and for whom.
#[api_test]
async fn the_server_describes_itself(world: World) {
    let (ana, ben) = (Assistant::of(&world, "ana").await, Assistant::with_scope(&world, "ben", "documents:read").await);
    let discovered = result(&ana.modern("server/discover", &json!({})).await);
    assert_eq!(discovered["supportedVersions"], json!(VERSIONS));
    assert_eq!(discovered["capabilities"], json!({ "tools": {} }));
    assert_eq!(discovered["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "itinerary-planning-service");
    let list = result(&ana.modern("tools/list", &json!({})).await);
    for cacheable in [&discovered, &list] {
        assert_eq!((&cacheable["resultType"], &cacheable["cacheScope"]), (&json!("complete"), &json!("public")));
        assert!(cacheable["ttlMs"].is_u64());
    }
    assert_eq!(list, result(&ben.modern("tools/list", &json!({})).await), "what is public is the same for everyone");
    let called = result(&ana.modern("tools/call", &json!({ "name": "list_itineraries" })).await);
    assert_eq!((&called["resultType"], &called["ttlMs"]), (&json!("complete"), &Value::Null));
    let bare = ana.legacy("server/discover", &json!({})).await;
    expect_rpc_error(&bare, 400, -32602, &json!(1));
}

// M-13: an id is a string or an integer, and is returned unchanged.
#[api_test]
async fn ids_come_back(world: World) {
    let ana = Assistant::of(&world, "ana").await;
    let send = async |id: &str, method: &str| {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#);
        ana.send_text(body).await
    };
    let long = format!("\"{}\"", "x".repeat(100_000));
    for (id, same) in [
        ("0", json!(0)),
        ("-7", json!(-7)),
        ("1.0", json!(1)),
        ("1e2", json!(100)),
        ("9223372036854775807", json!(i64::MAX)),
        ("\"\"", json!("")),
        ("\"1\"", json!("1")),
        ("\"\u{e9}\\n\"", json!("\u{e9}\n")),
        (&long, json!("x".repeat(100_000))),
    ] {
        let response = send(id, "ping").await;
        assert_eq!((response.status.as_u16(), &response.json()["id"]), (200, &same));
        expect_rpc_error(&send(id, "nonsense").await, 200, -32601, &same);
    }
    for id in ["null", "true", "[1]", "{}", "1.5", "1e300", "9223372036854775808", "1e19"] {
        expect_rpc_error(&send(id, "ping").await, 400, -32600, &Value::Null);
    }
}
