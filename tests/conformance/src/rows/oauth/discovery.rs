//! Discovery documents (RFC 8414, RFC 9728).

use reqwest::Method;
use serde_json::{Value, json};

use crate::context::Context;
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

const SERVER: &str = "/.well-known/oauth-authorization-server";
const SCOPES: [&str; 4] = ["itineraries:read", "itineraries:write", "documents:read", "documents:write"];

pub(super) fn rows() -> Vec<Row> {
    let (server, resource) = ("RFC 8414, section 2", "RFC 9728, section 2");
    vec![
        row("discovery.server.issuer", server, "The issuer is the base URL, character for character.", issuer),
        row("discovery.server.endpoints", "4.1", "The document names the endpoints below the base URL.", endpoints),
        row("discovery.server.pkce", "5", "The only response type is code, with PKCE by S256 alone.", pkce),
        row("discovery.server.grants", "4.1", "Codes and refresh tokens are the only grants.", grants),
        row("discovery.server.scopes", "5", "The document lists the four scopes.", scopes),
        row("discovery.server.clients", "4.1", "Clients prove themselves by Basic, by form, or are public.", clients),
        row("discovery.server.iss", "RFC 9207, section 3", "The document announces the issuer in redirects.", iss),
        row(
            "discovery.resource.mcp",
            "4.7",
            "The MCP endpoint names itself and its authorisation server.",
            resource_mcp,
        ),
        row("discovery.resource.api", resource, "The service names itself and its authorisation server.", resource_api),
        row("discovery.cors", resource, "Web pages of any origin may read the documents.", cors),
        row(
            "discovery.unknown",
            "RFC 8414, section 3",
            "Other documents are not there: 404 and no server error.",
            unknown,
        ),
    ]
}

async fn read(context: &Context, path: &str) -> Checked<(ReceivedResponse, Value)> {
    let response = context.call(Method::GET, path).send().await?;
    let document = response.json_with(200)?;
    Ok((response, document))
}

async fn issuer(context: Context) -> Checked {
    read(&context, SERVER).await?.0.at("/issuer", context.service.base_url()).map(drop)
}

async fn endpoints(context: Context) -> Checked {
    let (response, _) = read(&context, SERVER).await?;
    for (member, path) in [
        ("authorization_endpoint", "/oauth/authorise"),
        ("token_endpoint", "/oauth/token"),
        ("registration_endpoint", "/oauth/register"),
        ("revocation_endpoint", "/oauth/revoke"),
    ] {
        response.at(&format!("/{member}"), format!("{}{path}", context.service.base_url()))?;
    }
    Ok(())
}

async fn pkce(context: Context) -> Checked {
    let (response, _) = read(&context, SERVER).await?;
    response.at("/response_types_supported", json!(["code"]))?;
    response.at("/code_challenge_methods_supported", json!(["S256"])).map(drop)
}

async fn grants(context: Context) -> Checked {
    let expected = json!(["authorization_code", "refresh_token"]);
    read(&context, SERVER).await?.0.at("/grant_types_supported", expected).map(drop)
}

async fn scopes(context: Context) -> Checked {
    let (response, document) = read(&context, SERVER).await?;
    let listed = document["scopes_supported"].as_array().cloned().unwrap_or_default();
    let all = listed.len() == SCOPES.len() && SCOPES.iter().all(|scope| listed.contains(&json!(scope)));
    response.ensure(all, format!("scopes_supported with {} and no more", SCOPES.join(", "))).map(drop)
}

async fn clients(context: Context) -> Checked {
    let (response, document) = read(&context, SERVER).await?;
    let listed = document["token_endpoint_auth_methods_supported"].as_array().cloned().unwrap_or_default();
    for method in ["client_secret_basic", "client_secret_post", "none"] {
        let expected = format!("\"{method}\" in token_endpoint_auth_methods_supported");
        response.ensure(listed.contains(&json!(method)), expected)?;
    }
    Ok(())
}

async fn iss(context: Context) -> Checked {
    read(&context, SERVER).await?.0.at("/authorization_response_iss_parameter_supported", true).map(drop)
}

/// Checks the document of a resource below the base URL.
async fn describes(context: &Context, path: &str, resource: &str) -> Checked {
    let (response, document) = read(context, path).await?;
    let base_url = context.service.base_url();
    response.at("/resource", format!("{base_url}{resource}"))?;
    response.at("/authorization_servers", json!([base_url]))?;
    response.at("/bearer_methods_supported", json!(["header"]))?;
    let scopes = document["scopes_supported"].as_array().cloned().unwrap_or_default();
    let known = !scopes.is_empty() && scopes.iter().all(|scope| SCOPES.iter().any(|known| scope == known));
    response.ensure(known, "scopes_supported with scopes of the specification").map(drop)
}

async fn resource_mcp(context: Context) -> Checked {
    describes(&context, "/.well-known/oauth-protected-resource/mcp", "/mcp").await
}

async fn resource_api(context: Context) -> Checked {
    describes(&context, "/.well-known/oauth-protected-resource", "").await
}

async fn cors(context: Context) -> Checked {
    for path in [SERVER, "/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let response = context.call(Method::GET, path).header("Origin", "https://conformance.invalid").send().await?;
        response.status(200)?.has("access-control-allow-origin", "*")?;
    }
    Ok(())
}

async fn unknown(context: Context) -> Checked {
    for name in ["openid-configuration", "oauth-protected-resource/v1", "no-such-document"] {
        context.call(Method::GET, &format!("/.well-known/{name}")).send().await?.status(404)?;
    }
    Ok(())
}
