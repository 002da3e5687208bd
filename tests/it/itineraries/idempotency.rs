//! Idempotency-Key (H-10 to H-15): a retry gets the first response, and nothing happens twice.

use chrono::TimeDelta;
use futures::future::join_all;
use itinerary_core::ids;
use itinerary_sdk::types;
use itinerary_store::{NewGrant, NewToken};
use itinerary_tests::app::expect_replay;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::fixtures::{minimal, on_day, with};
use super::{App, Stored, key, path};

/// Checks that a create was not a replay.
#[track_caller]
fn expect_new(response: &RawResponse) -> Stored {
    assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (201, ""), "{}", response.text());
    Stored::of(response)
}

fn create(app: &App<'_>, key: &str, body: &Value) -> Call {
    app.create_call("", body).header("Idempotency-Key", key)
}

fn patch(app: &App<'_>, key: &str, seen: &Stored, body: &Value) -> Call {
    app.patch_call(&seen.id, body).header("If-Match", &seen.etag).header("Idempotency-Key", key)
}

/// H-12.
#[api_test]
async fn a_create_is_replayed_with_its_first_response(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    let first = create(&app, &key, &minimal()).send().await;
    let stored = expect_new(&first);
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
    // Even if the itinerary changed and time has passed.
    let changed = app.patched(&stored, &json!({ "title": "T" })).await;
    world.clock.advance(TimeDelta::minutes(30));
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
    assert_eq!(app.listed("").await, std::slice::from_ref(&stored.id));
    assert_eq!(app.viewed(&stored.id).await.etag, changed.etag);
    // Another server on the same database replays it, too.
    let replica = world.replica().await;
    let call = Call(world.http.post(format!("http://{}/v1/itineraries", replica.address)));
    expect_replay(&call.token(&app.token).header("Idempotency-Key", &key).json(&minimal()).send().await, &first);
    replica.stop().await;
}

// H-12: a replay precedes the check of If-Match, so a retry with its old ETag succeeds.
#[api_test]
async fn a_change_is_replayed_with_its_old_tag(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    let stored = app.created(&minimal()).await;
    let body = json!({ "title": "T" });
    let first = patch(&app, &key, &stored, &body).send().await;
    let second = Stored::of(&first);
    assert_eq!(second.etag, "\"v2.m\"");
    expect_replay(&patch(&app, &key, &stored, &body).send().await, &first);
    let third = app.patched(&second, &json!({ "title": "U" })).await;
    expect_replay(&patch(&app, &key, &stored, &body).send().await, &first);
    // For any spelling of the path.
    let without = app.patch_call(&stored.id.to_uppercase(), &body).header("Idempotency-Key", &key).send().await;
    expect_replay(&without, &first);
    assert_eq!(app.viewed(&stored.id).await.etag, third.etag, "nothing was changed again");
    assert_eq!(third.json["title"], "U");
}

/// H-11.
#[api_test]
async fn another_request_under_the_same_key_is_refused(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    let first = create(&app, &key, &minimal()).send().await;
    let stored = expect_new(&first);
    let others =
        [on_day(1), with(minimal(), json!({ "title": "Trip to Lisbon" })), with(minimal(), json!({ "summary": null }))];
    for other in others {
        let response = create(&app, &key, &other).send().await;
        assert!(response.expect_error(422, "idempotencyKeyReused").is_null(), "{other}");
    }
    let call = |query: &str| app.create_call(query, &minimal()).header("Idempotency-Key", &key);
    call("?allowDuplicate=true").send().await.expect_error(422, "idempotencyKeyReused");
    // The query is compared by meaning: defaults and unknown parameters do not matter.
    for same in ["?allowDuplicate=false", "?surprise=1", "?dryRun=0&allowDuplicate=False"] {
        expect_replay(&call(same).send().await, &first);
    }
    let patch_key = super::key();
    let changed = Stored::of(&patch(&app, &patch_key, &stored, &json!({ "title": "T" })).send().await);
    patch(&app, &patch_key, &changed, &json!({ "title": "U" })).send().await.expect_error(422, "idempotencyKeyReused");
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
    assert_eq!(app.viewed(&stored.id).await.json["title"], "T");
    assert_eq!(app.listed("").await.len(), 1);
}

#[api_test]
async fn idempotency_fingerprint_ignores_the_spelling_of_the_json(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    let send = |query: &str, body: &str| {
        let call = app.call(Method::POST, &format!("/v1/itineraries{query}")).header("Idempotency-Key", &key);
        call.body("application/json", body.to_owned()).send()
    };
    let body = concat!(
        r#"{"title":"T\u00e9","destination":{"name":"Lisbon","coordinate":{"latitude":38.7,"longitude":-9.1}},"#,
        r#""tags":["a","b"]}"#
    );
    let first = send("?dryRun=false&allowDuplicate=true", body).await;
    expect_new(&first);
    let same = concat!(
        "\n{ \"tags\" : [\"a\", \"\\u0062\"],\t\"destination\": {\"coordinate\": {\"longitude\": -9.1, ",
        "\"latitude\": 38.7}, \"name\": \"Lisbon\"}, \"title\": \"T\u{e9}\" }\r\n"
    );
    expect_replay(&send("?dryRun=false&allowDuplicate=true", same).await, &first);
    expect_replay(&send("?allowDuplicate=true&dryRun=false", same).await, &first);
    expect_replay(&send("?allowDuplicate=%74rue&dryRun=false&", body).await, &first);
    let reordered = body.replace(r#"["a","b"]"#, r#"["b","a"]"#);
    send("?dryRun=false&allowDuplicate=true", &reordered).await.expect_error(422, "idempotencyKeyReused");
}

// H-14: only successful responses are stored.
#[api_test]
async fn a_failed_request_frees_its_key(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let (create_key, patch_key) = (key(), key());
    let existing = app.created(&minimal()).await;
    create(&app, &create_key, &json!({})).send().await.expect_invalid("destination");
    create(&app, &create_key, &with(minimal(), json!({ "flights": [{}] }))).send().await.expect_invalid("flights[0]");
    create(&app, &create_key, &minimal()).send().await.expect_error(409, "duplicateItinerary");
    create(&app, &create_key, &with(minimal(), json!({ "packing": [] })))
        .send()
        .await
        .expect_error(403, "subscriptionRequired");
    let first = create(&app, &create_key, &on_day(1)).send().await;
    expect_new(&first);
    expect_replay(&create(&app, &create_key, &on_day(1)).send().await, &first);

    let body = json!({ "title": "T" });
    let stale = Stored { etag: "\"v7.m\"".to_owned(), ..existing.clone() };
    patch(&app, &patch_key, &stale, &body).send().await.expect_error(409, "itineraryModified");
    app.patch_call(&existing.id, &body)
        .header("Idempotency-Key", &patch_key)
        .send()
        .await
        .expect_error(428, "preconditionRequired");
    patch(&other, &patch_key, &existing, &body).send().await.expect_error(404, "notFound");
    let first = patch(&app, &patch_key, &existing, &body).send().await;
    assert_eq!(Stored::of(&first).etag, "\"v2.m\"");
    expect_replay(&patch(&app, &patch_key, &stale, &body).send().await, &first);
}

// A stored response is not replayed after the plan, and so the visible sections, changed.
#[api_test]
async fn stored_response_is_not_replayed_after_visible_sections_change(world: World) {
    let (app, key) = (App::pro(&world, "ana").await, key());
    let first = create(&app, &key, &minimal()).send().await;
    assert_eq!(expect_new(&first).etag, "\"v1.mpd\"");
    let without_documents = App::of(&world, "ana").await;
    let refused = create(&without_documents, &key, &minimal()).send().await;
    refused.expect_error(422, "idempotencyKeyReused");
    world.set_plan("ana", itinerary_model::Plan::Free).await;
    create(&app, &key, &minimal()).send().await.expect_error(422, "idempotencyKeyReused");
    world.set_plan("ana", itinerary_model::Plan::Pro).await;
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
}

/// Another app of a traveller.
async fn other_app<'w>(world: &'w World, name: &str) -> App<'w> {
    let store = &world.service().store;
    let account = store.account_by_username(name).await.expect("a database").expect("a known name");
    let now = itinerary_core::clock::Clock::now(&*world.clock);
    let client = store.client("command-line").await.expect("a database").expect("the client of all tests");
    store.client_insert(&itinerary_store::Client { id: "another-app".to_owned(), ..client }).await.expect("a client");
    let (token, scope) = (Uuid::new_v4().to_string(), "itineraries:read itineraries:write".to_owned());
    let grant = NewGrant {
        id: Uuid::new_v4(),
        account_id: account.id,
        client_id: "another-app".to_owned(),
        scope: scope.clone(),
        resource: None,
        created_at: now,
    };
    let expires_at = now + TimeDelta::hours(1);
    let access = NewToken { hash: ids::hash(&token), scope, resource: None, created_at: now, expires_at };
    store.grant_issue(&grant, &access).await.expect("a grant");
    App { world, token }
}

// H-11: a key belongs to one traveller, app, operation and path.
#[api_test]
async fn keys_are_apart_by_account_client_and_operation(world: World) {
    let (app, other) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let another_app = other_app(&world, "ana").await;
    let key = key();
    let first = create(&app, &key, &minimal()).send().await;
    let mine = expect_new(&first);
    let theirs = expect_new(&create(&other, &key, &on_day(1)).send().await);
    assert_ne!(mine.json["author"], theirs.json["author"]);
    let by_another = expect_new(&create(&another_app, &key, &on_day(2)).send().await);
    assert_eq!(mine.json["author"], by_another.json["author"]);
    // A change, and a change of another itinerary.
    for stored in [&mine, &by_another] {
        let response = patch(&app, &key, stored, &json!({ "title": stored.id })).send().await;
        assert_eq!((response.status.as_u16(), response.header("idempotency-replayed")), (200, ""));
        expect_replay(&patch(&app, &key, stored, &json!({ "title": stored.id })).send().await, &response);
    }
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
    // A new token of the same app is the same app.
    let again = App::of(&world, "ana").await;
    expect_replay(&create(&again, &key, &minimal()).send().await, &first);
}

// H-10, H-15: a UUID, bare or quoted. Other operations ignore it.
#[api_test]
async fn a_key_is_a_uuid_bare_or_quoted(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    let first = create(&app, &key, &minimal()).send().await;
    let stored = expect_new(&first);
    for same in [format!("\"{key}\""), key.to_uppercase(), format!(" {key} ")] {
        expect_replay(&create(&app, &same, &minimal()).send().await, &first);
    }
    for bad in [
        "",
        "x",
        "\"\"",
        "1",
        &key[1..],
        &format!("{key}0"),
        &format!("\"{key}"),
        &format!("{key}\""),
        &key.replace('-', ""),
        &format!("{{{key}}}"),
        &format!("urn:uuid:{key}"),
        &format!("{key}, {key}"),
        &format!("'{key}'"),
        &key.replace('-', "_"),
    ] {
        create(&app, bad, &on_day(1)).send().await.expect_invalid("Idempotency-Key");
        patch(&app, bad, &stored, &json!({})).send().await.expect_invalid("Idempotency-Key");
    }
    let twice = create(&app, &key, &minimal()).header("Idempotency-Key", &super::key());
    twice.send().await.expect_invalid("Idempotency-Key");
    for method in [Method::GET, Method::DELETE] {
        let call = app.call(method, &path(&stored.id)).header("Idempotency-Key", "x").header("If-Match", &stored.etag);
        assert!(call.send().await.status.is_success(), "it is ignored where it is not honoured");
    }
}

/// H-14.
#[api_test]
async fn after_twenty_four_hours_a_key_is_new(world: World) {
    let key = key();
    let app = App::of(&world, "ana").await;
    let first = create(&app, &key, &minimal()).send().await;
    expect_new(&first);
    world.clock.advance(TimeDelta::hours(24) - TimeDelta::seconds(1));
    let app = App::of(&world, "ana").await;
    expect_replay(&create(&app, &key, &minimal()).send().await, &first);
    world.clock.advance(TimeDelta::seconds(1));
    let second = create(&app, &key, &on_day(1)).send().await;
    expect_new(&second);
    expect_replay(&create(&app, &key, &on_day(1)).send().await, &second);
    assert_eq!(app.listed("").await.len(), 2);
}

// H-14: a replay counts against the rate limit.
#[api_test]
async fn replays_count_and_create_nothing(world: World) {
    let (app, key) = (App::of(&world, "ana").await, key());
    for expected in (0..60).rev() {
        let response = create(&app, &key, &minimal()).send().await;
        assert_eq!(response.header("ratelimit-remaining"), expected.to_string());
    }
    create(&app, &key, &minimal()).send().await.expect_error(429, "rateLimited");
    assert_eq!(app.listed("").await.len(), 1);
}

// H-13, H-15: of twenty concurrent requests one creates, and all get the same response.
#[api_test]
async fn twenty_creates_at_once_with_one_key_make_one_itinerary(world: World) {
    let client = world.client("ana").await;
    let (key, body) = (Uuid::new_v4(), minimal());
    let trip: types::ItineraryCreate = serde_json::from_value(body.clone()).expect("typed");
    let send = || client.itinerary_create(trip.clone()).idempotency_key(key).send_raw();
    let responses = join_all((0..20).map(|_| send())).await;
    let responses: Vec<_> = responses.into_iter().map(|response| response.expect("each is answered")).collect();
    let tags: std::collections::BTreeSet<_> =
        responses.iter().map(|response| response.headers()["etag"].clone()).collect();
    assert_eq!(tags.len(), 1);
    assert!(responses.iter().all(|response| **response == *responses[0] && response.status() == 201));
    let replayed = responses.iter().filter(|response| response.headers().contains_key("idempotency-replayed")).count();
    assert_eq!(replayed, 19);

    // Byte for byte, on two servers. With allowDuplicate, only the key prevents further itineraries.
    let app = App::of(&world, "ben").await;
    let replica = world.replica().await;
    let bases = [world.base_url.clone(), format!("http://{}", replica.address)];
    let key = super::key();
    let responses = join_all((0..20).map(|n| {
        let call = Call(world.http.post(format!("{}/v1/itineraries?allowDuplicate=true", bases[n % 2])));
        call.token(&app.token).header("Idempotency-Key", &key).json(&body).send()
    }))
    .await;
    let first =
        responses.iter().find(|response| response.header("idempotency-replayed").is_empty()).expect("one is first");
    expect_new(first);
    for response in responses.iter().filter(|response| !std::ptr::eq(*response, first)) {
        expect_replay(response, first);
    }
    assert_eq!(app.listed("").await.len(), 1);
    replica.stop().await;
}

#[api_test]
async fn twenty_changes_at_once_with_one_key_change_once(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let (key, body) = (key(), json!({ "title": "T" }));
    let responses = join_all((0..20).map(|_| patch(&app, &key, &stored, &body).send())).await;
    let first =
        responses.iter().find(|response| response.header("idempotency-replayed").is_empty()).expect("one is first");
    assert_eq!(Stored::of(first).etag, "\"v2.m\"");
    for response in responses.iter().filter(|response| !std::ptr::eq(*response, first)) {
        expect_replay(response, first);
    }
    assert_eq!(app.viewed(&stored.id).await.etag, "\"v2.m\"");
}
