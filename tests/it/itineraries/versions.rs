//! If-Match in all its forms (H-01, H-02, H-03, H-05), and the order of checks of a write.

use itinerary_sdk::{ErrorExt, code, types};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::fixtures::{full, minimal};
use super::{App, key, path};

/// H-01.
#[api_test]
async fn a_strong_tag_of_the_version_allows_a_write_in_a_list_too(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    let send = |if_match: String| {
        let body = json!({ "title": format!("By {if_match}") });
        app.patch_call(&stored.id, &body).header("If-Match", &if_match).send()
    };
    // {} stands for the number of the current version, which increases with every success.
    let mut version = 1;
    for good in ["\"v{}.m\"", "*", " * ", "\"v0.m\", \"v{}.m\"", "\"v{}.e\"", "W/\"x\",\"v{}.mpd\"", ",\"v{}.m\","] {
        let response = send(good.replace("{}", &version.to_string())).await;
        assert_eq!(response.status, 200, "{good}: {}", response.text());
        version += 1;
        assert_eq!(response.header("etag"), format!("\"v{version}.m\""));
    }
    for stale in
        ["W/\"v{}.m\"", "\"v1.m\"", "\"{}\"", "\"v{}\"", "\"\"", "\"v0{}.m\"", "\"V{}.m\"", "W/\"v{}.m\", \"other\""]
    {
        let response = send(stale.replace("{}", &version.to_string())).await;
        response.expect_error(409, "itineraryModified");
        assert_eq!(response.header("etag"), format!("\"v{version}.m\""), "{stale}");
    }
    for bad in
        ["v{}.m", "", " ", "{}", "\"v{}.m", "v{}.m\"", "\"v{}.m\" \"x\"", "\"v{}.m\", *", "w/\"v{}.m\"", "'v{}.m'", ","]
    {
        send(bad.replace("{}", &version.to_string())).await.expect_invalid("If-Match");
    }
    // Two headers are one list.
    let call = app.patch_call(&stored.id, &json!({ "title": "T" })).header("If-Match", "\"v0.m\"");
    assert_eq!(call.header("If-Match", &format!("\"v{version}.m\"")).send().await.status, 200);
}

/// H-03, H-05.
#[api_test]
async fn outdated_write_gets_the_current_etag(world: World) {
    let client = world.client("ana").await;
    let trip: types::ItineraryCreate = serde_json::from_value(minimal()).expect("typed");
    let first = client.itinerary_create(trip).send().await.expect("created");
    let title = |title: &str| types::ItineraryPatch { title: Some(title.to_owned()), ..Default::default() };
    let second = client.itinerary_update(first.id, first.etag(), title("A")).send().await.expect("changed");
    let error = client.itinerary_update(first.id, first.etag(), title("B")).send().await.expect_err("outdated");
    assert!(error.is(code::ITINERARY_MODIFIED));
    assert_eq!((error.status().map(|status| status.as_u16()), error.current_etag()), (Some(409), Some(second.etag())));
    assert!(error.request_id().is_some());
    let response = client.itinerary_update(first.id, error.current_etag().expect("a tag"), title("B"));
    let third = response.send().await.expect("the tag of the refusal is good");
    assert_eq!(third.title, "B");
    let error = client.itinerary_delete(second.id, second.etag()).send().await.expect_err("outdated");
    assert_eq!((error.is(code::ITINERARY_MODIFIED), error.current_etag()), (true, Some("\"v3.m\"")));
}

/// H-03.
#[api_test]
async fn a_write_without_a_tag_is_asked_for_one(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&minimal()).await;
    for call in [app.patch_call(&stored.id, &json!({ "title": "T" })), app.delete_call(&stored.id)] {
        let response = call.send().await;
        assert!(response.expect_error(428, "preconditionRequired").is_null());
        assert_eq!(response.header("etag"), "");
    }
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
}

// H-02: 404, then 403, then the plan, then a replay, then 428, 409, and finally the body's meaning.
#[api_test]
async fn a_write_is_judged_in_one_order(world: World) {
    let app = App::of(&world, "ana").await;
    let (stranger, reader) = (App::of(&world, "ben").await, App::of(&world, "cleo").await);
    let stored = app.created(&minimal()).await;
    let patch = |app: &App<'_>, body| app.patch_call(&stored.id, &body);
    let worst = json!({ "packing": [{ "name": "Hat" }], "flights": [{}], "title": "T" });

    // Syntax errors precede every lookup, so they reveal nothing.
    patch(&stranger, json!({ "title": 7 })).header("If-Match", "x").send().await.expect_invalid("If-Match");
    patch(&stranger, json!({ "title": 7 })).send().await.expect_invalid("title");
    let bad_key = patch(&stranger, json!({ "title": 7 })).header("Idempotency-Key", "x").send().await;
    bad_key.expect_invalid("Idempotency-Key");

    // A stranger's outdated or missing ETag makes no difference (no oracle).
    for if_match in [None, Some("\"v1.m\""), Some("\"v9.m\""), Some("*")] {
        let call = patch(&stranger, worst.clone());
        let call = if let Some(tag) = if_match { call.header("If-Match", tag) } else { call };
        let response = call.send().await;
        assert!(response.expect_error(404, "notFound").is_null());
        assert_eq!(response.header("etag"), "");
        let call = stranger.delete_call(&stored.id);
        let call = if let Some(tag) = if_match { call.header("If-Match", tag) } else { call };
        call.send().await.expect_error(404, "notFound");
    }
    let stored = app.patched(&stored, &json!({ "visibility": "unlisted" })).await;
    patch(&reader, worst.clone()).send().await.expect_error(403, "forbidden");
    reader.delete_call(&stored.id).send().await.expect_error(403, "forbidden");
    patch(&app, worst.clone()).send().await.expect_error(403, "subscriptionRequired");
    let meaningless = json!({ "flights": [{}] });
    patch(&app, meaningless.clone()).send().await.expect_error(428, "preconditionRequired");
    patch(&app, meaningless.clone()).header("If-Match", "\"v1.m\"").send().await.expect_error(409, "itineraryModified");
    patch(&app, meaningless.clone()).header("If-Match", &stored.etag).send().await.expect_invalid("flights[0]");

    // A replay, and a key that was used for another request, come before 428 and 409, and after the plan.
    let key = key();
    let keyed = |body| patch(&app, body).header("Idempotency-Key", &key);
    let first = keyed(json!({ "title": "T" })).header("If-Match", &stored.etag).send().await;
    assert_eq!(first.status, 200);
    assert_eq!(keyed(json!({ "title": "T" })).send().await.header("idempotency-replayed"), "true");
    keyed(meaningless).send().await.expect_error(422, "idempotencyKeyReused");
    keyed(worst).send().await.expect_error(403, "subscriptionRequired");
}

#[api_test]
async fn an_address_that_names_nothing_is_not_found(world: World) {
    let app = App::pro(&world, "ana").await;
    let nowhere = "01890000-0000-7000-8000-000000000000";
    app.view(nowhere).await.expect_error(404, "notFound");
    app.patch_call(nowhere, &full()).send().await.expect_error(404, "notFound");
    app.delete_call(nowhere).send().await.expect_error(404, "notFound");
    let bare = nowhere.replace('-', "");
    let braced = format!("%7B{nowhere}%7D");
    let short = &nowhere[1..];
    for id in ["1", "x", short, "01890000-0000-7000-8000-00000000000g", &bare, &braced] {
        for method in [Method::GET, Method::DELETE] {
            app.call(method, &path(id)).header("If-Match", "*").send().await.expect_invalid("id");
        }
        app.patch_call(id, &json!({})).header("If-Match", "*").send().await.expect_invalid("id");
    }
}
