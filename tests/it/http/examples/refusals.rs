//! The errors of the OAuth routes, each provoked once.

use std::collections::BTreeSet;

use itinerary_api::oauth_error::OAuthErrorCode;
use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, Sqlite, World};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::recorded::Recorded;
use crate::http::{errors, pause};
use crate::sign_in::{App, register, token_call};
use itinerary_tests::wire::{Wire, json_head};

/// By operation, status and error code.
pub(super) async fn oauth_errors() -> Value {
    let world = errors::start(Sqlite).await.expect("SQLite is there");
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ines").await;
    let mut errors = Map::new();
    let mut provoked = BTreeSet::from(["access_denied".to_owned()]);
    for (operation, responses) in [
        ("oauth_authorise", authorise_refusals(&world, &app).await),
        ("oauth_token", token_refusals(&world, &app, &browser).await),
        ("oauth_register", register_refusals(&world).await),
    ] {
        let mut of_operation: Map<String, Value> = Map::new();
        for response in responses {
            let body = Recorded::new(&world).response(&response);
            let code = body["error"].as_str().unwrap_or_else(|| panic!("no refusal: {body}")).to_owned();
            provoked.insert(code.clone());
            let of_status = of_operation.entry(response.status.as_str()).or_insert(json!({}));
            of_status[code] = body;
        }
        errors.insert(operation.to_owned(), of_operation.into());
    }
    // `access_denied` is only ever sent to the redirect address.
    let all: BTreeSet<_> = OAuthErrorCode::ALL.iter().map(|code| code.as_str().to_owned()).collect();
    assert_eq!(provoked, all, "every error code is provoked");
    errors.into()
}

async fn authorise_refusals(world: &World, app: &App<'_>) -> Vec<RawResponse> {
    let ask = async |changes: &[(&str, &str)]| world.call(Method::GET, &app.authorise_with(changes)).send().await;
    let mut responses = Vec::new();
    for changes in [
        ("code_challenge", ""),
        ("redirect_uri", "https://other.example/callback"),
        ("scope", "admin"),
        ("resource", "https://other.example"),
        ("response_type", "token"),
        ("client_id", "app_unknown"),
    ] {
        responses.push(ask(&[changes]).await);
    }
    pause(world, Some(60)).await;
    responses.push(ask(&[]).await);
    pause(world, None).await;
    // No client is there. Fetching its metadata fails until too many were tried.
    let fetch = || ask(&[("client_id", "https://127.0.0.1/app.json")]);
    let mut response = fetch().await;
    while response.status == 401 {
        response = fetch().await;
    }
    responses.push(response);
    responses
}

async fn token_refusals(world: &World, app: &App<'_>, browser: &Browser) -> Vec<RawResponse> {
    let tokens = app.connect(browser).await;
    let renew = async |changes: &[(&str, &str)]| app.renewal(&tokens.refresh_token, changes).send().await;
    let mut responses = Vec::new();
    for changes in [
        ("grant_type", ""),
        ("grant_type", "password"),
        ("refresh_token", "itp_rt_expired"),
        ("scope", "documents:write"),
        ("resource", "https://other.example"),
        ("client_id", "app_unknown"),
    ] {
        responses.push(renew(&[changes]).await);
    }
    pause(world, Some(60)).await;
    responses.push(renew(&[]).await);
    pause(world, None).await;
    let guess =
        || token_call(world, &[("grant_type", "refresh_token"), ("client_id", "app_guess"), ("refresh_token", "x")]);
    let mut response = guess().send().await;
    while response.status == 401 {
        response = guess().send().await;
    }
    responses.push(response);
    responses
}

async fn register_refusals(world: &World) -> Vec<RawResponse> {
    let send = |content_type: &str, body: String| world.call(Method::POST, "/oauth/register").body(content_type, body);
    let mut wire = Wire::to(world).await;
    wire.send(json_head("POST", "/oauth/register", "none", "Content-Length: 100") + "{").await;
    let mut responses = vec![
        send("application/json", "{".to_owned()).send().await,
        register(world, json!({ "redirect_uris": ["http://notes.example/callback"] })).await,
        register(world, json!({ "grant_types": ["client_credentials"] })).await,
        wire.response().await,
        send("application/json", format!("\"{}\"", "a".repeat(100_000))).send().await,
        send("text/plain", "{}".to_owned()).send().await,
        send("application/json", "{}".to_owned()).header("Content-Encoding", "gzip").send().await,
    ];
    world.sql("ALTER TABLE clients RENAME TO taken").await;
    responses.push(register(world, json!({})).await);
    world.sql("ALTER TABLE taken RENAME TO clients").await;
    let mut response = register(world, json!({})).await;
    while response.status == 201 {
        response = register(world, json!({})).await;
    }
    responses.push(response);
    responses
}
