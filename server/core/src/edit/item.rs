//! The change of one item of one list, the same for every list.

use itinerary_api::read::FieldError;
use itinerary_api::types::{
    Day, DayPatch, Expense, ExpensePatch, Flight, FlightPatch, Hotel, HotelPatch, PackingItem, PackingItemPatch, Stop,
    StopPatch,
};
use itinerary_api::values::{ItemId, List, Merge, Missing, Patch};

use super::Refusal;
use crate::spot::Spot;

/// Something with an id, in a list.
pub trait Item: Merge {
    /// Its id; it has none until the content is completed.
    fn id(&self) -> Option<&ItemId>;

    /// What a patch says of the id.
    fn id_in(patch: &Self::Patch) -> &Patch<ItemId>;
}

macro_rules! item {
    ($($item:ident, $patch:ident;)*) => { $(
        impl Item for $item {
            fn id(&self) -> Option<&ItemId> {
                self.id.as_ref()
            }

            fn id_in(patch: &$patch) -> &Patch<ItemId> {
                &patch.id
            }
        }
    )* };
}

item! {
    Day, DayPatch;
    Stop, StopPatch;
    Flight, FlightPatch;
    Hotel, HotelPatch;
    Expense, ExpensePatch;
    PackingItem, PackingItemPatch;
}

/// A change of one item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemEdit<T: Item> {
    /// Puts a new one in.
    Add {
        /// The item.
        item: T,
        /// Its place among the others; at the end when nothing is said.
        position: Option<usize>,
    },
    /// Merges a patch into one.
    Update {
        /// Which one.
        id: ItemId,
        /// The patch.
        patch: T::Patch,
    },
    /// Takes one out.
    Remove {
        /// Which one.
        id: ItemId,
    },
}

/// The place of the item with this id.
pub(super) fn find<T: Item>(list: &[T], id: &ItemId) -> Option<usize> {
    list.iter().position(|item| item.id() == Some(id))
}

/// Puts an item into a list, at a position or at the end, and gives its place. `full` is the field that is told of when
/// there is no room.
pub(super) fn insert<T: Item, const MAX: usize>(
    list: &mut List<T, MAX>,
    position: Option<usize>,
    item: T,
    full: &str,
) -> Result<usize, FieldError> {
    let length = list.len();
    if length == MAX {
        return Err(FieldError::new(full, format!("has room for {MAX} entries, and has as many")));
    }
    let position = position.unwrap_or(length);
    list.insert(position, item)
        .map(|()| position)
        .map_err(|_| FieldError::new("position", format!("must be at most {length}, the end of the list")))
}

impl<T: Item> ItemEdit<T> {
    /// Whether what it is to change is there.
    pub(super) fn finds(&self, list: &[T]) -> bool {
        match self {
            Self::Add { .. } => true,
            Self::Update { id, .. } | Self::Remove { id } => find(list, id).is_some(),
        }
    }

    /// Makes the change in the list that is called `name` on the wire, and gives the place of the item that was sent.
    pub(super) fn apply<const MAX: usize>(
        self,
        list: &mut List<T, MAX>,
        name: &'static str,
    ) -> Result<Option<Spot>, Refusal> {
        let index = match self {
            Self::Add { item, position } => Some(insert(list, position, item, name)?),
            Self::Update { id, patch } => {
                let index = find(list, &id).ok_or(Refusal::NotFound)?;
                keeps_id::<T>(&patch, &id)?;
                list[index].merge(patch).map_err(|Missing(field)| FieldError::new(field, "is required"))?;
                Some(index)
            }
            Self::Remove { id } => {
                list.remove(find(list, &id).ok_or(Refusal::NotFound)?);
                None
            }
        };
        Ok(index.map(|index| Spot::new(name, index)))
    }
}

/// An item keeps its id as long as it is there: others may belong to it.
fn keeps_id<T: Item>(patch: &T::Patch, id: &ItemId) -> Result<(), FieldError> {
    match T::id_in(patch) {
        Patch::Absent => Ok(()),
        Patch::Value(sent) if sent == id => Ok(()),
        Patch::Value(_) | Patch::Null => Err(FieldError::new("id", "cannot be changed")),
    }
}
