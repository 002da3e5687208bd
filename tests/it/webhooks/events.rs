//! Which events arrive, and what they contain.

use chrono::TimeDelta;
use itinerary_tests::app::App;
use itinerary_tests::bodies::on_day;
use itinerary_tests::receiver::HANG;
use itinerary_tests::{Database, api_test, sql};
use reqwest::Method;
use serde_json::json;

use super::{Hooked, start};

#[api_test]
async fn events_are_those_of_the_feed_and_signed(database: Database) {
    let Some(world) = start(database).await else { return };
    let (mut ana, mut ben) = (Hooked::of(&world, "ana").await, Hooked::of(&world, "ben").await);
    let at = ana.app.created(&on_day(1)).await;
    let created = ana.receiver.next().await;
    assert!(created.is_signed_with(&ana.secret) && !created.is_signed_with(&ben.secret), "{created:?}");
    assert_eq!(created.header("content-type"), "application/json");
    assert!(created.header("user-agent").starts_with("ItineraryPlanningService/"));
    let json = created.json();
    let happened = &json["timestamp"];
    assert!(happened.is_string());
    let data = json!({ "itineraryId": at.id, "etag": at.etag, "at": happened });
    assert_eq!(json, json!({ "type": "itinerary.updated", "timestamp": happened, "data": data }));
    let delivered = ana.attempted(1).await;
    assert_eq!(delivered["id"], created.header("webhook-id"));
    assert_eq!((&delivered["status"], &delivered["responseStatus"]), (&json!("succeeded"), &json!(204)));
    assert_eq!((&delivered["type"], &delivered["itineraryId"]), (&json["type"], &json!(at.id)));
    assert_eq!((delivered.get("failure"), delivered.get("nextAttemptAt")), (None, None));

    // Members get what concerns them, with the tag that they see.
    let id = |name: &'static str| async { world.service().store.account_by_username(name).await.expect("a database") };
    let (ana_id, ben_id) = (id("ana").await.expect("ana").id, id("ben").await.expect("ben").id);
    let follow = ben.app.call(Method::PUT, &format!("/v1/accounts/{ana_id}/follow")).send().await;
    assert_eq!(follow.status, 204);
    let member = format!("/v1/itineraries/{}/members/{ben_id}", at.id);
    ana.app.call(Method::PUT, &member).json(&json!({ "role": "viewer" })).send().await;
    // Also of the version of before, which he may not have read; in any order.
    let mut events = [ben.receiver.next().await, ben.receiver.next().await];
    events.sort_by_key(|event| event.event().0);
    let [shared, updated] = events;
    assert_eq!(updated.event(), ("itinerary.updated".to_owned(), at.id.clone()));
    assert_eq!(shared.event(), ("itinerary.shared".to_owned(), at.id.clone()));
    assert_eq!(shared.json()["data"]["etag"], ben.app.viewed(&at.id).await.etag);
    ana.app.call(Method::DELETE, &member).send().await;
    let unshared = ben.receiver.next().await;
    assert_eq!(unshared.event(), ("itinerary.unshared".to_owned(), at.id.clone()));
    assert_eq!(unshared.json()["data"].get("etag"), None);
    ana.app.call(Method::DELETE, &format!("/v1/itineraries/{}", at.id)).header("If-Match", "*").send().await;
    assert_eq!(ana.receiver.next().await.event(), ("itinerary.deleted".to_owned(), at.id.clone()));
    ben.receiver.expect_nothing().await;
}

// A receiver that is behind gets the last version; one that may have arrived already keeps its id to itself.
#[api_test]
async fn undelivered_updates_of_an_itinerary_are_one_event(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    ana.receiver.will_respond(&["503 Busy\r\n\r\n"]);
    let mut at = ana.app.created(&on_day(1)).await;
    let first = ana.receiver.next().await;
    ana.attempted(1).await;
    ana.advance(TimeDelta::milliseconds(1));
    at = ana.app.patched(&at, &json!({ "title": "Second" })).await;
    let second = ana.receiver.next().await;
    assert_ne!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(second.json()["data"]["etag"], json!(at.etag));
    let log = ana.log_when(|log| log.len() == 2 && log[0]["status"] == "succeeded").await;
    assert_eq!((&log[1]["status"], log[1].get("nextAttemptAt")), (&json!("replaced"), None));

    // A receiver that keeps four requests waiting gets no fifth; what happens meanwhile is one event.
    ana.receiver.will_respond(&[HANG; 4]);
    for _ in 0..4 {
        ana.test().await;
    }
    for _ in 0..4 {
        ana.receiver.next().await;
    }
    ana.advance(TimeDelta::milliseconds(1));
    for title in ["Third", "Fourth", "Fifth"] {
        at = ana.app.patched(&at, &json!({ "title": title })).await;
    }
    // All are queued.
    let behind = "SELECT CAST((SELECT max(position) FROM changes) - (SELECT max(position) FROM webhooks) AS TEXT)";
    ana.receiver.expect_nothing().await;
    while sql::ask(world.database_url(), behind).await != "0" {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let waiting = ana.log_when(|log| log[0]["attempts"] == 0).await;
    let waiting = waiting.iter().filter(|delivery| delivery["status"] == "pending" && delivery["attempts"] == 0);
    assert_eq!(waiting.count(), 1);
    ana.receiver.release(4);
    let last = ana.receiver.next().await;
    assert_eq!(last.json()["data"]["etag"], json!(at.etag));
    ana.receiver.expect_nothing().await;
}

#[api_test]
async fn changes_before_the_webhook_was_created_are_not_sent(database: Database) {
    let Some(world) = start(database).await else { return };
    App::of(&world, "ana").await.created(&on_day(1)).await;
    let mut ana = Hooked::of(&world, "ana").await;
    let at = ana.app.created(&on_day(2)).await;
    assert_eq!(ana.receiver.next().await.event().1, at.id);
    ana.receiver.expect_nothing().await;
}

// Cursors of a restored database expire; a webhook goes on with what happens from then on.
#[api_test]
async fn a_new_epoch_begins_with_what_happens_from_then_on(database: Database) {
    let Some(world) = start(database).await else { return };
    let mut ana = Hooked::of(&world, "ana").await;
    world.sql("UPDATE change_feed SET epoch = 'restored'").await;
    world.sql("UPDATE webhooks SET position = 1000000").await;
    let restarted = async {
        while sql::ask(world.database_url(), "SELECT COALESCE(max(epoch), '') FROM webhook_queue").await != "restored" {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), restarted).await.expect("the queue restarts");
    let at = ana.app.created(&on_day(1)).await;
    assert_eq!(ana.receiver.next().await.event().1, at.id);
}
