//! The token endpoint: refreshing.

use std::sync::Arc;

use serde_json::json;

use super::clients::{Clients, Scene, Tokens};
use super::{READ_WRITE, alive, ended, refusal, scene};
use crate::outcome::{Checked, ensure};
use crate::row::Row;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    vec![
        scene(
            clients,
            ("oauth.refresh.rotation", "3", "Each refresh gives a new access and a new refresh token."),
            rotation,
        ),
        scene(clients, ("oauth.refresh.once", "3", "A refresh token works once."), once),
        scene(
            clients,
            ("oauth.refresh.reuse", "RFC 9700, section 4.14.2", "Using a refresh token again ends the whole sign-in."),
            reuse,
        ),
        scene(clients, ("oauth.refresh.unknown", "7.2", "An unknown refresh token is an invalid_grant."), unknown),
        scene(clients, ("oauth.refresh.not-access", "7.2", "An access token cannot be refreshed with."), not_access),
        scene(
            clients,
            ("oauth.refresh.client", "RFC 6749, section 6", "Another client cannot use the token, nor end it."),
            other_client,
        ),
        scene(
            clients,
            (
                "oauth.refresh.narrow",
                "RFC 6749, section 6",
                "A refresh may ask for fewer scopes, and later for all again.",
            ),
            narrow,
        ),
        scene(
            clients,
            ("oauth.refresh.wider", "RFC 6749, section 6", "A refresh for more than was approved is an invalid_scope."),
            wider,
        ),
        scene(clients, ("oauth.refresh.wrong-secret", "7.2", "A wrong secret is an invalid_client."), wrong_secret),
        scene(clients, ("oauth.refresh.missing", "4.1", "A refresh without its token is an invalid_request."), missing),
    ]
}

async fn refreshed(scene: &Scene, tokens: &Tokens) -> Checked<Tokens> {
    Tokens::of(&scene.public.refresh(&tokens.refresh, &[]).send().await?)
}

async fn rotation(scene: Scene) -> Checked {
    let first = scene.tokens(&scene.public, &[]).await?;
    let response = scene.public.refresh(&first.refresh, &[]).send().await?;
    let second = Tokens::of(&response)?;
    response.ensure(second.access != first.access && second.refresh != first.refresh, "two new tokens")?;
    response.at("/token_type", "Bearer")?.at("/expires_in", 3600)?.at("/scope", READ_WRITE)?;
    alive(&scene.context, &second.access).await
}

async fn once(scene: Scene) -> Checked {
    let first = scene.tokens(&scene.public, &[]).await?;
    refreshed(&scene, &first).await?;
    refusal(&scene.public.refresh(&first.refresh, &[]).send().await?, 400, "invalid_grant")
}

async fn reuse(scene: Scene) -> Checked {
    let first = scene.tokens(&scene.public, &[]).await?;
    let second = refreshed(&scene, &first).await?;
    let other = scene.tokens(&scene.public, &[]).await?;
    scene.public.refresh(&first.refresh, &[]).send().await?.status(400)?;
    for tokens in [&first, &second] {
        ended(&scene.context, &tokens.access).await?;
    }
    refusal(&scene.public.refresh(&second.refresh, &[]).send().await?, 400, "invalid_grant")?;
    alive(&scene.context, &other.access).await
}

async fn unknown(scene: Scene) -> Checked {
    refusal(&scene.public.refresh("unknown", &[]).send().await?, 400, "invalid_grant")
}

async fn not_access(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    refusal(&scene.public.refresh(&tokens.access, &[]).send().await?, 400, "invalid_grant")?;
    alive(&scene.context, &tokens.access).await
}

async fn other_client(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    refusal(&scene.confidential.refresh(&tokens.refresh, &[]).send().await?, 400, "invalid_grant")?;
    refreshed(&scene, &tokens).await.map(drop)
}

async fn narrow(scene: Scene) -> Checked {
    let all = scene.tokens(&scene.public, &[]).await?;
    let response = scene.public.refresh(&all.refresh, &[("scope", "itineraries:read")]).send().await?;
    let fewer = Tokens::of(&response)?;
    response.at("/scope", "itineraries:read")?;
    let create = scene.context.call(reqwest::Method::POST, "/v1/itineraries").token(&fewer.access);
    create.json(&json!({})).send().await?.error(403, "forbidden")?;
    ensure(refreshed(&scene, &fewer).await?.scope == READ_WRITE, "every approved scope after a refresh without a scope")
}

async fn wider(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    for scope in ["itineraries:read documents:read", "admin"] {
        let response = scene.public.refresh(&tokens.refresh, &[("scope", scope)]).send().await?;
        refusal(&response, 400, "invalid_scope")?;
    }
    refreshed(&scene, &tokens).await.map(drop)
}

async fn wrong_secret(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.confidential, &[]).await?;
    let response = scene.confidential.refresh(&tokens.refresh, &[("client_secret", "wrong")]).send().await?;
    refusal(&response, 401, "invalid_client")?;
    Tokens::of(&scene.confidential.refresh(&tokens.refresh, &[]).send().await?).map(drop)
}

async fn missing(scene: Scene) -> Checked {
    for field in ["refresh_token", "client_id"] {
        let response = scene.public.refresh("unknown", &[(field, "")]).send().await?;
        refusal(&response, 400, "invalid_request")?;
    }
    Ok(())
}
