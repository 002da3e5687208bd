//! The list of revisions: its entries, its pages, and who sees which.

use chrono::TimeDelta;
use itinerary_app::accounts;
use itinerary_tests::app::{App, path};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{joined, revisions, two_days};

fn versions(revisions: &[Value]) -> Vec<i64> {
    revisions.iter().map(|revision| revision["version"].as_i64().expect("a number")).collect()
}

#[api_test]
async fn a_revision_says_who_changed_what_and_when(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let ben = joined(&world, &ana, &base, ("ben", "editor")).await;
    world.clock.advance(TimeDelta::minutes(5));
    let moved = ben.call(Method::POST, &format!("{}/days/d1/stops/b/move", path(&base.id)));
    let moved = moved.json(&json!({ "dayId": "d2" })).header("If-Match", &base.etag).send().await;
    assert_eq!(moved.status, 200, "{}", moved.text());
    ana.patched(&ana.viewed(&base.id).await, &json!({ "title": "May", "visibility": "public" })).await;
    let list = revisions(&ana, &base.id).await;
    assert_eq!(versions(&list), [3, 2, 1]);
    let changed = |path: &str, kind: &str| json!({ "path": path, "kind": kind });
    assert_eq!(list[0]["changes"], json!([changed("visibility", "changed"), changed("title", "changed")]));
    assert_eq!(list[1]["changes"], json!([changed("days[id=d2].stops[id=b]", "moved")]));
    assert_eq!((&list[2]["changes"], &list[2]["etag"]), (&json!([]), &json!("\"v1.m\"")));
    assert_eq!((&list[1]["by"]["username"], &list[1]["by"]["isPro"]), (&json!("ben"), &json!(false)));
    assert_eq!((&list[1]["updatedAt"], &list[1]["etag"]), (&moved.json()["updatedAt"], &json!("\"v2.m\"")));
    assert!(list[1]["app"].is_string() && list[1].get("restoredFrom").is_none(), "{}", list[1]);
}

#[api_test]
async fn revisions_come_in_pages_and_the_last_fifty_are_kept(world: World) {
    let ana = App::of(&world, "ana").await;
    let mut at = ana.created(&two_days()).await;
    for number in 0..54 {
        world.clock.advance(TimeDelta::minutes(1));
        at = ana.patched(&at, &json!({ "title": format!("Title {number}") })).await;
    }
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = ana.call(Method::GET, &format!("{}/revisions?limit=20{cursor}", path(&at.id))).send().await.json();
        let entries = page["data"].as_array().expect("a page");
        let is_title = |entry: &Value| entry["changes"] == json!([{ "path": "title", "kind": "changed" }]);
        assert!(entries.iter().all(is_title), "{page}");
        seen.extend(versions(entries));
        let Some(next) = page["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(seen, (6..=55).rev().collect::<Vec<_>>());
    for (query, field) in [("limit=0", "limit"), ("limit=101", "limit"), ("cursor=x", "cursor")] {
        let bad = ana.call(Method::GET, &format!("{}/revisions?{query}", path(&at.id))).send().await;
        bad.expect_invalid(field);
    }
}

#[api_test]
async fn an_editor_sees_revisions_since_joining(world: World) {
    let ana = App::of(&world, "ana").await;
    let first = ana.created(&two_days()).await;
    let second = ana.patched(&first, &json!({ "summary": null, "tags": [] })).await;
    let ben = joined(&world, &ana, &first, ("ben", "editor")).await;
    assert_eq!(versions(&revisions(&ben, &first.id).await), [2]);
    // What was taken out before he joined is not told.
    assert_eq!(revisions(&ben, &first.id).await[0]["changes"], json!([]));
    ana.patched(&second, &json!({ "title": "Three" })).await;
    let list = revisions(&ben, &first.id).await;
    assert_eq!((versions(&list), &list[0]["etag"]), (vec![3, 2], &json!("\"v3.mw\"")));
    assert_eq!(list[0]["changes"], json!([{ "path": "title", "kind": "changed" }]));
}

#[api_test]
async fn viewers_and_readers_see_no_revisions(world: World) {
    let ana = App::of(&world, "ana").await;
    let at = ana.created(&two_days()).await;
    let get = async |app: &App<'_>| app.call(Method::GET, &format!("{}/revisions", path(&at.id))).send().await;
    let cleo = joined(&world, &ana, &at, ("cleo", "viewer")).await;
    get(&cleo).await.expect_error(403, "forbidden");
    let dan = App::of(&world, "dan").await;
    get(&dan).await.expect_error(404, "notFound");
    ana.patched(&at, &json!({ "visibility": "public" })).await;
    get(&dan).await.expect_error(403, "forbidden");
}

#[api_test]
async fn sections_that_are_not_shown_are_not_in_changes(world: World) {
    let ana = App::pro(&world, "ana").await;
    let at = ana.created(&two_days()).await;
    let ben = joined(&world, &ana, &at, ("ben", "editor")).await;
    ana.patched(&at, &json!({ "packing": [{ "id": "p1", "name": "Hat" }], "title": "May" })).await;
    let [of_ana, of_ben] = [revisions(&ana, &at.id).await, revisions(&ben, &at.id).await];
    let title = json!({ "path": "title", "kind": "changed" });
    assert_eq!(of_ben[0]["changes"], json!([title]));
    assert_eq!(of_ana[0]["changes"], json!([title, { "path": "packing[id=p1]", "kind": "added" }]));
}

#[api_test]
async fn a_deleted_account_and_a_copy_leave_no_trace(world: World) {
    let ana = App::of(&world, "ana").await;
    let at = ana.created(&two_days()).await;
    let ben = joined(&world, &ana, &at, ("ben", "editor")).await;
    ben.patched(&ben.viewed(&at.id).await, &json!({ "title": "Ben's", "summary": "S" })).await;
    accounts::delete_by_username(world.service(), "ben").await.expect("deleted");
    let list = revisions(&ana, &at.id).await;
    assert_eq!((&list[0]["by"], &list[1]["by"]["username"]), (&json!(null), &json!("ana")));
    ana.patched(&ana.viewed(&at.id).await, &json!({ "visibility": "public" })).await;
    let cleo = App::of(&world, "cleo").await;
    let copy = cleo.call(Method::POST, &format!("{}/saves", path(&at.id))).send().await.json();
    assert_eq!(versions(&revisions(&cleo, &itinerary_tests::app::text(&copy["id"])).await), [1]);
}
