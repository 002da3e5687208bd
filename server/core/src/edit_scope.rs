//! The parts of an itinerary that a request contained. Errors in them are reported; inconsistencies elsewhere are
//! repaired, because the sender may be unable to see those parts.

use itinerary_api::read::FieldError;

use crate::content::{Content, Part};
use crate::entry_path::EntryPath;

/// The parts of an itinerary that were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditScope {
    /// No part: an item was removed or moved.
    Nothing,
    /// One item.
    Item(EntryPath),
    /// Whole lists.
    Lists(Vec<Part>),
}

impl EditScope {
    /// Every list, as when an itinerary is created.
    pub fn everything() -> Self {
        Self::Lists(Part::ALL.to_vec())
    }

    /// Whether the request contained this entry.
    pub fn contains(&self, path: EntryPath) -> bool {
        match self {
            Self::Nothing => false,
            Self::Item(item) => item.contains(path),
            Self::Lists(parts) => parts.contains(&path.part),
        }
    }

    /// The same scope in another content: an item that was sent is found again by its id.
    #[must_use]
    pub fn found_in(&self, from: &Content, to: &Content) -> Self {
        let Self::Item(path) = self else { return self.clone() };
        path.found_in(from, to).map_or(Self::Nothing, Self::Item)
    }

    /// The error with a path relative to the request: `hotels[1].name` is `name` if only that hotel was sent.
    #[must_use]
    pub fn relative(&self, error: FieldError) -> FieldError {
        match self {
            Self::Item(item) => item.relative(error),
            Self::Nothing | Self::Lists(_) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_contains_entries_and_their_stops() {
        let (hotel, stop) = (EntryPath::new(Part::Hotels, 1), EntryPath::stop(0, 2));
        assert!(!EditScope::Nothing.contains(hotel));
        assert!(
            EditScope::Item(hotel).contains(hotel) && !EditScope::Item(hotel).contains(EntryPath::new(Part::Hotels, 2))
        );
        assert!(EditScope::Item(EntryPath::new(Part::Days, 0)).contains(stop));
        assert!(
            EditScope::Lists(vec![Part::Days]).contains(stop) && !EditScope::Lists(vec![Part::Days]).contains(hotel)
        );
        assert!(EditScope::everything().contains(hotel) && EditScope::everything().contains(stop));
    }

    #[test]
    fn error_paths_are_relative_only_for_a_single_item() {
        let error = || FieldError::new("hotels[1].name", "is wrong");
        assert_eq!(EditScope::Item(EntryPath::new(Part::Hotels, 1)).relative(error()).field.as_deref(), Some("name"));
        for scope in [EditScope::Nothing, EditScope::everything()] {
            assert_eq!(scope.relative(error()), error());
        }
    }
}
