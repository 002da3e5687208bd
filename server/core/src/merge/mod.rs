//! Merges two sets of changes of an itinerary that start from the same version, and lists what changed between two
//! versions.
//!
//! Reads no version and writes none: the caller loads the three contents, and validates the merged one.

mod changes;
mod days;
mod fields;
mod legs;
mod lists;
mod order;

use std::collections::HashMap;
use std::mem;

use itinerary_api::error::MergeConflict;
use itinerary_api::read::FieldError;
use itinerary_api::types::{BelongsTo, RevisionChange, Tags};
use serde_json::{Value, json};

use self::changes::Changes;
use self::fields::Fields;
use self::lists::Merger;
use crate::access::Sections;
use crate::content::{Content, Everyone, Fragment, Part};
use crate::entry::Entries;
use crate::validate;

/// The maximum number of conflicts that are returned.
pub const CONFLICTS: usize = 20;

/// The outcome of a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum Merged {
    /// The current content with your changes.
    Content(Box<Content>),
    /// Both sides changed the same thing differently. At most [`CONFLICTS`].
    Conflicts(Vec<MergeConflict>),
    /// The changes do not fit together: a list or the tags would be too long. Names the field.
    Invalid(FieldError),
}

/// Merges what `yours` changed since `base` into `current`. Sections that are not `shown`, and documents, are the current
/// ones. Every item of all three contents must have an id.
pub fn merge(base: &Content, current: &Content, yours: &Content, shown: Sections) -> serde_json::Result<Merged> {
    let mut merger = Merger::new(current, yours);
    let content = merger.content([base, current, yours], shown)?;
    Ok(merger.refusal().unwrap_or_else(|| Merged::Content(Box::new(content))))
}

/// What changed from one content to another in the sections that are `shown`: at most `limit` differences. The fields of
/// the itinerary come first, then days, stops and the other lists.
pub fn changes(
    before: &Content,
    after: &Content,
    shown: Sections,
    limit: usize,
) -> serde_json::Result<Vec<RevisionChange>> {
    let mut changes = Changes::between(before, after, shown)?;
    changes.truncate(limit);
    Ok(changes)
}

impl Merger<'_> {
    fn content(&mut self, versions: [&Content; 3], shown: Sections) -> serde_json::Result<Content> {
        let mut merged = versions[1].clone();
        self.scalars(&mut merged, versions, shown)?;
        for part in Part::ALL.into_iter().filter(|part| shown.show(part.fragment())) {
            self.part(part, &mut merged, versions)?;
        }
        if self.conflicts.is_empty() {
            self.links(&mut merged, versions, shown)?;
        }
        Ok(merged)
    }

    fn part(&mut self, part: Part, merged: &mut Content, versions: [&Content; 3]) -> serde_json::Result<()> {
        let Content { everyone, members, pro, .. } = merged;
        match part {
            Part::Days => everyone.days = days::merge(self, versions.map(|content| &content.everyone.days))?,
            Part::Flights => members.flights = self.list(versions.map(|content| &content.members.flights))?,
            Part::Hotels => members.hotels = self.list(versions.map(|content| &content.members.hotels))?,
            Part::Transports => members.transports = self.list(versions.map(|content| &content.members.transports))?,
            Part::Reservations => {
                members.reservations = self.list(versions.map(|content| &content.members.reservations))?;
            }
            Part::Expenses => pro.expenses = self.list(versions.map(|content| &content.pro.expenses))?,
            Part::Packing => pro.packing = self.list(versions.map(|content| &content.pro.packing))?,
            Part::Documents => {}
        }
        Ok(())
    }

    /// Merges the fields of the itinerary itself.
    fn scalars(&mut self, merged: &mut Content, versions: [&Content; 3], shown: Sections) -> serde_json::Result<()> {
        let [base, current, yours] = versions;
        let [base, current, yours] = [scalars(base, shown)?, scalars(current, shown)?, scalars(yours, shown)?];
        let mut fields = fields::merge("", [&base, &current, &yours], &mut self.conflicts);
        if shown.show(Fragment::Members) {
            merged.members.origin = fields.remove("origin").map(serde_json::from_value).transpose()?;
        }
        if let Some(Value::Array(tags)) = fields.get_mut("tags") {
            *tags = self.limited::<_, { Tags::MAX }>("tags", mem::take(tags)).into_iter().cloned().collect();
        }
        merged.everyone = serde_json::from_value(fields.into())?;
        Ok(())
    }

    /// Clears the links whose targets one side removed. A link that you set conflicts instead.
    fn links(&mut self, merged: &mut Content, versions: [&Content; 3], shown: Sections) -> serde_json::Result<()> {
        let mut dangling = Vec::new();
        let [base, current, yours] = versions.map(links);
        for (at, index) in validate::dangling(merged, |_| true) {
            let id = index.id.as_deref().unwrap_or_default();
            let links = [&base, &current, &yours].map(|links| links.get(&(at.part, id)).copied());
            let is_merged = at.part != Part::Documents && shown.show(at.part.fragment());
            if is_merged && links[2] == index.belongs_to.as_ref() && links[0] != links[2] {
                let path = format!("{}.belongsTo", lists::path(at.part.name(), id));
                self.conflict(&path, links.map(|link| link.map(|link| json!(link))));
            }
            dangling.push(at);
        }
        dangling.into_iter().try_for_each(|at| merged.list_mut(at.part).set_belongs_to(at.index, None))
    }
}

/// The links of a content, by part and id.
fn links(content: &Content) -> HashMap<(Part, &str), &BelongsTo> {
    let indexes = Part::ALL.into_iter().flat_map(|part| content.list(part).indexes().map(move |index| (part, index)));
    indexes.filter_map(|(part, index)| Some(((part, index.id.as_deref()?), index.belongs_to.as_ref()?))).collect()
}

/// The fields of the itinerary itself that are shown.
fn scalars(content: &Content, shown: Sections) -> serde_json::Result<Fields> {
    let Everyone { title, summary, destination, start_date, travellers, tags, cover_image, currency, days: _ } =
        &content.everyone;
    let everyone = Everyone {
        title: title.clone(),
        summary: summary.clone(),
        destination: destination.clone(),
        start_date: *start_date,
        travellers: *travellers,
        tags: tags.clone(),
        cover_image: cover_image.clone(),
        currency: currency.clone(),
        days: Entries::default(),
    };
    let mut fields: Fields = serde_json::to_value(everyone).and_then(serde_json::from_value)?;
    fields.remove(Part::Days.name());
    if let Some(origin) = content.members.origin.as_ref().filter(|_| shown.show(Fragment::Members)) {
        fields.insert("origin".to_owned(), serde_json::to_value(origin)?);
    }
    Ok(fields)
}

#[cfg(test)]
pub(crate) mod tests;
