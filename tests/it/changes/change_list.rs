//! What the list of changes says: types, tags, pages.

use chrono::TimeDelta;
use itinerary_tests::app::{App, WITH_DOCUMENTS};
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Follower, change};

#[api_test]
async fn a_change_says_what_happened_and_the_tag_that_the_reader_gets(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let made = ana.app.created(&on_day(1)).await;
    let created = json!({
        "type": "itinerary.updated", "itineraryId": made.id, "etag": made.etag, "at": "2027-01-10T12:00:00.000Z",
    });
    assert_eq!(ana.changes().await, [created]);
    assert!(ana.changes().await.is_empty(), "read once");
    world.clock.advance(TimeDelta::minutes(1));
    assert_eq!(ana.app.delete(&made).await.status, 204);
    let deleted = json!({
        "type": "itinerary.deleted", "itineraryId": made.id, "at": "2027-01-10T12:01:00.000Z",
    });
    assert_eq!(ana.changes().await, [deleted]);
}

#[api_test]
async fn each_reader_gets_its_own_tag(world: World) {
    let (ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    ben.follows(&ana).await;
    let at = ana.app.created(&on_day(1)).await;
    ana.shares(&at.id, &ben, "viewer").await;
    for role in ["viewer", "editor"] {
        ana.shares(&at.id, &ben, role).await;
        let seen = ben.app.viewed(&at.id).await;
        let changes = ben.changes().await;
        let last = changes.last().expect("a change");
        assert_eq!((&last["itineraryId"], &last["etag"]), (&json!(at.id), &json!(seen.etag)), "{role}");
    }
    world.set_plan("ben", itinerary_model::Plan::Pro).await;
    let with_documents = App::with_scope(&world, "ben", WITH_DOCUMENTS).await;
    assert!(ben.changes().await.is_empty(), "a plan is no change");
    ana.shares(&at.id, &ben, "viewer").await;
    let seen = with_documents.viewed(&at.id).await;
    let path = format!("/v1/changes?cursor={}", ben.cursor);
    let page = with_documents.call(Method::GET, &path).send().await.json();
    assert_eq!(page["data"][0]["etag"], json!(seen.etag), "with the scope of documents");
    assert_ne!(ben.changes().await[0]["etag"], json!(seen.etag));
}

#[api_test(limits = false)]
async fn pages_are_cut_at_the_limit_and_continue(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    let mut made = Vec::new();
    for day in 1..=7 {
        made.push(change("updated", &ana.app.created(&on_day(day)).await.id));
    }
    let first = ana.page(&format!("?cursor={}&limit=3", ana.cursor)).await;
    assert_eq!((first["data"].as_array().map(Vec::len), &first["hasMore"]), (Some(3), &json!(true)));
    let again = ana.page(&format!("?cursor={}&limit=3", ana.cursor)).await;
    assert_eq!(first["data"], again["data"], "a cursor can be used again");
    let seventh = ana.page(&format!("?cursor={}&limit=7", ana.cursor)).await;
    assert_eq!((seventh["data"].as_array().map(Vec::len), &seventh["hasMore"]), (Some(7), &json!(false)));
    ana.advance(&first);
    assert_eq!(ana.types().await, made[3..]);
    for limit in ["0", "101", "x"] {
        let path = format!("/v1/changes?limit={limit}");
        ana.app.call(Method::GET, &path).send().await.expect_invalid("limit");
    }
}

#[api_test]
async fn changes_need_a_token_with_the_scope(world: World) {
    world.call(Method::GET, "/v1/changes").send().await.expect_error(401, "unauthenticated");
    let other = App::with_scope(&world, "ana", "itineraries:write").await;
    let refused = other.call(Method::GET, "/v1/changes").send().await;
    assert_eq!(refused.expect_error(403, "forbidden")["required"], "itineraries:read");
}

#[api_test]
async fn others_read_nothing_of_ones_changes(world: World) {
    let (ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    for (day, visibility) in [(1, "public"), (2, "followers"), (3, "unlisted"), (4, "private")] {
        let at = ana.app.created(&on_day(day)).await;
        ana.app.patched(&at, &json!({ "title": "Mine", "visibility": visibility })).await;
    }
    ben.follows(&ana).await;
    assert!(ben.types().await.is_empty());
}
