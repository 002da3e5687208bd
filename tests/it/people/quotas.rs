//! Quotas: an error names the quota, and existing data stays.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_sdk::types::MemberRole::Viewer;
use itinerary_sdk::types::MemberStatus;
use itinerary_tests::app::path;
use itinerary_tests::bodies::{minimal, on_day, with};
use itinerary_tests::{Database, RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use super::{Person, account_path, crowd};

async fn start(database: Database) -> Option<World> {
    let configure = |config: &mut itinerary_platform::settings::Config| {
        config.limits = false;
        config.quota_itineraries = 5;
        config.quota_members = 4;
        config.quota_following = 3;
        config.quota_invitations = 2;
        config.quota_blocks = 2;
    };
    World::start_with(database, configure).await
}

/// Checks the error of a quota, whose message has the number and the unit.
#[track_caller]
fn expect_quota(response: &RawResponse, number: i64, of: &str) {
    assert!(response.expect_error(409, "conflict").is_null(), "no duplicate: {}", response.text());
    let message = response.json()["error"]["message"].as_str().expect("a message").to_owned();
    assert!(message.contains(&format!("quota of {number} {of}")), "{message}");
}

#[api_test]
async fn an_account_owns_so_many_itineraries(database: Database) {
    let Some(world) = start(database).await else { return };
    let (ana, ben) = (Person::of(&world, "ana").await, Person::of(&world, "ben").await);
    let bodies: Vec<_> =
        (0..64).map(|n| with(minimal(), json!({ "startDate": format!("20{}-01-01", 30 + n % 64) }))).collect();
    let responses = join_all(bodies.iter().map(|body| ana.app.create(body))).await;
    assert_eq!(responses.iter().filter(|response| response.status == 201).count(), 5);
    for refused in responses.iter().filter(|response| response.status != 201) {
        expect_quota(refused, 5, "itineraries");
    }
    let source = ben.shows(1, "public").await;
    let save = async || ana.app.call(Method::POST, &format!("{}/saves", path(&source.id))).send().await;
    expect_quota(&save().await, 5, "itineraries");
    for query in ["?dryRun=true", "?allowDuplicate=true", "?dryRun=true&allowDuplicate=true"] {
        expect_quota(&ana.app.create_call(query, &on_day(2)).send().await, 5, "itineraries");
    }
    let own = ana.app.listed("").await;
    assert_eq!(own.len(), 5);
    let renamed = ana.app.patch_call(&own[0], &json!({ "title": "Mine" })).header("If-Match", "*").send().await;
    assert_eq!(renamed.status, 200, "what is there can be changed");
    assert_eq!(ana.app.delete_call(&own[0]).header("If-Match", "*").send().await.status, 204);
    assert_eq!(ana.app.create_call("?dryRun=true", &on_day(2)).send().await.status, 200);
    assert_eq!(save().await.status, 201);
    assert_eq!(save().await.status, 200, "the copy that is there is no further one");
    expect_quota(&ana.app.create(&on_day(2)).await, 5, "itineraries");
}

#[api_test]
async fn an_account_follows_so_many_people(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Person::of(&world, "ana").await;
    let others = crowd(&world, "other", 64).await;
    let follow = async |other: &Person<'_>| ana.app.call(Method::PUT, &account_path(other.id, "/follow")).send().await;
    let responses = join_all(others.iter().map(follow)).await;
    assert_eq!(responses.iter().filter(|response| response.status == 204).count(), 3);
    for refused in responses.iter().filter(|response| response.status != 204) {
        expect_quota(refused, 3, "people");
    }
    assert_eq!(ana.counts(ana.id).await.1, 3);
    let followed = responses.iter().position(|response| response.status == 204).expect("three are");
    assert_eq!(follow(&others[followed]).await.status, 204, "again");
    ana.unfollow(others[followed].id).await.expect("followed");
    let new = responses.iter().position(|response| response.status != 204).expect("others are not");
    assert_eq!(follow(&others[new]).await.status, 204);
    expect_quota(&follow(&others[followed]).await, 3, "people");
}

#[api_test]
async fn an_itinerary_has_so_many_members_and_an_owner_invites_few(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Person::of(&world, "ana").await;
    let others = crowd(&world, "other", 6).await;
    let mut shown = Vec::new();
    for day in 1..6 {
        shown.push(ana.shows(day, "private").await);
    }
    let share = async |id: &str, with: &Person<'_>| {
        let call = ana.app.call(Method::PUT, &format!("{}/members/{}", path(id), with.id));
        call.json(&json!({ "role": "viewer" })).send().await
    };
    // Strangers are invited, and not more than two in thirty days, whatever they are invited to.
    let responses = join_all(others.iter().zip(&shown).map(|(other, at)| share(&at.id, other))).await;
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 2);
    for refused in responses.iter().filter(|response| response.status != 200) {
        expect_quota(refused, 2, "invitations");
    }
    let (index, _) = responses.iter().enumerate().find(|(_, response)| response.status == 200).expect("two are");
    ana.unshare(&shown[index], others[index].id).await.expect("withdrawn");
    expect_quota(&share(&shown[index].id, &others[index]).await, 2, "invitations");
    world.clock.advance(TimeDelta::days(30));
    let ana = Person::of(&world, "ana").await;
    let again = ana.share(&shown[index], others[index].id, Viewer).await.expect("thirty days later");
    assert_eq!(again.status, MemberStatus::Pending);

    // Followers become members without an invitation; the invitation counts as a member.
    let others = crowd(&world, "follower", 4).await;
    for other in &others {
        other.follow(ana.id).await.expect("she is there");
    }
    let responses = join_all(others.iter().map(|other| ana.share(&shown[index], other.id, Viewer))).await;
    assert_eq!(responses.iter().filter(|response| response.is_ok()).count(), 3);
    let call = ana.app.call(Method::PUT, &format!("{}/members/{}", path(&shown[index].id), ana_reader(&world).await));
    expect_quota(&call.json(&json!({ "role": "viewer" })).send().await, 4, "members");
}

/// A traveller who follows Ana.
async fn ana_reader(world: &World) -> Uuid {
    let (reader, ana) = (Person::of(world, "reader").await, Person::of(world, "ana").await);
    reader.follow(ana.id).await.expect("she is there");
    reader.id
}

#[api_test]
async fn an_account_blocks_so_many_people(database: Database) {
    let Some(world) = start(database).await else { return };
    let ana = Person::of(&world, "ana").await;
    let others = crowd(&world, "other", 8).await;
    let block = async |other: &Person<'_>| ana.app.call(Method::PUT, &account_path(other.id, "/block")).send().await;
    let responses = join_all(others.iter().map(block)).await;
    assert_eq!(responses.iter().filter(|response| response.status == 204).count(), 2);
    for refused in responses.iter().filter(|response| response.status != 204) {
        expect_quota(refused, 2, "blocked");
    }
}
