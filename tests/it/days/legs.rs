//! Legs: after a change of the stops, legs between stops that are still adjacent stay, others are removed, and missing
//! ones are filled in unless the request has legs. Legs that are sent must fit.

use itinerary_sdk::types::{Day, DayInput, DayPatch, Leg, Stop};
use itinerary_tests::{World, api_test};
use serde_json::{Value, json};

use super::Change::{DayRemove, DayUpdate, StopAdd, StopMove, StopRemove, StopUpdate};
use super::{Trip, leg, stop, stops, to, typed};

/// Four stops in a row, with legs in another order and one of them twice.
async fn start(world: &World) -> Trip {
    let legs = [leg("c", "d"), leg("a", "b"), leg("b", "c"), leg("a", "b")];
    let days = json!([
        { "id": "d1", "stops": stops(["a", "b", "c", "d"]), "legs": legs },
        { "id": "d2", "stops": stops(["x", "y", "z"]), "legs": [leg("x", "y"), leg("y", "z")] },
    ]);
    Trip::start(world, days).await
}

/// Restores the days.
async fn restore(trip: &mut Trip, before: &[Day]) {
    for day in before {
        let patch = typed::<DayPatch>(json!({ "stops": [], "legs": [] }));
        trip.wrote(trip.day_update(&day.id, patch).send().await).await;
    }
    for day in before {
        let json = serde_json::to_value(day).expect("JSON");
        let patch = typed::<DayPatch>(json!({ "stops": json["stops"], "legs": json["legs"] }));
        trip.wrote(trip.day_update(&day.id, patch).send().await).await;
    }
}

#[api_test(limits = false)]
async fn legs_between_neighbours_stay_and_the_others_go(world: World) {
    let mut trip = start(&world).await;
    let before = trip.now.days.clone();
    let new = |position| StopAdd("d1", position, stop("new"));
    let replaced = |ids| DayUpdate("d1", json!({ "stops": stops(ids) }));
    let (first, second) = (&["c-d", "a-b", "b-c", "a-b"][..], &["x-y", "y-z"][..]);
    // Where legs are filled in, all are in the order of the stops.
    let sorted = &["a-b", "a-b", "b-c", "c-d"][..];
    for (change, expected, expected_there) in [
        (new(Some(0)), sorted, second),
        (new(Some(2)), &["a-b", "a-b", "c-d"], second),
        (new(Some(3)), &["a-b", "a-b", "b-c"], second),
        (new(None), sorted, second),
        (StopRemove("d1", "a"), &["c-d", "b-c"], second),
        (StopRemove("d1", "b"), &["c-d"], second),
        (StopMove("d1", "b", to(None, Some(0))), &["c-d"], second),
        (StopMove("d1", "b", to(None, Some(1))), first, second),
        (StopMove("d1", "d", to(Some("d2"), Some(2))), &["a-b", "b-c", "a-b"], &["x-y"]),
        (replaced(["b", "a", "c", "d"]), &["c-d"], second),
        (replaced(["c", "a", "b", "e"]), &["a-b", "a-b"], second),
        (replaced(["d", "c", "b", "a"]), &[], second),
        (StopUpdate("d1", "b", json!({ "name": "Renamed" })), first, second),
    ] {
        let name = format!("{change:?}");
        trip.make(change).await;
        assert_eq!((&*trip.legs("d1"), &*trip.legs("d2")), (expected, expected_there), "{name}");
        // Remaining legs are unchanged, and missing ones are filled in.
        for (day, before) in trip.now.days.iter().zip(&before) {
            let is_filled = |leg: &Leg| leg.source.as_deref() == Some("estimate");
            assert!(day.legs.iter().all(|leg| is_filled(leg) || before.legs.contains(leg)), "{name}");
            let joined = |pair: &[Stop]| day.legs.iter().any(|leg| (&leg.from, &leg.to) == (&pair[0].id, &pair[1].id));
            assert!(day.stops.windows(2).all(joined), "{name}");
        }
        restore(&mut trip, &before).await;
        assert_eq!(trip.now.days, before);
    }
}

// A stop that moves between two others separates them and takes no leg along.
#[api_test]
async fn legs_do_not_move_with_a_stop(world: World) {
    let mut trip = start(&world).await;
    trip.make(StopMove("d1", "a", to(Some("d2"), Some(3)))).await;
    trip.make(StopMove("d1", "b", to(Some("d2"), Some(4)))).await;
    assert_eq!((trip.stops("d2"), trip.legs("d2")), (vec!["x", "y", "z", "a", "b"], vec!["x-y", "y-z"]));
    assert_eq!((trip.stops("d1"), trip.legs("d1")), (vec!["c", "d"], vec!["c-d"]));
    trip.make(StopMove("d2", "y", to(Some("d1"), Some(0)))).await;
    assert_eq!((trip.legs("d2"), trip.legs("d1")), (vec![], vec!["c-d"]));
}

// Changes of other things, and of other days, keep all legs.
#[api_test]
async fn other_changes_keep_all_legs(world: World) {
    let mut trip = start(&world).await;
    let before = trip.day("d1").legs.clone();
    trip.make(DayUpdate("d1", json!({ "image": { "url": "https://images.example/1" } }))).await;
    trip.wrote(trip.day_add(DayInput::default()).position(0).send().await).await;
    trip.make(DayRemove("d2")).await;
    assert_eq!(trip.day("d1").legs, before);
}

#[api_test(limits = false)]
async fn legs_that_are_sent_join_a_stop_to_the_next(world: World) {
    let mut trip = start(&world).await;
    let three = || stops(["1", "2", "3"]);
    for (legs, field) in [
        (json!([leg("2", "1")]), "legs[0].to"),
        (json!([leg("1", "3")]), "legs[0].to"),
        (json!([leg("1", "1")]), "legs[0].to"),
        (json!([leg("1", "2"), leg("1", "a")]), "legs[1].to"),
        (json!([leg("1", "2"), leg("2", "3"), leg("a", "b")]), "legs[2].from"),
        (json!([leg("x", "1")]), "legs[0].from"),
    ] {
        let body = json!({ "stops": three(), "legs": legs });
        trip.refused(trip.day_add(typed::<DayInput>(body.clone())).send().await, field).await;
        trip.refused(trip.day_add(typed::<DayInput>(body.clone())).position(0).send().await, field).await;
        trip.refused(trip.day_update("d2", typed::<DayPatch>(body)).send().await, field).await;
    }
    let patch = |body: Value| typed::<DayPatch>(body);
    let legs = |legs: &[Value]| patch(json!({ "legs": legs }));
    trip.refused(trip.day_update("d2", legs(&[leg("x", "z")])).send().await, "legs[0].to").await;
    trip.refused(trip.day_update("d2", legs(&[leg("a", "b")])).send().await, "legs[0].from").await;
    // Sent legs replace the existing ones; they are checked, not mended.
    let both = patch(json!({ "stops": three(), "legs": [leg("2", "3")] }));
    trip.wrote(trip.day_update("d2", both).send().await).await;
    assert_eq!(trip.legs("d2"), ["2-3"]);
    let stale = patch(json!({ "stops": stops(["3", "2"]), "legs": [leg("2", "3")] }));
    trip.refused(trip.day_update("d2", stale).send().await, "legs[0].to").await;
    trip.wrote(trip.day_update("d2", legs(&[leg("1", "2"), leg("2", "3")])).send().await).await;
    assert_eq!(trip.legs("d2"), ["1-2", "2-3"]);
    let day = json!({ "id": "d3", "stops": stops(["4", "5"]), "legs": [leg("4", "5")] });
    trip.wrote(trip.day_add(typed::<DayInput>(day)).send().await).await;
    assert_eq!(trip.legs("d3"), ["4-5"]);
}

// Without coordinates there is nothing to compute; days that are not written stay as they are.
#[api_test]
async fn missing_legs_of_written_days_are_filled_in(world: World) {
    let nowhere = json!({ "id": "n", "name": "Casa da Tia" });
    let days = json!([
        { "id": "d1", "stops": stops(["a", "b", "c"]) },
        { "id": "d2", "stops": [stop("x"), nowhere, stop("z")] },
        { "id": "d3", "stops": stops(["k", "l", "m"]), "legs": [leg("l", "m")] },
    ]);
    let mut trip = Trip::start(&world, days).await;
    let legs = |trip: &Trip, day: &str| -> Vec<String> {
        trip.day(day).legs.iter().map(|leg| format!("{}{}", leg.from, leg.to)).collect()
    };
    assert_eq!(legs(&trip, "d1"), ["ab", "bc"]);
    assert_eq!(legs(&trip, "d2"), [""; 0]);
    assert_eq!(legs(&trip, "d3"), ["lm"], "legs that were sent are all that there are");
    trip.make(DayUpdate("d1", json!({ "legs": [] }))).await;
    assert_eq!(legs(&trip, "d1"), [""; 0], "none, if none are wanted");
    trip.make(StopUpdate("d3", "k", json!({ "durationMinutes": 5 }))).await;
    assert_eq!((legs(&trip, "d1"), legs(&trip, "d3")), (vec![], vec!["kl".to_owned(), "lm".to_owned()]));
    trip.make(StopUpdate("d2", "n", json!({ "place": stop("n")["place"] }))).await;
    assert_eq!(legs(&trip, "d2"), ["xn", "nz"]);
    trip.make(StopAdd("d1", None, stop("e"))).await;
    assert_eq!(legs(&trip, "d1"), ["ab", "bc", "ce"]);
}

#[api_test]
async fn start_times_before_the_arrival_are_listed(world: World) {
    let mut trip = Trip::start(&world, json!([{ "id": "d1", "stops": stops(["a", "b"]) }])).await;
    trip.make(StopUpdate("d1", "a", json!({ "startTime": "08:00", "durationMinutes": 90 }))).await;
    for (time, expected) in [("09:00", &["days[0].stops[1].startTime timesConflict"][..]), ("09:30", &[])] {
        trip.make(StopUpdate("d1", "b", json!({ "startTime": time }))).await;
        let attention = trip.now.needs_attention.clone().expect("the answer to a write has it");
        let listed: Vec<_> = attention.iter().map(|entry| format!("{} {}", entry.field, entry.code)).collect();
        assert_eq!(listed, expected, "{time}");
    }
}
