//! Merges days, their stops and their legs.
//!
//! Stops are one list across the days, so that a stop that moves to another day stays the same stop. Days that are equal
//! in all versions are not parsed, and their stops are not compared.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use itinerary_api::types::{Day, Days, Stop};

use super::fields;
use super::legs::{self, Legs};
use super::lists::{Merger, by_id, id, object_of, order, path};
use super::order::{Order, Orders, WHOLE};
use crate::content::Part;
use crate::entry::{Entries, Entry};

pub(super) type DayEntries = Entries<Day, { Days::MAX }>;

/// The ids of the days that are not equal in all versions.
pub(super) fn touched_ids<const N: usize>(versions: [&DayEntries; N]) -> HashSet<&str> {
    let days = versions.map(|days| by_id(days));
    let is_equal = |id: &str| days.windows(2).all(|pair| pair[0].get(id) == pair[1].get(id));
    let ids: HashSet<_> = versions.into_iter().flat_map(|days| days.iter().map(id)).collect();
    ids.into_iter().filter(|id| !is_equal(id)).collect()
}

/// The touched days of one version, and their stops.
pub(super) struct Touched<'a> {
    pub(super) days: HashMap<&'a str, Cow<'a, Day>>,
    pub(super) stops: HashMap<&'a str, Entry<Stop>>,
}

impl<'a> Touched<'a> {
    pub(super) fn new(days: &'a DayEntries, ids: &HashSet<&str>) -> serde_json::Result<Self> {
        let mut touched = Self { days: HashMap::new(), stops: HashMap::new() };
        for entry in days.iter().filter(|entry| ids.contains(id(entry))) {
            let day = entry.value()?;
            touched.stops.extend(stop_ids(entry).zip(day.stops.iter().cloned().map(Entry::from)));
            touched.days.insert(id(entry), day);
        }
        Ok(touched)
    }
}

fn stop_ids(day: &Entry<Day>) -> impl Iterator<Item = &str> {
    day.index().stops.iter().map(|stop| stop.id.as_deref().unwrap_or_default())
}

/// The stops of the touched days, by day.
pub(super) fn stop_order<'a>(days: &'a DayEntries, ids: &HashSet<&str>) -> Order<'a> {
    let touched = days.iter().filter(|day| ids.contains(id(day)));
    Order::new(touched.map(|day| (id(day), stop_ids(day).collect())))
}

/// The path of a stop.
pub(super) fn stop_path(day: &str, stop: &str) -> String {
    format!("{}.{}", path(Part::Days.name(), day), path("stops", stop))
}

/// Merges the days, their stops and their legs.
pub(super) fn merge(merger: &mut Merger, versions: [&DayEntries; 3]) -> serde_json::Result<DayEntries> {
    let [base, current, yours] = versions;
    if yours == base {
        return Ok(current.clone());
    }
    let ids = touched_ids(versions);
    let touched = [Touched::new(base, &ids)?, Touched::new(current, &ids)?, Touched::new(yours, &ids)?];
    let days = Orders::new(versions.map(|days| order(days)));
    let stops = Orders::new(versions.map(|days| stop_order(days, &ids)));
    let mut merge = DayMerge { merger, touched: &touched, days, stops, unequal: HashSet::new() };
    let merged_days = merge.days(versions)?;
    let merged_stops = merge.stops()?;
    merge.assemble(merged_days, merged_stops)
}

struct DayMerge<'m, 'a> {
    merger: &'m mut Merger<'a>,
    touched: &'m [Touched<'m>; 3],
    days: Orders<'m>,
    stops: Orders<'m>,
    /// Days with the same id that the sides added differently.
    unequal: HashSet<&'m str>,
}

/// A merged day, and its merged legs if it is touched.
type MergedDay = (Entry<Day>, Option<Legs>);

impl<'m> DayMerge<'m, '_> {
    /// Merges the fields and legs of the days.
    fn days(&mut self, versions: [&'m DayEntries; 3]) -> serde_json::Result<HashMap<&'m str, MergedDay>> {
        let entries = versions.map(|days| by_id(days));
        let mut merged = HashMap::new();
        let ids: Vec<_> = self.days.ids(WHOLE).collect();
        for id in ids {
            let path = path(Part::Days.name(), id);
            let versions = entries.each_ref().map(|days| days.get(id).copied());
            let values = self.touched.each_ref().map(|touched| touched.days.get(id).map(|day| &**day));
            let differs = match values {
                [Some(base), Some(day), None] | [Some(base), None, Some(day)] => legs::has_new(base, day),
                [None, Some(current), Some(yours)] => !are_same(current, yours)?,
                _ => false,
            };
            self.merger.position(&path, &self.days, id);
            let Some(day) = self.merger.item(&path, versions, differs)? else { continue };
            if differs {
                self.unequal.insert(id);
            } else {
                let is_touched = values.iter().any(Option::is_some);
                let legs = is_touched.then(|| Legs::merge(self.merger, &path, values));
                merged.insert(id, (day, legs));
            }
        }
        Ok(merged)
    }

    /// Merges the stops of the touched days.
    fn stops(&mut self) -> serde_json::Result<HashMap<&'m str, Entry<Stop>>> {
        let stops_of = |day| self.stops.ids(day).map(move |stop| (day, stop));
        let ids: Vec<_> = self.days.ids(WHOLE).flat_map(stops_of).collect();
        let mut merged = HashMap::new();
        for (day, id) in ids {
            merged.extend(self.stop(&stop_path(day, id), id)?.map(|stop| (id, stop)));
        }
        Ok(merged)
    }

    /// Merges a stop. `None` if it was removed.
    fn stop(&mut self, path: &str, id: &str) -> serde_json::Result<Option<Entry<Stop>>> {
        let touched = self.touched;
        let versions = touched.each_ref().map(|touched| touched.stops.get(id));
        let days = [&self.stops.base, &self.stops.current, &self.stops.yours].map(|order| order.sublist(id));
        if days[1..].iter().flatten().any(|day| self.unequal.contains(day)) {
            return Ok(None);
        }
        if self.is_in_removed_day(days) {
            let positions = self.stops.positions(id);
            if positions.iter().all(Option::is_some) {
                self.merger.conflict(path, positions);
            } else {
                self.merger.item_conflict(path, versions)?;
            }
            return Ok(None);
        }
        match days {
            [None, Some(current), Some(yours)] if current != yours => self.merger.item_conflict(path, versions)?,
            // Removed with its day by one side, moved to another day by the other.
            [Some(base), Some(current), None] if current != base && !self.days.yours.has(base) => {
                return Ok(versions[1].cloned());
            }
            [Some(base), None, Some(yours)] if yours != base && !self.days.current.has(base) => {
                return Ok(versions[2].cloned());
            }
            _ => {
                self.merger.position(path, &self.stops, id);
                return self.merger.item(path, versions, false);
            }
        }
        Ok(None)
    }

    /// Whether a side added or moved a stop to a day that the other side removed.
    fn is_in_removed_day(&self, [base, current, yours]: [Option<&str>; 3]) -> bool {
        [(current, &self.days.yours), (yours, &self.days.current)]
            .into_iter()
            .any(|(day, other)| day.is_some_and(|day| base != Some(day) && self.days.base.has(day) && !other.has(day)))
    }

    /// Puts the stops and legs into the days, and the days into order. The result counts only if there is no conflict.
    fn assemble(
        self,
        mut days: HashMap<&str, MergedDay>,
        mut stops: HashMap<&str, Entry<Stop>>,
    ) -> serde_json::Result<DayEntries> {
        let mut merged = Vec::with_capacity(days.len());
        for id in self.days.merged(WHOLE, |id| days.contains_key(id)) {
            let Some((mut day, legs)) = days.remove(id) else { continue };
            if let Some(legs) = legs {
                let path = path(Part::Days.name(), id);
                let order = self.stops.merged(id, |stop| stops.contains_key(stop));
                let entries = order.into_iter().filter_map(|stop| stops.remove(stop));
                let stops = entries.map(|stop| stop.value().map(Cow::into_owned)).collect::<serde_json::Result<_>>()?;
                day.change(|day| {
                    day.stops = self.merger.limited(&format!("{path}.stops"), stops);
                    day.legs = self.merger.limited(&format!("{path}.legs"), legs.into_fitting(&day.stops));
                })?;
            }
            merged.push(day);
        }
        Ok(self.merger.limited(Part::Days.name(), merged))
    }
}

/// Whether two days that were added are the same, with their stops and legs.
fn are_same(one: &Day, other: &Day) -> serde_json::Result<bool> {
    let is_equal = one.image == other.image && one.stops.len() == other.stops.len() && legs::are_same(one, other);
    for (one, other) in one.stops.iter().zip(&other.stops).take_while(|_| is_equal) {
        if one.id != other.id || fields::differ(&object_of(one)?, &object_of(other)?) {
            return Ok(false);
        }
    }
    Ok(is_equal)
}
