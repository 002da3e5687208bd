//! Where a trip goes and where it starts, from its bookings.

use std::collections::BTreeMap;

use itinerary_api::types::{Coordinate, Destination, Label, Place};
use itinerary_api::values::{AirportCode, CountryCode, Latitude, Longitude, TimeZone};
use serde_json::Value;

use crate::booking::Spot;
use crate::gather::Gathered;
use crate::item::{End, Item, Part, fold, kilometres};
use crate::lookup::{self, Lookup};
use crate::normalise::{self, Cuts, text};

/// A place that may be the destination.
#[derive(Clone, Debug)]
struct Point {
    name: String,
    country: Option<String>,
    time_zone: Option<String>,
    coordinate: (f64, f64),
}

/// The place that an outline names, else that of the longest stay, else the farthest from the first departure, else that of the
/// first reservation.
pub(super) fn destination(gathered: &Gathered, lookup: &dyn Lookup) -> Option<Destination> {
    let outlined =
        || gathered.outlines().find_map(|outline| destination_of_outline(outline.destination.as_ref()?, lookup));
    let point = outlined()
        .or_else(|| longest_stay(&gathered.items, lookup))
        .or_else(|| farthest(&gathered.items, lookup))
        .or_else(|| first_reservation(&gathered.items, lookup))?;
    Some(Destination {
        name: label(&point.name)?,
        address: None,
        coordinate: coordinate(point.coordinate)?,
        place_id: None,
        country_code: point.country.and_then(|code| CountryCode::new(code).ok()),
        time_zone: point.time_zone.and_then(|zone| TimeZone::new(zone).ok()),
        code: None,
    })
}

/// The place of the first departure. A hired car is none.
pub(super) fn origin(items: &[Item], lookup: &dyn Lookup) -> Option<Place> {
    let item = items.iter().find(|item| is_departure(item))?;
    let end = item.part.start();
    let text = |field| item.at(end.place, field).and_then(Value::as_str);
    let facts = lookup::facts(item, end, lookup);
    let point = item.coordinate(end.place).or_else(|| facts?.coordinate);
    let name = text("name").map(str::to_owned).or_else(|| facts.map(|facts| facts.name.clone()));
    let place = Place {
        name: name.or_else(|| item.text(end.city).map(str::to_owned)).and_then(|name| label(&name)),
        coordinate: point.and_then(coordinate),
        country_code: text("countryCode")
            .map(str::to_owned)
            .or_else(|| facts?.country.clone())
            .and_then(|code| CountryCode::new(code).ok()),
        code: text("code").and_then(|code| AirportCode::new(code).ok()),
        ..Place::default()
    };
    let is_place = place.name.is_some() || place.code.is_some() || place.coordinate.is_some();
    is_place.then_some(place)
}

fn is_departure(item: &Item) -> bool {
    item.part.is_way() && item.text("mode") != Some("car") && item.day(item.part.start()).is_some()
}

/// The town with the most nights; of equal ones, the first.
fn longest_stay(items: &[Item], lookup: &dyn Lookup) -> Option<Point> {
    let mut nights: BTreeMap<String, (i64, usize)> = BTreeMap::new();
    let hotels: Vec<&Item> = items.iter().filter(|item| item.part == Part::Hotels).collect();
    let points: Vec<Option<Point>> = hotels.iter().map(|hotel| point(hotel, hotel.part.start(), lookup)).collect();
    for (at, hotel) in hotels.iter().enumerate() {
        let Some(point) = &points[at] else { continue };
        let [start, end] = hotel.part.ends();
        let count = hotel.day(start).zip(hotel.day(end)).map_or(1, |(from, until)| (until - from).num_days().max(1));
        nights.entry(fold(&point.name)).or_insert((0, at)).0 += count;
    }
    let (_, at) = nights.into_values().max_by_key(|(count, at)| (*count, std::cmp::Reverse(*at)))?;
    points.into_iter().nth(at)?
}

/// The place that is farthest from the first departure.
fn farthest(items: &[Item], lookup: &dyn Lookup) -> Option<Point> {
    let ways: Vec<&Item> = items.iter().filter(|item| item.part.is_way()).collect();
    let first = ways.iter().find_map(|item| point(item, item.part.start(), lookup))?;
    let ends = ways.iter().flat_map(|item| item.part.ends().map(|end| (item, end)));
    let mut best: Option<(f64, Point)> = None;
    for point in ends.filter_map(|(item, end)| point(item, end, lookup)) {
        let distance = kilometres(first.coordinate, point.coordinate);
        if distance > best.as_ref().map_or(1.0, |(best, _)| *best) {
            best = Some((distance, point));
        }
    }
    best.map(|(_, point)| point)
}

fn first_reservation(items: &[Item], lookup: &dyn Lookup) -> Option<Point> {
    let reservations = items.iter().filter(|item| item.part == Part::Reservations);
    reservations.into_iter().find_map(|item| point(item, item.part.start(), lookup))
}

/// The town of an end, or the place itself if its town is unknown. `None` without a coordinate.
fn point(item: &Item, end: End, lookup: &dyn Lookup) -> Option<Point> {
    let text = |path| item.at(end.place, path).and_then(Value::as_str);
    let facts = lookup::facts(item, end, lookup);
    let own = item.coordinate(end.place);
    let city = item.text(end.city);
    let named = text("name").or_else(|| item.text("name").filter(|_| !item.part.is_way()));
    Some(Point {
        name: facts.map(|facts| facts.name.as_str()).or(city).or(named).or(text("code"))?.to_owned(),
        country: text("countryCode").map(str::to_owned).or_else(|| facts?.country.clone()),
        time_zone: facts.and_then(|facts| facts.time_zone.clone()),
        coordinate: facts.and_then(|facts| facts.coordinate).or(own)?,
    })
}

/// The destination of an outline.
fn destination_of_outline(spot: &Spot, lookup: &dyn Lookup) -> Option<Point> {
    let mut item = Item::new(Part::Transports, 0);
    let end = Part::Transports.start();
    normalise::spot(&mut item, end, spot, &mut Cuts::default());
    let named = spot.name.as_deref().and_then(text::line);
    let found = point(&item, end, lookup)?;
    Some(Point { name: named.unwrap_or(found.name), coordinate: spot.coordinate.unwrap_or(found.coordinate), ..found })
}

fn label(name: &str) -> Option<Label> {
    Label::new(text::cut(text::line(name)?, itinerary_api::values::limits::NAME).0).ok()
}

fn coordinate((latitude, longitude): (f64, f64)) -> Option<Coordinate> {
    Some(Coordinate { latitude: Latitude::new(latitude)?, longitude: Longitude::new(longitude)? })
}
