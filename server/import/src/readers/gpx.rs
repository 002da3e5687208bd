//! GPX: waypoints and the named points of routes as places to see. Tracks are where somebody went, and no places.
//!
//! Our own files say in the description on which day a stop is, and have flights as routes. The crate `gpx` is not used:
//! it refuses a whole file for one bad value, and brings an XML parser of its own.

use chrono::NaiveDate;

use crate::booking::{Booking, Kind, Spot, Time, Waypoint};
use crate::budget::Budget;
use crate::file::{Found, Ignored, Outline, Reason};
use crate::readers::calendar::flight_words;
use crate::readers::xml::{self, Element};
use crate::readers::{text, when};

/// The creator of our own files.
const OWN: &str = "Itinerary Planning Service";

/// Reads a GPX file.
pub fn read(content: &[u8], budget: &mut Budget<'_>) -> Result<Found, Ignored> {
    let content = crate::text::decode(content, None);
    let root = xml::parse(&content, &["trk", "extensions"], budget)?;
    if root.name != "gpx" {
        return Err(Ignored { reason: Reason::NotRecognised, message: "The file is not GPX.".to_owned() });
    }
    let is_own = root.attribute("creator") == Some(OWN);
    let mut found = Found::default();
    if let Some(metadata) = root.child("metadata") {
        found.written = metadata.text_of("time").and_then(when::instant);
        found.trip = trip(metadata).filter(|_| is_own);
    }
    for point in root.all("wpt") {
        if let Some(waypoint) = waypoint(point, Vec::new(), is_own) {
            budget.take_item()?;
            found.waypoints.push(waypoint);
        }
    }
    for route in root.all("rte") {
        let points: Vec<&Element> = route.all("rtept").collect();
        if let ([from, to], Some("Flight")) = (points.as_slice(), route.text_of("type")) {
            budget.take_item()?;
            found.bookings.push(flight(route.text_of("name").unwrap_or_default(), from, to));
            continue;
        }
        let folder: Vec<String> = route.text_of("name").and_then(text::some).into_iter().collect();
        // Points without a name only shape the way.
        for point in points.into_iter().filter(|point| point.text_of("name").is_some()) {
            if let Some(waypoint) = waypoint(point, folder.clone(), false) {
                budget.take_item()?;
                found.waypoints.push(waypoint);
            }
        }
    }
    Ok(found)
}

fn trip(metadata: &Element) -> Option<Outline> {
    let title = metadata.text_of("name").and_then(text::some)?;
    Some(Outline { title: Some(title), summary: metadata.text_of("desc").and_then(text::some), ..Outline::default() })
}

/// A point with its place. `None` if it has neither a name nor a position.
fn waypoint(point: &Element, folder: Vec<String>, is_own: bool) -> Option<Waypoint> {
    let coordinate = coordinate(point.attribute("lat"), point.attribute("lon"));
    let name = point.text_of("name").and_then(text::some);
    if name.is_none() && coordinate.is_none() {
        return None;
    }
    let description = point.text_of("desc").or(point.text_of("cmt")).map(text::plain);
    let time = point.text_of("time").and_then(when::iso).and_then(|time| time.on(None));
    let mut waypoint = Waypoint {
        place: Spot { name, coordinate, ..Spot::default() },
        notes: description.as_deref().and_then(text::some),
        time,
        folder,
    };
    if is_own {
        own(&mut waypoint);
    }
    Some(waypoint)
}

/// Reads the day of our own descriptions: `Day 2, 2026-05-18, 10:00, Esplanada Dom Carlos I`.
fn own(waypoint: &mut Waypoint) {
    let Some(notes) = waypoint.notes.take() else { return };
    let mut parts = notes.splitn(3, ", ");
    let (number, date) =
        (parts.next().unwrap_or_default(), parts.next().and_then(|date| date.parse::<NaiveDate>().ok()));
    let Some(date) = date.filter(|_| number.starts_with("Day ")) else {
        // Of a hotel: what is left is its address.
        waypoint.place.address = Some(notes);
        return;
    };
    let rest = parts.next().unwrap_or_default();
    let (clock, address) = match rest.split_once(", ") {
        Some((clock, address)) if is_clock(clock) => (clock, address),
        None if is_clock(rest) => (rest, ""),
        _ => ("", rest),
    };
    waypoint.folder = vec![number.to_owned()];
    waypoint.place.address = text::some(address);
    let local = when::words(clock, None).time.map(|time| date.and_time(time));
    waypoint.time = match (local, waypoint.time.take()) {
        (Some(local), Some(Time::Offset(utc, 0))) => {
            Some(Time::Offset(local, i32::try_from((local - utc).num_minutes()).unwrap_or_default()))
        }
        (Some(local), _) => Some(Time::Local(local)),
        (None, _) => Some(Time::Day(date)),
    };
}

fn is_clock(text: &str) -> bool {
    text.len() == 5 && when::words(text, None).time.is_some()
}

/// A flight of a route with two points.
fn flight(name: &str, from: &Element, to: &Element) -> Booking {
    let mut booking = Booking::new(Kind::Flight);
    let (number, start, end) = flight_words(name);
    (booking.operator.code, booking.number) = number.unzip();
    for (call, point, known) in [(&mut booking.start, from, start), (&mut booking.end, to, end)] {
        call.place = known;
        if let Some(waypoint) = waypoint(point, Vec::new(), false) {
            call.time = waypoint.time;
            call.place.coordinate = waypoint.place.coordinate;
            let name = waypoint.place.name.unwrap_or_default();
            let name = name.rsplit_once(" (").map_or(name.as_str(), |(name, _)| name);
            call.place.name = text::some(name).filter(|name| Some(name) != call.place.code.as_ref());
        }
    }
    booking
}

/// Latitude and longitude within their ranges.
pub(super) fn coordinate(latitude: Option<&str>, longitude: Option<&str>) -> Option<(f64, f64)> {
    let (latitude, longitude): (f64, f64) = (latitude?.parse().ok()?, longitude?.parse().ok()?);
    (latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then_some((latitude, longitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Found {
        read(text.as_bytes(), &mut Budget::new(&|| false)).unwrap()
    }

    #[test]
    fn waypoints_and_points_of_routes() {
        let found = found(include_str!("../../samples/gpx/other.gpx"));
        let names: Vec<Option<&str>> = found.waypoints.iter().map(|point| point.place.name.as_deref()).collect();
        assert_eq!(names, [Some("Belém & Torre"), None, Some("Cabo da Roca")]);
        let tower = &found.waypoints[0];
        assert_eq!(tower.place.coordinate, Some((38.6916, -9.2160)));
        assert_eq!(tower.notes.as_deref(), Some("Open from ten"));
        assert_eq!(tower.time, Some(Time::Offset("2026-05-18T09:00:00".parse().unwrap(), 0)));
        assert_eq!(found.waypoints[2].folder, ["West coast"]);
        assert!(found.bookings.is_empty() && found.trip.is_none());
        assert_eq!(found.written.unwrap().to_rfc3339(), "2026-04-01T10:00:00+00:00");
    }

    #[test]
    fn our_own_file_comes_back() {
        let found = found(include_str!("../../samples/gpx/own.gpx"));
        assert_eq!(found.trip.as_ref().unwrap().title.as_deref(), Some("Lisbon in May"));
        let [first, second, hotel] = found.waypoints.as_slice() else { panic!("{:?}", found.waypoints) };
        assert_eq!(first.folder, ["Day 1"]);
        assert_eq!(first.time, Some(Time::Day("2026-05-17".parse().unwrap())));
        assert_eq!(first.place.address, None);
        assert_eq!(second.time, Some(Time::Offset("2026-05-18T10:00:00".parse().unwrap(), 60)));
        assert_eq!(second.place.address.as_deref(), Some("Esplanada Dom Carlos I, Lisboa"));
        assert_eq!(
            (hotel.place.name.as_deref(), hotel.place.address.as_deref()),
            (Some("Hotel Exemplo"), Some("Rua do Exemplo 1"))
        );
        let [flight] = found.bookings.as_slice() else { panic!("{:?}", found.bookings) };
        assert_eq!((flight.operator.code.as_deref(), flight.number.as_deref()), (Some("TP"), Some("1363")));
        assert_eq!((flight.start.place.code.as_deref(), flight.end.place.code.as_deref()), (Some("AMS"), Some("LIS")));
        assert_eq!(
            (flight.start.place.name.as_deref(), flight.end.place.name.as_deref()),
            (Some("Amsterdam Airport"), None)
        );
        assert_eq!(flight.end.time, Some(Time::Offset("2026-05-17T09:20:00".parse().unwrap(), 0)));
    }

    #[test]
    fn damage() {
        let reason = |text: &str| read(text.as_bytes(), &mut Budget::new(&|| false)).unwrap_err().reason;
        assert_eq!(reason("<kml/>"), Reason::NotRecognised);
        assert_eq!(reason("x"), Reason::Malformed);
        let bad = found(
            "<gpx><wpt lat=\"91\" lon=\"0\"/><wpt lat=\"x\" lon=\"\"><name>A</name></wpt><wpt><name/></wpt></gpx>",
        );
        assert_eq!(bad.waypoints.len(), 1);
        assert_eq!(bad.waypoints[0].place.coordinate, None);
    }
}
