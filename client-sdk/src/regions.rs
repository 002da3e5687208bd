//! The regions of a search in Explore: one or several, as text.

use serde::Serialize;

/// The regions that a search in Explore is limited to, made from a name, from comma-separated names, or from a list of
/// names: `"Asia"`, `"Portugal,Spain"`, `["Portugal", "Spain"]`. The service validates them.
///
/// ```
/// use itinerary_sdk::Regions;
///
/// assert_eq!(Regions::from(["Portugal", "Western Africa"]), Regions::from("Portugal,Western Africa"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Regions(String);

impl From<&str> for Regions {
    fn from(names: &str) -> Self {
        Self(names.to_owned())
    }
}

impl From<String> for Regions {
    fn from(names: String) -> Self {
        Self(names)
    }
}

impl From<&String> for Regions {
    fn from(names: &String) -> Self {
        Self(names.clone())
    }
}

impl<T: AsRef<str>, const N: usize> From<[T; N]> for Regions {
    fn from(names: [T; N]) -> Self {
        Self::from(&names[..])
    }
}

impl<T: AsRef<str>> From<Vec<T>> for Regions {
    fn from(names: Vec<T>) -> Self {
        Self::from(&names[..])
    }
}

impl<T: AsRef<str>> From<&[T]> for Regions {
    fn from(names: &[T]) -> Self {
        Self(names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(","))
    }
}
