//! Providers that hang, fail, flood, or send invalid data or redirects: requests succeed without them.

use std::time::{Duration, Instant};

use itinerary_tests::app::{App, Stored};
use itinerary_tests::raw::RawResponse;
use itinerary_tests::{Database, Postgres, Sqlite, World, api_test};
use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};

use super::stub::{FAULTS, Reply, Stub};
use super::{FADO, MONASTERY, TOWER, at, call, fill, legs, listed, named, placed, refreshed, trip, wrote};

/// The time limits of a write and of a refresh, with ample margins: the contract has 2 and 5 seconds.
const WRITE: Duration = Duration::from_secs(5);
const REFRESH: Duration = Duration::from_secs(10);

#[track_caller]
fn expect_upstream_failed(response: &RawResponse) {
    response.expect_error(502, "upstreamFailed");
    assert!(!response.header("retry-after").is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_write_succeeds_without_the_geocoder(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(0, 1, 2, 3, 4)] fault: usize,
) {
    let stub = Stub::always(FAULTS[fault].clone()).await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let stops = [named("a", "Belém Tower"), named("b", "Tasca da Rosa")];
    let start = Instant::now();
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": stops }] }))).await;
    assert!(start.elapsed() < WRITE, "{:?}", start.elapsed());
    let missing = |n: usize| format!("days[0].stops[{n}].place.coordinate notPlaced");
    assert_eq!(listed(&stored.json), [missing(1)]);
    assert_eq!(stored.json["days"][0]["stops"][0]["place"]["coordinate"], at(TOWER), "the gazetteer is there");
    let start = Instant::now();
    let stored = wrote(&app, &stored, Method::POST, "/days/d/stops", &named("c", "Tasca do Zé")).await;
    assert!(start.elapsed() < WRITE, "{:?}", start.elapsed());
    assert_eq!(listed(&stored.json), [missing(1), missing(2)]);
    assert!(!stub.asked().is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_fails_only_if_the_geocoder_does_and_nothing_can_be_filled(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(0, 1, 2, 3, 4)] fault: usize,
) {
    let stub = Stub::always(FAULTS[fault].clone()).await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    let app = App::of(&world, "ana").await;
    // Created before the provider is needed, with all places complete.
    let place = json!({ "coordinate": at(FADO), "countryCode": "PT", "timeZone": "Europe/Lisbon" });
    let whole = |id: &str| json!({ "id": id, "name": "Tasca da Rosa", "place": place });
    let stored = app.created(&trip(json!({ "days": [{ "id": "d", "stops": [whole("a")] }] }))).await;
    let start = Instant::now();
    expect_upstream_failed(&refreshed(&app, &stored).await);
    assert!(start.elapsed() < REFRESH, "{:?}", start.elapsed());
    let read = app.viewed(&stored.id).await;
    assert_eq!((&read.etag, &read.json["days"]), (&stored.etag, &stored.json["days"]), "it is untouched");

    // With a country to fill in, the request succeeds.
    let stop = json!({ "stops": [placed("b", "Tasca do Zé", FADO)] });
    let stored = wrote(&app, &stored, Method::PATCH, "/days/d", &stop).await;
    let response = refreshed(&app, &stored).await;
    assert_eq!(Stored::of(&response).json["days"][0]["stops"][0]["place"]["countryCode"], "PT");
}

// A leg is also something to fill in.
#[api_test]
async fn legs_are_filled_in_though_the_geocoder_fails(database: Database) {
    let stub = Stub::always(Reply::Status(500)).await;
    let Some(world) = World::start_with(database, stub.geocodes()).await else { return };
    let app = App::of(&world, "ana").await;
    let place = |point| json!({ "coordinate": at(point), "countryCode": "PT", "timeZone": "Europe/Lisbon" });
    let stop = |id: &str, point| json!({ "id": id, "name": "Tasca da Rosa", "place": place(point) });
    let day = json!({ "id": "d", "stops": [stop("a", TOWER), stop("b", MONASTERY)] });
    let stored = app.created(&trip(json!({ "days": [day] }))).await;
    let stored = wrote(&app, &stored, Method::PATCH, "/days/d", &json!({ "legs": [] })).await;
    let response = refreshed(&app, &stored).await;
    assert_eq!(legs(&Stored::of(&response).json), ["a-b estimate"]);
    expect_upstream_failed(&refreshed(&app, &Stored::of(&response)).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn legs_are_estimated_without_the_route_provider(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(0, 1, 2, 3, 4)] fault: usize,
) {
    let stub = Stub::always(FAULTS[fault].clone()).await;
    let Some(world) = World::start_with(database, stub.routes()).await else { return };
    let app = App::of(&world, "ana").await;
    let stops = [placed("a", "A", TOWER), placed("b", "B", MONASTERY)];
    let stored = app.created(&trip(json!({ "days": [{ "stops": stops }] }))).await;
    let start = Instant::now();
    let now = Stored::of(&refreshed(&app, &stored).await);
    assert!(start.elapsed() < REFRESH, "{:?}", start.elapsed());
    assert_eq!(legs(&now.json), ["a-b estimate"]);
    assert!(!stub.asked().is_empty());
    let again = Stored::of(&refreshed(&app, &now).await);
    assert_eq!(again.etag, now.etag, "there is nothing left to ask for");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn activities_of_a_provider_that_fails_are_no_empty_list(
    #[values(Sqlite, Postgres)] database: Database,
    #[values(0, 1, 2, 3, 4)] fault: usize,
) {
    let stub = Stub::always(FAULTS[fault].clone()).await;
    let Some(world) = World::start_with(database, stub.suggests()).await else { return };
    fill(&world).await;
    let app = App::of(&world, "ana").await;
    let days: Value = json!([{ "id": "d", "stops": [placed("a", "Alfama", FADO)] }]);
    let stored = app.created(&trip(json!({ "days": days }))).await;
    let start = Instant::now();
    let response = call(&app, Method::GET, &stored, "/days/d/stops/a/activities").send().await;
    assert!(start.elapsed() < REFRESH, "{:?}", start.elapsed());
    expect_upstream_failed(&response);
    assert!(!response.text().contains("the-key"), "{}", response.text());
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
}
