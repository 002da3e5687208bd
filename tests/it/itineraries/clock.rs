//! A clock that is set back, and servers whose clocks differ: no library is given a time earlier than one that it was
//! given before, so that `updatedSince` misses nothing.

use chrono::{DateTime, FixedOffset, TimeDelta};
use itinerary_sdk::types::{Itinerary, ItineraryCreate, ItineraryPatch, ListFilter, MemberChange, Visibility};
use itinerary_sdk::{Client, Open, Versioned};
use itinerary_tests::{World, api_test};

use super::fixtures::{minimal, on_day};
use super::{App, path};

fn trip(day: u32) -> ItineraryCreate {
    serde_json::from_value(on_day(day)).expect("typed")
}

/// The ids of the itineraries that a synchronising client receives.
async fn changed_since(client: &Client, since: DateTime<FixedOffset>, filter: ListFilter) -> Vec<uuid::Uuid> {
    let page = client.itinerary_list().updated_since(since).filter(filter).send().await.expect("a page");
    page.data.iter().map(|entry| entry.id).collect()
}

async fn retitled(client: &Client, of: &Versioned<Itinerary>, title: &str) -> Versioned<Itinerary> {
    let patch = ItineraryPatch { title: Some(title.to_owned()), ..Default::default() };
    client.itinerary_update(of.id, of.etag(), patch).send().await.expect("changed")
}

#[api_test]
async fn a_change_after_the_clock_was_set_back_is_not_missed(world: World) {
    world.account("ana").await;
    world.clock.advance(-TimeDelta::hours(1));
    let client = world.client("ana").await;
    world.clock.advance(TimeDelta::minutes(50));
    let first = client.itinerary_create(trip(1)).send().await.expect("created");
    let second = client.itinerary_create(trip(2)).send().await.expect("created");
    let checkpoint = first.updated_at.max(second.updated_at);

    world.clock.advance(-TimeDelta::minutes(40));
    let changed = retitled(&client, &first, "After").await;
    assert!(changed.updated_at >= checkpoint, "{} is before {checkpoint}", changed.updated_at);
    let created = client.itinerary_create(trip(3)).send().await.expect("created");
    assert!(created.updated_at >= checkpoint && created.created_at <= created.updated_at);
    let listed = changed_since(&client, checkpoint, ListFilter::All).await;
    assert!(listed.contains(&changed.id) && listed.contains(&created.id), "{listed:?}");

    // Once the clock has caught up, times go on.
    world.clock.advance(TimeDelta::minutes(45));
    let later = retitled(&client, &changed, "Later").await;
    assert!(later.updated_at > checkpoint);
}

#[api_test]
async fn a_restart_with_the_clock_set_back_remembers_the_times_given(world: World) {
    world.account("ana").await;
    let client = world.client("ana").await;
    client.itinerary_create(trip(1)).send().await.expect("created");
    world.clock.advance(TimeDelta::milliseconds(300));
    let last = client.itinerary_create(trip(2)).send().await.expect("created");
    world.clock.advance(-TimeDelta::minutes(30));
    let world = world.restart().await;
    let client = world.client("ana").await;
    let changed = retitled(&client, &last, "After").await;
    assert!(changed.updated_at >= last.updated_at);
    let created = client.itinerary_create(trip(3)).send().await.expect("created");
    assert!(created.updated_at >= last.updated_at, "{} is before {}", created.updated_at, last.updated_at);
}

// What a deleted itinerary was given counts too: a client may have remembered its time.
#[api_test]
async fn a_deletion_does_not_set_the_time_back(world: World) {
    let client = world.client("ana").await;
    let gone = client.itinerary_create(trip(1)).send().await.expect("created");
    client.itinerary_delete(gone.id, gone.etag()).send().await.expect("deleted");
    world.clock.advance(-TimeDelta::minutes(30));
    let world = world.restart().await;
    let created = world.client("ana").await.itinerary_create(trip(2)).send().await.expect("created");
    assert!(created.updated_at >= gone.updated_at, "{} is before {}", created.updated_at, gone.updated_at);
}

#[api_test]
async fn an_arrival_after_the_clock_was_set_back_is_not_missed(world: World) {
    let ben_id = world.account("ben").await;
    let (ana, ben) = (world.client("ana").await, world.client("ben").await);
    ben.follow_set(ana.account_self().send().await.expect("an account").account_id).send().await.expect("followed");
    let shared = ana.itinerary_create(trip(1)).send().await.expect("created");
    let public = ItineraryPatch { visibility: Some(Open::Known(Visibility::Public)), ..Default::default() };
    let shared = ana.itinerary_update(shared.id, shared.etag(), public).send().await.expect("published");
    world.clock.advance(TimeDelta::minutes(10));
    let own = ben.itinerary_create(trip(2)).send().await.expect("created");
    world.clock.advance(-TimeDelta::minutes(5));
    let editor: MemberChange = serde_json::from_value(serde_json::json!({ "role": "editor" })).expect("typed");
    ana.member_set(shared.id, ben_id, editor).send().await.expect("a member");
    ben.like_set(shared.id).send().await.expect("liked");
    for filter in [ListFilter::Shared, ListFilter::Liked] {
        assert_eq!(changed_since(&ben, own.updated_at, filter).await, [shared.id], "{filter}");
    }
    let app = App::of(&world, "ben").await;
    let copy = app.call(reqwest::Method::POST, &format!("{}/saves", path(&shared.id.to_string()))).send().await;
    assert_eq!(copy.status, 201, "{}", copy.text());
    let copied_at: DateTime<FixedOffset> = copy.json()["updatedAt"].as_str().expect("a time").parse().expect("a time");
    assert!(copied_at >= own.updated_at);
}

// A server exchanges the latest time with the others within a second.
#[api_test(postgres)]
async fn a_server_whose_clock_is_behind_catches_up_with_the_others(world: World) {
    let app = App::of(&world, "ana").await;
    let ahead = world.client("ana").await;
    let first = ahead.itinerary_create(trip(1)).send().await.expect("created");
    let behind = world.replica_behind(TimeDelta::minutes(20)).await;
    let base_url = behind.service.config.base_url.clone();
    let behind_client =
        Client::builder(&base_url).http_client(world.http.clone()).no_retries().access_token(&app.token);
    let behind_client = behind_client.build().expect("a client");
    let second = behind_client.itinerary_create(trip(2)).send().await.expect("created");
    assert!(second.updated_at >= first.updated_at, "the latest time is read at the start");

    world.clock.advance(TimeDelta::minutes(10));
    let third = ahead.itinerary_create(trip(3)).send().await.expect("created");
    let mut latest = second;
    let mut attempts = 0;
    while latest.updated_at < third.updated_at {
        attempts += 1;
        assert!(attempts < 100, "{} stays before {}", latest.updated_at, third.updated_at);
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        latest = retitled(&behind_client, &latest, &format!("Attempt {attempts}")).await;
    }
    assert_eq!(changed_since(&ahead, third.updated_at, ListFilter::All).await.len(), 2);
    let minimal: ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let guessed = behind_client.itinerary_create(minimal).send().await.expect("created");
    assert_eq!(guessed.start_date.to_string(), "2027-02-09", "dates follow the server's own clock");
    behind.stop().await;
}
