//! Pages for people: headers, sign-up and sign-in, redirects.

use chrono::TimeDelta;
use itinerary_tests::app::App as TokenApp;
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{App, encoded, expect_marked};

/// Checks that a page is complete, and has the headers against framing, caching, sniffing and reading by other sites.
#[track_caller]
fn expect_whole_and_protected(page: &Page) {
    let response = &page.response;
    let policy = response.header("content-security-policy");
    for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"] {
        assert!(policy.contains(part), "{policy}");
    }
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(response.header(name), value, "{name} of {}", page.address);
    }
    let cors = response.headers.keys().find(|name| name.as_str().starts_with("access-control-"));
    assert_eq!(cors, None, "{}", page.address);
    for part in ["<html lang=\"en\">", "<main id=\"main\"", "<h1>", "</html>", "<title>"] {
        assert!(page.text().contains(part), "{part} in {}", page.text());
    }
    assert!(!page.text().contains("<script") && !page.text().contains("style=\""), "nothing inline");
}

#[api_test]
async fn every_page_is_protected(world: World) {
    //
    let app = App::public(&world).await;
    let (nobody, ana) = (Browser::new(&world), Browser::signed_up(&world, "ana").await);
    app.connect(&ana).await;
    let unknown = app.authorise_with(&[("client_id", "app_unknown")]);
    let mut pages = Vec::new();
    for path in ["/", "/sign-up", "/sign-in", "/account", &app.authorise(), &unknown] {
        pages.push(nobody.visit(path).await);
    }
    let own = ["/trips", "/account", "/account/apps", "/account/password", "/account/data", "/account/delete"];
    for path in own.into_iter().chain(["/", "/sign-out", "/nowhere", &app.authorise(), &unknown]) {
        pages.push(ana.visit(path).await);
    }
    pages.push(nobody.sign_in("ana", "not the password").await);
    pages.push(nobody.sign_up("a", "", "short").await);
    let form = ana.visit(&app.authorise()).await.form("/oauth/authorise/decision");
    pages.push(ana.submit(&form.with("guard", "forged"), &[("decision", "approve")]).await);
    for page in &pages {
        expect_whole_and_protected(page);
    }
    assert_eq!(pages.len(), 20);
}

// Errors are pages in a browser and JSON for programs. The API never answers with pages.
#[api_test]
async fn errors_are_pages_in_a_browser(world: World) {
    let browser = Browser::new(&world);
    for (path, status, words) in [
        ("/nowhere", 404, "Page not found"),
        ("/account/nowhere", 404, "Page not found"),
        ("/nowhere//x/", 404, "Page not found"),
        ("/oauth/nowhere", 404, "Page not found"),
        ("/.well-known/nowhere", 404, "Page not found"),
        ("/images/nowhere", 404, "Page not found"),
        ("/images/0190b5a0-0000-4000-8000-00000000c0de", 404, "Page not found"),
        ("/documents/AAAA.AAAA", 404, "This link has expired"),
        ("/oauth/token", 405, "This address cannot be opened in a browser"),
    ] {
        let page = browser.visit(path).await;
        assert_eq!(page.response.status.as_u16(), status, "{path}");
        page.assert_says(words);
        expect_whole_and_protected(&page);
        let response = world.call(Method::GET, path).header("Accept", "*/*").send().await;
        assert_eq!((response.status.as_u16(), response.header("content-type")), (status, "application/json"), "{path}");
    }
    for path in ["/v1/nowhere", "/v1/itineraries", "/v1//nowhere", "/mcp", "/mcp/nowhere"] {
        let response = browser.call(Method::GET, path).send().await;
        assert!(response.status.is_client_error(), "{path}");
        assert_eq!(response.header("content-type"), "application/json", "{path}");
    }
    // Programs send forms and read JSON.
    let response = browser.call(Method::POST, "/oauth/token").form(&[("grant_type", "nonsense")]).send().await;
    assert_eq!((response.status.as_u16(), response.header("content-type")), (400, "application/json"));
}

#[api_test]
async fn the_start_page_shows_the_newest_itineraries(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let page = ana.visit("/").await;
    page.assert_says("You have no itineraries yet.");
    let app = TokenApp::of(&world, "ana").await;
    for day in 1..=7 {
        let days = json!({ "title": format!("Trip <{day}>"), "days": [{}, {}, {}] });
        app.created(&with(on_day(day), days)).await;
        world.clock.advance(TimeDelta::minutes(1));
    }
    let page = ana.visit("/").await;
    let text = page.text();
    page.assert_says("Hello, <bdi>ana</bdi>");
    page.assert_says("6 – 8 May 2027");
    page.assert_says("Lisbon");
    assert!(text.contains("Trip &#60;1&#62;"), "the next one: {text}");
    assert!(text.contains("Trip &#60;7&#62;") && !text.contains("Trip &#60;2&#62;"), "the newest five others: {text}");
    assert!(!text.contains("One place for every journey") && !text.contains("Create an account"), "it does not sell");
    let nobody = Browser::new(&world).visit("/").await;
    nobody.assert_says("Create an account");
    assert!(!nobody.text().contains("Trip"));
}

#[api_test]
async fn the_consent_form_may_lead_to_the_app_and_no_other_form_anywhere(world: World) {
    // browsers apply the page's policy to the redirect after a form.
    let app = App::public(&world).await;
    let ana = Browser::signed_up(&world, "ana").await;
    let policy = |page: &Page| page.response.header("content-security-policy").to_owned();
    let consent = policy(&ana.visit(&app.authorise()).await);
    assert!(consent.contains("form-action 'self' https://app.example https:;"), "{consent}");
    let apps = policy(&ana.visit("/account/apps").await);
    assert!(apps.contains("form-action 'self';"), "{apps}");
    let redirects = json!({ "redirect_uris": ["http://127.0.0.1/cb"], "token_endpoint_auth_method": "none" });
    let local = App::registered(&world, redirects).await;
    let local = local.authorise_with(&[("redirect_uri", "http://127.0.0.1:51004/cb")]);
    let consent = policy(&ana.visit(&local).await);
    assert!(consent.contains("form-action 'self' http://127.0.0.1:51004 https:;"), "{consent}");
}

#[api_test]
async fn every_redirect_after_a_form_is_a_303(world: World) {
    //
    let app = App::public(&world).await;
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-up").await.form("/sign-up");
    let typed = [("username", "ana"), ("display_name", "Ana"), ("password", PASSWORD)];
    let mut responses = vec![browser.post(&form, &typed).send().await];
    app.connect(&browser).await;
    let form = browser.visit("/account/apps").await.form("/account/apps");
    responses.push(browser.post(&form, &[]).send().await);
    let form = browser.visit("/sign-out").await.form("/sign-out");
    responses.push(browser.post(&form, &[]).send().await);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    responses.push(browser.post(&form, &typed).send().await);
    for (response, leads_to) in responses.iter().zip(["/", "/account/apps?disconnected=1", "/?account=signed-out", "/"])
    {
        assert_eq!((response.status.as_u16(), response.header("location")), (303, leads_to));
    }
}

#[api_test]
async fn forms_from_elsewhere_are_refused(world: World) {
    //
    let (ana, eve) = (Browser::signed_up(&world, "ana").await, Browser::new(&world));
    let typed = [("username", "bob"), ("display_name", "Bob"), ("password", PASSWORD)];
    for action in ["/sign-up", "/sign-in"] {
        let browser = Browser::new(&world);
        let own = browser.visit(action).await.form(action);
        let eves = eve.visit(action).await.form(action);
        for guard in ["", "forged", eves.get("guard")] {
            let page = browser.submit(&own.clone().with("guard", guard), &typed).await;
            assert_eq!((page.response.status.as_u16(), page.address.path()), (403, action), "{guard}");
            page.assert_says("This page was out of date.");
            assert_eq!(browser.cookie("session"), None);
        }
        // The form's code is invalid without the page's cookie.
        let page = Browser::new(&world).submit(&own, &typed).await;
        assert_eq!(page.response.status, 403);
    }
    let own = ana.visit("/sign-out").await.form("/sign-out");
    let eves = eve.visit("/sign-in").await.form("/sign-in");
    for guard in ["", "forged", eves.get("guard")] {
        assert_eq!(ana.submit(&own.clone().with("guard", guard), &[]).await.response.status, 403);
    }
    assert_eq!(ana.visit("/account").await.address.path(), "/account", "still signed in");
    assert!(world.service().store.account_by_username("bob").await.expect("a database").is_none());
}

#[api_test]
async fn names_and_passwords_have_their_limits(world: World) {
    let browser = Browser::new(&world);
    let (longest_name, longest_word) = ("a".repeat(30), "é".repeat(200));
    let too_long = [("a".repeat(31), "Ana".to_owned(), PASSWORD.to_owned())];
    let wrong = [
        ("", "Ana", PASSWORD),
        ("ab", "Ana", PASSWORD),
        (".ana", "Ana", PASSWORD),
        ("a na", "Ana", PASSWORD),
        ("aña", "Ana", PASSWORD),
        ("ana@b", "Ana", PASSWORD),
        ("ana\u{0}", "Ana", PASSWORD),
        ("ana", "", PASSWORD),
        ("ana", "  ", PASSWORD),
        ("ana", "A\u{7}na", PASSWORD),
        ("ana", "Ana", ""),
        ("ana", "Ana", "1234567"),
        ("ana", "Ana", "12345678"),
        ("ana.silva", "Ana", "Ana.Silva"),
    ]
    .map(|(name, display, word)| (name.to_owned(), display.to_owned(), word.to_owned()));
    let long = [
        ("ana".to_owned(), "é".repeat(101), PASSWORD.to_owned()),
        ("ana".to_owned(), "Ana".to_owned(), "x".repeat(201)),
    ];
    for (name, display, word) in wrong.into_iter().chain(too_long).chain(long) {
        let page = browser.sign_up(&name, &display, &word).await;
        let refused = (page.response.status.as_u16(), page.address.path());
        assert_eq!(refused, (422, "/sign-up"), "{name} {display} {word}");
        assert!(page.text().contains("aria-invalid=\"true\""));
        assert!(word.is_empty() || !page.text().contains(&word), "a password is never sent back");
    }
    assert_eq!(browser.cookie("session"), None);
    for (name, word) in [(longest_name.as_str(), longest_word.as_str()), ("0_0", "0123 567")] {
        let browser = Browser::new(&world);
        let page = browser.sign_up(name, &"é".repeat(100), word).await;
        assert_eq!(page.address.path(), "/", "{}", page.text());
        assert_eq!(Browser::new(&world).sign_in(name, word).await.address.path(), "/");
    }
}

#[api_test]
async fn sign_up_errors_are_shown_at_their_fields(world: World) {
    let browser = Browser::new(&world);
    let form = browser.visit("/sign-up").await;
    let text = form.text();
    assert!(text.contains("aria-describedby=\"username-hint\"") && !text.contains("aria-invalid"));
    let typed = [("username", "<b>"), ("display_name", "Ana"), ("password", "short12")];
    let again = browser.submit(&form.form("/sign-up"), &typed).await;
    assert_eq!(again.response.status, 422);
    let text = again.text();
    assert_eq!(text.matches("aria-invalid=\"true\"").count(), 2);
    for part in [
        "aria-describedby=\"username-error\"",
        "aria-describedby=\"password-error\"",
        "id=\"password-error\"",
        "value=\"Ana\"",
        "value=\"&#60;b&#62;\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("short12") && !text.contains("<b>"));
    assert_eq!(browser.cookie("session"), None);
    browser.sign_up("ana", "Ana Silva", PASSWORD).await.assert_says("Ana Silva");
}

#[api_test]
async fn rejected_sign_up_form_keeps_input_except_the_password(world: World) {
    let browser = Browser::new(&world);
    let page = browser.sign_up("<b>", "Ana \"A\" & Co", PASSWORD).await;
    let form = page.form("/sign-up");
    assert_eq!((form.get("username"), form.get("display_name")), ("<b>", "Ana \"A\" & Co"));
    assert_eq!(form.get("password"), "");
    assert!(page.text().contains("aria-describedby=\"username-error\""));
    assert!(!page.text().contains("id=\"username-hint\""), "the error says what the hint says");
    // The returned form works.
    let page = browser.submit(&form, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(page.address.path(), "/");
}

#[api_test]
async fn a_username_belongs_to_one_account_however_it_is_written(world: World) {
    let browser = Browser::new(&world);
    browser.sign_up("Ana.Silva", "Ana", PASSWORD).await.assert_says("Hello, ");
    browser.visit("/account").await.assert_says("ana.silva");
    for name in ["ana.silva", "ANA.SILVA", " Ana.Silva "] {
        let page = Browser::new(&world).sign_up(name, "Other", "another password").await;
        assert_eq!(page.response.status, 422);
        page.assert_says("This username is taken.");
        let page = Browser::new(&world).sign_in(name, PASSWORD).await;
        assert_eq!(page.address.path(), "/");
    }
}

#[api_test]
async fn one_of_many_sign_ups_with_the_same_username_succeeds(world: World) {
    let attempts = (0..8).map(|n| {
        let world = &world;
        async move {
            let password = format!("password of {n}");
            let page = Browser::new(world).sign_up("ana", &format!("Ana {n}"), &password).await;
            (page.response.status.as_u16(), password)
        }
    });
    let outcomes = futures::future::join_all(attempts).await;
    let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(|(status, _)| *status == 200);
    assert_eq!((won.len(), lost.iter().filter(|(status, _)| *status == 422).count()), (1, 7));
    assert_eq!(Browser::new(&world).sign_in("ana", &won[0].1).await.address.path(), "/");
}

#[api_test]
async fn a_wrong_name_and_a_wrong_password_look_alike(world: World) {
    //
    world.account("ana").await;
    let browser = Browser::new(&world);
    let mut pages = Vec::new();
    let attempts = [("ana", "not the password"), ("bob", "not the password"), ("no name at all!", PASSWORD)];
    for (name, password) in attempts {
        let page = browser.sign_in(name, password).await;
        assert_eq!(page.response.status, 422);
        page.assert_says("Wrong username or password.");
        expect_marked(&page, "password");
        assert!(!page.text().contains("not the password"));
        let form = page.form("/sign-in");
        assert_eq!((form.get("username"), form.get("password")), (name, ""));
        let text = page.text().replace(&format!("value=\"{name}\""), "value=\"\"");
        pages.push((text, page.response.headers.keys().cloned().collect::<Vec<_>>()));
    }
    assert_eq!(pages[0], pages[1]);
    assert_eq!(pages[0], pages[2]);
    assert_eq!(browser.cookie("session"), None);
}

#[api_test]
async fn signing_in_leads_to_this_site_only(world: World) {
    world.account("ana").await;
    let next = |next: &str| encoded(&[("next", next)]);
    for elsewhere in [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "\\/evil.example",
        "/\t/evil.example",
        "/\n/evil.example",
        "javascript:alert(1)",
        "account",
        "",
    ] {
        let browser = Browser::new(&world);
        let form = browser.visit(&format!("/sign-in?{}", next(elsewhere))).await.form("/sign-in");
        assert_eq!(form.get("next"), "", "{elsewhere:?}");
        let typed = [("username", "ana"), ("password", PASSWORD), ("next", elsewhere)];
        let page = browser.submit(&form, &typed).await;
        assert_eq!((page.left_for, page.address.path()), (None, "/"), "{elsewhere:?}");
        // A signed-in traveller is redirected, but only within the site.
        let page = browser.visit(&format!("/sign-in?{}", next(elsewhere))).await;
        assert_eq!((page.left_for, page.address.path()), (None, "/"), "{elsewhere:?}");
        let form = browser.visit("/sign-out").await.form("/sign-out");
        let response = browser.post(&form, &[("next", elsewhere)]).send().await;
        assert_eq!(
            (response.status.as_u16(), response.header("location")),
            (303, "/?account=signed-out"),
            "{elsewhere:?}"
        );
    }
    let browser = Browser::new(&world);
    let form = browser.visit(&format!("/sign-in?{}", next("/account/apps?x=1"))).await.form("/sign-in");
    let page = browser.submit(&form, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!((page.address.path(), page.address.query()), ("/account/apps", Some("x=1")));
}

#[api_test]
async fn pages_that_need_a_traveller_lead_to_signing_in_and_back(world: World) {
    world.account("ana").await;
    for path in ["/account", "/account/apps", "/trips"] {
        let browser = Browser::new(&world);
        let page = browser.visit(path).await;
        assert_eq!(page.address.path(), "/sign-in");
        let typed = [("username", "ana"), ("password", PASSWORD)];
        assert_eq!(browser.submit(&page.form("/sign-in"), &typed).await.address.path(), path);
    }
}

#[api_test]
async fn the_style_sheet_is_kept_by_browsers(world: World) {
    let style = world.call(Method::GET, "/style.css").send().await;
    assert_eq!((style.status.as_u16(), style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(style.header("cache-control").contains("max-age") && style.text().contains("prefers-color-scheme"));
    let again = world.call(Method::GET, "/style.css").header("If-None-Match", style.header("etag")).send().await;
    assert_eq!((again.status.as_u16(), again.body.len()), (304, 0));
}
