//! The places of the entries of a content, and where they are. Airports are not among them: they are found by their codes.

use std::fmt;

use itinerary_api::types::{Place, StopCategory};

use crate::content::{Content, Part};
use crate::entry::{Entry, ListItem};
use crate::entry_path::EntryPath;
use crate::item_index::ItemIndex;

/// The field of an entry that holds a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum PlaceField {
    Place,
    DeparturePlace,
    ArrivalPlace,
}

impl PlaceField {
    /// The places of a transport.
    pub const ENDS: [Self; 2] = [Self::DeparturePlace, Self::ArrivalPlace];

    /// The field's name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::DeparturePlace => "departurePlace",
            Self::ArrivalPlace => "arrivalPlace",
        }
    }
}

/// A place of an entry, such as `hotels[1].place`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacePath {
    pub entry: EntryPath,
    pub field: PlaceField,
}

impl fmt::Display for PlacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.entry, self.field.name())
    }
}

impl From<EntryPath> for PlacePath {
    fn from(entry: EntryPath) -> Self {
        Self { entry, field: PlaceField::Place }
    }
}

/// A place with what is known of its entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryPlace<'e> {
    pub path: PlacePath,
    /// The name by which it is looked for. Empty if there is none.
    pub name: &'e str,
    pub category: Option<StopCategory>,
    pub place: Option<&'e Place>,
}

/// Visits the places of all stops, hotels, transports and reservations, in order. Of a transport only those that it has.
pub fn each_place(content: &Content, mut visit: impl FnMut(EntryPlace<'_>)) -> serde_json::Result<()> {
    Part::ALL.into_iter().try_for_each(|part| places_of(content, part, &mut visit))
}

fn places_of(content: &Content, part: Part, visit: &mut dyn FnMut(EntryPlace<'_>)) -> serde_json::Result<()> {
    match part {
        Part::Days => each(&content.everyone.days, |d, day| {
            for (s, stop) in day.stops.iter().enumerate() {
                let path = EntryPath::stop(d, s).into();
                visit(EntryPlace { path, name: &stop.name, category: stop.category, place: stop.place.as_ref() });
            }
        }),
        Part::Hotels => each(&content.members.hotels, |n, hotel| {
            let path = EntryPath::new(part, n).into();
            let category = Some(StopCategory::Lodging);
            visit(EntryPlace { path, name: &hotel.name, category, place: hotel.place.as_ref() });
        }),
        Part::Transports => each(&content.members.transports, |n, transport| {
            let places = [&transport.departure_place, &transport.arrival_place];
            for (field, place) in PlaceField::ENDS.into_iter().zip(places) {
                let Some(place) = place else { continue };
                let path = PlacePath { entry: EntryPath::new(part, n), field };
                let name = place.name.as_deref().unwrap_or_default();
                visit(EntryPlace { path, name, category: Some(StopCategory::Transport), place: Some(place) });
            }
        }),
        Part::Reservations => each(&content.members.reservations, |n, reservation| {
            let path = EntryPath::new(part, n).into();
            let (name, category) = (&reservation.name, reservation.category);
            visit(EntryPlace { path, name, category, place: reservation.place.as_ref() });
        }),
        Part::Flights | Part::Expenses | Part::Packing | Part::Documents => Ok(()),
    }
}

fn each<T: ListItem>(list: &[Entry<T>], mut visit: impl FnMut(usize, &T)) -> serde_json::Result<()> {
    list.iter().enumerate().try_for_each(|(n, entry)| entry.value().map(|item| visit(n, &item)))
}

/// The places without a coordinate, in order. Parses no entry.
pub fn unplaced(content: &Content) -> impl Iterator<Item = PlacePath> {
    let indexes = |part: Part| content.list(part).indexes().enumerate().map(move |(n, index)| (part, n, index));
    Part::ALL.into_iter().flat_map(indexes).flat_map(|(part, n, index)| unplaced_in(part, n, index))
}

fn unplaced_in(part: Part, n: usize, index: &ItemIndex) -> Vec<PlacePath> {
    let entry = EntryPath::new(part, n);
    match part {
        Part::Days => {
            let stops = index.stops.iter().enumerate().filter(|(_, stop)| !stop.is_placed());
            stops.map(|(s, _)| EntryPath::stop(n, s).into()).collect()
        }
        Part::Hotels | Part::Reservations if index.is_placed() => Vec::new(),
        Part::Hotels | Part::Reservations => vec![entry.into()],
        Part::Transports => {
            let ends = PlaceField::ENDS.into_iter().zip(index.unplaced_ends);
            ends.filter(|(_, is_unplaced)| *is_unplaced).map(|(field, _)| PlacePath { entry, field }).collect()
        }
        Part::Flights | Part::Expenses | Part::Packing | Part::Documents => Vec::new(),
    }
}

/// Changes a place. Does nothing if there is no such entry.
pub fn change_place(
    content: &mut Content,
    path: PlacePath,
    change: impl FnOnce(&mut Option<Place>),
) -> serde_json::Result<()> {
    let EntryPath { part, index, stop } = path.entry;
    match (part, stop) {
        (Part::Days, Some(stop)) => changed(&mut content.everyone.days, index, |day| {
            if let Some(stop) = day.stops.get_mut(stop) {
                change(&mut stop.place);
            }
        }),
        (Part::Hotels, _) => changed(&mut content.members.hotels, index, |hotel| change(&mut hotel.place)),
        (Part::Reservations, _) => {
            changed(&mut content.members.reservations, index, |reservation| change(&mut reservation.place))
        }
        (Part::Transports, _) => changed(&mut content.members.transports, index, |transport| match path.field {
            PlaceField::DeparturePlace => change(&mut transport.departure_place),
            PlaceField::ArrivalPlace => change(&mut transport.arrival_place),
            PlaceField::Place => {}
        }),
        (Part::Days | Part::Flights | Part::Expenses | Part::Packing | Part::Documents, _) => Ok(()),
    }
}

fn changed<T: ListItem>(list: &mut [Entry<T>], index: usize, change: impl FnOnce(&mut T)) -> serde_json::Result<()> {
    list.get_mut(index).map_or(Ok(()), |entry| entry.change(change))
}
