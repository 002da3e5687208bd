//! How access tokens are sent and rejected (RFC 6750).

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use super::clients::{Clients, Scene};
use super::{call_with, scene};
use crate::context::Context;
use crate::outcome::Checked;
use crate::row::{Row, row};

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    vec![
        row("oauth.bearer.scheme", "RFC 9110, 11.1", "The scheme Bearer is case-insensitive.", scheme),
        row("oauth.bearer.query", "RFC 9700, 4.3.2", "A token in the query is ignored.", query),
        row("oauth.bearer.challenge", "RFC 6750, 3", "A missing token is challenged without an error.", no_token),
        row("oauth.bearer.invalid", "RFC 6750, 3.1", "An unknown token is challenged with invalid_token.", unknown),
        row(
            "oauth.bearer.scope",
            "RFC 6750, 3.1",
            "A missing scope is challenged with insufficient_scope.",
            missing_scope,
        ),
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

async fn query(context: Context) -> Checked {
    let address = format!("/v1/account?access_token={}", context.app()?.token);
    // The token must not appear in a report.
    match context.call(Method::GET, &address).send().await?.error(401, "unauthenticated") {
        Ok(_) => Ok(()),
        Err(_) => crate::outcome::ensure(false, "401 unauthenticated for GET /v1/account?access_token=…"),
    }
}

async fn no_token(context: Context) -> Checked {
    let answer = context.call(Method::GET, "/v1/account").send().await?;
    answer.error(401, "unauthenticated")?;
    let challenge = answer.with_header("www-authenticate")?;
    let expected = "WWW-Authenticate: Bearer without an error";
    answer.ensure(challenge.starts_with("Bearer") && !challenge.contains("error="), expected).map(drop)
}

async fn unknown(context: Context) -> Checked {
    let answer = call_with(&context, "unknown").await?;
    answer.error(401, "unauthenticated")?;
    let expected = "WWW-Authenticate: Bearer with error=\"invalid_token\"";
    answer.ensure(answer.header("www-authenticate").contains("error=\"invalid_token\""), expected).map(drop)
}

async fn missing_scope(context: Context) -> Checked {
    let (reader, _) = context.travellers.scoped("itineraries:read").await?;
    let answer = reader.post("/v1/itineraries", &json!({})).send().await?;
    let details = answer.error(403, "forbidden")?;
    answer.ensure(details["required"] == "itineraries:write", "error.details.required \"itineraries:write\"")?;
    let challenge = answer.header("www-authenticate");
    for part in ["error=\"insufficient_scope\"", "itineraries:write"] {
        answer.ensure(challenge.contains(part), format!("{part} in WWW-Authenticate"))?;
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
