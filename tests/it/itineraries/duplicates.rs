//! Duplicates: same start and same destination, for one owner, checked on create only.

use futures::future::join_all;
use itinerary_tests::{RawResponse, World, api_test};
use serde_json::{Value, json};

use super::fixtures::{minimal, on_day, to, with};
use super::{App, Stored};

#[track_caller]
fn expect_duplicate(response: &RawResponse, of: &Stored) {
    assert_eq!(response.expect_error(409, "duplicateItinerary")["itineraryId"], of.id, "{}", response.text());
    assert_eq!((response.header("etag"), response.header("location")), ("", ""));
}

/// A trip to a destination, starting on 1 May 2027.
fn trip(name: &str, latitude: f64, longitude: f64, place_id: Option<&str>) -> Value {
    let mut body = with(to(name, latitude, longitude), json!({ "startDate": "2027-05-01" }));
    if let Some(place_id) = place_id {
        body["destination"]["placeId"] = json!(place_id);
    }
    body
}

#[api_test]
async fn the_same_destination_and_start_is_refused_by_its_id(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let first = app.created(&minimal()).await;
    expect_duplicate(&app.create(&minimal()).await, &first);
    // A start date that the server filled in counts like one that was sent.
    expect_duplicate(
        &app.create(&with(minimal(), json!({ "startDate": "2027-02-09", "title": "Another" }))).await,
        &first,
    );
    app.created(&with(minimal(), json!({ "startDate": "2027-02-10" }))).await;
    other.created(&minimal()).await;
    // Of several duplicates, the error names the oldest.
    world.clock.advance(chrono::TimeDelta::seconds(1));
    let allowed = app.create_call("?allowDuplicate=true", &minimal()).send().await;
    assert_eq!(allowed.status, 201);
    expect_duplicate(&app.create_call("?allowDuplicate=false", &minimal()).send().await, &first);
    assert_eq!(app.listed("").await.len(), 3);
}

#[api_test]
async fn a_name_counts_folded_and_within_25_kilometres(world: World) {
    let app = App::of(&world, "ana").await;
    let first = app.created(&trip("S\u{e3}o  Paulo", -23.55, -46.63, None)).await;
    // A degree of latitude is 111.2 km: 0.2246 of it is just under 25.
    for (name, latitude, longitude) in [
        ("sao paulo", -23.55, -46.63),
        (" SAO PAULO\t", -23.55, -46.63),
        ("S\u{e3}o Paulo", -23.55 + 0.2246, -46.63),
        ("S\u{e3}o Paulo", -23.55, -46.63 - 0.2447),
    ] {
        expect_duplicate(&app.create(&trip(name, latitude, longitude, None)).await, &first);
    }
    for (name, latitude, longitude) in [
        ("S\u{e3}o Paulo", -23.55 + 0.2252, -46.63),
        ("S\u{e3}o Paulo", -23.55, -46.63 - 0.2457),
        ("Santo Andr\u{e9}", -23.55, -46.63),
    ] {
        let response = app.create(&trip(name, latitude, longitude, None)).await;
        assert_eq!(response.status, 201, "{name} {latitude} {longitude}: {}", response.text());
    }
}

#[api_test]
async fn a_place_id_counts_wherever_it_is(world: World) {
    let app = App::of(&world, "ana").await;
    let first = app.created(&trip("Lisbon", 38.7223, -9.1393, Some("osm:1"))).await;
    expect_duplicate(&app.create(&trip("Lissabon", 41.0, -8.0, Some("osm:1"))).await, &first);
    expect_duplicate(&app.create(&trip("LISBON", 38.7, -9.1, Some("osm:2"))).await, &first);
    expect_duplicate(&app.create(&trip("Lisbon", 38.7, -9.1, None)).await, &first);
    app.created(&trip("Lissabon", 38.7223, -9.1393, Some("osm:2"))).await;
    app.created(&trip("Porto", 38.7223, -9.1393, None)).await;
}

#[api_test]
async fn duplicates_are_checked_on_create_against_current_values(world: World) {
    let app = App::of(&world, "ana").await;
    let (first, second) = (app.created(&on_day(1)).await, app.created(&on_day(2)).await);
    let second = app.patched(&second, &json!({ "startDate": "2027-05-01" })).await;
    app.created(&on_day(2)).await;
    assert_eq!(app.delete(&first).await.status, 204);
    expect_duplicate(&app.create(&on_day(1)).await, &second);
    let second = app.patched(&second, &json!({ "destination": { "name": "Sintra" } })).await;
    app.created(&on_day(1)).await;
    expect_duplicate(&app.create(&trip("sintra", 38.7223, -9.1393, None)).await, &second);
}

#[api_test(limits = false)]
async fn concurrent_duplicate_creates_make_one_itinerary(world: World) {
    let app = App::of(&world, "ana").await;
    let body = minimal();
    let responses = join_all((0..64).map(|_| app.create(&body))).await;
    let won: Vec<_> = responses.iter().filter(|response| response.status == 201).map(Stored::of).collect();
    assert_eq!(won.len(), 1);
    for response in responses.iter().filter(|response| response.status != 201) {
        expect_duplicate(response, &won[0]);
    }
    assert_eq!(app.listed("limit=100").await, [won[0].id.clone()]);
}

#[api_test(limits = false)]
async fn concurrent_duplicate_creates_on_two_servers_make_one(world: World) {
    let app = App::of(&world, "ana").await;
    let replica = world.replica_with(|config| config.limits = false).await;
    let there = format!("http://{}/v1/itineraries", replica.address);
    let here = format!("{}/v1/itineraries", world.base_url);
    let responses = join_all((0..40).map(|n| {
        let address = if n % 2 == 0 { &here } else { &there };
        itinerary_tests::raw::Call(world.http.post(address)).token(&app.token).json(&minimal()).send()
    }))
    .await;
    let won: Vec<_> = responses.iter().filter(|response| response.status == 201).map(Stored::of).collect();
    assert_eq!(won.len(), 1, "{:?}", responses.iter().map(|response| response.status).collect::<Vec<_>>());
    for response in responses.iter().filter(|response| response.status != 201) {
        expect_duplicate(response, &won[0]);
    }
    replica.stop().await;
}
