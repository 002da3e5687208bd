//! Revocation (RFC 7009).

use std::sync::Arc;

use super::clients::{Clients, Scene, Tokens};
use super::{alive, ended, refusal, scene};
use crate::outcome::Checked;
use crate::row::Row;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    let section = "RFC 7009, section 2";
    vec![
        scene(clients, ("oauth.revoke.access", section, "Revoking an access token ends the sign-in at once."), access),
        scene(
            clients,
            ("oauth.revoke.refresh", section, "Revoking a refresh token ends its access tokens, too."),
            refresh,
        ),
        scene(
            clients,
            ("oauth.revoke.unknown", "RFC 7009, section 2.2", "Revoking an unknown token succeeds."),
            unknown,
        ),
        scene(clients, ("oauth.revoke.hint", "RFC 7009, section 2.1", "The token type is only a hint."), hint),
        scene(
            clients,
            ("oauth.revoke.client", "RFC 7009, section 2.1", "Another client cannot revoke a token."),
            other_client,
        ),
        scene(
            clients,
            ("oauth.revoke.wrong-secret", "RFC 7009, section 2.1", "A wrong secret is an invalid_client."),
            wrong_secret,
        ),
        scene(
            clients,
            ("oauth.revoke.missing", "RFC 7009, section 2.1", "A request without a token is an invalid_request."),
            missing,
        ),
    ]
}

async fn access(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    scene.public.revoke(&tokens.access, &[]).send().await?.status(200)?;
    ended(&scene.context, &tokens.access).await?;
    refusal(&scene.public.refresh(&tokens.refresh, &[]).send().await?, 400, "invalid_grant")
}

async fn refresh(scene: Scene) -> Checked {
    let client = &scene.confidential;
    let tokens = scene.tokens(client, &[]).await?;
    client.revoke(&tokens.refresh, &[]).send().await?.status(200)?;
    ended(&scene.context, &tokens.access).await?;
    refusal(&client.refresh(&tokens.refresh, &[]).send().await?, 400, "invalid_grant")
}

async fn unknown(scene: Scene) -> Checked {
    scene.public.revoke("unknown", &[]).send().await?.status(200).map(drop)
}

async fn hint(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    let call = scene.public.revoke(&tokens.access, &[("token_type_hint", "refresh_token")]);
    call.send().await?.status(200)?;
    ended(&scene.context, &tokens.access).await
}

async fn other_client(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    // RFC 7009 lets the server refuse, or answer as for an unknown token.
    scene.confidential.revoke(&tokens.access, &[]).send().await?;
    alive(&scene.context, &tokens.access).await?;
    Tokens::of(&scene.public.refresh(&tokens.refresh, &[]).send().await?).map(drop)
}

async fn wrong_secret(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.confidential, &[]).await?;
    let response = scene.confidential.revoke(&tokens.access, &[("client_secret", "wrong")]).send().await?;
    refusal(&response, 401, "invalid_client")?;
    alive(&scene.context, &tokens.access).await
}

async fn missing(scene: Scene) -> Checked {
    refusal(&scene.public.revoke("", &[("token", "")]).send().await?, 400, "invalid_request")
}
