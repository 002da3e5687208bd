//! The rules that one value alone cannot keep: what the parts of an itinerary must be to each other.

use std::collections::HashSet;

use itinerary_api::read::FieldError;
use itinerary_api::types::{BelongsTo, BelongsToKind, Day, Flight, Hotel, Place};
use itinerary_api::values::{ItemId, OffsetTime, limits};
use uuid::Uuid;

use crate::content::{Content, Fragments};

type Checked = Result<(), FieldError>;

/// Checks a completed content (everything has its id), and names the first field that breaks a rule.
pub fn content(content: &Content, itinerary: Uuid) -> Checked {
    let ids = unique_ids(content)?;
    if let Some(origin) = &content.members.origin {
        place(origin, || "origin".to_owned())?;
    }
    for (n, item) in content.everyone.days.iter().enumerate() {
        day(item, n)?;
    }
    for (n, item) in content.members.flights.iter().enumerate() {
        flight(item, n)?;
    }
    for (n, item) in content.members.hotels.iter().enumerate() {
        hotel(item, n)?;
    }
    let expenses = content.pro.expenses.iter().map(|item| &item.belongs_to).enumerate();
    let packing = content.pro.packing.iter().map(|item| &item.belongs_to).enumerate();
    for (list, (n, target)) in expenses.map(|item| ("expenses", item)).chain(packing.map(|item| ("packing", item))) {
        if let Some(target) = target {
            belongs_to(target, &ids, itinerary, || format!("{list}[{n}].belongsTo.id"))?;
        }
    }
    Ok(())
}

/// Checks the size of what would be stored; otherwise gives the number of bytes.
pub fn size(fragments: &Fragments) -> Result<(), usize> {
    let size = fragments.size();
    if size <= limits::ITINERARY { Ok(()) } else { Err(size) }
}

/// Every id of the itinerary, with the kind of thing that carries it.
type Ids<'a> = HashSet<(BelongsToKind, &'a str)>;

fn unique_ids(content: &Content) -> Result<Ids<'_>, FieldError> {
    let mut seen = HashSet::new();
    let mut claim = |id: &Option<ItemId>, path: &dyn Fn() -> String| match id {
        Some(id) if !seen.insert((**id).to_owned()) => {
            Err(FieldError::new(format!("{}.id", path()), "is there twice: ids are unique within an itinerary"))
        }
        _ => Ok(()),
    };
    for (d, day) in content.everyone.days.iter().enumerate() {
        claim(&day.id, &|| format!("days[{d}]"))?;
        for (s, stop) in day.stops.iter().enumerate() {
            claim(&stop.id, &|| format!("days[{d}].stops[{s}]"))?;
        }
    }
    for (n, item) in content.members.flights.iter().enumerate() {
        claim(&item.id, &|| format!("flights[{n}]"))?;
    }
    for (n, item) in content.members.hotels.iter().enumerate() {
        claim(&item.id, &|| format!("hotels[{n}]"))?;
    }
    for (n, item) in content.pro.expenses.iter().enumerate() {
        claim(&item.id, &|| format!("expenses[{n}]"))?;
    }
    for (n, item) in content.pro.packing.iter().enumerate() {
        claim(&item.id, &|| format!("packing[{n}]"))?;
    }
    Ok(targets(content).collect())
}

/// Everything that something can belong to: its kind and id.
pub(crate) fn targets(content: &Content) -> impl Iterator<Item = (BelongsToKind, &str)> {
    let days = content.everyone.days.iter().map(|day| (BelongsToKind::Day, &day.id));
    let stops = content.everyone.days.iter().flat_map(|day| day.stops.iter());
    let stops = stops.map(|stop| (BelongsToKind::Stop, &stop.id));
    let flights = content.members.flights.iter().map(|flight| (BelongsToKind::Flight, &flight.id));
    let hotels = content.members.hotels.iter().map(|hotel| (BelongsToKind::Hotel, &hotel.id));
    days.chain(stops).chain(flights).chain(hotels).filter_map(|(kind, id)| Some((kind, id.as_deref()?)))
}

fn belongs_to(target: &BelongsTo, ids: &Ids<'_>, itinerary: Uuid, path: impl Fn() -> String) -> Checked {
    let exists = match target.kind {
        BelongsToKind::Itinerary => Uuid::parse_str(&target.id).is_ok_and(|id| id == itinerary),
        kind => ids.contains(&(kind, &*target.id)),
    };
    if exists { Ok(()) } else { Err(FieldError::new(path(), "names nothing of that kind in this itinerary")) }
}

fn place(place: &Place, path: impl Fn() -> String) -> Checked {
    let named = place.name.is_some() || place.code.is_some() || place.coordinate.is_some() || place.place_id.is_some();
    if named { Ok(()) } else { Err(FieldError::new(path(), "needs a name, a code, a coordinate or a placeId")) }
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
    let stops: HashSet<_> = day.stops.iter().filter_map(|stop| stop.id.as_deref()).collect();
    for (l, leg) in day.legs.iter().enumerate() {
        for (end, id) in [("from", &leg.from), ("to", &leg.to)] {
            if !stops.contains(&**id) {
                return Err(FieldError::new(format!("days[{n}].legs[{l}].{end}"), "names no stop of this day"));
            }
        }
        if leg.from == leg.to {
            return Err(FieldError::new(format!("days[{n}].legs[{l}].to"), "must be another stop than from"));
        }
    }
    Ok(())
}

fn flight(flight: &Flight, n: usize) -> Checked {
    let empty = Flight { id: flight.id.clone(), ..Flight::default() };
    if *flight == empty {
        return Err(FieldError::new(format!("flights[{n}]"), "needs at least one field"));
    }
    for (end, airport) in [("departureAirport", &flight.departure_airport), ("arrivalAirport", &flight.arrival_airport)]
    {
        if let Some(airport) = airport {
            place(airport, || format!("flights[{n}].{end}"))?;
        }
    }
    ordered(flight.departure_date.as_ref(), flight.arrival_date.as_ref(), || {
        FieldError::new(format!("flights[{n}].arrivalDate"), "must be after departureDate")
    })
}

fn hotel(hotel: &Hotel, n: usize) -> Checked {
    if let Some(at) = &hotel.place {
        place(at, || format!("hotels[{n}].place"))?;
    }
    ordered(hotel.check_in_date.as_ref(), hotel.check_out_date.as_ref(), || {
        FieldError::new(format!("hotels[{n}].checkOutDate"), "must be after checkInDate")
    })
}

/// Compares instants: 09:00 in Tokyo is before 08:00 in Lisbon.
fn ordered(first: Option<&OffsetTime>, last: Option<&OffsetTime>, refusal: impl Fn() -> FieldError) -> Checked {
    match (first, last) {
        (Some(first), Some(last)) if first.instant() >= last.instant() => Err(refusal()),
        _ => Ok(()),
    }
}
