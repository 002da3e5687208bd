//! Saving a copy: its content, that there is only one, and repeated saves.

use chrono::TimeDelta;
use itinerary_sdk::Created;
use itinerary_tests::app::{App, Stored, expect_replay, key, path};
use itinerary_tests::bodies::{lisbon, minimal, on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{changed, deleted, marks, save, save_call, saved, seen};
use crate::explore::{account, page, published, shown};

// The response is that of a create, with `savedFrom`; reading the copy returns the same.
#[api_test(limits = false)]
async fn a_copy_is_a_private_itinerary_of_ones_own(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &lisbon()).await;
    world.clock.advance(TimeDelta::seconds(60));
    let response = save_call(&ben, &source.id).header("Service-Itinerary-Shape", "clean").send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    let copy = Stored::of(&response);
    assert_ne!(copy.id, source.id);
    assert_eq!(response.header("location"), path(&copy.id));
    assert_eq!((response.header("etag"), response.header("service-itinerary-shape")), ("\"v1.ms\"", "clean"));
    assert_eq!(response.header("cache-control"), "private, no-cache");
    assert_eq!((response.header("content-type"), response.header("idempotency-replayed")), ("application/json", ""));
    for (field, expected) in [
        ("role", json!("owner")),
        ("visibility", json!("private")),
        ("likesCount", json!(0)),
        ("viewsCount", json!(0)),
        ("createdAt", json!("2027-01-10T12:01:00.000Z")),
        ("updatedAt", json!("2027-01-10T12:01:00.000Z")),
        (
            "savedFrom",
            json!({ "itineraryId": source.id, "author": "ana", "authorDisplayName": "ana", "authorIsPro": false }),
        ),
    ] {
        assert_eq!(copy.json[field], expected, "{field}");
    }
    let author = &copy.json["author"];
    assert_eq!((&author["username"], &author["accountId"]), (&json!("ben"), &json!(account(&world, "ben").await)));
    assert!(copy.json["needsAttention"].is_array(), "as in the answer to every write of a content");
    let mut read = ben.viewed(&copy.id).await;
    assert_eq!(read.etag, copy.etag);
    read.json["needsAttention"] = copy.json["needsAttention"].clone();
    assert_eq!(read.json, copy.json);
    // Only Ben may see it.
    ana.view(&copy.id).await.expect_error(404, "notFound");
    assert_eq!(page(&ana, "").await["data"].as_array().map(Vec::len), Some(1), "the copy is not in Explore");
    assert_eq!(seen(&ana, &source.id).await, marks(false, false, false, 0, 1));
    assert_eq!(seen(&ben, &source.id).await, marks(false, false, true, 0, 1));
}

// In its current state, with changes made to the copy and without those made to the source.
#[api_test(limits = false)]
async fn saving_it_again_answers_with_the_copy_that_is_there(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &lisbon()).await;
    let id: uuid::Uuid = source.id.parse().expect("a UUID");
    let client = world.client("ben").await;
    let first: Created = client.itinerary_save(id).send_raw().await.expect("a copy").try_into().expect("a created one");
    let copy = ben.viewed(&first.itinerary.id.to_string()).await;
    assert_eq!((first.location, first.itinerary.etag()), (path(&copy.id), copy.etag.as_str()));
    changed(&ana, &source.id, &json!({ "title": "Changed by ana", "tags": ["new"] })).await;
    assert_eq!(ben.viewed(&copy.id).await.json, copy.json, "a copy is a copy");
    let flights = json!([{ "id": "f", "flightNumber": "TP1" }]);
    let patched = ben.patched(&copy, &json!({ "title": "Changed by ben", "flights": flights })).await;
    for _ in 0..3 {
        let again = save(&ben, &source.id).await;
        assert_eq!(again.status, 200, "{}", again.text());
        assert_eq!((again.header("etag"), again.header("idempotency-replayed")), (patched.etag.as_str(), ""));
        assert_eq!(again.json(), ben.viewed(&copy.id).await.json);
        assert_eq!((&again.json()["title"], &again.json()["flights"]), (&json!("Changed by ben"), &flights));
    }
    let again = client.itinerary_save(id).send_raw().await.expect("the copy");
    assert_eq!((again.status().as_u16(), again.id), (200, first.itinerary.id));
    assert_eq!(seen(&ben, &source.id).await.saves_count, 1);
    // The copy may be published; the source is unchanged.
    changed(&ben, &copy.id, &json!({ "visibility": "public" })).await;
    assert_eq!(ana.viewed(&copy.id).await.json["savedFrom"], copy.json["savedFrom"]);
    assert_eq!(ana.viewed(&source.id).await.json["title"], "Changed by ana");
}

// A save with a key takes effect once. The key belongs to the traveller and this source.
#[api_test(limits = false)]
async fn a_retry_with_the_same_key_is_answered_as_the_first_time(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (source, other) = (published(&ana, &on_day(1)).await, published(&ana, &on_day(2)).await);
    let key = key();
    let send = async |app: &App<'_>, id: &str| save_call(app, id).header("Idempotency-Key", &key).send().await;
    let first = send(&ben, &source.id).await;
    assert_eq!(first.status, 201);
    let copy = Stored::of(&first);
    expect_replay(&send(&ben, &source.id).await, &first);
    ben.patched(&copy, &json!({ "title": "Changed" })).await;
    expect_replay(&send(&ben, &source.id).await, &first);
    for (app, id) in [(&ben, &other.id), (&ana, &source.id)] {
        let response = send(app, id).await;
        assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (201, ""));
    }
    // Without the key, or with a new one, the response is the copy's current state.
    assert_eq!(save(&ben, &source.id).await.json()["title"], "Changed");
    // A source that is no longer visible is 404, whatever was answered before.
    changed(&ana, &source.id, &json!({ "visibility": "private" })).await;
    send(&ben, &source.id).await.expect_error(404, "notFound");
    changed(&ana, &source.id, &json!({ "visibility": "public" })).await;
    expect_replay(&send(&ben, &source.id).await, &first);
    // Deleting the copy deletes its stored responses.
    deleted(&ben, &copy.id).await;
    let anew = send(&ben, &source.id).await;
    assert_eq!((anew.status.as_u16(), anew.header("idempotency-replayed")), (201, ""));
    assert_ne!(Stored::of(&anew).id, copy.id);
    world.clock.advance(TimeDelta::minutes(59));
    expect_replay(&send(&ben, &source.id).await, &anew);
}

// A 200 is stored and replayed like a 201.
#[api_test(limits = false)]
async fn a_response_with_the_copy_that_was_there_is_replayed_too(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &minimal()).await;
    let copy = saved(&ben, &source.id).await;
    let key = key();
    let send = async || save_call(&ben, &source.id).header("Idempotency-Key", &key).send().await;
    let first = send().await;
    assert_eq!(first.status, 200);
    changed(&ben, &copy.id, &json!({ "title": "Changed" })).await;
    expect_replay(&send().await, &first);
}

// Copies are listed as owned and saved, in order of creation.
#[api_test(limits = false)]
async fn copies_are_listed(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (source, other) = (published(&ana, &on_day(1)).await, shown(&ana, &on_day(2), "unlisted").await);
    let own = ben.created(&minimal()).await;
    world.clock.advance(TimeDelta::seconds(10));
    let one = saved(&ben, &source.id).await;
    world.clock.advance(TimeDelta::seconds(10));
    let two = saved(&ben, &other.id).await;
    assert_eq!(ben.listed("filter=saved").await, [two.id.as_str(), &one.id]);
    for filter in ["all", "owned"] {
        assert_eq!(ben.listed(&format!("filter={filter}")).await, [two.id.as_str(), &one.id, &own.id], "{filter}");
    }
    for filter in ["shared", "liked", "disliked"] {
        assert_eq!(ben.listed(&format!("filter={filter}")).await, [""; 0], "{filter}");
    }
    for (seconds, expected) in [(0, vec![&one.id, &two.id]), (11, vec![&two.id]), (21, vec![])] {
        let since = format!("filter=saved&updatedSince=2027-01-10T12:00:{seconds:02}Z");
        assert_eq!(ben.listed(&since).await.iter().collect::<Vec<_>>(), expected, "{seconds}");
    }
    let entry = ben.list("filter=saved&limit=1").await.json()["data"][0].clone();
    assert_eq!(
        (&entry["role"], &entry["visibility"], &entry["etag"]),
        (&json!("owner"), &json!("private"), &json!(two.etag))
    );
    assert_eq!((entry.get("publishedAt"), &entry["author"]["username"]), (None, &json!("ben")));
    assert_eq!(ana.listed("filter=saved").await, [""; 0]);
    changed(&ben, &one.id, &json!({ "title": "Changed" })).await;
    assert_eq!(ben.listed("filter=saved").await.len(), 2);
}

// A deleted copy does not count, and a new one has the source's current state.
#[api_test(limits = false)]
async fn a_deleted_copy_may_be_made_anew(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &minimal()).await;
    let first = saved(&ben, &source.id).await;
    saved(&ana, &source.id).await;
    changed(&ana, &source.id, &json!({ "title": "Second edition" })).await;
    let stale = ben.delete_call(&first.id).header("If-Match", "\"v9.m\"").send().await;
    stale.expect_error(409, "itineraryModified");
    assert_eq!(seen(&ben, &source.id).await, marks(false, false, true, 0, 2));
    deleted(&ben, &first.id).await;
    assert_eq!(seen(&ben, &source.id).await, marks(false, false, false, 0, 1));
    assert_eq!(ben.delete_call(&first.id).header("If-Match", "*").send().await.status, 404);
    assert_eq!(seen(&ben, &source.id).await.saves_count, 1);
    let second = saved(&ben, &source.id).await;
    assert_ne!(second.id, first.id);
    assert_eq!(second.json["title"], "Second edition");
    assert_eq!(seen(&ben, &source.id).await, marks(false, false, true, 0, 2));
}

// A body is ignored, and an own trip on the same day is not a duplicate.
#[api_test(limits = false)]
async fn saving_ignores_the_body_and_own_trips(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let source = published(&ana, &with(lisbon(), json!({ "startDate": "2027-05-01" }))).await;
    let own = ben.created(&with(lisbon(), json!({ "startDate": "2027-05-01", "title": "Mine" }))).await;
    let response = save_call(&ben, &source.id).json(&json!({ "title": "Sent" })).send().await;
    assert_eq!(response.status, 201, "{}", response.text());
    assert_eq!(response.json()["title"], source.json["title"]);
    assert_eq!(ben.viewed(&own.id).await.json, {
        let mut own = own.json;
        own.as_object_mut().expect("an object").remove("needsAttention");
        own
    });
    // One's own itinerary can be copied, even a private one.
    let private = ana.created(&on_day(9)).await;
    let copy = saved(&ana, &private.id).await;
    assert_eq!(copy.json["savedFrom"]["itineraryId"], json!(private.id));
    assert_eq!(ana.call(Method::DELETE, &path(&private.id)).header("If-Match", "*").send().await.status, 204);
    assert_eq!(ana.viewed(&copy.id).await.json["savedFrom"]["author"], "ana");
    assert_ne!(copy.json["savedFrom"], Value::Null);
}
