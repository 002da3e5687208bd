//! Compares the optimised order of a day with every possible order.

use itinerary_core::optimise::{Day, EXACT, Minute, OrderCost, PlannedStop};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::support::check;

/// A day that owns its table.
#[derive(Clone, Debug)]
struct Owned {
    planned: Vec<PlannedStop>,
    travel: Vec<Vec<u32>>,
    start: Option<usize>,
    begins: Minute,
    ends: Option<Minute>,
}

impl Owned {
    fn day(&self) -> Day<'_> {
        Day { stops: &self.planned, travel: &self.travel, start: self.start, begins: self.begins, ends: self.ends }
    }
}

/// A day with this many stops, up to three at a fixed time, some without a place. The start has the last row.
fn days(stops: impl Strategy<Value = usize>) -> impl Strategy<Value = Owned> {
    stops.prop_flat_map(|stops| {
        let stop = (prop::bool::weighted(0.85), prop_oneof![Just(0_u32), 5..120_u32]);
        (
            vec(stop, stops),
            vec(vec(0..90_u32, stops + 1), stops + 1),
            vec((0..stops.max(1), 480..1200_u32), 0..=3),
            any::<bool>(),
            option::of(600..1500_u32),
        )
            .prop_map(move |(planned, travel, fixed, starts, ends)| {
                let stop = |(n, (has_place, duration)): (usize, (bool, u32))| {
                    let fixed = fixed.iter().find(|(at, _)| *at == n).map(|(_, minute)| *minute);
                    PlannedStop { place: has_place.then_some(n), duration, fixed }
                };
                let planned = planned.into_iter().enumerate().map(stop).collect();
                Owned { planned, travel, start: starts.then_some(stops), begins: 540, ends }
            })
    })
}

/// The state after the beginning of an order.
#[derive(Clone, Copy)]
struct At {
    place: Option<usize>,
    time: u32,
    late: u32,
    travel: u32,
}

/// The lowest cost of all orders.
fn least(day: &Owned, position: usize, at: At, left: &mut Vec<usize>) -> OrderCost {
    let Some(here) = day.planned.get(position) else {
        let overtime = day.ends.map_or(0, |ends| at.time.saturating_sub(ends));
        return OrderCost { late: at.late, overtime, travel: at.travel, end: at.time };
    };
    if here.place.is_none() {
        return least(day, position + 1, step(day, at, position), left);
    }
    let tries = (0..left.len()).map(|n| {
        let stop = left.remove(n);
        let cost = least(day, position + 1, step(day, at, stop), left);
        left.insert(n, stop);
        cost
    });
    tries.min().expect("a stop is left")
}

fn step(day: &Owned, at: At, stop: usize) -> At {
    let PlannedStop { place, duration, fixed } = day.planned[stop];
    let way = at.place.zip(place).map_or(0, |(from, to)| day.travel[from][to]);
    let arrival = at.time + way;
    At {
        place: place.or(at.place),
        time: arrival.max(fixed.unwrap_or(0)) + duration,
        late: at.late + fixed.map_or(0, |fixed| arrival.saturating_sub(fixed)),
        travel: at.travel + way,
    }
}

fn is_an_order(day: &Owned, order: &[usize]) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    assert_eq!(sorted, (0..day.planned.len()).collect::<Vec<_>>());
    for (position, stop) in order.iter().enumerate() {
        let moves = day.planned[*stop].place.is_some();
        assert!(moves || position == *stop, "a stop without a place keeps its position");
    }
}

#[test]
fn no_order_of_up_to_eight_stops_is_better() {
    check(500, days(0..=8_usize), |day| {
        let plan = day.day().optimise();
        is_an_order(&day, &plan.order);
        let mut left = (0..day.planned.len()).filter(|stop| day.planned[*stop].place.is_some()).collect();
        let dawn = At { place: day.start, time: day.begins, late: 0, travel: 0 };
        let least = least(&day, 0, dawn, &mut left);
        if least.late == 0 {
            assert_eq!(plan.cost, least);
        } else {
            assert_eq!(plan.order, (0..day.planned.len()).collect::<Vec<_>>(), "it stays as it was");
        }
        assert_eq!(day.day().plan(plan.order.clone()), plan, "the plan is what its order comes to");
    });
}

#[test]
fn no_day_gets_worse_and_the_same_day_gets_the_same_order() {
    check(40, days(0..=25_usize), |day| {
        let (given, plan) = (day.day().plan((0..day.planned.len()).collect()), day.day().optimise());
        is_an_order(&day, &plan.order);
        assert!(plan.cost <= given.cost);
        assert!(given.cost.late > 0 || plan.cost.late == 0, "a fixed time that was kept is kept");
        assert_eq!(day.day().optimise(), plan);
    });
}

#[test]
fn searching_finds_what_is_best_along_a_street() {
    let stops = EXACT + 8;
    let minutes = |houses: usize| 3 * u32::try_from(houses).expect("few");
    let row = |from: usize| (0..=stops).map(|to: usize| minutes(from.abs_diff(to))).collect();
    let travel: Vec<Vec<u32>> = (0..=stops).map(row).collect();
    // Every third house first, then the others.
    let places = (0..3).flat_map(|first| (first..stops).step_by(3));
    let planned: Vec<_> = places.map(|place| PlannedStop { place: Some(place), duration: 10, fixed: None }).collect();
    let day = Day { stops: &planned, travel: &travel, start: Some(0), begins: 540, ends: None };
    assert_eq!(day.optimise().cost.travel, minutes(stops - 1));
}
