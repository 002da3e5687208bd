//! The order of checks: a request with several errors reports them one by one as they are corrected.

use chrono::TimeDelta;
use itinerary_tests::raw::Call;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{NOTHING, create, create_at, lisbon, lisbon_with, pause, token_through};

const UPDATE: Method = Method::PATCH;

/// A change whose body exceeds the limit.
fn too_large(call: Call) -> Call {
    call.body("text/plain", vec![b' '; 600_000])
}

// H-02: route, token, pause, rate limit, scope, body, its type, Idempotency-Key, syntax.
#[api_test]
async fn checks_before_the_operation_run_in_order(world: World) {
    let ana = world.account("ana").await;
    let reader = token_through(&world, ana, "app", "itineraries:read", None).await;
    let writer = token_through(&world, ana, "app", "itineraries:write", None).await;
    pause(&world, Some(30)).await;

    let call = |path: &str| too_large(world.call(UPDATE, path)).header("Idempotency-Key", "no");
    let at = "/v1/itineraries/no-uuid?";
    call("/v1/nothing").token("bad").send().await.expect_error(404, "notFound");
    call("/v1/itineraries").token("bad").send().await.expect_error(405, "methodNotAllowed");
    call(at).token("bad").send().await.expect_error(401, "unauthenticated");
    call(at).token(&reader).send().await.expect_error(503, "featureUnavailable");
    pause(&world, None).await;
    for _ in 0..60 {
        let counted = world.call(Method::POST, "/v1/itineraries").token(&writer).body("application/json", "{}");
        counted.send().await.expect_error(422, "validationFailed");
    }
    call(at).token(&reader).send().await.expect_error(429, "rateLimited");
    world.clock.advance(TimeDelta::seconds(60));
    call(at).token(&reader).send().await.expect_error(403, "forbidden");
    call(at).token(&writer).send().await.expect_error(413, "itineraryTooLarge");
    let call = |content_type: &str, key: &str, path: &str, body: &'static str| {
        let call = world.call(UPDATE, path).token(&writer).header("Idempotency-Key", key);
        call.body(content_type, body)
    };
    call("text/plain", "no", at, "{").send().await.expect_error(415, "unsupportedMediaType");
    call("application/json", "no", at, "{").send().await.expect_invalid("Idempotency-Key");
    call("application/json", NOTHING, at, "{").send().await.expect_invalid("id");
}

// H-02, H-12: then visibility, plan, replay, missing If-Match, outdated If-Match, the body's meaning, size.
#[api_test]
async fn checks_of_the_operation_run_in_order(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let at = create_at(&world, &token).await;
    let key = "01890000-0000-7000-8000-00000000000a";
    let first = world.call(UPDATE, &at).token(&token).header("If-Match", "*").header("Idempotency-Key", key);
    let first = first.json(&json!({ "title": "First" })).send().await;
    assert_eq!(first.status, 200);

    // Two items with the same id are valid individually, but not together.
    let senseless = json!({ "hotels": [{ "id": "a", "name": "A" }, { "id": "a", "name": "B" }] });
    let with_packing = json!({ "hotels": senseless["hotels"], "packing": [{ "name": "Hat" }] });
    let call = |path: &str, body: &serde_json::Value| world.call(UPDATE, path).token(&token).json(body);

    let malformed = json!({ "hotels": [{}], "packing": [] });
    let nowhere = format!("/v1/itineraries/{NOTHING}");
    call(&nowhere, &malformed).send().await.expect_invalid("hotels[0].name");
    call(&nowhere, &with_packing).send().await.expect_error(404, "notFound");
    let plan = call(&at, &with_packing).header("Idempotency-Key", key).send().await;
    assert_eq!(plan.expect_error(403, "subscriptionRequired")["section"], "packing");
    let reused = call(&at, &senseless).header("Idempotency-Key", key).send().await;
    reused.expect_error(422, "idempotencyKeyReused");
    let replayed = call(&at, &json!({ "title": "First" })).header("Idempotency-Key", key).send().await;
    assert_eq!((replayed.status.as_u16(), replayed.header("idempotency-replayed")), (200, "true"));
    call(&at, &senseless).send().await.expect_error(428, "preconditionRequired");
    call(&at, &senseless).header("If-Match", "\"v1.m\"").send().await.expect_error(409, "itineraryModified");
    call(&at, &senseless).header("If-Match", "\"v2.m\"").send().await.expect_invalid("hotels[1].id");
}

// H-02: nothing reveals an itinerary that the caller may not see.
#[api_test]
async fn invisible_itinerary_gets_the_response_of_a_missing_one(world: World) {
    for name in ["ana", "ben"] {
        world.account(name).await;
    }
    let ana = world.token("ana", "itineraries:read itineraries:write").await;
    let ben = world.token("ben", "itineraries:read itineraries:write").await;
    let made = create(&world, &ana).await;
    let there = made.header("location").to_owned();
    let nowhere = format!("/v1/itineraries/{NOTHING}");
    let changes = [json!({ "title": "Mine" }), json!({ "visibility": "public" }), json!({ "packing": [] })];
    for if_match in [None, Some("*"), Some("\"v1.m\""), Some("\"v9.m\"")] {
        let with = |call: Call| match if_match {
            Some(tag) => call.header("If-Match", tag).header("If-None-Match", tag),
            None => call,
        };
        let mut responses = Vec::new();
        for path in [&there, &nowhere] {
            let mut seen = vec![with(world.call(Method::GET, path)).token(&ben).send().await];
            seen.push(with(world.call(Method::DELETE, path)).token(&ben).send().await);
            for change in &changes {
                seen.push(with(world.call(UPDATE, path)).token(&ben).json(change).send().await);
            }
            responses.push(seen);
        }
        for (hidden, absent) in responses[0].iter().zip(&responses[1]) {
            hidden.expect_error(404, "notFound");
            assert_eq!(hidden.json()["error"]["message"], absent.json()["error"]["message"]);
            let names = |response: &itinerary_tests::RawResponse| {
                let mut names: Vec<String> = response.headers.keys().map(ToString::to_string).collect();
                names.sort();
                names
            };
            assert_eq!(names(hidden), names(absent), "the headers' names");
            assert_eq!(hidden.header("etag"), "");
        }
    }
    assert_eq!(world.call(Method::GET, &there).token(&ana).send().await.json()["title"], "Trip to Lisbon");
}

// The duplicate check comes last, after all errors of the body.
#[api_test]
async fn a_duplicate_is_told_when_nothing_else_is_wrong(world: World) {
    world.account("ana").await;
    let token = world.token("ana", "itineraries:read itineraries:write").await;
    let id = create(&world, &token).await.json()["id"].clone();
    let call = |body: &serde_json::Value| world.call(Method::POST, "/v1/itineraries").token(&token).json(body);
    let senseless = lisbon_with(&json!({ "hotels": [{ "id": "a", "name": "A" }, { "id": "a", "name": "B" }] }));
    call(&senseless).send().await.expect_invalid("hotels[1].id");
    let duplicate = call(&lisbon()).send().await;
    assert_eq!(duplicate.expect_error(409, "duplicateItinerary")["itineraryId"], id);
}
