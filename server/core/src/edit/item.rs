//! Changes of one item of a list, for every kind of list.

use itinerary_api::read::FieldError;
use itinerary_api::types::{Position, Stop};
use itinerary_api::values::{Change, ItemId, List, Merge, Missing};

use super::Refusal;
use crate::entry::{Entry, ListItem};

/// An item of a list, with an id.
pub trait Item: Merge {
    /// The id; `None` until the content is completed.
    fn id(&self) -> Option<&ItemId>;

    /// The field `id` of a patch.
    fn id_in(patch: &Self::Patch) -> &Change<ItemId>;
}

/// Implements [`Item`] for a type of item.
macro_rules! item {
    ($Item:ident) => {
        impl $crate::edit::Item for itinerary_api::types::$Item {
            fn id(&self) -> Option<&itinerary_api::values::ItemId> {
                (&self.id).into()
            }

            fn id_in(patch: &Self::Patch) -> &itinerary_api::values::Change<itinerary_api::values::ItemId> {
                &patch.id
            }
        }
    };
}

pub(crate) use item;

item!(Stop);

/// The element type of a list: stops are stored directly, all other items in an [`Entry`].
pub(super) trait Holder: From<Self::Item> {
    type Item: Item;

    fn id(&self) -> Option<&str>;

    /// Changes the item.
    fn change<R>(&mut self, change: impl FnOnce(&mut Self::Item) -> R) -> serde_json::Result<R>;
}

impl Holder for Stop {
    type Item = Self;

    fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    fn change<R>(&mut self, change: impl FnOnce(&mut Self) -> R) -> serde_json::Result<R> {
        Ok(change(self))
    }
}

impl<T: Item + ListItem> Holder for Entry<T> {
    type Item = T;

    fn id(&self) -> Option<&str> {
        self.index().id.as_deref()
    }

    fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> serde_json::Result<R> {
        self.change(change)
    }
}

/// A change of one item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemEdit<T: Item> {
    /// Inserts a new item.
    Add {
        item: T,
        /// The zero-based index. Defaults to the end.
        position: Option<usize>,
    },
    /// Merges a patch into an item.
    Update { id: ItemId, patch: T::Patch },
    /// Removes an item.
    Remove { id: ItemId },
}

/// The index of the item with this id.
pub(super) fn find(list: &[impl Holder], id: &ItemId) -> Option<usize> {
    find_id(list.iter().map(Holder::id), id)
}

/// The index of an id.
pub(super) fn find_id<'a>(mut ids: impl Iterator<Item = Option<&'a str>>, id: &ItemId) -> Option<usize> {
    ids.position(|other| other == Some(id))
}

/// A position as an index. A number that does not fit is past the end of every list.
pub fn index(position: Position) -> usize {
    usize::try_from(position.get()).unwrap_or(usize::MAX)
}

/// Inserts an item into a list, at a position or at the end, and returns its index. `full` is the field that the error
/// for a full list names.
pub(super) fn insert<H: Holder, const MAX: usize>(
    list: &mut List<H, MAX>,
    position: Option<usize>,
    item: H::Item,
    full: &str,
) -> Result<usize, FieldError> {
    let length = list.len();
    if length == MAX {
        return Err(FieldError::new(full, format!("is full: the maximum is {MAX} entries")));
    }
    let position = position.unwrap_or(length);
    list.insert(position, item.into())
        .map(|()| position)
        .map_err(|_| FieldError::new("position", format!("must be at most {length}, the end of the list")))
}

impl<T: Item> ItemEdit<T> {
    /// The id of the item to change; `None` for a new item.
    pub fn id(&self) -> Option<&ItemId> {
        match self {
            Self::Add { .. } => None,
            Self::Update { id, .. } | Self::Remove { id } => Some(id),
        }
    }

    /// Applies the change to the list whose field is `name`, and returns the index of the item that was sent.
    pub(super) fn apply<H: Holder<Item = T>, const MAX: usize>(
        self,
        list: &mut List<H, MAX>,
        name: &str,
    ) -> Result<Option<usize>, Refusal> {
        Ok(match self {
            Self::Add { item, position } => Some(insert(list, position, item, name)?),
            Self::Update { id, patch } => {
                let index = find(list, &id).ok_or(Refusal::NotFound)?;
                keeps_id::<T>(&patch, &id)?;
                let merged = list[index].change(|item| item.merge(patch))?;
                merged.map_err(|Missing(field)| FieldError::new(field, "is required"))?;
                Some(index)
            }
            Self::Remove { id } => {
                list.remove(find(list, &id).ok_or(Refusal::NotFound)?);
                None
            }
        })
    }
}

/// Rejects a change of an item's id, because other items may refer to it.
fn keeps_id<T: Item>(patch: &T::Patch, id: &ItemId) -> Result<(), FieldError> {
    match T::id_in(patch) {
        Change::Value(sent) if sent != id => Err(FieldError::new("id", "cannot be changed")),
        Change::Absent | Change::Value(_) => Ok(()),
    }
}
