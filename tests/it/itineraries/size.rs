//! The size of an itinerary: 262,144 bytes of stored JSON pass, one more does not.

use itinerary_api::error::ErrorCode;
use itinerary_api::policy::Policy;
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::fixtures::{minimal, with};
use super::{App, Stored};

const LIMIT: usize = 262_144;
const DAYS: usize = 5;
const STOPS: usize = 100;
const ADDRESS: usize = 500;

/// Five hundred stops whose addresses have this many bytes in total. Everything has an id and nothing needs filling in,
/// so that the stored size follows from what is sent.
fn days(bytes: usize) -> Value {
    let address = |stop: usize| "a".repeat(bytes.saturating_sub(stop * ADDRESS).min(ADDRESS));
    let stop = |n: usize| {
        json!({ "id": format!("s{n}"), "name": "n", "place": { "name": "p", "address": address(n) },
            "startTimeSuggested": false })
    };
    let day = |d: usize| {
        let stops: Vec<_> = (d * STOPS..(d + 1) * STOPS).map(stop).collect();
        json!({ "id": format!("d{d}"), "stops": stops })
    };
    (0..DAYS).map(day).collect()
}

fn trip(bytes: usize) -> Value {
    let fixed = json!({ "days": days(bytes), "startDate": "2027-05-01", "origin": { "name": "O" }, "title": "T" });
    with(minimal(), fixed)
}

#[api_test]
async fn the_largest_itinerary_has_262144_bytes(world: World) {
    let app = App::of(&world, "ana").await;
    let small = app.created(&trip(0)).await;
    let room = LIMIT - world.stored_bytes(&small.id).await;
    assert!(room < DAYS * STOPS * ADDRESS, "the addresses can fill it");

    // By a change of everything, and by one of a single field.
    app.patch(&small, &json!({ "days": days(room + 1) })).await.expect_error(413, "itineraryTooLarge");
    let large = app.patched(&small, &json!({ "days": days(room) })).await;
    assert_eq!(world.stored_bytes(&large.id).await, LIMIT);
    app.patch(&large, &json!({ "title": "Tt" })).await.expect_error(413, "itineraryTooLarge");
    // Bytes count, not characters.
    app.patch(&large, &json!({ "title": "\u{e9}" })).await.expect_error(413, "itineraryTooLarge");
    let large = app.patched(&large, &json!({ "title": "U" })).await;
    assert_eq!(app.viewed(&large.id).await.etag, large.etag);

    // By a create.
    let call = |bytes| app.create_call("?allowDuplicate=true", &trip(bytes)).send();
    call(room + 1).await.expect_error(413, "itineraryTooLarge");
    let created = Stored::of(&call(room).await);
    assert_eq!(world.stored_bytes(&created.id).await, LIMIT);
    let dry = app.create_call("?allowDuplicate=true&dryRun=true", &trip(room + 1)).send().await;
    dry.expect_error(413, "itineraryTooLarge");
    assert_eq!(app.listed("").await.len(), 2);
}

#[api_test]
async fn a_cover_image_counts_too(world: World) {
    let app = App::of(&world, "ana").await;
    let bare = app.patched(&app.created(&trip(0)).await, &json!({ "coverImage": null })).await;
    let room = LIMIT - world.stored_bytes(&bare.id).await;
    let large = app.patched(&bare, &json!({ "days": days(room) })).await;
    let call = app.call(reqwest::Method::PUT, &format!("/v1/itineraries/{}/cover-image", large.id));
    call.header("If-Match", &large.etag).send().await.expect_error(413, "itineraryTooLarge");
    // The document lists the codes of the policy.
    let policy = Policy::of("itinerary_cover_image_set").expect("a policy");
    assert!(policy.errors(true).contains(&ErrorCode::ItineraryTooLarge));
}

#[api_test]
async fn all_sections_count_together_also_the_unseen_ones(world: World) {
    let app = App::pro(&world, "ana").await;
    let packing: Vec<_> = (0..200).map(|n| json!({ "id": format!("p{n}"), "name": "b".repeat(200) })).collect();
    let stored = app.created(&with(trip(0), json!({ "packing": packing }))).await;
    let room = LIMIT - world.stored_bytes(&stored.id).await;
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    app.patch(&stored, &json!({ "days": days(room + 1) })).await.expect_error(413, "itineraryTooLarge");
    let large = app.patched(&stored, &json!({ "days": days(room) })).await;
    assert_eq!(world.stored_bytes(&large.id).await, LIMIT);
}

// A body over 512 KiB is rejected before parsing, with the same code.
#[api_test]
async fn a_body_over_its_limit_is_too_large_whatever_it_says(world: World) {
    let app = App::of(&world, "ana").await;
    let padded = |bytes: usize| {
        let json = minimal().to_string();
        format!("{json}{}", " ".repeat(bytes - json.len()))
    };
    let send =
        |bytes| app.call(reqwest::Method::POST, "/v1/itineraries").body("application/json", padded(bytes)).send();
    send(524_289).await.expect_error(413, "itineraryTooLarge");
    assert_eq!(send(524_288).await.status, 201);
}
