//! The token endpoint: exchanging a code.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use super::clients::{Clients, LOOPBACK, Scene, Tokens};
use super::{READ_WRITE, alive, ended, refusal, scene};
use crate::outcome::{Checked, ensure};
use crate::row::Row;
use crate::sign_in::Pkce;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    let mut rows = vec![
        scene(
            clients,
            ("oauth.token.response", "2.14", "A code gives access and refresh token, type, lifetime and scope."),
            response,
        ),
        scene(clients, ("oauth.token.works", "5", "The access token acts for the traveller who approved."), works),
        scene(
            clients,
            ("oauth.token.scope.default", "oauth_authorise", "Without a scope, the token may read itineraries."),
            default_scope,
        ),
        scene(clients, ("oauth.token.scope.offline", "5", "offline_access is accepted."), offline),
        scene(
            clients,
            ("oauth.token.not-cached", "RFC 6749, section 5.1", "Neither tokens nor errors may be cached."),
            not_cached,
        ),
        scene(clients, ("oauth.token.once", "3", "An authorisation code works once."), once),
        scene(
            clients,
            ("oauth.token.reuse", "RFC 6749, section 4.1.2", "Using a code again ends the tokens that it gave."),
            reuse,
        ),
        scene(
            clients,
            (
                "oauth.token.reuse.unproven",
                "RFC 9700, section 2.1.1",
                "Using a code again without its verifier ends nothing.",
            ),
            unproven,
        ),
        scene(
            clients,
            ("oauth.token.code.client", "7.2", "A code of another client is an invalid_grant."),
            other_client,
        ),
        scene(clients, ("oauth.token.form", "4.1", "The endpoint takes forms and no JSON."), form),
        scene(
            clients,
            ("oauth.token.repeated", "RFC 6749, section 3.2", "A field that is sent twice is an invalid_request."),
            repeated,
        ),
        scene(
            clients,
            ("oauth.token.grant-type", "RFC 6749, section 5.2", "Any other grant is an unsupported_grant_type."),
            grant_type,
        ),
    ];
    rows.extend(GRANTS.map(|(name, promise, field, value)| {
        let id = format!("oauth.token.code.{name}");
        scene(clients, (&id, "7.2", promise), move |scene: Scene| async move {
            let pkce = Pkce::new();
            let code = scene.code(&scene.public, &pkce, &[]).await?;
            refusal(&scene.public.exchange(&code, &pkce, &[(field, value)]).send().await?, 400, "invalid_grant")?;
            // The failure does not use the code up.
            Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?).map(drop)
        })
    }));
    rows.extend(["code", "code_verifier", "redirect_uri", "client_id", "grant_type"].map(|field| {
        let (id, promise) = (
            format!("oauth.token.missing.{}", field.replace('_', "-")),
            format!("An exchange without {field} is rejected."),
        );
        scene(clients, (&id, "4.1", &promise), move |scene: Scene| async move {
            let answer = scene.public.exchange("unknown", &Pkce::new(), &[(field, "")]).send().await?;
            refusal(&answer, 400, "invalid_request")
        })
    }));
    rows
}

/// As long as a verifier may be at least.
const OTHER_VERIFIER: &str = "an-other-verifier-of-forty-three-characters";

const GRANTS: [(&str, &str, &str, &str); 4] = [
    ("unknown", "An unknown code is an invalid_grant.", "code", "unknown"),
    ("verifier", "Another verifier is an invalid_grant.", "code_verifier", OTHER_VERIFIER),
    ("short-verifier", "A verifier of fewer than 43 characters is an invalid_grant.", "code_verifier", "short"),
    ("redirect", "Another redirect address of the client is an invalid_grant.", "redirect_uri", LOOPBACK),
];

async fn response(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    let answer = scene.public.exchange(&code, &pkce, &[]).send().await?;
    Tokens::of(&answer)?;
    answer.at("/token_type", "Bearer")?.at("/expires_in", 3600)?.at("/scope", READ_WRITE).map(drop)
}

async fn works(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[]).await?;
    let answer = scene.context.call(Method::GET, "/v1/account").token(&tokens.access).send().await?;
    answer.status(200)?.at("/username", scene.traveller()?.username.as_str())?;
    answer.at("/scopes", json!(["itineraries:read", "itineraries:write"])).map(drop)
}

async fn default_scope(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[("scope", "")]).await?;
    ensure(tokens.scope == "itineraries:read", "the scope itineraries:read in the token response")
}

async fn offline(scene: Scene) -> Checked {
    let tokens = scene.tokens(&scene.public, &[("scope", "itineraries:read offline_access")]).await?;
    let scopes: Vec<&str> = tokens.scope.split(' ').collect();
    ensure(scopes.contains(&"itineraries:read"), "the scope itineraries:read in the token response")?;
    alive(&scene.context, &tokens.access).await
}

async fn not_cached(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    scene.public.exchange(&code, &pkce, &[]).send().await?.status(200)?.has("cache-control", "no-store")?;
    let refused = scene.public.exchange("unknown", &pkce, &[]).send().await?;
    refused.status(400)?.has("cache-control", "no-store").map(drop)
}

async fn once(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?)?;
    refusal(&scene.public.exchange(&code, &pkce, &[]).send().await?, 400, "invalid_grant")
}

async fn reuse(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    let tokens = Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?)?;
    alive(&scene.context, &tokens.access).await?;
    scene.public.exchange(&code, &pkce, &[]).send().await?.status(400)?;
    ended(&scene.context, &tokens.access).await?;
    refusal(&scene.public.refresh(&tokens.refresh, &[]).send().await?, 400, "invalid_grant")
}

async fn unproven(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    let tokens = Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?)?;
    let again = scene.public.exchange(&code, &pkce, &[("code_verifier", OTHER_VERIFIER)]).send().await?;
    refusal(&again, 400, "invalid_grant")?;
    alive(&scene.context, &tokens.access).await
}

async fn other_client(scene: Scene) -> Checked {
    let pkce = Pkce::new();
    let code = scene.code(&scene.public, &pkce, &[]).await?;
    refusal(&scene.confidential.exchange(&code, &pkce, &[]).send().await?, 400, "invalid_grant")?;
    Tokens::of(&scene.public.exchange(&code, &pkce, &[]).send().await?).map(drop)
}

async fn form(scene: Scene) -> Checked {
    let body = json!({ "grant_type": "refresh_token", "refresh_token": "unknown", "client_id": scene.public.id });
    let answer = scene.context.call(Method::POST, "/oauth/token").json(&body).send().await?;
    refusal(&answer, 400, "invalid_request")
}

async fn repeated(scene: Scene) -> Checked {
    let fields = [("grant_type", "refresh_token"), ("refresh_token", "unknown"), ("client_id", &*scene.public.id)];
    for field in fields {
        let twice: Vec<_> = fields.into_iter().chain([field]).collect();
        refusal(&scene.public.token_call(&twice).send().await?, 400, "invalid_request")?;
    }
    Ok(())
}

async fn grant_type(scene: Scene) -> Checked {
    for grant in ["password", "client_credentials", "implicit"] {
        let answer = scene.public.exchange("unknown", &Pkce::new(), &[("grant_type", grant)]).send().await?;
        refusal(&answer, 400, "unsupported_grant_type")?;
    }
    Ok(())
}
