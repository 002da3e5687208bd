//! Versions of the protocol: the handshake of earlier versions, and the requests of the current one.

use serde_json::{Value, json};

use super::{LEGACY, MODERN, post, request, result, rpc_error};
use crate::call::Call;
use crate::context::Context;
use crate::outcome::Checked;
use crate::row::{Row, row};
use crate::travellers::App;

const VERSION: &str = "MCP-Protocol-Version";
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY]
        .map(|version| {
            let promise = format!("initialize agrees on version {version} and declares tools.");
            let check = move |context: Context| initialize(context, version, version);
            row(format!("mcp.initialize.{version}"), format!("MCP {version}"), promise, check)
        })
        .into();
    let fallback = move |context: Context| initialize(context, "2099-01-01", LEGACY);
    rows.extend([
        row(
            "mcp.initialize.unknown",
            "MCP 2025-11-25",
            "initialize proposes 2025-11-25 for an unknown version.",
            fallback,
        ),
        row("mcp.version.header", "MCP 2025-11-25", "An unknown MCP-Protocol-Version answers 400.", unknown_header),
        row(
            "mcp.discover",
            "MCP 2026-07-28",
            "server/discover lists versions and capabilities without a handshake.",
            discover,
        ),
        row(
            "mcp.modern.list",
            "MCP 2026-07-28",
            "Lists are complete results that say how long they may be cached.",
            modern_list,
        ),
        row("mcp.modern.headers", "MCP 2026-07-28", "Headers that differ from the body are the error -32020.", headers),
        row(
            "mcp.modern.capabilities",
            "MCP 2026-07-28",
            "A request without the client's capabilities is the error -32602.",
            capabilities,
        ),
        row(
            "mcp.modern.version",
            "MCP 2026-07-28",
            "An unsupported version is the error -32022 with the supported ones.",
            unsupported,
        ),
        row("mcp.modern.removed", "MCP 2026-07-28", "Removed methods answer 404 with the error -32601.", removed),
    ]);
    rows
}

/// A request as clients send it since 2026-07-28.
fn modern(method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({ META_VERSION: MODERN, META_CAPABILITIES: {} });
    request(method, &params)
}

/// A call with the headers of a request since 2026-07-28.
fn modern_post(app: &App, method: &str) -> Call {
    post(app).header(VERSION, MODERN).header("Mcp-Method", method)
}

async fn initialize(context: Context, asked: &'static str, agreed: &'static str) -> Checked {
    let client = json!({ "name": "conformance", "version": env!("CARGO_PKG_VERSION") });
    let params = json!({ "protocolVersion": asked, "capabilities": {}, "clientInfo": client });
    let response = post(&context.app()?).json(&request("initialize", &params)).send().await?;
    let welcome = result(&response)?;
    response.ensure(welcome["protocolVersion"] == agreed, format!("result.protocolVersion \"{agreed}\""))?;
    response.ensure(welcome["capabilities"]["tools"].is_object(), "result.capabilities.tools")?;
    response.ensure(welcome["serverInfo"]["name"].is_string(), "result.serverInfo.name").map(drop)
}

async fn unknown_header(context: Context) -> Checked {
    let call = post(&context.app()?).header(VERSION, "2099-01-01");
    call.json(&request("tools/list", &json!({}))).send().await?.status(400).map(drop)
}

async fn discover(context: Context) -> Checked {
    let message = modern("server/discover", &json!({}));
    let response = modern_post(&context.app()?, "server/discover").json(&message).send().await?;
    let found = result(&response)?;
    let versions = found["supportedVersions"].as_array().cloned().unwrap_or_default();
    response.ensure(versions.contains(&json!(MODERN)), format!("\"{MODERN}\" in result.supportedVersions"))?;
    response.ensure(found["capabilities"]["tools"].is_object(), "result.capabilities.tools").map(drop)
}

async fn modern_list(context: Context) -> Checked {
    let response = modern_post(&context.app()?, "tools/list").json(&modern("tools/list", &json!({}))).send().await?;
    let list = result(&response)?;
    response.ensure(list["resultType"] == "complete", "result.resultType \"complete\"")?;
    response.ensure(list["ttlMs"].is_u64(), "result.ttlMs")?;
    response
        .ensure(["public", "private"].iter().any(|scope| list["cacheScope"] == *scope), "result.cacheScope")
        .map(drop)
}

async fn headers(context: Context) -> Checked {
    let app = context.app()?;
    let list = modern("tools/list", &json!({}));
    for call in [
        post(&app),
        post(&app).header("Mcp-Method", "tools/list"),
        post(&app).header(VERSION, MODERN),
        post(&app).header(VERSION, LEGACY).header("Mcp-Method", "tools/list"),
        modern_post(&app, "tools/call"),
    ] {
        rpc_error(&call.json(&list).send().await?, 400, -32020, &json!(1))?;
    }
    let call = modern("tools/call", &json!({ "name": "list_itineraries", "arguments": {} }));
    let other = modern_post(&context.app()?, "tools/call").header("Mcp-Name", "plan_itinerary");
    rpc_error(&other.json(&call).send().await?, 400, -32020, &json!(1)).map(drop)
}

async fn capabilities(context: Context) -> Checked {
    let mut message = modern("tools/list", &json!({}));
    message["params"]["_meta"] = json!({ META_VERSION: MODERN });
    let response = modern_post(&context.app()?, "tools/list").json(&message).send().await?;
    rpc_error(&response, 400, -32602, &json!(1)).map(drop)
}

async fn unsupported(context: Context) -> Checked {
    let mut message = modern("tools/list", &json!({}));
    message["params"]["_meta"][META_VERSION] = json!("2099-01-01");
    let call = post(&context.app()?).header(VERSION, "2099-01-01").header("Mcp-Method", "tools/list");
    let response = call.json(&message).send().await?;
    let data = rpc_error(&response, 400, -32022, &json!(1))?;
    let versions = data["supported"].as_array().cloned().unwrap_or_default();
    response.ensure(versions.contains(&json!(MODERN)), format!("\"{MODERN}\" in error.data.supported")).map(drop)
}

async fn removed(context: Context) -> Checked {
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let response = modern_post(&context.app()?, method).json(&modern(method, &json!({}))).send().await?;
        rpc_error(&response, 404, -32601, &json!(1))?;
    }
    Ok(())
}
