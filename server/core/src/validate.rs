//! The rules that one value alone cannot keep: what the parts of an itinerary must be to each other.

use std::collections::{HashMap, HashSet};
use std::iter;

use itinerary_api::read::FieldError;
use itinerary_api::types::{Airline, BelongsTo, BelongsToKind, Day, Flight, Hotel, Place};
use itinerary_api::values::{ItemId, OffsetTime, limits};
use uuid::Uuid;

use crate::content::{Content, Everyone, Fragments, Members};
use crate::sent::Sent;
use crate::spot::Spot;

type Checked = Result<(), FieldError>;

/// Checks a completed content (everything has its id), and names the first field that breaks a rule, as the sender of the
/// change knows it. When two entries have one id, it is one that was sent: the sender may not be shown the other.
pub fn content(content: &Content, itinerary: Uuid, sent: &Sent) -> Checked {
    rules(content, itinerary, sent).map_err(|error| sent.relative(error))
}

fn rules(content: &Content, itinerary: Uuid, sent: &Sent) -> Checked {
    unique_ids(content, sent)?;
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
    links(content, itinerary)
}

/// Checks the size of what would be stored; otherwise gives the number of bytes.
pub fn size(fragments: &Fragments) -> Result<(), usize> {
    let size = fragments.size();
    if size <= limits::ITINERARY { Ok(()) } else { Err(size) }
}

fn unique_ids(content: &Content, sent: &Sent) -> Checked {
    let mut seen = HashMap::new();
    for (id, spot) in spots(content) {
        let Some(earlier) = id.and_then(|id| seen.insert(&**id, spot)) else { continue };
        let named = if sent.contains(earlier) && !sent.contains(spot) { earlier } else { spot };
        return Err(FieldError::new(format!("{named}.id"), "is there twice: ids are unique within an itinerary"));
    }
    Ok(())
}

/// Everything that has an id, and where it is.
fn spots(content: &Content) -> impl Iterator<Item = (Option<&ItemId>, Spot)> {
    let days = content.everyone.days.iter().enumerate().flat_map(|(d, day)| {
        let stops = day.stops.iter().enumerate().map(move |(s, stop)| (stop.id.as_ref(), Spot::stop(d, s)));
        iter::once((day.id.as_ref(), Spot::new("days", d))).chain(stops)
    });
    let flights = content.members.flights.iter().map(|item| item.id.as_ref()).enumerate();
    let hotels = content.members.hotels.iter().map(|item| item.id.as_ref()).enumerate();
    let expenses = content.pro.expenses.iter().map(|item| item.id.as_ref()).enumerate();
    let packing = content.pro.packing.iter().map(|item| item.id.as_ref()).enumerate();
    days.chain(flights.map(|(n, id)| (id, Spot::new("flights", n))))
        .chain(hotels.map(|(n, id)| (id, Spot::new("hotels", n))))
        .chain(expenses.map(|(n, id)| (id, Spot::new("expenses", n))))
        .chain(packing.map(|(n, id)| (id, Spot::new("packing", n))))
}

/// Everything that something can belong to: its kind and id.
pub(crate) fn targets<'a>(
    everyone: &'a Everyone,
    members: &'a Members,
) -> impl Iterator<Item = (BelongsToKind, &'a str)> {
    let days = everyone.days.iter().map(|day| (BelongsToKind::Day, &day.id));
    let stops = everyone.days.iter().flat_map(|day| day.stops.iter());
    let stops = stops.map(|stop| (BelongsToKind::Stop, &stop.id));
    let flights = members.flights.iter().map(|flight| (BelongsToKind::Flight, &flight.id));
    let hotels = members.hotels.iter().map(|hotel| (BelongsToKind::Hotel, &hotel.id));
    days.chain(stops).chain(flights).chain(hotels).filter_map(|(kind, id)| Some((kind, id.as_deref()?)))
}

fn links(content: &Content, itinerary: Uuid) -> Checked {
    let targets: HashSet<_> = targets(&content.everyone, &content.members).collect();
    let exists = |link: &BelongsTo| match link.kind {
        BelongsToKind::Itinerary => Uuid::parse_str(&link.id).is_ok_and(|id| id == itinerary),
        kind => targets.contains(&(kind, &*link.id)),
    };
    let expenses = content.pro.expenses.iter().map(|item| item.belongs_to.as_ref()).enumerate();
    let packing = content.pro.packing.iter().map(|item| item.belongs_to.as_ref()).enumerate();
    let links = expenses.map(|(n, link)| (Spot::new("expenses", n), link));
    for (spot, link) in links.chain(packing.map(|(n, link)| (Spot::new("packing", n), link))) {
        if link.is_some_and(|link| !exists(link)) {
            let message = "names nothing of that kind in this itinerary";
            return Err(FieldError::new(format!("{spot}.belongsTo.id"), message));
        }
    }
    Ok(())
}

pub(crate) fn place(place: &Place, path: impl Fn() -> String) -> Checked {
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
    let order: HashMap<_, _> =
        day.stops.iter().enumerate().filter_map(|(s, stop)| Some((stop.id.as_deref()?, s))).collect();
    for (l, leg) in day.legs.iter().enumerate() {
        let end = |end: &str, id: &ItemId| {
            let missing = || FieldError::new(format!("days[{n}].legs[{l}].{end}"), "names no stop of this day");
            order.get(&**id).copied().ok_or_else(missing)
        };
        let (from, to) = (end("from", &leg.from)?, end("to", &leg.to)?);
        if to != from + 1 {
            let message = "must be the stop that comes right after the one that from names";
            return Err(FieldError::new(format!("days[{n}].legs[{l}].to"), message));
        }
    }
    Ok(())
}

fn flight(flight: &Flight, n: usize) -> Checked {
    let airline = flight.flight_airline.as_ref().filter(|airline| **airline != Airline::default());
    let empty = Flight { id: flight.id.clone(), flight_airline: flight.flight_airline.clone(), ..Flight::default() };
    if airline.is_none() && *flight == empty {
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
