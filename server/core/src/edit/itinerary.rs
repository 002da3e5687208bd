//! Merging a patch into the content of an itinerary.

use itinerary_api::read::FieldError;
use itinerary_api::types::ItineraryPatch;
use itinerary_api::values::{Change, Merge, Missing, Patch};

use crate::content::{BringsLists, Content, Part};
use crate::edit_scope::EditScope;

/// Merges the patch, and returns which parts it contained. Documents must be unchanged. Ignores `visibility`, which is not
/// part of the content; the caller handles it.
pub(super) fn merge(content: &mut Content, mut patch: ItineraryPatch) -> Result<EditScope, FieldError> {
    let changes_documents = match &patch.documents {
        Patch::Absent => false,
        Patch::Null => !content.documents.documents.is_empty(),
        Patch::Value(_) => !content.is_sent_back(&patch, Part::Documents),
    };
    patch.documents = Patch::Absent;
    let sent = patch.move_lists(content);
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
    Merge::merge_optional(&mut content.members.origin, patch.origin).map_err(required("origin"))?;
    if changes_documents {
        return Err(FieldError::new("documents", "cannot be changed here: documents have operations of their own"));
    }
    Ok(EditScope::Lists(sent))
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
