//! Merging a patch into the content of an itinerary.

use itinerary_api::read::FieldError;
use itinerary_api::types::ItineraryPatch;
use itinerary_api::values::{Change, List, Merge, Missing, Patch};

use crate::content::{Content, Part};
use crate::entry::{self, Entries, Entry, Listed};
use crate::sent::Sent;

/// Merges the patch, and tells which lists it brought. Documents may only be sent back as they are. The visibility is no
/// content: it is left to the caller.
pub(super) fn merge(content: &mut Content, patch: ItineraryPatch) -> Result<Sent, FieldError> {
    let sent = lists(&patch);
    let required = |name: &'static str| move |missing: Missing| FieldError::new(missing.within(name).0, "is required");
    let everyone = &mut content.everyone;
    change(&mut everyone.title, patch.title);
    optional(&mut everyone.summary, patch.summary);
    if let Change::Value(destination) = patch.destination {
        everyone.destination.merge(destination).map_err(required("destination"))?;
    }
    change(&mut everyone.start_date, patch.start_date);
    change(&mut everyone.travellers, patch.travellers);
    defaulted(&mut everyone.tags, patch.tags);
    Merge::merge_optional(&mut everyone.cover_image, patch.cover_image).map_err(required("coverImage"))?;
    optional(&mut everyone.currency, patch.currency);
    list(&mut everyone.days, patch.days);
    Merge::merge_optional(&mut content.members.origin, patch.origin).map_err(required("origin"))?;
    list(&mut content.members.flights, patch.flights);
    list(&mut content.members.hotels, patch.hotels);
    list(&mut content.pro.expenses, patch.expenses);
    list(&mut content.pro.packing, patch.packing);
    if matches!(&patch.documents, Patch::Value(documents) if !entry::same(documents, &content.sealed.documents))
        || (matches!(patch.documents, Patch::Null) && !content.sealed.documents.is_empty())
    {
        return Err(FieldError::new("documents", "cannot be changed here: documents have operations of their own"));
    }
    Ok(Sent::Lists(sent))
}

/// The lists that a patch brings.
fn lists(patch: &ItineraryPatch) -> Vec<Part> {
    let absent = |part: &Part| match part {
        Part::Days => patch.days.is_absent(),
        Part::Flights => patch.flights.is_absent(),
        Part::Hotels => patch.hotels.is_absent(),
        Part::Expenses => patch.expenses.is_absent(),
        Part::Packing => patch.packing.is_absent(),
        // They may be sent back, unchanged.
        Part::Documents => true,
    };
    Part::ALL.into_iter().filter(|part| !absent(part)).collect()
}

fn change<T>(target: &mut T, change: Change<T>) {
    if let Change::Value(value) = change {
        *target = value;
    }
}

fn optional<T>(target: &mut Option<T>, patch: Patch<T>) {
    match patch {
        Patch::Absent => {}
        Patch::Null => *target = None,
        Patch::Value(value) => *target = Some(value),
    }
}

fn defaulted<T: Default>(target: &mut T, patch: Patch<T>) {
    match patch {
        Patch::Absent => {}
        Patch::Null => *target = T::default(),
        Patch::Value(value) => *target = value,
    }
}

fn list<T: Listed, const MAX: usize>(target: &mut Entries<T, MAX>, patch: Patch<List<T, MAX>>) {
    match patch {
        Patch::Absent => {}
        Patch::Null => *target = List::default(),
        Patch::Value(items) => *target = items.map(Entry::from),
    }
}
