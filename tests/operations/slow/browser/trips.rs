//! The page of an itinerary in every look, and on paper.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use itinerary_model::Plan;
use itinerary_tests::World;
use itinerary_tests::app::App;
use itinerary_tests::app::published;
use itinerary_tests::bodies::{lisbon, minimal, with};
use reqwest::Method;
use serde_json::{Value, json};

use super::driver::Chromium;
use super::{expect_at, looks, signed_up, start, visit};

/// The addresses of everything that the page has loaded.
const LOADED: &str = "return performance.getEntriesByType('resource').map(entry => entry.name)";
/// Whether every image has been loaded.
const COMPLETE: &str = "[...document.images].every(image => image.complete && image.naturalWidth > 0)";

/// Checks the current page in every look, and that it has loaded nothing from elsewhere.
async fn check(world: &World, browser: &Chromium, name: &str) {
    browser.until(COMPLETE).await;
    looks::check(browser, name).await;
    let loaded = browser.run(LOADED).await;
    let loaded = loaded.as_array().expect("a list");
    assert!(!loaded.is_empty());
    let is_ours = |address: &Value| address.as_str().is_some_and(|address| address.starts_with(&world.base_url));
    assert!(loaded.iter().all(is_ours), "{loaded:?}");
    browser.assert_quiet().await;
}

/// Prints the current page on A4 and returns the number of pages.
async fn pages(browser: &Chromium) -> usize {
    let printed =
        browser.devtools("Page.printToPDF", json!({ "preferCSSPageSize": true, "printBackground": false })).await;
    let pdf = STANDARD.decode(printed["data"].as_str().expect("base64")).expect("base64");
    let text = String::from_utf8_lossy(&pdf);
    assert!(text.contains("/MediaBox [0 0 594") || text.contains("/MediaBox [0 0 595"), "A4");
    text.matches("/Type /Page\n").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_a_trip_looks_well() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    world.set_plan("ana", Plan::Pro).await;
    let app = App::of(&world, "ana").await;
    let more = json!({
        "expenses": [
            { "name": "Flights", "cost": { "amount": 412.5 }, "category": "flight", "date": "2027-02-01" },
            { "name": "Fado", "cost": { "amount": 64 }, "category": "activity" },
        ],
        "packing": [
            { "name": "Walking shoes", "category": "clothing", "isPacked": true },
            { "name": "Socks", "category": "clothing", "quantity": 6 },
            { "name": "Passport", "category": "documents" },
        ],
    });
    let trip = published(&app, &with(lisbon(), more)).await;
    let path = format!("/trips/{}", trip.id);
    visit(&world, &browser, &path).await;
    browser.assert_says("Where we stay").await;
    check(&world, &browser, "trip-owner").await;
    looks::set(&browser, looks::SIZES[0], "light").await;
    let pages = pages(&browser).await;
    assert!((6..=10).contains(&pages), "{pages} pages");
    // The whole page, for review.
    for (width, name) in [(1280, "desk"), (390, "phone")] {
        for scheme in ["light", "dark"] {
            looks::set(&browser, (width, 6_000), scheme).await;
            looks::keep_picture(&browser, &format!("trip-whole-{name}-{scheme}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn visitors_see_a_public_trip() {
    let Some((world, browser)) = start().await else { return };
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &lisbon()).await;
    visit(&world, &browser, &format!("/trips/{}", trip.id)).await;
    browser.assert_says("Sign in").await;
    check(&world, &browser, "trip-visitor").await;
    visit(&world, &browser, "/").await;
    browser.assert_says("A TRIP ON THIS SERVER").await;
    check(&world, &browser, "home-with-trip").await;
    // Around the world, across the date line, and a text from right to left.
    let stop = |name: &str, latitude: f64, longitude: f64| json!({ "name": name, "place": { "coordinate": { "latitude": latitude, "longitude": longitude } } });
    let days = json!([
        { "stops": [stop("Auckland", -36.8, 174.8), stop("Papeete", -17.5, -149.6)] },
        { "stops": [stop("سانتياغو", -33.4, -70.7), stop("A name of two hundred letters ".repeat(6).trim(), -34.6, -58.4)] },
        {},
    ]);
    let around = with(minimal(), json!({ "title": "حول العالم", "days": days, "startDate": "2027-12-30" }));
    let trip = published(&app, &around).await;
    visit(&world, &browser, &format!("/trips/{}", trip.id)).await;
    check(&world, &browser, "trip-around").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_trip_is_liked_and_saved() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let app = App::of(&world, "ana").await;
    // The tests' clock begins on this day at noon.
    let hotel = json!({
        "name": "Quinta do Sol", "place": { "name": "Quinta do Sol", "timeZone": "Europe/Lisbon" },
        "checkInDate": "2027-01-10T15:00:00Z", "checkOutDate": "2027-01-12T11:00:00Z",
    });
    let more = json!({ "startDate": "2027-01-10", "flights": [], "hotels": [hotel] });
    let trip = published(&app, &with(lisbon(), more)).await;
    let path = format!("/trips/{}", trip.id);
    visit(&world, &browser, &path).await;
    browser.assert_says("Today, Sunday 10 January").await;
    browser.click("form[action$='/like'] button").await;
    expect_at(&browser, &path).await;
    browser.assert_says("Liked").await;
    check(&world, &browser, "trip-running").await;
    browser.click("form[action$='/save'] button").await;
    browser.assert_says("Saved. This is your own copy").await;
    check(&world, &browser, "trip-saved").await;
    visit(&world, &browser, &path).await;
    browser.assert_says("Saved: open your copy").await;
    visit(&world, &browser, "/").await;
    browser.assert_says("NOW: DAY 1 OF 7").await;
    check(&world, &browser, "start-running").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_of_a_trip_is_read_and_restored() {
    let Some((world, browser)) = start().await else { return };
    signed_up(&world, &browser, "ana").await;
    let app = App::of(&world, "ana").await;
    let trip = published(&app, &lisbon()).await;
    let path = format!("/trips/{}", trip.id);
    let mut now = app.patched(&trip, &json!({ "title": "A week in Lisbon, slowly" })).await;
    let hotels =
        json!([{ "name": "Casa do Miradouro with a very long name that fills more than one line on a phone" }]);
    now = app.patched(&now, &json!({ "hotels": hotels, "summary": "Sun and stairs.", "travellers": 3 })).await;
    let [from, to] = [0, 1].map(|day| now.json["days"][day]["id"].as_str().expect("an id"));
    let stop = now.json["days"][0]["stops"][0]["id"].as_str().expect("an id");
    let call = app.call(Method::POST, &format!("/v1/itineraries/{}/days/{from}/stops/{stop}/move", trip.id));
    let moved = call.header("If-Match", &now.etag).json(&json!({ "dayId": to })).send().await;
    assert_eq!(moved.status, 200, "{}", moved.text());
    visit(&world, &browser, &path).await;
    browser.click(&format!("a[href='{path}/history']")).await;
    browser.assert_says("moved to day 2").await;
    // In the browser's time zone, once the script has run.
    browser.until("!document.querySelector('time[data-local]').textContent.includes('UTC')").await;
    check(&world, &browser, "trip-history").await;
    looks::set(&browser, (390, 1_600), "light").await;
    looks::keep_picture(&browser, "trip-history-whole-phone").await;
    browser.click("#restore-2").await;
    expect_at(&browser, &path).await;
    browser.assert_says("Restored. The version before is still in the history.").await;
    check(&world, &browser, "trip-restored").await;
    browser.click(&format!("a[href='{path}/history']")).await;
    browser.assert_says("Version 2 restored").await;
}
