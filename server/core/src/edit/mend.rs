//! Taking away what no longer fits after a change, where the change brought nothing itself.

use std::collections::HashSet;

use itinerary_api::types::{BelongsTo, BelongsToKind, Day};

use crate::content::Content;
use crate::sent::Sent;
use crate::spot::Spot;
use crate::validate;

/// Takes the `belongsTo` off whatever belongs to something that is not there any more.
pub(super) fn links(content: &mut Content, sent: &Sent) {
    let Content { everyone, members, pro, sealed } = content;
    let targets: HashSet<_> = validate::targets(everyone, members).collect();
    let dangles =
        |link: &BelongsTo| link.kind != BelongsToKind::Itinerary && !targets.contains(&(link.kind, &*link.id));
    let mend = |list: &'static str, n: usize, link: &mut Option<BelongsTo>| {
        if !sent.contains(Spot::new(list, n)) {
            link.take_if(|link| dangles(link));
        }
    };
    pro.expenses.iter_mut().enumerate().for_each(|(n, item)| mend("expenses", n, &mut item.belongs_to));
    pro.packing.iter_mut().enumerate().for_each(|(n, item)| mend("packing", n, &mut item.belongs_to));
    sealed.documents.iter_mut().enumerate().for_each(|(n, item)| mend("documents", n, &mut item.belongs_to));
}

/// Takes out the legs whose ends do not follow each other any more.
pub(super) fn legs(day: &mut Day) {
    if day.legs.is_empty() {
        return;
    }
    let ids: Vec<_> = day.stops.iter().map(|stop| stop.id.as_deref()).collect();
    let neighbours: HashSet<_> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
    day.legs.retain(|leg| neighbours.contains(&(Some(&*leg.from), Some(&*leg.to))));
}
