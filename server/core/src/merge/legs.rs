//! Merges and compares the legs of a day.
//!
//! Legs that the server computed are never compared: those of the current version stay where they still fit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use itinerary_api::types::{Coordinate, Day, Leg, Stop};
use serde_json::json;

use super::lists::Merger;
use crate::legs::{coordinate, is_ours};

/// The legs of a day that were sent, by their names in paths. Legs of the same stops and mode are numbered.
type Sent<'a> = BTreeMap<(String, usize), &'a Leg>;

fn sent(day: Option<&Day>) -> Sent<'_> {
    let mut sent = Sent::new();
    for leg in day.iter().flat_map(|day| &day.legs).filter(|leg| !is_ours(leg)) {
        let mode = json!(leg.mode);
        let name = format!("from={},to={},mode={}", &*leg.from, &*leg.to, mode.as_str().unwrap_or_default());
        let number = sent.keys().filter(|(other, _)| *other == name).count();
        sent.insert((name, number), leg);
    }
    sent
}

/// Whether two days have the same legs, but for those that the server computed.
pub(super) fn are_same(one: &Day, other: &Day) -> bool {
    sent(Some(one)) == sent(Some(other))
}

/// Whether a day has a leg that the base lacks, or has differently.
pub(super) fn has_new(base: &Day, day: &Day) -> bool {
    let base = sent(Some(base));
    sent(Some(day)).iter().any(|(key, leg)| base.get(key) != Some(leg))
}

/// Merged legs, before those that do not fit the merged stops are removed.
#[derive(Default)]
pub(super) struct Legs {
    /// Legs that the version in `source` has, perhaps changed by you.
    kept: Vec<Leg>,
    /// Legs that you added.
    added: Vec<Leg>,
    /// The coordinates of the stops that the computed legs were computed for.
    source: HashMap<String, Option<Coordinate>>,
}

impl Legs {
    /// The legs of a day that only one side has.
    pub(super) fn of(day: &Day) -> Self {
        let places = day.stops.iter().filter_map(|stop| Some((stop.id.as_deref()?.to_owned(), coordinate(stop))));
        Self { kept: day.legs.to_vec(), added: Vec::new(), source: places.collect() }
    }

    /// The merged legs of a day that both sides have.
    pub(super) fn merge(merger: &mut Merger, path: &str, [base, current, yours]: [Option<&Day>; 3]) -> Self {
        let Some(day) = current else { return yours.map(Self::of).unwrap_or_default() };
        let mut legs = Self::of(day);
        if yours.is_none() {
            return legs;
        }
        let [base, current, yours] = [base, Some(day), yours].map(sent);
        let keys: BTreeSet<_> = base.keys().chain(current.keys()).chain(yours.keys()).collect();
        for key in keys {
            let [base, current, yours] = [&base, &current, &yours].map(|sent| sent.get(key).copied());
            if yours == base || yours == current {
                continue;
            }
            if current != base {
                let path = format!("{path}.legs[{}]", key.0);
                merger.conflict(&path, [base, current, yours].map(|leg| leg.map(|leg| json!(leg))));
            } else if let Some(current) = current {
                legs.replace(current, yours);
            } else {
                legs.added.extend(yours.cloned());
            }
        }
        let pairs: HashSet<_> = legs.added.iter().map(|leg| (&leg.from, &leg.to)).collect();
        legs.kept.retain(|leg| !is_ours(leg) || !pairs.contains(&(&leg.from, &leg.to)));
        legs
    }

    fn replace(&mut self, leg: &Leg, by: Option<&Leg>) {
        if let Some(index) = self.kept.iter().position(|kept| kept == leg) {
            match by {
                Some(by) => self.kept[index] = by.clone(),
                None => drop(self.kept.remove(index)),
            }
        }
    }

    /// The legs that join adjacent stops, without those that were computed for other coordinates. In the order of the stops
    /// if you added some.
    pub(super) fn into_fitting(self, stops: &[Stop]) -> Vec<Leg> {
        let stops = stops.iter().enumerate().filter_map(|(n, stop)| Some((stop.id.as_deref()?, (n, coordinate(stop)))));
        let stops: HashMap<_, _> = stops.collect();
        let index = |id: &str| stops.get(id).map(|(index, _)| *index);
        let joins = |leg: &Leg| index(&leg.from).is_some_and(|from| index(&leg.to) == Some(from + 1));
        let has_moved = |id: &str| stops.get(id).map(|(_, now)| now) != self.source.get(id);
        let is_outdated = |leg: &Leg| is_ours(leg) && (has_moved(&leg.from) || has_moved(&leg.to));
        let is_sorted = self.added.is_empty();
        let mut legs: Vec<_> = self.kept.into_iter().chain(self.added).collect();
        legs.retain(|leg| joins(leg) && !is_outdated(leg));
        if !is_sorted {
            legs.sort_by_key(|leg| index(&leg.from));
        }
        legs
    }
}
