//! The optimal order of few stops: dynamic programming over the set of visited stops and the last one.
//!
//! Because a traveller waits for fixed times, an earlier order may have more travel. So each state keeps every order
//! that no other order beats in all respects.

use super::{Day, Progress};

/// An order of some stops: its progress, and the state and order that it extends.
struct PartialOrder {
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
    let mut states: Vec<Vec<PartialOrder>> = Vec::new();
    states.resize_with((1 << count) * count, Vec::new);
    let mut dawn = day.dawn();
    for stop in &pinned[0] {
        dawn.advance_to(day, *stop);
    }
    for (last, &stop) in moving.iter().enumerate() {
        let progress = advance(day, dawn, stop, &pinned[1]);
        add(&mut states[(1 << last) * count + last], PartialOrder { progress, from: None });
    }
    for done in 1_usize..1 << count {
        let after = pinned.get(done.count_ones() as usize + 1);
        for last in (0..count).filter(|last| done & (1 << last) != 0) {
            let state = done * count + last;
            for partial in 0..states[state].len() {
                let progress = states[state][partial].progress;
                for next in (0..count).filter(|next| done & (1 << next) == 0) {
                    let after = after.expect("a stop is left");
                    let progress = advance(day, progress, moving[next], after);
                    let to = (done | 1 << next) * count + next;
                    add(&mut states[to], PartialOrder { progress, from: Some((state, partial)) });
                }
            }
        }
    }
    let all = ((1 << count) - 1) * count;
    let ends = (all..all + count).flat_map(|state| (0..states[state].len()).map(move |partial| (state, partial)));
    let best =
        ends.min_by_key(|(state, partial)| states[*state][*partial].progress.cost(day)).expect("there is an order");
    day.with_pinned(&walk(&states, best, count, moving))
}

/// For each number of movable stops, the pinned stops that follow directly.
pub(super) fn pinned_after(day: &Day<'_>, moving: &[usize]) -> Vec<Vec<usize>> {
    let mut pinned = vec![Vec::new(); moving.len() + 1];
    let mut before = 0;
    for (position, stop) in day.stops.iter().enumerate() {
        match stop.place {
            Some(_) => before += 1,
            None => pinned[before].push(position),
        }
    }
    pinned
}

/// Visits a stop and the pinned stops that follow.
pub(super) fn advance(day: &Day<'_>, mut progress: Progress, stop: usize, after: &[usize]) -> Progress {
    progress.advance_to(day, stop);
    for stop in after {
        progress.advance_to(day, *stop);
    }
    progress
}

/// Adds an order unless another is at least as good, and removes those that it beats. Nothing refers to the removed
/// orders yet, because states are expanded in the order of their visited stops.
fn add(partials: &mut Vec<PartialOrder>, partial: PartialOrder) {
    if !partials.iter().any(|known| known.progress.is_as_good_as(&partial.progress)) {
        partials.retain(|known| !partial.progress.is_as_good_as(&known.progress));
        partials.push(partial);
    }
}

/// The stops in a found order.
fn walk(states: &[Vec<PartialOrder>], end: (usize, usize), count: usize, moving: &[usize]) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut next = Some(end);
    while let Some((state, partial)) = next {
        order.push(moving[state % count]);
        next = states[state][partial].from;
    }
    order.reverse();
    order
}
