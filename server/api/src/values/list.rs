//! Lists of limited length.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::{ArrayValidation, InstanceType, Schema, SchemaObject};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// An ordered list of at most `MAX` items.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct List<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// The largest number of items.
    pub const MAX: usize = MAX;

    /// Returns `None` if there are more than `MAX` items.
    pub fn new(items: Vec<T>) -> Option<Self> {
        (items.len() <= MAX).then_some(Self(items))
    }

    /// Inserts an item. Gives it back if the list is full or the position is past the end.
    pub fn insert(&mut self, position: usize, item: T) -> Result<(), T> {
        if self.0.len() == MAX || position > self.0.len() {
            return Err(item);
        }
        self.0.insert(position, item);
        Ok(())
    }

    /// Removes and returns the item at the position, if there is one.
    pub fn remove(&mut self, position: usize) -> Option<T> {
        (position < self.0.len()).then(|| self.0.remove(position))
    }

    /// Converts each item; the length, and so the limit, stays.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> List<U, MAX> {
        List(self.0.into_iter().map(change).collect())
    }

    /// Keeps only the items for which `holds` is true.
    pub fn retain(&mut self, holds: impl FnMut(&T) -> bool) {
        self.0.retain(holds);
    }
}

impl<T, const MAX: usize> Default for List<T, MAX> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T, const MAX: usize> Deref for List<T, MAX> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T, const MAX: usize> DerefMut for List<T, MAX> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<'a, T, const MAX: usize> IntoIterator for &'a List<T, MAX> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T, const MAX: usize> IntoIterator for &'a mut List<T, MAX> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
    type Value = List<T, MAX>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array of at most {MAX} entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            if list.len() == MAX {
                return Err(A::Error::custom(format_args!("must have at most {MAX} entries")));
            }
            list.push(item);
        }
        Ok(List(list))
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for List<T, MAX> {
    fn schema_name() -> String {
        format!("ListOf{}", T::schema_name())
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        SchemaObject {
            instance_type: Some(InstanceType::Array.into()),
            array: Some(Box::new(ArrayValidation {
                items: Some(generator.subschema_for::<T>().into()),
                max_items: u32::try_from(MAX).ok(),
                ..ArrayValidation::default()
            })),
            ..SchemaObject::default()
        }
        .into()
    }
}
