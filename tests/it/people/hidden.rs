//! For an itinerary that the caller may not see, status, headers and body are those of an unknown id.

use chrono::TimeDelta;
use itinerary_sdk::types::MemberRole::Editor;
use itinerary_tests::app::key;
use itinerary_tests::bodies::full;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{NOTHING, Person};

/// Every operation on an itinerary: method, path after its address, body, further headers.
fn operations() -> Vec<(Method, String, Option<Value>)> {
    let mut operations = Vec::new();
    let mut with = |method: Method, rest: &str, body: Option<Value>| operations.push((method, rest.to_owned(), body));
    with(Method::GET, "", None);
    with(Method::HEAD, "", None);
    with(Method::PATCH, "", Some(json!({ "title": "T", "visibility": "public" })));
    with(Method::PATCH, "", Some(json!({ "expenses": [{ "name": "E", "cost": { "amount": 1 } }], "documents": [] })));
    with(Method::DELETE, "", None);
    for (part, body) in [
        ("flights", json!({ "seatNumber": "1" })),
        ("hotels", json!({ "name": "H" })),
        ("expenses", json!({ "name": "E", "cost": { "amount": 1 } })),
        ("packing", json!({ "name": "P" })),
        ("days", json!({})),
    ] {
        let item = format!("/{part}/{}-1", part.trim_end_matches('s'));
        with(Method::GET, &format!("/{part}"), None);
        with(Method::POST, &format!("/{part}"), Some(body.clone()));
        with(Method::PATCH, &item, Some(body));
        with(Method::DELETE, &item, None);
    }
    with(Method::POST, "/days/day-1/stops", Some(json!({ "name": "S" })));
    with(Method::PATCH, "/days/day-1/stops/stop-1", Some(json!({ "name": "S" })));
    with(Method::POST, "/days/day-1/stops/stop-1/move", Some(json!({ "position": 0 })));
    with(Method::DELETE, "/days/day-1/stops/stop-1", None);
    for mark in ["/like", "/dislike"] {
        with(Method::PUT, mark, None);
        with(Method::DELETE, mark, None);
    }
    with(Method::GET, "/marks", None);
    with(Method::POST, "/saves", None);
    with(Method::POST, "/reports", Some(json!({ "reason": "spam" })));
    with(Method::GET, "/members", None);
    with(Method::PUT, "/members/{self}", Some(json!({ "role": "editor" })));
    with(Method::PUT, "/members/{owner}", Some(json!({ "role": "viewer" })));
    with(Method::PUT, "/members/{nobody}", Some(json!({ "role": "viewer" })));
    with(Method::DELETE, "/members/{self}", None);
    with(Method::DELETE, "/members/{member}", None);
    with(Method::DELETE, "/members/{nobody}", None);
    operations
}

/// A response without request id and time.
fn told(response: &RawResponse) -> (u16, Vec<(String, String)>, String) {
    let id = response.header("x-request-id");
    assert!(!id.is_empty());
    let kept = response.headers.iter().filter(|(name, _)| !["x-request-id", "date"].contains(&name.as_str()));
    let mut headers: Vec<_> =
        kept.map(|(name, value)| (name.to_string(), value.to_str().expect("plain text").to_owned())).collect();
    headers.sort();
    (response.status.as_u16(), headers, response.text().replace(id, "its id"))
}

/// Sends an operation in every way that might reveal something, each in its own rate limit window.
async fn asked(person: &Person<'_>, at: &str, names: &[(&str, Uuid)]) -> Vec<(String, RawResponse)> {
    let mut responses = Vec::new();
    for (method, rest, body) in operations() {
        let rest = names.iter().fold(rest, |rest, (name, id)| rest.replace(name, &id.to_string()));
        for (name, value) in [
            ("x-nothing", "x"),
            ("If-Match", "*"),
            ("If-Match", "\"v1.mpd\""),
            ("If-None-Match", "*"),
            ("Idempotency-Key", &key()),
        ] {
            let call = person.app.call(method.clone(), &format!("/v1/itineraries/{at}{rest}")).header(name, value);
            let call = if let Some(body) = &body { call.json(body) } else { call };
            let what = names
                .iter()
                .fold(format!("{method} {rest} {name}"), |what, (name, id)| what.replace(&id.to_string(), name));
            responses.push((what, call.send().await));
        }
    }
    responses
}

#[api_test(limits = false)]
async fn hidden_itineraries_get_the_response_of_unknown_ids(world: World) {
    let ana = Person::pro(&world, "ana").await;
    let member = Person::of(&world, "member").await;
    let private = ana.app.created(&full()).await;
    ana.shares(&private, &member, Editor).await;
    let gone = ana.shows(2, "public").await;
    assert_eq!(ana.app.delete(&gone).await.status, 204);
    let followers = ana.shows(3, "followers").await;
    let (knows_none, stranger) = (Person::pro(&world, "knowsnone").await, Person::pro(&world, "stranger").await);
    let left = Person::pro(&world, "left").await;
    ana.shares(&private, &left, Editor).await;
    left.unshare(&private, left.id).await.expect("a member may leave");
    let removed = Person::pro(&world, "removed").await;
    removed.follow(ana.id).await.expect("she is there");
    ana.remove_follower(removed.id).await.expect("she is followed");

    let names = |person: &Person<'_>| {
        [("{self}", person.id), ("{owner}", ana.id), ("{member}", member.id), ("{nobody}", NOTHING)]
    };
    // New windows, so that the remaining counts are equal.
    let fresh = || world.clock.advance(TimeDelta::minutes(2));
    fresh();
    let nothing = asked(&knows_none, &NOTHING.to_string(), &names(&knows_none)).await;
    for (person, at) in
        [(&stranger, &private), (&stranger, &followers), (&stranger, &gone), (&left, &private), (&removed, &followers)]
    {
        fresh();
        for ((what, here), (_, nowhere)) in asked(person, &at.id, &names(person)).await.iter().zip(&nothing) {
            if !what.starts_with("HEAD") {
                here.expect_error(404, "notFound");
            }
            assert_eq!(told(here), told(nowhere), "{what}");
        }
    }
    // None of it changed anything.
    assert_eq!(ana.app.viewed(&private.id).await.json, ana_reads(&private.json));
    assert_eq!(ana.members(&private).await, [member.id]);
    assert_eq!(ana.app.viewed(&followers.id).await.etag, followers.etag);
    assert!(stranger.app.listed("").await.is_empty());
}

/// The body of a create as a read returns it.
fn ana_reads(created: &Value) -> Value {
    let mut json = created.clone();
    let fields = json.as_object_mut().expect("an itinerary");
    fields.remove("needsAttention");
    json
}

// The same with rate limits: every error counts, whatever its target.
#[api_test]
async fn limits_tell_nothing_either(world: World) {
    let ana = Person::of(&world, "ana").await;
    let at = ana.shows(1, "private").await;
    let (one, other) = (Person::of(&world, "one").await, Person::of(&world, "other").await);
    for _ in 0..3 {
        let here = one.app.view(&at.id).await;
        let nowhere = other.app.view(&NOTHING.to_string()).await;
        assert_eq!(told(&here), told(&nowhere));
        assert!(!here.header("ratelimit-remaining").is_empty());
        let call = |person: &Person<'_>, id: &str| {
            person.app.call(Method::DELETE, &format!("/v1/itineraries/{id}/members/{}", person.id)).send()
        };
        assert_eq!(told(&call(&one, &at.id).await), told(&call(&other, &NOTHING.to_string()).await));
    }
}
