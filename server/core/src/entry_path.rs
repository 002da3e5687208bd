//! The path of an entry of a list, or of a stop of a day.

use std::fmt;

use itinerary_api::read::FieldError;

use crate::content::{Content, Part};

/// The path of an entry, such as `hotels[1]` or `days[0].stops[2]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPath {
    pub part: Part,
    /// The index of the entry in its list.
    pub index: usize,
    /// The index of a stop, if the entry is a day and the path leads to one of its stops.
    pub stop: Option<usize>,
}

impl EntryPath {
    /// An entry of a list.
    pub fn new(part: Part, index: usize) -> Self {
        Self { part, index, stop: None }
    }

    /// A stop of a day.
    pub fn stop(day: usize, stop: usize) -> Self {
        Self { part: Part::Days, index: day, stop: Some(stop) }
    }

    /// The path of the same entry or stop in another content; `None` if it is not there. A stop may be in another day.
    pub(crate) fn found_in(self, from: &Content, to: &Content) -> Option<Self> {
        let entry = from.list(self.part).indexes().nth(self.index)?;
        let Some(stop) = self.stop else {
            let index = to.list(self.part).indexes().position(|other| other.id == entry.id)?;
            return Some(Self::new(self.part, index));
        };
        let id = entry.stops.get(stop)?.id.as_ref()?;
        let days = to.list(self.part).indexes().enumerate();
        let mut stops =
            days.flat_map(|(day, index)| (0..index.stops.len()).map(move |stop| (day, stop, &index.stops[stop])));
        stops.find(|(_, _, other)| other.id.as_ref() == Some(id)).map(|(day, stop, _)| Self::stop(day, stop))
    }

    /// Whether the other is equal, or a stop of this day.
    pub fn contains(self, other: Self) -> bool {
        (self.part, self.index) == (other.part, other.index) && (self.stop.is_none() || self.stop == other.stop)
    }

    /// The error with a path relative to this entry: `hotels[1].name` is `name`.
    #[must_use]
    pub fn relative(self, error: FieldError) -> FieldError {
        let whole = self.to_string();
        let field = error.field.and_then(|field| match field.strip_prefix(&whole) {
            Some("") => None,
            Some(inside) if inside.starts_with('.') => Some(inside[1..].to_owned()),
            _ => Some(field),
        });
        FieldError { field, ..error }
    }
}

impl fmt::Display for EntryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.part.name(), self.index)?;
        self.stop.map_or(Ok(()), |stop| write!(f, ".stops[{stop}]"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_paths_are_relative_to_the_entry() {
        let relative = |path: EntryPath, field: &str| path.relative(FieldError::new(field, "is wrong")).field;
        assert_eq!(relative(EntryPath::new(Part::Hotels, 1), "hotels[1].place.name").as_deref(), Some("place.name"));
        assert_eq!(relative(EntryPath::new(Part::Flights, 0), "flights[0]"), None);
        assert_eq!(relative(EntryPath::stop(0, 2), "days[0].stops[2].id").as_deref(), Some("id"));
        assert_eq!(relative(EntryPath::new(Part::Days, 0), "days[0].stops[2].id").as_deref(), Some("stops[2].id"));
        for elsewhere in ["hotels[10].name", "position", "flights[1].name"] {
            assert_eq!(relative(EntryPath::new(Part::Hotels, 1), elsewhere).as_deref(), Some(elsewhere));
        }
    }

    #[test]
    fn a_day_contains_its_stops() {
        assert!(EntryPath::new(Part::Days, 1).contains(EntryPath::stop(1, 5)));
        assert!(!EntryPath::new(Part::Days, 1).contains(EntryPath::stop(2, 5)));
        assert!(!EntryPath::stop(1, 5).contains(EntryPath::new(Part::Days, 1)));
        assert!(
            EntryPath::stop(1, 5).contains(EntryPath::stop(1, 5))
                && !EntryPath::stop(1, 5).contains(EntryPath::stop(1, 4))
        );
    }
}
