//! Messages over HTTP: methods, media types and framing.

use reqwest::Method;
use serde_json::{Value, json};

use super::{post, request, result, rpc_error};
use crate::context::Context;
use crate::outcome::Checked;
use crate::row::{Row, row};

/// More than the largest message.
const TOO_LARGE: usize = 600_000;

pub(super) fn rows() -> Vec<Row> {
    let mut rows = vec![
        row("mcp.message.bare", "4.7", "tools/list is answered without a handshake, as JSON.", bare),
        row(
            "mcp.message.notification",
            "MCP 2025-11-25",
            "A notification is answered with 202 and no body.",
            notification,
        ),
        row("mcp.message.id", "JSON-RPC 2.0", "A response carries its request's id: a string or an integer.", ids),
        row("mcp.message.accept", "4.7", "The answer is JSON whatever Accept says.", accept),
        row("mcp.message.unknown-method", "JSON-RPC 2.0", "An unknown method is the error -32601.", unknown_method),
        row("mcp.message.media-type", "mcp", "A message that is not JSON by its Content-Type answers 415.", media_type),
        row("mcp.message.too-large", "mcp", "A message of 600 kB answers 413 payloadTooLarge.", too_large),
        row("mcp.message.no-stream", "4.7", "GET and DELETE answer 405 with Allow: POST.", no_stream),
    ];
    let malformed = [
        ("truncated", "Malformed JSON is the error -32700 with status 400.", "{\"jsonrpc\":", -32700),
        ("batch", "A batch is rejected as a whole, with the error -32600.", BATCH, -32600),
        ("empty-batch", "An empty array is the error -32600.", "[]", -32600),
        ("scalar", "JSON that is not an object is the error -32600.", "\"ping\"", -32600),
        ("no-method", "An object without a method is the error -32600.", "{}", -32600),
    ];
    rows.extend(malformed.map(|(name, promise, body, code)| {
        let check = move |context: Context| async move {
            let response = post(&context.app()?).body("application/json", body).send().await?;
            rpc_error(&response, 400, code, &Value::Null).map(drop)
        };
        row(format!("mcp.message.malformed.{name}"), "JSON-RPC 2.0", promise, check)
    }));
    rows
}

const BATCH: &str = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/list"}]"#;

async fn bare(context: Context) -> Checked {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let response = post(&context.app()?).body("application/json", body).send().await?;
    let tools = result(&response)?["tools"].clone();
    response.ensure(tools.as_array().is_some_and(|tools| !tools.is_empty()), "at least one tool in result.tools")?;
    response.ensure(response.header("mcp-session-id").is_empty(), "no Mcp-Session-Id").map(drop)
}

async fn notification(context: Context) -> Checked {
    let message = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    post(&context.app()?).json(&message).send().await?.status(202)?.empty().map(drop)
}

async fn ids(context: Context) -> Checked {
    for id in [json!(0), json!(-7), json!("a string"), json!(9_007_199_254_740_991_i64)] {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        let response = post(&context.app()?).json(&message).send().await?;
        let body = response.json_with(200)?;
        response.ensure(body["id"] == id && body["result"] == json!({}), format!("the result {{}} for id {id}"))?;
    }
    Ok(())
}

async fn accept(context: Context) -> Checked {
    for accept in ["*/*", "application/json, text/event-stream", "application/json", "text/event-stream"] {
        let message = request("ping", &json!({}));
        let call = post(&context.app()?).header("Accept", accept).json(&message);
        result(&call.send().await?)?;
    }
    Ok(())
}

async fn unknown_method(context: Context) -> Checked {
    let response = post(&context.app()?).json(&request("no/such/method", &json!({}))).send().await?;
    rpc_error(&response, 200, -32601, &json!(1)).map(drop)
}

async fn media_type(context: Context) -> Checked {
    let message = request("ping", &json!({})).to_string();
    for media_type in ["text/plain", "application/x-www-form-urlencoded"] {
        let call = post(&context.app()?).body(media_type, message.as_str());
        call.send().await?.error(415, "unsupportedMediaType")?;
    }
    Ok(())
}

async fn too_large(context: Context) -> Checked {
    let message = request("ping", &json!({ "padding": "x".repeat(TOO_LARGE) }));
    post(&context.app()?).json(&message).send().await?.error(413, "payloadTooLarge").map(drop)
}

async fn no_stream(context: Context) -> Checked {
    for method in [Method::GET, Method::DELETE] {
        let call = context.app()?.call(method, "/mcp").header("Accept", "text/event-stream");
        let response = call.send().await?;
        response.error(405, "methodNotAllowed")?;
        response.ensure(response.header("allow").split(", ").any(|method| method == "POST"), "Allow with POST")?;
    }
    Ok(())
}
