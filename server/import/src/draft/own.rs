//! This service's own exports as drafts: the same trip, without what only the server sets.

use itinerary_api::types::{BelongsToKind, ImportIgnoredCode, ItineraryDraft};
use serde_json::Value;

use crate::gather::Gathered;

/// What a create does not take: `documents` are files, and the rest is the server's.
const SERVERS: [&str; 12] = [
    "id",
    "documents",
    "savedFrom",
    "visibility",
    "role",
    "author",
    "createdAt",
    "updatedAt",
    "likesCount",
    "viewsCount",
    "needsAttention",
    "etag",
];

/// The newest of the exports as a draft, with the index of its origin. The others are listed as ignored.
pub(crate) fn draft(gathered: &mut Gathered, is_pro: bool) -> Option<(usize, ItineraryDraft)> {
    let mut newest = None;
    for (source, value) in gathered.itineraries() {
        if newest.is_some() {
            let message = "The trip was left out: only one trip is read at a time, the newest.".to_owned();
            gathered.ignore(Some(source), ImportIgnoredCode::Unsupported, message);
            continue;
        }
        match read(value) {
            Ok(draft) => newest = Some((source, draft)),
            Err(error) => {
                let error: String = error.to_string().chars().take(200).collect();
                let message = format!("The trip is not as this service exports it: {error}.");
                gathered.ignore(Some(source), ImportIgnoredCode::Malformed, message);
            }
        }
    }
    let (source, mut draft) = newest?;
    if !is_pro {
        without_pro(gathered, source, &mut draft);
    }
    Some((source, draft))
}

fn read(value: &Value) -> Result<ItineraryDraft, serde_json::Error> {
    let mut value = value.clone();
    if let Value::Object(members) = &mut value {
        members.retain(|name, _| !SERVERS.contains(&name.as_str()));
    }
    let mut draft: ItineraryDraft = serde_json::from_value(value)?;
    // A new trip has another id.
    let is_whole = |kind| kind == BelongsToKind::Itinerary;
    for expense in draft.expenses.iter_mut().flat_map(|list| list.iter_mut()) {
        expense.belongs_to.take_if(|link| is_whole(link.kind));
    }
    for item in draft.packing.iter_mut().flat_map(|list| list.iter_mut()) {
        item.belongs_to.take_if(|link| is_whole(link.kind));
    }
    Ok(draft)
}

/// Takes out what needs the Pro subscription.
fn without_pro(gathered: &mut Gathered, source: usize, draft: &mut ItineraryDraft) {
    let expenses = draft.expenses.take().is_some_and(|list| !list.is_empty());
    let packing = draft.packing.take().is_some_and(|list| !list.is_empty());
    for (is_there, what) in [(expenses, "Expenses"), (packing, "The packing list")] {
        if is_there {
            let verb = if what == "Expenses" { "need" } else { "needs" };
            let message = format!("{what} {verb} the Pro subscription.");
            gathered.ignore(Some(source), ImportIgnoredCode::NeedsPro, message);
        }
    }
}
