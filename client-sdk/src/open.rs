//! Values of enums that the service may extend. In requests any text can be sent; the service rejects unknown values.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of an enum that the service may extend: one that this version of the SDK knows, or the text of a newer one.
///
/// ```
/// use itinerary_sdk::{Open, types::LegMode};
///
/// let mode: Open<LegMode> = serde_json::from_str(r#""walk""#).unwrap();
/// assert_eq!(mode, LegMode::Walk);
/// let mode: Open<LegMode> = serde_json::from_str(r#""airship""#).unwrap();
/// assert_eq!((mode.known(), mode.to_string()), (None, "airship".to_owned()));
/// ```
///
/// Text from elsewhere, such as a column of a CSV file, is parsed:
///
/// ```
/// use itinerary_sdk::{Open, types::{StopCategory, StopInput}};
///
/// let category = "museum".parse::<Open<StopCategory>>()?;
/// assert_eq!(category, StopCategory::Museum);
/// let stop = StopInput::new("Gulbenkian").category(category);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Open<T> {
    /// A value that this version of the SDK knows.
    Known(T),
    /// A value that the service added later, as text.
    Other(String),
}

impl<T> Open<T> {
    /// Returns the value if this version of the SDK knows it.
    ///
    /// ```
    /// use itinerary_sdk::{Open, types::Visibility};
    ///
    /// assert_eq!(Open::Known(Visibility::Public).known(), Some(&Visibility::Public));
    /// assert_eq!(Open::<Visibility>::Other("friends".to_owned()).known(), None);
    /// ```
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Other(_) => None,
        }
    }
}

impl<T> From<T> for Open<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: PartialEq> PartialEq<T> for Open<T> {
    fn eq(&self, other: &T) -> bool {
        self.known() == Some(other)
    }
}

impl<T: fmt::Display> fmt::Display for Open<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(value) => value.fmt(f),
            Self::Other(text) => text.fmt(f),
        }
    }
}

impl<T: FromStr> FromStr for Open<T> {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Other(text.to_owned()), Self::Known))
    }
}

impl<T: Serialize> Serialize for Open<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.serialize(serializer),
            Self::Other(text) => text.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Open<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let known: StrDeserializer<'_, ValueError> = text.as_str().into_deserializer();
        Ok(match T::deserialize(known) {
            Ok(value) => Self::Known(value),
            Err(_) => Self::Other(text),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Role, StopCategory};

    #[test]
    fn known_and_unknown_values_come_back_as_they_were() {
        for text in [r#""beach""#, r#""volcano""#] {
            let category: Open<StopCategory> = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&category).unwrap(), text);
        }
        assert_eq!("owner".parse(), Ok(Open::Known(Role::Owner)));
        assert_eq!("guide".parse(), Ok(Open::<Role>::Other("guide".to_owned())));
    }

    #[test]
    fn non_text_enum_values_are_rejected() {
        assert!(serde_json::from_str::<Open<Role>>("3").is_err());
    }
}
