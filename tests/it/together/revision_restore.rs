//! Restoring a revision: what comes back, what stays, who may do it.

use itinerary_tests::app::{App, Stored, expect_replay, key, path};
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{joined, revision_path, revisions, two_days};

fn restore(app: &App<'_>, id: &str, version: i64) -> Call {
    app.call(Method::POST, &format!("{}/restore", revision_path(id, version)))
}

#[api_test]
async fn a_restored_version_is_a_new_one(world: World) {
    let ana = App::of(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "title": "May", "days": [], "hotels": [] })).await;
    let public = ana.patched(&second, &json!({ "visibility": "public" })).await;
    let restored = Stored::of(&restore(&ana, &first.id, 1).header("If-Match", &public.etag).send().await);
    assert_eq!((&*restored.etag, &restored.json["visibility"]), ("\"v4.m\"", &json!("public")));
    for field in ["title", "days", "hotels", "tags"] {
        assert_eq!(restored.json[field], first.json[field], "{field}");
    }
    let list = revisions(&ana, &first.id).await;
    assert_eq!((&list[0]["version"], &list[0]["restoredFrom"]), (&json!(4), &json!(1)));
    // Of the restored one, too.
    let again = Stored::of(&restore(&ana, &first.id, 2).header("If-Match", "*").send().await);
    assert_eq!((&again.json["title"], &again.json["days"]), (&json!("May"), &json!([])));
    // Nothing would change.
    let same = Stored::of(&restore(&ana, &first.id, 5).header("If-Match", &again.etag).send().await);
    assert_eq!(same.etag, again.etag);
}

#[api_test]
async fn cover_documents_and_hidden_sections_stay(world: World) {
    let ana = App::pro(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let ben = joined(&world, &ana, &first, ("ben", "editor")).await;
    let expense =
        json!({ "id": "e1", "name": "Dinner", "cost": { "amount": 40 }, "belongsTo": { "kind": "hotel", "id": "h2" } });
    let hotels = json!([{ "id": "h1", "name": "Hotel" }, { "id": "h2", "name": "Inn" }]);
    ana.patched(&first, &json!({ "expenses": [expense], "hotels": hotels })).await;
    let cover = ana.call(Method::PUT, &format!("{}/cover-image", path(&first.id))).header("If-Match", "*").send().await;
    let cover = cover.json()["coverImage"].clone();
    assert_ne!(cover, first.json["coverImage"]);
    let restored = restore(&ben, &first.id, 1).header("If-Match", "*").send().await;
    assert_eq!(restored.status, 200, "{}", restored.text());
    let now = ana.viewed(&first.id).await.json;
    assert_eq!((&now["coverImage"], now["hotels"].as_array().map(Vec::len)), (&cover, Some(1)));
    assert_eq!((&now["expenses"][0]["name"], now["expenses"][0].get("belongsTo")), (&json!("Dinner"), None));
    // With Pro, the section is restored too.
    restore(&ana, &first.id, 1).header("If-Match", "*").send().await;
    assert_eq!(ana.viewed(&first.id).await.json["expenses"], json!([]));
}

#[api_test]
async fn only_owner_and_editors_restore(world: World) {
    let ana = App::of(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "title": "May" })).await;
    let ben = joined(&world, &ana, &first, ("ben", "editor")).await;
    let cleo = joined(&world, &ana, &first, ("cleo", "viewer")).await;
    let reader = App::with_scope(&world, "ana", "itineraries:read").await;
    for (app, version, status, code) in [
        (&ben, 1, 404, "notFound"),
        (&cleo, 2, 403, "forbidden"),
        (&reader, 1, 403, "forbidden"),
        (&App::of(&world, "dan").await, 1, 404, "notFound"),
        (&ana, 3, 404, "notFound"),
    ] {
        restore(app, &first.id, version).header("If-Match", &second.etag).send().await.expect_error(status, code);
    }
    restore(&ana, &first.id, 1).send().await.expect_error(428, "preconditionRequired");
    restore(&ana, &first.id, 1).header("If-Match", &first.etag).send().await.expect_error(409, "itineraryModified");
    assert_eq!(ana.viewed(&first.id).await.etag, second.etag);
}

#[api_test]
async fn a_repeated_restore_is_replayed(world: World) {
    let ana = App::of(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "title": "May" })).await;
    let key = key();
    let call = || restore(&ana, &first.id, 1).header("If-Match", &second.etag).header("Idempotency-Key", &key);
    let done = call().send().await;
    assert_eq!(done.status, 200, "{}", done.text());
    expect_replay(&call().send().await, &done);
    assert_eq!(ana.viewed(&first.id).await.etag, "\"v3.m\"");
}
