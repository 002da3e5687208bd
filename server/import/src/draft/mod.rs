//! A new trip from what the files have: where it goes, when, and everything that is booked.

mod expenses;
mod own;
mod places;
mod title;

use std::collections::HashMap;

use chrono::NaiveDate;
use itinerary_api::types::{
    Day, Expense, ImportIgnored, ImportIgnoredCode, ImportState, ImportedItem, ItineraryDraft, Summary, Title,
    Travellers,
};
use itinerary_api::values::{Date, limits};

use crate::gather::{Gathered, Source};
use crate::lookup::Lookup;
use crate::normalise::text;
use crate::update::{Ids, Lists, Update, stops};

pub(crate) use expenses::add as add_expenses;
pub(crate) use own::draft as own_draft;

/// What an import is done with.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// What is known of places.
    pub lookup: &'c dyn Lookup,
    /// Whether the caller has the Pro subscription.
    pub is_pro: bool,
}

/// What an import results in: the parts of an `ImportResult`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// A body that creates or updates an itinerary.
    pub itinerary: ItineraryDraft,
    /// The items that were found.
    pub items: Vec<ImportedItem>,
    /// What is not imported.
    pub ignored: Vec<ImportIgnored>,
}

/// Drafts a new trip. An export of this service gives the same trip, with its ids; bookings of other files are added to it.
pub fn draft(sources: &[Source], context: Context) -> Import {
    let mut gathered = Gathered::new(sources, context.lookup);
    let candidates = stops::candidates(&mut gathered, context.lookup);
    let own = own_draft(&mut gathered, context.is_pro);
    let (own_source, mut draft) = own.map_or((None, ItineraryDraft::default()), |(at, draft)| (Some(at), draft));
    let mut lists = lists(&mut draft);
    let mut update = Update::new(context.lookup, false, ids(&lists, draft.expenses.as_deref().unwrap_or_default()));
    match own_source {
        Some(source) => report_own(&mut update, &gathered, source, &lists),
        None => outline(&mut draft, &mut lists.days, &gathered, &candidates, context.lookup),
    }
    update.add(&gathered, &mut lists);
    let start = draft.start_date.map(Date::day);
    stops::add(&mut update, &mut gathered, &mut lists.days, start, &candidates);
    name_days(&mut lists.days, start, &gathered);
    lists.complete(&mut update.ids);
    let mut expenses = draft.expenses.take().map(|list| list.to_vec()).unwrap_or_default();
    add_expenses(&mut update, &mut gathered, context.is_pro.then_some(&mut expenses));
    update.ids.complete("expense", expenses.iter_mut().map(|item| &mut item.id));
    for item in draft.packing.as_deref().unwrap_or_default() {
        update.ids.insert(item.id.as_ref());
    }
    let packing = draft.packing.iter_mut().flat_map(|list| list.iter_mut());
    update.ids.complete("packing", packing.map(|item| &mut item.id));
    let is_own = own_source.is_some();
    set_lists(&mut draft, lists, is_own);
    draft.expenses = (context.is_pro && (is_own || !expenses.is_empty())).then(|| stops::list(expenses));
    finish(gathered, update, draft)
}

/// The result, with what did not fit.
pub(crate) fn finish(mut gathered: Gathered, update: Update, itinerary: ItineraryDraft) -> Import {
    if update.over_limit > 0 {
        let message =
            format!("{} items were left out: their lists are full, or they have no fields.", update.over_limit);
        gathered.ignore(None, ImportIgnoredCode::TooLarge, message);
    }
    Import { itinerary, items: update.reports, ignored: gathered.take_ignored() }
}

/// Takes the lists out of a draft.
fn lists(draft: &mut ItineraryDraft) -> Lists {
    Lists {
        flights: draft.flights.take().map(|list| list.to_vec()).unwrap_or_default(),
        hotels: draft.hotels.take().map(|list| list.to_vec()).unwrap_or_default(),
        transports: draft.transports.take().map(|list| list.to_vec()).unwrap_or_default(),
        reservations: draft.reservations.take().map(|list| list.to_vec()).unwrap_or_default(),
        days: draft.days.take().map(|list| list.to_vec()).unwrap_or_default(),
    }
}

/// Puts the lists into a draft; empty ones only if the draft `keeps` them.
fn set_lists(draft: &mut ItineraryDraft, lists: Lists, keeps: bool) {
    draft.days = (keeps || !lists.days.is_empty()).then(|| stops::list(lists.days));
    draft.flights = (keeps || !lists.flights.is_empty()).then(|| stops::list(lists.flights));
    draft.hotels = (keeps || !lists.hotels.is_empty()).then(|| stops::list(lists.hotels));
    draft.transports = (!lists.transports.is_empty()).then(|| stops::list(lists.transports));
    draft.reservations = (!lists.reservations.is_empty()).then(|| stops::list(lists.reservations));
}

/// The ids of all items.
pub(crate) fn ids(lists: &Lists, expenses: &[Expense]) -> Ids {
    let mut ids = Ids::default();
    let flights = lists.flights.iter().map(|item| &item.id);
    let hotels = lists.hotels.iter().map(|item| &item.id);
    let transports = lists.transports.iter().map(|item| &item.id);
    let reservations = lists.reservations.iter().map(|item| &item.id);
    let days = lists.days.iter().flat_map(|day| std::iter::once(&day.id).chain(day.stops.iter().map(|stop| &stop.id)));
    let spent = expenses.iter().map(|item| &item.id);
    for id in flights.chain(hotels).chain(transports).chain(reservations).chain(days).chain(spent) {
        ids.insert(id.as_ref());
    }
    ids
}

/// Reports all items of an own export as added.
fn report_own(update: &mut Update, gathered: &Gathered, source: usize, lists: &Lists) {
    let counts = [
        ("flights", lists.flights.len()),
        ("hotels", lists.hotels.len()),
        ("transports", lists.transports.len()),
        ("reservations", lists.reservations.len()),
    ];
    let items = counts.iter().flat_map(|(name, count)| (0..*count).map(move |at| format!("{name}[{at}]")));
    let days = lists.days.iter().enumerate();
    let stops = days.flat_map(|(d, day)| (0..day.stops.len()).map(move |s| format!("days[{d}].stops[{s}]")));
    for field in items.chain(stops) {
        update.report(gathered, source, field, ImportState::Added, Vec::new());
    }
}

/// The trip's own fields and its empty days, from the outlines and the bookings.
fn outline(
    draft: &mut ItineraryDraft,
    days: &mut Vec<Day>,
    gathered: &Gathered,
    candidates: &[stops::Candidate],
    lookup: &dyn Lookup,
) {
    draft.destination = places::destination(gathered, lookup);
    draft.origin = places::origin(&gathered.items, lookup);
    draft.travellers = travellers(gathered);
    let span = span(gathered, candidates);
    if let Some((first, last)) = span
        && let Some(empty) = stops::empty_days(first, last)
    {
        draft.start_date = Date::new(first);
        *days = empty;
    }
    let outlined = gathered.outlines().find_map(|outline| outline.title.as_deref().and_then(text::line));
    let made = || {
        let (first, last) = span.filter(|_| draft.start_date.is_some())?;
        Some(title::title(&draft.destination.as_ref()?.name, first, last))
    };
    let title = outlined.or_else(made).map(|title| text::cut(title, limits::TITLE).0);
    draft.title = title.and_then(|title| Title::new(title).ok());
    let summary = gathered.outlines().find_map(|outline| outline.summary.as_deref().and_then(text::lines));
    draft.summary = summary.and_then(|summary| Summary::new(text::cut(summary, limits::SUMMARY).0).ok());
}

/// The first and the last day of everything.
fn span(gathered: &Gathered, candidates: &[stops::Candidate]) -> Option<(NaiveDate, NaiveDate)> {
    let booked = gathered.items.iter().flat_map(|item| item.part.ends().map(|end| item.day(end))).flatten();
    let outlined = gathered.outlines().flat_map(|outline| {
        let ends = [outline.start, outline.end].into_iter().flatten();
        ends.chain(outline.days.iter().map(|day| day.date))
    });
    let dates = booked.chain(outlined).chain(stops::dates(candidates)).filter(|day| Date::new(*day).is_some());
    let dates: Vec<NaiveDate> = dates.collect();
    Some((*dates.iter().min()?, *dates.iter().max()?))
}

/// The most tickets or people of one booking.
fn travellers(gathered: &Gathered) -> Option<Travellers> {
    let people = gathered.items.iter().map(|item| {
        let holders = item.tickets.iter().filter(|ticket| ticket.holder.is_some()).count();
        let party = item.fields.get("partySize").and_then(serde_json::Value::as_u64).unwrap_or_default();
        // A restaurant's table may be for friends too.
        if holders > 0 {
            holders as u64
        } else if party > 1 {
            party
        } else {
            0
        }
    });
    let most = people.max().filter(|most| *most > 1)?;
    Travellers::new(i64::try_from(most.min(100)).ok()?).ok()
}

/// Titles and notes of days, where the days have none.
pub(crate) fn name_days(days: &mut [Day], start: Option<NaiveDate>, gathered: &Gathered) {
    let Some(start) = start else { return };
    let at: HashMap<NaiveDate, usize> =
        start.iter_days().take(days.len()).enumerate().map(|(at, date)| (date, at)).collect();
    for day in gathered.outlines().flat_map(|outline| &outline.days) {
        let Some(known) = at.get(&day.date).and_then(|at| days.get_mut(*at)) else { continue };
        let title = day.title.as_deref().and_then(text::line).map(|title| text::cut(title, limits::NAME).0);
        let notes = day.notes.as_deref().and_then(text::lines).map(|notes| text::cut(notes, limits::NOTES).0);
        known.title = known.title.take().or_else(|| itinerary_api::types::Name::new(title?).ok());
        known.notes = known.notes.take().or_else(|| itinerary_api::types::Notes::new(notes?).ok());
    }
}
