//! The MCP endpoint by raw calls: messages of clients of both eras, and attacks.
//!
//! Labels such as `M-01` and `X-01` name requirements of the protocol.

mod auth;
mod contract;
mod destinations;
mod eras;
mod hostile;
mod lenient;
mod limits;
mod log;
mod tools;
mod tools_errors;
mod tools_requests;
mod tools_scopes;
mod transport;

use itinerary_tests::raw::Call;
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{RawResponse, World};
use reqwest::Method;
use serde_json::{Value, json};

/// The version from which each request names its version.
pub(crate) const MODERN: &str = "2026-07-28";

/// The supported versions, oldest first.
pub(crate) const VERSIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];

/// A traveller's assistant with a token.
pub(crate) struct Assistant<'w> {
    pub(crate) world: &'w World,
    pub(crate) token: String,
}

impl<'w> Assistant<'w> {
    /// The assistant of a traveller, created if necessary, with the scopes of an ordinary app.
    pub(crate) async fn of(world: &'w World, name: &str) -> Self {
        Self::with_scope(world, name, READ_WRITE).await
    }

    /// The same with other scopes.
    pub(crate) async fn with_scope(world: &'w World, name: &str, scope: &str) -> Self {
        Self { world, token: world.token_of_anyone(name, scope).await }
    }

    /// A call of the endpoint without a body.
    pub(crate) fn post(&self) -> Call {
        self.world.call(Method::POST, "/mcp").token(&self.token)
    }

    /// Sends text unchanged.
    pub(crate) async fn send_text(&self, body: impl Into<String>) -> RawResponse {
        self.post().body("application/json", body.into()).send().await
    }

    /// Sends a message unchanged.
    pub(crate) async fn send(&self, message: &Value) -> RawResponse {
        self.post().json(message).send().await
    }

    /// A request without a version.
    pub(crate) async fn legacy(&self, method: &str, params: &Value) -> RawResponse {
        self.send(&legacy(method, params)).await
    }

    /// A request as clients send it since 2026-07-28.
    pub(crate) async fn modern(&self, method: &str, params: &Value) -> RawResponse {
        let name = params["name"].as_str();
        self.modern_call(method, name).json(&modern(method, params)).send().await
    }

    /// A call with the headers of a modern request.
    pub(crate) fn modern_call(&self, method: &str, name: Option<&str>) -> Call {
        let call = self.post().header("MCP-Protocol-Version", MODERN).header("Mcp-Method", method);
        match name {
            Some(name) => call.header("Mcp-Name", name),
            None => call,
        }
    }

    /// Calls a tool. Returns its result, which may be an error.
    pub(crate) async fn tool(&self, name: &str, arguments: &Value) -> Value {
        let response = self.legacy("tools/call", &json!({ "name": name, "arguments": arguments })).await;
        result(&response)
    }
}

/// A message without a version.
pub(crate) fn legacy(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A message as clients send it since 2026-07-28.
pub(crate) fn modern(method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The result in a response that must have one.
#[track_caller]
pub(crate) fn result(response: &RawResponse) -> Value {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    let json = response.json();
    assert_eq!((&json["jsonrpc"], &json["id"]), (&json!("2.0"), &json!(1)), "{json}");
    assert!(json["error"].is_null(), "{json}");
    json["result"].clone()
}

/// Checks a JSON-RPC error: status, code, id, and `data` with the API's code and the request id.
#[track_caller]
pub(crate) fn expect_rpc_error(response: &RawResponse, status: u16, code: i64, id: &Value) -> Value {
    assert_eq!(response.status.as_u16(), status, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    let json = response.json();
    assert_eq!((&json["jsonrpc"], &json["id"]), (&json!("2.0"), id), "{json}");
    let error = &json["error"];
    assert_eq!(error["code"], code, "{error}");
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{error}");
    assert_eq!(error["data"]["requestId"], response.header("x-request-id"), "{error}");
    let api_code = match code {
        -32601 => "notFound",
        -32603 => "internalError",
        _ => "validationFailed",
    };
    assert_eq!(error["data"]["code"], api_code, "{error}");
    error["data"].clone()
}
