//! The optimal order of few stops: dynamic programming over the set of visited stops and the last one.
//!
//! Because a traveller waits for fixed times, an earlier way may have more travel. So each state keeps every way that
//! no other way beats in all respects.

use super::{Day, Progress};

/// A way to a state: its progress, and the state and way before it.
struct Way {
    progress: Progress,
    from: Option<(usize, usize)>,
}

/// The optimal order of the movable stops, with the pinned ones between them.
pub(super) fn best(day: &Day<'_>, moving: &[usize]) -> Vec<usize> {
    let count = moving.len();
    if count == 0 {
        return day.with_pinned(&[]);
    }
    let pinned = pinned_after(day, moving);
    let mut states: Vec<Vec<Way>> = Vec::new();
    states.resize_with((1 << count) * count, Vec::new);
    let mut dawn = day.dawn();
    for visit in &pinned[0] {
        dawn.visit(day, *visit);
    }
    for (last, &visit) in moving.iter().enumerate() {
        let progress = advance(day, dawn, visit, &pinned[1]);
        add(&mut states[(1 << last) * count + last], Way { progress, from: None });
    }
    for done in 1_usize..1 << count {
        let after = pinned.get(done.count_ones() as usize + 1);
        for last in (0..count).filter(|last| done & (1 << last) != 0) {
            let state = done * count + last;
            for way in 0..states[state].len() {
                let progress = states[state][way].progress;
                for next in (0..count).filter(|next| done & (1 << next) == 0) {
                    let after = after.expect("a stop is left");
                    let progress = advance(day, progress, moving[next], after);
                    let to = (done | 1 << next) * count + next;
                    add(&mut states[to], Way { progress, from: Some((state, way)) });
                }
            }
        }
    }
    let all = ((1 << count) - 1) * count;
    let ends = (all..all + count).flat_map(|state| (0..states[state].len()).map(move |way| (state, way)));
    let best = ends.min_by_key(|(state, way)| states[*state][*way].progress.cost(day)).expect("there is a way");
    day.with_pinned(&walk(&states, best, count, moving))
}

/// For each number of movable stops, the pinned stops that follow directly.
pub(super) fn pinned_after(day: &Day<'_>, moving: &[usize]) -> Vec<Vec<usize>> {
    let mut pinned = vec![Vec::new(); moving.len() + 1];
    let mut before = 0;
    for (position, visit) in day.visits.iter().enumerate() {
        match visit.place {
            Some(_) => before += 1,
            None => pinned[before].push(position),
        }
    }
    pinned
}

/// Visits a stop and the pinned stops that follow.
pub(super) fn advance(day: &Day<'_>, mut progress: Progress, visit: usize, after: &[usize]) -> Progress {
    progress.visit(day, visit);
    for visit in after {
        progress.visit(day, *visit);
    }
    progress
}

/// Adds a way unless another is at least as good, and removes those that it beats. Nothing refers to the removed ways
/// yet, because states are expanded in the order of their visited stops.
fn add(ways: &mut Vec<Way>, way: Way) {
    if !ways.iter().any(|known| known.progress.is_as_good_as(&way.progress)) {
        ways.retain(|known| !way.progress.is_as_good_as(&known.progress));
        ways.push(way);
    }
}

/// The stops in the order of a way.
fn walk(states: &[Vec<Way>], end: (usize, usize), count: usize, moving: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut next = Some(end);
    while let Some((state, way)) = next {
        order.push(moving[state % count]);
        next = states[state][way].from;
    }
    order.reverse();
    order
}
