//! The authorisation endpoint: valid and invalid requests. Errors are never redirected to the client.

use itinerary_tests::browser::Browser;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{App, REDIRECT, VERIFIER, challenge, encoded, expect_refusal, parameter, tokens};

/// The response to a program that requests this address.
async fn asked(world: &World, address: &str) -> RawResponse {
    world.call(Method::GET, address).header("Accept", "application/json").send().await
}

/// Checks that a request fails with JSON for programs and with a page for browsers, without a redirect.
async fn expect_refused(world: &World, browser: &Browser, address: &str, status: u16, error: &str) {
    let told = asked(world, address).await;
    expect_refusal(&told, status, error);
    //
    assert!(!told.headers.keys().any(|name| name.as_str().starts_with("access-control-")), "{:?}", told.headers);
    let page = browser.visit(address).await;
    assert_eq!((page.response.status.as_u16(), page.left_for.as_ref()), (status, None), "{address}");
    assert_eq!(page.response.header("content-type"), "text/html; charset=utf-8");
    page.assert_says(&format!("<code>{error}</code>"));
    assert!(page.forms("/oauth/authorise/decision").is_empty());
}

#[api_test]
async fn an_unknown_client_is_sent_nowhere(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for id in ["app_unknown", "command-line-2", "https://app.example/client", "app\u{0}", "' OR 1=1 --"] {
        let address = app.authorise_with(&[("client_id", id)]);
        expect_refused(&world, &browser, &address, 401, "invalid_client").await;
    }
    let address = app.authorise_with(&[("client_id", "")]);
    expect_refused(&world, &browser, &address, 400, "invalid_request").await;
}

#[api_test]
async fn redirect_addresses_are_compared_as_strings(world: World) {
    //
    let app = App::registered(&world, json!({ "redirect_uris": ["https://app.example/cb"] })).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for other in [
        "https://app.example/cb/",
        "https://app.example/CB",
        "https://APP.example/cb",
        "https://app.example/cb?x=1",
        "https://app.example/%63b",
        "https://app.example:443/cb",
        "https://app.example:8443/cb",
        "https://www.app.example/cb",
        "https://app.example.evil.example/cb",
        "https://app.example@evil.example/cb",
        "https://app.example/x/../cb",
        "https://app.example",
        "http://app.example/cb",
        "https://app.example/cb#",
        "https://app.example/cb\r\nX: y",
        "javascript:alert(1)",
    ] {
        let address = app.authorise_with(&[("redirect_uri", other)]);
        expect_refused(&world, &browser, &address, 400, "invalid_redirect_uri").await;
    }
    let address = app.authorise_with(&[("redirect_uri", "")]);
    expect_refused(&world, &browser, &address, 400, "invalid_request").await;
    let address = app.authorise_with(&[("redirect_uri", "https://app.example/cb")]);
    assert!(browser.decide(&address, "approve").await.as_str().starts_with("https://app.example/cb?code="));
}

#[api_test]
async fn the_port_of_a_loopback_redirect_is_free(world: World) {
    //
    let registered = ["http://127.0.0.1:1/cb", "http://localhost/cb?x=1"];
    let metadata = json!({ "redirect_uris": registered, "token_endpoint_auth_method": "none" });
    let app = App::registered(&world, metadata).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for requested in ["http://127.0.0.1:51004/cb", "http://127.0.0.1/cb", "http://localhost:3000/cb?x=1"] {
        let back = browser.decide(&app.authorise_with(&[("redirect_uri", requested)]), "approve").await;
        assert!(back.as_str().starts_with(requested), "{back}");
        // T-06: at the token endpoint it must equal the request's, including the port.
        let code = parameter(&back, "code").expect("a code");
        let registered = app.redemption(&code, &[("redirect_uri", registered[0])]).send().await;
        expect_refusal(&registered, 400, "invalid_grant");
        tokens(&app.redemption(&code, &[("redirect_uri", requested)]).send().await);
    }
    for other in [
        "http://localhost:1/cb",
        "http://127.0.0.1:1/cb/",
        "http://127.0.0.1:1/cb?x=1",
        "http://127.0.0.1:1@evil.example/cb",
        "http://127.0.0.1.evil.example:1/cb",
        "http://127.0.0.1:0/cb",
        "http://127.0.0.1:99999/cb",
        "https://127.0.0.1:1/cb",
        "http://localhost:3000/cb?x=2",
    ] {
        let address = app.authorise_with(&[("redirect_uri", other)]);
        expect_refused(&world, &browser, &address, 400, "invalid_redirect_uri").await;
    }
}

#[api_test]
async fn only_codes_with_a_good_challenge_can_be_asked_for(world: World) {
    // for a confidential client, too.
    let browser = Browser::signed_up(&world, "ana").await;
    let long = challenge(VERIFIER) + "A";
    let padded = challenge(VERIFIER).replace('M', "=");
    for app in [App::public(&world).await, App::confidential(&world).await] {
        for (changes, error) in [
            (&[("response_type", "token")][..], "unsupported_response_type"),
            (&[("response_type", "code token")], "unsupported_response_type"),
            (&[("response_type", "id_token")], "unsupported_response_type"),
            (&[("response_type", "CODE")], "unsupported_response_type"),
            (&[("response_type", "")], "invalid_request"),
            (&[("code_challenge", "")], "invalid_request"),
            (&[("code_challenge", "short")], "invalid_request"),
            (&[("code_challenge", &long)], "invalid_request"),
            (&[("code_challenge", &padded)], "invalid_request"),
            (&[("code_challenge_method", "plain")], "invalid_request"),
            (&[("code_challenge_method", "s256")], "invalid_request"),
            (&[("code_challenge_method", "")], "invalid_request"),
            (&[("code_challenge_method", ""), ("code_challenge", "")], "invalid_request"),
        ] {
            expect_refused(&world, &browser, &app.authorise_with(changes), 400, error).await;
        }
    }
}

#[api_test]
async fn parameters_come_once_and_unknown_ones_are_passed_over(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for name in
        ["client_id", "redirect_uri", "response_type", "scope", "code_challenge", "code_challenge_method", "state"]
    {
        let again = encoded(&[(name, "again")]);
        let address = format!("{}&{again}", app.authorise());
        expect_refused(&world, &browser, &address, 400, "invalid_request").await;
    }
    let address = app.authorise() + "&prompt=none&prompt=login&nonce=n&max_age=0&display&=&ui_locales=pt";
    assert!(parameter(&browser.decide(&address, "approve").await, "code").is_some());
}

#[api_test]
async fn an_empty_parameter_counts_as_left_out(world: World) {
    // without a scope, the default is reading.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let without = [("scope", ""), ("state", ""), ("resource", "")];
    for address in [app.authorise_with(&without), app.authorise_with(&without) + "&scope=&state=&resource="] {
        let back = browser.decide(&address, "approve").await;
        assert_eq!(parameter(&back, "state"), None, "{back}");
        let code = parameter(&back, "code").expect("a code");
        assert_eq!(tokens(&app.redeem(&code).await).scope, "itineraries:read");
    }
}

#[api_test]
async fn scopes_are_the_four_and_offline_access(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    for scope in [
        "admin",
        "itineraries:read admin",
        "itineraries:READ",
        "Itineraries:read",
        "itineraries:read,itineraries:write",
        "itineraries:read\titineraries:write",
        "itineraries",
        "openid",
        "*",
    ] {
        expect_refused(&world, &browser, &app.authorise_with(&[("scope", scope)]), 400, "invalid_scope").await;
    }
    for (asked, given) in [
        ("documents:read itineraries:read documents:read", "documents:read itineraries:read"),
        ("  itineraries:write  ", "itineraries:write"),
        ("itineraries:read offline_access", "itineraries:read offline_access"),
        (
            "itineraries:read itineraries:write documents:read documents:write",
            "itineraries:read itineraries:write documents:read documents:write",
        ),
    ] {
        let code = app.code_with(&browser, &[("scope", asked)]).await;
        assert_eq!(tokens(&app.redeem(&code).await).scope, given);
    }
}

#[api_test]
async fn a_request_is_checked_before_anybody_signs_in(world: World) {
    let app = App::public(&world).await;
    let nobody = Browser::new(&world);
    expect_refused(&world, &nobody, &app.authorise_with(&[("scope", "admin")]), 400, "invalid_scope").await;
    let page = nobody.visit(&app.authorise()).await;
    assert_eq!((page.response.status.as_u16(), page.address.path()), (200, "/sign-in"));
    page.assert_says("An app asks for access to your account.");
}

#[api_test]
async fn a_request_that_is_too_long_to_come_back_to_is_refused(world: World) {
    // Rejected at once, because the address would be lost during sign-in.
    let app = App::public(&world).await;
    let (nobody, browser) = (Browser::new(&world), Browser::signed_up(&world, "ana").await);
    let (long, too_long) = ("s".repeat(7_000), "s".repeat(9_000));
    for browser in [&nobody, &browser] {
        let address = app.authorise_with(&[("state", &too_long)]);
        expect_refused(&world, browser, &address, 400, "invalid_request").await;
    }
    let address = app.authorise_with(&[("state", &long)]);
    let sign_in = nobody.visit(&address).await.form("/sign-in");
    let consent = nobody.submit(&sign_in, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(consent.address.path(), "/oauth/authorise");
    let back = nobody.submit(&consent.form("/oauth/authorise/decision"), &[("decision", "approve")]).await;
    assert_eq!(back.left_for.and_then(|back| parameter(&back, "state")), Some(long));
    // For any spelling of the path.
    let doubled = Browser::new(&world).visit(&format!("{}/{address}", world.base_url)).await;
    assert!(doubled.form("/sign-in").get("next").starts_with("/oauth/authorise?"));
}

#[api_test]
async fn nobody_signs_in_to_the_command_lines_client(world: World) {
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    world.token("ana", "itineraries:read").await;
    let address = app.authorise_with(&[("client_id", "command-line"), ("redirect_uri", REDIRECT)]);
    expect_refused(&world, &browser, &address, 400, "invalid_redirect_uri").await;
}

#[api_test]
async fn no_web_page_may_call_the_authorise_address(world: World) {
    // with any method.
    let app = App::public(&world).await;
    for path in [app.authorise(), "/oauth/authorise/decision".to_owned(), "/sign-in".to_owned()] {
        for method in [Method::OPTIONS, Method::POST, Method::DELETE, Method::HEAD, Method::GET] {
            let call = world.call(method.clone(), &path).header("Origin", "https://evil.example");
            let call = call.header("Access-Control-Request-Method", "POST");
            let response = call.send().await;
            let cors = response.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
            assert_eq!(cors, None, "{method} {path}");
            assert_eq!(response.header("cache-control"), "no-store", "{method} {path}");
            assert!(response.header("content-security-policy").contains("frame-ancestors 'none'"), "{method} {path}");
        }
    }
}

#[api_test]
async fn a_code_is_long_and_never_the_same(world: World) {
    // at least 128 bits; here 256.
    let app = App::public(&world).await;
    let browser = Browser::signed_up(&world, "ana").await;
    let mut codes = std::collections::HashSet::new();
    for _ in 0..5 {
        let code = app.code(&browser).await;
        let random = code.strip_prefix("itp_ac_").expect("a prefix for scanners");
        assert!(random.len() >= 43 && codes.insert(code.clone()), "{code}");
    }
}
