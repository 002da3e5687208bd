//! Finds missing legs, and estimates legs from distances if no route provider is configured.
//!
//! Legs from a provider are computed in `routes.rs` of `itinerary-app`.

use std::collections::HashSet;

use itinerary_api::types::{Coordinate, Day, Leg, LegMode, Stop};
use itinerary_api::values::{List, Measure};
use serde::{Deserialize, Serialize};

use crate::geo;

pub const ESTIMATE: &str = "estimate";

/// The values of `source` on legs that the server computes.
const OURS: [&str; 3] = [ESTIMATE, "osrm", "valhalla"];

/// Whether the server computed a leg, and so may replace or remove it.
pub fn is_ours(leg: &Leg) -> bool {
    leg.source.as_deref().is_some_and(|source| OURS.contains(&source))
}

/// The speed of a mode of travel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speed {
    /// Kilometres per hour.
    pub kmh: f64,
    /// The length of the way divided by the great-circle distance; at least 1.
    pub detour: f64,
    /// Minutes for waiting, boarding and parking.
    pub minutes: f64,
}

/// The speeds of all modes, and the distances up to which a mode is usual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Speeds {
    pub walk: Speed,
    pub bicycle: Speed,
    pub drive: Speed,
    pub taxi: Speed,
    pub transit: Speed,
    pub bus: Speed,
    pub train: Speed,
    pub ferry: Speed,
    pub flight: Speed,
    /// Up to this great-circle distance, in metres, people walk.
    pub walk_up_to: f64,
    /// Up to this great-circle distance, in metres, people use public transport within a town.
    pub transit_up_to: f64,
    /// Up to this great-circle distance, in metres, people drive; beyond it, they fly.
    pub drive_up_to: f64,
}

impl Default for Speeds {
    fn default() -> Self {
        let speed = |kmh, detour, minutes| Speed { kmh, detour, minutes };
        Self {
            walk: speed(4.8, 1.3, 0.0),
            bicycle: speed(15.0, 1.3, 2.0),
            drive: speed(28.0, 1.35, 4.0),
            taxi: speed(28.0, 1.35, 6.0),
            transit: speed(20.0, 1.3, 6.0),
            bus: speed(20.0, 1.4, 10.0),
            train: speed(90.0, 1.2, 15.0),
            ferry: speed(30.0, 1.2, 20.0),
            flight: speed(780.0, 1.0, 45.0),
            walk_up_to: 1_800.0,
            transit_up_to: 30_000.0,
            drive_up_to: 700_000.0,
        }
    }
}

/// The speed of public transport grows with the distance: buses and trams for short distances, trains for long ones. The
/// distance in metres from which it grows, the power of the distance, and the maximum in km/h. Fitted to 30 connections by ordinary
/// trains (`transit.tsv`).
const TRANSIT: (f64, f64, f64) = (4_000.0, 0.6, 110.0);

/// Speed on roads rises from 10 km, in metres, to a maximum at 60 km, in km/h.
const ROAD: (f64, f64, f64) = (10_000.0, 60_000.0, 75.0);

impl Speeds {
    /// The usual mode for a great-circle distance in metres.
    pub fn usual_mode(&self, metres: f64) -> LegMode {
        match metres {
            metres if metres <= self.walk_up_to => LegMode::Walk,
            metres if metres <= self.transit_up_to => LegMode::Transit,
            metres if metres <= self.drive_up_to => LegMode::Drive,
            _ => LegMode::Flight,
        }
    }

    fn of(&self, mode: LegMode) -> Speed {
        match mode {
            LegMode::Walk => self.walk,
            LegMode::Bicycle => self.bicycle,
            LegMode::Drive => self.drive,
            LegMode::Taxi => self.taxi,
            LegMode::Transit => self.transit,
            LegMode::Bus => self.bus,
            LegMode::Train => self.train,
            LegMode::Ferry => self.ferry,
            LegMode::Flight => self.flight,
        }
    }

    /// The estimated time and distance between two points.
    pub fn estimate(&self, from: Coordinate, to: Coordinate, mode: LegMode) -> Estimate {
        let direct = geo::metres(from, to);
        let speed = self.of(mode);
        let metres = direct * speed.detour;
        let kmh = match mode {
            LegMode::Drive | LegMode::Taxi | LegMode::Bus => road_speed(metres, speed.kmh),
            LegMode::Transit => transit_speed(metres, speed.kmh),
            _ => speed.kmh,
        };
        // A stop at the same point needs no waiting time.
        let minutes = if direct < 1.0 { 0.0 } else { metres / 1000.0 / kmh * 60.0 + speed.minutes };
        Estimate { minutes: minutes.ceil(), metres: metres.round() }
    }
}

fn road_speed(metres: f64, in_town: f64) -> f64 {
    let (town, country, fastest) = ROAD;
    let share = ((metres - town) / (country - town)).clamp(0.0, 1.0);
    in_town + (fastest.max(in_town) - in_town) * share
}

fn transit_speed(metres: f64, in_town: f64) -> f64 {
    let (town, power, fastest) = TRANSIT;
    (in_town * (metres / town).max(1.0).powf(power)).min(fastest.max(in_town))
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Whole minutes.
    pub minutes: f64,
    /// Whole metres.
    pub metres: f64,
}

pub fn coordinate(stop: &Stop) -> Option<Coordinate> {
    stop.place.as_ref().and_then(|place| place.coordinate)
}

#[derive(Clone, Debug)]
pub struct Route {
    pub mode: LegMode,
    pub estimate: Estimate,
    /// The leg's `source`: who computed it.
    pub source: String,
}

/// The indexes of stops that lack a leg to the next stop, where both have a coordinate.
pub fn missing(day: &Day) -> Vec<usize> {
    let legs: HashSet<_> = day.legs.iter().map(|leg| (&leg.from, &leg.to)).collect();
    let has_leg =
        |from: &Stop, to: &Stop| from.id.as_ref().zip(to.id.as_ref()).is_some_and(|ends| legs.contains(&ends));
    let pairs = day.stops.windows(2).enumerate().filter(|(_, pair)| !has_leg(&pair[0], &pair[1]));
    let placed = pairs.filter(|(_, pair)| pair.iter().all(|stop| coordinate(stop).is_some()));
    placed.map(|(position, _)| position).collect()
}

/// Adds the missing legs in the order of the day's stops, as long as they have room, in bytes of JSON. `route_from` returns
/// the route from the stop at an index to the next stop.
pub fn fill(day: &mut Day, room: &mut usize, route_from: impl Fn(usize) -> Option<Route>) {
    let ids = |n: usize| Some((day.stops[n].id.clone()?, day.stops.get(n + 1)?.id.clone()?));
    let legs: Vec<_> = missing(day)
        .into_iter()
        .filter_map(|n| {
            let (from, to) = ids(n)?;
            let Route { mode, estimate, source } = route_from(n)?;
            let measure = |value: f64| Measure::new(value);
            let (minutes, metres) = (measure(estimate.minutes), measure(estimate.metres));
            Some(Leg { from, to, mode, minutes, metres, source: itinerary_api::types::Label::new(source).ok() })
        })
        .take_while(|leg| fits(leg, room))
        .collect();
    let position = |leg: &Leg| day.stops.iter().position(|stop| stop.id.as_ref() == Some(&leg.from));
    let mut all: Vec<_> = day.legs.iter().cloned().chain(legs).map(|leg| (position(&leg), leg)).collect();
    all.sort_by_key(|(position, _)| *position);
    if let Some(legs) = List::new(all.into_iter().map(|(_, leg)| leg).collect()) {
        day.legs = legs;
    }
}

/// Whether there is room for a leg and the comma before it; takes the room.
fn fits(leg: &Leg, room: &mut usize) -> bool {
    let size = serde_json::to_string(leg).map_or(usize::MAX, |json| json.len() + 1);
    let fits = size <= *room;
    *room -= if fits { size } else { 0 };
    fits
}

#[cfg(test)]
mod tests {
    use itinerary_api::values::{Latitude, Longitude};

    use super::*;

    /// A connection: from, latitude, longitude, to, latitude, longitude, minutes.
    fn connections() -> Vec<(String, Coordinate, Coordinate, f64)> {
        let rows = include_str!("transit.tsv").lines().filter(|row| !row.starts_with('#'));
        let connection = |row: &str| {
            let cells: Vec<_> = row.split('\t').collect();
            let number = |cell: usize| cells[cell].parse::<f64>().expect("a number");
            let point = |cell: usize| Coordinate {
                latitude: Latitude::new(number(cell)).expect("a latitude"),
                longitude: Longitude::new(number(cell + 1)).expect("a longitude"),
            };
            (format!("{} to {}", cells[0], cells[3]), point(1), point(4), number(6))
        };
        rows.map(connection).collect()
    }

    #[test]
    fn transit_takes_about_as_long_as_trains() {
        let all = connections();
        let speeds = Speeds::default();
        let ratio = |(name, from, to, minutes): &(String, Coordinate, Coordinate, f64)| {
            (name.clone(), speeds.estimate(*from, *to, LegMode::Transit).minutes / minutes)
        };
        let ratios: Vec<_> = all.iter().map(ratio).collect();
        let near = ratios.iter().filter(|(_, ratio)| (ratio - 1.0).abs() <= 1.0 / 3.0).count();
        assert!(all.len() == 30 && near >= 25, "{near}: {ratios:#?}");
        assert!(ratios.iter().all(|(_, ratio)| (0.5..=2.0).contains(ratio)), "{ratios:#?}");
    }

    #[test]
    fn a_longer_distance_takes_longer() {
        let minutes = |metres: f64| metres / 1_000.0 / transit_speed(metres, 20.0) * 60.0;
        let kilometres = (1..300).map(|km| minutes(f64::from(km) * 1_000.0));
        assert!(kilometres.clone().zip(kilometres.skip(1)).all(|(less, more)| less < more));
    }

    #[test]
    fn legs_without_room_are_left_out() {
        let stop = |id: &str, longitude: f64| {
            let coordinate = Coordinate {
                latitude: Latitude::new(38.7).expect("a latitude"),
                longitude: Longitude::new(longitude).expect("a longitude"),
            };
            serde_json::json!({ "id": id, "name": id, "place": { "coordinate": coordinate } })
        };
        let stops = [stop("a", -9.1), stop("b", -9.11), stop("c", -9.12)];
        let day: Day = serde_json::from_value(serde_json::json!({ "stops": stops })).expect("a day");
        let route = Route {
            mode: LegMode::Walk,
            estimate: Estimate { minutes: 15.0, metres: 1_000.0 },
            source: ESTIMATE.to_owned(),
        };
        let filled = |mut room: usize| {
            let mut day = day.clone();
            fill(&mut day, &mut room, |_| Some(route.clone()));
            (day.legs.len(), room)
        };
        let (all, left) = filled(1_000);
        assert_eq!(all, 2);
        let used = 1_000 - left;
        assert_eq!(filled(used), (2, 0));
        assert_eq!(filled(used - 1).0, 1);
        assert_eq!(filled(0), (0, 0));
    }
}
