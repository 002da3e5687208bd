//! Moving a stop: within its day, to another day, and to invalid targets.

use itinerary_tests::{World, api_test};
use serde_json::json;

use super::{Trip, three_days, to};

// The position is the stop's position after the move.
#[api_test(limits = false)]
async fn a_stop_moves_within_its_day(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    for (moved, day, position, stops) in [
        ("a", None, Some(1), ["b", "a", "c", "d"]),
        ("b", None, Some(3), ["a", "c", "d", "b"]),
        ("b", None, Some(0), ["b", "a", "c", "d"]),
        ("d", Some("d1"), Some(1), ["b", "d", "a", "c"]),
        ("d", None, Some(1), ["b", "d", "a", "c"]),
        ("d", None, Some(2), ["b", "a", "d", "c"]),
        ("b", Some("d1"), None, ["a", "d", "c", "b"]),
        ("b", None, None, ["a", "d", "c", "b"]),
        ("c", None, None, ["a", "d", "b", "c"]),
        ("a", None, Some(3), ["d", "b", "c", "a"]),
    ] {
        let (same, others) = (trip.stop("d1", moved).clone(), trip.now.days[1..].to_vec());
        trip.wrote(trip.stop_move("d1", moved, to(day, position)).send().await).await;
        assert_eq!(trip.stops("d1"), stops, "{moved} to {position:?}");
        assert_eq!((trip.stop("d1", moved), &trip.now.days[1..]), (&same, &*others));
    }
    // Among four stops, it comes after at most three others.
    trip.refused(trip.stop_move("d1", "a", to(None, Some(4))).send().await, "position").await;
    trip.refused(trip.stop_move("d1", "a", to(Some("d1"), Some(366))).send().await, "position").await;
}

#[api_test]
async fn a_stop_moves_to_another_day(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    for (from, moved, day, position, left, there) in [
        ("d1", "b", "d2", Some(0), &["a", "c", "d"][..], &["b", "x", "y"][..]),
        ("d1", "d", "d2", Some(2), &["a", "c"], &["b", "x", "d", "y"]),
        ("d1", "a", "d2", Some(4), &["c"], &["b", "x", "d", "y", "a"]),
        ("d1", "c", "d2", None, &[], &["b", "x", "d", "y", "a", "c"]),
        ("d2", "x", "d3", Some(0), &["b", "d", "y", "a", "c"], &["x"]),
        ("d2", "c", "d1", None, &["b", "d", "y", "a"], &["c"]),
    ] {
        let same = trip.stop(from, moved).clone();
        trip.wrote(trip.stop_move(from, moved, to(Some(day), position)).send().await).await;
        assert_eq!((&*trip.stops(from), &*trip.stops(day)), (left, there), "{moved} to {day}");
        assert_eq!(*trip.stop(day, moved), same);
        assert_eq!(trip.days(), ["d1", "d2", "d3"]);
    }
    for (day, position) in [("d3", 2), ("d1", 2), ("d1", 366)] {
        trip.refused(trip.stop_move("d2", "b", to(Some(day), Some(position))).send().await, "position").await;
    }
    for unknown in ["d4", "D1", "b"] {
        trip.refused(trip.stop_move("d2", "b", to(Some(unknown), Some(0))).send().await, "dayId").await;
    }
    // It is no longer at its old place.
    trip.not_found(trip.stop_move("d1", "b", to(None, None)).send().await).await;
}

#[api_test]
async fn needs_attention_names_a_moved_stop_by_its_new_path(world: World) {
    let mut trip = Trip::start(&world, json!([{ "stops": [{ "id": "s", "name": "S" }] }, { "id": "d2" }])).await;
    let first = trip.days()[0].to_owned();
    trip.wrote(trip.stop_move(&first, "s", to(Some("d2"), None)).send().await).await;
    assert_eq!(trip.not_placed(), ["days[1].stops[0].place.coordinate"]);
}
