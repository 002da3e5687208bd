//! Requests that are rejected before the image is decoded: invalid JSON, outdated versions, missing permissions.

use itinerary_tests::app::{App, path};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::files::{GIF, jpeg, picture, png};
use super::{covered, put, put_call, put_json, source, stored_files, unchanged, uploaded, version, was_set};

// JSON is checked as everywhere, even without a Content-Type.
#[api_test(limits = false)]
async fn json_is_a_query_and_nothing_else(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    for (body, field) in [
        (json!({ "url": "https://a.example/b.jpg" }), "url"),
        (json!({ "url": "https://a.example/b.jpg", "query": "Lisbon" }), "url"),
        (json!({ "query": "Lisbon", "url": null }), "url"),
        (json!({ "query": "Lisbon", "source": "S" }), "source"),
        (json!({ "Query": "Lisbon" }), "Query"),
        (json!({}), "query"),
        (json!({ "query": "" }), "query"),
        (json!({ "query": "q".repeat(201) }), "query"),
        (json!({ "query": "\u{e9}".repeat(201) }), "query"),
        (json!({ "query": "a\u{7}b" }), "query"),
        (json!({ "query": null }), "query"),
        (json!({ "query": 1 }), "query"),
        (json!({ "query": ["Lisbon"] }), "query"),
    ] {
        put_json(&app, &seen, &body).await.expect_invalid(field);
        put(&app, &seen, "application/octet-stream", format!("\n {body}")).await.expect_invalid(field);
    }
    for body in
        ["{", "{\"query\": \"Lisbon\"", "{\"query\": \"Lisbon\"} x", "[]", "[\"Lisbon\"]", "\"Lisbon\"", "null", " "]
    {
        let details = put(&app, &seen, "application/json", body).await.expect_error(422, "validationFailed");
        assert!(details["field"].is_null(), "{body}: {details}");
    }
    // An image sent as JSON.
    put(&app, &seen, "application/json", jpeg(&picture())).await.expect_error(422, "validationFailed");
    // JSON sent as an image.
    put(&app, &seen, "image/png", r#"{"query": "Lisbon"}"#).await.expect_error(422, "imageRejected");
    unchanged(&app, &seen).await;
}

#[api_test(limits = false)]
async fn a_query_without_a_provider_gives_a_drawn_image(world: World) {
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&covered(1)).await;
    for query in ["x".to_owned(), "\u{1f30a}".repeat(200), " Lisbon\ttram\n".to_owned(), "' OR 1=1 --".to_owned()] {
        seen = was_set(&app, &seen, &put_json(&app, &seen, &json!({ "query": query })).await).await;
        assert_eq!(source(&seen), "generated");
    }
    let response = put(&app, &seen, "application/json; charset=utf-8", r#"{"query": "Lisbon"}"#).await;
    seen = was_set(&app, &seen, &response).await;
    let response = put(&app, &seen, "application/json", "").await;
    assert_eq!(source(&was_set(&app, &seen, &response).await), "generated");
    assert!(stored_files(&world).is_empty(), "nothing is drawn before it is read");
}

// A write that is rejected costs no work: the image is not even decoded.
#[api_test(limits = false)]
async fn the_version_comes_before_the_image(world: World) {
    let app = App::of(&world, "ana").await;
    let old = app.created(&covered(1)).await;
    let seen = app.patched(&old, &json!({ "title": "T" })).await;
    for bytes in [jpeg(&picture()), GIF.to_vec(), Vec::new()] {
        let cover = format!("{}/cover-image", path(&seen.id));
        let response = app.call(Method::PUT, &cover).body("image/jpeg", bytes.clone()).send().await;
        assert!(response.expect_error(428, "preconditionRequired").is_null());
        let response = put(&app, &old, "image/jpeg", bytes.clone()).await;
        response.expect_error(409, "itineraryModified");
        assert_eq!(response.header("etag"), seen.etag);
        let call = app.call(Method::PUT, &cover).header("If-Match", "v2.m");
        call.body("image/jpeg", bytes).send().await.expect_invalid("If-Match");
    }
    unchanged(&app, &seen).await;
    assert!(stored_files(&world).is_empty(), "nothing is stored for them");
    let call = app.call(Method::PUT, &format!("{}/cover-image", path(&seen.id))).header("If-Match", "*");
    let response = call.body("image/png", png(&picture())).send().await;
    was_set(&app, &seen, &response).await;
}

// Everyone who may change an itinerary may set its cover.
#[api_test(limits = false)]
async fn cover_upload_requires_edit_permission(world: World) {
    let app = App::of(&world, "ana").await;
    let seen = app.created(&covered(1)).await;
    let (editor, viewer) = (world.account("eva").await, world.account("vic").await);
    world.member(&seen.id, editor, "editor").await;
    world.member(&seen.id, viewer, "viewer").await;
    let reader = App::with_scope(&world, "ana", "itineraries:read").await;
    // In the order of checks: the version and the image are not checked for them.
    for bytes in [png(&picture()), GIF.to_vec()] {
        for etag in ["\"v9.m\"", &*seen.etag] {
            let put = async |app: &App<'_>| {
                let call = app.call(Method::PUT, &format!("{}/cover-image", path(&seen.id)));
                call.header("If-Match", etag).body("image/png", bytes.clone()).send().await
            };
            put(&App::of(&world, "vic").await).await.expect_error(403, "forbidden");
            put(&App::of(&world, "sam").await).await.expect_error(404, "notFound");
            let required = put(&reader).await.expect_error(403, "forbidden")["required"].clone();
            assert_eq!(required, "itineraries:write");
        }
    }
    let nobody = world.call(Method::PUT, &format!("{}/cover-image", path(&seen.id))).body("image/png", png(&picture()));
    nobody.send().await.expect_error(401, "unauthenticated");
    let unknown = app.call(Method::PUT, &format!("{}/cover-image", path("01890000-0000-7000-8000-000000000000")));
    unknown.header("If-Match", "*").body("image/png", png(&picture())).send().await.expect_error(404, "notFound");
    unchanged(&app, &seen).await;
    assert!(stored_files(&world).is_empty());
    let editor = App::of(&world, "eva").await;
    let set = uploaded(&editor, &editor.viewed(&seen.id).await, &png(&picture())).await;
    assert_eq!(app.viewed(&seen.id).await.json["coverImage"], set.json["coverImage"]);
}

// Covers have their own rate limit.
#[api_test]
async fn covers_are_limited_apart_from_other_writes(world: World) {
    let app = App::of(&world, "ana").await;
    let mut seen = app.created(&covered(1)).await;
    for number in 1..=20 {
        let response = put_call(&app, &seen).send().await;
        assert_eq!((response.header("ratelimit-limit"), response.header("ratelimit-policy")), ("20", "20;w=60"));
        assert_eq!(response.header("ratelimit-remaining"), (20 - number).to_string());
        seen = was_set(&app, &seen, &response).await;
    }
    put_call(&app, &seen).send().await.expect_error(429, "rateLimited");
    assert_eq!(version(&app.patched(&seen, &json!({ "title": "T" })).await.etag), 22);
}
