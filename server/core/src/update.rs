//! Merging a patch into the content of an itinerary.

use std::collections::HashSet;

use itinerary_api::read::FieldError;
use itinerary_api::types::{BelongsTo, BelongsToKind, ItineraryPatch};
use itinerary_api::values::{Change, Merge, Missing, Patch};

use crate::content::Content;
use crate::validate;

/// Merges the patch. A stored expense or packing item whose flight, hotel, day or stop goes loses its `belongsTo`, unless
/// its section was sent as well: the caller may not be shown it, and could not mend it. Documents may only be sent back as they are. The visibility is no content: it is left to the caller.
pub fn merge(content: &mut Content, patch: ItineraryPatch) -> Result<(), FieldError> {
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
    defaulted(&mut everyone.days, patch.days);
    Merge::merge_optional(&mut content.members.origin, patch.origin).map_err(required("origin"))?;
    defaulted(&mut content.members.flights, patch.flights);
    defaulted(&mut content.members.hotels, patch.hotels);
    let (expenses_sent, packing_sent) = (!patch.expenses.is_absent(), !patch.packing.is_absent());
    defaulted(&mut content.pro.expenses, patch.expenses);
    defaulted(&mut content.pro.packing, patch.packing);
    unlink(content, expenses_sent, packing_sent);
    let documents = content.sealed.documents.clone();
    defaulted(&mut content.sealed.documents, patch.documents);
    if content.sealed.documents != documents {
        return Err(FieldError::new("documents", "cannot be changed here: documents have operations of their own"));
    }
    Ok(())
}

/// Takes the `belongsTo` off whatever belongs to something that is not there any more.
fn unlink(content: &mut Content, expenses_sent: bool, packing_sent: bool) {
    let targets: HashSet<_> = validate::targets(content).map(|(kind, id)| (kind, id.to_owned())).collect();
    let is_gone = |link: &Option<BelongsTo>| {
        let inner = link.as_ref().filter(|link| link.kind != BelongsToKind::Itinerary);
        inner.is_some_and(|link| !targets.contains(&(link.kind, link.id.to_string())))
    };
    if !expenses_sent {
        content
            .pro
            .expenses
            .iter_mut()
            .filter(|item| is_gone(&item.belongs_to))
            .for_each(|item| item.belongs_to = None);
    }
    if !packing_sent {
        content.pro.packing.iter_mut().filter(|item| is_gone(&item.belongs_to)).for_each(|item| item.belongs_to = None);
    }
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
