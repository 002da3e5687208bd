//! Writes that change nothing: version, `updatedAt` and ETag stay, whatever the write is.

use chrono::TimeDelta;
use itinerary_sdk::{Open, types};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::fixtures::{full, minimal, with};
use super::{App, key, path};

/// A stop with an id and a coordinate.
fn stop(id: &str, longitude: f64) -> Value {
    json!({ "id": id, "name": id, "place": { "coordinate": { "latitude": 38.7, "longitude": longitude } } })
}

#[api_test(limits = false)]
async fn a_write_that_changes_nothing_keeps_version_time_and_etag(world: World) {
    let app = App::pro(&world, "ana").await;
    let days = json!([full()["days"][0], { "id": "d", "stops": [stop("a", -9.1), stop("b", -9.2)] }, { "id": "e" }]);
    let stored = app.created(&with(full(), json!({ "days": days }))).await;
    world.clock.advance(TimeDelta::minutes(1));
    let id = |list: &str| stored.json[list][0]["id"].as_str().expect("an id").to_owned();
    let item = |list: &str| format!("/{list}/{}", id(list));
    let mut whole = stored.json.clone();
    whole.as_object_mut().expect("an object").remove("needsAttention");
    for (method, at, body) in [
        (Method::PATCH, String::new(), json!({})),
        (Method::PATCH, String::new(), json!({ "title": stored.json["title"], "visibility": "private" })),
        (Method::PATCH, String::new(), json!({ "days": stored.json["days"], "packing": stored.json["packing"] })),
        (Method::PATCH, String::new(), whole),
        (Method::PATCH, item("days"), json!({})),
        (Method::PATCH, "/days/d/stops/a".to_owned(), json!({ "name": "a" })),
        (Method::POST, "/days/d/stops/a/move".to_owned(), json!({ "position": 0 })),
        (Method::PATCH, item("flights"), stored.json["flights"][0].clone()),
        (Method::PATCH, item("hotels"), json!({ "name": stored.json["hotels"][0]["name"] })),
        (Method::PATCH, item("expenses"), json!({ "cost": {} })),
        (Method::PATCH, item("packing"), json!({ "quantity": stored.json["packing"][0]["quantity"] })),
    ] {
        let call = app.call(method.clone(), &format!("{}{at}", path(&stored.id))).json(&body);
        let response = call.header("If-Match", &stored.etag).send().await;
        assert_eq!(response.status, 200, "{method} {at} {body}: {}", response.text());
        assert_eq!(response.header("etag"), stored.etag, "{method} {at} {body}");
        let json = response.json();
        assert_eq!(json["updatedAt"], stored.json["updatedAt"], "{method} {at} {body}");
        assert!(json["needsAttention"].is_array(), "the response to a write has it: {json}");
    }
    let read = app.viewed(&stored.id).await;
    assert_eq!((&read.etag, &read.json["updatedAt"]), (&stored.etag, &stored.json["updatedAt"]));
    let since = "updatedSince=2027-01-10T12:00:00.001Z";
    assert_eq!(app.listed(since).await, Vec::<String>::new(), "nothing to synchronise");
    let changed = app.patched(&stored, &json!({ "title": "U" })).await;
    assert_eq!((changed.etag.as_str(), app.listed(since).await), ("\"v2.mpd\"", vec![stored.id]));
}

// A public itinerary is also listed in Explore.
#[api_test]
async fn a_public_itinerary_keeps_them_too(world: World) {
    let client = world.client("ana").await;
    let trip: types::ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let made = client.itinerary_create(trip).send().await.expect("created");
    let public =
        types::ItineraryPatch { visibility: Some(Open::Known(types::Visibility::Public)), ..Default::default() };
    let published = client.itinerary_update(made.id, made.etag(), public.clone()).send().await.expect("changed");
    world.clock.advance(TimeDelta::minutes(1));
    let again = client.itinerary_update(made.id, published.etag(), public).send().await.expect("nothing to change");
    assert_eq!((again.etag(), again.updated_at), (published.etag(), published.updated_at));
}

#[api_test]
async fn a_replay_answers_with_the_version_that_stayed(world: World) {
    let app = App::of(&world, "ana").await;
    let (stored, key) = (app.created(&minimal()).await, key());
    let send = || {
        let call = app.patch_call(&stored.id, &json!({ "travellers": 1 })).header("If-Match", &stored.etag);
        call.header("Idempotency-Key", &key).send()
    };
    let (first, changed) = (send().await, app.patched(&stored, &json!({ "title": "U" })).await);
    let again = send().await;
    assert_eq!((first.header("etag"), again.header("etag")), (&*stored.etag, &*stored.etag));
    assert_eq!((again.header("idempotency-replayed"), &again.body), ("true", &first.body));
    assert_eq!(app.viewed(&stored.id).await.etag, changed.etag);
}
