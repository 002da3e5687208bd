//! The command `watch`.

use std::time::Duration;

use itinerary_tests::World;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::time::timeout;

use super::{Person, create, stderr, world};

/// A cursor for the changes from now on.
async fn now(world: &World, person: &Person) -> String {
    let token = person.token.as_deref().expect("a token");
    let page = world.call(Method::GET, "/v1/changes").token(token).send().await.json();
    page["nextCursor"].as_str().expect("a cursor").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_printed_as_they_come() {
    let world = world().await;
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let id = create(&ana).await;
    let cursor = now(&world, &ben).await;
    let mut watch = ben.command(&["watch", "-n", "4", "--cursor", &cursor]).spawn().expect("it starts");
    let mut printed = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    // Each change is made after the one before is printed, so that none stands for another.
    let mut expect = async |said: &str| {
        let line = timeout(Duration::from_secs(30), printed.next_line()).await.expect("a line soon");
        let line = line.expect("text").expect("it goes on");
        assert!(line.ends_with(&format!("  A weekend in Lisbon  {said}")), "{line}");
    };
    ana.say(&["share", &id, "--add", "ben", "--role", "editor", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    expect("shared with you").await;
    ana.say(&["stop", "add", &id, "2", "Jerónimos", "-q"]).await;
    expect("day 2, stop “Jerónimos” added by @ana").await;
    ana.say(&["share", &id, "--remove", "ben", "-q"]).await;
    expect("no longer shared with you").await;
    ana.say(&["share", &id, "--add", "ben", "-q"]).await;
    ben.say(&["invitation", "accept", &id]).await;
    expect("shared with you").await;
    let output = watch.wait_with_output().await.expect("it ends");
    assert!(output.status.success() && stderr(&output).contains("Ctrl-C ends"), "{}", stderr(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_of_json_has_the_change_and_its_cursor() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let cursor = now(&world, &ana).await;
    let id = create(&ana).await;
    let line = ana.json(&["watch", "-n", "1", "--cursor", &cursor]).await;
    assert_eq!(
        (&line["type"], &line["itineraryId"], &line["etag"]),
        (&json!("itinerary.updated"), &json!(id), &json!("\"v1.m\""))
    );
    ana.say(&["stop", "add", &id, "2", "Jerónimos", "-q"]).await;
    ana.say(&["delete", &id, "--yes"]).await;
    let next = ana.json(&["watch", "-n", "1", "--cursor", line["cursor"].as_str().expect("a cursor")]).await;
    assert_eq!(
        (&next["type"], &next["itineraryId"], &next["etag"]),
        (&json!("itinerary.deleted"), &json!(id), &Value::Null)
    );
    let said = ana.say(&["watch", "-n", "1", "--cursor", &cursor]).await;
    assert!(said.trim_end().ends_with(&format!("{id}  deleted")), "its title is not known any more: {said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_printed_as_sentences() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let id = create(&ana).await;
    let cursor = now(&world, &ana).await;
    ana.say(&["stop", "add", &id, "2", "Jerónimos", "-q"]).await;
    let said = ana.say(&["watch", "-n", "1", "--cursor", &cursor]).await;
    assert!(said.trim_end().ends_with("A weekend in Lisbon  day 2, stop “Jerónimos” added by @ana"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_cursor_and_an_ended_sign_in_end_it() {
    let world = world().await;
    let ana = Person::of(&world, "ana").await;
    let cursor = now(&world, &ana).await;
    // A cursor may begin with a hyphen.
    for malformed in ["x", "-x"] {
        let said = ana.fail(&["watch", "-q", "--cursor", malformed], 7).await;
        assert!(said.contains("--cursor"), "{said}");
    }
    world.sql("UPDATE change_feed SET epoch = 'another'").await;
    let said = ana.fail(&["watch", "-q", "--cursor", &cursor], 1).await;
    assert!(said.contains("list your trips, and watch without --cursor"), "{said}");
    let cursor = now(&world, &ana).await;
    world.sql("UPDATE grants SET revoked_at = 1").await;
    ana.fail(&["watch", "-q", "--cursor", &cursor], 3).await;
}
