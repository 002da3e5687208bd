//! The value of a field in a merge patch; the `Option` around it stands for absence.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Open;

/// The value of a field in a merge patch: null, which clears the field, or a new value. Fields of patches are
/// `Option<Nullable<T>>`, where `None` keeps the current value.
///
/// ```
/// use itinerary_sdk::{Nullable, types::ItineraryPatch};
///
/// let patch = ItineraryPatch::default().currency("EUR").clear_summary();
/// assert_eq!(patch.summary, Some(Nullable::Null));
/// assert_eq!(serde_json::to_string(&patch).unwrap(), r#"{"currency":"EUR","summary":null}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nullable<T> {
    /// Clears the field.
    Null,
    /// Sets the field, or merges into it if it is an object.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns the value; `None` for null.
    ///
    /// ```
    /// use itinerary_sdk::Nullable;
    ///
    /// assert_eq!(Nullable::Value(3).value(), Some(&3));
    /// assert_eq!(Nullable::<i32>::Null.value(), None);
    /// ```
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<T> for Nullable<Open<T>> {
    fn from(value: T) -> Self {
        Self::Value(Open::Known(value))
    }
}

impl<T: fmt::Display> fmt::Display for Nullable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Value(value) => value.fmt(f),
        }
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}

/// Reads a present field. By default, an `Option` would read null as absent.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<Nullable<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Nullable::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::ItineraryPatch;

    #[test]
    fn the_three_states_survive_writing_and_reading() {
        for text in ["{}", r#"{"summary":null}"#, r#"{"summary":"by train"}"#] {
            let patch: ItineraryPatch = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&patch).unwrap(), text);
        }
        let patch: ItineraryPatch = serde_json::from_str(r#"{"summary":null}"#).unwrap();
        assert_eq!(patch.summary, Some(Nullable::Null));
    }

    #[test]
    fn it_shows_what_it_holds() {
        assert_eq!(Nullable::<i32>::from(3).to_string(), "3");
        assert_eq!(Nullable::<u8>::Null.to_string(), "null");
    }
}
