//! A good order of many stops: inserts each where it costs least, then improves the order until no move helps.

use super::route::{CandidateOrder, OrderChange, Pinned};
use super::{Day, OrderCost};

/// The longest run of stops that is moved as one.
const RUN: usize = 3;

/// The best order found for the movable stops, with the pinned ones between them.
pub(super) fn best(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let starts = [moving.to_vec(), inserted(day, moving), nearest(day, moving)];
    let pinned = Pinned::new(day, moving);
    let improved = starts.map(|start| improve(day, &pinned, start));
    let best = improved.into_iter().min_by_key(|(cost, _)| *cost).expect("there are three");
    day.with_pinned(&best.1)
}

fn cost(day: &Day<'_>, moving: &[usize]) -> OrderCost {
    let mut progress = day.dawn();
    let mut moving = moving.iter();
    for (position, stop) in day.stops.iter().enumerate() {
        let stop = if stop.place.is_some() { moving.next() } else { Some(&position) };
        // A partial order ends at the first empty place.
        let Some(stop) = stop else { break };
        progress.advance_to(day, *stop);
    }
    progress.cost(day)
}

/// Inserts stops with fixed times in their order, then each of the others where it costs least.
fn inserted(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let mut stops = moving.to_vec();
    stops.sort_by_key(|stop| (day.stops[*stop].fixed.is_none(), day.stops[*stop].fixed));
    let mut order: Vec<usize> = Vec::with_capacity(stops.len());
    for stop in stops {
        let with = |position: usize| {
            let mut order = order.clone();
            order.insert(position, stop);
            order
        };
        let position = (0..=order.len()).min_by_key(|position| cost(day, &with(*position))).unwrap_or_default();
        order.insert(position, stop);
    }
    order
}

/// Goes from each stop to the nearest remaining one.
fn nearest(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let (mut left, mut order) = (moving.to_vec(), Vec::with_capacity(moving.len()));
    let mut here = day.start;
    while !left.is_empty() {
        let travel = |stop: usize| here.zip(day.stops[stop].place).map(|(from, to)| day.travel[from][to]);
        let next = (0..left.len()).min_by_key(|n| travel(left[*n])).unwrap_or_default();
        let stop = left.remove(next);
        here = day.stops[stop].place;
        order.push(stop);
    }
    order
}

/// How many steps the search from one start may take: a step visits a run of stops.
const BUDGET: usize = 600_000;

/// Applies changes that help, until none does or the budget is spent.
fn improve(day: &Day<'_>, pinned: &Pinned, order: Vec<usize>) -> (OrderCost, Vec<usize>) {
    let count = order.len();
    let mut route = CandidateOrder::new(day, pinned, order);
    let (mut least, mut steps) = (route.cost(), 0);
    loop {
        let before = least;
        for change in changes(count) {
            if let Some(cost) = route.cost_after(&change, least, &mut steps) {
                least = cost;
                route = CandidateOrder::new(day, pinned, route.changed(&change));
            }
            if steps > BUDGET {
                return (least, route.into_order());
            }
        }
        if least == before {
            return (least, route.into_order());
        }
    }
}

/// Every reversal of a segment (2-opt), and every move of a short run, as it is or reversed (or-opt).
fn changes(count: usize) -> impl Iterator<Item = OrderChange> {
    let turned = (0..count).flat_map(move |from| (from + 2..=count).map(move |to| OrderChange::reversal(from, to)));
    let runs = (1..=RUN.min(count)).flat_map(move |length| (0..=count - length).map(move |from| (from, from + length)));
    let moved = runs.flat_map(move |(from, to)| {
        let places = (0..from).chain(to + 1..=count);
        let turns = if to - from == 1 { &[false][..] } else { &[false, true] };
        places.flat_map(move |place| turns.iter().map(move |turn| OrderChange::moved(from, to, place, *turn)))
    });
    turned.chain(moved)
}
