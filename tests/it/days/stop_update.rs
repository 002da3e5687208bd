//! Stops: adding and changing them, which of them need a place, and how many fit into a day.

use itinerary_sdk::types::{DayPatch, StopInput};
use itinerary_tests::app::{App, Stored};
use itinerary_tests::bodies::full;
use itinerary_tests::{World, api_test};
use reqwest::Method;
use serde_json::{Value, json};

use super::Change::{StopAdd, StopMove, StopRemove, StopUpdate};
use super::{Trip, answered, at, stop, three_days, to, typed};

#[api_test]
async fn stops_go_where_they_are_asked_to(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let before = trip.day("d2").stops.clone();
    for (id, position, stops) in [
        ("first", Some(0), &["first", "x", "y"][..]),
        ("middle", Some(2), &["first", "x", "middle", "y"]),
        ("end", Some(4), &["first", "x", "middle", "y", "end"]),
        ("last", None, &["first", "x", "middle", "y", "end", "last"]),
    ] {
        let others = [trip.day("d1").clone(), trip.day("d3").clone()];
        trip.make(StopAdd("d2", position, stop(id))).await;
        assert_eq!(trip.stops("d2"), stops);
        assert_eq!([trip.day("d1").clone(), trip.day("d3").clone()], others);
    }
    assert_eq!([trip.stop("d2", "x").clone(), trip.stop("d2", "y").clone()], *before);
    trip.make(StopAdd("d3", Some(0), stop("only"))).await;
    assert_eq!(trip.stops("d3"), ["only"]);
    let past = trip.stop_add("d3", typed::<StopInput>(stop("z"))).position(2);
    trip.refused(past.send().await, "position").await;
}

// `needsAttention` lists every stop and hotel without a coordinate, not only those of this write.
#[api_test]
async fn a_new_stop_is_what_was_sent_and_says_what_needs_attention(world: World) {
    let days = three_days();
    let mut trip = Trip::with(&world, json!({ "days": days, "hotels": [{ "id": "h", "name": "Quinta" }] })).await;
    let whole = full()["days"][0]["stops"][0].clone();
    trip.make(StopAdd("d2", Some(0), whole.clone())).await;
    assert_eq!(*trip.stop("d2", "stop-1"), answered(whole));
    assert_eq!(trip.not_placed(), ["hotels[0].place.coordinate"]);

    for placeless in
        [json!({ "id": "n", "name": "No place" }), json!({ "id": "p", "name": "N", "place": { "name": "P" } })]
    {
        trip.make(StopAdd("d2", None, placeless)).await;
    }
    let (third, fourth) = ("days[1].stops[3].place.coordinate", "days[1].stops[4].place.coordinate");
    assert_eq!(trip.not_placed(), [third, fourth, "hotels[0].place.coordinate"]);
    let place = json!({ "place": { "coordinate": { "latitude": 38.7, "longitude": -9.1 } } });
    trip.make(StopUpdate("d2", "n", place)).await;
    assert_eq!(trip.not_placed(), [fourth, "hotels[0].place.coordinate"]);
    trip.make(StopRemove("d2", "stop-1")).await;
    assert_eq!(trip.not_placed(), [third, "hotels[0].place.coordinate"]);

    // Null counts as absent.
    let app = App::of(&world, "ana").await;
    let mut body = json!({
        "id": null, "category": null, "place": null, "startTime": null, "startTimeSuggested": null,
        "durationMinutes": null, "phoneNumber": null, "activity": null,
    });
    body["name"] = json!("Nothing else");
    let call = at(&app, Method::POST, &trip.now.id.to_string(), "/days/d3/stops").json(&body);
    let stored = Stored::of(&call.header("If-Match", trip.now.etag()).send().await);
    let made = &stored.json["days"][2]["stops"][0];
    assert_eq!(*made, json!({ "id": made["id"], "name": "Nothing else", "startTimeSuggested": false }));
}

/// `MergePatch` of RFC 7396.
fn merged(target: Value, patch: &Value) -> Value {
    let Value::Object(fields) = patch else { return patch.clone() };
    let mut target = if let Value::Object(target) = target { target } else { serde_json::Map::new() };
    for (name, value) in fields {
        let before = target.remove(name).unwrap_or_default();
        if !value.is_null() {
            target.insert(name.clone(), merged(before, value));
        }
    }
    Value::Object(target)
}

#[api_test(limits = false)]
async fn a_stop_is_changed_by_a_merge(world: World) {
    let mut trip = Trip::start(&world, full()["days"].clone()).await;
    let app = App::of(&world, "ana").await;
    for patch in [
        json!({}),
        json!({ "name": "Renamed" }),
        json!({ "category": "cafe", "startTime": "23:59", "durationMinutes": 0, "startTimeSuggested": false }),
        json!({ "place": { "address": "Rua 2" } }),
        json!({ "place": { "coordinate": { "latitude": 1.5 }, "name": null } }),
        json!({ "activity": { "rating": 4.25, "bookingUrl": null } }),
        json!({ "place": { "coordinate": null } }),
        json!({ "place": { "coordinate": { "latitude": 2.5, "longitude": 3.5 } }, "phoneNumber": null }),
        json!({ "category": null, "startTime": null, "durationMinutes": null, "startTimeSuggested": true }),
        json!({ "activity": null, "place": null }),
        json!({ "activity": { "provider": "Another", "rating": null }, "place": { "code": "FNC", "name": null } }),
    ] {
        let mut expected = app.viewed(&trip.now.id.to_string()).await.json["days"].clone();
        expected[0]["stops"][0] = merged(expected[0]["stops"][0].take(), &patch);
        trip.make(StopUpdate("day-1", "stop-1", patch.clone())).await;
        assert_eq!(app.viewed(&trip.now.id.to_string()).await.json["days"], expected, "{patch}");
    }
    // Fields with a default return to it.
    let suggested = json!({ "startTimeSuggested": null });
    assert!(trip.stop("day-1", "stop-1").start_time_suggested);
    trip.make(StopUpdate("day-1", "stop-1", suggested)).await;
    assert!(!trip.stop("day-1", "stop-1").start_time_suggested);
}

#[api_test(limits = false)]
async fn stop_patch_rejects_missing_cleared_and_invalid_fields(world: World) {
    let stops = json!([stop("placed"), { "id": "bare", "name": "Bare" }]);
    let trip = Trip::start(&world, json!([{ "id": "d", "stops": stops }])).await;
    let app = App::of(&world, "ana").await;
    for (stop, patch, field) in [
        ("placed", json!({ "name": null }), "name"),
        ("placed", json!({ "name": "" }), "name"),
        ("bare", json!({ "place": { "name": "P", "coordinate": { "latitude": 1 } } }), "place.coordinate.longitude"),
        ("bare", json!({ "place": { "coordinate": { "longitude": 1 } } }), "place.coordinate.latitude"),
        ("placed", json!({ "place": { "coordinate": { "latitude": null } } }), "place.coordinate.latitude"),
        ("placed", json!({ "place": { "coordinate": { "latitude": 91 } } }), "place.coordinate.latitude"),
        ("bare", json!({ "place": {} }), "place"),
        ("bare", json!({ "place": { "address": "Rua 1" } }), "place"),
        ("bare", json!({ "activity": { "rating": 4 } }), "activity.provider"),
        ("bare", json!({ "activity": { "provider": null } }), "activity.provider"),
        ("bare", json!({ "activity": { "provider": "P", "rating": 5.1 } }), "activity.rating"),
        ("placed", json!({ "place": [] }), "place"),
        ("placed", json!({ "startTime": "24:00" }), "startTime"),
        ("placed", json!({ "durationMinutes": 10_081 }), "durationMinutes"),
        ("placed", json!({ "category": "pub" }), "category"),
    ] {
        let call = at(&app, Method::PATCH, &trip.now.id.to_string(), &format!("/days/d/stops/{stop}")).json(&patch);
        call.header("If-Match", trip.now.etag()).send().await.expect_invalid(field);
    }
    trip.unchanged().await;
}

#[api_test]
async fn a_day_has_room_for_100_stops(world: World) {
    let stops = |count: usize| (0..count).map(|n| stop(&format!("s{n}"))).collect::<Vec<_>>();
    let days = json!([{ "id": "full", "stops": stops(99) }, { "id": "other", "stops": [stop("o")] }]);
    let mut trip = Trip::start(&world, days).await;
    trip.refused(trip.stop_add("full", typed::<StopInput>(stop("z"))).position(100).send().await, "position").await;
    trip.wrote(trip.stop_add("full", typed::<StopInput>(stop("s99"))).position(99).send().await).await;
    for position in [0, 50, 100] {
        let call = trip.stop_add("full", typed::<StopInput>(stop("z"))).position(position);
        trip.refused(call.send().await, "stops").await;
    }
    trip.refused(trip.stop_add("full", typed::<StopInput>(stop("z"))).send().await, "stops").await;
    let replaced = typed::<DayPatch>(json!({ "stops": stops(101) }));
    trip.refused(trip.day_update("full", replaced).send().await, "stops").await;
    // Nothing can be moved into a full day, but within it and out of it everything can.
    for position in [Some(0), Some(100), None] {
        trip.refused(trip.stop_move("other", "o", to(Some("full"), position)).send().await, "dayId").await;
    }
    trip.make(StopMove("full", "s0", to(Some("full"), Some(99)))).await;
    assert_eq!((trip.stops("full")[0], trip.stops("full")[99]), ("s1", "s0"));
    trip.make(StopMove("full", "s0", to(Some("other"), None))).await;
    trip.make(StopMove("other", "o", to(Some("full"), None))).await;
    assert_eq!((trip.stops("full").len(), trip.stops("other")), (100, vec!["s0"]));
    trip.make(StopRemove("full", "s50")).await;
    trip.make(StopAdd("full", None, stop("z"))).await;
}

#[api_test]
async fn a_stop_goes_alone(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let before = trip.now.days.clone();
    trip.make(StopRemove("d1", "b")).await;
    assert_eq!(trip.stops("d1"), ["a", "c", "d"]);
    let kept: Vec<_> = [0, 2, 3].map(|n| before[0].stops[n].clone()).into();
    assert_eq!((&trip.day("d1").stops, &trip.day("d1").image), (&kept, &before[0].image));
    assert_eq!(trip.now.days[1..], before[1..]);
    trip.not_found(trip.stop_remove("d1", "b").send().await).await;
    for id in ["a", "c", "d"] {
        trip.make(StopRemove("d1", id)).await;
    }
    assert!(trip.stops("d1").is_empty());
    trip.make(StopAdd("d1", None, stop("b"))).await;
    assert_eq!(trip.stops("d1"), ["b"]);
}
