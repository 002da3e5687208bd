//! The maps of an itinerary: of the whole, of a day, and of its flights.

use itinerary_api::types::{Coordinate, Day, Flight, Itinerary, LegMode, Place, Stop};

use super::DAYS;
use crate::map::{self, Dot, Line, Map, Point, Stroke};
use crate::words::count;

/// The map of the whole on a desk, and on a phone: id, width, heights, and how many names it shows at most.
const OVERVIEWS: [(&str, f64, (f64, f64), usize); 2] =
    [("map", 880.0, (340.0, 600.0), 16), ("map-small", 420.0, (300.0, 480.0), 7)];
/// The width of a day's map, which is beside its stops.
const SMALL: f64 = 440.0;

fn point(coordinate: Coordinate) -> Point {
    Point { latitude: coordinate.latitude.get(), longitude: coordinate.longitude.get() }
}

fn place_of(stop: &Stop) -> Option<Point> {
    stop.place.as_ref()?.coordinate.map(point)
}

/// The stops of a day that have a place, with their indexes.
fn placed(day: &Day) -> Vec<(usize, &Stop, Point)> {
    let stops = day.stops.iter().enumerate();
    stops.filter_map(|(index, stop)| Some((index, stop, place_of(stop)?))).collect()
}

/// The dots of a day. `mark` gives the number of a stop's dot by the stop's index.
fn dots(day: &Day, colour: usize, mark: impl Fn(usize) -> usize) -> Vec<Dot<'_>> {
    let placed = placed(day).into_iter();
    placed.map(|(index, stop, at)| Dot { at, mark: mark(index).to_string(), name: &stop.name, colour }).collect()
}

fn lines(day: &Day, colour: usize) -> Vec<Line> {
    let modes: std::collections::HashMap<&str, LegMode> = day.legs.iter().map(|leg| (&*leg.from, leg.mode)).collect();
    let placed = placed(day);
    let line = |pair: &[(usize, &Stop, Point)]| {
        let (_, from, start) = pair[0];
        let mode = from.id.as_ref().and_then(|id| modes.get(&**id));
        let stroke = match mode {
            None | Some(LegMode::Walk | LegMode::Bicycle | LegMode::Drive | LegMode::Taxi) => Stroke::Solid,
            Some(LegMode::Transit | LegMode::Bus | LegMode::Train | LegMode::Ferry) => Stroke::Dashed,
            Some(LegMode::Flight) => Stroke::Dotted,
        };
        Line { from: start, to: pair[1].2, stroke, colour }
    };
    placed.windows(2).map(line).collect()
}

/// The map of all days for a desk and for a phone, on which a dot has the number of its day. `None` if the map of a
/// single day shows as much.
pub(super) fn overview(itinerary: &Itinerary) -> Option<[String; 2]> {
    let days: Vec<(usize, &Day)> = itinerary.days.iter().enumerate().filter(|(_, day)| !placed(day).is_empty()).collect();
    if days.len() == 1 && itinerary.days.len() <= DAYS {
        return None;
    }
    let dots: Vec<Dot<'_>> = days.iter().flat_map(|&(index, day)| dots(day, index, |_| index + 1)).collect();
    let description = format!(
        "{} on {}. Each dot has the number of its day. The stops are listed below, day by day.",
        count(dots.len(), "stop", "stops"),
        count(days.len(), "day", "days"),
    );
    let lines: Vec<Line> = days.iter().flat_map(|&(index, day)| lines(day, index)).collect();
    let [desk, phone] = OVERVIEWS.map(|(id, width, heights, names)| {
        let (dots, lines) = (dots.clone(), lines.clone());
        map::draw(&Map { id, title: "Map of the trip", description: &description, dots, lines, width, heights, names })
    });
    Some([desk?, phone?])
}

/// The map of a day, on which a dot has the number of its stop. `None` for less than two stops with a place.
pub(super) fn of_day(day: &Day, index: usize) -> Option<String> {
    if placed(day).len() < 2 {
        return None;
    }
    let dots = dots(day, index, |stop| stop + 1);
    let (id, title) = (format!("map-{}", index + 1), format!("Map of day {}", index + 1));
    let description = format!("{} in their order, as in the list below.", count(dots.len(), "stop", "stops"));
    let names = dots.len();
    let lines = lines(day, index);
    map::draw(&Map { id: &id, title: &title, description: &description, dots, lines, width: SMALL, heights: (240.0, 400.0), names })
}

/// The map of all flights between airports with a place.
pub(super) fn journey(flights: &[Flight]) -> Option<String> {
    fn airport(place: Option<&Place>) -> Option<(Point, &str)> {
        let place = place?;
        let name = place.code.as_deref().or(place.name.as_deref()).unwrap_or_default();
        Some((place.coordinate.map(point)?, name))
    }
    let flown = flights.iter().filter_map(|flight| {
        Some((airport(flight.departure_airport.as_ref())?, airport(flight.arrival_airport.as_ref())?))
    });
    let flown: Vec<_> = flown.collect();
    // An airport that is used twice has one dot.
    let mut dots: Vec<Dot<'_>> = Vec::new();
    for &(at, name) in flown.iter().flat_map(|(from, to)| [from, to]) {
        if !dots.iter().any(|dot| dot.at == at && dot.name == name) {
            dots.push(Dot { at, mark: String::new(), name, colour: 0 });
        }
    }
    let lines = flown.iter().map(|(from, to)| Line { from: from.0, to: to.0, stroke: Stroke::Dotted, colour: 0 });
    let lines = lines.collect();
    let description = format!("{} between {}.", count(flown.len(), "flight", "flights"), count(dots.len(), "airport", "airports"));
    let names = dots.len();
    map::draw(&Map { id: "map-flights", title: "Map of the flights", description: &description, dots, lines, width: SMALL, heights: (240.0, 400.0), names })
}
