//! The calendar of an account at a secret address.

use std::time::Duration;

use chrono::TimeDelta;
use itinerary_platform::settings::Config;
use itinerary_tests::app::{App, WITH_DOCUMENTS};
use itinerary_tests::bodies::{full, minimal, on_day, with};
use itinerary_tests::browser::{Browser, Page};
use itinerary_tests::raw::RawResponse;
use itinerary_tests::world::PASSWORD;
use itinerary_tests::{Database, World, api_test, sql};
use reqwest::Method;
use serde_json::{Value, json};

use crate::http::pause;

const PATH: &str = "/account/calendar";

async fn submit(browser: &Browser, action: &str) -> Page {
    let form = browser.visit(PATH).await.form(PATH);
    browser.submit(&form, &[("action", action)]).await
}

/// Makes an address. Returns its path.
async fn made(world: &World, browser: &Browser) -> String {
    let page = submit(browser, "make").await;
    let text = page.response.text();
    let start = format!("<code id=\"address\">{}/calendar/", world.base_url);
    let (_, address) = text.split_once(&start).unwrap_or_else(|| panic!("no address: {text}"));
    let secret = address.split(".ics").next().expect("a secret");
    assert_eq!(secret.len(), 43, "256 bits");
    let host = world.base_url.trim_start_matches("http://");
    assert!(text.contains(&format!("<a href=\"webcal://{host}/calendar/{secret}.ics\">")), "{text}");
    format!("/calendar/{secret}.ics")
}

async fn read(world: &World, path: &str) -> RawResponse {
    world.call(Method::GET, path).send().await
}

/// The titles of the trips in a calendar.
fn trips(response: &RawResponse) -> Vec<String> {
    assert_eq!(response.status, 200, "{}", response.text());
    let text = response.text().replace("\r\n ", "");
    let events = text.split("BEGIN:VEVENT").skip(1).filter(|event| event.contains("UID:trip@"));
    let title = |event: &str| event.split("SUMMARY:").nth(1).and_then(|rest| rest.lines().next().map(str::to_owned));
    events.filter_map(title).collect()
}

fn titled(body: Value, title: &str) -> Value {
    with(body, json!({ "title": title }))
}

#[api_test]
async fn calendar_has_owned_and_shared_trips(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    let ana = App::with_scope(&world, "ana", WITH_DOCUMENTS).await;
    let ben = App::of(&world, "ben").await;
    let own = ana.created(&full()).await;
    // One's own come first, although this one starts later.
    let shared = ben.created(&with(on_day(1), json!({ "title": "Shared", "startDate": "2030-01-01" }))).await;
    let unlisted = ben.created(&titled(on_day(2), "Unlisted")).await;
    ben.patched(&unlisted, &json!({ "visibility": "public" })).await;
    let ana_id = world.service().store.account_by_username("ana").await.expect("a database").expect("she is there").id;
    world.member(&shared.id, ana_id, "viewer").await;

    browser.visit(PATH).await.assert_says("Your calendar address is off.");
    let path = made(&world, &browser).await;
    let response = read(&world, &path).await;
    assert_eq!(response.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(
        (response.header("cache-control"), response.header("referrer-policy")),
        ("private, no-cache", "no-referrer")
    );
    assert_eq!(trips(&response), ["A week in Madeira", "Shared"]);
    let text = response.text();
    assert!(text.contains("UID:flight-1.flight@") && !text.contains("Boots"), "{text}");

    let etag = response.header("etag").to_owned();
    let known = |etag: &str| world.call(Method::GET, &path).header("If-None-Match", etag).send();
    let same = known(&etag).await;
    assert_eq!((same.status.as_u16(), same.body.len(), same.header("etag")), (304, 0, &*etag));
    ana.patched(&own, &json!({ "title": "Madeira" })).await;
    let changed = known(&etag).await;
    assert_eq!(trips(&changed), ["Madeira", "Shared"]);
    world.no_member(&shared.id, ana_id).await;
    assert_eq!(trips(&known(changed.header("etag")).await), ["Madeira"]);
    ana.delete(&ana.viewed(&own.id).await).await;
    assert_eq!(trips(&read(&world, &path).await), [""; 0]);
    let head = world.call(Method::HEAD, &path).send().await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[api_test]
async fn a_new_address_replaces_the_old_one_and_it_can_be_ended(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let first = made(&world, &browser).await;
    let page = browser.visit(PATH).await;
    page.assert_says("Your calendar address has been on since 10 January 2027.");
    assert!(!page.response.text().contains("/calendar/"), "it is shown once");
    assert_eq!(read(&world, &first).await.status, 200);
    let second = made(&world, &browser).await;
    assert_eq!((read(&world, &first).await.status.as_u16(), read(&world, &second).await.status.as_u16()), (404, 200));
    let secret = second.trim_start_matches("/calendar/").trim_end_matches(".ics");
    let rows = sql::dump(world.database_url()).await;
    assert!(rows.iter().any(|(table, _)| table == "calendars"));
    assert!(!rows.iter().any(|(_, row)| row.contains(secret)), "only its hash is stored");

    pause(&world, Some(90)).await;
    let paused = read(&world, &second).await;
    paused.expect_error(503, "featureUnavailable");
    assert_eq!((paused.header("retry-after"), read(&world, &first).await.status.as_u16()), ("90", 404));
    pause(&world, None).await;

    let ended = submit(&browser, "end").await;
    assert_eq!(ended.address.path(), PATH);
    ended.assert_says("Your calendar address is turned off.");
    let unknown = read(&world, &format!("/calendar/{}.ics", "A".repeat(43))).await;
    for path in [&second, &first, "/calendar/.ics", "/calendar/x", &second.replace(".ics", ""), &format!("{second}x")] {
        let response = read(&world, path).await;
        assert_eq!(response.expect_error(404, "notFound"), unknown.expect_error(404, "notFound"), "{path}");
        assert_eq!(response.json()["error"]["message"], unknown.json()["error"]["message"]);
        assert_eq!(response.header("cache-control"), unknown.header("cache-control"));
    }
    browser.visit(PATH).await.assert_says("Your calendar address is off.");
}

#[api_test]
async fn only_ones_own_form_makes_an_address(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let form = browser.visit(PATH).await.form(PATH).without("guard");
    let refused = browser.submit(&form, &[("action", "make")]).await;
    assert_eq!(refused.response.status, 403);
    refused.assert_says("Your calendar address is off.");
    let other = Browser::signed_up(&world, "ben").await;
    let form = other.visit(PATH).await.form(PATH);
    assert_eq!(browser.submit(&form, &[("action", "make")]).await.response.status, 403);
    let visitor = Browser::new(&world);
    assert_eq!(visitor.visit(PATH).await.address.path(), "/sign-in");
}

#[api_test]
async fn it_ends_with_the_account_and_with_the_apps(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let path = made(&world, &browser).await;
    let change = "/account/password";
    let typed = [("current", PASSWORD), ("password", PASSWORD)];
    browser.submit(&browser.visit(change).await.form(change).without("end_apps"), &typed).await;
    assert_eq!(read(&world, &path).await.status, 200);
    browser.submit(&browser.visit(change).await.form(change).with("end_apps", "yes"), &typed).await;
    assert_eq!(read(&world, &path).await.status, 404);
    let path = made(&world, &browser).await;
    let form = browser.visit("/account/delete").await.form("/account/delete");
    browser.submit(&form, &[("password", PASSWORD)]).await;
    assert_eq!(read(&world, &path).await.status, 404);
    assert!(!sql::dump(world.database_url()).await.iter().any(|(table, _)| table == "calendars"));
}

#[api_test]
async fn a_trip_leaves_sixty_days_after_its_last_day(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let ana = App::of(&world, "ana").await;
    // The clock is at 10 January 2027.
    let on = |date: &str, days: usize| {
        let days = vec![json!({}); days];
        titled(with(minimal(), json!({ "startDate": date, "days": days })), date)
    };
    for (date, days) in
        [("2026-11-10", 1), ("2026-11-11", 1), ("2026-11-09", 3), ("2025-11-11", 366), ("2025-11-09", 366)]
    {
        ana.created(&on(date, days)).await;
    }
    let path = made(&world, &browser).await;
    let response = read(&world, &path).await;
    assert_eq!(trips(&response), ["2026-11-11", "2026-11-09", "2025-11-11"]);
    world.clock.advance(TimeDelta::days(1));
    let later = world.call(Method::GET, &path).header("If-None-Match", response.header("etag")).send().await;
    assert_eq!(trips(&later), [""; 0]);
}

#[api_test]
async fn an_address_may_read_sixty_calendars_a_minute_and_an_account_thirty(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let path = made(&world, &browser).await;
    let mut etag = String::new();
    for _ in 0..30 {
        let response = read(&world, &path).await;
        assert_eq!(response.status, 200);
        response.header("etag").clone_into(&mut etag);
    }
    let refused = read(&world, &path).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "60");
    let known = world.call(Method::GET, &path).header("If-None-Match", &etag).send().await;
    assert_eq!(known.status, 304, "nothing is made for it");
    // Guesses count, too.
    for _ in 32..60 {
        assert_eq!(read(&world, "/calendar/x.ics").await.status, 404);
    }
    read(&world, "/calendar/x.ics").await.expect_error(429, "rateLimited");
    world.clock.advance(TimeDelta::seconds(60));
    assert_eq!(read(&world, &path).await.status, 200);
}

// With so little processor time in a minute that one calendar uses it up.
#[api_test]
async fn a_calendar_is_written_once_until_something_changes(database: Database) {
    let little = |config: &mut Config| config.limit_settings.cpu = Duration::from_nanos(1);
    let Some(world) = World::start_with(database, little).await else { return };
    let browser = Browser::signed_up(&world, "ana").await;
    let path = made(&world, &browser).await;
    let ana = App::of(&world, "ana").await;
    let a_minute_later = || world.clock.advance(TimeDelta::seconds(60));
    let trip = ana.created(&titled(minimal(), "Before")).await;
    a_minute_later();
    let first = read(&world, &path).await;
    assert_eq!(trips(&first), ["Before"]);
    for _ in 0..3 {
        let again = read(&world, &path).await;
        assert_eq!(
            (again.status.as_u16(), &again.body, again.header("etag")),
            (200, &first.body, first.header("etag"))
        );
    }
    a_minute_later();
    ana.patched(&trip, &json!({ "title": "After" })).await;
    let refused = read(&world, &path).await;
    refused.expect_error(429, "rateLimited");
    assert_eq!(refused.header("retry-after"), "60", "it has to be written, which the account has no time for");
    a_minute_later();
    assert_eq!(trips(&read(&world, &path).await), ["After"]);
}

#[api_test]
async fn a_calendar_reads_no_more_than_it_may_write(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let path = made(&world, &browser).await;
    let ana = App::of(&world, "ana").await;
    // Without times, stops are read, but are no events.
    let place = json!({ "coordinate": { "latitude": 38.7, "longitude": -9.1 }, "placeId": "x".repeat(500) });
    let stops = vec![json!({ "name": "Stop", "place": place }); 90];
    let body = with(minimal(), json!({ "days": vec![json!({ "stops": stops }); 3] }));
    let mut bytes = 0;
    for n in 0..16 {
        let trip = with(body.clone(), json!({ "title": n.to_string(), "startDate": format!("2027-05-{:02}", n + 1) }));
        bytes = world.stored_bytes(&ana.created(&trip).await.id).await;
    }
    let response = read(&world, &path).await;
    assert_eq!(trips(&response).len(), (2 * 1024 * 1024_usize).div_ceil(bytes), "{bytes} bytes each");
    assert!(response.body.len() < 100_000, "{}", response.body.len());
}

/// Whoever has the address reads all trips, so making one asks again who is there. Ending one does not.
#[api_test]
async fn making_an_address_asks_for_the_password_after_ten_minutes(world: World) {
    let browser = Browser::signed_up(&world, "ana").await;
    let path = made(&world, &browser).await;
    world.clock.advance(TimeDelta::minutes(10));
    assert_eq!(submit(&browser, "make").await.address.path(), "/account/confirm");
    assert_eq!(read(&world, &path).await.status, 200, "the address stays");
    assert_eq!(submit(&browser, "end").await.address.path(), PATH);
    assert_eq!(read(&world, &path).await.status, 404);
}
