//! The consent page and the decision: what is shown, who may decide, and the redirect.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_tests::browser::{Browser, Form, Page};
use itinerary_tests::raw::Call;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::{Method, Url};
use serde_json::json;

use super::{App, REDIRECT, STATE, VERIFIER, challenge, encoded, expect_alive, parameter, tokens};

const DECISION: &str = "/oauth/authorise/decision";

/// The form of the consent page at this address.
async fn consent_form(browser: &Browser, address: &str) -> Form {
    browser.visit(address).await.form(DECISION)
}

/// Sends a consent form, which must be rejected.
async fn expect_no_code(browser: &Browser, form: &Form, decision: &str, status: u16) {
    let response = browser.post(form, &[("decision", decision)]).send().await;
    assert_eq!((response.status.as_u16(), response.header("location")), (status, ""), "{form:?}");
    assert!(!response.text().contains("itp_ac_"));
}

#[api_test]
async fn approving_leads_back_with_code_state_and_issuer(world: World) {
    // O-05
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let form = consent_form(&browser, &app.authorise()).await;
    let response = browser.post(&form, &[("decision", "approve")]).send().await;
    assert_eq!((response.status.as_u16(), response.header("cache-control")), (303, "no-store"));
    assert_eq!(response.header("referrer-policy"), "no-referrer");
    let location = response.header("location");
    assert!(location.starts_with(&format!("{REDIRECT}&code=itp_ac_")), "the query is kept: {location}");
    let back = Url::parse(location).expect("an address");
    let names: Vec<String> = back.query_pairs().map(|(name, _)| name.into_owned()).collect();
    assert_eq!(names, ["keep", "code", "state", "iss"]);
    assert_eq!(parameter(&back, "state").as_deref(), Some(STATE));
    assert_eq!(parameter(&back, "iss").as_deref(), Some(world.base_url.as_str()));
    assert_eq!(back.fragment(), None);
    tokens(&app.redeem(&parameter(&back, "code").expect("a code")).await);
}

#[api_test]
async fn state_comes_back_byte_for_byte(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let long = "s".repeat(2_000);
    for state in ["0", " ", "a%20b", "%", "+", "a=b&c=d", "\u{1f30a}\u{301}", "<b>\"'", "\\ / # ?", &long] {
        let back = browser.decide(&app.authorise_with(&[("state", state)]), "deny").await;
        assert_eq!(parameter(&back, "state").as_deref(), Some(state), "{back}");
    }
}

#[api_test]
async fn denying_leads_back_with_the_refusal(world: World) {
    // A-12, O-05
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let form = consent_form(&browser, &app.authorise()).await;
    let response = browser.post(&form, &[("decision", "deny")]).send().await;
    assert_eq!(response.status, 303);
    let back = Url::parse(response.header("location")).expect("an address");
    assert!(back.as_str().starts_with(&format!("{REDIRECT}&error=access_denied&")), "{back}");
    assert_eq!(parameter(&back, "state").as_deref(), Some(STATE));
    assert_eq!(parameter(&back, "iss").as_deref(), Some(world.base_url.as_str()));
    assert_eq!(parameter(&back, "code"), None);
    assert!(browser.visit("/account/apps").await.text().contains("No app is connected"));
}

#[api_test]
async fn consent_page_names_the_app_its_scopes_and_the_redirect(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let page = browser.visit(&app.authorise_with(&[("scope", "itineraries:read documents:write")])).await;
    for words in ["Trip Notes", "app.example", "ana", "See your itineraries", "Manage your documents"] {
        page.assert_says(words);
    }
    for words in ["Create and change your itineraries", "See your documents", "your own computer"] {
        assert!(!page.text().contains(words), "{words}");
    }
    let page = browser.visit(&app.authorise_with(&[("scope", "itineraries:write")])).await;
    page.assert_says("Each change returns the whole itinerary, so the app reads what it changes.");
    let redirects = json!({ "redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none" });
    let local = App::registered(&world, redirects).await;
    let page = browser.visit(&local.authorise_with(&[("redirect_uri", "http://127.0.0.1:5/cb")])).await;
    page.assert_says("This app runs on your own computer");
}

#[api_test]
async fn consent_is_asked_for_every_time(world: World) {
    //
    let browser = Browser::signed_up(&world, "ana").await;
    for app in [App::public(&world).await, App::confidential(&world).await] {
        for _ in 0..2 {
            let response = browser.call(Method::GET, &app.authorise()).send().await;
            assert_eq!((response.status.as_u16(), response.header("location")), (200, ""));
            app.connect(&browser).await;
        }
    }
}

/// The consent page of a request, and the scopes of the issued tokens.
async fn approved(app: &App<'_>, browser: &Browser, changes: &[(&str, &str)]) -> (Page, String) {
    let page = browser.visit(&app.authorise_with(changes)).await;
    let back = browser.submit(&page.form(DECISION), &[("decision", "approve")]).await.left_for.expect("a way back");
    let code = parameter(&back, "code").expect("a code");
    (page, tokens(&app.redeem(&code).await).scope)
}

#[api_test]
async fn step_up_consent_separates_new_from_granted_scopes(world: World) {
    // V-04: the 403 names the token's scopes and the missing one. An app may also request only the missing one.
    let browser = Browser::signed_up(&world, "ana").await;
    for asked in ["itineraries:read itineraries:write documents:read", "documents:read"] {
        let app = App::public(&world).await;
        let first = app.connect(&browser).await;
        let (page, scope) = approved(&app, &browser, &[("scope", asked)]).await;
        let text = page.text();
        let (new, kept) = text.split_once("Already allowed").expect("what is kept");
        assert!(new.contains("The app will also be able to") && new.contains("See your documents"), "{new}");
        assert!(!kept.contains("See your documents"), "{kept}");
        for words in ["See your itineraries", "Create and change your itineraries"] {
            assert!(kept.contains(words) && !new.contains(words), "{words} in {text}");
        }
        assert_eq!(scope, asked);
        expect_alive(&world, &first.access_token).await;
        // A request for nothing new is shown completely.
        let less = "itineraries:read documents:read";
        let (page, scope) = approved(&app, &browser, &[("scope", less)]).await;
        assert!(!page.text().contains("As before") && !page.text().contains("then also"), "{}", page.text());
        page.assert_says("See your itineraries");
        page.assert_says("See your documents");
        assert_eq!(scope, less);
    }
}

#[api_test]
async fn consent_counts_only_grants_of_the_same_account_app_and_resource(world: World) {
    let (ana, bob) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "bob").await);
    let (app, other) = (App::public(&world).await, App::public(&world).await);
    let granted = app.connect(&ana).await;
    let mcp = format!("{}/mcp", world.base_url);
    let documents = ("scope", "documents:read");
    let pages = [
        asked(&ana, &other, &[documents]).await,
        asked(&bob, &app, &[documents]).await,
        asked(&ana, &app, &[documents, ("resource", &mcp)]).await,
    ];
    asked(&ana, &app, &[documents]).await.assert_says("Already allowed");
    app.revoke(&granted.access_token).await;
    for page in pages.into_iter().chain([asked(&ana, &app, &[documents]).await]) {
        page.assert_says("See your documents");
        assert!(!page.text().contains("As before"), "{}", page.text());
    }
}

async fn asked(browser: &Browser, app: &App<'_>, changes: &[(&str, &str)]) -> Page {
    browser.visit(&app.authorise_with(changes)).await
}

#[api_test]
async fn a_page_is_answered_once(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for (first, again) in [("approve", "approve"), ("approve", "deny"), ("deny", "approve"), ("deny", "deny")] {
        let form = consent_form(&browser, &app.authorise()).await;
        // An invalid decision has no effect.
        expect_no_code(&browser, &form, "perhaps", 400).await;
        assert_eq!(browser.post(&form, &[("decision", first)]).send().await.status, 303);
        for _ in 0..2 {
            expect_no_code(&browser, &form, again, 400).await;
        }
        let page = browser.submit(&form, &[("decision", again)]).await;
        page.assert_says("this page was already submitted; go back to the app and start again");
    }
    // Two pages of one request can both be submitted.
    let pages = [consent_form(&browser, &app.authorise()).await, consent_form(&browser, &app.authorise()).await];
    for page in pages {
        assert_eq!(browser.post(&page, &[("decision", "approve")]).send().await.status, 303);
    }
}

#[api_test]
async fn one_of_many_concurrent_consent_decisions_counts(world: World) {
    // on one server or two.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let replica = world.replica().await;
    let elsewhere = |call: Call| {
        let mut request = call.0.build().expect("a request");
        request.url_mut().set_port(Some(replica.address.port())).expect("an address with a port");
        let session = format!("session={}", browser.cookie("session").expect("a session"));
        request.headers_mut().insert("cookie", session.parse().expect("a header"));
        Call(reqwest::RequestBuilder::from_parts(world.http.clone(), request))
    };
    for _ in 0..3 {
        let form = consent_form(&browser, &app.authorise()).await;
        let responses = (0..40).map(|n| {
            let call = browser.post(&form, &[("decision", if n % 3 == 0 { "deny" } else { "approve" })]);
            if n % 2 == 0 { call.send() } else { elsewhere(call).send() }
        });
        let responses = join_all(responses).await;
        let counted = responses.iter().filter(|response| response.status == 303).count();
        let refused = responses.iter().filter(|response| response.status == 400).count();
        assert_eq!((counted, refused), (1, 39));
    }
    replica.stop().await;
}

#[api_test]
async fn only_the_page_that_was_shown_can_decide(world: World) {
    //
    let app = App::public(&world).await;
    let (ana, eve) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "eve").await);
    let good = consent_form(&ana, &app.authorise()).await;
    let eves = consent_form(&eve, &app.authorise()).await;
    let with = |name, value: &str| good.clone().with(name, value);
    for (form, decision, status) in [
        (with("guard", ""), "approve", 403),
        (with("guard", "forged"), "approve", 403),
        (with("guard", eves.get("guard")), "approve", 403),
        (eves.clone(), "approve", 403),
        (with("request", ""), "approve", 400),
        (with("request", "forged"), "approve", 400),
        (with("request", eves.get("request")), "approve", 400),
        (with("request", &good.get("request").replacen(|c: char| c.is_ascii_lowercase(), "", 1)), "approve", 400),
        (good.clone(), "", 400),
        (good.clone(), "maybe", 400),
    ] {
        expect_no_code(&ana, &form, decision, status).await;
    }
    expect_no_code(&Browser::new(&world), &good, "approve", 403).await;
    // Additional fields do not change what is approved.
    let evil = good.clone().with("redirect_uri", "https://evil.example/").with("scope", "documents:read");
    let page = ana.submit(&evil.with("client_id", "app_evil"), &[("decision", "approve")]).await;
    let back = page.left_for.expect("a way back");
    assert_eq!(back.host_str(), Some("app.example"));
    let tokens = tokens(&app.redeem(&parameter(&back, "code").expect("a code")).await);
    assert_eq!(tokens.scope, "itineraries:read itineraries:write");
}

#[api_test]
async fn a_decision_is_bound_to_its_session(world: World) {
    // signing in again invalidates older pages, even for the same traveller.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let before = consent_form(&browser, &app.authorise()).await;
    let sign_out = browser.visit("/sign-out").await.form("/sign-out");
    browser.submit(&sign_out, &[]).await;
    expect_no_code(&browser, &before, "approve", 403).await;
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
    expect_no_code(&browser, &before, "approve", 403).await;
}

#[api_test]
async fn a_page_decides_for_ten_minutes(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let form = consent_form(&browser, &app.authorise()).await;
    world.clock.advance(TimeDelta::seconds(599));
    assert!(browser.submit(&form, &[("decision", "approve")]).await.left_for.is_some());
    world.clock.advance(TimeDelta::seconds(1));
    expect_no_code(&browser, &form, "approve", 400).await;
}

#[api_test]
async fn a_decision_cannot_be_made_by_following_a_link(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let form = consent_form(&browser, &app.authorise()).await;
    let (guard, request) = (form.get("guard"), form.get("request"));
    let query = encoded(&[("guard", guard), ("request", request), ("decision", "approve")]);
    let response = browser.call(Method::GET, &format!("{DECISION}?{query}")).send().await;
    assert_eq!((response.status.as_u16(), response.header("location")), (405, ""));
}

#[api_test]
async fn the_way_through_signing_in_keeps_the_request(world: World) {
    // The whole flow of a traveller without an account: app, sign-in, sign-up, consent, app.
    let app = App::public(&world).await;
    let browser = Browser::new(&world);
    let sign_in = browser.visit(&app.authorise()).await;
    assert_eq!(sign_in.address.path(), "/sign-in");
    let next = sign_in.form("/sign-in").get("next").to_owned();
    assert!(next.starts_with("/oauth/authorise?"), "{next}");
    let sign_up = browser.visit(&format!("/sign-up?{}", encoded(&[("next", &next)]))).await;
    let typed = [("username", "ana"), ("display_name", "Ana"), ("password", PASSWORD)];
    let consent = browser.submit(&sign_up.form("/sign-up"), &typed).await;
    assert_eq!((consent.response.status.as_u16(), consent.address.path()), (200, "/oauth/authorise"));
    for words in ["See your itineraries", "Create and change your itineraries"] {
        consent.assert_says(words);
    }
    let page = browser.submit(&consent.form(DECISION), &[("decision", "approve")]).await;
    let back = page.left_for.expect("a way back");
    assert_eq!(parameter(&back, "state").as_deref(), Some(STATE), "it survived the way");
    let code = parameter(&back, "code").expect("a code");
    assert_eq!(tokens(&app.redeem(&code).await).scope, "itineraries:read itineraries:write");
}

#[api_test]
async fn another_traveller_can_take_over_on_the_page(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    world.account("bob").await;
    let consent = browser.visit(&app.authorise()).await;
    consent.assert_says("Not ana?");
    let text = consent.text();
    let (_, link) = text.split_once("href=\"/sign-out").expect("a link");
    let link = format!("/sign-out{}", link.split('"').next().expect("its end").replace("&#38;", "&"));
    let sign_out = browser.visit(&link).await.form("/sign-out");
    let sign_in = browser.submit(&sign_out, &[]).await;
    assert_eq!(sign_in.address.path(), "/sign-in");
    let form = sign_in.form("/sign-in");
    let consent = browser.submit(&form, &[("username", "bob"), ("password", PASSWORD)]).await;
    assert_eq!(consent.address.path(), "/oauth/authorise");
    consent.assert_says("Not bob?");
    let challenge = challenge(VERIFIER);
    assert!(consent.address.query().is_some_and(|query| query.contains(&challenge)), "the same request");
}
