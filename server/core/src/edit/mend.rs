//! Taking away what no longer fits after a change, where the change brought nothing itself.

use std::cell::LazyCell;
use std::collections::HashSet;

use itinerary_api::types::{BelongsTo, BelongsToKind, Day};

use crate::content::Content;
use crate::entry::{Entry, Listed};
use crate::sent::Sent;
use crate::spot::Spot;
use crate::validate;

/// Clears every `belongsTo` whose target no longer exists.
pub(super) fn links(content: &mut Content, sent: &Sent) -> serde_json::Result<()> {
    let Content { everyone, members, pro, sealed } = content;
    let targets = LazyCell::new(|| validate::targets(everyone, members));
    let dangles = |spot: Spot, link: &BelongsTo| {
        link.kind != BelongsToKind::Itinerary && !sent.contains(spot) && !targets.contains(&(link.kind, &*link.id))
    };
    unlink(&mut pro.expenses, "expenses", dangles, |item| item.belongs_to = None)?;
    unlink(&mut pro.packing, "packing", dangles, |item| item.belongs_to = None)?;
    unlink(&mut sealed.documents, "documents", dangles, |item| item.belongs_to = None)
}

fn unlink<T: Listed>(
    list: &mut [Entry<T>],
    name: &'static str,
    dangles: impl Fn(Spot, &BelongsTo) -> bool,
    unlink: fn(&mut T),
) -> serde_json::Result<()> {
    let dangles = |(n, entry): &(usize, &mut Entry<T>)| {
        entry.outline().belongs_to.as_ref().is_some_and(|link| dangles(Spot::new(name, *n), link))
    };
    list.iter_mut().enumerate().filter(dangles).try_for_each(|(_, entry)| entry.change(unlink))
}

/// Removes legs between stops that are no longer adjacent.
pub(super) fn legs(day: &mut Day) {
    let ids: Vec<_> = day.stops.iter().map(|stop| stop.id.as_deref()).collect();
    let neighbours: HashSet<_> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
    day.legs.retain(|leg| neighbours.contains(&(Some(&*leg.from), Some(&*leg.to))));
}
