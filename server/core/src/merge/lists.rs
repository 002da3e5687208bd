//! Merges items, and the lists whose items contain no others.

use std::array;
use std::collections::{HashMap, HashSet};

use itinerary_api::error::MergeConflict;
use itinerary_api::read::FieldError;
use itinerary_api::types::{BelongsTo, BelongsToKind};
use itinerary_api::values::List;
use serde_json::Value;

use super::Merged;
use super::fields::{self, Fields};
use super::order::{Order, Orders, WHOLE};
use crate::content::{Content, PartItem};
use crate::entry::{Entries, Entry, ListItem};
use crate::validate;

/// A merge in progress.
pub(super) struct Merger<'a> {
    /// The items that links may refer to, in the current version and in yours.
    targets: [HashSet<(BelongsToKind, &'a str)>; 2],
    pub(super) conflicts: Vec<MergeConflict>,
    /// The first list that became too long.
    invalid: Option<FieldError>,
}

impl<'a> Merger<'a> {
    pub(super) fn new(current: &'a Content, yours: &'a Content) -> Self {
        Self { targets: [current, yours].map(validate::targets), conflicts: Vec::new(), invalid: None }
    }

    /// Why there is no merged content, if there is none.
    pub(super) fn refusal(mut self) -> Option<Merged> {
        self.conflicts.truncate(super::CONFLICTS);
        let conflicts = (!self.conflicts.is_empty()).then_some(Merged::Conflicts(self.conflicts));
        conflicts.or(self.invalid.map(Merged::Invalid))
    }

    pub(super) fn conflict(&mut self, path: &str, values: [Option<Value>; 3]) {
        let [base, current, yours] = values.map(Option::unwrap_or_default);
        self.conflicts.push(MergeConflict { path: path.to_owned(), base, current, yours });
    }

    /// The conflict of a whole item.
    pub(super) fn item_conflict<T: ListItem>(
        &mut self,
        path: &str,
        versions: [Option<&Entry<T>>; 3],
    ) -> serde_json::Result<()> {
        let value = |entry: Option<&Entry<T>>| entry.map(|entry| serde_json::to_value(&*entry.value()?)).transpose();
        let [base, current, yours] = versions.map(value);
        self.conflict(path, [base?, current?, yours?]);
        Ok(())
    }

    /// The items as a list, or none if there are too many.
    pub(super) fn limited<T, const MAX: usize>(&mut self, field: &str, items: Vec<T>) -> List<T, MAX> {
        let count = items.len();
        List::new(items).unwrap_or_else(|| {
            let message = format!("would have {count} entries after the merge: the maximum is {MAX}");
            self.invalid.get_or_insert_with(|| FieldError::new(field, message));
            List::default()
        })
    }

    /// Merges a list.
    pub(super) fn list<T: PartItem + PartialEq, const MAX: usize>(
        &mut self,
        versions: [&Entries<T, MAX>; 3],
    ) -> serde_json::Result<Entries<T, MAX>> {
        let [base, current, yours] = versions;
        if yours == base {
            return Ok(current.clone());
        }
        let orders = Orders::new(versions.map(|list| order(list)));
        let [base, current, yours] = versions.map(|list| by_id(list));
        let mut merged = HashMap::new();
        for id in orders.ids(WHOLE) {
            let path = path(T::PART.name(), id);
            let versions = [&base, &current, &yours].map(|version| version.get(id).copied());
            merged.extend(self.item(&path, versions, false)?.map(|item| (id, item)));
            self.position(&path, &orders, id);
        }
        let order = orders.merged(WHOLE, |id| merged.contains_key(id));
        let items = order.into_iter().filter_map(|id| merged.remove(id)).collect();
        Ok(self.limited(T::PART.name(), items))
    }

    /// Adds a conflict if both sides moved an item to different positions.
    pub(super) fn position(&mut self, path: &str, orders: &Orders, id: &str) {
        if orders.is_torn(id) {
            self.conflict(path, orders.positions(id));
        }
    }

    /// Merges an item. `None` if it was removed. `differs` says whether the remaining side of a removed item changed more
    /// than its fields, or both added items that differ in more.
    pub(super) fn item<T: ListItem + PartialEq>(
        &mut self,
        path: &str,
        versions: [Option<&Entry<T>>; 3],
        differs: bool,
    ) -> serde_json::Result<Option<Entry<T>>> {
        let is_conflict = match versions {
            [Some(base), Some(current), Some(yours)] => return self.common(path, [base, current, yours]).map(Some),
            [Some(base), Some(current), None] => {
                let [base, current] = self.comparable([base, current])?;
                differs || fields::changed_by_current(&base, &current)
            }
            [Some(base), None, Some(yours)] => {
                let [base, yours] = self.comparable([base, yours])?;
                differs || fields::differ(&base, &yours)
            }
            [None, Some(current), Some(yours)] => {
                differs || fields::differ(&object_of(&*current.value()?)?, &object_of(&*yours.value()?)?)
            }
            [_, None, None] | [None, ..] => false,
        };
        if is_conflict {
            self.item_conflict(path, versions)?;
        }
        let [base, current, yours] = versions;
        Ok(if base.is_some() { None } else { current.or(yours).cloned() })
    }

    /// Merges an item that all versions have.
    fn common<T: ListItem + PartialEq>(
        &mut self,
        path: &str,
        versions: [&Entry<T>; 3],
    ) -> serde_json::Result<Entry<T>> {
        let [base, current, yours] = versions;
        if yours == base || yours == current {
            return Ok(current.clone());
        }
        let [base, current, yours] = self.comparable(versions)?;
        let merged = fields::merge(path, [&base, &current, &yours], &mut self.conflicts);
        serde_json::from_value::<T>(merged.into()).map(Entry::from)
    }

    /// The fields of versions of an item, without the link of the first version if a side removed its target.
    fn comparable<T: ListItem, const N: usize>(&self, versions: [&Entry<T>; N]) -> serde_json::Result<[Fields; N]> {
        let mut items = Vec::with_capacity(N);
        for version in versions {
            items.push(version.value()?.into_owned());
        }
        let link = items[0].belongs_to().and_then(|link| link.clone()).filter(|link| self.lacks_target(link));
        let mut objects = array::from_fn(|_| Fields::new());
        for (item, object) in items.iter_mut().zip(&mut objects) {
            if let Some(own) = item.belongs_to() {
                own.take_if(|own| Some(&*own) == link.as_ref());
            }
            *object = object_of(item)?;
        }
        Ok(objects)
    }

    /// Whether a side removed the target of a link.
    fn lacks_target(&self, link: &BelongsTo) -> bool {
        let has_target = |targets: &HashSet<_>| targets.contains(&(link.kind, &*link.id));
        link.kind != BelongsToKind::Itinerary && !self.targets.iter().all(has_target)
    }
}

/// The path of an item.
pub(super) fn path(list: &str, id: &str) -> String {
    format!("{list}[id={id}]")
}

/// The id of an entry. Entries are completed before they are merged.
pub(super) fn id<T: ListItem>(entry: &Entry<T>) -> &str {
    entry.index().id.as_deref().unwrap_or_default()
}

/// The order of a list without sublists.
pub(super) fn order<T: ListItem>(list: &[Entry<T>]) -> Order<'_> {
    Order::new([(WHOLE, list.iter().map(id).collect())])
}

pub(super) fn by_id<T: ListItem>(list: &[Entry<T>]) -> HashMap<&str, &Entry<T>> {
    list.iter().map(|entry| (id(entry), entry)).collect()
}

/// The fields of an item.
pub(super) fn object_of<T: ListItem>(item: &T) -> serde_json::Result<Fields> {
    serde_json::to_value(item).and_then(serde_json::from_value)
}
