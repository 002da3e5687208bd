//! A good order of many stops: inserts each where it costs least, then improves the order until no move helps.

use super::{Cost, Day};

/// The longest run of stops that is moved as one.
const RUN: usize = 3;

/// The best order found for the movable stops, with the pinned ones between them.
pub(super) fn best(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let starts = [moving.to_vec(), inserted(day, moving), nearest(day, moving)];
    let improved = starts.map(|start| improve(day, start));
    let best = improved.into_iter().min_by_key(|(cost, _)| *cost).expect("there are three");
    day.with_pinned(&best.1)
}

fn cost(day: &Day<'_>, moving: &[usize]) -> Cost {
    let mut progress = day.dawn();
    let mut moving = moving.iter();
    for (position, visit) in day.visits.iter().enumerate() {
        let visit = if visit.place.is_some() { moving.next() } else { Some(&position) };
        // A partial order ends at the first empty place.
        let Some(visit) = visit else { break };
        progress.visit(day, *visit);
    }
    progress.cost(day)
}

/// Inserts stops with fixed times in their order, then each of the others where it costs least.
fn inserted(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let mut visits = moving.to_vec();
    visits.sort_by_key(|visit| (day.visits[*visit].fixed.is_none(), day.visits[*visit].fixed));
    let mut order: Vec<usize> = Vec::with_capacity(visits.len());
    for visit in visits {
        let with = |position: usize| {
            let mut order = order.clone();
            order.insert(position, visit);
            order
        };
        let position = (0..=order.len()).min_by_key(|position| cost(day, &with(*position))).unwrap_or_default();
        order.insert(position, visit);
    }
    order
}

/// Goes from each stop to the nearest remaining one.
fn nearest(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let (mut left, mut order) = (moving.to_vec(), Vec::with_capacity(moving.len()));
    let mut here = day.start;
    while !left.is_empty() {
        let travel = |visit: usize| here.zip(day.visits[visit].place).map(|(from, to)| day.travel[from][to]);
        let next = (0..left.len()).min_by_key(|n| travel(left[*n])).unwrap_or_default();
        let visit = left.remove(next);
        here = day.visits[visit].place;
        order.push(visit);
    }
    order
}

/// The maximum number of orders that a search evaluates: several times what a day of 25 stops needs.
const BUDGET: usize = 100_000;

/// Applies the first change that helps and starts over, until none helps or the budget is spent.
fn improve(day: &Day<'_>, mut order: Vec<usize>) -> (Cost, Vec<usize>) {
    let mut least = cost(day, &order);
    let mut left = BUDGET;
    loop {
        let tried = changes(&order).take(left).inspect(|_| left -= 1);
        let better = tried.map(|order| (cost(day, &order), order)).find(|(cost, _)| *cost < least);
        let Some(better) = better else { return (least, order) };
        (least, order) = better;
    }
}

/// Every order made by reversing a segment (2-opt), or by moving a short run, as it is or reversed (or-opt).
fn changes(order: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count = order.len();
    let turned = (0..count).flat_map(move |from| (from + 2..=count).map(move |to| (from, to))).map(|(from, to)| {
        let mut order = order.to_vec();
        order[from..to].reverse();
        order
    });
    let runs = (1..=RUN.min(count)).flat_map(move |length| (0..=count - length).map(move |from| (from, length)));
    let moved = runs.flat_map(move |(from, length)| {
        let places = (0..=count - length).filter(move |to| *to != from);
        places.flat_map(move |to| [false, true].map(|turn| moved(order, from, length, to, turn)))
    });
    turned.chain(moved)
}

fn moved(order: &[usize], from: usize, length: usize, to: usize, turn: bool) -> Vec<usize> {
    let mut rest = order.to_vec();
    let mut run: Vec<usize> = rest.drain(from..from + length).collect();
    if turn {
        run.reverse();
    }
    rest.splice(to..to, run);
    rest
}
