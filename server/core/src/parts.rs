//! The parts of an itinerary, each a list whose items have ids and operations of their own, and the fragments that store
//! them.
//!
//! No `match` on a part has a wildcard, so the compiler finds each place to which a new part must be added.

use std::mem;

use itinerary_api::policy::Section;
use itinerary_api::types::{
    self, BelongsToKind, Day, Destination, Document, Expense, Flight, Hotel, Image, ItineraryCreate, ItineraryPatch,
    PackingItem, Place, Reservation, Summary, Tags, Title, Transport, Travellers,
};
use itinerary_api::values::{Currency, Date, List, Patch};
use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::edit::item;
use crate::entry::{AnyEntries, Entries, Entry, ListItem, same};
use crate::item_index::list_item;

/// A fragment that stores parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "see the structs of these names")]
pub enum Fragment {
    Everyone,
    Members,
    Pro,
    Documents,
}

/// Defines the parts and the list of all, which so lacks none.
macro_rules! parts {
    ($($Part:ident)*) => {
        /// A list in an itinerary whose items have their own operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum Part {
            $($Part,)*
        }

        impl Part {
            /// All parts, in the order in which they are stored.
            pub const ALL: [Self; [$(stringify!($Part)),*].len()] = [$(Self::$Part),*];
        }
    };
}

parts! { Days Flights Hotels Transports Reservations Expenses Packing Documents }

/// The fragment for everyone who may see the itinerary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Everyone {
    pub title: Title,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    pub destination: Destination,
    /// The first day.
    pub start_date: Date,
    /// The number of people who travel.
    pub travellers: Travellers,
    pub tags: Tags,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cover_image: Option<Image>,
    /// The default currency of expenses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    #[serde(default)]
    pub days: Entries<Day, { types::Days::MAX }>,
}

/// The additional fragment for the owner and members.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Members {
    /// The place that the trip starts from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Place>,
    #[serde(default)]
    pub flights: Entries<Flight, { types::Flights::MAX }>,
    #[serde(default)]
    pub hotels: Entries<Hotel, { types::Hotels::MAX }>,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub transports: Entries<Transport, { types::Transports::MAX }>,
    #[serde(default, skip_serializing_if = "is_empty")]
    pub reservations: Entries<Reservation, { types::Reservations::MAX }>,
}

/// The additional fragment for the owner and members with Pro.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pro {
    #[serde(default)]
    pub expenses: Entries<Expense, { types::Expenses::MAX }>,
    #[serde(default)]
    pub packing: Entries<PackingItem, { types::Packing::MAX }>,
}

/// The additional fragment for the owner and members with the scope for documents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Documents {
    #[serde(default)]
    pub documents: Entries<Document, { types::Documents::MAX }>,
}

/// Whether a list has no entries. It is then left out, so that an itinerary without such items stays as it was before the
/// part existed.
fn is_empty<T, const MAX: usize>(list: &List<T, MAX>) -> bool {
    list.is_empty()
}

/// An item of a part.
pub trait PartItem: ListItem {
    /// The part whose list has such items.
    const PART: Part;
}

/// Declares the items of a part, and their fields besides the id that rules across items read.
macro_rules! part_item {
    ($Item:ident in $Part:ident [$($field:ident)*]) => {
        impl PartItem for $Item {
            const PART: Part = Part::$Part;
        }

        list_item!($Item [$($field)*]);
        item!($Item);
    };
}

part_item!(Day in Days [stops legs]);
part_item!(Flight in Flights []);
part_item!(Hotel in Hotels [name place]);
part_item!(Transport in Transports [departure_place arrival_place]);
part_item!(Reservation in Reservations [name place]);
part_item!(Expense in Expenses [name cost belongs_to]);
part_item!(PackingItem in Packing [name belongs_to]);
part_item!(Document in Documents [name belongs_to]);

impl Part {
    /// The fragment that stores the part.
    pub fn fragment(self) -> Fragment {
        match self {
            Self::Days => Fragment::Everyone,
            Self::Flights | Self::Hotels | Self::Transports | Self::Reservations => Fragment::Members,
            Self::Expenses | Self::Packing => Fragment::Pro,
            Self::Documents => Fragment::Documents,
        }
    }

    /// The section that the part is, if it needs the Pro subscription.
    pub fn section(self) -> Option<Section> {
        match self {
            Self::Expenses => Some(Section::Expenses),
            Self::Packing => Some(Section::Packing),
            Self::Days | Self::Flights | Self::Hotels | Self::Transports | Self::Reservations | Self::Documents => None,
        }
    }

    /// The part's field in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Days => "days",
            Self::Flights => "flights",
            Self::Hotels => "hotels",
            Self::Transports => "transports",
            Self::Reservations => "reservations",
            Self::Expenses => "expenses",
            Self::Packing => "packing",
            Self::Documents => "documents",
        }
    }

    /// The name of one item in operation ids and tools.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Days => "day",
            Self::Flights => "flight",
            Self::Hotels => "hotel",
            Self::Transports => "transport",
            Self::Reservations => "reservation",
            Self::Expenses => "expense",
            Self::Packing => "packing",
            Self::Documents => "document",
        }
    }

    /// The kind by which a `belongsTo` names an item of the part. `None` if nothing can belong to one.
    pub fn link_kind(self) -> Option<BelongsToKind> {
        match self {
            Self::Days => Some(BelongsToKind::Day),
            Self::Flights => Some(BelongsToKind::Flight),
            Self::Hotels => Some(BelongsToKind::Hotel),
            Self::Transports => Some(BelongsToKind::Transport),
            Self::Reservations => Some(BelongsToKind::Reservation),
            Self::Expenses | Self::Packing | Self::Documents => None,
        }
    }

    /// Takes null or an empty list of the part out of a patch, so that the patch keeps the part.
    pub fn keep_if_empty(self, patch: &mut ItineraryPatch) {
        match self {
            Self::Days => keep_if_empty(&mut patch.days),
            Self::Flights => keep_if_empty(&mut patch.flights),
            Self::Hotels => keep_if_empty(&mut patch.hotels),
            Self::Transports => keep_if_empty(&mut patch.transports),
            Self::Reservations => keep_if_empty(&mut patch.reservations),
            Self::Expenses => keep_if_empty(&mut patch.expenses),
            Self::Packing => keep_if_empty(&mut patch.packing),
            Self::Documents => keep_if_empty(&mut patch.documents),
        }
    }
}

fn keep_if_empty<T, const MAX: usize>(sent: &mut Patch<List<T, MAX>>) {
    let is_empty = match sent {
        Patch::Absent | Patch::Null => true,
        Patch::Value(list) => list.is_empty(),
    };
    if is_empty {
        *sent = Patch::Absent;
    }
}

impl Content {
    /// The list of a part.
    pub fn list(&self, part: Part) -> &dyn AnyEntries {
        match part {
            Part::Days => &self.everyone.days,
            Part::Flights => &self.members.flights,
            Part::Hotels => &self.members.hotels,
            Part::Transports => &self.members.transports,
            Part::Reservations => &self.members.reservations,
            Part::Expenses => &self.pro.expenses,
            Part::Packing => &self.pro.packing,
            Part::Documents => &self.documents.documents,
        }
    }

    /// The list of a part, for changes that are the same in all parts.
    pub fn list_mut(&mut self, part: Part) -> &mut dyn AnyEntries {
        match part {
            Part::Days => &mut self.everyone.days,
            Part::Flights => &mut self.members.flights,
            Part::Hotels => &mut self.members.hotels,
            Part::Transports => &mut self.members.transports,
            Part::Reservations => &mut self.members.reservations,
            Part::Expenses => &mut self.pro.expenses,
            Part::Packing => &mut self.pro.packing,
            Part::Documents => &mut self.documents.documents,
        }
    }

    /// Whether a patch contains the list unchanged.
    pub fn is_sent_back(&self, patch: &ItineraryPatch, part: Part) -> bool {
        match part {
            Part::Days => is_same(&patch.days, &self.everyone.days),
            Part::Flights => is_same(&patch.flights, &self.members.flights),
            Part::Hotels => is_same(&patch.hotels, &self.members.hotels),
            Part::Transports => is_same(&patch.transports, &self.members.transports),
            Part::Reservations => is_same(&patch.reservations, &self.members.reservations),
            Part::Expenses => is_same(&patch.expenses, &self.pro.expenses),
            Part::Packing => is_same(&patch.packing, &self.pro.packing),
            Part::Documents => is_same(&patch.documents, &self.documents.documents),
        }
    }
}

fn is_same<T: ListItem + PartialEq, const MAX: usize>(sent: &Patch<List<T, MAX>>, stored: &Entries<T, MAX>) -> bool {
    matches!(sent, Patch::Value(list) if same(list, stored))
}

/// A request body that may contain parts.
pub trait BringsLists {
    /// Whether the body contains the part.
    fn brings(&self, part: Part) -> bool;

    /// Moves a part of the body into a content. Returns whether the body contained it.
    fn move_list(&mut self, part: Part, content: &mut Content) -> bool;

    /// Moves the body's parts into a content, and returns which parts it contained.
    fn move_lists(&mut self, content: &mut Content) -> Vec<Part> {
        Part::ALL.into_iter().filter(|part| self.move_list(*part, content)).collect()
    }
}

impl BringsLists for ItineraryCreate {
    fn brings(&self, part: Part) -> bool {
        match part {
            Part::Days => self.days.is_sent(),
            Part::Flights => self.flights.is_sent(),
            Part::Hotels => self.hotels.is_sent(),
            Part::Transports => self.transports.is_sent(),
            Part::Reservations => self.reservations.is_sent(),
            Part::Expenses => self.expenses.is_sent(),
            Part::Packing => self.packing.is_sent(),
            Part::Documents => self.documents.is_sent(),
        }
    }

    fn move_list(&mut self, part: Part, content: &mut Content) -> bool {
        match part {
            Part::Days => self.days.move_to(&mut content.everyone.days),
            Part::Flights => self.flights.move_to(&mut content.members.flights),
            Part::Hotels => self.hotels.move_to(&mut content.members.hotels),
            Part::Transports => self.transports.move_to(&mut content.members.transports),
            Part::Reservations => self.reservations.move_to(&mut content.members.reservations),
            Part::Expenses => self.expenses.move_to(&mut content.pro.expenses),
            Part::Packing => self.packing.move_to(&mut content.pro.packing),
            Part::Documents => self.documents.move_to(&mut content.documents.documents),
        }
    }
}

impl BringsLists for ItineraryPatch {
    fn brings(&self, part: Part) -> bool {
        match part {
            Part::Days => self.days.is_sent(),
            Part::Flights => self.flights.is_sent(),
            Part::Hotels => self.hotels.is_sent(),
            Part::Transports => self.transports.is_sent(),
            Part::Reservations => self.reservations.is_sent(),
            Part::Expenses => self.expenses.is_sent(),
            Part::Packing => self.packing.is_sent(),
            Part::Documents => self.documents.is_sent(),
        }
    }

    fn move_list(&mut self, part: Part, content: &mut Content) -> bool {
        match part {
            Part::Days => self.days.move_to(&mut content.everyone.days),
            Part::Flights => self.flights.move_to(&mut content.members.flights),
            Part::Hotels => self.hotels.move_to(&mut content.members.hotels),
            Part::Transports => self.transports.move_to(&mut content.members.transports),
            Part::Reservations => self.reservations.move_to(&mut content.members.reservations),
            Part::Expenses => self.expenses.move_to(&mut content.pro.expenses),
            Part::Packing => self.packing.move_to(&mut content.pro.packing),
            Part::Documents => self.documents.move_to(&mut content.documents.documents),
        }
    }
}

/// The field of a part in a body.
trait SentList<T, const MAX: usize> {
    fn is_sent(&self) -> bool;

    /// Takes the list out of the body. Null yields an empty list.
    fn take_list(&mut self) -> Option<List<T, MAX>>;

    /// Replaces a part by the list. Returns whether there is one.
    fn move_to(&mut self, part: &mut Entries<T, MAX>) -> bool
    where
        T: ListItem,
    {
        let sent = self.take_list();
        let is_sent = sent.is_some();
        if let Some(list) = sent {
            *part = list.map(Entry::from);
        }
        is_sent
    }
}

impl<T, const MAX: usize> SentList<T, MAX> for Option<List<T, MAX>> {
    fn is_sent(&self) -> bool {
        self.is_some()
    }

    fn take_list(&mut self) -> Option<List<T, MAX>> {
        self.take()
    }
}

impl<T, const MAX: usize> SentList<T, MAX> for Patch<List<T, MAX>> {
    fn is_sent(&self) -> bool {
        !self.is_absent()
    }

    fn take_list(&mut self) -> Option<List<T, MAX>> {
        match mem::take(self) {
            Self::Absent => None,
            Self::Null => Some(List::default()),
            Self::Value(list) => Some(list),
        }
    }
}
