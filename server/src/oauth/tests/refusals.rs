//! What is refused, in which words, and how often one may try.

use http::header::RETRY_AFTER;
use serde_json::{Value, json};

use super::world::{World, authorise_address, redemption};

fn retry_after(error: &itinerary_api::oauth_error::OAuthError) -> Option<&str> {
    error.headers.iter().find(|(name, _)| name == RETRY_AFTER).and_then(|(_, value)| value.to_str().ok())
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_told_where_it_was_sent() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let mut program = world.browser();
    program.accept = "*/*";
    let browser = world.browser();
    browser.sign_up("ana").await;
    for (address, status, word) in [
        (authorise_address("app_unknown", &[]), 401, "invalid_client"),
        (authorise_address("not a client \u{0}", &[]), 401, "invalid_client"),
        (authorise_address("", &[]), 400, "invalid_request"),
        (authorise_address(&client, &[("redirect_uri", "https://evil.example/")]), 400, "invalid_redirect_uri"),
        (authorise_address(&client, &[("redirect_uri", "")]), 400, "invalid_request"),
        (authorise_address(&client, &[("response_type", "token")]), 400, "unsupported_response_type"),
        (authorise_address(&client, &[("scope", "admin")]), 400, "invalid_scope"),
        (authorise_address(&client, &[("code_challenge", "")]), 400, "invalid_request"),
        (authorise_address(&client, &[("code_challenge_method", "plain")]), 400, "invalid_request"),
        (authorise_address(&client, &[("resource", "https://other.example")]), 400, "invalid_target"),
        (authorise_address(&client, &[]) + "&state=again", 400, "invalid_request"),
    ] {
        let told = program.get(&address).await;
        let body: Value = serde_json::from_str(&told.body).expect("JSON");
        assert_eq!((told.status, body["error"].as_str()), (status, Some(word)), "{address}");
        assert_eq!((told.header("content-type"), told.location()), ("application/json", ""));
        assert_eq!(told.header("access-control-allow-origin"), "");
        let page = browser.get(&address).await;
        assert_eq!((page.status, page.location()), (status, ""), "{address}");
        assert!(
            page.body.contains(&format!("<code>{word}</code>")) && page.header("content-type").starts_with("text/html")
        );
    }
}

#[tokio::test]
async fn a_decision_counts_only_from_the_page_that_was_shown() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let (ana, eve) = (world.browser(), world.browser());
    ana.sign_up("ana").await;
    eve.sign_up("eve").await;
    let address = authorise_address(&client, &[]);
    let (for_ana, for_eve) = (ana.get(&address).await, eve.get(&address).await);
    let hidden = |page: &super::world::Page, name| page.hidden(name).expect("a hidden field");
    let (guard, request) = (hidden(&for_ana, "guard"), hidden(&for_ana, "request"));
    let (eves_guard, eves_request) = (hidden(&for_eve, "guard"), hidden(&for_eve, "request"));

    let decision = "/oauth/authorise/decision";
    for (guard, request, decided, status) in [
        ("", request.as_str(), "approve", 403),
        (&eves_guard, &request, "approve", 403),
        (&guard, &eves_request, "approve", 400),
        (&guard, "", "approve", 400),
        (&guard, &request, "", 400),
        (&guard, &request, "maybe", 400),
    ] {
        let form = [("guard", guard), ("request", request), ("decision", decided)];
        let page = ana.post(decision, &form).await;
        assert_eq!((page.status, page.location()), (status, ""), "{form:?}");
    }
    let form = [("guard", guard.as_str()), ("request", request.as_str()), ("decision", "approve")];
    assert_eq!(world.browser().post(decision, &form).await.status, 403, "nobody is signed in there");
    world.advance(599);
    assert!(ana.post(decision, &form).await.parameter("code").is_some());
    world.advance(1);
    let late = ana.post(decision, &form).await;
    assert_eq!((late.status, late.location()), (400, ""), "the page was open for ten minutes");
}

#[tokio::test]
async fn a_paused_service_signs_nobody_in_but_lets_everybody_out() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let address = authorise_address(&client, &[]);
    let consent = browser.get(&address).await;
    let code = browser.approve(&address).await;
    let tokens = world.redeem(&client, &browser.approve(&address).await).await.expect("tokens");
    world.service.store.pause_set(Some(120), world.service.clock.now()).await.expect("paused");

    for refused in [world.redeem(&client, &code).await, world.refresh(&client, &tokens.refresh_token).await] {
        let refused = refused.expect_err("paused");
        assert_eq!((refused.error.as_str(), refused.status.as_u16()), ("temporarily_unavailable", 503));
        assert_eq!(retry_after(&refused), Some("120"));
    }
    for page in [
        browser.get(&address).await,
        browser.submit(&consent, "/oauth/authorise/decision", &[("decision", "approve")]).await,
    ] {
        assert_eq!((page.status, page.header(RETRY_AFTER), page.location()), (503, "120", ""));
        assert!(page.body.contains("We will be right back"));
    }
    assert_eq!(browser.get(&authorise_address(&client, &[("scope", "admin")])).await.status, 400);
    world.revoke(&[("client_id", &client), ("token", &tokens.refresh_token)]).await.expect("revoked");

    world.service.store.pause_set(None, world.service.clock.now()).await.expect("resumed");
    world.redeem(&client, &code).await.expect("the code was not used up");
    assert!(world.refresh(&client, &tokens.refresh_token).await.is_err(), "it was revoked");
}

#[tokio::test]
async fn the_token_endpoint_wants_its_parameters_once() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let code = browser.approve(&authorise_address(&client, &[])).await;
    let good = redemption(&client, &code);
    for (n, (name, value)) in good.iter().enumerate() {
        let mut repeated = good.to_vec();
        repeated.push((name, value));
        assert_eq!(
            world.token(&repeated).await.expect_err("repeated").error.as_str(),
            "invalid_request",
            "{name} twice"
        );
        let mut missing = good.to_vec();
        missing.remove(n);
        assert_eq!(world.token(&missing).await.expect_err("missing").error.as_str(), "invalid_request", "no {name}");
    }
    for grant_type in ["password", "implicit", "client_credentials", "Authorization_code"] {
        let mut form = good;
        form[0] = ("grant_type", grant_type);
        let refused = world.token(&form).await.expect_err("no such grant");
        assert_eq!((refused.error.as_str(), refused.status.as_u16()), ("unsupported_grant_type", 400));
    }
    let access_as_refresh = world.token(&good).await.expect("the code is still good").access_token;
    assert_eq!(
        world.refresh(&client, &access_as_refresh).await.expect_err("no refresh").error.as_str(),
        "invalid_grant"
    );
    assert!(world.caller(&access_as_refresh).await.is_some());
}

#[tokio::test]
async fn ten_registrations_an_hour_and_refused_ones_do_not_count() {
    let world = World::new().await;
    for _ in 0..20 {
        let refused = world.register(json!({"redirect_uris": ["http://evil.example/cb"]})).await.expect_err("refused");
        assert_eq!(refused.error.as_str(), "invalid_redirect_uri");
    }
    for _ in 0..10 {
        world.public_client().await;
    }
    world.advance(600);
    let refused = world.register(json!({})).await.expect_err("the eleventh");
    assert_eq!((refused.error.as_str(), refused.status.as_u16()), ("temporarily_unavailable", 429));
    assert_eq!(retry_after(&refused), Some("3000"));
    world.advance(3000);
    world.public_client().await;
}

#[tokio::test]
async fn thirty_failures_a_minute_for_each_client() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let other = world.public_client().await.client_id;
    for _ in 0..30 {
        assert_eq!(world.redeem(&client, "itp_ac_guess").await.expect_err("a guess").error.as_str(), "invalid_grant");
    }
    let refused = world.redeem(&client, "itp_ac_guess").await.expect_err("too many");
    assert_eq!((refused.status.as_u16(), retry_after(&refused)), (429, Some("60")));
    assert_eq!(world.revoke(&[("client_id", &client), ("token", "x")]).await.expect_err("too many").status, 429);
    assert_eq!(world.redeem(&other, "itp_ac_guess").await.expect_err("a guess").status, 400);
    world.advance(60);
    assert_eq!(world.redeem(&client, "itp_ac_guess").await.expect_err("a guess").status, 400);
}

#[tokio::test]
async fn successes_are_never_limited() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let code = browser.approve(&authorise_address(&client, &[])).await;
    let mut tokens = world.redeem(&client, &code).await.expect("tokens");
    for _ in 0..40 {
        tokens = world.refresh(&client, &tokens.refresh_token).await.expect("tokens");
    }
}
