//! A change of an itinerary's content: of the whole by a merge patch, or of one item of one of its lists.
//!
//! Permissions and the version are checked before, the rules across fields after it (`validate`).

mod day;
mod item;
mod itinerary;
mod mend;

use itinerary_api::parts;
use itinerary_api::read::FieldError;
use itinerary_api::types::{self, Day, ItineraryPatch, Stop, StopMove};
use itinerary_api::values::{ItemId, Patch};

use crate::content::{Content, Part};
use crate::entry::Entry;
use crate::sent::Sent;
use crate::spot::Spot;

pub use item::{Item, ItemEdit, index};

/// The index of the day with this id.
pub fn find_day(days: &[Entry<Day>], id: &ItemId) -> Option<usize> {
    item::find(days, id)
}

macro_rules! edit {
    ($($fragment:ident $Fragment:ident { $($list:ident $Part:ident $kind:ident $Item:ident $fields:tt;)* })*) => {
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
            $($(
                #[doc = concat!("Changes one of the ", stringify!($list), ".")]
                $Item(ItemEdit<types::$Item>),
            )*)*
        }

        $($(
            impl From<ItemEdit<types::$Item>> for Edit {
                fn from(edit: ItemEdit<types::$Item>) -> Self {
                    Self::$Item(edit)
                }
            }
        )*)*

        impl Edit {
            /// The part to change; `None` for the whole itinerary.
            pub fn part(&self) -> Option<Part> {
                match self {
                    Self::Itinerary(_) => None,
                    Self::Stop(..) | Self::StopMove { .. } => Some(Part::Days),
                    $($(Self::$Item(_) => Some(Part::$Part),)*)*
                }
            }

            /// The id of the item to change, or of the day whose stop is changed.
            fn item(&self) -> Option<&ItemId> {
                match self {
                    Self::Itinerary(_) => None,
                    Self::Stop(day, _) | Self::StopMove { day, .. } => Some(day),
                    $($(Self::$Item(edit) => edit.id(),)*)*
                }
            }

            fn make(self, content: &mut Content) -> Result<Sent, Refusal> {
                Ok(match self {
                    Self::Itinerary(patch) => itinerary::merge(content, *patch)?,
                    Self::Stop(day, edit) => day::edit_stop(&mut content.everyone.days, &day, edit)?,
                    Self::StopMove { day, stop, to } => day::move_stop(&mut content.everyone.days, &day, &stop, &to)?,
                    $($(Self::$Item(edit) => {
                        let index = edit.apply(&mut content.$fragment.$list, Part::$Part.name())?;
                        index.map_or(Sent::Nothing, |index| Sent::Item(Spot::new(Part::$Part, index)))
                    })*)*
                })
            }
        }
    };
}

parts!(edit);

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
    /// Whether the edit clears the coordinate of a stop or hotel, which is then placed again.
    pub fn places_anew(&self) -> bool {
        let place = match self {
            Self::Stop(_, ItemEdit::Update { patch, .. }) => &patch.place,
            Self::Hotel(ItemEdit::Update { patch, .. }) => &patch.place,
            _ => return false,
        };
        matches!(place, Patch::Value(place) if matches!(place.coordinate, Patch::Null))
    }

    /// Whether the item to change exists.
    pub fn finds(&self, content: &Content) -> bool {
        let (Some(part), Some(id)) = (self.part(), self.item()) else { return true };
        let mut outlines = content.list(part).outlines();
        let Some(item) = outlines.find(|outline| outline.id.as_deref() == Some(&**id)) else { return false };
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
    pub fn apply(self, content: &mut Content) -> Result<Sent, Refusal> {
        let brings_legs = self.brings_legs();
        let before = self.days_before(&content.everyone.days);
        let sent = self.make(content)?;
        for (d, day) in content.everyone.days.iter_mut().enumerate() {
            let is_sent = brings_legs && sent.contains(Spot::new(Part::Days, d));
            if !is_sent && !day.outline().legs_fit {
                day.change(mend::legs)?;
            }
        }
        day::remove_outdated_legs(&before, &mut content.everyone.days)?;
        mend::links(content, &sent)?;
        Ok(sent)
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
            Part::Expenses => Self::Expense(ItemEdit::Remove { id }),
            Part::Packing => Self::PackingItem(ItemEdit::Remove { id }),
            Part::Documents => Self::Document(ItemEdit::Remove { id }),
        }
    }
}
