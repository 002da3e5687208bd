//! Tools: their descriptions, and calls that read, write and fail.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{done, post, refused, request, result, rpc_error, tool, tool_call};
use crate::context::{Context, key, minimal, with};
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

/// An id that no itinerary has.
const UNKNOWN: &str = "01890000-0000-7000-8000-000000000000";

pub(super) fn rows() -> Vec<Row> {
    let mcp = "MCP 2025-11-25";
    vec![
        row("mcp.tools.names", "4.7", "tools/list names each tool once, in plain characters.", names),
        row("mcp.tools.schemas", mcp, "Every tool has a description, and schemas of type object.", schemas),
        row("mcp.tools.annotations", mcp, "No tool claims to be read-only and destructive.", annotations),
        row("mcp.tools.cursor", mcp, "A cursor that the server did not issue is the error -32602.", cursor),
        row("mcp.tools.call.read", "4.7", "A tool returns an itinerary that the API created.", read),
        row("mcp.tools.call.text", mcp, "A result has structured content that fits its schema, and a text.", text),
        row("mcp.tools.call.write", "4.7", "A tool creates an itinerary that the API returns.", write),
        row("mcp.tools.call.idempotent", "9", "The same idempotency key creates one itinerary.", idempotent),
        row("mcp.tools.call.stale", "9", "An out-of-date version is a result with itineraryModified.", stale),
        row("mcp.tools.call.precondition", "9", "A change without the version is rejected.", precondition),
        row("mcp.tools.call.not-found", "7.1", "An unknown itinerary is a result with notFound.", not_found),
        row("mcp.tools.call.hidden", "7.1", "Another traveller's private itinerary is a result with notFound.", hidden),
        row("mcp.tools.call.invalid", "7.1", "An invalid argument is a result with validationFailed.", invalid),
        row("mcp.tools.call.unknown", mcp, "An unknown tool is the error -32602.", unknown),
        row("mcp.tools.call.malformed", mcp, "Arguments that are not an object are the error -32602.", malformed),
        row("mcp.tools.call.limits", "8", "A call counts against the limit of its tool's kind.", limits),
    ]
}

async fn list(context: &Context) -> Checked<(ReceivedResponse, Vec<Value>)> {
    let response = post(&context.app()?).json(&request("tools/list", &json!({}))).send().await?;
    let tools = result(&response)?["tools"].as_array().cloned().unwrap_or_default();
    response.ensure(!tools.is_empty(), "at least one tool in result.tools")?;
    Ok((response, tools))
}

async fn names(context: Context) -> Checked {
    let (response, tools) = list(&context).await?;
    let is_plain = |name: &&str| {
        (1..=128).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    let names: BTreeSet<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).filter(is_plain).collect();
    let expected = "a different name of letters, digits, _, - and . for each tool";
    response.ensure(names.len() == tools.len(), expected).map(drop)
}

async fn schemas(context: Context) -> Checked {
    let (response, tools) = list(&context).await?;
    for tool in tools {
        let of = format!("for the tool {}", tool["name"]);
        let has_text = tool["description"].as_str().is_some_and(|text| !text.is_empty());
        response.ensure(has_text, format!("a description {of}"))?;
        response.ensure(tool["inputSchema"]["type"] == "object", format!("an inputSchema of type object {of}"))?;
        let output = &tool["outputSchema"];
        let is_object = output.is_null() || output["type"] == "object";
        response.ensure(is_object, format!("an outputSchema of type object {of}"))?;
    }
    Ok(())
}

async fn annotations(context: Context) -> Checked {
    let (response, tools) = list(&context).await?;
    for tool in tools {
        let hints = &tool["annotations"];
        let contradicts = hints["readOnlyHint"] == true && hints["destructiveHint"] == true;
        response.ensure(!contradicts, format!("the tool {} not to be both", tool["name"]))?;
    }
    Ok(())
}

async fn cursor(context: Context) -> Checked {
    let message = request("tools/list", &json!({ "cursor": "made-up" }));
    let response = post(&context.app()?).json(&message).send().await?;
    rpc_error(&response, 200, -32602, &json!(1)).map(drop)
}

async fn read(context: Context) -> Checked {
    let made = context.itinerary(json!({ "title": "By the API" })).await?;
    let (response, result) = tool(&made.app, "get_itinerary", &json!({ "itineraryId": made.id })).await?;
    let found = &result["structuredContent"];
    response.ensure(found["itinerary"]["id"] == *made.id, "the itinerary in result.structuredContent.itinerary")?;
    response.ensure(found["itinerary"]["title"] == "By the API", "the title that was sent to the API")?;
    response.ensure(found["etag"] == *made.etag, "the API's ETag in result.structuredContent.etag").map(drop)
}

async fn text(context: Context) -> Checked {
    let (_, tools) = list(&context).await?;
    let (response, result) = tool(&context.app()?, "list_itineraries", &json!({})).await?;
    let block = &result["content"][0];
    let has_text = block["type"] == "text" && block["text"].as_str().is_some_and(|text| !text.is_empty());
    response.ensure(has_text, "a text in result.content")?;
    let structured = &result["structuredContent"];
    response.ensure(structured.is_object(), "result.structuredContent")?;
    let described = tools.iter().find(|tool| tool["name"] == "list_itineraries");
    let required = described.and_then(|tool| tool["outputSchema"]["required"].as_array()).cloned().unwrap_or_default();
    for name in required.iter().filter_map(Value::as_str) {
        let expected = format!("{name} in result.structuredContent, which the output schema requires");
        response.ensure(structured.get(name).is_some(), expected)?;
    }
    Ok(())
}

/// The arguments of a new itinerary, with further ones.
fn plan(arguments: Value) -> Value {
    with(with(minimal(), json!({ "allowDuplicate": true })), arguments)
}

async fn write(context: Context) -> Checked {
    let app = context.app()?;
    let planned = done(&app, "plan_itinerary", &plan(json!({ "title": "By a tool" }))).await?;
    let id = planned["itinerary"]["id"].as_str().unwrap_or_default();
    let response = app.get(&format!("/v1/itineraries/{id}")).send().await?;
    response.status(200)?.at("/title", "By a tool")?;
    response.ensure(planned["etag"] == response.etag()?, "the ETag that the tool returned").map(drop)
}

async fn idempotent(context: Context) -> Checked {
    let app = context.app()?;
    let arguments = plan(json!({ "idempotencyKey": key() }));
    let first = done(&app, "plan_itinerary", &arguments).await?;
    let (response, again) = tool(&app, "plan_itinerary", &arguments).await?;
    let id = &again["structuredContent"]["itinerary"]["id"];
    response.ensure(id.is_string() && id == &first["itinerary"]["id"], "the itinerary of the first call").map(drop)
}

async fn stale(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let rename = json!({ "itineraryId": made.id, "ifMatch": made.etag, "title": "Renamed" });
    done(&made.app, "update_itinerary", &rename).await?;
    refused(&made.app, "update_itinerary", &rename, "itineraryModified").await.map(drop)
}

async fn precondition(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let rename = json!({ "itineraryId": made.id, "title": "Renamed" });
    let (response, result) = tool(&made.app, "update_itinerary", &rename).await?;
    response.ensure(result["isError"] == true, "a result with isError true")?;
    made.view().await?.status(200)?.has("etag", &made.etag).map(drop)
}

async fn not_found(context: Context) -> Checked {
    let arguments = json!({ "itineraryId": UNKNOWN });
    let refused = refused(&context.app()?, "get_itinerary", &arguments, "notFound").await?;
    crate::outcome::ensure(refused["structuredContent"].is_null(), "no structuredContent in a result with isError")
}

async fn hidden(context: Context) -> Checked {
    let made = context.itinerary(json!({})).await?;
    let other = context.other(&made.app)?;
    refused(&other, "get_itinerary", &json!({ "itineraryId": made.id }), "notFound").await.map(drop)
}

async fn invalid(context: Context) -> Checked {
    let arguments = plan(json!({ "travellers": 0 }));
    refused(&context.app()?, "plan_itinerary", &arguments, "validationFailed").await.map(drop)
}

async fn unknown(context: Context) -> Checked {
    let response = post(&context.app()?).json(&tool_call("no_such_tool", &json!({}))).send().await?;
    rpc_error(&response, 200, -32602, &json!(1)).map(drop)
}

async fn malformed(context: Context) -> Checked {
    for arguments in [json!([]), json!("text")] {
        let response = post(&context.app()?).json(&tool_call("list_itineraries", &arguments)).send().await?;
        rpc_error(&response, 200, -32602, &json!(1))?;
    }
    Ok(())
}

async fn limits(context: Context) -> Checked {
    let app = context.app()?;
    let (response, _) = tool(&app, "list_itineraries", &json!({})).await?;
    response.has("ratelimit-limit", "120")?.has("ratelimit-policy", "120;w=60")?;
    let (response, _) = tool(&app, "explore_itineraries", &json!({})).await?;
    response.has("ratelimit-limit", "30")?.has("ratelimit-policy", "30;w=60")?;
    let (response, _) = tool(&app, "plan_itinerary", &plan(json!({ "dryRun": true }))).await?;
    response.has("ratelimit-limit", "60")?.has("ratelimit-policy", "60;w=60").map(drop)
}
