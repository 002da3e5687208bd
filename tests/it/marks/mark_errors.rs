//! Errors of every operation on marks, which reveal and change nothing.

use itinerary_tests::app::{App, key, path};
use itinerary_tests::bodies::minimal;
use itinerary_tests::raw::Call;
use itinerary_tests::{RawResponse, World, api_test};
use reqwest::Method;
use serde_json::json;

use super::rows;
use crate::explore::{published, shown};

/// The operations: method, path after the itinerary's, and rate limit.
const OPERATIONS: [(Method, &str, &str); 7] = [
    (Method::GET, "marks", "120"),
    (Method::PUT, "like", "60"),
    (Method::DELETE, "like", "60"),
    (Method::PUT, "dislike", "60"),
    (Method::DELETE, "dislike", "60"),
    (Method::POST, "saves", "60"),
    (Method::POST, "reports", "60"),
];

/// The call of an operation, with a valid body.
fn call(world: &World, method: &Method, id: &str, what: &str) -> Call {
    let call = world.call(method.clone(), &format!("{}/{what}", path(id)));
    if what == "reports" { call.json(&json!({ "reason": "spam" })) } else { call }
}

/// Checks that the response reveals nothing but the error.
#[track_caller]
fn expect_untold(response: &RawResponse) {
    let told = ["etag", "location", "last-modified", "idempotency-replayed"].map(|name| response.header(name));
    assert_eq!(told, [""; 4], "{}", response.text());
}

async fn nothing_was_written(world: &World) {
    for table in
        ["reactions", "reports", "itinerary_counters", "idempotency", "itineraries WHERE saved_from IS NOT NULL"]
    {
        assert_eq!(rows(world, table).await, 0, "{table}");
    }
}

#[api_test(limits = false)]
async fn marking_a_hidden_itinerary_returns_not_found(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let private = ana.created(&minimal()).await.id;
    let followers = shown(&ana, &minimal(), "followers").await.id;
    let unknown = key();
    for (method, what, _) in OPERATIONS {
        for id in [&private, &followers, &unknown] {
            for keyed in [false, true] {
                let call = call(&world, &method, id, what).token(&ben.token);
                let response = if keyed { call.header("Idempotency-Key", &key()) } else { call }.send().await;
                assert!(response.expect_error(404, "notFound").is_null(), "{method} {what}");
                expect_untold(&response);
            }
        }
    }
    nothing_was_written(&world).await;
}

#[api_test(limits = false)]
async fn tokens_scopes_and_ids_are_looked_at_first(world: World) {
    let ana = App::of(&world, "ana").await;
    let id = published(&ana, &minimal()).await.id;
    let reader = App::with_scope(&world, "ben", "itineraries:read documents:read documents:write").await;
    let writer = App::with_scope(&world, "ben", "itineraries:write").await;
    for (method, what, limit) in OPERATIONS {
        let (app, needed) =
            if method == Method::GET { (&writer, "itineraries:read") } else { (&reader, "itineraries:write") };
        let refused = call(&world, &method, &id, what).token(&app.token).send().await;
        assert_eq!(refused.expect_error(403, "forbidden"), json!({ "required": needed }), "{what}");
        let untrusted = [call(&world, &method, &id, what), call(&world, &method, &id, what).token("nobody")];
        for untrusted in untrusted {
            assert!(untrusted.send().await.expect_error(401, "unauthenticated").is_null());
        }
        for bad in ["x", "1", "%20", &id[1..], &id.replace('-', ""), &format!("{{{id}}}")] {
            let response = call(&world, &method, bad, what).token(&ana.token).send().await;
            response.expect_invalid("id");
            assert_eq!(response.header("ratelimit-limit"), limit, "{method} {what}");
            expect_untold(&response);
        }
    }
    // Only saves and reports support keys.
    for what in ["saves", "reports"] {
        let call = call(&world, &Method::POST, &id, what).token(&ana.token).header("Idempotency-Key", "no-key");
        call.send().await.expect_invalid("Idempotency-Key");
    }
    nothing_was_written(&world).await;
    let like = ana.call(Method::PUT, &format!("{}/like", path(&id))).header("Idempotency-Key", "no-key");
    assert_eq!(like.send().await.status, 200, "it is passed over");
    for (method, what, allowed) in [
        (Method::POST, "like", "DELETE"),
        (Method::PUT, "saves", "POST"),
        (Method::GET, "reports", "POST"),
        (Method::PATCH, "marks", "GET"),
    ] {
        let response = ana.call(method, &format!("{}/{what}", path(&id))).json(&json!({})).send().await;
        response.expect_error(405, "methodNotAllowed");
        assert!(response.header("allow").contains(allowed), "{what}: {}", response.header("allow"));
    }
}

// None needs a version, and a wrong one is ignored, because marks do not change the itinerary.
#[api_test(limits = false)]
async fn no_version_is_asked_for(world: World) {
    let (ana, ben) = (App::of(&world, "ana").await, App::of(&world, "ben").await);
    let id = published(&ana, &minimal()).await.id;
    for (method, what, _) in OPERATIONS {
        let call = call(&world, &method, &id, what).token(&ben.token).header("If-Match", "\"v99.m\"");
        let response = call.send().await;
        assert_eq!(
            response.status.as_u16(),
            if method == Method::POST { 201 } else { 200 },
            "{what}: {}",
            response.text()
        );
        assert_eq!(response.header("cache-control"), "private, no-cache");
    }
}
