//! How access tokens are sent and rejected (RFC 6750).

use std::sync::Arc;

use reqwest::Method;

use super::clients::{Clients, Scene};
use super::{call_with, scene};
use crate::context::Context;
use crate::outcome::Checked;
use crate::row::{Row, row};

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    vec![
        row("oauth.bearer.scheme", "RFC 9110, section 11.1", "The scheme Bearer is case-insensitive.", scheme),
        scene(clients, ("oauth.bearer.refresh-token", "5", "A refresh token is no access token."), refresh_token),
        scene(clients, ("oauth.bearer.code", "5", "A code is no access token."), code),
    ]
}

async fn scheme(context: Context) -> Checked {
    let token = context.app()?.token;
    for scheme in ["bearer", "BEARER"] {
        let call = context.call(Method::GET, "/v1/account").header("Authorization", &format!("{scheme} {token}"));
        call.send().await?.status(200)?;
    }
    Ok(())
}

async fn refresh_token(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    call_with(&scene.context, &tokens.refresh).await?.error(401, "unauthenticated").map(drop)
}

async fn code(scene: Scene) -> Checked {
    let code = scene.code(&scene.public, &crate::sign_in::Pkce::new(), &[]).await?;
    call_with(&scene.context, &code).await?.error(401, "unauthenticated").map(drop)
}
