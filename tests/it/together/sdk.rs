//! Merging, and revisions, through the SDK.

use std::net::{Ipv4Addr, SocketAddr};

use futures::future::join_all;
use itinerary_sdk::types::{DayInput, ItineraryPatch, StopInput};
use itinerary_sdk::{Client, EditError, ErrorExt, Uuid, code, types};
use itinerary_tests::world::READ_WRITE;
use itinerary_tests::{World, api_test};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};

use super::two_days;

fn typed<T: DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).expect("a body of the contract")
}

#[api_test]
async fn a_merge_and_its_conflicts_are_typed(world: World) {
    let client = world.client("ana").await;
    let base = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let update = |body: Value| client.itinerary_update(base.id, &base, typed::<types::ItineraryPatch>(body));
    update(json!({ "title": "May" })).send().await.expect("updated");
    let merged = update(json!({ "summary": "A week" })).prefer("merge").send().await.expect("merged");
    assert_eq!((&*merged.title, merged.summary.as_deref()), ("May", Some("A week")));
    let refused = update(json!({ "title": "June" })).prefer("merge").send().await.expect_err("a conflict");
    assert!(refused.is(code::ITINERARY_MODIFIED));
    let details = refused.details().expect("details");
    assert_eq!(details.reason, Some(types::MergeReason::Conflict.into()));
    let conflicts = details.conflicts.as_deref().expect("conflicts");
    assert_eq!((&*conflicts[0].path, &conflicts[0].yours), ("title", &json!("June")));
}

#[api_test]
async fn revisions_are_listed_read_and_restored(world: World) {
    let client = world.client("ana").await;
    let first = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let body = typed::<types::ItineraryPatch>(json!({ "title": "May", "days": [] }));
    let second = client.itinerary_update(first.id, &first, body).send().await.expect("updated");
    let page = client.revision_list(first.id).limit(1).send().await.expect("a page");
    assert_eq!((page.data[0].version, page.data[0].by.as_ref().map(|by| &*by.username)), (2, Some("ana")));
    assert!(page.next_cursor.is_some());
    let read = client.revision_view(first.id, 1).send().await.expect("a revision");
    assert_eq!((&read.title, &read.days), (&first.title, &first.days));
    let restored = client.revision_restore(first.id, 1, &second).send().await.expect("restored");
    assert_eq!((&restored.title, &restored.days), (&first.title, &first.days));
    let missing = client.revision_view(first.id, 9).send().await.expect_err("no such version");
    assert!(missing.is(code::NOT_FOUND));
}

/// A proxy in front of a server, behind which another traveller stores a patch before each PATCH arrives.
async fn behind_another(server: SocketAddr, other: Client, trip: Uuid, patch: ItineraryPatch) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        loop {
            let (near, _) = listener.accept().await.expect("a connection");
            let far = TcpStream::connect(server).await.expect("a server");
            let ((mut requests, mut responses), (mut from, mut to)) = (near.into_split(), far.into_split());
            tokio::spawn(async move { copy(&mut from, &mut responses).await });
            let (other, patch) = (other.clone(), patch.clone());
            tokio::spawn(async move {
                let mut chunk = vec![0; 64 * 1024];
                while let Ok(length @ 1..) = requests.read(&mut chunk).await {
                    if chunk.starts_with(b"PATCH") {
                        other.itinerary_update(trip, "*", patch.clone()).send().await.expect("stored");
                    }
                    to.write_all(&chunk[..length]).await.expect("a server");
                }
            });
        }
    });
    format!("http://{address}")
}

/// A client of another app of the same traveller, whose writes come second.
async fn second(world: &World, trip: Uuid, first: ItineraryPatch) -> Client {
    let other = world.client("ana").await;
    let address = behind_another(world.address(), other, trip, first).await;
    let token = world.token_of_anyone("ana", READ_WRITE).await;
    Client::builder(address).access_token(token).build().expect("a client")
}

#[api_test]
async fn an_edit_is_merged_with_one_that_came_between(world: World) {
    let client = world.client("ana").await;
    let trip = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let client = second(&world, trip.id, ItineraryPatch::default().title("May")).await;
    // The whole list of days is sent, as a form would send it.
    let edited = client.edit_together(trip.id, |trip| {
        let mut days: Vec<DayInput> = trip.days.iter().map(DayInput::from).collect();
        days[1].stops.get_or_insert_default().push(StopInput::new("Cascais").id("new"));
        ItineraryPatch::default().days(days)
    });
    let edited = edited.await.expect("merged");
    let stops: Vec<_> = edited.days[1].stops.iter().map(|stop| &*stop.id).collect();
    assert_eq!((&*edited.title, edited.etag(), stops), ("May", "\"v3.m\"", vec!["x", "new"]));
}

#[api_test]
async fn a_conflict_in_two_fields_lists_both(world: World) {
    let client = world.client("ana").await;
    let trip = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let first = ItineraryPatch::default().title("May").summary("By train").travellers(2);
    let client = second(&world, trip.id, first).await;
    let mine = ItineraryPatch::default().title("June").summary("By ship").travellers(2).tags(["sea"]);
    let error = client.edit_together(trip.id, |_| mine.clone()).await.expect_err("conflicts");
    assert_eq!(error.current_etag(), Some("\"v2.m\""));
    let EditError::Conflict { conflicts, .. } = error else { panic!("{error}") };
    assert_eq!(
        serde_json::to_value(conflicts).expect("JSON"),
        json!([
            { "path": "summary", "base": null, "current": "By train", "yours": "By ship" },
            { "path": "title", "base": "Lisbon", "current": "May", "yours": "June" },
        ])
    );
    let now = client.itinerary_view(trip.id).send().await.expect("read");
    assert_eq!((now.etag(), &*now.tags), ("\"v2.m\"", &["city".to_owned()][..]), "nothing was stored");
}

#[api_test(limits = false)]
async fn editors_at_once_lose_nothing(world: World) {
    let client = world.client("ana").await;
    let trip = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let tags: Vec<_> = (0..8).map(|number| format!("tag-{number}")).collect();
    let edit = async |tag: &String| {
        client
            .edit_together(trip.id, |trip| {
                ItineraryPatch::default().tags(trip.tags.iter().chain([tag]).cloned().collect::<Vec<_>>())
            })
            .await
            .expect("merged")
    };
    join_all(tags.iter().map(edit)).await;
    let now = client.itinerary_view(trip.id).send().await.expect("read");
    assert!(tags.iter().all(|tag| now.tags.contains(tag)), "{:?}", now.tags);
}

#[api_test]
async fn a_version_that_is_gone_cannot_be_restored(world: World) {
    let client = world.client("ana").await;
    let first = client.itinerary_create(typed::<types::ItineraryCreate>(two_days())).send().await.expect("created");
    let mut current = first.etag().to_owned();
    // The current version is kept, and 50 before it.
    for number in 0..51 {
        let patch = ItineraryPatch::default().title(format!("Title {number}"));
        let updated = client.itinerary_update(first.id, &current, patch).send().await.expect("updated");
        updated.etag().clone_into(&mut current);
    }
    let error = client.revision_restore(first.id, 1, &current).send().await.expect_err("not kept");
    assert!(error.is(code::NOT_FOUND));
    let now = client.itinerary_view(first.id).send().await.expect("read");
    assert_eq!((now.etag(), &*now.title), (&*current, "Title 50"));
}
