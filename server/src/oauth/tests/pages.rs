//! The pages: forms, cookies, headers.

use http::header::{ETAG, RETRY_AFTER, SET_COOKIE};
use serde_json::json;

use super::world::{Browser, PASSWORD, Page, World, account, authorise_address};

fn cookie(browser: &Browser<'_>, name: &str) -> Option<String> {
    browser.cookies.lock().expect("no panic").get(name).cloned()
}

#[tokio::test]
async fn every_page_is_protected_and_whole() {
    let world = World::new().await;
    let client = world.public_client().await.client_id;
    let (ana, nobody) = (world.browser(), world.browser());
    ana.sign_up("ana").await;
    ana.approve(&authorise_address(&client, &[])).await;
    let mut pages: Vec<Page> = Vec::new();
    for path in ["/", "/sign-up", "/sign-in", "/oauth/authorise?client_id=x"] {
        pages.push(nobody.get(path).await);
    }
    for path in ["/", "/account", "/account/apps", "/sign-out", &authorise_address(&client, &[])] {
        pages.push(ana.get(path).await);
    }
    for page in pages {
        let policy = page.header("content-security-policy");
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
            assert_eq!(page.header(name), value);
        }
        for part in ["<html lang=\"en\">", "<main id=\"main\"", "<h1>", "</html>", "<title>"] {
            assert!(page.body.contains(part), "{part} in {}", page.body);
        }
        assert!(!page.body.contains("<script") && !page.body.contains("style=\""), "nothing inline");
    }
}

#[tokio::test]
async fn what_was_typed_wrong_is_told_at_its_field() {
    let world = World::new().await;
    let browser = world.browser();
    let form = browser.get("/sign-up").await;
    assert!(form.body.contains("aria-describedby=\"username-hint\"") && !form.body.contains("aria-invalid"));
    let typed = [("username", "<b>"), ("display_name", "Ana"), ("password", "short12")];
    let again = browser.submit(&form, "/sign-up", &typed).await;
    assert_eq!(again.status, 422);
    assert_eq!(again.body.matches("aria-invalid=\"true\"").count(), 2);
    for part in [
        "aria-describedby=\"username-hint username-error\"",
        "aria-describedby=\"password-hint password-error\"",
        "id=\"password-error\"",
        "value=\"Ana\"",
        "value=\"&#60;b&#62;\"",
    ] {
        assert!(again.body.contains(part), "{part} in {}", again.body);
    }
    assert!(!again.body.contains("short12") && !again.body.contains("<b>"));
    assert!(cookie(&browser, "session").is_none());

    world.browser().sign_up("ana").await;
    let taken = browser.submit(&form, "/sign-up", &account("Ana")).await;
    assert_eq!(taken.status, 422);
    assert!(taken.body.contains("Somebody else has this name"));
}

#[tokio::test]
async fn a_wrong_name_and_a_wrong_password_look_the_same() {
    let world = World::new().await;
    world.browser().sign_up("ana").await;
    let browser = world.browser();
    let pages = [
        browser.sign_in("ana", "not the password").await,
        browser.sign_in("bob", "not the password").await,
        browser.sign_in("not a name\u{0}", PASSWORD).await,
    ];
    for page in pages {
        assert_eq!(page.status, 422);
        assert!(page.body.contains("Username and password do not go together."));
        assert!(!page.body.contains("not the password"));
    }
    assert!(cookie(&browser, "session").is_none());
    let right = browser.sign_in(" ANA ", PASSWORD).await;
    assert_eq!((right.status, right.location()), (303, "/account"));
    assert!(browser.get("/account").await.body.contains("Ana Silva"));
}

#[tokio::test]
async fn guessing_is_limited_and_succeeding_is_not() {
    let world = World::new().await;
    world.browser().sign_up("ana").await;
    let browser = world.browser();
    for _ in 0..12 {
        assert_eq!(world.browser().sign_in("ana", PASSWORD).await.status, 303);
    }
    for _ in 0..10 {
        assert_eq!(browser.sign_in("ana", "wrong").await.status, 422);
    }
    let refused = browser.sign_in("ana", PASSWORD).await;
    assert_eq!((refused.status, refused.header(RETRY_AFTER)), (429, "60"), "even the right one");
    assert!(refused.body.contains("role=\"alert\""));
    assert_eq!(browser.sign_in("bob", "wrong").await.status, 422, "another account");
    for _ in 0..19 {
        browser.sign_in("nobody", "wrong").await;
    }
    world.advance(59);
    assert_eq!(browser.sign_in("ana", PASSWORD).await.status, 429);
    world.advance(1);
    assert_eq!(browser.sign_in("ana", PASSWORD).await.status, 303);
}

#[tokio::test]
async fn guesses_at_once_do_not_outrun_the_limit() {
    let world = World::new().await;
    world.browser().sign_up("ana").await;
    let browser = world.browser();
    let guesses = futures::future::join_all((0..40).map(|_| browser.sign_in("ana", "wrong"))).await;
    let tried = guesses.iter().filter(|page| page.status == 422).count();
    // As many may be hashed at once as there are turns.
    assert!((10..=11).contains(&tried), "{tried} were tried");
}

#[tokio::test]
async fn ten_accounts_an_hour_from_an_address() {
    let world = World::new().await;
    for n in 0..10 {
        assert_eq!(world.browser().sign_up(&format!("ana{n}")).await.status, 303);
    }
    let refused = world.browser().sign_up("ana10").await;
    assert_eq!((refused.status, refused.header(RETRY_AFTER)), (429, "3600"));
    world.advance(3600);
    assert_eq!(world.browser().sign_up("ana10").await.status, 303);
}

#[tokio::test]
async fn forms_from_elsewhere_are_refused() {
    let world = World::new().await;
    world.browser().sign_up("ana").await;
    let (browser, other) = (world.browser(), world.browser());
    let foreign = other.get("/sign-in").await.hidden("guard").expect("a guard");
    browser.get("/sign-in").await;
    for guard in ["", "x", &foreign] {
        let fields = [("guard", guard), ("username", "ana"), ("password", PASSWORD)];
        let page = browser.post("/sign-in", &fields).await;
        assert_eq!((page.status, page.header(SET_COOKIE)), (403, ""));
        let mut fields = account("eve").to_vec();
        fields.push(("guard", guard));
        assert_eq!(browser.post("/sign-up", &fields).await.status, 403);
    }
    browser.sign_in("ana", PASSWORD).await;
    for path in ["/sign-out", "/account/apps"] {
        assert_eq!(browser.post(path, &[("guard", &foreign)]).await.status, 403);
    }
    assert_eq!(browser.get("/account").await.status, 200, "still signed in");
}

#[tokio::test]
async fn each_sign_in_is_a_new_session() {
    let world = World::new().await;
    let browser = world.browser();
    let begun = browser.sign_up("ana").await;
    let attributes = begun.header(SET_COOKIE);
    for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(attributes.contains(part), "{attributes}");
    }
    assert!(!attributes.contains("Secure"), "over plain http the browser would drop it");
    let first = cookie(&browser, "session").expect("a session");
    let page = browser.get("/sign-up").await;
    browser.submit(&page, "/sign-up", &account("bob")).await;
    let second = cookie(&browser, "session").expect("a session");
    assert_ne!(first, second);
    let thief = world.browser();
    thief.cookies.lock().expect("no panic").insert("session".to_owned(), first);
    assert_eq!(thief.get("/account").await.location(), "/sign-in?next=%2Faccount");
    world.advance(30 * 86_400);
    assert_eq!(browser.get("/account").await.status, 303, "a session lasts thirty days");
}

#[tokio::test]
async fn cookies_are_secure_over_https() {
    let world = World::with(|config| config.base_url = "https://trips.example".to_owned()).await;
    let browser = world.browser();
    let begun = browser.sign_up("ana").await;
    let attributes = begun.header(SET_COOKIE);
    assert!(attributes.starts_with("__Host-session=") && attributes.contains("; Secure"), "{attributes}");
    assert!(cookie(&browser, "__Host-visitor").is_some());
    assert_eq!(browser.get("/account").await.status, 200);
}

#[tokio::test]
async fn signing_out_takes_a_button_and_ends_the_session() {
    let world = World::new().await;
    let browser = world.browser();
    browser.sign_up("ana").await;
    let session = cookie(&browser, "session").expect("a session");
    let page = browser.get("/sign-out").await;
    assert_eq!(page.status, 200);
    assert_eq!(browser.get("/account").await.status, 200, "looking at the page changes nothing");
    let out = browser.submit(&page, "/sign-out", &[]).await;
    assert_eq!((out.status, out.location()), (303, "/"));
    assert!(cookie(&browser, "session").is_none());
    browser.cookies.lock().expect("no panic").insert("session".to_owned(), session);
    assert_eq!(browser.get("/account").await.status, 303, "the old cookie is worth nothing");
    assert_eq!(browser.get("/sign-out").await.location(), "/");
}

#[tokio::test]
async fn nobody_is_sent_to_another_site() {
    let world = World::new().await;
    world.browser().sign_up("ana").await;
    for next in ["//evil.example", "https://evil.example", "/\\evil.example"] {
        let browser = world.browser();
        let page = browser.get(&format!("/sign-in?{}", super::world::query(&[("next", next)]))).await;
        assert_eq!(page.hidden("next").as_deref(), Some(""));
        let guard = page.hidden("guard").expect("a guard");
        let fields = [("guard", guard.as_str()), ("next", next), ("username", "ana"), ("password", PASSWORD)];
        assert_eq!(browser.post("/sign-in", &fields).await.location(), "/account");
    }
}

#[tokio::test]
async fn an_app_can_be_shut_out() {
    let world = World::new().await;
    let named = json!({"client_name": "<i>Notes</i>", "token_endpoint_auth_method": "none"});
    let client = world.register(named).await.expect("registered").client_id;
    let (ana, bob) = (world.browser(), world.browser());
    ana.sign_up("ana").await;
    bob.sign_up("bob").await;
    let address = authorise_address(&client, &[]);
    let consent = ana.get(&address).await;
    assert!(consent.body.contains("&#60;i&#62;Notes&#60;/i&#62;") && !consent.body.contains("<i>"));
    let tokens = world.redeem(&client, &ana.approve(&address).await).await.expect("tokens");

    let apps = ana.get("/account/apps").await;
    for part in ["&#60;i&#62;Notes&#60;/i&#62;", "See your itineraries", "datetime=\"2027-01-15\""] {
        assert!(apps.body.contains(part), "{part} in {}", apps.body);
    }
    let grant = apps.hidden("grant").expect("a grant");
    let bobs = bob.get("/account").await;
    assert!(bobs.body.contains("None yet"));
    let bobs = bob.get("/sign-out").await;
    bob.submit(&bobs, "/account/apps", &[("grant", &grant)]).await;
    assert!(world.caller(&tokens.access_token).await.is_some(), "it is not his to end");

    let done = ana.submit(&apps, "/account/apps", &[("grant", &grant)]).await;
    assert_eq!((done.status, done.location()), (303, "/account/apps?disconnected=1"));
    assert!(world.caller(&tokens.access_token).await.is_none());
    let apps = ana.get(done.location()).await;
    assert!(apps.body.contains("role=\"status\"") && apps.body.contains("No app is connected"));
}

#[tokio::test]
async fn the_style_sheet_is_kept_by_browsers() {
    let world = World::new().await;
    let style = world.browser().get("/style.css").await;
    assert_eq!((style.status, style.header("content-type")), (200, "text/css; charset=utf-8"));
    assert!(style.header("cache-control").contains("max-age") && style.body.contains("prefers-color-scheme"));
    let uri = "/style.css".parse().expect("an address");
    let known = style.headers[ETAG].clone();
    let headers = http::HeaderMap::from_iter([(http::header::IF_NONE_MATCH, known)]);
    let request = itinerary_api::extract::WebRequest {
        method: http::Method::GET,
        uri,
        headers,
        body: bytes::Bytes::new(),
        address: super::world::address(),
    };
    let again = crate::oauth::pages::style(&world.service, &request).await;
    assert_eq!((again.status().as_u16(), again.body().len()), (304, 0));
}
