//! Who may merge what: roles, sections that a member is not shown, visibility, and versions before they joined.

use itinerary_tests::app::App;
use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{conflicts, expect_merged, joined, merged, two_days};

#[api_test]
async fn an_editor_merges_from_the_version_that_they_joined_at(world: World) {
    let ana = App::of(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "title": "Two" })).await;
    let ben = joined(&world, &ana, &first, ("ben", "editor")).await;
    ana.patched(&second, &json!({ "title": "Three" })).await;
    let now = expect_merged(&merged(&ben, &second, &json!({ "summary": "Ben's" })).await);
    assert_eq!((&now.json["title"], &now.json["role"]), (&json!("Three"), &json!("editor")));
    let details = merged(&ben, &first, &json!({ "summary": "Again" })).await.expect_error(409, "itineraryModified");
    assert_eq!(details, json!({ "reason": "baseGone" }));
}

#[api_test]
async fn viewers_and_strangers_merge_nothing(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let cleo = joined(&world, &ana, &base, ("cleo", "viewer")).await;
    ana.patched(&base, &json!({ "title": "Two" })).await;
    let body = json!({ "summary": "S" });
    merged(&cleo, &base, &body).await.expect_error(403, "forbidden");
    merged(&App::of(&world, "dan").await, &base, &body).await.expect_error(404, "notFound");
}

#[api_test]
async fn sections_that_are_not_shown_stay_and_appear_in_no_conflict(world: World) {
    let ana = App::pro(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let expense =
        json!({ "id": "e1", "name": "Dinner", "cost": { "amount": 40 }, "belongsTo": { "kind": "hotel", "id": "h1" } });
    let base = ana.patched(&base, &json!({ "expenses": [expense] })).await;
    let ben = joined(&world, &ana, &base, ("ben", "editor")).await;
    let paid =
        json!({ "id": "e1", "name": "Supper", "cost": { "amount": 45 }, "belongsTo": { "kind": "hotel", "id": "h1" } });
    ana.patched(&base, &json!({ "expenses": [paid] })).await;
    // Removes the hotel to which an expense belongs that he is not shown.
    let shown = expect_merged(&merged(&ben, &base, &json!({ "hotels": [], "expenses": [] })).await);
    assert_eq!((&shown.json["hotels"], shown.json.get("expenses")), (&json!([]), None));
    let now = ana.viewed(&base.id).await;
    assert_eq!((&now.json["expenses"][0]["name"], now.json["expenses"][0].get("belongsTo")), (&json!("Supper"), None));
}

#[api_test]
async fn plan_and_scopes_are_checked_as_for_any_change(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    ana.patched(&base, &json!({ "title": "Two" })).await;
    let body = json!({ "packing": [{ "name": "Hat" }] });
    merged(&ana, &base, &body).await.expect_error(403, "subscriptionRequired");
    let reader = App::with_scope(&world, "ana", "itineraries:read").await;
    merged(&reader, &base, &body).await.expect_error(403, "forbidden");
}

#[api_test]
async fn visibility_is_compared_only_if_the_request_changes_it(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    ana.patched(&base, &json!({ "visibility": "public" })).await;
    let unchanged = merged(&ana, &base, &json!({ "summary": "S", "visibility": "private" })).await;
    assert_eq!(expect_merged(&unchanged).json["visibility"], "public");
    let response = merged(&ana, &base, &json!({ "visibility": "unlisted" })).await;
    let expected = json!([{ "path": "visibility", "base": "private", "current": "public", "yours": "unlisted" }]);
    assert_eq!(conflicts(&response), expected);
    // An editor may send it back as they read it.
    let ben = joined(&world, &ana, &base, ("ben", "editor")).await;
    let read = ben.viewed(&base.id).await;
    ana.patched(&ana.viewed(&base.id).await, &json!({ "visibility": "private" })).await;
    let sent = merged(&ben, &read, &json!({ "summary": "T", "visibility": "public" })).await;
    assert_eq!(expect_merged(&sent).json["visibility"], "private");
}

#[api_test]
async fn an_itinerary_can_be_sent_back_whole(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let cover = ana.call(reqwest::Method::PUT, &format!("{}/cover-image", itinerary_tests::app::path(&base.id)));
    assert_eq!(cover.header("If-Match", "*").send().await.status, 200);
    ana.patched(&ana.viewed(&base.id).await, &json!({ "title": "May" })).await;
    let mut whole = base.json.clone();
    whole["summary"] = json!("Sent back");
    let now = expect_merged(&merged(&ana, &base, &whole).await);
    assert_eq!((&now.json["title"], &now.json["summary"]), (&json!("May"), &json!("Sent back")));
    assert_ne!(now.json["coverImage"], base.json["coverImage"]);
}
