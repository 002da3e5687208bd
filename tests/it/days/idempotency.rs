//! Idempotency keys: a write of a day or a stop takes effect once, however often and however late it is repeated.

use futures::future::join_all;
use itinerary_sdk::IfMatch;
use itinerary_sdk::types::{DayInput, StopInput};
use itinerary_tests::app::{App, Stored, expect_replay, key};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Trip, at, stop, three_days, write_call, writes};

async fn start(world: &World) -> (App<'_>, Stored) {
    let app = App::of(world, "ana").await;
    let stored = app.created(&with(on_day(1), json!({ "days": three_days() }))).await;
    (app, stored)
}

// With its old ETag, without one, after other changes, and after its target was removed.
#[api_test(limits = false)]
async fn a_retry_gets_the_first_response_and_does_nothing(world: World) {
    let (app, mut stored) = start(&world).await;
    let mut done = Vec::new();
    for write in writes().into_iter().filter(|(method, ..)| *method != Method::DELETE) {
        let (key, etag) = (key(), stored.etag.clone());
        let call = || write_call(&app, &stored.id, &write).header("Idempotency-Key", &key);
        let first = call().header("If-Match", &etag).send().await;
        assert_eq!(first.status, 200, "{write:?}: {}", first.text());
        expect_replay(&call().header("If-Match", &etag).send().await, &first);
        expect_replay(&call().send().await, &first);
        assert_eq!(app.viewed(&stored.id).await.etag, first.header("etag"));
        stored = Stored::of(&first);
        done.push((write, key, first));
    }
    assert_eq!(done.len(), 5);
    let emptied = app.patched(&stored, &json!({ "days": [] })).await;
    world.clock.advance(chrono::TimeDelta::minutes(30));
    for (write, key, first) in &done {
        let again = write_call(&app, &stored.id, write).header("Idempotency-Key", key).header("If-Match", "*");
        expect_replay(&again.send().await, first);
    }
    let now = app.viewed(&stored.id).await;
    assert_eq!((now.etag, now.json["days"].clone()), (emptied.etag, json!([])));
}

#[api_test(limits = false)]
async fn another_request_under_the_same_key_is_refused(world: World) {
    let (app, stored) = start(&world).await;
    for (method, rest, body, others) in [
        (
            Method::POST,
            "/days?position=1",
            json!({ "id": "n" }),
            vec![
                ("/days?position=2", json!({ "id": "n" })),
                ("/days", json!({ "id": "n" })),
                ("/days?position=1", json!({})),
                ("/days?position=1", json!({ "id": "N" })),
            ],
        ),
        (
            Method::POST,
            "/days/d1/stops",
            stop("s"),
            vec![("/days/d1/stops?position=0", stop("s")), ("/days/d1/stops", stop("m"))],
        ),
        (Method::PATCH, "/days/d1", json!({ "image": null }), vec![("/days/d1", json!({}))]),
        (
            Method::PATCH,
            "/days/d1/stops/a",
            json!({ "name": "A" }),
            vec![("/days/d1/stops/a", json!({ "name": "A", "category": null }))],
        ),
        (
            Method::POST,
            "/days/d1/stops/a/move",
            json!({ "position": 1 }),
            vec![
                ("/days/d1/stops/a/move", json!({ "position": 1, "dayId": "d1" })),
                ("/days/d1/stops/a/move", json!({})),
            ],
        ),
    ] {
        let key = key();
        let send = |rest: &str, body: &Value| {
            let call = at(&app, method.clone(), &stored.id, rest).header("Idempotency-Key", &key);
            call.header("If-Match", "*").json(body).send()
        };
        let first = send(rest, &body).await;
        assert_eq!(first.status, 200, "{}", first.text());
        for (rest, other) in others {
            let refused = send(rest, &other).await;
            assert!(refused.expect_error(422, "idempotencyKeyReused").is_null(), "{rest} {other}");
        }
        let unknown = format!("{rest}{}surprise=1", if rest.contains('?') { "&" } else { "?" });
        expect_replay(&send(&unknown, &body).await, &first);
        assert_eq!(app.viewed(&stored.id).await.etag, first.header("etag"), "nothing was changed");
    }
}

// A key is bound to its target: for another stop, even one whose id differs only in case, it is another key.
#[api_test(limits = false)]
async fn keys_are_apart_by_what_the_address_names(world: World) {
    let (app, stored) = start(&world).await;
    let capitals = json!({ "id": "D1", "stops": [stop("A")] });
    let add = at(&app, Method::POST, &stored.id, "/days").header("If-Match", "*").json(&capitals).send().await;
    assert_eq!(add.status, 200, "{}", add.text());
    let (key, body) = (key(), json!({ "name": "Renamed" }));
    let rename = |address: &str| {
        let call = at(&app, Method::PATCH, &stored.id, address).header("If-Match", "*");
        call.header("Idempotency-Key", &key).json(&body).send()
    };
    let addresses = ["/days/d1/stops/a", "/days/D1/stops/A", "/days/d1/stops/b", "/days/d2/stops/x"];
    for address in addresses {
        let response = rename(address).await;
        assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (200, ""), "{address}");
        // For any spelling of the path.
        let (start, last) = address.split_at(address.len() - 1);
        let escaped = format!("{start}%{:02X}", last.as_bytes()[0]);
        for same in [address.to_owned(), address.replace('/', "//"), escaped] {
            expect_replay(&rename(&same).await, &response);
        }
    }
    let days = app.viewed(&stored.id).await.json["days"].clone();
    let named: Vec<_> = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (3, 0)]
        .map(|(day, stop)| days[day]["stops"][stop]["name"].clone())
        .into();
    assert_eq!(json!(named), json!(["Renamed", "Renamed", "Stop c", "Renamed", "Stop y", "Renamed"]));
    // The same for additions to two days and to two itineraries.
    let add = |address: &str| {
        let call = at(&app, Method::POST, &stored.id, address).header("If-Match", "*");
        call.header("Idempotency-Key", &key).json(&json!({ "name": "New" })).send()
    };
    for address in ["/days/d1/stops", "/days/D1/stops"] {
        let response = add(address).await;
        assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (200, ""), "{address}");
    }
    let days = app.viewed(&stored.id).await.json["days"].clone();
    assert_eq!(
        (days[0]["stops"].as_array().map(Vec::len), days[3]["stops"].as_array().map(Vec::len)),
        (Some(5), Some(2))
    );
}

#[api_test]
async fn a_key_whose_request_failed_may_be_used_again(world: World) {
    let (app, stored) = start(&world).await;
    let key = key();
    let add = |if_match: &str, body: &Value| {
        let call = at(&app, Method::POST, &stored.id, "/days/d3/stops").header("If-Match", if_match);
        call.header("Idempotency-Key", &key).json(body).send()
    };
    add("\"v0.m\"", &stop("n")).await.expect_error(409, "itineraryModified");
    add("*", &stop("a")).await.expect_invalid("id");
    let first = add(&stored.etag, &stop("n")).await;
    assert_eq!((first.status.as_u16(), first.header("idempotency-replayed")), (200, ""), "{}", first.text());
    expect_replay(&add(&stored.etag, &stop("n")).await, &first);
}

// A removal ignores keys: a removed item is not found.
#[api_test]
async fn a_key_means_nothing_to_a_removal(world: World) {
    let (app, stored) = start(&world).await;
    let key = key();
    for (address, status) in
        [("/days/d1/stops/a", 200), ("/days/d1/stops/a", 404), ("/days/d3", 200), ("/days/d3", 404)]
    {
        let call = at(&app, Method::DELETE, &stored.id, address).header("If-Match", "*");
        assert_eq!(call.header("Idempotency-Key", &key).send().await.status, status, "{address}");
    }
}

#[api_test]
async fn twenty_adds_at_once_with_one_key_add_one(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let key = Uuid::new_v4();
    let days = join_all((0..20).map(|_| trip.day_add(DayInput::default()).idempotency_key(key).send_raw())).await;
    let stops = join_all((0..20).map(|_| {
        let (client, id) = (&trip.client, trip.now.id);
        client.stop_add(id, "d3", IfMatch::any(), StopInput::new("New")).idempotency_key(key).send_raw()
    }))
    .await;
    for responses in [days, stops] {
        let responses: Vec<_> = responses.into_iter().map(|response| response.expect("each is answered")).collect();
        assert!(responses.iter().all(|response| **response == *responses[0]));
        let replayed = responses.iter().filter(|response| response.headers().contains_key("idempotency-replayed"));
        assert_eq!(replayed.count(), 19);
    }
    let read = trip.read().await;
    assert_eq!((read.days.len(), read.days[2].stops.len(), read.etag()), (4, 1, "\"v3.m\""));
}
