//! Rules across the fields of an itinerary. Single values are already within their limits.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::iter;

use itinerary_api::read::FieldError;
use itinerary_api::types::{Airline, BelongsTo, BelongsToKind, Day, Flight, Hotel, Place};
use itinerary_api::values::{ItemId, OffsetTime, limits};
use uuid::Uuid;

use crate::content::{Content, Fragments, Part};
use crate::edit_scope::EditScope;
use crate::entry::{Entry, ListItem};
use crate::entry_path::EntryPath;
use crate::item_index::ItemIndex;

type Checked = Result<(), FieldError>;

/// Checks a completed content, in which every item has an id. The error names the first invalid field by its path in the
/// request. Of two entries with the same id it names the one that was sent, because the sender may be unable to see the
/// other.
pub fn content(content: &Content, itinerary: Uuid, scope: &EditScope) -> Checked {
    rules(content, itinerary, scope).map_err(|error| scope.relative(error))
}

fn rules(content: &Content, itinerary: Uuid, scope: &EditScope) -> Checked {
    unique_ids(content, scope)?;
    if let Some(origin) = &content.members.origin {
        place(origin, || "origin".to_owned())?;
    }
    touched(&content.everyone.days, day)?;
    touched(&content.members.flights, flight)?;
    touched(&content.members.hotels, hotel)?;
    links(content, itinerary)
}

/// Checks the entries that were sent or changed. The others satisfied the rules when they were stored.
fn touched<T: ListItem>(list: &[Entry<T>], check: fn(&T, usize) -> Checked) -> Checked {
    list.iter()
        .enumerate()
        .filter_map(|(n, entry)| Some((n, entry.touched()?)))
        .try_for_each(|(n, item)| check(item, n))
}

/// Checks the size of the fragments against the limit. Returns the size in bytes if it is exceeded.
pub fn size(fragments: &Fragments) -> Result<(), usize> {
    let size = fragments.size();
    if size <= limits::ITINERARY { Ok(()) } else { Err(size) }
}

fn unique_ids(content: &Content, scope: &EditScope) -> Checked {
    let mut seen = HashMap::new();
    for (id, path) in paths(content) {
        let Some(earlier) = id.and_then(|id| seen.insert(id, path)) else { continue };
        let named = if scope.contains(earlier) && !scope.contains(path) { earlier } else { path };
        return Err(FieldError::new(
            format!("{named}.id"),
            "appears more than once: ids are unique within an itinerary",
        ));
    }
    Ok(())
}

/// The id and path of each item.
fn paths(content: &Content) -> impl Iterator<Item = (Option<&str>, EntryPath)> {
    indexes(content).filter(|(path, _)| path.part != Part::Documents).flat_map(|(path, index)| {
        let stops = index.stops.iter().enumerate();
        let stops = stops.map(move |(s, stop)| (stop.id.as_deref(), EntryPath::stop(path.index, s)));
        iter::once((index.id.as_deref(), path)).chain(stops)
    })
}

/// The entries of all lists.
fn indexes(content: &Content) -> impl Iterator<Item = (EntryPath, &ItemIndex)> {
    let list = |part| content.list(part).indexes().enumerate().map(move |(n, index)| (EntryPath::new(part, n), index));
    Part::ALL.into_iter().flat_map(list)
}

/// The items that a `belongsTo` may refer to, by kind and id.
fn targets(content: &Content) -> HashSet<(BelongsToKind, &str)> {
    let Content { everyone, members, .. } = content;
    let days = everyone.days.iter().map(|day| (BelongsToKind::Day, day.index()));
    let stops = everyone.days.iter().flat_map(|day| &day.index().stops).map(|stop| (BelongsToKind::Stop, stop));
    let flights = members.flights.iter().map(|flight| (BelongsToKind::Flight, flight.index()));
    let hotels = members.hotels.iter().map(|hotel| (BelongsToKind::Hotel, hotel.index()));
    let all = days.chain(stops).chain(flights).chain(hotels);
    all.filter_map(|(kind, index)| Some((kind, index.id.as_deref()?))).collect()
}

/// The entries of a list that have a `belongsTo`, and where they are.
pub(crate) fn dangling(
    content: &Content,
    is_itinerary: impl Fn(&BelongsTo) -> bool,
) -> impl Iterator<Item = EntryPath> {
    let targets = LazyCell::new(|| targets(content));
    let links = indexes(content).filter_map(|(path, index)| Some((path, index.belongs_to.as_ref()?)));
    let dangles = move |link: &BelongsTo| match link.kind {
        BelongsToKind::Itinerary => !is_itinerary(link),
        kind => !targets.contains(&(kind, &*link.id)),
    };
    links.filter(move |(_, link)| dangles(link)).map(|(path, _)| path)
}

fn links(content: &Content, itinerary: Uuid) -> Checked {
    let is_itinerary = |link: &BelongsTo| Uuid::parse_str(&link.id).is_ok_and(|id| id == itinerary);
    match dangling(content, is_itinerary).next() {
        None => Ok(()),
        Some(path) => {
            let message = "must be the id of something of this `kind` in the itinerary";
            Err(FieldError::new(format!("{path}.belongsTo.id"), message))
        }
    }
}

pub(crate) fn place(place: &Place, path: impl Fn() -> String) -> Checked {
    let named = place.name.is_some() || place.code.is_some() || place.coordinate.is_some() || place.place_id.is_some();
    if named { Ok(()) } else { Err(FieldError::new(path(), "must have a `name`, `code`, `coordinate` or `placeId`")) }
}

fn day(day: &Day, n: usize) -> Checked {
    for (s, stop) in day.stops.iter().enumerate() {
        if let Some(at) = &stop.place {
            place(at, || format!("days[{n}].stops[{s}].place"))?;
        }
    }
    if day.legs.is_empty() {
        return Ok(());
    }
    let order: HashMap<_, _> =
        day.stops.iter().enumerate().filter_map(|(s, stop)| Some((stop.id.as_deref()?, s))).collect();
    for (l, leg) in day.legs.iter().enumerate() {
        let end = |end: &str, id: &ItemId| {
            let missing =
                || FieldError::new(format!("days[{n}].legs[{l}].{end}"), "must be the id of a stop of this day");
            order.get(&**id).copied().ok_or_else(missing)
        };
        let (from, to) = (end("from", &leg.from)?, end("to", &leg.to)?);
        if to != from + 1 {
            let message = "must be the stop directly after `from`";
            return Err(FieldError::new(format!("days[{n}].legs[{l}].to"), message));
        }
    }
    Ok(())
}

fn flight(flight: &Flight, n: usize) -> Checked {
    let airline = flight.flight_airline.as_ref().filter(|airline| **airline != Airline::default());
    let empty = Flight { id: flight.id.clone(), flight_airline: flight.flight_airline.clone(), ..Flight::default() };
    if airline.is_none() && *flight == empty {
        return Err(FieldError::new(format!("flights[{n}]"), "must have at least one field"));
    }
    for (end, airport) in [("departureAirport", &flight.departure_airport), ("arrivalAirport", &flight.arrival_airport)]
    {
        if let Some(airport) = airport {
            place(airport, || format!("flights[{n}].{end}"))?;
        }
    }
    ordered(flight.departure_date.as_ref(), flight.arrival_date.as_ref(), || {
        FieldError::new(format!("flights[{n}].arrivalDate"), "must be after `departureDate`")
    })
}

fn hotel(hotel: &Hotel, n: usize) -> Checked {
    if let Some(at) = &hotel.place {
        place(at, || format!("hotels[{n}].place"))?;
    }
    ordered(hotel.check_in_date.as_ref(), hotel.check_out_date.as_ref(), || {
        FieldError::new(format!("hotels[{n}].checkOutDate"), "must be after `checkInDate`")
    })
}

/// Compares instants: 09:00 in Tokyo is before 08:00 in Lisbon.
fn ordered(first: Option<&OffsetTime>, last: Option<&OffsetTime>, refusal: impl Fn() -> FieldError) -> Checked {
    match (first, last) {
        (Some(first), Some(last)) if first.instant() >= last.instant() => Err(refusal()),
        _ => Ok(()),
    }
}
