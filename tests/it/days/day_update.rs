//! Days: adding, changing and removing them, what removal takes along, and how many there can be.

use itinerary_sdk::types::{DayInput, StopPatch};
use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::{full, minimal, with};
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::Change::{DayRemove, DayUpdate};
use super::{Trip, answered, at, leg, stop, three_days, typed};

#[api_test]
async fn days_go_where_they_are_asked_to(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let before = trip.now.days.clone();
    for (id, position, days) in [
        ("first", Some(0), &["first", "d1", "d2", "d3"][..]),
        ("middle", Some(2), &["first", "d1", "middle", "d2", "d3"]),
        ("end", Some(5), &["first", "d1", "middle", "d2", "d3", "end"]),
        ("last", None, &["first", "d1", "middle", "d2", "d3", "end", "last"]),
    ] {
        let call = trip.day_add(typed::<DayInput>(json!({ "id": id })));
        let call = if let Some(position) = position { call.position(position) } else { call };
        trip.wrote(call.send().await).await;
        assert_eq!(trip.days(), days);
    }
    let others: Vec<_> = before.iter().map(|day| trip.day(&day.id).clone()).collect();
    assert_eq!(others, before, "the others are as they were");
    let past = trip.day_add(DayInput::default()).position(8);
    trip.refused(past.send().await, "position").await;
}

#[api_test]
async fn a_new_day_is_what_was_sent_and_says_what_needs_attention(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let mut day = full()["days"][0].clone();
    day["stops"][1]["place"] = json!({ "name": "Somewhere" });
    trip.wrote(trip.day_add(typed::<DayInput>(day.clone())).position(1).send().await).await;
    assert_eq!(*trip.day("day-1"), answered(day));
    assert_eq!(trip.not_placed(), ["days[1].stops[1].place.coordinate"]);

    // An empty day, and one whose fields are all null.
    trip.wrote(trip.day_add(DayInput::default()).send().await).await;
    let made = trip.now.days.last().expect("a day").clone();
    assert_eq!((made.image, made.stops.len(), made.legs.len()), (None, 0, 0));
    let app = App::of(&world, "ana").await;
    let call = at(&app, Method::POST, &trip.now.id.to_string(), "/days").header("If-Match", trip.now.etag());
    let stored =
        Stored::of(&call.json(&json!({ "id": null, "image": null, "stops": null, "legs": null })).send().await);
    let last = stored.json["days"].as_array().and_then(|days| days.last()).expect("a day");
    assert_eq!(*last, json!({ "id": last["id"], "stops": [], "legs": [] }));
}

#[api_test(limits = false)]
async fn a_day_is_changed_by_a_merge(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let one = || json!([stop("a"), { "id": "e", "name": "New" }]);
    for (patch, field, now) in [
        (json!({}), "image", three_days()[0]["image"].clone()),
        (
            json!({ "image": { "source": "Another" } }),
            "image",
            json!({ "url": "https://images.example/d1", "source": "Another" }),
        ),
        (
            json!({ "image": { "url": "https://images.example/2", "source": null } }),
            "image",
            json!({ "url": "https://images.example/2" }),
        ),
        (json!({ "image": null }), "image", Value::Null),
        (
            json!({ "image": { "url": "https://images.example/3" } }),
            "image",
            json!({ "url": "https://images.example/3" }),
        ),
        (json!({ "legs": [leg("b", "c")] }), "legs", json!([leg("b", "c")])),
        (json!({ "legs": null }), "legs", json!([])),
        (json!({ "stops": one(), "legs": [leg("a", "e")] }), "stops", one()),
        (json!({ "stops": [] }), "stops", json!([])),
        (json!({ "stops": [stop("z")] }), "stops", json!([stop("z")])),
        (json!({ "stops": null }), "stops", json!([])),
    ] {
        // Fields that a change does not name stay. Legs follow the stops, which another test checks.
        let mut expected = serde_json::to_value(trip.day("d1")).expect("JSON");
        expected[field] = now;
        if field == "stops" {
            expected["legs"] = patch.get("legs").cloned().unwrap_or(json!([]));
        }
        let others = trip.now.days[1..].to_vec();
        trip.make(DayUpdate("d1", patch.clone())).await;
        assert_eq!(*trip.day("d1"), answered(expected), "{patch}");
        assert_eq!(trip.now.days[1..], others);
    }
}

#[api_test]
async fn day_patch_rejects_missing_cleared_and_invalid_fields(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    let app = App::of(&world, "ana").await;
    for (day, patch, field) in [
        ("d1", json!({ "image": { "url": null } }), "image.url"),
        ("d2", json!({ "image": { "source": "Nobody's" } }), "image.url"),
        ("d2", json!({ "image": {} }), "image.url"),
        ("d1", json!({ "image": [] }), "image"),
        ("d1", json!({ "image": { "url": "ftp://images.example" } }), "image.url"),
        ("d1", json!({ "stops": [{ "id": "a" }] }), "stops[0].name"),
        ("d1", json!({ "stops": [stop("a"), { "name": "n", "place": { "address": "Rua 1" } }] }), "stops[1].place"),
        ("d1", json!({ "stops": {} }), "stops"),
        ("d1", json!({ "legs": [{ "from": "a", "to": "b" }] }), "legs[0].mode"),
        ("d1", json!({ "stops": [stop("a")], "legs": [{ "from": "a", "to": null, "mode": "walk" }] }), "legs[0].to"),
    ] {
        let call = at(&app, Method::PATCH, &trip.now.id.to_string(), &format!("/days/{day}")).json(&patch);
        call.header("If-Match", trip.now.etag()).send().await.expect_invalid(field);
    }
    trip.unchanged().await;
}

#[api_test]
async fn removing_a_day_removes_its_stops_and_legs(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let kept = [trip.day("d1").clone(), trip.day("d3").clone()];
    trip.make(DayRemove("d2")).await;
    assert_eq!(trip.now.days, kept);
    trip.not_found(trip.day_remove("d2").send().await).await;
    trip.not_found(trip.stop_update("d2", "x", StopPatch::default()).send().await).await;
    trip.make(DayRemove("d3")).await;
    trip.make(DayRemove("d1")).await;
    assert!(trip.now.days.is_empty());
    // The ids of a removed day are free again.
    let again = json!({ "id": "d2", "stops": [stop("x")] });
    trip.wrote(trip.day_add(typed::<DayInput>(again)).send().await).await;
    assert_eq!((trip.days(), trip.stops("d2")), (vec!["d2"], vec!["x"]));
}

#[api_test]
async fn an_itinerary_has_room_for_366_days(world: World) {
    let days: Vec<_> = (0..365).map(|n| json!({ "id": format!("day-{n}") })).collect();
    let mut trip = Trip::start(&world, json!(days)).await;
    let empty = DayInput::default;
    trip.refused(trip.day_add(empty()).position(366).send().await, "position").await;
    trip.wrote(trip.day_add(empty()).position(365).send().await).await;
    for position in [0, 200, 366] {
        trip.refused(trip.day_add(empty()).position(position).send().await, "days").await;
    }
    trip.refused(trip.day_add(empty()).send().await, "days").await;
    trip.make(DayRemove("day-7")).await;
    trip.wrote(trip.day_add(empty()).position(0).send().await).await;
    assert_eq!((trip.now.days.len(), trip.days()[1]), (366, "day-0"));
}

// The size limit applies to the whole itinerary.
#[api_test]
async fn a_day_that_makes_the_itinerary_too_large_is_refused(world: World) {
    let app = App::of(&world, "ana").await;
    let mut stored = app.created(&minimal()).await;
    let long = |n: usize| with(stop(&format!("s{n}")), json!({ "place": { "name": "n", "address": "a".repeat(500) } }));
    let day = |first: usize| json!({ "stops": (first..first + 100).map(long).collect::<Vec<_>>() });
    for n in 0..4 {
        let call = at(&app, Method::POST, &stored.id, "/days").header("If-Match", &stored.etag);
        stored = Stored::of(&call.json(&day(n * 100)).send().await);
    }
    let call = at(&app, Method::POST, &stored.id, "/days").header("If-Match", &stored.etag);
    call.json(&day(400)).send().await.expect_error(413, "itineraryTooLarge");
    assert_eq!(app.viewed(&stored.id).await.etag, stored.etag);
}
