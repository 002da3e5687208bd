//! Access to the endpoint: tokens, scopes and origins.

use reqwest::Method;
use serde_json::{Value, json};

use super::{post, request, result, tool_call};
use crate::context::{Context, minimal, with};
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    vec![
        row("mcp.access.no-token", "4.7", "A request without a token is told where to discover the sign-in.", no_token),
        row("mcp.access.wrong-token", "3", "An unknown token answers unauthenticated with invalid_token.", wrong_token),
        row(
            "mcp.access.before-framing",
            "7.1",
            "A missing token is rejected before the message is read.",
            before_framing,
        ),
        row("mcp.access.scope", "5", "A tool whose scope is missing answers forbidden and names the scope.", scope),
        row("mcp.access.step-up", "MCP 2025-11-25", "The challenge names the granted and the missing scope.", step_up),
        row("mcp.access.list", "4.7", "tools/list names the same tools whatever the token's scopes are.", list_any),
        row("mcp.access.origin", "MCP 2025-11-25", "A web page of another origin answers 403.", origin),
        row("mcp.access.own-origin", "MCP 2025-11-25", "A web page on the server's own origin may call.", own_origin),
    ]
}

fn ping() -> Value {
    request("ping", &json!({}))
}

/// Expects a challenge that points to the discovery document of the endpoint.
fn points_to_discovery<'a>(context: &Context, response: &'a ReceivedResponse) -> Checked<&'a str> {
    let challenge = response.with_header("www-authenticate")?;
    let address = format!("{}/.well-known/oauth-protected-resource/mcp", context.service.base_url());
    let pointer = format!("resource_metadata=\"{address}\"");
    response.ensure(challenge.starts_with("Bearer "), "a challenge for Bearer in WWW-Authenticate")?;
    response.ensure(challenge.contains(&pointer), format!("{pointer} in WWW-Authenticate"))?;
    Ok(challenge)
}

async fn no_token(context: Context) -> Checked {
    let response = context.call(Method::POST, "/mcp").json(&ping()).send().await?;
    response.error(401, "unauthenticated")?;
    let challenge = points_to_discovery(&context, &response)?;
    response.ensure(!challenge.contains("error="), "a challenge without an error, because no token was sent").map(drop)
}

async fn wrong_token(context: Context) -> Checked {
    let response = context.call(Method::POST, "/mcp").token("unknown").json(&ping()).send().await?;
    response.error(401, "unauthenticated")?;
    let challenge = points_to_discovery(&context, &response)?;
    let says = challenge.contains("error=\"invalid_token\"");
    response.ensure(says, "error=\"invalid_token\" in WWW-Authenticate").map(drop)
}

async fn before_framing(context: Context) -> Checked {
    let call = context.call(Method::POST, "/mcp").body("application/json", "[");
    call.send().await?.error(401, "unauthenticated").map(drop)
}

/// The response to a tool that writes, for a token that may only read.
async fn over_reach(context: &Context) -> Checked<ReceivedResponse> {
    let (reader, _) = context.travellers.scoped("itineraries:read").await?;
    let arguments = with(minimal(), json!({ "dryRun": true }));
    post(&reader).json(&tool_call("plan_itinerary", &arguments)).send().await
}

async fn scope(context: Context) -> Checked {
    let response = over_reach(&context).await?;
    let details = response.error(403, "forbidden")?;
    response
        .ensure(details["required"] == "itineraries:write", "error.details.required \"itineraries:write\"")
        .map(drop)
}

async fn step_up(context: Context) -> Checked {
    let response = over_reach(&context).await?;
    response.status(403)?;
    let challenge = points_to_discovery(&context, &response)?;
    let says = challenge.contains("error=\"insufficient_scope\"");
    response.ensure(says, "error=\"insufficient_scope\" in WWW-Authenticate")?;
    let scopes = "scope=\"itineraries:read itineraries:write\"";
    response.ensure(challenge.contains(scopes), format!("{scopes} in WWW-Authenticate")).map(drop)
}

async fn list_any(context: Context) -> Checked {
    let (reader, full) = context.travellers.scoped("itineraries:read").await?;
    let list = request("tools/list", &json!({}));
    let all = result(&post(&full).json(&list).send().await?)?;
    let response = post(&reader).json(&list).send().await?;
    response
        .ensure(result(&response)?["tools"] == all["tools"], "the tools that a token with every scope is shown")
        .map(drop)
}

async fn origin(context: Context) -> Checked {
    let app = context.app()?;
    for origin in ["https://evil.example", "null"] {
        let response = post(&app).header("Origin", origin).json(&ping()).send().await?;
        response.error(403, "forbidden")?;
        let allowed = response.header("access-control-allow-origin");
        response.ensure(allowed.is_empty(), "no Access-Control-Allow-Origin")?;
    }
    Ok(())
}

async fn own_origin(context: Context) -> Checked {
    let own = context.service.base_url();
    let response = post(&context.app()?).header("Origin", own).json(&ping()).send().await?;
    result(&response)?;
    response.has("access-control-allow-origin", own).map(drop)
}
