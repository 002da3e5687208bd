//! Who may write days, and the order of checks: syntax, visibility, permission, replay, target, version, and finally
//! the body's meaning.

use itinerary_tests::app::{App, Stored, expect_replay, key};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::{at, three_days, version, write_call, writes};

/// The owner's itinerary and the apps of an editor, a viewer and someone else.
async fn start(world: &World) -> (App<'_>, Stored, [App<'_>; 3]) {
    let owner = App::of(world, "ana").await;
    let stored = owner.created(&with(on_day(1), json!({ "days": three_days() }))).await;
    for (name, role) in [("edith", "editor"), ("vera", "viewer")] {
        let account = world.account(name).await;
        world.member(&stored.id, account, role).await;
    }
    let others = [App::of(world, "edith").await, App::of(world, "vera").await, App::of(world, "ben").await];
    (owner, stored, others)
}

#[api_test(limits = false)]
async fn owner_and_editors_write_and_nobody_else(world: World) {
    let (owner, mut stored, [editor, viewer, stranger]) = start(&world).await;
    for visibility in ["private", "public"] {
        stored = owner.patched(&stored, &json!({ "visibility": visibility, "days": three_days() })).await;
        for write in writes() {
            for if_match in [Some(&*stored.etag), Some("*"), Some("\"v1.m\""), None] {
                let send = |app| {
                    let call = write_call(app, &stored.id, &write);
                    if let Some(tag) = if_match { call.header("If-Match", tag) } else { call }.send()
                };
                let refused = send(&viewer).await;
                assert!(refused.expect_error(403, "forbidden").is_null(), "{write:?}");
                assert_eq!(refused.header("etag"), "");
                let (status, code) = if visibility == "public" { (403, "forbidden") } else { (404, "notFound") };
                let refused = send(&stranger).await;
                assert!(refused.expect_error(status, code).is_null(), "{write:?}");
                assert_eq!(refused.header("etag"), "");
            }
        }
        assert_eq!(owner.viewed(&stored.id).await.etag, stored.etag);
        for write in writes() {
            let call = write_call(&editor, &stored.id, &write).header("If-Match", &stored.etag);
            stored = Stored::of(&call.send().await);
            assert_eq!((&stored.json["role"], &stored.json["author"]["username"]), (&json!("editor"), &json!("ana")));
            assert_eq!(version(&owner.viewed(&stored.id).await.etag), version(&stored.etag));
        }
    }
}

/// Calls whose target does not exist, with valid bodies.
fn nowhere() -> [(Method, &'static str, Option<Value>); 7] {
    [
        (Method::PATCH, "/days/none", Some(json!({}))),
        (Method::DELETE, "/days/none", None),
        (Method::POST, "/days/none/stops", Some(json!({ "name": "n" }))),
        (Method::PATCH, "/days/d1/stops/none", Some(json!({}))),
        (Method::DELETE, "/days/none/stops/a", None),
        (Method::POST, "/days/d1/stops/x/move", Some(json!({ "dayId": "none" }))),
        (Method::POST, "/days/none/stops/a/move", Some(json!({}))),
    ]
}

#[api_test(limits = false)]
async fn a_write_is_judged_in_one_order(world: World) {
    let (owner, stored, [_, viewer, stranger]) = start(&world).await;
    // A missing target precedes the version check, but is not revealed to those who may not write.
    for write in nowhere() {
        for if_match in [None, Some("*"), Some("\"v9.m\"")] {
            let send = |app| {
                let call = write_call(app, &stored.id, &write);
                if let Some(tag) = if_match { call.header("If-Match", tag) } else { call }.send()
            };
            assert!(send(&owner).await.expect_error(404, "notFound").is_null(), "{write:?}");
            send(&viewer).await.expect_error(403, "forbidden");
            send(&stranger).await.expect_error(404, "notFound");
        }
        let bad_tag = write_call(&owner, &stored.id, &write).header("If-Match", "x").send().await;
        bad_tag.expect_invalid("If-Match");
    }
    // Syntax precedes every lookup.
    for (method, rest, body) in nowhere().into_iter().filter(|(.., body)| body.is_some()) {
        let send = |app, body: &Value| at(app, method.clone(), &stored.id, rest).json(body).send();
        let mut unread = body.unwrap_or_default();
        unread["surprise"] = json!(1);
        for app in [&owner, &viewer, &stranger] {
            send(app, &unread).await.expect_invalid("surprise");
        }
    }
    let unread = at(&stranger, Method::POST, &stored.id, "/days?position=x").json(&json!({})).send().await;
    unread.expect_invalid("position");
    let unread = at(&stranger, Method::DELETE, &stored.id, "/days/a.b/stops/a").send().await;
    unread.expect_invalid("dayId");

    // The version precedes the body's meaning.
    for (method, rest, body, field) in [
        (Method::POST, "/days", json!({ "id": "a" }), "id"),
        (Method::POST, "/days?position=9", json!({}), "position"),
        (Method::POST, "/days/d1/stops", json!({ "id": "d1", "name": "n" }), "id"),
        (Method::PATCH, "/days/d1", json!({ "id": "other" }), "id"),
        (Method::PATCH, "/days/d2", json!({ "legs": [{ "from": "a", "to": "b", "mode": "walk" }] }), "legs[0].from"),
        (Method::PATCH, "/days/d1/stops/a", json!({ "place": { "coordinate": null, "address": "A" } }), "place"),
        (Method::POST, "/days/d1/stops/a/move", json!({ "dayId": "none" }), "dayId"),
        (Method::POST, "/days/d1/stops/a/move", json!({ "position": 4 }), "position"),
    ] {
        let call = || at(&owner, method.clone(), &stored.id, rest).json(&body);
        call().send().await.expect_error(428, "preconditionRequired");
        call().header("If-Match", "\"v9.m\"").send().await.expect_error(409, "itineraryModified");
        call().header("If-Match", &stored.etag).send().await.expect_invalid(field);
    }
    assert_eq!(owner.viewed(&stored.id).await.etag, stored.etag);
}

// A replay precedes the checks of target and version, and follows the permission check.
#[api_test]
async fn a_replay_has_its_place_in_the_order(world: World) {
    let (owner, stored, [editor, ..]) = start(&world).await;
    let key = key();
    let rename = |app: &App<'_>| {
        let call = at(app, Method::PATCH, &stored.id, "/days/d1/stops/a").json(&json!({ "name": "Renamed" }));
        call.header("Idempotency-Key", &key)
    };
    let first = rename(&editor).header("If-Match", &stored.etag).send().await;
    assert_eq!(first.status, 200, "{}", first.text());
    let gone = at(&owner, Method::DELETE, &stored.id, "/days/d1").header("If-Match", "*").send().await;
    assert_eq!(gone.status, 200);
    expect_replay(&rename(&editor).send().await, &first);
    // Another person's key does not count: for the owner, the stop is not found.
    rename(&owner).send().await.expect_error(404, "notFound");
    world.sql("UPDATE members SET role = 'viewer'").await;
    rename(&editor).send().await.expect_error(403, "forbidden");
    world.sql("DELETE FROM members").await;
    rename(&editor).send().await.expect_error(404, "notFound");
}
