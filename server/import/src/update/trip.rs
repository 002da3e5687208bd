//! Imports into a trip that exists.

use itinerary_api::types::{ImportIgnoredCode, Itinerary, ItineraryDraft, Ticket};
use serde::Serialize;

use super::{Lists, Update, stops};
use crate::draft::{Context, Import, add_expenses, finish, ids, name_days, own_draft};
use crate::gather::{Gathered, Source};
use crate::item::{Item, Part};
use crate::normalise::time;
use crate::same;

/// Compares with a trip what the files have. The draft has the lists that change, complete; it is empty if everything is in the
/// trip. Fields that differ are replaced only with `overwrite`.
pub fn into_trip(sources: &[Source], context: Context, trip: &Itinerary, overwrite: bool) -> Import {
    let mut gathered = Gathered::new(sources, context.lookup);
    let candidates = stops::candidates(&mut gathered, context.lookup);
    add_own(&mut gathered, context);
    let before = Lists {
        flights: trip.flights.as_deref().unwrap_or_default().to_vec(),
        hotels: trip.hotels.as_deref().unwrap_or_default().to_vec(),
        transports: trip.transports.as_deref().unwrap_or_default().to_vec(),
        reservations: trip.reservations.as_deref().unwrap_or_default().to_vec(),
        days: trip.days.to_vec(),
    };
    let spent = trip.expenses.as_deref().unwrap_or_default().to_vec();
    let mut known_ids = ids(&before, &spent);
    for item in trip.packing.as_deref().unwrap_or_default() {
        known_ids.insert(item.id.as_ref());
    }
    let mut update = Update::new(context.lookup, overwrite, known_ids);
    let mut lists = before.clone();
    update.add(&gathered, &mut lists);
    let start = Some(trip.start_date.day());
    stops::add(&mut update, &mut gathered, &mut lists.days, start, &candidates);
    name_days(&mut lists.days, start, &gathered);
    lists.complete(&mut update.ids);
    let mut expenses = spent.clone();
    let is_pro = context.is_pro && trip.expenses.is_some();
    add_expenses(&mut update, &mut gathered, is_pro.then_some(&mut expenses));
    let draft = ItineraryDraft {
        days: (lists.days != before.days).then(|| stops::list(lists.days)),
        flights: (lists.flights != before.flights).then(|| stops::list(lists.flights)),
        hotels: (lists.hotels != before.hotels).then(|| stops::list(lists.hotels)),
        transports: (lists.transports != before.transports).then(|| stops::list(lists.transports)),
        reservations: (lists.reservations != before.reservations).then(|| stops::list(lists.reservations)),
        expenses: (expenses != spent).then(|| stops::list(expenses)),
        ..ItineraryDraft::default()
    };
    finish(gathered, update, draft)
}

/// Adds the bookings of an export of this service to those of other files. Its days, expenses and packing list are read into a
/// new trip only.
fn add_own(gathered: &mut Gathered, context: Context) {
    let Some((source, draft)) = own_draft(gathered, true) else { return };
    let stops = draft.days.as_deref().unwrap_or_default().iter().any(|day| !day.stops.is_empty());
    let pro = |is_empty: Option<bool>| is_empty == Some(false);
    let has_pro = pro(draft.expenses.as_ref().map(|list| list.is_empty()))
        || pro(draft.packing.as_ref().map(|list| list.is_empty()));
    if stops || has_pro {
        let message = "Stops, expenses and the packing list of a trip are imported into a new trip only.".to_owned();
        gathered.ignore(Some(source), ImportIgnoredCode::Unsupported, message);
    }
    let mut items = Vec::new();
    read(&mut items, Part::Flights, draft.flights.as_deref(), |item| &item.tickets);
    read(&mut items, Part::Hotels, draft.hotels.as_deref(), |item| &item.tickets);
    read(&mut items, Part::Transports, draft.transports.as_deref(), |item| &item.tickets);
    read(&mut items, Part::Reservations, draft.reservations.as_deref(), |item| &item.tickets);
    for item in &mut items {
        item.source = source;
        item.id = None;
        time::set_days(item, context.lookup);
    }
    items.append(&mut gathered.items);
    gathered.items = same::unite(items).items;
}

fn read<T: Serialize>(items: &mut Vec<Item>, part: Part, list: Option<&[T]>, tickets: fn(&T) -> &[Ticket]) {
    items.extend(list.unwrap_or_default().iter().filter_map(|item| Item::of(part, item, tickets(item))));
}
