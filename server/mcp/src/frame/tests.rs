use http::header::{HeaderName, HeaderValue};

use super::*;

fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a value"));
    }
    headers
}

fn request(pairs: &[(&str, &str)], body: &Value) -> Request {
    match read(&headers(pairs), body.to_string().as_bytes()) {
        Ok(Message::Request(request)) => request,
        other => panic!("{other:?}"),
    }
}

fn refused(pairs: &[(&str, &str)], body: &str) -> (Option<Value>, i32) {
    let FramingError { id, error } = read(&headers(pairs), body.as_bytes()).expect_err(body);
    assert_eq!(error.status, StatusCode::BAD_REQUEST, "{body}");
    (id, error.code)
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({ VERSION_KEY: MODERN, CAPABILITIES_KEY: {} });
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

const LIST: &[(&str, &str)] = &[("MCP-Protocol-Version", MODERN), ("Mcp-Method", "tools/list")];

#[test]
fn a_name_that_appears_twice_is_refused() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":[{"y":1,"\u0079":2}]}}}"#,
    ] {
        let unframed = read(&HeaderMap::new(), text.as_bytes()).expect_err(text);
        assert_eq!((unframed.error.code, unframed.id), (PARSE_ERROR, None), "{text}");
    }
}

#[test]
fn invalid_messages_are_rejected() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for (body, code) in [
        ("", PARSE_ERROR),
        ("{", PARSE_ERROR),
        ("nonsense", PARSE_ERROR),
        ("\u{feff}{}", PARSE_ERROR),
        (&deep, PARSE_ERROR),
        ("[]", INVALID_REQUEST),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, INVALID_REQUEST),
        ("null", INVALID_REQUEST),
        ("1", INVALID_REQUEST),
        ("\"ping\"", INVALID_REQUEST),
        ("{}", INVALID_REQUEST),
        (r#"{"jsonrpc":"1.0","method":"ping"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","method":1}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, INVALID_REQUEST),
        (r#"{"jsonrpc":"2.0","id":1e400,"method":"ping"}"#, PARSE_ERROR),
    ] {
        assert_eq!(refused(&[], body), (None, code), "{body}");
    }
    assert_eq!(refused(&[], r#"{"jsonrpc":"2.0","id":3,"result":{}}"#), (Some(json!(3)), INVALID_REQUEST));
    assert_eq!(refused(&[], r#"{"jsonrpc":"2.0","id":"a"}"#), (Some(json!("a")), INVALID_REQUEST));
}

#[test]
fn ids_are_strings_and_integers_however_they_are_written() {
    for (written, id) in [
        ("1", json!(1)),
        ("1.0", json!(1)),
        ("-0.0", json!(0)),
        ("1e3", json!(1000)),
        ("9223372036854775807", json!(i64::MAX)),
        ("\"1\"", json!("1")),
        ("\"\"", json!("")),
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{written},"method":"ping"}}"#);
        let Ok(Message::Request(request)) = read(&HeaderMap::new(), body.as_bytes()) else { panic!("{body}") };
        assert_eq!(request.id, id, "{body}");
    }
}

#[test]
fn client_without_version_fields_is_legacy() {
    for (pairs, version) in [(&[][..], None), (&[("MCP-Protocol-Version", "2025-06-18")], Some("2025-06-18"))] {
        let list = request(pairs, &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        assert_eq!(
            (list.protocol, list.rpc_method),
            (
                NegotiatedVersion { era: ProtocolEra::Legacy, version },
                Ok(RpcMethod::Protocol(ProtocolRequest::ListTools))
            )
        );
    }
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2099-01-01" } });
    for pairs in [&[][..], &[("MCP-Protocol-Version", "2099-01-01")], &[("MCP-Protocol-Version", MODERN)]] {
        let hello = request(pairs, &hello);
        assert_eq!(
            (hello.protocol.era, hello.rpc_method),
            (ProtocolEra::Legacy, Ok(RpcMethod::Protocol(ProtocolRequest::Initialize("2099-01-01".to_owned()))))
        );
    }
}

#[test]
fn a_modern_request_says_its_version_twice() {
    let list = modern("tools/list", json!({}));
    assert_eq!(request(LIST, &list).protocol.era, ProtocolEra::Modern);
    assert_eq!(
        request(&[("mcp-PROTOCOL-version", MODERN), ("MCP-METHOD", "tools/list")], &list).protocol.era,
        ProtocolEra::Modern
    );
    let text = list.to_string();
    let id = Some(json!(7));
    for (pairs, code) in [
        (&[][..], HEADER_MISMATCH),
        (&LIST[1..], HEADER_MISMATCH),
        (&LIST[..1], HEADER_MISMATCH),
        (&[LIST[0], ("Mcp-Method", "tools/call")], HEADER_MISMATCH),
        (&[LIST[0], ("Mcp-Method", "Tools/List")], HEADER_MISMATCH),
        (&[LIST[0], LIST[1], LIST[1]], HEADER_MISMATCH),
        (&[LIST[0], LIST[0], LIST[1]], HEADER_MISMATCH),
        (&[LIST[0], ("Mcp-Method", "\u{e9}")], HEADER_MISMATCH),
        (&[("MCP-Protocol-Version", "2025-06-18"), LIST[1]], HEADER_MISMATCH),
    ] {
        assert_eq!(refused(pairs, &text), (id.clone(), code), "{pairs:?}");
    }
    for meta in [
        json!({}),
        json!({ VERSION_KEY: MODERN }),
        json!({ CAPABILITIES_KEY: {} }),
        json!({ VERSION_KEY: 1, CAPABILITIES_KEY: {} }),
        json!({ VERSION_KEY: MODERN, CAPABILITIES_KEY: [] }),
        json!([]),
        json!(null),
    ] {
        let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": { "_meta": meta } });
        assert_eq!(refused(LIST, &body.to_string()), (id.clone(), INVALID_PARAMS), "{body}");
    }
    let array = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": [] });
    assert_eq!(refused(LIST, &array.to_string()), (id, INVALID_PARAMS));
}

#[test]
fn unsupported_protocol_version_is_rejected_with_the_supported_ones() {
    let mut list = modern("tools/list", json!({}));
    list["params"]["_meta"][VERSION_KEY] = json!("2099-01-01");
    let pairs = [("MCP-Protocol-Version", "2099-01-01"), LIST[1]];
    let unframed = read(&headers(&pairs), list.to_string().as_bytes()).expect_err("no such version");
    assert_eq!(unframed.error.code, UNSUPPORTED_VERSION);
    assert_eq!(unframed.error.data["supported"], json!(VERSIONS));
    assert_eq!(unframed.error.data["requested"], "2099-01-01");
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    assert_eq!(refused(&pairs[..1], bare).1, UNSUPPORTED_VERSION);
    assert_eq!(refused(&[("MCP-Protocol-Version", "")], bare).1, UNSUPPORTED_VERSION);
}

#[test]
fn the_name_of_a_tool_may_be_encoded_in_its_header() {
    let call = |name: &str| modern("tools/call", json!({ "name": name })).to_string();
    let with = |name: &'static str| [LIST[0], ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
    for (header, name) in
        [("add_day", "add_day"), ("=?base64?YWRkX2RheQ==?=", "add_day"), ("=?base64?w6k=?=", "\u{e9}")]
    {
        assert!(read(&headers(&with(header)), call(name).as_bytes()).is_ok(), "{header}");
    }
    for (header, name) in [
        ("Add_day", "add_day"),
        ("=?base64?YWRk?=", "add_day"),
        ("=?base64?!!?=", "add_day"),
        ("=?base64?/w==?=", "\u{ff}"),
        ("", "add_day"),
    ] {
        assert_eq!(refused(&with(header), &call(name)).1, HEADER_MISMATCH, "{header}");
    }
    assert_eq!(refused(&with("add_day")[..2], &call("add_day")).1, HEADER_MISMATCH, "without the header");
    let uri = modern("resources/read", json!({ "uri": "a:b" })).to_string();
    assert_eq!(refused(&[LIST[0], ("Mcp-Method", "resources/read")], &uri).1, HEADER_MISMATCH);
}

#[test]
fn each_era_has_its_methods() {
    let rpc_method = |era, method: &str| {
        let pairs = [LIST[0], ("Mcp-Method", method)];
        let legacy = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": {} });
        let asked = match era {
            ProtocolEra::Modern => request(&pairs, &modern(method, json!({}))),
            ProtocolEra::Legacy => request(&[], &legacy),
        };
        assert_eq!(asked.protocol.era, era);
        asked.rpc_method
    };
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "prompts/list", "nonsense", ""] {
        let error = rpc_method(ProtocolEra::Modern, method).expect_err(method);
        assert_eq!((error.code, error.status), (METHOD_NOT_FOUND, StatusCode::NOT_FOUND), "{method}");
    }
    assert_eq!(rpc_method(ProtocolEra::Modern, "server/discover"), Ok(RpcMethod::Protocol(ProtocolRequest::Discover)));
    for method in ["logging/setLevel", "resources/list", "prompts/list", "nonsense"] {
        let error = rpc_method(ProtocolEra::Legacy, method).expect_err(method);
        assert_eq!((error.code, error.status), (METHOD_NOT_FOUND, StatusCode::OK), "{method}");
    }
    assert_eq!(rpc_method(ProtocolEra::Legacy, "ping"), Ok(RpcMethod::Protocol(ProtocolRequest::Ping)));
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#;
    assert_eq!(refused(&[], bare).1, INVALID_PARAMS, "it is modern by its name");
}

#[test]
fn parameters_of_the_wrong_shape_are_invalid_params() {
    for (method, params) in [
        ("initialize", json!({})),
        ("initialize", json!({ "protocolVersion": 1 })),
        ("tools/list", json!({ "cursor": "abc" })),
        ("tools/list", json!({ "cursor": 1 })),
        ("tools/call", json!({})),
        ("tools/call", json!({ "name": ["add_day"] })),
        ("tools/call", json!({ "name": "add_day", "arguments": [] })),
        ("tools/call", json!({ "name": "add_day", "arguments": "x" })),
        ("tools/call", json!([])),
        ("ping", json!("x")),
    ] {
        let asked = request(&[], &json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let error = asked.rpc_method.expect_err(method);
        assert_eq!((error.code, error.status), (INVALID_PARAMS, StatusCode::OK), "{method} {params}");
    }
    let call = |params| {
        request(&[], &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })).rpc_method
    };
    for params in
        [json!({ "name": "x" }), json!({ "name": "x", "arguments": null }), json!({ "name": "x", "arguments": {} })]
    {
        assert_eq!(call(params), Ok(RpcMethod::CallTool { name: "x".to_owned(), arguments: Map::new() }));
    }
}

#[test]
fn message_without_id_is_a_notification() {
    for method in ["notifications/initialized", "notifications/cancelled", "tools/call", "nonsense"] {
        let body = json!({ "jsonrpc": "2.0", "method": method }).to_string();
        assert_eq!(read(&HeaderMap::new(), body.as_bytes()), Ok(Message::Notification), "{method}");
        let pairs = [LIST[0], ("Mcp-Method", method)];
        assert_eq!(read(&headers(&pairs), body.as_bytes()), Ok(Message::Notification), "{method}");
        assert_eq!(refused(LIST, &body), (None, HEADER_MISMATCH), "{method}");
    }
}

#[test]
fn refusals_do_not_repeat_much_of_what_was_sent() {
    let long = "x".repeat(100_000);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": long }).to_string();
    let Ok(Message::Request(Request { rpc_method: Err(error), .. })) = read(&HeaderMap::new(), body.as_bytes()) else {
        panic!("no such method")
    };
    assert!(error.message.len() < 300);
}
