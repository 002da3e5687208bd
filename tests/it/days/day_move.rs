//! Moving a day, with its stops and legs.

use itinerary_sdk::types::DayMove;
use itinerary_tests::{World, api_test};

use super::{Trip, three_days};

#[api_test(limits = false)]
async fn a_day_moves_with_its_stops_and_legs(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let before = trip.now.days.clone();
    for (day, position, days) in [
        ("d1", 1, ["d2", "d1", "d3"]),
        ("d1", 2, ["d2", "d3", "d1"]),
        ("d1", 0, ["d1", "d2", "d3"]),
        ("d3", 0, ["d3", "d1", "d2"]),
        ("d2", 1, ["d3", "d2", "d1"]),
    ] {
        let call = trip.client.day_move(trip.now.id, day, &trip.now, DayMove::new(position));
        let answered = call.send().await;
        trip.wrote(answered).await;
        assert_eq!(trip.days(), days, "{day} to {position}");
        for moved in &trip.now.days {
            assert!(before.contains(moved), "{moved:?}");
        }
    }
    assert_eq!(trip.now.etag(), "\"v6.m\"");
}

#[api_test]
async fn a_day_cannot_move_past_the_last_and_an_unknown_one_cannot_move(world: World) {
    let trip = Trip::start(&world, three_days()).await;
    for position in [3, 366] {
        let call = trip.client.day_move(trip.now.id, "d1", &trip.now, DayMove::new(position));
        trip.refused(call.send().await, "position").await;
    }
    for unknown in ["d4", "D1", "a"] {
        let call = trip.client.day_move(trip.now.id, unknown, &trip.now, DayMove::new(0));
        trip.not_found(call.send().await).await;
    }
}

// Both moves are of days of the same list: a stale one is merged if it moves another day.
#[api_test]
async fn moves_of_different_days_are_merged(world: World) {
    let mut trip = Trip::start(&world, three_days()).await;
    let base = trip.now.clone();
    let answered = trip.client.day_move(base.id, "d1", &base, DayMove::new(2)).send().await;
    trip.wrote(answered).await;
    let mine = trip.client.day_move(base.id, "d3", &base, DayMove::new(0)).prefer("merge").send().await;
    let days: Vec<_> = mine.expect("merged").days.iter().map(|day| day.id.clone()).collect();
    assert_eq!(days, ["d3", "d2", "d1"]);
}
