//! Deleting: permanent, and removes the stored responses of the itinerary's writes.

use itinerary_sdk::types::{ItineraryCreate, ItineraryPatch};
use itinerary_sdk::{ErrorExt, code};
use itinerary_tests::{World, api_test};

use super::fixtures::minimal;
use super::{App, Stored, key, path};

/// H-05.
#[api_test]
async fn deleted_itinerary_is_not_found(world: World) {
    let client = world.client("ana").await;
    let trip: ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let made = client.itinerary_create(trip).send().await.expect("created");
    client.itinerary_delete(made.id, made.etag()).send().await.expect("deleted");
    let error = client.itinerary_view(made.id).send().await.expect_err("gone");
    assert!(error.is(code::NOT_FOUND));
    let error = client.itinerary_delete(made.id, made.etag()).send().await.expect_err("gone");
    assert!(error.is(code::NOT_FOUND));
    let error =
        client.itinerary_update(made.id, made.etag(), ItineraryPatch::default()).send().await.expect_err("gone");
    assert!(error.is(code::NOT_FOUND));
    assert!(client.itinerary_list().send().await.expect("a page").data.is_empty());
}

#[api_test]
async fn a_deletion_answers_nothing_at_all(world: World) {
    let app = App::of(&world, "ana").await;
    for if_match in ["\"v1.m\"", "*"] {
        let stored = app.created(&minimal()).await;
        let response = app.delete_call(&stored.id).header("If-Match", if_match).send().await;
        assert_eq!((response.status.as_u16(), response.body.len()), (204, 0));
        assert_eq!((response.header("etag"), response.header("content-type")), ("", ""));
        assert!(!response.header("x-request-id").is_empty());
        app.view(&stored.id).await.expect_error(404, "notFound");
    }
}

#[api_test]
async fn it_takes_the_owner_and_the_current_tag(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let first = app.created(&minimal()).await;
    let stored = app.patched(&first, &serde_json::json!({ "title": "T" })).await;
    app.delete_call(&stored.id).send().await.expect_error(428, "preconditionRequired");
    let stale = app.delete(&first).await;
    stale.expect_error(409, "itineraryModified");
    assert_eq!(stale.header("etag"), stored.etag);
    app.delete_call(&stored.id).header("If-Match", "v2.m").send().await.expect_invalid("If-Match");
    other.delete(&stored).await.expect_error(404, "notFound");
    other.delete_call(&stored.id).send().await.expect_error(404, "notFound");
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
    assert_eq!(app.delete(&stored).await.status, 204);
}

// Repeating a create whose itinerary was deleted creates a new one, because there is nothing to replay.
#[api_test]
async fn the_stored_responses_of_its_writes_go_with_it(world: World) {
    let app = App::of(&world, "ana").await;
    let (create_key, patch_key) = (key(), key());
    let create = || app.create_call("", &minimal()).header("Idempotency-Key", &create_key).send();
    let first = Stored::of(&create().await);
    assert_eq!(create().await.header("idempotency-replayed"), "true");
    let body = serde_json::json!({ "title": "T" });
    let patch = || {
        let call = app.patch_call(&first.id, &body).header("Idempotency-Key", &patch_key);
        call.header("If-Match", &first.etag).send()
    };
    let changed = Stored::of(&patch().await);
    assert_eq!(app.delete(&changed).await.status, 204);
    patch().await.expect_error(404, "notFound");
    let again = create().await;
    assert_eq!((again.status.as_u16(), again.header("idempotency-replayed")), (201, ""));
    let again = Stored::of(&again);
    assert_ne!(again.id, first.id);
    assert_eq!(app.call(reqwest::Method::GET, &path(&again.id)).send().await.status, 200);
}
