//! The token endpoint: how clients prove themselves.

use std::sync::Arc;

use super::clients::{Client, Clients, Scene, Tokens};
use super::{alive, refusal, refusal_of, scene};
use crate::outcome::{Checked, Stop};
use crate::row::Row;
use crate::sign_in::Pkce;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    vec![
        scene(
            clients,
            ("oauth.token.client.unknown", "7.2", "An unknown client is an invalid_client."),
            unknown_client,
        ),
        scene(clients, ("oauth.token.client.post", "4.1", "A confidential client proves itself in the form."), by_form),
        scene(
            clients,
            (
                "oauth.token.client.basic",
                "RFC 6749, section 2.3.1",
                "A confidential client proves itself by HTTP Basic.",
            ),
            by_basic,
        ),
        scene(
            clients,
            ("oauth.token.client.no-secret", "4.1", "A confidential client must send its secret."),
            no_secret,
        ),
        scene(
            clients,
            ("oauth.token.client.wrong-secret", "7.2", "A wrong secret is an invalid_client."),
            wrong_secret,
        ),
        scene(
            clients,
            (
                "oauth.token.client.challenge",
                "RFC 6749, section 5.2",
                "After a wrong secret by Basic, the server asks for Basic.",
            ),
            challenge,
        ),
        scene(
            clients,
            (
                "oauth.token.client.both",
                "RFC 6749, section 2.3",
                "Two ways of authentication at once are an invalid_request.",
            ),
            both,
        ),
        scene(
            clients,
            ("oauth.token.client.public", "oauth_token", "A public client must not send a secret."),
            public_secret,
        ),
    ]
}

async fn unknown_client(scene: Scene) -> Checked {
    let response = scene.public.exchange("unknown", &Pkce::new(), &[("client_id", "unknown")]).send().await?;
    refusal(&response, 401, "invalid_client")
}

async fn by_form(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.confidential, &[]).await?;
    alive(&scene.context, &tokens.access).await
}

fn secret(client: &Client) -> Checked<&str> {
    let secret = client.secret.as_deref();
    secret.ok_or_else(|| Stop::skipped("the confidential client has no secret: see oauth.register.confidential"))
}

async fn by_basic(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let client = &scene.confidential;
    let code = scene.code(client, &pkce, &[]).await?;
    let call = client.exchange(&code, &pkce, &[("client_id", ""), ("client_secret", "")]);
    Tokens::of(&call.header("Authorization", &client.basic(secret(client)?)).send().await?).map(drop)
}

async fn no_secret(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.confidential, &pkce, &[]).await?;
    let response = scene.confidential.exchange(&code, &pkce, &[("client_secret", "")]).send().await?;
    refusal(&response, 401, "invalid_client")
}

async fn wrong_secret(scene: Scene) -> Checked {
    let response = scene.confidential.exchange("unknown", &Pkce::new(), &[("client_secret", "wrong")]).send().await?;
    refusal(&response, 401, "invalid_client")
}

async fn challenge(scene: Scene) -> Checked {
    let client = &scene.confidential;
    let call = client.exchange("unknown", &Pkce::new(), &[("client_id", ""), ("client_secret", "")]);
    let response = call.header("Authorization", &client.basic("wrong")).send().await?;
    refusal(&response, 401, "invalid_client")?;
    response.ensure(response.header("www-authenticate").starts_with("Basic"), "WWW-Authenticate: Basic").map(drop)
}

async fn both(scene: Scene) -> Checked {
    let client = &scene.confidential;
    let call = client.exchange("unknown", &Pkce::new(), &[]);
    let response = call.header("Authorization", &client.basic(secret(client)?)).send().await?;
    refusal(&response, 400, "invalid_request")
}

async fn public_secret(scene: Scene) -> Checked {
    let changes = [("client_secret", "unexpected")];
    let response = scene.public.exchange("unknown", &Pkce::new(), &changes).send().await?;
    // RFC 6749 has no error for it.
    response.ensure(matches!(response.status, 400 | 401), "status 401 or 400")?;
    refusal_of(&response, response.status, &["invalid_client", "invalid_request"])
}
