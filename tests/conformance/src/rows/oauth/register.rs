//! Registration of clients (RFC 7591). Only the two clients of these rows are registered; the other requests fail.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::clients::{Clients, LOOPBACK, REDIRECT};
use super::{refusal, refusal_of};
use crate::context::Context;
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::{Row, row};

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    let registered = |(id, section, promise), index: usize, check: fn(&ReceivedResponse) -> Checked| {
        let clients = Arc::clone(clients);
        row::<_, _>(id, section, promise, move |context: Context| {
            let clients = Arc::clone(&clients);
            async move { check(clients.registered(&context).await[index].as_ref().map_err(Clone::clone)?) }
        })
    };
    let mut rows = vec![
        registered(
            ("oauth.register.public", "4.1", "With the method none, a client is public and has no secret."),
            0,
            public,
        ),
        registered(
            ("oauth.register.confidential", "4.1", "Without a method, a client is confidential and gets a secret."),
            1,
            confidential,
        ),
        registered(
            ("oauth.register.echo", "RFC 7591, section 3.2.1", "The response contains the registered metadata."),
            0,
            echo,
        ),
        registered(
            ("oauth.register.unknown-metadata", "RFC 7591, section 2", "Unknown metadata is ignored."),
            0,
            unknown_metadata,
        ),
        registered(
            ("oauth.register.not-cached", "RFC 7591, section 3.2.1", "The response may not be cached."),
            1,
            not_cached,
        ),
        row("oauth.register.malformed", "7.2", "A body that is not a JSON object is an invalid_request.", malformed),
        row("oauth.register.form", "4.1", "Registration takes JSON and no form.", form),
        row("oauth.register.method", "4.1", "Other methods than POST answer 405 with Allow.", method),
    ];
    rows.extend(REDIRECTS.map(|(name, promise, redirect)| {
        let check = move |context: Context| refuses(context, json!({ "redirect_uris": [redirect] }), REDIRECT_ERROR);
        row(format!("oauth.register.redirect.{name}"), "5", promise, check)
    }));
    rows.extend([
        row(
            "oauth.register.redirect.one-of-many",
            "5",
            "One bad redirect address among good ones is rejected.",
            one_of_many,
        ),
        row("oauth.register.redirect.none", "4.1", "A registration without redirect addresses is rejected.", none),
    ]);
    rows.extend(metadata().map(|(name, promise, further)| {
        let check = move |context: Context| refuses(context, further.clone(), METADATA_ERROR);
        row(format!("oauth.register.metadata.{name}"), "RFC 7591, section 3.2.2", promise, check)
    }));
    rows
}

const REDIRECT_ERROR: &str = "invalid_redirect_uri";
const METADATA_ERROR: &str = "invalid_client_metadata";

const REDIRECTS: [(&str, &str, &str); 8] = [
    ("http", "A redirect address over http must be localhost or 127.0.0.1.", "http://conformance.invalid/callback"),
    ("scheme", "A redirect address with another scheme is rejected.", "com.example.app:/callback"),
    ("script", "A redirect address that runs a script is rejected.", "javascript:alert(1)"),
    ("relative", "A redirect address without scheme and host is rejected.", "/callback"),
    ("fragment", "A redirect address with a fragment is rejected.", "https://conformance.invalid/callback#part"),
    ("user", "A redirect address with a user name is rejected.", "http://localhost@conformance.invalid/callback"),
    (
        "lookalike",
        "A host that begins with localhost is not localhost.",
        "http://localhost.conformance.invalid/callback",
    ),
    (
        "lookalike-address",
        "A host that begins with 127.0.0.1 is not 127.0.0.1.",
        "http://127.0.0.1.conformance.invalid/",
    ),
];

fn metadata() -> [(&'static str, &'static str, Value); 5] {
    [
        (
            "method",
            "An unsupported way of client authentication is rejected.",
            json!({ "token_endpoint_auth_method": "private_key_jwt" }),
        ),
        (
            "grant-types",
            "Grant types without authorization_code are rejected.",
            json!({ "grant_types": ["client_credentials"] }),
        ),
        ("response-types", "Response types without code are rejected.", json!({ "response_types": ["token"] })),
        ("name", "A client_name of more than 100 characters is rejected.", json!({ "client_name": "n".repeat(101) })),
        ("name-type", "A client_name that is not text is rejected.", json!({ "client_name": 7 })),
    ]
}

/// Registers a client with this metadata, which must fail.
async fn refuses(context: Context, further: Value, error: &'static str) -> Checked {
    let mut metadata = json!({ "client_name": "Conformance tests (invalid)", "redirect_uris": [REDIRECT] });
    if let (Some(metadata), Value::Object(further)) = (metadata.as_object_mut(), further) {
        metadata.extend(further);
    }
    refusal(&register(&context, &metadata).await?, 400, error)
}

async fn register(context: &Context, metadata: &Value) -> Checked<ReceivedResponse> {
    context.call(Method::POST, "/oauth/register").json(metadata).send().await
}

fn public(response: &ReceivedResponse) -> Checked {
    let body = response.json_with(201)?;
    response.ensure(body["client_id"].as_str().is_some_and(|id| !id.is_empty()), "client_id")?;
    response.at("/token_endpoint_auth_method", "none")?.lacks("/client_secret").map(drop)
}

fn confidential(response: &ReceivedResponse) -> Checked {
    let body = response.json_with(201)?;
    response.ensure(body["client_id"].as_str().is_some_and(|id| !id.is_empty()), "client_id")?;
    response.ensure(body["client_secret"].as_str().is_some_and(|secret| secret.len() >= 32), "client_secret")?;
    // RFC 7591, 3.2.1: required with a secret, 0 if it does not expire.
    response.ensure(body["client_secret_expires_at"].is_u64(), "client_secret_expires_at")?;
    response.at("/token_endpoint_auth_method", "client_secret_basic").map(drop)
}

fn echo(response: &ReceivedResponse) -> Checked {
    let body = response.json_with(201)?;
    response.ensure(body["client_id_issued_at"].is_u64(), "client_id_issued_at")?;
    response.at("/client_name", "Conformance tests (OAuth, public)")?;
    response.at("/redirect_uris", json!([REDIRECT, LOOPBACK]))?;
    response.at("/grant_types", json!(["authorization_code", "refresh_token"]))?;
    response.at("/response_types", json!(["code"])).map(drop)
}

fn unknown_metadata(response: &ReceivedResponse) -> Checked {
    response.status(201)?.lacks("/require_auth_time").map(drop)
}

fn not_cached(response: &ReceivedResponse) -> Checked {
    response.status(201)?.has("cache-control", "no-store").map(drop)
}

async fn malformed(context: Context) -> Checked {
    for body in ["", "{", "[]", "\"text\""] {
        let call = context.call(Method::POST, "/oauth/register").body("application/json", body);
        refusal(&call.send().await?, 400, "invalid_request")?;
    }
    Ok(())
}

async fn form(context: Context) -> Checked {
    let call = context.call(Method::POST, "/oauth/register").form(&[("redirect_uris", REDIRECT)]);
    refusal(&call.send().await?, 400, "invalid_request")
}

async fn method(context: Context) -> Checked {
    for path in ["/oauth/register", "/oauth/token", "/oauth/revoke"] {
        let response = context.call(Method::GET, path).send().await?;
        refusal(&response, 405, "invalid_request")?;
        response.ensure(response.header("allow").split(", ").any(|method| method == "POST"), "Allow with POST")?;
    }
    Ok(())
}

async fn one_of_many(context: Context) -> Checked {
    let redirects = json!([REDIRECT, "http://conformance.invalid/callback"]);
    refuses(context, json!({ "redirect_uris": redirects }), REDIRECT_ERROR).await
}

async fn none(context: Context) -> Checked {
    for metadata in [json!({}), json!({ "redirect_uris": [] })] {
        refusal_of(&register(&context, &metadata).await?, 400, &[REDIRECT_ERROR, METADATA_ERROR])?;
    }
    Ok(())
}
