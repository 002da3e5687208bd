//! Ending a sign-in, by the app and by the traveller; and how tokens are sent and rejected.

use itinerary_tests::browser::Browser;
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{App, basic, call_with, expect_alive, expect_dead, expect_ended, expect_refusal};

#[api_test]
async fn revoking_either_token_ends_the_whole_sign_in_at_once(world: World) {
    // V-01, V-05
    for app in [App::public(&world).await, App::confidential(&world).await] {
        let browser = Browser::new(&world);
        let name = format!("ana-{}", app.secret.is_some());
        browser.sign_up(&name, "Ana", itinerary_tests::world::PASSWORD).await;
        let untouched = app.connect(&browser).await;
        for refresh in [true, false] {
            let first = app.connect(&browser).await;
            let second = app.renewed(&first.refresh_token).await;
            let token = if refresh { &second.refresh_token } else { &second.access_token };
            let response = app.revoke(token).await;
            assert_eq!((response.status.as_u16(), response.header("cache-control")), (200, "no-store"));
            assert_eq!(response.header("access-control-allow-origin"), "*");
            for tokens in [&first, &second] {
                expect_ended(&world, &tokens.access_token).await;
            }
            expect_refusal(&app.renew(&second.refresh_token).await, 400, "invalid_grant");
            assert_eq!(app.revoke(token).await.status, 200, "again");
        }
        expect_alive(&world, &untouched.access_token).await;
    }
}

#[api_test]
async fn a_token_that_is_not_the_clients_changes_nothing(world: World) {
    // V-01
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let browser = Browser::signed_up(&world, "ana").await;
    let tokens = app.connect(&browser).await;
    for token in [tokens.access_token.as_str(), &tokens.refresh_token, "itp_at_unknown", "nonsense", "\u{0}é"] {
        assert_eq!(other.revoke(token).await.status, 200);
    }
    expect_alive(&world, &tokens.access_token).await;
    app.renewed(&tokens.refresh_token).await;
}

#[api_test]
async fn the_hint_is_only_a_hint(world: World) {
    // V-01
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for hint in ["refresh_token", "access_token", "something_else"] {
        let tokens = app.connect(&browser).await;
        let form = [("token", tokens.access_token.as_str()), ("token_type_hint", hint), ("client_id", &app.id)];
        assert_eq!(world.call(Method::POST, "/oauth/revoke").form(&form).send().await.status, 200);
        expect_ended(&world, &tokens.access_token).await;
    }
}

#[api_test]
async fn only_the_client_itself_revokes(world: World) {
    // V-01: a confidential client must authenticate, whatever the rule for refreshing.
    let app = App::confidential(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let tokens = app.connect(&browser).await;
    let call = |form: &[(&str, &str)]| world.call(Method::POST, "/oauth/revoke").form(form);
    let (token, id) = (("token", tokens.access_token.as_str()), ("client_id", app.id.as_str()));
    for (form, status, error) in [
        (&[token, id][..], 401, "invalid_client"),
        (&[token, id, ("client_secret", "itp_cs_wrong")], 401, "invalid_client"),
        (&[token, ("client_id", "app_unknown")], 401, "invalid_client"),
        (&[token], 400, "invalid_request"),
    ] {
        expect_refusal(&call(form).send().await, status, error);
    }
    let secret = app.secret.as_deref().expect("a secret");
    let no_token = call(&[("client_secret", secret), id]).send().await;
    expect_refusal(&no_token, 400, "invalid_request");
    expect_alive(&world, &tokens.access_token).await;
    let by_basic: Call = call(&[token]).header("Authorization", &basic(&app.id, secret));
    assert_eq!(by_basic.send().await.status, 200);
    expect_ended(&world, &tokens.access_token).await;
}

#[api_test]
async fn the_traveller_sees_connected_apps_and_ends_them_at_once(world: World) {
    // V-06
    let notes = App::public(&world).await;
    let maps = App::registered(&world, json!({ "client_name": "Maps" })).await;
    let (ana, bob) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "bob").await);
    let (first, second, bobs) = (notes.connect(&ana).await, maps.connect(&ana).await, notes.connect(&bob).await);
    ana.visit("/account").await.assert_says("2 connected");
    Browser::signed_up(&world, "cai").await.visit("/account").await.assert_says("None yet");
    let page = ana.visit("/account/apps").await;
    for words in ["Trip Notes", "Maps", "Create and change your itineraries", "10 January 2027"] {
        page.assert_says(words);
    }
    assert!(page.text().contains("datetime=\"2027-01-10\""), "{}", page.text());
    let forms = page.forms("/account/apps");
    assert_eq!(forms.len(), 2);
    // Nobody can disconnect another person's app.
    let bobs_form = bob.visit("/account/apps").await.form("/account/apps");
    for form in &forms {
        bob.submit(&bobs_form.clone().with("grant", form.get("grant")), &[]).await;
    }
    expect_alive(&world, &first.access_token).await;
    // A forged form changes nothing.
    let forged = ana.submit(&forms[0].clone().with("guard", "forged"), &[]).await;
    assert_eq!(forged.response.status, 403);
    expect_alive(&world, &second.access_token).await;

    let at = page.text().find("Maps").expect("a name") > page.text().find("Trip Notes").expect("a name");
    let (of_notes, of_maps) = if at { (&forms[0], &forms[1]) } else { (&forms[1], &forms[0]) };
    let page = ana.submit(of_notes, &[]).await;
    page.assert_says("The app is disconnected");
    assert!(page.text().contains("role=\"status\""), "{}", page.text());
    assert!(!page.text().contains("Trip Notes") && page.text().contains("Maps"));
    expect_ended(&world, &first.access_token).await;
    expect_refusal(&notes.renew(&first.refresh_token).await, 400, "invalid_grant");
    for token in [&second.access_token, &bobs.access_token] {
        expect_alive(&world, token).await;
    }
    for _ in 0..2 {
        ana.submit(of_maps, &[]).await.assert_says("No app is connected to your account.");
    }
    expect_ended(&world, &second.access_token).await;
}

#[api_test]
async fn tokens_go_into_the_header_only(world: World) {
    // V-02
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read").await;
    for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
        let call = world.call(Method::GET, "/v1/account").header("Authorization", &format!("{scheme} {token}"));
        assert_eq!(call.send().await.status, 200, "{scheme}");
    }
    let query = world.call(Method::GET, &format!("/v1/account?access_token={token}")).send().await;
    query.expect_error(401, "unauthenticated");
    assert_eq!(query.header("www-authenticate"), "Bearer");
    let form = world.call(Method::POST, "/v1/itineraries").form(&[("access_token", &token)]).send().await;
    form.expect_error(401, "unauthenticated");
    let cookie = world.call(Method::GET, "/v1/account").header("Cookie", &format!("access_token={token}"));
    cookie.send().await.expect_error(401, "unauthenticated");
}

#[api_test]
async fn every_401_says_how_to_sign_in(world: World) {
    // V-03
    for header in ["", "Basic eDp5", "itp_at_x", "Bearer"] {
        let call = world.call(Method::GET, "/v1/account");
        let call = if header.is_empty() { call } else { call.header("Authorization", header) };
        let response = call.send().await;
        response.expect_error(401, "unauthenticated");
        assert_eq!(response.header("www-authenticate"), "Bearer", "{header}");
    }
    for token in ["itp_at_unknown", "nonsense", "itp_rt_unknown"] {
        expect_dead(&call_with(&world, token).await);
    }
}

#[api_test]
async fn a_missing_scope_is_named(world: World) {
    // V-04
    world.account("ana").await;
    let token = world.token("ana", "itineraries:write offline_access").await;
    let response = call_with(&world, &token).await;
    assert_eq!(response.expect_error(403, "forbidden"), json!({ "required": "itineraries:read" }));
    let challenge = response.header("www-authenticate");
    assert_eq!(challenge, "Bearer error=\"insufficient_scope\", scope=\"itineraries:read\"");
    // If no scope would help, the error names none; otherwise clients would sign in again and again.
    let create = world.call(Method::POST, "/v1/itineraries").token(&token);
    let destination = json!({ "name": "X", "coordinate": { "latitude": 1, "longitude": 1 } });
    let body = json!({ "destination": destination, "packing": [] });
    let response = create.json(&body).send().await;
    response.expect_error(403, "subscriptionRequired");
    assert_eq!(response.header("www-authenticate"), "");
}
