//! Concurrent writers of one itinerary (H-03): nothing is lost or half done, on one server and on two.

use std::time::Instant;

use futures::future::join_all;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::fixtures::{minimal, on_day, with};
use super::{App, Stored, path};

/// A call by one of several servers.
fn by(world: &World, base: &str, app: &App<'_>, method: Method, id: &str) -> Call {
    Call(world.http.request(method, format!("{base}{}", path(id)))).token(&app.token)
}

/// Checks that exactly one of the writers with the same ETag succeeded, and that the others were told the new ETag.
fn expect_one_winner(responses: &[RawResponse]) -> Stored {
    let won: Vec<_> = responses.iter().filter(|response| response.status == 200).collect();
    assert_eq!(won.len(), 1, "{:?}", responses.iter().map(|response| response.status).collect::<Vec<_>>());
    for response in responses.iter().filter(|response| response.status != 200) {
        response.expect_error(409, "itineraryModified");
        // Servers at different addresses add different marks.
        let tag = |response: &RawResponse| response.header("etag").split(['@', '"']).nth(1).map(str::to_owned);
        assert_eq!(tag(response), tag(won[0]));
    }
    Stored::of(won[0])
}

/// Thirty rounds of concurrent writers with the same ETag, alternating between these servers.
async fn rounds(world: &World, app: &App<'_>, bases: &[String], writers: usize) {
    let mut stored = app.created(&minimal()).await;
    for round in 0..30 {
        let bodies: Vec<_> = (0..writers).map(|n| json!({ "title": format!("{round}.{n}") })).collect();
        let calls = bodies.iter().enumerate().map(|(n, body)| {
            let call = by(world, &bases[n % bases.len()], app, Method::PATCH, &stored.id);
            // Half of the writes have an idempotency key, because they use another transaction.
            let call = if n % 4 < 2 { call } else { call.header("Idempotency-Key", &super::key()) };
            call.header("If-Match", &stored.etag).json(body).send()
        });
        let responses = join_all(calls).await;
        stored = expect_one_winner(&responses);
        // A server with another address than the first one adds a mark of it.
        let version = format!("\"v{}.m", round + 2);
        assert!([format!("{version}\""), format!("{version}@")].iter().any(|start| stored.etag.starts_with(start)));
        assert_eq!(app.viewed(&stored.id).await.json["title"], stored.json["title"]);
    }
}

#[api_test(limits = false)]
async fn one_of_two_updates_with_the_same_etag_succeeds(world: World) {
    rounds(&world, &App::of(&world, "ana").await, std::slice::from_ref(&world.base_url), 2).await;
}

#[api_test(limits = false)]
async fn one_update_per_etag_succeeds_across_two_servers(world: World) {
    let replica = world.replica_with(|config| config.limits = false).await;
    let bases = [world.base_url.clone(), format!("http://{}", replica.address)];
    let app = App::of(&world, "ana").await;
    rounds(&world, &app, &bases, 2).await;
    let other = App::of(&world, "ben").await;
    rounds(&world, &other, &bases, 8).await;
    replica.stop().await;
}

// `If-Match: *` writes from any version, so no writer fails.
#[api_test]
async fn writers_of_whatever_is_there_all_win(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let bodies: Vec<_> = (0..12).map(|n| json!({ "title": n.to_string() })).collect();
    let calls = bodies.iter().map(|body| app.patch_call(&stored.id, body).header("If-Match", "*").send());
    let responses = join_all(calls).await;
    let mut tags: Vec<_> = responses.iter().map(|response| Stored::of(response).etag).collect();
    let mut expected: Vec<_> = (2..=13).map(|version| format!("\"v{version}.m\"")).collect();
    tags.sort();
    expected.sort();
    assert_eq!(tags, expected);
    let last = responses.iter().find(|response| response.header("etag") == "\"v13.m\"").expect("one is last");
    assert_eq!(app.viewed(&stored.id).await.json["title"], last.json()["title"]);
}

const WRITERS: u32 = 64;
const INCREMENTS: u32 = 4;

/// Increments the number in the summary, retrying until this writer's change succeeds.
async fn increment(world: &World, base: &str, app: &App<'_>, id: &str, writer: u32) {
    loop {
        let began = Instant::now();
        let read = by(world, base, app, Method::GET, id).send().await;
        let number: u64 = read.json()["summary"].as_str().and_then(|text| text.parse().ok()).expect("a number");
        let call = by(world, base, app, Method::PATCH, id).header("If-Match", read.header("etag"));
        let response = call.json(&json!({ "summary": (number + 1).to_string() })).send().await;
        if response.status == 200 {
            return;
        }
        response.expect_error(409, "itineraryModified");
        // Losers retry a few at a time. Without this pause most of the work would be lost races; nothing depends on it.
        tokio::time::sleep(began.elapsed() * writer / 2).await;
    }
}

async fn count(world: &World, bases: &[String]) {
    let app = App::of(world, "ana").await;
    let stored = app.created(&with(minimal(), json!({ "summary": "0" }))).await;
    join_all((0..WRITERS).map(|writer| {
        let (app, id) = (&app, &stored.id);
        let base = &bases[usize::try_from(writer).unwrap_or_default() % bases.len()];
        async move {
            for _ in 0..INCREMENTS {
                increment(world, base, app, id, writer).await;
            }
        }
    }))
    .await;
    let end = app.viewed(&stored.id).await;
    assert_eq!(end.json["summary"], (WRITERS * INCREMENTS).to_string());
    assert_eq!(
        end.etag,
        format!("\"v{}.m\"", WRITERS * INCREMENTS + 1),
        "every change was one, and there was no other"
    );
}

#[api_test(limits = false)]
async fn sixty_four_writers_lose_no_increment(world: World) {
    count(&world, std::slice::from_ref(&world.base_url)).await;
}

#[api_test(limits = false)]
async fn sixty_four_writers_on_two_servers_lose_no_increment(world: World) {
    let replica = world.replica_with(|config| config.limits = false).await;
    count(&world, &[world.base_url.clone(), format!("http://{}", replica.address)]).await;
    replica.stop().await;
}

#[api_test(limits = false)]
async fn a_change_and_a_deletion_with_one_tag_exclude_each_other(world: World) {
    let app = App::of(&world, "ana").await;
    for round in 0..30 {
        let stored = Stored::of(&app.create_call("?allowDuplicate=true", &minimal()).send().await);
        let body = json!({ "title": round.to_string() });
        let (changed, deleted) = tokio::join!(app.patch(&stored, &body), app.delete(&stored));
        match (changed.status.as_u16(), deleted.status.as_u16()) {
            (200, 409) => {
                assert_eq!(deleted.header("etag"), changed.header("etag"));
                assert_eq!(app.viewed(&stored.id).await.json["title"], body["title"]);
            }
            (404, 204) => app.view(&stored.id).await.expect_error(404, "notFound").as_null().expect("no details"),
            other => panic!("{other:?}: {} {}", changed.text(), deleted.text()),
        }
    }
}

// A create that waits for another of the same account sees what that one stored.
#[api_test(limits = false)]
async fn creates_at_once_are_each_whole(world: World) {
    let app = App::of(&world, "ana").await;
    let bodies: Vec<_> = (1..=28).map(on_day).collect();
    let responses = join_all(bodies.iter().map(|body| app.create(body))).await;
    let stored: Vec<_> = responses.iter().map(Stored::of).collect();
    let listed: std::collections::BTreeSet<_> = app.listed("limit=100").await.into_iter().collect();
    assert_eq!(listed, stored.iter().map(|stored| stored.id.clone()).collect());
    for stored in &stored {
        let read = app.viewed(&stored.id).await.json;
        let mut made: Value = stored.json.clone();
        made.as_object_mut().expect("an object").remove("needsAttention");
        assert_eq!(read, made);
    }
}
