//! What belongs to something that goes.

use std::collections::HashSet;

use itinerary_api::types::{BelongsTo, BelongsToKind};

use crate::content::Content;
use crate::validate;

/// Which sections a change brought itself. Their links are checked, not mended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub(super) expenses: bool,
    pub(super) packing: bool,
}

/// Takes the `belongsTo` off whatever belongs to something that is not there any more: the caller may not be shown the
/// section that it is in, and could not mend it.
pub(super) fn drop_dangling(content: &mut Content, sent: Sent) {
    let Content { everyone, members, pro, sealed } = content;
    let targets: HashSet<_> = validate::targets(everyone, members).collect();
    let dangles =
        |link: &BelongsTo| link.kind != BelongsToKind::Itinerary && !targets.contains(&(link.kind, &*link.id));
    let mend = |link: &mut Option<BelongsTo>| {
        link.take_if(|link| dangles(link));
    };
    if !sent.expenses {
        pro.expenses.iter_mut().for_each(|item| mend(&mut item.belongs_to));
    }
    if !sent.packing {
        pro.packing.iter_mut().for_each(|item| mend(&mut item.belongs_to));
    }
    sealed.documents.iter_mut().for_each(|document| mend(&mut document.belongs_to));
}
