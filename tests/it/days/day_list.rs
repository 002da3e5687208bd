//! Listing the days: for everyone who may see the itinerary, with the itinerary's ETag.

use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::json;

use super::{Trip, at, three_days, version};

#[api_test]
async fn the_list_is_the_days_of_the_itinerary(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let list = trip.client.day_list(trip.now.id).send().await.expect("listed");
    assert_eq!((&list.data, list.etag()), (&trip.now.days, trip.now.etag()));
    trip.wrote(trip.day_remove("d2").send().await).await;
    let list = trip.client.day_list(trip.now.id).send().await.expect("listed");
    assert_eq!((&list.data, list.etag()), (&trip.now.days, trip.now.etag()));
    for day in ["d1", "d3"] {
        trip.wrote(trip.day_remove(day).send().await).await;
    }
    assert!(trip.client.day_list(trip.now.id).send().await.expect("listed").data.is_empty());
}

#[api_test]
async fn the_list_is_read_on_condition_as_the_itinerary_is(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&with(on_day(1), json!({ "days": three_days() }))).await;
    let list = || at(&app, Method::GET, &stored.id, "/days");
    let (listed, read) = (list().send().await, app.view(&stored.id).await);
    assert_eq!((listed.status, listed.json()), (read.status, json!({ "data": read.json()["days"] })));
    for name in ["etag", "cache-control", "vary", "content-type", "service-itinerary-shape"] {
        assert_eq!(listed.header(name), read.header(name), "{name}");
    }
    assert_eq!((listed.header("etag"), listed.header("cache-control")), (&*stored.etag, "private, no-cache"));
    for known in
        [stored.etag.clone(), format!("W/{}", stored.etag), format!("\"v0.m\", {}", stored.etag), "*".to_owned()]
    {
        let response = list().header("If-None-Match", &known).send().await;
        assert_eq!((response.status.as_u16(), &*response.body), (304, &b""[..]), "{known}");
        for name in ["etag", "cache-control", "vary"] {
            assert_eq!(response.header(name), listed.header(name), "{name}");
        }
    }
    for other in ["\"v0.m\"", "\"v1.e\"", "\"v1.mp\"", "\"\""] {
        let response = list().header("If-None-Match", other).send().await;
        assert_eq!((response.status.as_u16(), response.json()), (200, listed.json()), "{other}");
    }
    list().header("If-None-Match", "v1.m").send().await.expect_invalid("If-None-Match");
    // Any change of the itinerary is a new version of its days.
    let changed = app.patched(&stored, &json!({ "title": "T" })).await;
    let response = list().header("If-None-Match", &stored.etag).send().await;
    assert_eq!((response.status.as_u16(), response.header("etag")), (200, &*changed.etag));
    let head = at(&app, Method::HEAD, &stored.id, "/days").send().await;
    assert_eq!((head.status.as_u16(), &*head.body, head.header("etag")), (200, &b""[..], &*changed.etag));
}

#[api_test]
async fn everyone_who_can_see_the_itinerary_can_list_its_days(world: World) {
    let owner = App::of(&world, "ana").await;
    let mut stored =
        owner.created(&with(on_day(1), json!({ "days": three_days(), "hotels": [{ "name": "n" }] }))).await;
    for (name, role) in [("edith", "editor"), ("vera", "viewer")] {
        let account = world.account(name).await;
        world.member(&stored.id, account, role).await;
    }
    let apps = [("edith", "mw"), ("vera", "mv"), ("ben", "e")];
    for (visibility, open) in
        [("private", false), ("followers", false), ("unlisted", true), ("public", true), ("private", false)]
    {
        stored = owner.patched(&stored, &json!({ "visibility": visibility })).await;
        for (name, letters) in apps {
            let app = App::of(&world, name).await;
            let response = at(&app, Method::GET, &stored.id, "/days").send().await;
            if letters != "e" || open {
                assert_eq!(response.json(), json!({ "data": stored.json["days"] }), "{name}, {visibility}");
                let number = version(&stored.etag);
                assert_eq!(response.header("etag"), format!("\"v{number}.{letters}\""));
            } else {
                assert!(response.expect_error(404, "notFound").is_null(), "{name}, {visibility}");
                let known = at(&app, Method::GET, &stored.id, "/days").header("If-None-Match", "*").send().await;
                known.expect_error(404, "notFound");
            }
        }
    }
    let stored = Stored { id: "01890000-0000-7000-8000-000000000000".to_owned(), ..stored };
    at(&owner, Method::GET, &stored.id, "/days").send().await.expect_error(404, "notFound");
    at(&owner, Method::GET, "7", "/days").send().await.expect_invalid("id");
}
