//! Versions: a write needs the current one, and returns the whole itinerary in its next version.

use itinerary_sdk::{ErrorExt, code, types};
use itinerary_tests::app::{App, Stored, attention};
use itinerary_tests::bodies::{on_day, with};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::{Trip, at, three_days, version, write_call, writes};

// Compares the JSON, because the SDK's types might hide differences.
#[api_test]
async fn every_write_answers_with_the_whole_itinerary(world: World) {
    let app = App::pro(&world, "ana").await;
    let (hotel, hat) = (json!({ "id": "h", "name": "Quinta" }), json!({ "name": "Hat" }));
    let sections = json!({ "days": three_days(), "hotels": [hotel], "packing": [hat] });
    let mut stored = app.created(&with(on_day(1), sections)).await;
    let seen_by_all = attention(&stored.json).len();
    assert!(seen_by_all > 1, "a create lists what it had to guess, too");
    for write in writes() {
        world.clock.advance(chrono::TimeDelta::minutes(1));
        let call = write_call(&app, &stored.id, &write).header("If-Match", &stored.etag);
        let response = call.header("Service-Itinerary-Shape", "clean").send().await;
        assert_eq!(response.status, 200, "{write:?}: {}", response.text());
        let written = Stored::of(&response);
        assert_eq!(version(&written.etag), version(&stored.etag) + 1);
        assert!(written.etag.ends_with(".mpd\""), "{}", written.etag);
        // The hotel has no coordinate, nor has the stop that is added among the seven.
        let stops = written.json["days"][0]["stops"].as_array().expect("stops");
        let new = stops.iter().position(|stop| stop["name"] == "New");
        let placeless = new.map(|new| format!("days[0].stops[{new}]")).into_iter().chain(["hotels[0]".to_owned()]);
        let expected: Vec<_> = placeless.map(|at| (format!("{at}.place.coordinate"), "notPlaced".to_owned())).collect();
        assert_eq!(attention(&written.json), expected);
        for (name, value) in [
            ("cache-control", "private, no-cache"),
            ("vary", "Authorization, Service-Itinerary-Shape, Accept-Encoding"),
            ("service-itinerary-shape", "clean"),
            ("location", ""),
            ("idempotency-replayed", ""),
        ] {
            assert_eq!(response.header(name), value, "{name}");
        }
        let mut as_read = written.json.clone();
        as_read.as_object_mut().expect("an object").remove("needsAttention").expect("a write has it");
        let read = app.viewed(&stored.id).await;
        assert_eq!((&read.json, &read.etag), (&as_read, &written.etag));
        assert_ne!(read.json["updatedAt"], stored.json["updatedAt"], "it is dated");
        assert_ne!(read.json["days"], stored.json["days"], "{write:?}");
        assert_eq!(
            (&read.json["createdAt"], &read.json["packing"]),
            (&stored.json["createdAt"], &stored.json["packing"])
        );
        stored = written;
    }
    assert_eq!(stored.etag, "\"v8.mpd\"");
}

#[api_test(limits = false)]
async fn every_write_wants_the_version_that_it_was_made_from(world: World) {
    let app = App::of(&world, "ana").await;
    let mut stored = app.created(&with(on_day(1), json!({ "days": three_days() }))).await;
    stored = app.patched(&stored, &json!({ "title": "T" })).await;
    let mut goods =
        ["*", "\"v{}.m\"", "\"v1.m\", \"v{}.e\"", "\"v{}.mpd\"", "W/\"v{}.m\",\"v{}.m\"", " * ", ",\"v{}.m\""]
            .into_iter();
    for write in writes() {
        let call = || write_call(&app, &stored.id, &write);
        let number = version(&stored.etag).to_string();
        let response = call().send().await;
        assert!(response.expect_error(428, "preconditionRequired").is_null(), "{write:?}");
        assert_eq!(response.header("etag"), "");
        for stale in ["W/\"v{}.m\"", "\"v1.m\"", "\"v9.m\"", "\"{}\"", "\"\""] {
            let response = call().header("If-Match", &stale.replace("{}", &number)).send().await;
            response.expect_error(409, "itineraryModified");
            assert_eq!(response.header("etag"), stored.etag, "{write:?} {stale}");
        }
        for bad in ["", "v{}.m", "{}", "\"v{}.m", "\"v{}.m\", *", "w/\"v{}.m\""] {
            call().header("If-Match", &bad.replace("{}", &number)).send().await.expect_invalid("If-Match");
        }
        assert_eq!(app.viewed(&stored.id).await.etag, stored.etag, "none of it was done");
        let good = goods.next().expect("a form for each write").replace("{}", &number);
        stored = Stored::of(&call().header("If-Match", &good).send().await);
    }
    assert_eq!(version(&stored.etag), 9);
}

// The error names the ETag for the next attempt, in the SDK as well.
#[api_test]
async fn the_tag_of_a_refusal_is_good_for_the_next_try(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let old = trip.now.clone();
    trip.wrote(trip.day_remove("d3").send().await).await;
    let add = |etag: &str| trip.client.day_add(old.id, etag, types::DayInput::default().id("d0")).position(0).send();
    let error = add(old.etag()).await.expect_err("outdated");
    assert!(error.is(code::ITINERARY_MODIFIED));
    let current = error.current_etag().expect("the current tag").to_owned();
    assert_eq!(current, trip.now.etag());
    let response = add(&current).await;
    trip.wrote(response).await;
    assert_eq!(trip.days(), ["d0", "d1", "d2"]);
}

// An itinerary has one ETag: that of its days is valid for a write of the whole, and vice versa.
#[api_test]
async fn the_tag_of_the_days_is_the_itinerarys(world: World) {
    let app = App::of(&world, "ana").await;
    let stored = app.created(&with(on_day(1), json!({ "days": three_days() }))).await;
    let list = at(&app, reqwest::Method::GET, &stored.id, "/days").send().await;
    let seen = Stored { etag: list.header("etag").to_owned(), json: Value::Null, id: stored.id };
    let changed = app.patched(&seen, &json!({ "title": "T" })).await;
    let response = write_call(&app, &seen.id, &writes()[0]).header("If-Match", &changed.etag).send().await;
    assert_eq!((response.status.as_u16(), response.header("etag")), (200, "\"v3.m\""), "{}", response.text());
}
