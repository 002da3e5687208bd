//! A change of an itinerary's content: of the whole by a merge patch, or of one item of one of its lists.
//!
//! Permissions and the version are checked before, the rules across fields after it (`validate`).

mod day;
mod item;
mod itinerary;
mod mend;

use std::collections::{HashMap, HashSet};

use itinerary_api::read::FieldError;
use itinerary_api::types::{
    Day, Document, Expense, Flight, Hotel, ItineraryPatch, Leg, PackingItem, PlacePatch, Reservation, Stop, StopMove,
    Transport,
};
use itinerary_api::values::{ItemId, Patch};

use crate::content::{Content, Part, PartItem};
use crate::edit_scope::EditScope;
use crate::entry::{Entries, Entry};
use crate::entry_path::EntryPath;
use crate::place_path::PlaceField;

pub(crate) use item::item;
pub use item::{Item, ItemEdit, index};

/// The index of the day with this id.
pub fn find_day(days: &[Entry<Day>], id: &ItemId) -> Option<usize> {
    item::find(days, id)
}

/// A change that a request asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Merges a patch into the itinerary. Ignores `visibility`, which is not part of the content.
    Itinerary(Box<ItineraryPatch>),
    /// Changes the stops of a day.
    Stop(ItemId, ItemEdit<Stop>),
    /// Moves a stop.
    StopMove {
        /// The stop's current day.
        day: ItemId,
        stop: ItemId,
        to: StopMove,
    },
    /// Moves a day to another index.
    DayMove { day: ItemId, position: usize },
    /// Changes one of the days.
    Day(ItemEdit<Day>),
    /// Changes one of the flights.
    Flight(ItemEdit<Flight>),
    /// Changes one of the hotels.
    Hotel(ItemEdit<Hotel>),
    /// Changes one of the transports.
    Transport(ItemEdit<Transport>),
    /// Changes one of the reservations.
    Reservation(ItemEdit<Reservation>),
    /// Changes one of the expenses.
    Expense(ItemEdit<Expense>),
    /// Changes one of the packing.
    PackingItem(ItemEdit<PackingItem>),
    /// Changes one of the documents.
    Document(ItemEdit<Document>),
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The item to change does not exist.
    NotFound,
    /// A field of the request is invalid.
    Invalid(FieldError),
    /// The stored data is corrupt.
    Corrupt(String),
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        Self::Invalid(error)
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Self::Corrupt(error.to_string())
    }
}

impl Edit {
    /// The part to change; `None` for the whole itinerary.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Itinerary(_) => None,
            Self::Stop(..) | Self::StopMove { .. } | Self::DayMove { .. } | Self::Day(_) => Some(Part::Days),
            Self::Flight(_) => Some(Part::Flights),
            Self::Hotel(_) => Some(Part::Hotels),
            Self::Transport(_) => Some(Part::Transports),
            Self::Reservation(_) => Some(Part::Reservations),
            Self::Expense(_) => Some(Part::Expenses),
            Self::PackingItem(_) => Some(Part::Packing),
            Self::Document(_) => Some(Part::Documents),
        }
    }

    /// The id of the item to change, or of the day whose stop is changed.
    fn item(&self) -> Option<&ItemId> {
        match self {
            Self::Itinerary(_) => None,
            Self::Stop(day, _) | Self::StopMove { day, .. } | Self::DayMove { day, .. } => Some(day),
            Self::Day(edit) => edit.id(),
            Self::Flight(edit) => edit.id(),
            Self::Hotel(edit) => edit.id(),
            Self::Transport(edit) => edit.id(),
            Self::Reservation(edit) => edit.id(),
            Self::Expense(edit) => edit.id(),
            Self::PackingItem(edit) => edit.id(),
            Self::Document(edit) => edit.id(),
        }
    }

    /// Applies the change alone, without the repairs of [`Edit::apply`]: a merge repairs its result.
    pub fn apply_alone(self, content: &mut Content) -> Result<EditScope, Refusal> {
        self.make(content)
    }

    fn make(self, content: &mut Content) -> Result<EditScope, Refusal> {
        match self {
            Self::Itinerary(patch) => Ok(itinerary::merge(content, *patch)?),
            Self::Stop(day, edit) => day::edit_stop(&mut content.everyone.days, &day, edit),
            Self::StopMove { day, stop, to } => day::move_stop(&mut content.everyone.days, &day, &stop, &to),
            Self::DayMove { day, position } => day::move_day(&mut content.everyone.days, &day, position),
            Self::Day(edit) => edit_item(&mut content.everyone.days, edit),
            Self::Flight(edit) => edit_item(&mut content.members.flights, edit),
            Self::Hotel(edit) => edit_item(&mut content.members.hotels, edit),
            Self::Transport(edit) => edit_item(&mut content.members.transports, edit),
            Self::Reservation(edit) => edit_item(&mut content.members.reservations, edit),
            Self::Expense(edit) => edit_item(&mut content.pro.expenses, edit),
            Self::PackingItem(edit) => edit_item(&mut content.pro.packing, edit),
            Self::Document(edit) => edit_item(&mut content.documents.documents, edit),
        }
    }

    /// The places whose coordinate the edit clears, and which are then placed again.
    pub fn places_anew(&self) -> Vec<PlaceField> {
        use PlaceField::{ArrivalPlace, DeparturePlace, Place};
        let sent = match self {
            Self::Stop(_, ItemEdit::Update { patch, .. }) => vec![(Place, &patch.place)],
            Self::Hotel(ItemEdit::Update { patch, .. }) => vec![(Place, &patch.place)],
            Self::Reservation(ItemEdit::Update { patch, .. }) => vec![(Place, &patch.place)],
            Self::Transport(ItemEdit::Update { patch, .. }) => {
                vec![(DeparturePlace, &patch.departure_place), (ArrivalPlace, &patch.arrival_place)]
            }
            _ => Vec::new(),
        };
        let is_cleared = |place: &Patch<_>| matches!(place, Patch::Value(PlacePatch { coordinate: Patch::Null, .. }));
        sent.into_iter().filter(|(_, place)| is_cleared(place)).map(|(field, _)| field).collect()
    }

    /// Whether the item to change exists.
    pub fn finds(&self, content: &Content) -> bool {
        let (Some(part), Some(id)) = (self.part(), self.item()) else { return true };
        let mut indexes = content.list(part).indexes();
        let Some(item) = indexes.find(|index| index.id.as_deref() == Some(&**id)) else { return false };
        let stop = match self {
            Self::Stop(_, edit) => edit.id(),
            Self::StopMove { stop, .. } => Some(stop),
            _ => None,
        };
        stop.is_none_or(|id| day::find_stop(item, id).is_some())
    }

    /// Applies the change and returns the parts that the request contained. Repairs the rest: removes legs between stops
    /// that are no longer adjacent, legs that the server computed for a stop that moved, and links to items that no longer
    /// exist. After an error the content may be partly changed and must be discarded.
    pub fn apply(self, content: &mut Content) -> Result<EditScope, Refusal> {
        let brings_legs = self.brings_legs();
        let before = self.days_before(&content.everyone.days);
        let scope = self.make(content)?;
        for (d, day) in content.everyone.days.iter_mut().enumerate() {
            let is_in_scope = brings_legs && scope.contains(EntryPath::new(Part::Days, d));
            if !is_in_scope && !day.index().legs_fit {
                day.change(mend::legs)?;
            }
        }
        day::remove_outdated_legs(&before, &mut content.everyone.days)?;
        mend::links(content, &scope)?;
        Ok(scope)
    }

    /// The current state of the days in which the edit may move or replace stops.
    fn days_before(&self, days: &[Entry<Day>]) -> Vec<Entry<Day>> {
        match self {
            Self::Itinerary(patch) if !patch.days.is_absent() => days.to_vec(),
            Self::Day(ItemEdit::Update { id, patch }) if !patch.stops.is_absent() => one_day(days, id),
            Self::Stop(id, ItemEdit::Update { patch, .. }) if !patch.place.is_absent() => one_day(days, id),
            _ => Vec::new(),
        }
    }

    /// The legs that are stored, if the request contains legs.
    pub fn stored_legs(&self, content: &Content) -> serde_json::Result<Vec<Leg>> {
        let days: &[_] = if self.brings_legs() { &content.everyone.days } else { &[] };
        let legs = days.iter().map(|day| day.value().map(|day| day.legs.to_vec()));
        legs.collect::<serde_json::Result<Vec<_>>>().map(|legs| legs.concat())
    }

    /// The days of which the request contained legs of its own, by their indexes, after it was applied: `legs` in a
    /// change of one day, or legs of a whole day other than the `stored` ones, which apps send back as they read them. An
    /// empty list on a whole day counts as none: readers receive it for a day that has no legs yet.
    pub fn days_with_legs(&self, content: &Content, scope: &EditScope, stored: &[Leg]) -> HashSet<usize> {
        if !self.brings_legs() {
            return HashSet::new();
        }
        let stored: HashMap<_, _> = stored.iter().map(|leg| ((&leg.from, &leg.to), leg)).collect();
        let is_own = |leg: &Leg| stored.get(&(&leg.from, &leg.to)) != Some(&leg);
        let is_update = matches!(self, Self::Day(ItemEdit::Update { .. }));
        let has_legs = |day: &Entry<Day>| is_update || day.touched().is_some_and(|day| day.legs.iter().any(is_own));
        let days = content.everyone.days.iter().enumerate();
        let sent = days.filter(|(d, day)| scope.contains(EntryPath::new(Part::Days, *d)) && has_legs(day));
        sent.map(|(d, _)| d).collect()
    }

    /// Whether the request contains the legs of the days that it changes.
    fn brings_legs(&self) -> bool {
        match self {
            Self::Itinerary(patch) => !patch.days.is_absent(),
            Self::Day(ItemEdit::Add { .. }) => true,
            Self::Day(ItemEdit::Update { patch, .. }) => !patch.legs.is_absent(),
            _ => false,
        }
    }
}

/// Clears every `belongsTo` whose target no longer exists.
pub fn clear_dangling_links(content: &mut Content) -> serde_json::Result<()> {
    mend::links(content, &EditScope::Nothing)
}

/// Changes one item of a part.
fn edit_item<T: Item + PartItem, const MAX: usize>(
    list: &mut Entries<T, MAX>,
    edit: ItemEdit<T>,
) -> Result<EditScope, Refusal> {
    let index = edit.apply(list, T::PART.name())?;
    Ok(index.map_or(EditScope::Nothing, |index| EditScope::Item(EntryPath::new(T::PART, index))))
}

fn one_day(days: &[Entry<Day>], id: &ItemId) -> Vec<Entry<Day>> {
    find_day(days, id).map(|day| days[day].clone()).into_iter().collect()
}

impl Edit {
    /// Removes an item of a part.
    pub fn removal(part: Part, id: ItemId) -> Self {
        match part {
            Part::Days => Self::Day(ItemEdit::Remove { id }),
            Part::Flights => Self::Flight(ItemEdit::Remove { id }),
            Part::Hotels => Self::Hotel(ItemEdit::Remove { id }),
            Part::Transports => Self::Transport(ItemEdit::Remove { id }),
            Part::Reservations => Self::Reservation(ItemEdit::Remove { id }),
            Part::Expenses => Self::Expense(ItemEdit::Remove { id }),
            Part::Packing => Self::PackingItem(ItemEdit::Remove { id }),
            Part::Documents => Self::Document(ItemEdit::Remove { id }),
        }
    }
}
