//! The cost of a changed order, without visiting every stop.
//!
//! Where no time is fixed, a run of stops adds the same minutes whenever it begins. So a route keeps sums over its order,
//! and a changed order costs one step for each unbroken run of the old order, and one for each fixed time after the change.

use super::exact::{advance, pinned_after};
use super::{Day, OrderCost, Progress};

/// The stops of a day that do not move, by the number of movable stops before them.
pub(super) struct Pinned {
    /// The stops that follow directly after so many movable stops.
    after: Vec<Vec<usize>>,
    /// Cumulative minutes of these stops, excluding those before the first movable stop.
    minutes: Vec<u32>,
    /// From each number on, the first after which one has a fixed time.
    next_fixed: Vec<usize>,
}

impl Pinned {
    pub(super) fn new(day: &Day<'_>, moving: &[usize]) -> Self {
        let after = pinned_after(day, moving);
        let minutes_of = |stops: &Vec<usize>| stops.iter().map(|stop| day.stops[*stop].duration).sum();
        let minutes = sums(after.iter().skip(1).map(minutes_of));
        let is_fixed = |stops: &Vec<usize>| stops.iter().any(|stop| day.stops[*stop].fixed.is_some());
        let next_fixed = next(&after.iter().map(is_fixed).collect::<Vec<_>>());
        Self { after, minutes, next_fixed }
    }
}

/// An order of the movable stops, with sums over it.
pub(super) struct CandidateOrder<'r> {
    day: &'r Day<'r>,
    pinned: &'r Pinned,
    order: Vec<usize>,
    /// How far the traveller has come after so many movable stops, and the pinned ones that follow.
    reached: Vec<Progress>,
    /// Minutes of travel from the first stop to each, in this order.
    there: Vec<u32>,
    /// Minutes of travel from each stop back to the first, in the reverse order.
    back: Vec<u32>,
    /// Minutes that so many first stops take.
    stays: Vec<u32>,
    /// From each stop on, the position of the first with a fixed time.
    next_fixed: Vec<usize>,
    /// For each stop, one more than the position of the last with a fixed time up to it, or 0.
    after_fixed: Vec<usize>,
}

/// Consecutive stops of an order, which are visited in this order or in the reverse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from: usize,
    to: usize,
    reversed: bool,
}

/// A change of an order: adjacent runs, in the order in which they are visited after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OrderChange {
    runs: [Run; 2],
}

impl OrderChange {
    /// The stops between two positions in the reverse order.
    pub(super) fn reversal(from: usize, to: usize) -> Self {
        Self { runs: [Run { from, to, reversed: true }, Run { from: to, to, reversed: false }] }
    }

    /// The stops between two positions before or after others, up to a position outside of them.
    pub(super) fn moved(from: usize, to: usize, place: usize, reversed: bool) -> Self {
        let run = Run { from, to, reversed };
        if place < from {
            Self { runs: [run, Run { from: place, to: from, reversed: false }] }
        } else {
            Self { runs: [Run { from: to, to: place, reversed: false }, run] }
        }
    }

    fn begin(&self) -> usize {
        self.runs[0].from.min(self.runs[1].from)
    }

    fn end(&self) -> usize {
        self.runs[0].to.max(self.runs[1].to)
    }
}

impl<'r> CandidateOrder<'r> {
    pub(super) fn new(day: &'r Day<'r>, pinned: &'r Pinned, order: Vec<usize>) -> Self {
        let place = |stop: usize| day.stops[stop].place.expect("a movable stop has a place");
        let way = |from: usize, to: usize| day.travel[place(from)][place(to)];
        let there = sums(order.windows(2).map(|pair| way(pair[0], pair[1])));
        let back = sums(order.windows(2).map(|pair| way(pair[1], pair[0])));
        let stays = sums(order.iter().map(|stop| day.stops[*stop].duration));
        let fixed: Vec<bool> = order.iter().map(|stop| day.stops[*stop].fixed.is_some()).collect();
        let mut last = 0;
        let after_fixed = fixed.iter().enumerate().map(|(position, is_fixed)| {
            last = if *is_fixed { position + 1 } else { last };
            last
        });
        let after_fixed = after_fixed.collect();
        let mut dawn = day.dawn();
        for stop in &pinned.after[0] {
            dawn.advance_to(day, *stop);
        }
        let mut reached = vec![dawn];
        for (stop, after) in order.iter().zip(&pinned.after[1..]) {
            reached.push(advance(day, reached[reached.len() - 1], *stop, after));
        }
        Self { day, pinned, order, reached, there, back, stays, next_fixed: next(&fixed), after_fixed }
    }

    pub(super) fn cost(&self) -> OrderCost {
        self.reached[self.order.len()].cost(self.day)
    }

    pub(super) fn into_order(self) -> Vec<usize> {
        self.order
    }

    /// The cost after a change, or `None` if it is not below the limit. Adds the steps that this took.
    pub(super) fn cost_after(&self, change: &OrderChange, limit: OrderCost, steps: &mut usize) -> Option<OrderCost> {
        let rest = Run { from: change.end(), to: self.order.len(), reversed: false };
        let mut done = change.begin();
        let mut progress = self.reached[done];
        for run in change.runs.iter().chain([&rest]) {
            self.advance_run(&mut progress, &mut done, *run, steps);
            // More stops do not make it less late.
            if progress.late > limit.late {
                return None;
            }
        }
        Some(progress.cost(self.day)).filter(|cost| *cost < limit)
    }

    /// Visits a run of stops, and the pinned ones between them.
    fn advance_run(&self, progress: &mut Progress, done: &mut usize, run: Run, steps: &mut usize) {
        let Run { mut from, mut to, reversed } = run;
        while from < to {
            *steps += 1;
            let at = if reversed { to - 1 } else { from };
            let free = if reversed { to - self.after_fixed[at].max(from) } else { self.next_fixed[at].min(to) - from };
            let free = free.min(self.pinned.next_fixed[*done + 1] - (*done + 1));
            if free == 0 {
                *progress = advance(self.day, *progress, self.order[at], &self.pinned.after[*done + 1]);
            } else {
                self.pass(progress, *done, at, free, reversed);
            }
            let visited = free.max(1);
            *done += visited;
            if reversed { to -= visited } else { from += visited }
        }
    }

    /// Visits so many stops, where neither they nor the pinned ones between them have a fixed time.
    fn pass(&self, progress: &mut Progress, done: usize, at: usize, count: usize, reversed: bool) {
        let last = if reversed { at + 1 - count } else { at + count - 1 };
        let place = |position: usize| self.day.stops[self.order[position]].place;
        let first = progress.place.zip(place(at)).map_or(0, |(from, to)| self.day.travel[from][to]);
        let within = if reversed { self.back[at] - self.back[last] } else { self.there[last] - self.there[at] };
        let stays = self.stays[at.max(last) + 1] - self.stays[at.min(last)];
        let pinned = self.pinned.minutes[done + count] - self.pinned.minutes[done];
        progress.travel += first + within;
        progress.time += first + within + stays + pinned;
        progress.place = place(last);
    }

    /// The order after a change.
    pub(super) fn changed(&self, change: &OrderChange) -> Vec<usize> {
        let mut order = self.order[..change.begin()].to_vec();
        for run in &change.runs {
            order.extend_from_slice(&self.order[run.from..run.to]);
            if run.reversed {
                let added = order.len() - (run.to - run.from);
                order[added..].reverse();
            }
        }
        order.extend_from_slice(&self.order[change.end()..]);
        order
    }
}

/// The sum of the first 0, 1, … numbers.
fn sums(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut sums = vec![0];
    sums.extend(numbers.scan(0, |sum, number| {
        *sum += number;
        Some(*sum)
    }));
    sums
}

/// From each position on, the first that is true, or the end.
fn next(are: &[bool]) -> Vec<usize> {
    let mut next = vec![are.len(); are.len()];
    for position in (0..are.len()).rev() {
        let after = next.get(position + 1).copied().unwrap_or(are.len());
        next[position] = if are[position] { position } else { after };
    }
    next
}

#[cfg(test)]
mod tests {
    use super::super::PlannedStop;
    use super::*;

    // A day in which stops have fixed times, and some do not move.
    #[test]
    fn the_cost_after_a_change_is_that_of_visiting_every_stop() {
        let number = 12;
        let way = |from: u32, to: u32| (from * 37 + to * 101 + from * to) % 60;
        let travel: Vec<Vec<u32>> = (0..number).map(|from| (0..number).map(|to| way(from, to)).collect()).collect();
        let stop = |n: usize| {
            let fixed = [(3, 700), (7, 1300), (9, 900)].iter().find(|(at, _)| *at == n).map(|(_, minute)| *minute);
            PlannedStop { place: (n % 4 != 1).then_some(n), duration: 10 + u32::try_from(n).expect("few"), fixed }
        };
        let planned: Vec<_> = (0..12).map(stop).collect();
        let day = Day { stops: &planned, travel: &travel, start: Some(0), begins: 540, ends: Some(900) };
        let moving = day.moving();
        let pinned = Pinned::new(&day, &moving);
        let route = CandidateOrder::new(&day, &pinned, moving.clone());
        let (worst, mut steps) = (OrderCost { late: u32::MAX, ..OrderCost::default() }, 0);
        for (from, to, place) in [(0, 3, 0), (2, 9, 2), (1, 2, 7), (4, 6, 0), (3, 5, 9), (6, 9, 5)] {
            for reversed in [false, true] {
                let change = if from == place {
                    OrderChange::reversal(from, to)
                } else {
                    OrderChange::moved(from, to, place, reversed)
                };
                let changed = route.changed(&change);
                let expected = day.plan(day.with_pinned(&changed)).cost;
                assert_eq!(route.cost_after(&change, worst, &mut steps), Some(expected), "{change:?}");
                assert_eq!(route.cost_after(&change, expected, &mut steps), None, "it is not below itself");
            }
        }
    }
}
