//! Bookings into the lists of a trip: new ones are added, empty fields of known ones are filled, and fields that differ are
//! listed, and replaced only with `overwrite`.
//!
//! A draft of a new trip is the same with empty lists.

pub(crate) mod compare;
pub(crate) mod stops;
mod trip;

use std::collections::{HashMap, HashSet};

use itinerary_api::types::{
    Day, Flight, Hotel, ImportState, ImportedChange, ImportedItem, Reservation, Ticket, Transport,
};
use itinerary_api::values::{ItemId, limits};
use serde::Serialize;

use crate::finish::Typed;
use crate::gather::{Gathered, format_name};
use crate::item::{Fields, Item, Part};
use crate::lookup::Lookup;
use crate::normalise::time;
use crate::same::Traits;

pub use trip::into_trip;

/// The lists of a trip.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists {
    pub flights: Vec<Flight>,
    pub hotels: Vec<Hotel>,
    pub transports: Vec<Transport>,
    pub reservations: Vec<Reservation>,
    pub days: Vec<Day>,
}

impl Lists {
    /// Gives an id to everything that has none, as in every response.
    pub(crate) fn complete(&mut self, ids: &mut Ids) {
        ids.complete(Part::Flights.item_name(), self.flights.iter_mut().map(|item| &mut item.id));
        ids.complete(Part::Hotels.item_name(), self.hotels.iter_mut().map(|item| &mut item.id));
        ids.complete(Part::Transports.item_name(), self.transports.iter_mut().map(|item| &mut item.id));
        ids.complete(Part::Reservations.item_name(), self.reservations.iter_mut().map(|item| &mut item.id));
        ids.complete("day", self.days.iter_mut().map(|day| &mut day.id));
        for day in &mut self.days {
            ids.complete("stop", day.stops.iter_mut().map(|stop| &mut stop.id));
        }
    }
}

/// The ids of a trip, so that new ones are unique.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    used: HashSet<String>,
    /// The last number that was made for each name.
    last: HashMap<&'static str, u32>,
}

impl Ids {
    pub(crate) fn insert(&mut self, id: Option<&ItemId>) {
        self.used.extend(id.map(ToString::to_string));
    }

    /// Makes the ids that are missing.
    pub(crate) fn complete<'i>(&mut self, name: &'static str, items: impl Iterator<Item = &'i mut Option<ItemId>>) {
        for id in items {
            *id = id.take().or_else(|| self.make(name));
        }
    }

    /// A new id, such as `flight-1`.
    pub(crate) fn make(&mut self, name: &'static str) -> Option<ItemId> {
        let last = self.last.entry(name).or_default();
        loop {
            *last += 1;
            let id = format!("{name}-{last}");
            if self.used.insert(id.clone()) {
                return ItemId::new(id).ok();
            }
        }
    }
}

/// An item of the trip that a booking became or was found as.
#[derive(Clone, Debug)]
pub(crate) struct Linked {
    pub part: Part,
    pub id: Option<ItemId>,
    /// The index of the booking in what was gathered.
    pub booking: usize,
}

/// Adds bookings to the lists of a trip.
pub(crate) struct Update<'u> {
    pub lookup: &'u dyn Lookup,
    pub overwrite: bool,
    pub ids: Ids,
    pub reports: Vec<ImportedItem>,
    pub linked: Vec<Linked>,
    /// How many items did not fit in a list.
    pub over_limit: usize,
}

impl<'u> Update<'u> {
    pub(crate) fn new(lookup: &'u dyn Lookup, overwrite: bool, ids: Ids) -> Self {
        Self { lookup, overwrite, ids, reports: Vec::new(), linked: Vec::new(), over_limit: 0 }
    }

    /// Adds the bookings, list by list.
    pub(crate) fn add(&mut self, gathered: &Gathered, lists: &mut Lists) {
        self.add_to(gathered, Part::Flights, &mut lists.flights, |item| &item.tickets);
        self.add_to(gathered, Part::Hotels, &mut lists.hotels, |item| &item.tickets);
        self.add_to(gathered, Part::Transports, &mut lists.transports, |item| &item.tickets);
        self.add_to(gathered, Part::Reservations, &mut lists.reservations, |item| &item.tickets);
    }

    fn add_to<T: Typed + Serialize>(
        &mut self,
        gathered: &Gathered,
        part: Part,
        list: &mut Vec<T>,
        tickets: fn(&T) -> &[Ticket],
    ) {
        let mut known: Vec<Known> = list.iter().filter_map(|item| self.known(part, item, tickets(item))).collect();
        if known.len() != list.len() {
            return;
        }
        let existing = known.len();
        for (booking, item) in gathered.items.iter().enumerate().filter(|(_, item)| item.part == part) {
            let at = compare::find(&known[..existing], item, self.lookup);
            let (at, state, changes) = match at {
                Some(at) => {
                    let compared = compare::compare(&known[at].item, item, self.overwrite, self.lookup);
                    let is_updated = self.apply(compared.result, &mut known[at], &mut list[at]);
                    let state = if is_updated { ImportState::Updated } else { ImportState::Unchanged };
                    (at, state, compared.changes)
                }
                None => match self.new_item(item) {
                    Some((typed, item)) if list.len() < limits::ITEMS => {
                        list.push(typed);
                        known.push(item);
                        (list.len() - 1, ImportState::Added, Vec::new())
                    }
                    _ => {
                        self.over_limit += 1;
                        continue;
                    }
                },
            };
            self.linked.push(Linked { part, id: known[at].item.id.clone(), booking });
            self.report(gathered, item.source, format!("{}[{at}]", part.name()), state, changes);
        }
    }

    fn known<T: Serialize>(&self, part: Part, item: &T, tickets: &[Ticket]) -> Option<Known> {
        let mut item = Item::of(part, item, tickets)?;
        time::set_days(&mut item, self.lookup);
        Some(Known { traits: Traits::of(&item), item })
    }

    /// Replaces an item by its new form. Whether that is another one.
    fn apply<T: Typed>(&self, result: Option<Item>, known: &mut Known, item: &mut T) -> bool {
        let Some(mut result) = result else { return false };
        let Some(typed) = T::of(&result) else { return false };
        *item = typed;
        result.fields.retain(|path, _| !path.starts_with('@'));
        time::set_days(&mut result, self.lookup);
        // Another booking may no longer be the same: two confirmation numbers do not fill one item.
        known.traits = Traits::of(&result);
        known.item = result;
        true
    }

    fn new_item<T: Typed>(&mut self, item: &Item) -> Option<(T, Known)> {
        let mut item = item.clone();
        crate::finish::finish(&mut item, self.lookup);
        let mut typed = T::of(&item)?;
        item.id = self.ids.make(item.part.item_name());
        typed.set_id(item.id.clone());
        Some((typed, Known { traits: Traits::of(&item), item }))
    }

    pub(crate) fn report(
        &mut self,
        gathered: &Gathered,
        source: usize,
        field: String,
        state: ImportState,
        changes: Vec<ImportedChange>,
    ) {
        let origin = gathered.origins.get(source);
        self.reports.push(ImportedItem {
            field,
            file: origin.map_or_else(String::new, |origin| origin.file.to_owned()),
            format: origin.map_or_else(String::new, |origin| format_name(origin.format).to_owned()),
            state,
            changes,
        });
    }
}

/// An item of the trip, prepared for comparing.
#[derive(Debug)]
pub(crate) struct Known {
    pub traits: Traits,
    pub item: Item,
}

/// The visible fields of an item.
pub(crate) fn visible(fields: &Fields) -> impl Iterator<Item = (&String, &serde_json::Value)> {
    fields.iter().filter(|(path, _)| !path.starts_with('@'))
}
