//! The token endpoint: valid and invalid requests, and the issued tokens.

use chrono::TimeDelta;
use itinerary_app::accounts::{self, AccountError};
use itinerary_core::clock::Clock;
use itinerary_core::ids;
use itinerary_store::AccessToken;
use itinerary_tests::browser::Browser;
use itinerary_tests::raw::Call;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::Value;

use super::{App, REDIRECT, VERIFIER, basic, challenge, encoded, expect_alive, expect_refusal, token_call, tokens};

#[api_test]
async fn a_code_becomes_a_pair_of_tokens(world: World) {
    // T-01, T-02
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let response = app.redeem(&app.code(&browser).await).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), "application/json");
    assert_eq!((response.header("cache-control"), response.header("pragma")), ("no-store", "no-cache"));
    assert_eq!(response.header("access-control-allow-origin"), "*");
    let body = response.json();
    let names: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected = ["access_token", "token_type", "expires_in", "refresh_token", "scope"];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!((&body["token_type"], &body["expires_in"]), (&Value::from("Bearer"), &Value::from(3600)));
    assert_eq!(body["scope"], "itineraries:read itineraries:write");
    for (member, prefix) in [("access_token", "itp_at_"), ("refresh_token", "itp_rt_")] {
        // T-18
        let random = body[member].as_str().and_then(|token| token.strip_prefix(prefix));
        assert!(random.is_some_and(|random| random.len() >= 43), "{body}");
    }
    // Acts for the traveller who approved, within the scopes.
    let client = world.client_with(body["access_token"].as_str().expect("a token"));
    let account = client.account_self().send().await.expect("an account");
    assert_eq!(account.username.as_str(), "ana");
    let scopes: Vec<String> = account.scopes.iter().map(ToString::to_string).collect();
    assert_eq!(scopes, ["itineraries:read", "itineraries:write"]);
}

#[api_test]
async fn a_confidential_client_proves_itself_either_way(world: World) {
    // T-03
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let secret = app.secret.as_deref().expect("a secret");
    tokens(&app.redeem(&app.code(&browser).await).await);
    // Encoding everything and encoding nothing are equivalent.
    let escaped = |text: &str| text.bytes().fold(String::new(), |done, byte| format!("{done}%{byte:02X}"));
    for header in [basic(&app.id, secret), basic(&escaped(&app.id), &escaped(secret))] {
        for id in ["", app.id.as_str()] {
            let code = app.code(&browser).await;
            let call = app.redemption(&code, &[("client_secret", ""), ("client_id", id)]);
            tokens(&call.header("Authorization", &header.replace("Basic", "bASIC")).send().await);
        }
    }
}

#[api_test]
async fn a_client_that_fails_to_prove_itself_is_challenged(world: World) {
    // T-03, T-04
    let (app, public) = (App::confidential(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let secret = app.secret.as_deref().expect("a secret");
    let without = |changes| app.redemption(&code, changes);
    for changes in [
        &[("client_secret", "")][..],
        &[("client_secret", "itp_cs_wrong")],
        &[("client_id", "app_unknown")],
        &[("client_id", "https://app.example/")],
    ] {
        let refused = without(changes).send().await;
        expect_refusal(&refused, 401, "invalid_client");
        assert_eq!(refused.header("www-authenticate"), "");
    }
    for header in [
        basic(&app.id, "itp_cs_wrong"),
        basic(&app.id, ""),
        basic("app_unknown", secret),
        "Basic".to_owned(),
        "Basic !!!".to_owned(),
        "Bearer itp_at_token".to_owned(),
    ] {
        let refused = without(&[("client_secret", "")]).header("Authorization", &header).send().await;
        if header == basic("app_unknown", secret) {
            // Two different client ids.
            expect_refusal(&refused, 400, "invalid_request");
            continue;
        }
        expect_refusal(&refused, 401, "invalid_client");
        assert!(refused.header("www-authenticate").starts_with("Basic "), "{header}");
    }
    let both = without(&[]).header("Authorization", &basic(&app.id, secret)).send().await;
    expect_refusal(&both, 400, "invalid_request");
    let twice = without(&[]).header("Authorization", &basic(&app.id, secret)).header("Authorization", "Basic eDp5");
    expect_refusal(&twice.send().await, 400, "invalid_request");
    // A public client has no secret to send.
    let code = public.code(&browser).await;
    let refused = public.redemption(&code, &[("client_secret", secret)]).send().await;
    expect_refusal(&refused, 401, "invalid_client");
    tokens(&public.redeem(&code).await);
}

#[api_test]
async fn a_code_is_good_for_its_own_client_redirect_and_verifier(world: World) {
    // T-05, T-06, T-07; a failure does not use the code up.
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let other_verifier = VERIFIER.replace('d', "e");
    let (challenge, long) = (challenge(VERIFIER), "a".repeat(129));
    for changes in [
        ("client_id", other.id.as_str()),
        ("redirect_uri", "https://app.example/cb"),
        ("redirect_uri", "https://app.example/cb?keep=1&x=2"),
        ("code_verifier", &other_verifier),
        ("code_verifier", &challenge),
        ("code_verifier", &VERIFIER[..42]),
        ("code_verifier", &long),
        ("code_verifier", "é"),
        ("code", "itp_ac_unknown"),
        ("code", &code[1..]),
        ("code", "\u{0}"),
    ] {
        expect_refusal(&app.redemption(&code, &[changes]).send().await, 400, "invalid_grant");
    }
    for missing in ["grant_type", "code", "code_verifier", "redirect_uri", "client_id"] {
        expect_refusal(&app.redemption(&code, &[(missing, "")]).send().await, 400, "invalid_request");
    }
    let tokens = tokens(&app.redeem(&code).await);
    // Tokens and codes are not interchangeable.
    for text in [&tokens.access_token, &tokens.refresh_token] {
        expect_refusal(&app.redeem(text).await, 400, "invalid_grant");
    }
    for text in [&tokens.access_token, &code] {
        expect_refusal(&app.renew(text).await, 400, "invalid_grant");
    }
    expect_alive(&world, &tokens.access_token).await;
}

#[api_test]
async fn a_verifier_may_be_as_long_as_the_standard_has_it(world: World) {
    // T-07
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for verifier in ["-._~".repeat(32), "z".repeat(43)] {
        let code = app.code_with(&browser, &[("code_challenge", &challenge(&verifier))]).await;
        tokens(&app.redemption(&code, &[("code_verifier", &verifier)]).send().await);
    }
    // A verifier that is too short is rejected even if its hash would match.
    let short = "z".repeat(42);
    let code = app.code_with(&browser, &[("code_challenge", &challenge(&short))]).await;
    let refused = app.redemption(&code, &[("code_verifier", &short)]).send().await;
    expect_refusal(&refused, 400, "invalid_grant");
}

#[api_test]
async fn only_codes_and_refresh_tokens_can_be_exchanged(world: World) {
    // T-16
    let app = App::confidential(&world).await;
    for grant in [
        "password",
        "client_credentials",
        "implicit",
        "Authorization_Code",
        "urn:ietf:params:oauth:grant-type:device_code",
        "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ] {
        let form = [("grant_type", grant), ("username", "ana"), ("password", "x"), ("client_id", &app.id)];
        expect_refusal(&token_call(&world, &form).send().await, 400, "unsupported_grant_type");
    }
}

#[api_test]
async fn parameters_come_once_in_a_form(world: World) {
    // T-01, T-17
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let code = app.code(&browser).await;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", VERIFIER),
        ("redirect_uri", REDIRECT),
        ("client_id", &app.id),
    ];
    for (name, value) in form {
        let twice: Vec<_> = form.iter().copied().chain([(name, value)]).collect();
        expect_refusal(&token_call(&world, &twice).send().await, 400, "invalid_request");
    }
    // Parameters in the query, or as JSON, are ignored.
    let query = world.call(Method::POST, &format!("/oauth/token?{}", encoded(&form)));
    let query = query.body("application/x-www-form-urlencoded", "").send().await;
    expect_refusal(&query, 400, "invalid_request");
    let json = serde_json::to_string(&form.iter().copied().collect::<std::collections::BTreeMap<_, _>>());
    let json = world.call(Method::POST, "/oauth/token").body("application/json", json.expect("JSON")).send().await;
    expect_refusal(&json, 400, "invalid_request");
    // Unknown parameters are ignored, repeated or not, and never echoed.
    let more = [("audience", "\"<script>\\"), ("x", "1"), ("x", "2"), ("scope", "admin")];
    let more: Vec<_> = form.into_iter().chain(more).collect();
    let response = token_call(&world, &more).send().await;
    assert_eq!(tokens(&response).scope, "itineraries:read itineraries:write");
    assert!(!response.text().contains("script"));
}

#[api_test]
async fn nothing_that_was_sent_comes_back_in_a_refusal(world: World) {
    // T-17
    let app = App::public(&world).await;
    for (name, value) in
        [("grant_type", "reflected\"\\\r\n"), ("client_id", "reflected"), ("code", "reflected"), ("é", "reflected")]
    {
        let refused = app.redemption("itp_ac_unknown", &[(name, value)]).send().await;
        assert!(refused.status.is_client_error() && !refused.text().contains("reflected"), "{}", refused.text());
    }
}

#[api_test]
async fn other_methods_are_refused_in_the_words_of_oauth(world: World) {
    // T-01
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/register"] {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            let refused = world.call(method, path).send().await;
            expect_refusal(&refused, 405, "invalid_request");
            assert_eq!(refused.header("allow"), "POST, OPTIONS");
        }
    }
    let unknown = world.call(Method::POST, "/oauth/introspect").send().await;
    expect_refusal(&unknown, 404, "invalid_request");
}

#[api_test]
async fn web_pages_may_call_the_token_endpoint(world: World) {
    // A-08's other half.
    for path in ["/oauth/token", "/oauth/revoke", "/oauth/register"] {
        let preflight = |call: Call| call.header("Origin", "https://app.example");
        let response = preflight(world.call(Method::OPTIONS, path)).send().await;
        assert_eq!((response.status.as_u16(), response.header("access-control-allow-origin")), (204, "*"));
        assert!(response.header("access-control-allow-methods").contains("POST"));
        let refused = preflight(world.call(Method::POST, path)).send().await;
        assert_eq!(refused.header("access-control-allow-origin"), "*", "refusals too");
        assert_eq!(refused.header("access-control-allow-credentials"), "");
    }
}

#[api_test]
async fn the_command_line_issues_tokens_for_an_account(world: World) {
    let service = world.service();
    accounts::create(service, "Ana", "Ana Silva", PASSWORD).await.expect("an account");
    let again = accounts::create(service, "ana", "Another", PASSWORD).await;
    assert!(matches!(again, Err(AccountError::Taken)), "{again:?}");
    for _ in 0..2 {
        let (token, expires_at) = accounts::issue_token(service, "ANA", "itineraries:read").await.expect("a token");
        assert_eq!(expires_at - world.clock.now(), TimeDelta::hours(1));
        let account = world.client_with(&token).account_self().send().await.expect("an account");
        let scopes: Vec<String> = account.scopes.iter().map(ToString::to_string).collect();
        assert_eq!((account.username.as_str(), scopes), ("ana", vec!["itineraries:read".to_owned()]));
        let caller =
            service.store.caller(&AccessToken::OAuth(ids::hash(&token)), world.clock.now()).await.expect("a database");
        let caller = caller.expect("a token that is alive");
        assert_eq!((caller.client_id.as_str(), caller.resource), ("command-line", None));
    }
    let refused = accounts::issue_token(service, "ana", "admin").await;
    assert!(matches!(refused, Err(AccountError::Invalid { field: "scope", .. })), "{refused:?}");
    let unknown = accounts::issue_token(service, "nobody", "").await;
    assert!(matches!(unknown, Err(AccountError::Unknown)), "{unknown:?}");
}
