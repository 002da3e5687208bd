//! Collects places and airports without a coordinate, and fills in what was found for them.
//!
//! `places.rs` of `itinerary-app` does the search.

pub mod missing;

use std::cell::LazyCell;

use chrono::{Days, NaiveDate};
use itinerary_api::types::{Coordinate, Flight, Place, Stop, StopCategory};
use itinerary_api::values::{AirportCode, CountryCode, List, OffsetTime, Text, TimeZone, limits};

use crate::content::{Content, Part};
use crate::daytime;
use crate::entry_path::EntryPath;
use crate::fill::PlaceFacts;
use crate::place_path::{self, EntryPlace, PlaceField, PlacePath};

/// A place without a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Unplaced {
    pub path: PlacePath,
    /// The name of the stop, hotel or reservation, or of a transport's place.
    pub name: String,
    /// The stop's category; `Lodging` for a hotel, `Transport` for a transport.
    pub category: Option<StopCategory>,
    pub code: Option<AirportCode>,
    /// Points near it: the destination, hotels, and the day's stops that have a coordinate.
    pub near: Vec<Coordinate>,
}

/// The search result for a place. Fields that the place already has are kept; see [`Found::fill`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub coordinate: Option<Coordinate>,
    /// The name, used if the place has none.
    pub name: Option<String>,
    pub address: Option<String>,
    /// The source's id of the place.
    pub place_id: Option<String>,
    pub facts: PlaceFacts,
}

/// The prefixes of place ids that this server assigns. See [`Found::place_id`].
const OUR_IDS: [&str; 4] = ["geonames:", "sight:", "iata:", OSM];
/// The prefix of place ids from a source that also provides the address.
const OSM: &str = "osm:";

impl Found {
    /// Fills in missing fields. Values that an earlier search filled in for another place are replaced.
    pub fn fill(&self, place: &mut Place) {
        if self.is_instead_of(place) {
            if place.place_id.as_ref().is_some_and(|id| id.starts_with(OSM)) {
                place.address = None;
            }
            (place.place_id, place.country_code, place.time_zone) = (None, None, None);
        }
        let Place { name, address, coordinate, place_id, country_code, time_zone, .. } = place;
        if coordinate.is_none() {
            *coordinate = self.coordinate;
        }
        fill_text(name, self.name.as_deref());
        fill_text(address, self.address.as_deref());
        fill_text(place_id, self.place_id.as_deref());
        fill(country_code, self.facts.country.as_ref());
        fill(time_zone, self.facts.time_zone.as_ref());
    }

    /// Whether a place without a coordinate still has the id that a search found for another place.
    fn is_instead_of(&self, place: &Place) -> bool {
        let is_ours = |id: &str| OUR_IDS.iter().any(|beginning| id.starts_with(beginning));
        let (Some(found), Some(id)) = (&self.place_id, &place.place_id) else { return false };
        place.coordinate.is_none() && self.coordinate.is_some() && is_ours(id) && **id != **found
    }
}

fn fill<T: Clone>(field: &mut Option<T>, found: Option<&T>) {
    if field.is_none() {
        *field = found.cloned();
    }
}

fn fill_text<const LEAST: usize, const MOST: usize>(field: &mut Option<Text<LEAST, MOST>>, found: Option<&str>) {
    if field.is_none() {
        *field = found.and_then(|text| Text::new(text).ok());
    }
}

/// A hotel of other days is used as a nearby point only within this distance of the destination, in metres.
const HOTELS_WITHIN: f64 = 500_000.0;
/// The maximum number of nearby points of a stop.
const NEAR: usize = 8;
/// Of several points within this distance of each other, in metres, only the first is used.
const SAME_AREA: f64 = 10_000.0;

/// Where the traveller is on each date, according to hotels and flights.
struct Stays {
    destination: Coordinate,
    start: NaiveDate,
    /// The coordinates of hotels with their first and last dates, and of airports with the date of the flight.
    points: Vec<(Option<NaiveDate>, Option<NaiveDate>, Coordinate)>,
    hotels: Vec<Coordinate>,
    origin: Option<Coordinate>,
}

impl Stays {
    fn of(content: &Content) -> serde_json::Result<Self> {
        let destination = content.everyone.destination.coordinate;
        let coordinate = |place: Option<&Place>| place.and_then(|place| place.coordinate);
        let date = |time: Option<&OffsetTime>, place: Option<&Place>| {
            let zone = place.and_then(|place| place.time_zone.as_ref());
            time.map(|time| daytime::date_at(time, zone))
        };
        let (mut points, mut hotels) = (Vec::new(), Vec::new());
        for hotel in content.members.hotels.iter().filter(|hotel| hotel.index().is_placed()) {
            let hotel = hotel.value()?;
            let place = hotel.place.as_ref();
            let Some(point) = coordinate(place) else { continue };
            points.push((date(hotel.check_in_date.as_ref(), place), date(hotel.check_out_date.as_ref(), place), point));
            hotels.push(point);
        }
        for flight in &content.members.flights {
            let flight = flight.value()?;
            for (airport, time) in
                [(&flight.departure_airport, &flight.departure_date), (&flight.arrival_airport, &flight.arrival_date)]
            {
                if let (Some(point), Some(date)) = (coordinate(airport.as_ref()), date(time.as_ref(), airport.as_ref()))
                {
                    points.push((Some(date), Some(date), point));
                }
            }
        }
        for transport in &content.members.transports {
            let transport = transport.value()?;
            let ends = [
                (&transport.departure_place, &transport.departure_date),
                (&transport.arrival_place, &transport.arrival_date),
            ];
            points.extend(ends.into_iter().filter_map(|(place, time)| {
                let date = date(time.as_ref(), place.as_ref())?;
                Some((Some(date), Some(date), coordinate(place.as_ref())?))
            }));
        }
        hotels.retain(|hotel| crate::geo::metres(destination, *hotel) < HOTELS_WITHIN);
        Ok(Self {
            destination,
            start: content.everyone.start_date.day(),
            points,
            hotels,
            origin: coordinate(content.members.origin.as_ref()),
        })
    }

    /// The nearby points of a day's stops: the destination, the day's other stops, its hotels and airports, then other
    /// days' hotels.
    fn near(&self, day: usize, stops: impl Iterator<Item = Coordinate>) -> Vec<Coordinate> {
        let date = self.start.checked_add_days(Days::new(day as u64));
        let is_of_day = |from: Option<NaiveDate>, to: Option<NaiveDate>| {
            date.is_some_and(|date| from.is_some_and(|from| from <= date) && to.is_some_and(|to| date <= to))
        };
        let of_day = self.points.iter().filter(|(from, to, _)| is_of_day(*from, *to)).map(|(_, _, point)| *point);
        areas([self.destination].into_iter().chain(stops).chain(of_day).chain(self.hotels.iter().copied()))
    }

    /// The nearby points of a transport's places: where the trip goes, where it comes from, and what lies between.
    fn near_any_way(&self) -> Vec<Coordinate> {
        let points = self.points.iter().map(|(_, _, point)| *point);
        areas([self.destination].into_iter().chain(self.origin).chain(points))
    }

    /// The nearby points of a hotel or reservation.
    fn near_any_day(&self) -> Vec<Coordinate> {
        areas([self.destination].into_iter().chain(self.hotels.iter().copied()))
    }
}

/// A day's stops, and the points near them.
struct StopsOfDay {
    index: usize,
    stops: List<Stop, { limits::STOPS }>,
    near: Vec<Coordinate>,
}

impl StopsOfDay {
    /// Reads the day that a path leads to. Empty if it leads to another part.
    fn read(content: &Content, stays: &Stays, path: EntryPath) -> serde_json::Result<Self> {
        let day = content.everyone.days.get(path.index).filter(|_| path.part == Part::Days);
        let stops = day.map(|day| day.value().map(|day| day.stops.clone())).transpose()?.unwrap_or_default();
        let near = stays.near(path.index, stops.iter().filter_map(crate::legs::coordinate));
        Ok(Self { index: path.index, stops, near })
    }
}

/// The places without a coordinate of the entries for which `wanted` is true, in order.
pub fn unplaced(content: &Content, wanted: impl Fn(EntryPath) -> bool) -> serde_json::Result<Vec<Unplaced>> {
    let sought: Vec<_> = place_path::unplaced(content).filter(|path| wanted(path.entry)).collect();
    let Some(first) = sought.first() else { return Ok(Vec::new()) };
    let stays = Stays::of(content)?;
    let near = LazyCell::new(|| stays.near_any_day());
    let near_way = LazyCell::new(|| stays.near_any_way());
    let mut unplaced = Vec::with_capacity(sought.len());
    let mut day = StopsOfDay::read(content, &stays, first.entry)?;
    for path in sought {
        let EntryPath { part, index, stop } = path.entry;
        let (name, category, place, near) = match (part, stop) {
            (Part::Days, Some(stop)) => {
                if day.index != index {
                    day = StopsOfDay::read(content, &stays, path.entry)?;
                }
                let stop = &day.stops[stop];
                (stop.name.to_string(), stop.category, stop.place.clone(), day.near.clone())
            }
            (Part::Transports, _) => {
                let transport = content.members.transports[index].value()?;
                let is_departure = path.field == PlaceField::DeparturePlace;
                let place = if is_departure { &transport.departure_place } else { &transport.arrival_place };
                let name = place.as_ref().and_then(|place| place.name.as_deref()).unwrap_or_default().to_owned();
                (name, Some(StopCategory::Transport), place.clone(), near_way.clone())
            }
            (Part::Reservations, _) => {
                let reservation = content.members.reservations[index].value()?;
                (reservation.name.to_string(), reservation.category, None, near.clone())
            }
            (Part::Hotels, _) => {
                let name = content.members.hotels[index].index().name.to_string();
                (name, Some(StopCategory::Lodging), None, near.clone())
            }
            (Part::Days | Part::Flights | Part::Expenses | Part::Packing | Part::Documents, _) => continue,
        };
        let code = place.and_then(|place| place.code);
        unplaced.push(Unplaced { path, name, category, code, near });
    }
    unplaced.retain(|unplaced| !unplaced.name.is_empty() || unplaced.code.is_some());
    Ok(unplaced)
}

/// The places that have a coordinate but lack a place id or an address. Each is its own nearby point.
pub fn incomplete(content: &Content) -> serde_json::Result<Vec<Unplaced>> {
    let mut incomplete = Vec::new();
    place_path::each_place(content, |EntryPlace { path, name, category, place }| {
        if let Some(place) = place.filter(|place| place.place_id.is_none() || place.address.is_none())
            && let Some(coordinate) = place.coordinate
            && !name.is_empty()
        {
            let (name, near) = (name.to_owned(), vec![coordinate]);
            incomplete.push(Unplaced { path, name, category, code: None, near });
        }
    })?;
    Ok(incomplete)
}

/// The first points, leaving out those in the same area as an earlier one.
fn areas(points: impl Iterator<Item = Coordinate>) -> Vec<Coordinate> {
    let mut areas: Vec<Coordinate> = Vec::new();
    for point in points {
        if areas.iter().all(|area| crate::geo::metres(*area, point) > SAME_AREA) {
            areas.push(point);
            if areas.len() == NEAR {
                break;
            }
        }
    }
    areas
}

/// Removes a place whose coordinate was cleared, if only the country and time zone are left, which were derived from the
/// coordinate.
pub fn drop_empty_place(content: &mut Content, path: PlacePath) -> serde_json::Result<()> {
    place_path::change_place(content, path, |place| {
        place.take_if(|place| {
            let Place { name, address, coordinate, place_id, code, .. } = place;
            let texts = [name.is_none(), address.is_none(), place_id.is_none(), code.is_none()];
            coordinate.is_none() && texts.into_iter().all(|is_none| is_none)
        });
    })
}

/// Fills in the search results.
pub fn apply(content: &mut Content, found: Vec<(PlacePath, Found)>) -> serde_json::Result<()> {
    let fill = |(path, found): (PlacePath, Found)| {
        place_path::change_place(content, path, |place| found.fill(place.get_or_insert_default()))
    };
    found.into_iter().try_for_each(fill)
}

/// The codes of airports that lack a coordinate, name, country or time zone, of the flights for which `wanted` is true.
pub fn airports(content: &Content, wanted: impl Fn(EntryPath) -> bool) -> serde_json::Result<Vec<AirportCode>> {
    let mut codes = Vec::new();
    for (n, flight) in content.members.flights.iter().enumerate() {
        if wanted(EntryPath::new(Part::Flights, n)) {
            let flight = flight.value()?;
            codes.extend(airports_to_fill(&flight).cloned());
        }
    }
    Ok(codes)
}

fn airports_to_fill(flight: &Flight) -> impl Iterator<Item = &AirportCode> {
    let airports = [&flight.departure_airport, &flight.arrival_airport].into_iter().flatten();
    let lacks = |airport: &&Place| {
        let Place { name, coordinate, country_code, time_zone, .. } = airport;
        coordinate.is_none() || name.is_none() || country_code.is_none() || time_zone.is_none()
    };
    airports.filter(lacks).filter_map(|airport| airport.code.as_ref())
}

/// Fills in airports by their codes, which are in upper case.
pub fn apply_airports(
    content: &mut Content,
    wanted: impl Fn(EntryPath) -> bool,
    found: impl Fn(&str) -> Option<Found>,
) -> serde_json::Result<()> {
    for (n, flight) in content.members.flights.iter_mut().enumerate() {
        if !wanted(EntryPath::new(Part::Flights, n)) || airports_to_fill(&*flight.value()?).next().is_none() {
            continue;
        }
        flight.change(|flight| {
            for airport in [&mut flight.departure_airport, &mut flight.arrival_airport].into_iter().flatten() {
                let code = airport.code.as_ref().map(|code| code.to_uppercase());
                if let Some(found) = code.and_then(|code| found(&code)) {
                    found.fill(airport);
                }
            }
        })?;
    }
    Ok(())
}

/// Fills in the country and time zone of everything that has a coordinate.
pub fn fill_facts(content: &mut Content, facts: impl Fn(Coordinate) -> PlaceFacts) -> serde_json::Result<()> {
    let mut found = Vec::new();
    place_path::each_place(content, |EntryPlace { path, place, .. }| {
        if let Some(place) = place.filter(|place| place.country_code.is_none() || place.time_zone.is_none())
            && let Some(coordinate) = place.coordinate
        {
            found.push((path, Found { facts: facts(coordinate), ..Found::default() }));
        }
    })?;
    apply(content, found)
}

/// The country and time zone, each only if well-formed.
pub fn facts(country: &str, time_zone: &str) -> PlaceFacts {
    PlaceFacts { country: CountryCode::new(country).ok(), time_zone: TimeZone::new(time_zone).ok() }
}
