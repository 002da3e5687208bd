//! An entry of a list: its stored JSON, and an index of the fields that rules across entries compare.
//!
//! A change parses only the entries that it touches. The others keep their JSON byte for byte.

use std::borrow::Cow;
use std::sync::Arc;

use itinerary_api::types::BelongsTo;
use itinerary_api::values::{ItemId, List};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::item_index::{ItemIndex, Scan};
use crate::stored::{self, UnknownFields};

pub trait ListItem: Clone + DeserializeOwned + Serialize {
    /// The fields for the index.
    fn scan(&self) -> Scan<'_>;

    /// Assigns the missing ids.
    fn complete(&mut self, make: &dyn Fn() -> ItemId);

    /// The item's `belongsTo`; `None` if its type has none.
    fn belongs_to(&mut self) -> Option<&mut Option<BelongsTo>>;
}

/// The entries of the list of any part.
pub trait AnyEntries {
    /// The index of each entry.
    fn indexes(&self) -> Box<dyn Iterator<Item = &ItemIndex> + '_>;

    /// Assigns the missing ids.
    fn complete(&mut self, make: &dyn Fn() -> ItemId) -> serde_json::Result<()>;

    /// Sets the `belongsTo` of an entry, if its type has one.
    fn set_belongs_to(&mut self, index: usize, link: Option<BelongsTo>) -> serde_json::Result<()>;

    /// The JSON of an entry.
    fn raw(&self, index: usize) -> serde_json::Result<Cow<'_, RawValue>>;

    /// The stored JSON of an entry; an error if it was sent or changed.
    fn stored(&self, index: usize) -> serde_json::Result<&RawValue>;

    /// Replaces each value that was sent or changed by its JSON. The entry then equals one that is parsed from this JSON.
    fn serialize_values(&mut self) -> serde_json::Result<()>;

    /// Replaces the list by a stored JSON array.
    fn replace(&mut self, json: &str) -> serde_json::Result<()>;
}

impl<T: ListItem, const MAX: usize> AnyEntries for Entries<T, MAX> {
    fn indexes(&self) -> Box<dyn Iterator<Item = &ItemIndex> + '_> {
        Box::new(self.iter().map(Entry::index))
    }

    fn complete(&mut self, make: &dyn Fn() -> ItemId) -> serde_json::Result<()> {
        let mut incomplete = self.iter_mut().filter(|entry| entry.index.lacks_ids());
        incomplete.try_for_each(|entry| entry.change(|item| item.complete(make)))
    }

    fn set_belongs_to(&mut self, index: usize, link: Option<BelongsTo>) -> serde_json::Result<()> {
        self[index].change(|item| {
            if let Some(belongs_to) = item.belongs_to() {
                *belongs_to = link;
            }
        })
    }

    fn raw(&self, index: usize) -> serde_json::Result<Cow<'_, RawValue>> {
        match &self[index].held {
            Held::Stored(json) => Ok(Cow::Borrowed(json)),
            held @ Held::Value(..) => serde_json::value::to_raw_value(held).map(Cow::Owned),
        }
    }

    fn stored(&self, index: usize) -> serde_json::Result<&RawValue> {
        match &self[index].held {
            Held::Stored(json) => Ok(json),
            Held::Value(..) => Err(serde_json::Error::custom("the entry is not as it was stored")),
        }
    }

    fn serialize_values(&mut self) -> serde_json::Result<()> {
        self.iter_mut().try_for_each(Entry::serialize_value)
    }

    fn replace(&mut self, json: &str) -> serde_json::Result<()> {
        *self = serde_json::from_str(json)?;
        Ok(())
    }
}

/// A list of at most `MAX` entries.
pub type Entries<T, const MAX: usize> = List<Entry<T>, MAX>;

#[derive(Clone, Debug)]
pub struct Entry<T> {
    /// Reference-counted, because every edit clones the content.
    index: Arc<ItemIndex>,
    held: Held<T>,
}

#[derive(Clone, Debug)]
enum Held<T> {
    /// JSON that was read from the database, or will be stored there. Reference-counted like the index.
    Stored(Arc<RawValue>),
    /// A value that was sent or changed, and the unknown fields that were stored with it. Boxed, because most entries are not
    /// touched.
    Value(Box<(T, UnknownFields)>),
}

impl<T: ListItem> Entry<T> {
    /// The fields that other entries are compared with.
    pub fn index(&self) -> &ItemIndex {
        &self.index
    }

    /// The value that was sent or changed, which may break a rule. `None` for JSON, which was validated before.
    pub fn touched(&self) -> Option<&T> {
        match &self.held {
            Held::Stored(_) => None,
            Held::Value(held) => Some(&held.0),
        }
    }

    /// The JSON. `None` for a value that was sent or changed.
    pub fn stored(&self) -> Option<&str> {
        match &self.held {
            Held::Stored(json) => Some(json.get()),
            Held::Value(..) => None,
        }
    }

    /// The value, parsed if necessary.
    pub fn value(&self) -> serde_json::Result<Cow<'_, T>> {
        match &self.held {
            Held::Stored(json) => stored::parse(json.get().as_bytes()).map(Cow::Owned),
            Held::Value(held) => Ok(Cow::Borrowed(&held.0)),
        }
    }

    /// Changes the value, parsing it first if necessary.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut T) -> R) -> serde_json::Result<R> {
        let value = self.held.parsed()?;
        let outcome = change(value);
        self.index = Arc::new(value.scan().into());
        Ok(outcome)
    }

    /// Replaces a value that was sent or changed by its JSON. The entry then equals one that is parsed from this JSON.
    fn serialize_value(&mut self) -> serde_json::Result<()> {
        let Held::Value(held) = &self.held else { return Ok(()) };
        let json = serde_json::value::to_raw_value(&self.held)?;
        if held.1.is_empty() {
            self.held = Held::Stored(json.into());
        } else {
            // The index of stored JSON leaves out a link with an unknown field.
            *self = serde_json::from_str(json.get())?;
        }
        Ok(())
    }
}

impl<T: ListItem> Held<T> {
    fn parsed(&mut self) -> serde_json::Result<&mut T> {
        if let Self::Stored(json) = self {
            let (value, unknown) = stored::parse_with_unknown(json.get().as_bytes())?;
            *self = Self::Value(Box::new((value, unknown)));
        }
        match self {
            Self::Value(held) => Ok(&mut held.0),
            Self::Stored(_) => unreachable!("it was parsed just now"),
        }
    }
}

impl<T: ListItem> From<T> for Entry<T> {
    fn from(value: T) -> Self {
        Self { index: Arc::new(value.scan().into()), held: Held::Value(Box::new((value, UnknownFields::default()))) }
    }
}

/// Whether a list that was sent equals the current one.
pub fn same<T: ListItem + PartialEq>(sent: &[T], there: &[Entry<T>]) -> bool {
    let is = |(sent, there): (&T, &Entry<T>)| there.value().is_ok_and(|there| *sent == *there);
    sent.len() == there.len() && sent.iter().zip(there).all(is)
}

impl<T: ListItem + PartialEq> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.held, &other.held) {
            (Held::Stored(one), Held::Stored(other)) if one.get() == other.get() => true,
            _ => self.value().is_ok_and(|value| other.value().is_ok_and(|other| *value == *other)),
        }
    }
}

impl<T: Serialize> Serialize for Entry<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.held.serialize(serializer)
    }
}

impl<T: Serialize> Serialize for Held<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Stored(json) => (**json).serialize(serializer),
            Self::Value(held) => stored::serialize(&held.0, &held.1, serializer),
        }
    }
}

impl<'de, T> Deserialize<'de> for Entry<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let scan: Scan = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
        Ok(Self { index: Arc::new(scan.into()), held: Held::Stored(json.into()) })
    }
}
