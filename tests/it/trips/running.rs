//! What owner and members see by day, and what is next while the trip runs.

use chrono::TimeDelta;
use itinerary_model::Plan;
use itinerary_tests::app::App;
use itinerary_tests::bodies::{minimal, with};
use itinerary_tests::browser::Browser;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{page_of, read};
use crate::explore::{account, shown};

/// A trip to Lisbon from 11 to 13 January 2027; the tests' clock begins on the 10th at noon.
fn trip() -> Value {
    let zone = |zone: &str, code: &str| json!({ "name": code, "code": code, "timeZone": zone });
    let stop = json!({ "id": "s", "name": "Castle", "startTime": "16:00" });
    with(
        minimal(),
        json!({
            "startDate": "2027-01-11",
            "days": [{ "id": "a", "stops": [stop] }, { "id": "b" }, { "id": "c" }],
            "flights": [{
                "flightNumber": "TP669",
                "departureAirport": zone("Europe/Amsterdam", "AMS"), "arrivalAirport": zone("Europe/Lisbon", "LIS"),
                "departureDate": "2027-01-11T11:35:00+01:00", "arrivalDate": "2027-01-11T13:35:00Z",
            }, { "flightNumber": "TP999", "departureDate": "2027-02-11T11:35:00+01:00" }],
            "hotels": [{
                "name": "Quinta", "place": { "name": "Quinta", "timeZone": "Europe/Lisbon" },
                "checkInDate": "2027-01-11T15:00:00Z", "checkOutDate": "2027-01-13T11:00:00Z",
            }],
            "expenses": [
                { "name": "Tram", "cost": { "amount": 3.1, "currency": "EUR" }, "date": "2027-01-12" },
                { "name": "Insurance", "cost": { "amount": 40, "currency": "EUR" }, "date": "2026-12-01" },
            ],
            "packing": [{ "name": "Boots", "belongsTo": { "kind": "day", "id": "b" } }, { "name": "Towel" }],
        }),
    )
}

/// The part of a page that is about a day.
#[track_caller]
fn day(page: &str, number: usize) -> String {
    let start = page.find(&format!("aria-labelledby=\"day-{number}\"")).unwrap_or_else(|| panic!("{number} in {page}"));
    page[start..].split("</section>").next().unwrap_or_default().to_owned()
}

#[api_test]
async fn members_see_bookings_within_their_days(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    world.set_plan("ana", Plan::Pro).await;
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &trip(), "unlisted").await;
    let text = read(&ana, &trip.id).await.text();
    let first = day(&text, 1);
    for part in [
        "<span class=\"time\">11:35</span> <span><a href=\"#flight-1\"><bdi>Flight TP669 AMS → LIS</bdi></a>, \
         <bdi>arrives 13:35</bdi>",
        "<span class=\"time\">15:00</span> <span><a href=\"#hotel-1\"><bdi>Check in at Quinta</bdi></a>",
    ] {
        assert!(first.contains(part), "{part} in {first}");
    }
    assert!(!first.contains("Night at") && !first.contains("TP999"), "{first}");
    let second = day(&text, 2);
    for part in [
        "Night at <a href=\"#hotel-1\"><bdi>Quinta</bdi></a>",
        "<a href=\"#expenses\">Expenses</a>: <bdi>Tram</bdi> 3.10 EUR",
        "<a href=\"#packing\">To pack</a>: <bdi>Boots</bdi>",
    ] {
        assert!(second.contains(part), "{part} in {second}");
    }
    assert!(!second.contains("Nothing planned yet"), "{second}");
    assert!(day(&text, 3).contains("Check out of Quinta"), "{}", day(&text, 3));
    // What is on no day is in the sections alone.
    for name in ["Insurance", "Towel", "TP999"] {
        assert!(text.contains(name) && (1..=3).all(|number| !day(&text, number).contains(name)), "{name}");
    }
    // Every link within the page leads somewhere; so do those of the exported document.
    let export = app.call(Method::GET, &format!("/v1/itineraries/{}/export?format=html", trip.id)).send().await;
    for text in [text, export.text()] {
        let targets = text.split("href=\"#").skip(1).filter_map(|rest| rest.split('"').next());
        for target in targets {
            assert!(text.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }
    // Others see none of it.
    for browser in [Browser::signed_up(&world, "ben").await, Browser::new(&world)] {
        let text = read(&browser, &trip.id).await.text();
        let secrets = ["TP669", "Quinta", "Tram", "Boots"];
        assert!(text.contains("Castle") && secrets.iter().all(|secret| !text.contains(secret)), "{text}");
    }
}

#[api_test(limits = false)]
async fn page_shows_the_next_item_while_the_trip_runs(world: World) {
    let ana = Browser::signed_up(&world, "ana").await;
    let (viewer, ben) = (Browser::signed_up(&world, "viewer").await, Browser::signed_up(&world, "ben").await);
    world.set_plan("ana", Plan::Pro).await;
    let app = App::of(&world, "ana").await;
    let trip = shown(&app, &trip(), "public").await;
    world.member(&trip.id, account(&world, "viewer").await, "viewer").await;
    let again = async |tag: &str| -> RawResponse {
        ana.call(Method::GET, &page_of(&trip.id)).header("If-None-Match", tag).send().await
    };
    let ahead = read(&ana, &trip.id).await;
    assert!(!ahead.text().contains("Today,"), "it begins tomorrow");
    assert_eq!(again(ahead.header("etag")).await.status, 304);
    // The 11th at 10:00.
    world.clock.advance(TimeDelta::hours(22));
    let first = again(ahead.header("etag")).await;
    assert_eq!(first.status, 200, "the page has changed, though the itinerary has not");
    for part in [
        "Today, Monday 11 January",
        "<strong class=\"clock\">11:35</strong> <span class=\"soft\">Amsterdam time</span> \
         <a href=\"#flight-1\"><bdi>Flight TP669 AMS → LIS</bdi></a>",
        "<a href=\"#day-1\">Go to day 1</a>",
    ] {
        assert!(first.text().contains(part), "{part} in {}", first.text());
    }
    // Members see it, others and files do not.
    assert!(read(&viewer, &trip.id).await.text().contains("Today, Monday 11 January"));
    let app = App::of(&world, "ana").await;
    let export = app.call(Method::GET, &format!("/v1/itineraries/{}/export?format=html", trip.id)).send().await;
    for text in [read(&ben, &trip.id).await.text(), read(&Browser::new(&world), &trip.id).await.text(), export.text()] {
        assert!(text.contains("Castle") && !text.contains("Today,"), "{text}");
    }
    // Nothing has happened since.
    world.clock.advance(TimeDelta::minutes(30));
    assert_eq!(again(first.header("etag")).await.status, 304);
    world.clock.advance(TimeDelta::minutes(5));
    let next = again(first.header("etag")).await;
    assert!(next.text().contains("<a href=\"#hotel-1\"><bdi>Check in at Quinta</bdi></a></p>"), "{}", next.text());
    // After the last one.
    world.clock.advance(TimeDelta::hours(6));
    let last = again(next.header("etag")).await;
    assert!(last.text().contains("Nothing more is planned today."), "{}", last.text());
    world.clock.advance(TimeDelta::days(1));
    assert!(again(last.header("etag")).await.text().contains("Today, Tuesday 12 January"));
    world.clock.advance(TimeDelta::days(2));
    assert!(!again(last.header("etag")).await.text().contains("Today,"), "it is over");
}
