//! The resource that a token is for (RFC 8707): the whole service, or only its MCP endpoint.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use super::clients::{Clients, Scene, Tokens};
use super::{alive, ended, refusal, scene};
use crate::context::Context;
use crate::outcome::Checked;
use crate::row::Row;
use crate::sign_in::Pkce;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    let section = "RFC 8707, section 2";
    vec![
        scene(clients, ("oauth.resource.service", section, "A token for the base URL works everywhere."), service),
        scene(clients, ("oauth.resource.mcp", section, "A token for the MCP endpoint works there alone."), mcp),
        scene(clients, ("oauth.resource.kept", section, "A refresh keeps the resource."), kept),
        scene(
            clients,
            ("oauth.resource.other", section, "Another resource is an invalid_target at the token endpoint."),
            other,
        ),
        scene(
            clients,
            ("oauth.resource.wider", section, "A code for the MCP endpoint gives no token for the service."),
            wider,
        ),
    ]
}

/// Expects the token to work at the MCP endpoint.
async fn alive_at_mcp(context: &Context, token: &str) -> Checked {
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    context.call(Method::POST, "/mcp").token(token).json(&ping).send().await?.status(200).map(drop)
}

/// Tokens whose resource is named in both steps.
async fn tokens_for(scene: &Scene, resource: &str) -> Checked<Tokens> {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[("resource", resource)]).await?;
    Tokens::of(&scene.public.exchange(&code, &pkce, &[("resource", resource)]).send().await?)
}

fn endpoint(scene: &Scene) -> String {
    format!("{}/mcp", scene.context.service.base_url())
}

async fn service(scene: Scene) -> Checked {
    let tokens = tokens_for(&scene, scene.context.service.base_url()).await?;
    alive(&scene.context, &tokens.access).await?;
    alive_at_mcp(&scene.context, &tokens.access).await
}

async fn mcp(scene: Scene) -> Checked {
    let tokens = tokens_for(&scene, &endpoint(&scene)).await?;
    alive_at_mcp(&scene.context, &tokens.access).await?;
    ended(&scene.context, &tokens.access).await
}

async fn kept(scene: Scene) -> Checked {
    let first = tokens_for(&scene, &endpoint(&scene)).await?;
    let second = Tokens::of(&scene.public.refresh(&first.refresh, &[]).send().await?)?;
    alive_at_mcp(&scene.context, &second.access).await?;
    ended(&scene.context, &second.access).await
}

async fn other(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    let resource = ("resource", "https://conformance.invalid/");
    refusal(&scene.public.exchange(&code, &pkce, &[resource]).send().await?, 400, "invalid_target")?;
    let tokens = Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?)?;
    refusal(&scene.public.refresh(&tokens.refresh, &[resource]).send().await?, 400, "invalid_target")
}

async fn wider(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[("resource", &endpoint(&scene))]).await?;
    let resource = ("resource", scene.context.service.base_url());
    refusal(&scene.public.exchange(&code, &pkce, &[resource]).send().await?, 400, "invalid_target")
}
