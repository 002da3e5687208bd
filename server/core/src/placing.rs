//! Collects stops, hotels and airports without a coordinate, and fills in what was found for them.
//!
//! `places.rs` of `itinerary-app` does the search.

pub mod missing;

use std::collections::HashMap;

use chrono::{Days, NaiveDate};
use itinerary_api::types::{Coordinate, Flight, Place, StopCategory};
use itinerary_api::values::{AirportCode, CountryCode, OffsetTime, Text, TimeZone};

use crate::content::{Content, Part};
use crate::daytime;
use crate::entry_path::EntryPath;
use crate::fill::PlaceFacts;

/// A stop or hotel without a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Unplaced {
    pub path: EntryPath,
    pub name: String,
    /// The stop's category; `Lodging` for a hotel.
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
        for hotel in content.members.hotels.iter().filter(|hotel| hotel.index().is_placed) {
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
        hotels.retain(|hotel| crate::geo::metres(destination, *hotel) < HOTELS_WITHIN);
        Ok(Self { destination, start: content.everyone.start_date.day(), points, hotels })
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

    /// The nearby points of a hotel.
    fn near_any_day(&self) -> Vec<Coordinate> {
        areas([self.destination].into_iter().chain(self.hotels.iter().copied()))
    }
}

/// The stops and hotels without a coordinate for which `wanted` is true, in order.
pub fn unplaced(content: &Content, wanted: impl Fn(EntryPath) -> bool) -> serde_json::Result<Vec<Unplaced>> {
    let stays = Stays::of(content)?;
    let mut unplaced = Vec::new();
    for (d, day) in content.everyone.days.iter().enumerate() {
        let stops = day.index().stops.iter().enumerate();
        let sought: Vec<_> =
            stops.filter(|(s, stop)| !stop.is_placed && wanted(EntryPath::stop(d, *s))).map(|(s, _)| s).collect();
        if sought.is_empty() {
            continue;
        }
        let day = day.value()?;
        let near = stays.near(d, day.stops.iter().filter_map(crate::legs::coordinate));
        unplaced.extend(sought.into_iter().map(|s| {
            let stop = &day.stops[s];
            let code = stop.place.as_ref().and_then(|place| place.code.clone());
            let name = stop.name.to_string();
            Unplaced { path: EntryPath::stop(d, s), name, category: stop.category, code, near: near.clone() }
        }));
    }
    for (h, hotel) in content.members.hotels.iter().enumerate() {
        let path = EntryPath::new(Part::Hotels, h);
        if !hotel.index().is_placed && wanted(path) {
            let name = hotel.index().name.to_string();
            let category = Some(StopCategory::Lodging);
            unplaced.push(Unplaced { path, name, category, code: None, near: stays.near_any_day() });
        }
    }
    Ok(unplaced)
}

/// The stops and hotels that have a coordinate but lack a place id or an address. Each is its own nearby point.
pub fn incomplete(content: &Content) -> serde_json::Result<Vec<Unplaced>> {
    let mut incomplete = Vec::new();
    let mut add = |path: EntryPath, name: &str, category: Option<StopCategory>, place: Option<&Place>| {
        if let Some(place) = place.filter(|place| place.place_id.is_none() || place.address.is_none())
            && let Some(coordinate) = place.coordinate
        {
            let (name, near) = (name.to_owned(), vec![coordinate]);
            incomplete.push(Unplaced { path, name, category, code: None, near });
        }
    };
    for (d, day) in content.everyone.days.iter().enumerate() {
        for (s, stop) in day.value()?.stops.iter().enumerate() {
            add(EntryPath::stop(d, s), &stop.name, stop.category, stop.place.as_ref());
        }
    }
    for (h, hotel) in content.members.hotels.iter().enumerate() {
        let hotel = hotel.value()?;
        add(EntryPath::new(Part::Hotels, h), &hotel.name, Some(StopCategory::Lodging), hotel.place.as_ref());
    }
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

/// Removes the place of a stop or hotel whose coordinate was cleared, if only the country and time zone are left, which
/// were derived from the coordinate.
pub fn drop_empty_place(content: &mut Content, path: EntryPath) -> serde_json::Result<()> {
    let drop = |place: &mut Option<Place>| {
        place.take_if(|place| {
            let Place { name, address, coordinate, place_id, code, .. } = place;
            let texts = [name.is_none(), address.is_none(), place_id.is_none(), code.is_none()];
            coordinate.is_none() && texts.into_iter().all(|is_none| is_none)
        });
    };
    match path.stop {
        Some(stop) => content.everyone.days[path.index].change(|day| drop(&mut day.stops[stop].place)),
        None if path.part == Part::Hotels => content.members.hotels[path.index].change(|hotel| drop(&mut hotel.place)),
        None => Ok(()),
    }
}

/// Fills in the search results for stops and hotels.
pub fn apply(content: &mut Content, found: Vec<(EntryPath, Found)>) -> serde_json::Result<()> {
    let mut by_day: HashMap<usize, Vec<(usize, Found)>> = HashMap::new();
    for (path, found) in found {
        if let Some(stop) = path.stop {
            by_day.entry(path.index).or_default().push((stop, found));
        } else if let Some(hotel) = content.members.hotels.get_mut(path.index) {
            hotel.change(|hotel| found.fill(hotel.place.get_or_insert_default()))?;
        }
    }
    for (d, stops) in by_day {
        content.everyone.days[d].change(|day| {
            for (s, found) in stops {
                found.fill(day.stops[s].place.get_or_insert_default());
            }
        })?;
    }
    Ok(())
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
    let lacks =
        |place: &Place| place.coordinate.is_some() && (place.country_code.is_none() || place.time_zone.is_none());
    let fill = |place: &mut Option<Place>| {
        if let Some(place) = place.as_mut().filter(|place| lacks(place))
            && let Some(coordinate) = place.coordinate
        {
            Found { facts: facts(coordinate), ..Found::default() }.fill(place);
        }
    };
    for day in &mut content.everyone.days {
        if day.value()?.stops.iter().any(|stop| stop.place.as_ref().is_some_and(lacks)) {
            day.change(|day| day.stops.iter_mut().for_each(|stop| fill(&mut stop.place)))?;
        }
    }
    for hotel in &mut content.members.hotels {
        if hotel.value()?.place.as_ref().is_some_and(lacks) {
            hotel.change(|hotel| fill(&mut hotel.place))?;
        }
    }
    Ok(())
}

/// The country and time zone, each only if well-formed.
pub fn facts(country: &str, time_zone: &str) -> PlaceFacts {
    PlaceFacts { country: CountryCode::new(country).ok(), time_zone: TimeZone::new(time_zone).ok() }
}
