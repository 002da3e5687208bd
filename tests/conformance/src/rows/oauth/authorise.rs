//! The authorisation endpoint: which requests it rejects, and that it redirects none of them.

use std::sync::Arc;

use super::clients::{Client, Clients, LOOPBACK, Scene};
use super::{refusal, refusal_of, scene};
use crate::browser::Browser;
use crate::outcome::Checked;
use crate::response::ReceivedResponse;
use crate::row::Row;
use crate::sign_in::Pkce;
use reqwest::Method;

pub(super) fn rows(clients: &Arc<Clients>) -> Vec<Row> {
    let mut rows = vec![
        scene(
            clients,
            ("oauth.authorise.client", "7.2", "An unknown client is an invalid_client and is not redirected."),
            unknown_client,
        ),
        scene(
            clients,
            (
                "oauth.authorise.repeated",
                "RFC 6749, section 3.1",
                "A parameter that is sent twice is an invalid_request.",
            ),
            repeated,
        ),
        scene(
            clients,
            ("oauth.authorise.page", "oauth_authorise", "A browser is shown an error as a page, not as a redirect."),
            page,
        ),
        scene(
            clients,
            ("oauth.authorise.sign-in", "5", "Without a session, a valid request leads to the sign-in page."),
            sign_in,
        ),
        scene(
            clients,
            ("oauth.authorise.framing", "RFC 9700, section 4.16", "No web page may show the sign-in in a frame."),
            framing,
        ),
        scene(
            clients,
            ("oauth.authorise.no-cors", "RFC 9700, section 2.6", "No web page may call the endpoint by script."),
            no_cors,
        ),
        scene(
            clients,
            ("oauth.authorise.loopback", "RFC 8252, section 7.3", "The port of a loopback redirect address is free."),
            loopback,
        ),
    ];
    rows.extend(REDIRECTS.map(|(name, promise, redirect)| {
        let id = format!("oauth.authorise.redirect.{name}");
        scene(clients, (&id, "RFC 6749, section 3.1.2.3", promise), move |scene: Scene| async move {
            let response = asked(&scene, &scene.public, &[("redirect_uri", redirect)]).await?;
            refusal_of(&response, 400, &["invalid_redirect_uri", "invalid_request"])
        })
    }));
    rows.extend(PARAMETERS.map(|(name, section, promise, parameter, value, error)| {
        let id = format!("oauth.authorise.{name}");
        scene(clients, (&id, section, promise), move |scene: Scene| async move {
            for client in [&scene.public, &scene.confidential] {
                refusal(&asked(&scene, client, &[(parameter, value)]).await?, 400, error)?;
            }
            Ok(())
        })
    }));
    rows
}

const REDIRECTS: [(&str, &str, &str); 5] = [
    ("missing", "A request without a redirect address is not redirected.", ""),
    (
        "slash",
        "A redirect address with another path is not redirected to.",
        "https://conformance.invalid/callback/?keep=1",
    ),
    (
        "query",
        "A redirect address with another query is not redirected to.",
        "https://conformance.invalid/callback?keep=2",
    ),
    (
        "port",
        "A redirect address with another port is not redirected to.",
        "https://conformance.invalid:8443/callback?keep=1",
    ),
    (
        "host",
        "A redirect address on a subdomain is not redirected to.",
        "https://www.conformance.invalid/callback?keep=1",
    ),
];

const PARAMETERS: [(&str, &str, &str, &str, &str, &str); 9] = [
    (
        "response-type",
        "4.1",
        "Any response type but code is rejected.",
        "response_type",
        "token",
        "unsupported_response_type",
    ),
    (
        "no-response-type",
        "4.1",
        "A request without a response type is rejected.",
        "response_type",
        "",
        "invalid_request",
    ),
    (
        "challenge.missing",
        "5",
        "PKCE is required, of confidential clients too.",
        "code_challenge",
        "",
        "invalid_request",
    ),
    (
        "challenge.malformed",
        "5",
        "A challenge that is no SHA-256 in base64url is rejected.",
        "code_challenge",
        "short",
        "invalid_request",
    ),
    (
        "challenge.plain",
        "5",
        "The challenge method plain is rejected.",
        "code_challenge_method",
        "plain",
        "invalid_request",
    ),
    (
        "challenge.no-method",
        "5",
        "An absent challenge method means plain, which is rejected.",
        "code_challenge_method",
        "",
        "invalid_request",
    ),
    ("scope.unknown", "5", "An unknown scope is an invalid_scope.", "scope", "itineraries:read admin", "invalid_scope"),
    ("scope.case", "5", "Scopes are case-sensitive.", "scope", "Itineraries:Read", "invalid_scope"),
    (
        "resource",
        "RFC 8707, section 2",
        "A resource of another service is an invalid_target.",
        "resource",
        "https://conformance.invalid/",
        "invalid_target",
    ),
];

/// The response to a program that sends a request with some parameters replaced.
async fn asked(scene: &Scene, client: &Client, changes: &[(&str, &str)]) -> Checked<ReceivedResponse> {
    get(scene, &client.authorise(&Pkce::new(), changes)).await
}

async fn get(scene: &Scene, address: &str) -> Checked<ReceivedResponse> {
    scene.context.call(Method::GET, address).header("Accept", "application/json").send().await
}

async fn unknown_client(scene: Scene) -> Checked {
    refusal(&asked(&scene, &scene.public, &[("client_id", "unknown")]).await?, 401, "invalid_client")?;
    refusal(&asked(&scene, &scene.public, &[("client_id", "")]).await?, 400, "invalid_request")
}

async fn repeated(scene: Scene) -> Checked {
    for parameter in ["client_id", "redirect_uri", "scope", "state", "code_challenge"] {
        let address = format!("{}&{parameter}=again", scene.public.authorise(&Pkce::new(), &[]));
        refusal(&get(&scene, &address).await?, 400, "invalid_request")?;
    }
    Ok(())
}

async fn page(scene: Scene) -> Checked {
    let browser = Browser::new(&scene.context.service)?;
    let page = browser.open(&scene.public.authorise(&Pkce::new(), &[("scope", "admin")])).await?;
    let response = page.response.status(400)?;
    response.ensure(response.header("content-type").starts_with("text/html"), "an HTML page")?;
    response.ensure(response.text().contains("invalid_scope"), "the error invalid_scope on the page").map(drop)
}

async fn sign_in(scene: Scene) -> Checked {
    let browser = Browser::new(&scene.context.service)?;
    let page = browser.open(&scene.public.authorise(&Pkce::new(), &[])).await?;
    page.response.status(200)?.ensure(page.left_for.is_none(), "a page of the service")?;
    let has_password = page.response.text().contains("type=\"password\"");
    page.response.ensure(has_password, "a page that asks for a password").map(drop)
}

async fn framing(scene: Scene) -> Checked {
    let browser = Browser::new(&scene.context.service)?;
    for changes in [&[][..], &[("scope", "admin")]] {
        let response = browser.open(&scene.public.authorise(&Pkce::new(), changes)).await?.response;
        let policy = response.header("content-security-policy");
        let forbids = policy.contains("frame-ancestors 'none'") || response.header("x-frame-options") == "DENY";
        response.ensure(forbids, "frame-ancestors 'none' in Content-Security-Policy, or X-Frame-Options: DENY")?;
        response.has("cache-control", "no-store")?;
    }
    Ok(())
}

async fn no_cors(scene: Scene) -> Checked {
    let call = scene.context.call(Method::GET, &scene.public.authorise(&Pkce::new(), &[]));
    let response = call.header("Origin", "https://conformance.invalid").send().await?;
    let allows = response.header("access-control-allow-origin");
    response.ensure(allows.is_empty(), "no Access-Control-Allow-Origin").map(drop)
}

async fn loopback(scene: Scene) -> Checked {
    let requested = "http://127.0.0.1:51004/callback";
    let response = asked(&scene, &scene.public, &[("redirect_uri", requested)]).await?;
    response.ensure(response.status < 400, format!("a sign-in for {requested}, where {LOOPBACK} is registered"))?;
    for other in ["http://localhost:51004/callback", "http://127.0.0.1:51004/other"] {
        let response = asked(&scene, &scene.public, &[("redirect_uri", other)]).await?;
        refusal_of(&response, 400, &["invalid_redirect_uri", "invalid_request"])?;
    }
    Ok(())
}
