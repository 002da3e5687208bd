//! Removes legs and links that a change has made invalid and that the request did not contain.

use std::collections::HashSet;

use itinerary_api::types::Day;

use crate::content::Content;
use crate::edit_scope::EditScope;
use crate::validate;

/// Clears every `belongsTo` whose target no longer exists.
pub(super) fn links(content: &mut Content, scope: &EditScope) -> serde_json::Result<()> {
    let dangling: Vec<_> =
        validate::dangling(content, |_| true).map(|(path, _)| path).filter(|path| !scope.contains(*path)).collect();
    dangling.into_iter().try_for_each(|path| content.list_mut(path.part).set_belongs_to(path.index, None))
}

/// Removes legs between stops that are no longer adjacent.
pub(super) fn legs(day: &mut Day) {
    let ids: Vec<_> = day.stops.iter().map(|stop| stop.id.as_deref()).collect();
    let neighbours: HashSet<_> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
    day.legs.retain(|leg| neighbours.contains(&(Some(&*leg.from), Some(&*leg.to))));
}
