//! Rules across the fields of an itinerary. Single values are already within their limits.

mod bookings;

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::iter;

use itinerary_api::read::FieldError;
use itinerary_api::types::{BelongsTo, BelongsToKind, Day, Place};
use itinerary_api::values::{ItemId, limits};
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
    Part::ALL.into_iter().try_for_each(|part| items(content, part))?;
    links(content, itinerary)
}

/// The rules about single items of a part.
fn items(content: &Content, part: Part) -> Checked {
    match part {
        Part::Days => touched(&content.everyone.days, day),
        Part::Flights => touched(&content.members.flights, bookings::flight),
        Part::Hotels => touched(&content.members.hotels, bookings::hotel),
        Part::Transports => touched(&content.members.transports, bookings::transport),
        Part::Reservations => touched(&content.members.reservations, bookings::reservation),
        Part::Expenses | Part::Packing | Part::Documents => Ok(()),
    }
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

/// Sorts the ids instead of hashing them, which is faster for the usual number, about sixty.
fn unique_ids(content: &Content, scope: &EditScope) -> Checked {
    let ids = paths(content).enumerate().filter_map(|(n, (id, path))| Some((id?, n, path)));
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable_by_key(|(id, n, _)| (*id, *n));
    let repeated = ids.windows(2).filter(|pair| pair[0].0 == pair[1].0).min_by_key(|pair| pair[1].1);
    let Some([(_, _, earlier), (_, _, path)]) = repeated else { return Ok(()) };
    let named = if scope.contains(*earlier) && !scope.contains(*path) { earlier } else { path };
    Err(FieldError::new(format!("{named}.id"), "appears more than once: ids are unique within an itinerary"))
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
pub(crate) fn targets(content: &Content) -> HashSet<(BelongsToKind, &str)> {
    let items = Part::ALL.into_iter().filter_map(|part| Some((part.link_kind()?, part)));
    let items = items.flat_map(|(kind, part)| content.list(part).indexes().map(move |index| (kind, index)));
    let stops = content.everyone.days.iter().flat_map(|day| &day.index().stops).map(|stop| (BelongsToKind::Stop, stop));
    let all = items.chain(stops);
    all.filter_map(|(kind, index)| Some((kind, index.id.as_deref()?))).collect()
}

/// The entries whose `belongsTo` refers to nothing, and where they are.
pub(crate) fn dangling(
    content: &Content,
    is_itinerary: impl Fn(&BelongsTo) -> bool,
) -> impl Iterator<Item = (EntryPath, &ItemIndex)> {
    let targets = LazyCell::new(|| targets(content));
    let dangles = move |link: &BelongsTo| match link.kind {
        BelongsToKind::Itinerary => !is_itinerary(link),
        kind => !targets.contains(&(kind, &*link.id)),
    };
    indexes(content).filter(move |(_, index)| index.belongs_to.as_ref().is_some_and(&dangles))
}

fn links(content: &Content, itinerary: Uuid) -> Checked {
    let is_itinerary = |link: &BelongsTo| Uuid::parse_str(&link.id).is_ok_and(|id| id == itinerary);
    match dangling(content, is_itinerary).next() {
        None => Ok(()),
        Some((path, _)) => {
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
