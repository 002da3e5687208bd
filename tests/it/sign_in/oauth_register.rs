//! Registration: valid and invalid metadata, the response, and the rate limit.

use std::collections::HashSet;

use itinerary_sdk::types;
use itinerary_tests::browser::Browser;
use itinerary_tests::{Database, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{App, REDIRECT, expect_refusal, register};
use crate::snapshot::assert_body;

#[api_test]
async fn a_client_gets_back_everything_it_registered(world: World) {
    // by default, a client is confidential.
    let metadata = json!({
        "client_name": "Trip Notes",
        "redirect_uris": [REDIRECT, "http://127.0.0.1/cb"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "scope": "itineraries:read documents:read",
        "application_type": "native",
        "client_uri": "https://app.example/",
        "logo_uri": "https://app.example/logo.png",
        "tos_uri": "https://app.example/terms",
        "policy_uri": "https://app.example/privacy",
        "contacts": ["dev@app.example"],
        "software_id": "trip-notes",
        "software_version": "1.2",
    });
    let response = world.call(Method::POST, "/oauth/register").json(&metadata).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!(response.header("cache-control"), "no-store");
    let registration = response.json();
    assert_body("oauth_register", &world, &registration);
}

#[api_test]
async fn a_public_client_has_no_secret(world: World) {
    // R-02, through the SDK.
    let client = itinerary_sdk::Client::builder(&world.base_url).build().expect("a client");
    let request = types::RegistrationRequest::new([REDIRECT]).token_endpoint_auth_method(types::ClientAuthMethod::None);
    let response = client.oauth_register(request).send_raw().await.expect("a registration");
    assert_eq!(response.status(), 201);
    let registration = response.into_inner();
    assert_eq!((registration.client_secret, registration.client_secret_expires_at), (None, None));
    assert_eq!(registration.client_name, "app.example", "the redirect's host stands for a name");
    let response = register(&world, json!({ "token_endpoint_auth_method": "none" })).await;
    let members = response.json();
    for member in ["client_secret", "client_secret_expires_at"] {
        assert!(members.get(member).is_none(), "{member}");
    }
}

#[api_test]
async fn each_method_of_authentication_is_registered_as_asked(world: World) {
    for (method, has_secret) in [("client_secret_basic", true), ("client_secret_post", true), ("none", false)] {
        let registration = register(&world, json!({ "token_endpoint_auth_method": method })).await.json();
        assert_eq!(registration["token_endpoint_auth_method"], method);
        assert_eq!(registration.get("client_secret").is_some(), has_secret, "{method}");
    }
}

#[api_test]
async fn metadata_that_means_nothing_here_is_passed_over(world: World) {
    //
    let response = register(
        &world,
        json!({
            "jwks_uri": "https://app.example/jwks",
            "require_auth_time": true,
            "default_max_age": 3600,
            "software_statement": { "not": "even text" },
            "scope": "openid itineraries:read offline_access email",
            "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        }),
    )
    .await;
    assert_eq!(response.status, 201, "{}", response.text());
    let registration = response.json();
    assert_eq!(registration["scope"], "itineraries:read offline_access");
    assert_eq!(registration["grant_types"], json!(["authorization_code", "refresh_token"]));
    for member in ["jwks_uri", "software_statement"] {
        assert!(registration.get(member).is_none(), "{member} is not registered");
    }
}

#[api_test]
async fn metadata_that_cannot_be_had_is_refused(world: World) {
    // lengths and numbers.
    for metadata in [
        json!({ "token_endpoint_auth_method": "private_key_jwt" }),
        json!({ "token_endpoint_auth_method": "tls_client_auth" }),
        json!({ "token_endpoint_auth_method": 1 }),
        json!({ "grant_types": ["client_credentials"] }),
        json!({ "grant_types": ["refresh_token"] }),
        json!({ "grant_types": "authorization_code" }),
        json!({ "response_types": ["token"] }),
        json!({ "client_name": "" }),
        json!({ "client_name": "n".repeat(101) }),
        json!({ "client_name": 7 }),
        json!({ "client_name": "Trip\u{202e}setoN" }),
        json!({ "client_uri": "javascript:alert(1)" }),
        json!({ "contacts": vec!["a@app.example"; 21] }),
    ] {
        expect_refusal(&register(&world, metadata).await, 400, "invalid_client_metadata");
    }
    let longest = register(&world, json!({ "client_name": "é".repeat(100) })).await;
    assert_eq!(longest.status, 201, "{}", longest.text());
}

#[api_test]
async fn only_https_and_loopback_redirects_can_be_registered(world: World) {
    //
    let many = vec![REDIRECT; 21];
    for refused in [
        json!(["http://localhost.evil.com/cb"]),
        json!(["http://localhost@evil.com/cb"]),
        json!(["http://localhost:80@evil.com/cb"]),
        json!(["http://127.0.0.1.nip.io/cb"]),
        json!(["http://127.0.0.1@evil.com"]),
        json!(["http://127.1/cb"]),
        json!(["http://[::1]/cb"]),
        json!(["http://LOCALHOST/cb"]),
        json!(["http://app.example/cb"]),
        json!(["https://app.example/cb#fragment"]),
        json!(["https://user@app.example/cb"]),
        json!(["https://user:password@app.example/cb"]),
        json!(["https://evil.example\\@app.example/cb"]),
        json!(["javascript:alert(1)"]),
        json!(["data:text/html,x"]),
        json!(["com.example.app:/cb"]),
        json!(["urn:ietf:wg:oauth:2.0:oob"]),
        json!(["/cb"]),
        json!(["//app.example/cb"]),
        json!([""]),
        json!([REDIRECT, "javascript:alert(1)"]),
        json!([1]),
        json!([null]),
        json!([]),
        json!(REDIRECT),
        json!({ "0": REDIRECT }),
        json!([format!("https://app.example/{}", "a".repeat(2_000))]),
        json!(many),
        Value::Null,
    ] {
        let response = register(&world, json!({ "redirect_uris": refused })).await;
        expect_refusal(&response, 400, "invalid_redirect_uri");
    }
    let good = [
        "https://app.example",
        "https://app.example:8443/cb?x=1",
        "http://localhost",
        "http://localhost:3000/cb",
        "http://127.0.0.1:51004/cb?x=1",
    ];
    let response = register(&world, json!({ "redirect_uris": good })).await;
    assert_eq!((response.status.as_u16(), &response.json()["redirect_uris"]), (201, &json!(good)));
}

#[api_test]
async fn registration_body_must_be_a_json_object(world: World) {
    for body in ["", "{", "[]", "null", "\"text\"", "{\"redirect_uris\":[\"https://app.example/\"]} {}"] {
        let response = world.call(Method::POST, "/oauth/register").body("application/json", body).send().await;
        expect_refusal(&response, 400, "invalid_request");
    }
}

#[api_test]
async fn ten_registrations_an_hour_from_an_address(world: World) {
    // R-06; rejected requests do not count.
    for _ in 0..10 {
        let refused = register(&world, json!({ "redirect_uris": ["javascript:alert(1)"] })).await;
        expect_refusal(&refused, 400, "invalid_redirect_uri");
        assert_eq!(register(&world, json!({})).await.status, 201);
    }
    world.clock.advance(chrono::TimeDelta::seconds(60));
    let refused = register(&world, json!({})).await;
    expect_refusal(&refused, 429, "temporarily_unavailable");
    assert_eq!(refused.header("retry-after"), "3540");
    // This address is not configured as a proxy.
    let call = world.call(Method::POST, "/oauth/register").header("X-Forwarded-For", "203.0.113.9");
    let forwarded = call.json(&json!({ "redirect_uris": [REDIRECT] })).send().await;
    assert_eq!(forwarded.status, 429);
    world.clock.advance(chrono::TimeDelta::seconds(3_539));
    assert_eq!(register(&world, json!({})).await.status, 429);
    world.clock.advance(chrono::TimeDelta::seconds(1));
    assert_eq!(register(&world, json!({})).await.status, 201);
}

#[api_test]
async fn a_trusted_proxy_says_who_registers(database: Database) {
    let Some(world) =
        World::start_with(database, |config| config.trusted_proxies = vec!["127.0.0.1".parse().expect("an address")])
            .await
    else {
        return;
    };
    //
    let from = async |address: &str| {
        let call = world.call(Method::POST, "/oauth/register").header("X-Forwarded-For", address);
        call.json(&json!({ "redirect_uris": [REDIRECT] })).send().await.status.as_u16()
    };
    for _ in 0..10 {
        assert_eq!(from("203.0.113.9").await, 201);
    }
    assert_eq!(from("203.0.113.9").await, 429);
    assert_eq!(from("198.51.100.1, 203.0.113.9").await, 429, "what the client made up is not believed");
    assert_eq!(from("203.0.113.10").await, 201);
}

#[api_test]
async fn ids_and_secrets_are_random_and_plain(world: World) {
    // R-07, T-03 and T-18: they need no encoding for Basic.
    let mut seen = HashSet::new();
    for _ in 0..5 {
        let registration = register(&world, json!({ "client_id": "mine", "client_secret": "mine" })).await.json();
        for member in ["client_id", "client_secret"] {
            let text = registration[member].as_str().expect("text");
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{text}");
            assert!(seen.insert(text.to_owned()), "{text} twice");
        }
        assert!(registration["client_id"].as_str().is_some_and(|id| id.starts_with("app_")), "{registration}");
    }
    assert!(!seen.contains("mine") && !seen.iter().any(|text| text.starts_with("https")));
}

#[api_test]
async fn a_clients_name_cannot_change_the_page(world: World) {
    //
    let name = "<script>alert(1)</script>\"' & Co";
    let app = App::registered(&world, json!({ "client_name": name })).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let consent = browser.visit(&app.authorise()).await;
    assert!(!consent.text().contains("<script"), "{}", consent.text());
    // In quotes of its own, so that it cannot end them.
    let shown = "“<script>alert(1)</script>'' & Co”";
    consent.assert_says(&format!("Connect <bdi class=\"app-name\">{shown}</bdi>?"));
    app.connect(&browser).await;
    let apps = browser.visit("/account/apps").await;
    assert!(!apps.text().contains("<script"), "{}", apps.text());
    apps.assert_says(shown);
}

#[api_test]
async fn a_long_name_is_cut_on_the_page(world: World) {
    let name = format!("Trip Notes {}", "approve now ".repeat(7));
    let app = App::registered(&world, json!({ "client_name": name.trim() })).await;
    let consent = Browser::signed_up(&world, "ana").await.visit(&app.authorise()).await;
    let shown: String = name.chars().take(60).collect();
    consent.assert_says(&format!("Connect <bdi class=\"app-name\">“{}…”</bdi>?", shown.trim_end()));
}

#[api_test]
async fn a_name_that_deceives_is_refused(world: World) {
    for name in [
        "Z\u{301}\u{301}\u{301}\u{301}algo",
        "Trip\u{202e}setoN",
        "Trip\nNotes",
        "Reference pages",
        "REFERENCE  PAGES",
        "R\u{435}ference p\u{430}ges",
    ] {
        let response = register(&world, json!({ "client_name": name })).await;
        assert_eq!(
            (response.status.as_u16(), &response.json()["error"]),
            (400, &json!("invalid_client_metadata")),
            "{name}"
        );
    }
    for name in ["Z\u{301}\u{302}\u{303}", "Reference pages of Ana", "हिन्दी"] {
        assert_eq!(register(&world, json!({ "client_name": name })).await.status, 201, "{name}");
    }
}
