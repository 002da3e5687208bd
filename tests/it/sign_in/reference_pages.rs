//! The built-in client of the reference pages.

use chrono::TimeDelta;
use itinerary_server::jobs;
use itinerary_tests::browser::Browser;
use itinerary_tests::{World, api_test};
use reqwest::{Method, Url};

use super::{App, REDIRECT, call_with, expect_dead, expect_refusal, parameter, tokens};

const CLIENT: &str = "reference-pages";

fn app(world: &World) -> (App<'_>, String) {
    (App { world, id: CLIENT.to_owned(), secret: None }, format!("{}/docs/signed-in", world.base_url))
}

/// The redirect URIs of the stored client, if there is one.
async fn stored(world: &World) -> Option<String> {
    world.service().store.client(CLIENT).await.expect("a database").map(|client| client.redirect_uris)
}

#[api_test]
async fn the_reference_pages_need_no_registration(world: World) {
    let (app, redirect) = app(&world);
    let browser = Browser::signed_up(&world, "ana").await;
    for _ in 0..2 {
        let consent = browser.visit(&app.authorise_with(&[("redirect_uri", &redirect)])).await;
        consent.assert_says("Reference pages");
        consent.assert_says("This is this service’s own API reference.");
        assert!(!consent.text().contains("on your own computer"));
        let decision = consent.form("/oauth/authorise/decision");
        let response = browser.post(&decision, &[("decision", "approve")]).send().await;
        let back = Url::parse(response.header("location")).expect("the pages");
        assert!(back.as_str().starts_with(&redirect), "{back}");
        let code = parameter(&back, "code").expect("a code");
        let tokens = tokens(&app.redemption(&code, &[("redirect_uri", &redirect)]).send().await);
        assert_eq!(call_with(&world, &tokens.access_token).await.status, 200);
        assert_eq!(app.revoke(&tokens.access_token).await.status, 200);
        expect_dead(&call_with(&world, &tokens.access_token).await);
    }
}

// On loopback any port is accepted, so another program may ask in the name of the reference pages.
#[api_test]
async fn only_the_reference_pages_have_their_own_consent_text(world: World) {
    let (app, redirect) = app(&world);
    let browser = Browser::signed_up(&world, "ana").await;
    let port = world.address().port();
    let other = redirect.replace(&format!(":{port}/"), &format!(":{}/", port ^ 1));
    assert_ne!(other, redirect);
    let consent = browser.visit(&app.authorise_with(&[("redirect_uri", &other)])).await;
    assert!(!consent.text().contains("own API reference"));
    consent.assert_says("This app runs on your own computer.");
}

#[api_test]
async fn codes_are_sent_to_the_reference_pages_only(world: World) {
    let (app, redirect) = app(&world);
    let longer = format!("{redirect}/more");
    let queried = format!("{redirect}?x=1");
    let other = format!("{}/docs", world.base_url);
    for address in [REDIRECT, &longer, &queried, &other, "http://127.0.0.1/callback"] {
        let request = app.authorise_with(&[("redirect_uri", address)]);
        expect_refusal(&world.call(Method::GET, &request).send().await, 400, "invalid_redirect_uri");
    }
}

#[api_test]
async fn an_expired_or_outdated_row_is_restored(world: World) {
    let (app, redirect) = app(&world);
    let current = Some(format!("[\"{redirect}\"]"));
    let request = app.authorise_with(&[("redirect_uri", &redirect)]);
    let ask = async || assert_eq!(world.call(Method::GET, &request).send().await.status, 303);
    assert_eq!(stored(&world).await, None);
    ask().await;
    assert_eq!(stored(&world).await, current);
    // The server had another address.
    let old = "[\"https://old.example/docs/signed-in\"]";
    world.sql(&format!("UPDATE clients SET redirect_uris = '{old}' WHERE id = '{CLIENT}'")).await;
    ask().await;
    assert_eq!(stored(&world).await, current);
    // A row in use is written again before it could expire.
    for _ in 0..3 {
        world.clock.advance(TimeDelta::hours(36));
        ask().await;
        jobs::expire(world.service()).await.expect("a database");
        assert_eq!(stored(&world).await, current);
    }
    world.clock.advance(TimeDelta::days(3));
    jobs::expire(world.service()).await.expect("a database");
    assert_eq!(stored(&world).await, None);
    ask().await;
    assert_eq!(stored(&world).await, current);
}
