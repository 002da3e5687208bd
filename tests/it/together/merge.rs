//! `Prefer: merge`: what is merged, what conflicts, and how responses say so.

use itinerary_tests::app::{App, Stored, expect_replay, key, path};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{conflicts, expect_merged, merged, merging, stops, two_days};

#[api_test]
async fn changes_of_different_fields_and_items_are_merged(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let current = ana.patched(&base, &json!({ "title": "Lisbon in May", "tags": ["city", "spring"] })).await;
    let now = expect_merged(&merged(&ana, &base, &json!({ "summary": "A week", "tags": ["city", "food"] })).await);
    assert_eq!((&now.json["title"], &now.json["summary"]), (&json!("Lisbon in May"), &json!("A week")));
    assert_eq!(now.json["tags"], json!(["city", "spring", "food"]));
    assert_eq!([&*base.etag, &*current.etag, &*now.etag], ["\"v1.m\"", "\"v2.m\"", "\"v3.m\""]);
    assert_eq!(ana.viewed(&base.id).await.json["summary"], "A week");
}

#[api_test]
async fn every_kind_of_edit_is_merged(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    ana.patched(&base, &json!({ "title": "Lisbon in May" })).await;
    let day = |rest: &str| format!("{}/days/d1{rest}", path(&base.id));
    let hotels = |rest: &str| format!("{}/hotels{rest}", path(&base.id));
    for (method, path, body) in [
        (Method::POST, day("/stops"), json!({ "id": "new", "name": "Rossio" })),
        (Method::PATCH, day("/stops/a"), json!({ "startTime": "09:00" })),
        (Method::POST, day("/stops/b/move"), json!({ "dayId": "d2", "position": 0 })),
        (Method::DELETE, day("/stops/c"), json!(null)),
        (Method::PATCH, day(""), json!({ "image": { "url": "https://images.example/a.jpg" } })),
        (Method::POST, hotels(""), json!({ "id": "h2", "name": "Other hotel" })),
        (Method::PATCH, hotels("/h1"), json!({ "roomNumber": "12" })),
    ] {
        let call = ana.call(method.clone(), &path);
        let call = if method == Method::DELETE { call } else { call.json(&body) };
        expect_merged(&merging(call, &base.etag).send().await);
    }
    let now = ana.viewed(&base.id).await;
    assert_eq!(
        (stops(&now.json, 0), stops(&now.json, 1)),
        (vec!["a".into(), "new".into()], vec!["b".into(), "x".into()])
    );
    assert_eq!(now.json["days"][0]["stops"][0]["startTime"], "09:00");
    assert_eq!(now.json["hotels"][0]["roomNumber"], "12");
    assert_eq!((&now.json["title"], now.json["hotels"].as_array().map(Vec::len)), (&json!("Lisbon in May"), Some(2)));
}

#[api_test]
async fn a_conflict_names_both_values_and_changes_nothing(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let current = ana.patched(&base, &json!({ "title": "May", "currency": "EUR", "summary": "S" })).await;
    let response = merged(&ana, &base, &json!({ "title": "June", "summary": "S", "travellers": 3 })).await;
    let expected = json!([{ "path": "title", "base": "Lisbon", "current": "May", "yours": "June" }]);
    assert_eq!((conflicts(&response), response.header("etag")), (expected, &*current.etag));
    assert_eq!(ana.viewed(&base.id).await.etag, current.etag);

    let call =
        ana.call(Method::PATCH, &format!("{}/days/d1/stops/a", path(&base.id))).json(&json!({ "name": "Belém" }));
    ana.call(Method::DELETE, &format!("{}/days/d1/stops/a", path(&base.id))).header("If-Match", "*").send().await;
    let gone = conflicts(&merging(call, &base.etag).send().await);
    assert_eq!((&gone[0]["path"], &gone[0]["current"]), (&json!("days[id=d1].stops[id=a]"), &json!(null)));
}

#[api_test]
async fn at_most_twenty_conflicts_are_returned(world: World) {
    let ana = App::of(&world, "ana").await;
    let hotels = |name: &str| {
        let hotel = |n| json!({ "id": format!("h{n}"), "name": format!("{name} {n}") });
        json!({ "hotels": (0..25).map(hotel).collect::<Vec<_>>() })
    };
    let base = ana.created(&two_days()).await;
    let base = ana.patched(&base, &hotels("Hotel")).await;
    ana.patched(&base, &hotels("House")).await;
    assert_eq!(conflicts(&merged(&ana, &base, &hotels("Inn")).await).as_array().map(Vec::len), Some(20));
}

#[api_test]
async fn without_the_preference_or_with_other_tags_nothing_is_merged(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    ana.patched(&base, &json!({ "title": "May" })).await;
    let body = json!({ "summary": "S" });
    for (tags, preference) in [
        (&*base.etag, "respond-async"),
        (&*format!("W/{}", base.etag), "merge"),
        (&*format!("{0}, {0}", base.etag), "merge"),
        ("\"x\"", "merge"),
    ] {
        let call = ana.patch_call(&base.id, &body).header("If-Match", tags).header("Prefer", preference);
        let response = call.send().await;
        let details = response.expect_error(409, "itineraryModified");
        assert_eq!((&details["reason"], response.header("preference-applied")), (&json!(null), ""), "{tags}");
    }
    // The current version, and any version, are changed as ever.
    for tags in ["\"v2.m\"", "*"] {
        let call = ana.patch_call(&base.id, &json!({ "summary": tags })).header("If-Match", tags);
        let response = call.header("Prefer", "merge").send().await;
        assert_eq!((response.status.as_u16(), response.header("preference-applied")), (200, ""));
    }
    // Other operations do not merge.
    let refresh = ana.call(Method::POST, &format!("{}/places/refresh", path(&base.id)));
    merging(refresh, &base.etag).send().await.expect_error(409, "itineraryModified");
    ana.patch_call(&base.id, &body).header("Prefer", "merge").send().await.expect_error(428, "preconditionRequired");
}

#[api_test]
async fn a_base_that_is_not_kept_is_gone(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let current = ana.patched(&base, &json!({ "title": "May" })).await;
    for version in ["\"v0.m\"", "\"v3.m\"", "\"v99.m\""] {
        let response = merging(ana.patch_call(&base.id, &json!({ "summary": "S" })), version).send().await;
        assert_eq!(response.expect_error(409, "itineraryModified"), json!({ "reason": "baseGone" }), "{version}");
        assert_eq!(response.header("etag"), current.etag);
    }
}

#[api_test]
async fn the_merged_result_is_validated(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let tags = |letter: char| (0..16).map(|n| format!("{letter}{n}")).collect::<Vec<_>>();
    ana.patched(&base, &json!({ "tags": tags('a') })).await;
    merged(&ana, &base, &json!({ "tags": tags('b') })).await.expect_invalid("tags");
    let flight = json!({ "flights": [{ "id": "f1", "flightNumber": "TP1" }] });
    let at = ana.viewed(&base.id).await;
    ana.patched(&at, &flight).await;
    let hotel = json!({ "id": "f1", "name": "Other" });
    let call = ana.call(Method::POST, &format!("{}/hotels", path(&base.id))).json(&hotel);
    merging(call, &at.etag).send().await.expect_invalid("id");
}

#[api_test]
async fn a_repeated_merge_is_replayed(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    ana.patched(&base, &json!({ "title": "May" })).await;
    let key = key();
    let call =
        || merging(ana.patch_call(&base.id, &json!({ "summary": "S" })), &base.etag).header("Idempotency-Key", &key);
    let first = call().send().await;
    expect_merged(&first);
    expect_replay(&call().send().await, &first);
    assert_eq!(ana.viewed(&base.id).await.etag, "\"v3.m\"");
}

#[api_test]
async fn a_merge_without_effect_keeps_the_version(world: World) {
    let ana = App::of(&world, "ana").await;
    let base = ana.created(&two_days()).await;
    let current = ana.patched(&base, &json!({ "title": "May" })).await;
    let same = Stored::of(&merged(&ana, &base, &json!({ "title": "May" })).await);
    assert_eq!(same.etag, current.etag);
}
