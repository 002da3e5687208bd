//! Cursors of the list of changes: whose they are, and when they expire.

use chrono::TimeDelta;
use itinerary_server::jobs;
use itinerary_tests::bodies::on_day;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Follower, change};

async fn expect_expired(reader: &Follower<'_>) {
    let path = format!("/v1/changes?cursor={}", reader.cursor);
    reader.app.call(Method::GET, &path).send().await.expect_error(410, "cursorExpired");
}

#[api_test]
async fn a_cursor_is_its_accounts_and_cannot_be_altered(world: World) {
    let (ana, ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let middle = ana.cursor.len() / 2;
    let other = if ana.cursor.as_bytes()[middle] == b'A' { "B" } else { "A" };
    let altered = format!("{}{other}{}", &ana.cursor[..middle], &ana.cursor[middle + 1..]);
    for cursor in [&*altered, "x", "", &ana.cursor[1..], &ben.cursor] {
        let path = format!("/v1/changes?cursor={cursor}");
        ana.app.call(Method::GET, &path).send().await.expect_invalid("cursor");
    }
    let path = format!("/v1/itineraries?cursor={}", ana.cursor);
    ana.app.call(Method::GET, &path).send().await.expect_invalid("cursor");
}

#[api_test]
async fn a_cursor_expires_when_the_changes_after_it_are_swept(world: World) {
    let (mut ana, mut ben) = (Follower::of(&world, "ana").await, Follower::of(&world, "ben").await);
    let early = ana.cursor.clone();
    ana.app.created(&on_day(1)).await;
    ana.types().await;
    world.clock.advance(TimeDelta::days(29));
    ana.returns().await;
    ben.returns().await;
    let late = ana.app.created(&on_day(2)).await;
    ben.types().await;
    jobs::expire(world.service()).await.expect("a database");
    assert_eq!(ana.types().await, [change("updated", &late.id)], "nothing is 30 days old");

    world.clock.advance(TimeDelta::days(2));
    ana.returns().await;
    ben.returns().await;
    jobs::expire(world.service()).await.expect("a database");
    assert!(ana.types().await.is_empty(), "what it has read may be swept");
    assert!(ben.types().await.is_empty(), "although it has never had a change");
    ana.cursor = early;
    expect_expired(&ana).await;

    // Also if none is left.
    world.clock.advance(TimeDelta::days(31));
    ana.returns().await;
    jobs::expire(world.service()).await.expect("a database");
    expect_expired(&ana).await;
    let mut again = Follower::of(&world, "ana").await;
    assert!(again.types().await.is_empty());
    let new = again.app.created(&on_day(3)).await;
    assert_eq!(again.types().await, [change("updated", &new.id)]);
}

#[api_test]
async fn a_cursor_of_another_epoch_or_of_a_lost_future_expires(world: World) {
    let mut ana = Follower::of(&world, "ana").await;
    ana.app.created(&on_day(1)).await;
    ana.types().await;
    let store = &world.service().store;
    world.sql("UPDATE change_feed SET place = 'elsewhere'").await;
    assert!(store.change_feed_settle("another").await.expect("a database"));
    expect_expired(&ana).await;
    let mut again = Follower::of(&world, "ana").await;
    let new = again.app.created(&on_day(2)).await;
    assert_eq!(again.types().await, [change("updated", &new.id)]);

    // A restored database has given fewer positions.
    if world.database_url().starts_with("sqlite") {
        world.sql("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'changes'").await;
    } else {
        world.sql("UPDATE change_feed SET last_position = 0").await;
    }
    expect_expired(&again).await;
}

#[api_test]
async fn a_restart_keeps_cursors(world: World) {
    let (cursor, id, token) = {
        let ana = Follower::of(&world, "ana").await;
        let at = ana.app.created(&on_day(1)).await;
        (ana.cursor.clone(), at.id, ana.app.token.clone())
    };
    let world = world.restart().await;
    let page = world.call(Method::GET, &format!("/v1/changes?cursor={cursor}")).token(&token).send().await.json();
    assert_eq!(page["data"][0]["itineraryId"], json!(id));
}
