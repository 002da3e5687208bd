//! The MCP endpoint.

mod access;
mod messages;
mod tools;
mod versions;

use reqwest::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::outcome::{Checked, Stop};
use crate::response::ReceivedResponse;
use crate::row::Row;
use crate::travellers::App;

/// The first version in which each request names its version.
const MODERN: &str = "2026-07-28";

/// The latest version that begins with a handshake.
const LEGACY: &str = "2025-11-25";

pub(crate) fn rows() -> Vec<Row> {
    [messages::rows(), versions::rows(), tools::rows(), access::rows()].into_iter().flatten().collect()
}

/// A request of an MCP client without a version.
fn request(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// A request to call a tool.
fn tool_call(name: &str, arguments: &Value) -> Value {
    request("tools/call", &json!({ "name": name, "arguments": arguments }))
}

/// A call of the endpoint without a body.
fn post(app: &App) -> Call {
    app.call(Method::POST, "/mcp")
}

/// Calls a tool. Returns its result, which may be an error. Skips the check if the server has no such tool: the
/// specification names none.
async fn tool(app: &App, name: &str, arguments: &Value) -> Checked<(ReceivedResponse, Value)> {
    let response = post(app).json(&tool_call(name, arguments)).send().await?;
    if response.json().is_ok_and(|body| body["error"]["code"] == -32602) && !listed(app, name).await? {
        return Err(Stop::skipped(format!("the server has no tool {name}; the specification names no tools")));
    }
    let result = result(&response)?;
    Ok((response, result))
}

async fn listed(app: &App, name: &str) -> Checked<bool> {
    let list = result(&post(app).json(&request("tools/list", &json!({}))).send().await?)?;
    Ok(list["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name)))
}

/// Calls a tool, which must succeed. Returns its structured content.
async fn done(app: &App, name: &str, arguments: &Value) -> Checked<Value> {
    let (response, result) = tool(app, name, arguments).await?;
    response.ensure(result["isError"] != true, "a result without isError")?;
    response.ensure(result["structuredContent"].is_object(), "result.structuredContent")?;
    Ok(result["structuredContent"].clone())
}

/// Calls a tool, whose operation must refuse with this code.
async fn refused(app: &App, name: &str, arguments: &Value, code: &str) -> Checked<Value> {
    let (response, result) = tool(app, name, arguments).await?;
    response.ensure(result["isError"] == true, "a result with isError true")?;
    response.ensure(result["_meta"]["code"] == code, format!("\"{code}\" in result._meta.code"))?;
    Ok(result)
}

/// Expects a JSON-RPC response with a result, and returns the result.
fn result(response: &ReceivedResponse) -> Checked<Value> {
    let body = response.json_with(200)?;
    response.ensure(body["jsonrpc"] == "2.0" && body["id"] == 1, "a JSON-RPC 2.0 response with the request's id")?;
    response.ensure(body["error"].is_null() && body["result"].is_object(), "a JSON-RPC result")?;
    Ok(body["result"].clone())
}

/// Expects a JSON-RPC error with this HTTP status, code and id.
fn rpc_error(response: &ReceivedResponse, status: u16, code: i64, id: &Value) -> Checked<Value> {
    let body = response.json_with(status)?;
    let error = &body["error"];
    response.ensure(body["jsonrpc"] == "2.0" && error["code"] == code, format!("a JSON-RPC error with code {code}"))?;
    response.ensure(&body["id"] == id, format!("a JSON-RPC response with id {id}"))?;
    let has_message = error["message"].as_str().is_some_and(|message| !message.is_empty());
    response.ensure(has_message, "a message in error.message")?;
    let has_data = error["data"]["code"].is_string() && error["data"]["requestId"] == response.header("x-request-id");
    response.ensure(has_data, "error.data with the API's code and the request id")?;
    Ok(error["data"].clone())
}
