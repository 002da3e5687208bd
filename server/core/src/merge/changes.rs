//! What changed from one content to another.

use itinerary_api::types::{ChangeKind, RevisionChange};

use super::days::{DayEntries, Touched, stop_order, stop_path, touched_ids};
use super::lists::{by_id, id, object_of, order, path};
use super::order::{Order, WHOLE};
use super::{fields, legs, scalars};
use crate::access::Sections;
use crate::content::{Content, Part, PartItem};
use crate::entry::{Entry, ListItem};

/// The changes found so far.
#[derive(Default)]
pub(super) struct Changes(Vec<RevisionChange>);

impl Changes {
    /// All changes: fields of the itinerary, days, stops, then the other lists.
    pub(super) fn between(
        before: &Content,
        after: &Content,
        shown: Sections,
    ) -> serde_json::Result<Vec<RevisionChange>> {
        let mut changes = Self::default();
        changes.scalars(before, after, shown)?;
        for part in Part::ALL.into_iter().filter(|part| shown.show(part.fragment())) {
            changes.part(part, before, after)?;
        }
        Ok(changes.0)
    }

    fn part(&mut self, part: Part, before: &Content, after: &Content) -> serde_json::Result<()> {
        match part {
            Part::Days => self.days(&before.everyone.days, &after.everyone.days),
            Part::Flights => self.list(&before.members.flights, &after.members.flights),
            Part::Hotels => self.list(&before.members.hotels, &after.members.hotels),
            Part::Transports => self.list(&before.members.transports, &after.members.transports),
            Part::Reservations => self.list(&before.members.reservations, &after.members.reservations),
            Part::Expenses => self.list(&before.pro.expenses, &after.pro.expenses),
            Part::Packing => self.list(&before.pro.packing, &after.pro.packing),
            Part::Documents => self.list(&before.documents.documents, &after.documents.documents),
        }
    }

    fn add(&mut self, path: String, kind: ChangeKind) {
        self.0.push(RevisionChange { path, kind });
    }

    fn scalars(&mut self, before: &Content, after: &Content, shown: Sections) -> serde_json::Result<()> {
        let (before, after) = (scalars(before, shown)?, scalars(after, shown)?);
        for field in fields::differences("", &before, &after) {
            let kind = match (before.get(&field), after.get(&field)) {
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Removed,
                _ => ChangeKind::Changed,
            };
            self.add(field, kind);
        }
        Ok(())
    }

    fn list<T: PartItem + PartialEq>(&mut self, before: &[Entry<T>], after: &[Entry<T>]) -> serde_json::Result<()> {
        let orders = [order(before), order(after)];
        let moved = orders[1].moved_since(&orders[0]);
        let entries = by_id(before);
        for entry in after {
            let path = path(T::PART.name(), id(entry));
            self.item(path, entries.get(id(entry)).copied(), entry, moved.contains(id(entry)))?;
        }
        self.removed(&orders, WHOLE, |id| path(T::PART.name(), id));
        Ok(())
    }

    /// The changes of an item that there is afterwards.
    fn item<T: ListItem + PartialEq>(
        &mut self,
        path: String,
        before: Option<&Entry<T>>,
        after: &Entry<T>,
        is_moved: bool,
    ) -> serde_json::Result<()> {
        let Some(before) = before else {
            self.add(path, ChangeKind::Added);
            return Ok(());
        };
        let differences = if before == after {
            Vec::new()
        } else {
            fields::differences(&path, &object_of(&*before.value()?)?, &object_of(&*after.value()?)?)
        };
        if is_moved {
            self.add(path, ChangeKind::Moved);
        }
        for path in differences {
            self.add(path, ChangeKind::Changed);
        }
        Ok(())
    }

    fn removed(&mut self, [before, after]: &[Order; 2], sublist: &str, path: impl Fn(&str) -> String) {
        for id in before.items(sublist).iter().filter(|id| !after.has(id)) {
            self.add(path(id), ChangeKind::Removed);
        }
    }

    fn days(&mut self, before: &DayEntries, after: &DayEntries) -> serde_json::Result<()> {
        let ids = touched_ids([before, after]);
        let touched = [Touched::new(before, &ids)?, Touched::new(after, &ids)?];
        let orders = [order(before), order(after)];
        let moved = orders[1].moved_since(&orders[0]);
        let entries = by_id(before);
        for entry in after {
            let id = id(entry);
            let path = path(Part::Days.name(), id);
            self.item(path.clone(), entries.get(id).copied(), entry, moved.contains(id))?;
            let [before, after] = touched.each_ref().map(|touched| touched.days.get(id));
            if let (Some(before), Some(after)) = (before, after)
                && !legs::are_same(before, after)
            {
                self.add(format!("{path}.legs"), ChangeKind::Changed);
            }
        }
        self.removed(&orders, WHOLE, |id| path(Part::Days.name(), id));
        self.stops(&touched, &orders, &[before, after].map(|days| stop_order(days, &ids)))
    }

    /// The changes of stops. An added day contains its added stops, a removed one its removed stops.
    fn stops(&mut self, touched: &[Touched; 2], days: &[Order; 2], stops: &[Order; 2]) -> serde_json::Result<()> {
        let moved = stops[1].moved_since(&stops[0]);
        for day in days[1].items(WHOLE) {
            for id in stops[1].items(day) {
                let before = touched[0].stops.get(id);
                if before.is_some() || days[0].has(day) {
                    self.item(stop_path(day, id), before, &touched[1].stops[id], moved.contains(id))?;
                }
            }
        }
        for day in days[0].items(WHOLE).iter().filter(|day| days[1].has(day)) {
            self.removed(stops, day, |id| stop_path(day, id));
        }
        Ok(())
    }
}
