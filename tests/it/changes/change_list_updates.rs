//! New versions in the list of changes.

use itinerary_tests::app::{Stored, path, published};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Follower, change};

#[api_test]
async fn several_versions_are_listed_as_one_change(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let (other, mut at) = (ana.app.created(&on_day(1)).await, ana.app.created(&on_day(2)).await);
    for title in ["One", "Two", "Three"] {
        at = ana.app.patched(&at, &json!({ "title": title })).await;
    }
    let changes = ana.changes().await;
    let listed: Vec<_> = changes.iter().map(|change| (&change["itineraryId"], &change["etag"])).collect();
    assert_eq!(listed, [(&json!(other.id), &json!(other.etag)), (&json!(at.id), &json!(at.etag))]);
}

// A member of an itinerary with many versions reads one entry, however many there are.
#[api_test(limits = false)]
async fn a_member_reads_a_busy_itinerary_once(world: World) {
    let (ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    ben.follows(&ana).await;
    let mut at = ana.app.created(&on_day(1)).await;
    ana.shares(&at.id, &ben, "viewer").await;
    ben.changes().await;
    for title in 0..6 {
        at = ana.app.patched(&at, &json!({ "title": format!("Title {title}") })).await;
    }
    let page = ben.page(&format!("?cursor={}&limit=1", ben.cursor)).await;
    assert_eq!((page["data"].as_array().map(Vec::len), &page["hasMore"]), (Some(1), &json!(false)));
}

#[api_test]
async fn every_new_version_is_a_change_and_nothing_else_is(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let at = published(&ana.app, &on_day(1)).await;
    assert_eq!(ana.types().await, [change("updated", &at.id)]);
    let added = ana.app.call(Method::POST, &format!("{}/days", path(&at.id))).json(&json!({}));
    let added = Stored::of(&added.header("If-Match", &at.etag).send().await);
    assert_eq!(ana.types().await, [change("updated", &at.id)]);
    let refused = ana.app.patch(&at, &json!({ "title": "Stale" })).await;
    refused.expect_error(409, "itineraryModified");
    ana.app.create_call("?dryRun=true&allowDuplicate=true", &on_day(2)).send().await;
    assert!(ana.types().await.is_empty(), "nothing was stored");
    let (cover, etag) = (format!("{}/cover-image", path(&at.id)), &added.etag);
    let covered = ana.app.call(Method::PUT, &cover).header("If-Match", etag).send().await;
    assert_eq!(covered.status, 200, "{}", covered.text());
    assert_eq!(ana.types().await, [change("updated", &at.id)]);
}
