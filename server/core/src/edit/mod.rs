//! One change of an itinerary's content: of the whole by a merge patch, or of one item of one of its lists.
//!
//! Who may make it, and from which version, is decided before; whether the outcome keeps the rules, after (`validate`).

mod day;
mod item;
mod itinerary;
mod links;

use itinerary_api::read::FieldError;
use itinerary_api::types::{Day, Expense, Flight, Hotel, ItineraryPatch, PackingItem, Stop, StopMove};
use itinerary_api::values::ItemId;

use crate::content::{Content, Part};
use crate::spot::Spot;

pub use item::{Item, ItemEdit};

/// A change that someone asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Merges a patch into the whole. Its visibility is no content: it is left to the caller.
    Itinerary(Box<ItineraryPatch>),
    /// Changes the days.
    Day(ItemEdit<Day>),
    /// Changes the stops of a day.
    Stop(ItemId, ItemEdit<Stop>),
    /// Moves a stop.
    StopMove {
        /// The day that it is in.
        day: ItemId,
        /// The stop.
        stop: ItemId,
        /// Where it goes.
        to: StopMove,
    },
    /// Changes the flights.
    Flight(ItemEdit<Flight>),
    /// Changes the hotels.
    Hotel(ItemEdit<Hotel>),
    /// Changes the expenses.
    Expense(ItemEdit<Expense>),
    /// Changes what to pack.
    Packing(ItemEdit<PackingItem>),
}

/// Why an edit cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// What it is to change is not there.
    NotFound,
    /// Something that was sent is wrong.
    Invalid(FieldError),
}

impl From<FieldError> for Refusal {
    fn from(error: FieldError) -> Self {
        Self::Invalid(error)
    }
}

impl Edit {
    /// The part that it changes; `None`: the itinerary as a whole.
    pub fn part(&self) -> Option<Part> {
        match self {
            Self::Itinerary(_) => None,
            Self::Day(_) | Self::Stop(..) | Self::StopMove { .. } => Some(Part::Days),
            Self::Flight(_) => Some(Part::Flights),
            Self::Hotel(_) => Some(Part::Hotels),
            Self::Expense(_) => Some(Part::Expenses),
            Self::Packing(_) => Some(Part::Packing),
        }
    }

    /// Whether what it is to change is there.
    pub fn finds(&self, content: &Content) -> bool {
        let days = &content.everyone.days;
        match self {
            Self::Itinerary(_) => true,
            Self::Day(edit) => edit.finds(days),
            Self::Stop(day, edit) => item::find(days, day).is_some_and(|day| edit.finds(&days[day].stops)),
            Self::StopMove { day, stop, .. } => {
                item::find(days, day).is_some_and(|day| item::find(&days[day].stops, stop).is_some())
            }
            Self::Flight(edit) => edit.finds(&content.members.flights),
            Self::Hotel(edit) => edit.finds(&content.members.hotels),
            Self::Expense(edit) => edit.finds(&content.pro.expenses),
            Self::Packing(edit) => edit.finds(&content.pro.packing),
        }
    }

    /// Makes the change, and gives the place of the item that was sent, if one was. After a refusal the content may be
    /// half changed: it is of no use any more.
    pub fn apply(self, content: &mut Content) -> Result<Option<Spot>, Refusal> {
        let index = match self {
            Self::Itinerary(patch) => {
                return itinerary::merge(content, *patch).map(|()| None).map_err(Refusal::Invalid);
            }
            // Nothing can belong to an expense or a packing item, and a link that was sent is checked, not mended.
            Self::Expense(edit) => return edit.apply(&mut content.pro.expenses, "expenses"),
            Self::Packing(edit) => return edit.apply(&mut content.pro.packing, "packing"),
            Self::Day(edit) => day::edit(&mut content.everyone.days, edit),
            Self::Stop(day, edit) => day::edit_stop(&mut content.everyone.days, &day, edit),
            Self::StopMove { day, stop, to } => return day::move_stop(&mut content.everyone.days, &day, &stop, &to),
            Self::Flight(edit) => edit.apply(&mut content.members.flights, "flights"),
            Self::Hotel(edit) => edit.apply(&mut content.members.hotels, "hotels"),
        };
        let spot = index?;
        links::drop_dangling(content, links::Sent::default());
        Ok(spot)
    }
}
