//! What a suspension ends, what its owner sees, and what comes back.

use futures::future::join_all;
use itinerary_app::audit::Actor;
use itinerary_app::{moderation, password_resets, personal_tokens};
use itinerary_core::clock::Clock as _;
use itinerary_tests::app::App;
use itinerary_tests::bodies::minimal;
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::world::{PASSWORD, READ_WRITE};
use itinerary_tests::{World, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::{account, suspend};
use crate::explore::{found, shown};

const APPEAL: &str = "/appeal";

async fn status(world: &World, path: &str, token: Option<&str>) -> u16 {
    let call = world.call(Method::GET, path);
    let call = if let Some(token) = token { call.token(token) } else { call };
    call.send().await.status.as_u16()
}

async fn in_explore(world: &World, id: &str) -> bool {
    let reader = App::of(world, "reader").await;
    found(&reader, "").await.iter().any(|shown| shown == id)
}

/// Makes the address of a calendar on the page.
async fn calendar(browser: &Browser) -> String {
    let form = browser.visit("/account/calendar").await.form("/account/calendar");
    let text = browser.submit(&form, &[]).await.text();
    let (_, secret) = text.split_once("<code id=\"address\">").expect("an address");
    let (address, _) = secret.split_once("</code>").expect("its end");
    format!("/calendar/{}", address.split_once("/calendar/").expect("an address").1)
}

// W-50: a suspension ends sessions, apps, tokens, the calendar, reset links and secret links, and hides what is public.
#[api_test(limits = false)]
async fn a_suspension_ends_all_access_and_hides_what_is_public(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let app = App::of(&world, "ana").await;
    let service = world.service();
    let ana = account(&world, "ana").await;
    let token = world.personal_token(ana.id, "Script", READ_WRITE).await;
    let trip = shown(&app, &minimal(), "public").await;
    let link = app
        .call(Method::POST, &format!("/v1/itineraries/{}/links", trip.id))
        .json(&json!({ "label": "Parents" }))
        .send()
        .await;
    let link = link.json()["url"].as_str().expect("an address").strip_prefix(&world.base_url).expect("own").to_owned();
    let calendar_path = calendar(&browser).await;
    let reset = password_resets::create(service, &world.base_url, "ana").await.expect("a link").address;
    let page_path = format!("/trips/{}", trip.id);
    for (path, credential) in [("/v1/account", Some(token.as_str())), (link.as_str(), None), (page_path.as_str(), None)]
    {
        assert_eq!(status(&world, path, credential).await, 200, "{path}");
    }
    assert_eq!(status(&world, &calendar_path, None).await, 200);
    assert!(in_explore(&world, &trip.id).await);

    suspend(&world, "ana").await;
    assert_eq!(browser.visit("/account").await.address.path(), "/sign-in");
    assert_eq!(status(&world, "/v1/account", Some(&token)).await, 401);
    assert_eq!(app.call(Method::GET, "/v1/account").send().await.status, 401);
    assert_eq!(status(&world, &calendar_path, None).await, 404);
    assert_eq!(status(&world, &link, None).await, 404);
    let visitor = Browser::new(&world);
    assert_eq!(visitor.visit(&page_path).await.address.path(), "/sign-in", "as if it were private");
    assert!(!in_explore(&world, &trip.id).await);
    visitor.visit(reset.strip_prefix(&world.base_url).expect("own")).await.assert_says("This link is not valid");
    let left = "SELECT CAST(count(*) AS TEXT) FROM personal_tokens";
    assert_eq!(sql::ask(world.database_url(), left).await, "0");

    moderation::unsuspend(service, ana.id, Actor::Operator).await.expect("ended");
    assert_eq!(Browser::new(&world).sign_in("ana", PASSWORD).await.address.path(), "/");
    assert!(in_explore(&world, &trip.id).await, "it is found again");
    assert_eq!(status(&world, &link, None).await, 200, "links work again");
    assert_eq!(status(&world, &page_path, None).await, 200);
    assert_eq!(status(&world, "/v1/account", Some(&token)).await, 401, "tokens are made anew");
    assert!(moderation::unsuspend(service, ana.id, Actor::Operator).await.is_err(), "it is not suspended");
    let until = world.clock.now() + chrono::TimeDelta::days(1);
    personal_tokens::create(service, ana.id, None, "New", "itineraries:read", until).await.expect("a token");
}

/// The page that a suspended traveller sees after the right password.
async fn refused(world: &World, browser: &Browser) -> Page {
    let page = browser.sign_in("ana", PASSWORD).await;
    assert_eq!(page.response.status, 403, "{}", page.text());
    page.assert_says("This account is suspended");
    assert_eq!(browser.cookie("session"), None, "{}", world.base_url);
    page
}

// W-51: only the right password learns of a suspension, with its reason; one note can be sent.
#[api_test(limits = false)]
async fn the_owner_sees_the_reason_and_can_write_once(world: World) {
    Browser::signed_up(&world, "ana").await;
    suspend(&world, "ana").await;
    let browser = Browser::new(&world);
    let wrong = browser.sign_in("ana", "not the password").await;
    assert_eq!(wrong.response.status, 422);
    assert!(!wrong.text().contains("suspended"), "{}", wrong.text());

    let page = refused(&world, &browser).await;
    page.assert_says("Spam in public trips.");
    let form = page.form(APPEAL);
    for message in ["", "  ", "a\u{202e}b", &"é".repeat(1_001)] {
        let page = browser.submit(&form, &[("message", message)]).await;
        assert_eq!(page.response.status, 422, "{message:?}");
    }
    assert_eq!(browser.submit(&form, &[("message", "x"), ("guard", "forged")]).await.address.path(), "/sign-in");
    assert_eq!(browser.submit(&form, &[("message", "x"), ("account", "forged")]).await.address.path(), "/sign-in");
    let other = Browser::new(&world);
    assert_eq!(other.submit(&form, &[("message", "x")]).await.address.path(), "/sign-in", "another browser");
    let sent =
        join_all((0..24).map(|number| {
            browser.post(&form, &[("message", &format!("It was <b>not</b> me.\nNumber {number}"))]).send()
        }))
        .await;
    assert!(sent.iter().all(|response| response.status == 200), "a further note changes nothing");
    let kept = "SELECT CAST(count(*) AS TEXT) FROM audit_log WHERE event = 'appealed'";
    assert_eq!(sql::ask(world.database_url(), kept).await, "1");
    let page = refused(&world, &browser).await;
    page.assert_says("You wrote to the moderators on");
    assert!(page.forms(APPEAL).is_empty(), "one note");

    let moderator = super::moderator(&world, "mod").await;
    let page = moderator.visit("/moderation").await;
    page.assert_says("It was <b>not</b> me.");
    let id = account(&world, "ana").await.id.to_string();
    let page = moderator.submit(&page.form("/moderation"), &[("unsuspend", &id)]).await;
    page.assert_says("The suspension has ended.");
    assert_eq!(browser.sign_in("ana", PASSWORD).await.address.path(), "/");
}

// W-52: a form of the appeal ends after half an hour.
#[api_test(limits = false)]
async fn an_appeal_waits_for_half_an_hour(world: World) {
    Browser::signed_up(&world, "ana").await;
    suspend(&world, "ana").await;
    let browser = Browser::new(&world);
    let form = refused(&world, &browser).await.form(APPEAL);
    world.clock.advance(chrono::TimeDelta::minutes(30));
    assert_eq!(browser.submit(&form, &[("message", "late")]).await.address.path(), "/sign-in");
}

/// Changes of members are stored while the owner is suspended, and do not bring the itinerary back.
#[api_test(limits = false)]
async fn nothing_of_a_suspended_owner_comes_back_to_explore_meanwhile(world: World) {
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &minimal(), "public").await;
    let ben = world.account("ben").await;
    world.member(&trip.id, ben, "editor").await;
    let editor = App::of(&world, "ben").await;
    suspend(&world, "ana").await;
    let seen = editor.viewed(&trip.id).await;
    let body = json!({ "title": "Still here" });
    let changed = editor.patch(&seen, &body).await;
    assert_eq!(changed.status, 200, "{}", changed.text());
    assert!(!in_explore(&world, &trip.id).await);
    let id = trip.id.parse().expect("a UUID");
    itinerary_app::reports::resolve(world.service(), id, false, Actor::Operator).await.expect("a database");
    assert!(!in_explore(&world, &trip.id).await, "a verdict does not end a suspension");
}

/// A sign-in and a suspension at once: afterwards nothing is valid.
#[api_test(limits = false)]
async fn no_session_outlives_a_suspension(world: World) {
    Browser::signed_up(&world, "ana").await;
    let browsers: Vec<_> = (0..6).map(|_| Browser::new(&world)).collect();
    let sign_ins = join_all(browsers.iter().map(|browser| browser.sign_in("ana", PASSWORD)));
    tokio::join!(sign_ins, suspend(&world, "ana"));
    for browser in &browsers {
        assert_eq!(browser.visit("/account").await.address.path(), "/sign-in");
    }
}
