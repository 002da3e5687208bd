//! The maps of a trip: of the whole, of a day, and of its flights.

use itinerary_api::types::LegMode;

use super::words::count;
use crate::map::{self, Dot, DrawnMap, Map, MapLine, StreetMap, Stroke};
use crate::trip::{GeoPoint, Trip, TripDay, TripFlight, TripStop};
use crate::words::airport;

/// The size of a map of the whole.
struct Overview {
    id: &'static str,
    width: f64,
    heights: (f64, f64),
    /// How many names of stops and of towns it shows at most.
    names: usize,
    towns: usize,
    /// How many bytes its land and lakes may take.
    land: usize,
}

/// The map of the whole on a desk, and on a phone.
const OVERVIEWS: [Overview; 2] = [
    Overview { id: "map", width: 880.0, heights: (340.0, 600.0), names: 16, towns: 10, land: 14_000 },
    Overview { id: "map-small", width: 380.0, heights: (280.0, 440.0), names: 7, towns: 5, land: 7_000 },
];
/// The width and the heights of a map that is beside a list.
const BESIDE: (f64, (f64, f64)) = (400.0, (220.0, 370.0));
/// How many towns a map beside a list names at most.
const TOWNS: usize = 4;
/// How many bytes land and lakes may take on the maps of all days together, and on one.
const LAND: (usize, usize) = (50_000, 7_000);

/// How many tiles of a street map the maps of a page show together. Browsers load those that come into view.
const TILES: usize = 120;

/// The street map of a page's maps, and how many of its tiles they may still show.
pub(super) struct TileBudget<'a> {
    streets: Option<StreetMap<'a>>,
    left: usize,
}

impl<'a> TileBudget<'a> {
    pub(super) fn of(streets: Option<StreetMap<'a>>) -> Self {
        Self { streets, left: TILES }
    }

    /// Whether a map shows streets, or would with a street map.
    pub(super) fn is_used(&self) -> bool {
        self.left < TILES
    }

    pub(super) fn are_shown(&self) -> bool {
        self.is_used() && self.streets.is_some()
    }

    /// The HTML of a map, whose tiles it takes.
    fn spend(&mut self, drawn: DrawnMap) -> String {
        self.left = self.left.saturating_sub(drawn.tiles);
        drawn.html
    }
}

/// The stops of a day that have a place.
fn placed<'d, 'a>(day: &'d TripDay<'a>) -> impl Iterator<Item = (&'d TripStop<'a>, GeoPoint)> {
    day.stops.iter().filter_map(|stop| Some((stop, stop.point?)))
}

/// The dots of a day. `mark` is the number in a stop's dot.
fn dots(day: &TripDay<'_>, mark: impl Fn(&TripStop<'_>) -> usize) -> Vec<Dot> {
    let dot = |(stop, at): (&TripStop<'_>, GeoPoint)| {
        let (mark, name) = (mark(stop).to_string(), stop.stop.name.to_string());
        Dot { at, mark, name, colour: day.number - 1 }
    };
    placed(day).map(dot).collect()
}

fn lines(day: &TripDay<'_>) -> Vec<MapLine> {
    let placed: Vec<(&TripStop<'_>, GeoPoint)> = placed(day).collect();
    let line = |pair: &[(&TripStop<'_>, GeoPoint)]| {
        let stroke = match pair[0].0.leg.map(|leg| leg.mode) {
            None | Some(LegMode::Walk | LegMode::Bicycle | LegMode::Drive | LegMode::Taxi) => Stroke::Solid,
            Some(LegMode::Transit | LegMode::Bus | LegMode::Train | LegMode::Ferry) => Stroke::Dashed,
            Some(LegMode::Flight) => Stroke::Dotted,
        };
        MapLine { from: pair[0].1, to: pair[1].1, stroke, colour: day.number - 1 }
    };
    placed.windows(2).map(line).collect()
}

/// A map of the size of one beside a list, which may name all its dots and shows no streets.
fn beside_list<'a>(id: &'a str, title: &'a str, description: &'a str, dots: Vec<Dot>, lines: Vec<MapLine>) -> Map<'a> {
    let ((width, heights), names) = (BESIDE, dots.len());
    let (is_focused, towns, land, streets, tiles) = (false, TOWNS, LAND.1, None, 0);
    Map { id, title, description, dots, lines, width, heights, is_focused, names, towns, land, streets, tiles }
}

/// The map of all days for a desk and for a phone, on which a dot has the number of its day. `None` if the map of a
/// single day shows as much.
pub(super) fn overview(trip: &Trip<'_>, tiles: &mut TileBudget<'_>) -> Option<[String; 2]> {
    let days: Vec<&TripDay<'_>> = trip.days.iter().filter(|day| placed(day).next().is_some()).collect();
    if let [day] = &*days
        && placed(day).nth(1).is_some()
    {
        return None;
    }
    let dots: Vec<Dot> = days.iter().flat_map(|day| dots(day, |_| day.number)).collect();
    let lines: Vec<MapLine> = days.iter().flat_map(|day| lines(day)).collect();
    let description = format!(
        "{} on {}. Each dot has the number of its day. The stops are listed below, day by day.",
        count(dots.len(), "stop", "stops"),
        count(days.len(), "day", "days"),
    );
    let [desk, phone] = OVERVIEWS.map(|Overview { id, width, heights, names, towns, land }| {
        let base = beside_list(id, "Map of the trip", &description, dots.clone(), lines.clone());
        let (streets, left) = (tiles.streets, tiles.left);
        let drawn = map::draw(&Map { width, heights, names, towns, land, streets, tiles: left, ..base });
        drawn.map(|drawn| tiles.spend(drawn))
    });
    Some([desk?, phone?])
}

/// The map of a day of so many, on which a dot has the number of its stop. `None` for less than two stops with a place.
pub(super) fn day_map(day: &TripDay<'_>, days: usize, tiles: &mut TileBudget<'_>) -> Option<String> {
    let dots = dots(day, |stop| stop.number);
    if dots.len() < 2 {
        return None;
    }
    let (id, title) = (format!("map-{}", day.number), format!("Map of day {}", day.number));
    let description = format!("{} in their order, as in the list below.", count(dots.len(), "stop", "stops"));
    let land = (LAND.0 / days.max(1)).min(LAND.1);
    let base = beside_list(&id, &title, &description, dots, lines(day));
    let drawn = map::draw(&Map { is_focused: true, land, streets: tiles.streets, tiles: tiles.left, ..base });
    drawn.map(|drawn| tiles.spend(drawn))
}

/// The map of all flights between airports with a place. Never shows streets.
pub(super) fn journey(flights: &[TripFlight<'_>]) -> Option<String> {
    let flown = flights.iter().filter_map(|flight| {
        let (from, to) = (flight.flight.departure_airport.as_ref(), flight.flight.arrival_airport.as_ref());
        Some([(flight.from?, airport(from)), (flight.to?, airport(to))])
    });
    let flown: Vec<_> = flown.collect();
    // An airport that is used twice has one dot.
    let mut dots: Vec<Dot> = Vec::new();
    for (at, name) in flown.iter().flatten() {
        if !dots.iter().any(|dot| dot.at == *at) {
            dots.push(Dot { at: *at, mark: String::new(), name: name.clone(), colour: 0 });
        }
    }
    let line =
        |[from, to]: &[(GeoPoint, String); 2]| MapLine { from: from.0, to: to.0, stroke: Stroke::Dotted, colour: 0 };
    let lines = flown.iter().map(line).collect();
    let description =
        format!("{} between {}.", count(flown.len(), "flight", "flights"), count(dots.len(), "airport", "airports"));
    let drawn = map::draw(&beside_list("map-flights", "Map of the flights", &description, dots, lines));
    drawn.map(|drawn| drawn.html)
}
