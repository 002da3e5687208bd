//! What the caller knows of places: it looks them up between reading and drafting, since this crate asks nobody.

use std::collections::BTreeSet;

use jiff::tz::TimeZone;

use crate::Reading;
use crate::booking::{Booking, Kind, Spot};
use crate::item::{End, Item};
use crate::normalise::{self, zones};

/// The most airports, and the most towns, that are asked for.
const MAX_WANTED: usize = 200;

/// What is known of an airport or a town.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceFacts {
    /// The town's name; of an airport, the name of the town that it serves, or else its own.
    pub name: String,
    /// The ISO 3166-1 alpha-2 code.
    pub country: Option<String>,
    /// The IANA time zone.
    pub time_zone: Option<String>,
    /// Latitude and longitude in degrees.
    pub coordinate: Option<(f64, f64)>,
}

/// Facts about places.
pub trait Lookup {
    /// An airport by its IATA code.
    fn airport(&self, code: &str) -> Option<&PlaceFacts>;
    /// A town by its name and its country, an ISO 3166-1 alpha-2 code, as in [`Wanted`].
    fn town(&self, name: &str, country: Option<&str>) -> Option<&PlaceFacts>;
    /// The IANA time zone at a coordinate.
    fn zone_at(&self, latitude: f64, longitude: f64) -> Option<String>;
}

/// Knows no places. Times without an offset keep their day only, unless a country has a single time zone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Lookup for Nothing {
    fn airport(&self, _: &str) -> Option<&PlaceFacts> {
        None
    }

    fn town(&self, _: &str, _: Option<&str>) -> Option<&PlaceFacts> {
        None
    }

    fn zone_at(&self, _: f64, _: f64) -> Option<String> {
        None
    }
}

/// The places to look up before drafting, at most 200 of each, in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// IATA codes of airports.
    pub airports: Vec<String>,
    /// Towns with the codes of their countries, where those are known.
    pub towns: Vec<(String, Option<String>)>,
}

/// The places that bookings name.
pub fn wanted<'b>(bookings: impl IntoIterator<Item = &'b Booking>) -> Wanted {
    wanted_in(bookings.into_iter().flat_map(spots))
}

/// The places of a booking, and whether their names may be those of towns, as those of stations are.
fn spots(booking: &Booking) -> [(&Spot, bool); 2] {
    let is_way = matches!(booking.kind, Kind::Flight | Kind::Transport(_));
    [(&booking.start.place, is_way), (&booking.end.place, is_way)]
}

/// The places that the bookings and trips of readings name.
pub fn wanted_by<'r>(readings: impl IntoIterator<Item = &'r Reading>) -> Wanted {
    let found = readings.into_iter().flat_map(|reading| reading.found.iter().map(|(_, found)| found));
    let spots = found.flat_map(|found| {
        let destination = found.trip.as_ref().and_then(|trip| trip.destination.as_ref());
        found.bookings.iter().flat_map(spots).chain(destination.map(|spot| (spot, true)))
    });
    wanted_in(spots)
}

fn wanted_in<'s>(spots: impl Iterator<Item = (&'s Spot, bool)>) -> Wanted {
    let (mut airports, mut towns) = (BTreeSet::new(), BTreeSet::new());
    for (spot, is_town) in spots {
        airports.extend(spot.code.as_deref().and_then(normalise::airport_code));
        let country = spot.country.as_deref().and_then(normalise::country_code);
        let town = spot.city.as_deref().or(spot.name.as_deref().filter(|_| is_town)).and_then(normalise::town_name);
        towns.extend(town.map(|town| (town, country)));
    }
    Wanted {
        airports: airports.into_iter().take(MAX_WANTED).collect(),
        towns: towns.into_iter().take(MAX_WANTED).collect(),
    }
}

/// What is known of the place of an end: the airport, or else the town.
pub(crate) fn facts<'l>(item: &Item, end: End, lookup: &'l dyn Lookup) -> Option<&'l PlaceFacts> {
    let text = |field| item.at(end.place, field).and_then(serde_json::Value::as_str);
    if let Some(facts) = text("code").and_then(|code| lookup.airport(&code.to_uppercase())) {
        return Some(facts);
    }
    let station = || text("name").filter(|_| item.part.is_way()).and_then(normalise::town_name);
    let town = item.text(end.city).map(str::to_owned).or_else(station)?;
    lookup.town(&town, text("countryCode"))
}

/// The time zone of the place of an end, if it is known.
pub(crate) fn zone(item: &Item, end: End, lookup: &dyn Lookup) -> Option<TimeZone> {
    let text = |field| item.at(end.place, field).and_then(serde_json::Value::as_str);
    let by_code = || lookup.airport(&text("code")?.to_uppercase())?.time_zone.clone();
    let by_coordinate = || item.coordinate(end.place).and_then(|(lat, lon)| lookup.zone_at(lat, lon));
    let by_town = || facts(item, end, lookup)?.time_zone.clone();
    let by_country = || zones::zone_of_country(text("countryCode")?).map(str::to_owned);
    let own = text("timeZone").map(str::to_owned);
    let name = own.or_else(by_code).or_else(by_coordinate).or_else(by_town).or_else(by_country)?;
    TimeZone::get(&name).ok()
}
