//! The parts of an itinerary that a request contained. Errors in them are reported; inconsistencies elsewhere are
//! repaired, because the sender may be unable to see those parts.

use itinerary_api::read::FieldError;

use crate::content::Part;
use crate::spot::Spot;

/// The parts of an itinerary that were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// No part: an item was removed or moved.
    Nothing,
    /// One item.
    Item(Spot),
    /// Whole lists.
    Lists(Vec<Part>),
}

impl Sent {
    /// Every list, as when an itinerary is created.
    pub fn everything() -> Self {
        Self::Lists(Part::ALL.to_vec())
    }

    /// Whether the request contained this entry.
    pub fn contains(&self, spot: Spot) -> bool {
        match self {
            Self::Nothing => false,
            Self::Item(item) => item.contains(spot),
            Self::Lists(parts) => parts.contains(&spot.part),
        }
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
    fn it_contains_what_is_in_it() {
        let (hotel, stop) = (Spot::new(Part::Hotels, 1), Spot::stop(0, 2));
        assert!(!Sent::Nothing.contains(hotel));
        assert!(Sent::Item(hotel).contains(hotel) && !Sent::Item(hotel).contains(Spot::new(Part::Hotels, 2)));
        assert!(Sent::Item(Spot::new(Part::Days, 0)).contains(stop));
        assert!(Sent::Lists(vec![Part::Days]).contains(stop) && !Sent::Lists(vec![Part::Days]).contains(hotel));
        assert!(Sent::everything().contains(hotel) && Sent::everything().contains(stop));
    }

    #[test]
    fn only_the_sender_of_one_item_is_told_from_there() {
        let error = || FieldError::new("hotels[1].name", "is wrong");
        assert_eq!(Sent::Item(Spot::new(Part::Hotels, 1)).relative(error()).field.as_deref(), Some("name"));
        for sent in [Sent::Nothing, Sent::everything()] {
            assert_eq!(sent.relative(error()), error());
        }
    }
}
