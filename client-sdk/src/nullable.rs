//! The value of a field in a merge patch. Absence is the `Option` around it; what a field means is not known here.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Open;

/// A field that a patch sends: null to clear it, or its new value. Fields of patches are `Option<Nullable<T>>`, where
/// `None` keeps what is there.
///
/// ```
/// use itinerary_sdk::{Nullable, types::ItineraryPatch};
///
/// let patch = ItineraryPatch {
///     summary: Some(Nullable::Null),
///     currency: Some("EUR".to_owned().into()),
///     ..ItineraryPatch::default()
/// };
/// assert_eq!(serde_json::to_string(&patch).unwrap(), r#"{"currency":"EUR","summary":null}"#);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nullable<T> {
    /// Clears the field.
    Null,
    /// Sets the field, or merges into it where it is an object.
    Value(T),
}

impl<T> Nullable<T> {
    /// The value, if it is one.
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

/// Reads a field that is there. Left to itself, an `Option` would take null for absence.
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
