//! A change leaves all other items unchanged and in the same order.

use std::fmt::Debug;

use itinerary_api::types::{BelongsTo, BelongsToKind, Day, ItineraryPatch, Stop, StopMove};
use itinerary_api::values::ItemId;
use itinerary_core::content::Part;
use itinerary_core::edit::{Edit, Item, ItemEdit};

use crate::plain::Content;
use crate::strategies::tidy::targets;

/// Checks that the two contents differ by this edit only.
pub(crate) fn check(before: &Content, edit: &Edit, after: &Content) {
    if let Some(part) = edit.part() {
        assert_eq!(elsewhere(before, part, after), elsewhere(after, part, after), "what the edit is not about");
    }
    let (days, days_after) = (&before.everyone.days, &after.everyone.days);
    match edit {
        Edit::Itinerary(patch) => unsent(before, patch, after),
        Edit::Day(edit) => list(days, edit, days_after),
        Edit::Stop(day, edit) => in_day(days, day, days_after, |before, after| list(before, edit, after)),
        Edit::StopMove { day, stop, to } => moved(days, day, stop, to, days_after),
        Edit::DayMove { day, position } => day_moved(days, day, *position, days_after),
        Edit::Flight(edit) => list(&before.members.flights, edit, &after.members.flights),
        Edit::Hotel(edit) => list(&before.members.hotels, edit, &after.members.hotels),
        Edit::Transport(edit) => list(&before.members.transports, edit, &after.members.transports),
        Edit::Reservation(edit) => list(&before.members.reservations, edit, &after.members.reservations),
        Edit::Expense(edit) => list(&before.pro.expenses, edit, &after.pro.expenses),
        Edit::PackingItem(edit) => list(&before.pro.packing, edit, &after.pro.packing),
        Edit::Document(edit) => list(&before.documents.documents, edit, &after.documents.documents),
    }
}

/// The content without one part. Links to whatever does not exist afterwards are removed.
fn elsewhere(content: &Content, part: Part, after: &Content) -> Content {
    let mut rest = linked(content, after);
    match part {
        Part::Days => rest.everyone.days.retain(|_| false),
        Part::Flights => rest.members.flights.retain(|_| false),
        Part::Hotels => rest.members.hotels.retain(|_| false),
        Part::Transports => rest.members.transports.retain(|_| false),
        Part::Reservations => rest.members.reservations.retain(|_| false),
        Part::Expenses => rest.pro.expenses.retain(|_| false),
        Part::Packing => rest.pro.packing.retain(|_| false),
        Part::Documents => rest.documents.documents.retain(|_| false),
    }
    rest
}

/// The content without links to whatever does not exist afterwards, and with the currency that expenses get.
fn linked(content: &Content, after: &Content) -> Content {
    let mut content = content.clone();
    let targets = targets(after);
    let gone = |link: &BelongsTo| link.kind != BelongsToKind::Itinerary && !targets.contains(link);
    let expenses = content.pro.expenses.iter_mut().map(|item| &mut item.belongs_to);
    let packing = content.pro.packing.iter_mut().map(|item| &mut item.belongs_to);
    let documents = content.documents.documents.iter_mut().map(|item| &mut item.belongs_to);
    for link in expenses.chain(packing).chain(documents) {
        if link.as_ref().is_some_and(gone) {
            *link = None;
        }
    }
    for expense in &mut content.pro.expenses {
        expense.cost.currency = expense.cost.currency.take().or_else(|| after.everyone.currency.clone());
    }
    content
}

/// Lists that a patch of the whole does not contain are unchanged.
fn unsent(before: &Content, patch: &ItineraryPatch, after: &Content) {
    let (old, new) = (linked(before, after), after);
    assert!(!patch.days.is_absent() || old.everyone.days == new.everyone.days);
    assert!(!patch.flights.is_absent() || old.members.flights == new.members.flights);
    assert!(!patch.hotels.is_absent() || old.members.hotels == new.members.hotels);
    assert!(!patch.transports.is_absent() || old.members.transports == new.members.transports);
    assert!(!patch.reservations.is_absent() || old.members.reservations == new.members.reservations);
    assert!(!patch.expenses.is_absent() || old.pro.expenses == new.pro.expenses);
    assert!(!patch.packing.is_absent() || old.pro.packing == new.pro.packing);
    assert_eq!(old.documents, new.documents, "documents cannot be changed here");
}

fn index<T: Item>(list: &[T], id: &ItemId) -> usize {
    list.iter().position(|item| item.id() == Some(id)).expect("what was edited is there")
}

/// The list without the entry at this index.
fn without<T: Clone>(list: &[T], at: usize) -> Vec<T> {
    [&list[..at], &list[at + 1..]].concat()
}

/// Only one entry was added, changed or removed; the others are unchanged and in order.
fn list<T: Item + Clone + Debug + PartialEq>(before: &[T], edit: &ItemEdit<T>, after: &[T]) {
    match edit {
        ItemEdit::Add { item, position } => {
            let at = position.unwrap_or(before.len());
            assert_eq!(without(after, at), before, "the others");
            let id = after[at].id();
            assert!(item.id().is_none_or(|sent| id == Some(sent)), "{id:?} is not the id that was sent");
            assert!(index(after, id.expect("everything has an id")) == at);
        }
        ItemEdit::Update { id, .. } => {
            let at = index(before, id);
            assert_eq!(after[at].id(), Some(id), "it stays in its place");
            assert_eq!(without(after, at), without(before, at), "the others");
        }
        ItemEdit::Remove { id } => assert_eq!(after, without(before, index(before, id))),
    }
}

/// Only the stops and legs of one day changed.
fn in_day(before: &[Day], day: &ItemId, after: &[Day], stops: impl Fn(&[Stop], &[Stop])) {
    let at = index(before, day);
    assert_eq!(without(after, at), without(before, at), "the other days");
    same_day(&before[at], &after[at]);
    stops(&before[at].stops, &after[at].stops);
}

/// Two days are equal except for their stops and for legs between stops that are no longer adjacent.
fn same_day(before: &Day, after: &Day) {
    assert_eq!((&before.id, &before.image), (&after.id, &after.image));
    let ids: Vec<_> = after.stops.iter().map(|stop| stop.id.clone().expect("an id")).collect();
    let follows = |from: &ItemId, to: &ItemId| ids.windows(2).any(|two| (&two[0], &two[1]) == (from, to));
    let kept: Vec<_> = before.legs.iter().filter(|leg| follows(&leg.from, &leg.to)).cloned().collect();
    assert_eq!(*after.legs, *kept);
}

/// One day moved to its new position; the others are in order.
fn day_moved(before: &[Day], day: &ItemId, position: usize, after: &[Day]) {
    let mut expected = before.to_vec();
    let day = expected.remove(index(before, day));
    expected.insert(position, day);
    assert_eq!(*after, *expected);
}

/// One stop moved to its new position; the others are unchanged and in order.
fn moved(before: &[Day], from: &ItemId, stop: &ItemId, to: &StopMove, after: &[Day]) {
    let from = index(before, from);
    let to_day = to.day_id.as_ref().map_or(from, |id| index(before, id));
    assert_eq!(before.len(), after.len());
    let mut expected: Vec<Vec<Stop>> = before.iter().map(|day| day.stops.to_vec()).collect();
    let place = index(&expected[from], stop);
    let stop = expected[from].remove(place);
    let end = expected[to_day].len();
    let position = to.position.map_or(end, |position| usize::try_from(position.get()).expect("a place in a list"));
    expected[to_day].insert(position, stop);
    for ((before, after), stops) in before.iter().zip(after).zip(expected) {
        assert_eq!(*after.stops, *stops);
        same_day(before, after);
    }
}
