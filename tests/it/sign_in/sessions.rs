//! Sessions: who is signed in, in which browser, and how sessions end.

use chrono::TimeDelta;
use itinerary_app::accounts;
use itinerary_tests::browser::{Browser, Form};
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;

use super::{App, expect_alive, expect_ended, expect_refusal};

/// Whether a traveller is signed in with this browser.
async fn is_signed_in(browser: &Browser) -> bool {
    browser.visit("/account").await.address.path() == "/account"
}

/// The `Set-Cookie` headers of a response.
fn cookies(response: &RawResponse) -> Vec<String> {
    let set = response.headers.get_all("set-cookie").iter();
    set.map(|cookie| cookie.to_str().expect("plain text").to_owned()).collect()
}

/// The attributes of a cookie that is set once.
#[track_caller]
fn attributes(response: &RawResponse, name: &str) -> Vec<String> {
    let cookies = cookies(response);
    let [cookie] = &cookies.iter().filter(|cookie| cookie.starts_with(&format!("{name}="))).collect::<Vec<_>>()[..]
    else {
        panic!("not one cookie {name}: {cookies:?}")
    };
    let mut attributes: Vec<String> = cookie.split("; ").skip(1).map(str::to_owned).collect();
    attributes.sort();
    attributes
}

#[api_test]
async fn the_session_cookie_is_for_this_server_and_no_script(world: World) {
    //
    world.account("ana").await;
    let browser = Browser::new(&world);
    let page = browser.visit("/sign-in").await;
    assert_eq!(attributes(&page.response, "visitor"), ["HttpOnly", "Path=/", "SameSite=Lax"]);
    let typed = [("username", "ana"), ("password", PASSWORD)];
    let response = browser.post(&page.form("/sign-in"), &typed).send().await;
    let session = attributes(&response, "session");
    assert_eq!(session, ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax"]);
    assert!(browser.cookie("session").is_some_and(|value| value.len() >= 43));
}

#[api_test]
async fn over_https_cookies_are_secure_and_bound_to_the_host(database: Database) {
    let Some(world) =
        World::start_with(database, |config| "https://trips.example".clone_into(&mut config.base_url)).await
    else {
        return;
    };
    //
    world.account("ana").await;
    // As behind a proxy with TLS. The cookies are handled here, because no browser sends them over http.
    let browser = Browser::new(&world);
    let page = browser.visit("/sign-in").await;
    let secure = ["HttpOnly", "Path=/", "SameSite=Lax", "Secure"];
    assert_eq!(attributes(&page.response, "__Host-visitor"), secure);
    assert!(page.response.header("strict-transport-security").starts_with("max-age="));
    let visitor = cookies(&page.response)[0].split(';').next().expect("a cookie").to_owned();
    let sign_in = |form: &Form| {
        let typed = [("username", "ana"), ("password", PASSWORD)];
        browser.post(form, &typed).header("Cookie", &visitor).send()
    };
    let response = sign_in(&page.form("/sign-in")).await;
    assert_eq!(response.status, 303);
    let session = attributes(&response, "__Host-session");
    assert_eq!(session, ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"]);
    let session = cookies(&response)[0].split(';').next().expect("a cookie").to_owned();
    let account = |cookie: &str| browser.call(Method::GET, "/account").header("Cookie", cookie).send();
    assert_eq!(account(&session).await.status, 200);
    let without_prefix = session.replace("__Host-", "");
    assert_eq!(account(&without_prefix).await.status, 303, "a cookie that another host could set");
}

#[api_test]
async fn each_sign_in_is_a_new_session_and_the_former_one_ends(world: World) {
    //
    let browser = Browser::signed_up(&world, "ana").await;
    let first = browser.cookie("session").expect("a session");
    // The form of a second sign-in during a session.
    let other = Browser::new(&world);
    let form = other.visit("/sign-in").await.form("/sign-in");
    other.plant(&format!("session={first}"));
    let page = other.submit(&form, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(page.address.path(), "/");
    let second = other.cookie("session").expect("a session");
    assert_ne!(first, second);
    assert!(is_signed_in(&other).await && !is_signed_in(&browser).await);
}

#[api_test]
async fn a_planted_cookie_becomes_nobodys_session(world: World) {
    // session fixation.
    world.account("ana").await;
    let browser = Browser::new(&world);
    let planted = "A".repeat(43);
    let form = browser.visit("/sign-in").await.form("/sign-in");
    browser.plant(&format!("session={planted}"));
    let page = browser.submit(&form, &[("username", "ana"), ("password", PASSWORD)]).await;
    assert_eq!(page.address.path(), "/");
    assert_ne!(browser.cookie("session"), Some(planted.clone()));
    let attacker = Browser::new(&world);
    attacker.plant(&format!("session={planted}"));
    assert!(!is_signed_in(&attacker).await);
}

#[api_test]
async fn signing_out_takes_a_button_and_ends_the_session(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let app = App::public(&world).await;
    let tokens = app.connect(&browser).await;
    let session = browser.cookie("session").expect("a session");
    let page = browser.visit("/sign-out").await;
    assert!(is_signed_in(&browser).await, "a link changes nothing");
    let response = browser.post(&page.form("/sign-out"), &[]).send().await;
    assert_eq!((response.status.as_u16(), response.header("location")), (303, "/?account=signed-out"));
    assert!(attributes(&response, "session").contains(&"Max-Age=0".to_owned()));
    assert_eq!(browser.cookie("session"), None);
    browser.visit(response.header("location")).await.assert_says("You are signed out.");
    browser.plant(&format!("session={session}"));
    assert!(!is_signed_in(&browser).await, "it ended on the server");
    assert_eq!(browser.visit("/sign-out").await.address.path(), "/", "there is nobody to sign out");
    // Apps stay connected, as the page says.
    expect_alive(&world, &tokens.access_token).await;
}

#[api_test]
async fn a_session_lasts_thirty_days(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    world.clock.advance(TimeDelta::days(30) - TimeDelta::seconds(1));
    assert!(is_signed_in(&browser).await);
    world.clock.advance(TimeDelta::seconds(1));
    assert!(!is_signed_in(&browser).await);
}

#[api_test]
async fn an_account_has_twenty_sessions_the_newest(world: World) {
    // Contract §10
    let (first, other) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "ben").await);
    let mut later = Vec::new();
    for n in 0..20 {
        assert!(is_signed_in(&first).await, "with {n} more");
        world.clock.advance(TimeDelta::seconds(1));
        let browser = Browser::new(&world);
        assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
        later.push(browser);
    }
    assert!(!is_signed_in(&first).await, "the oldest has ended");
    for browser in later.iter().chain([&other]) {
        assert!(is_signed_in(browser).await);
    }
}

#[api_test]
async fn a_new_password_ends_sessions_codes_and_grants(world: World) {
    // V-06
    let app = App::public(&world).await;
    let (ana, bob) = (Browser::signed_up(&world, "ana").await, Browser::signed_up(&world, "bob").await);
    let (anas, bobs) = (app.connect(&ana).await, app.connect(&bob).await);
    let code = app.code(&ana).await;
    accounts::set_password(world.service(), "ana", "a new password").await.expect("a good password");
    assert!(!is_signed_in(&ana).await);
    expect_ended(&world, &anas.access_token).await;
    expect_refusal(&app.renew(&anas.refresh_token).await, 400, "invalid_grant");
    expect_refusal(&app.redeem(&code).await, 400, "invalid_grant");
    assert!(is_signed_in(&bob).await);
    expect_alive(&world, &bobs.access_token).await;
    assert_eq!(ana.sign_in("ana", PASSWORD).await.response.status, 422);
    assert_eq!(ana.sign_in("ana", "a new password").await.address.path(), "/");
}

#[api_test]
async fn a_session_outlives_the_server(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let session = browser.cookie("session").expect("a session");
    let world = world.restart().await;
    let browser = Browser::new(&world);
    browser.plant(&format!("session={session}"));
    assert!(is_signed_in(&browser).await);
}

#[api_test]
async fn a_session_is_no_token_and_a_token_no_session(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let session = browser.cookie("session").expect("a session");
    let response = browser.call(Method::GET, "/v1/account").send().await;
    response.expect_error(401, "unauthenticated");
    assert_eq!(response.header("www-authenticate"), "Bearer", "cookies are not looked at");
    expect_ended(&world, &session).await;
    let token = App::public(&world).await.connect(&browser).await.access_token;
    let other = Browser::new(&world);
    other.plant(&format!("session={token}"));
    assert!(!is_signed_in(&other).await);
}

#[api_test]
async fn a_traveller_signs_out_of_every_other_browser(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let other = Browser::new(&world);
    other.sign_in("ana", PASSWORD).await;
    let path = "/account/sign-in-methods";
    let form = browser.visit(path).await.form(path);
    let forged = browser.submit(&form, &[("end_sessions", "yes"), ("guard", "forged")]).await;
    assert_eq!(forged.response.status, 403);
    assert!(is_signed_in(&other).await);
    let page = browser.submit(&form, &[("end_sessions", "yes")]).await;
    page.assert_says("You are signed out in every other browser.");
    assert!(is_signed_in(&browser).await && !is_signed_in(&other).await);
}
