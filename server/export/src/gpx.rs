//! GPX 1.1: stops, hotels and reservations as waypoints, flights and transports as routes, days as tracks.

use crate::details::{Details, notes};
use crate::moment::Moment;
use crate::text::{join, line};
use crate::trip::{GeoPoint, Trip};
use crate::words;
use crate::xml::Xml;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    let itinerary = trip.itinerary;
    let mut xml = Xml::new();
    xml.start(
        "gpx",
        &[
            ("version", "1.1"),
            ("creator", "Itinerary Planning Service"),
            ("xmlns", "http://www.topografix.com/GPX/1/1"),
        ],
    );
    xml.start("metadata", &[]);
    xml.text("name", &line(&itinerary.title));
    xml.text("desc", itinerary.summary.as_deref().unwrap_or_default());
    xml.start("author", &[]);
    xml.text("name", &line(&itinerary.author.display_name));
    xml.end();
    xml.start("link", &[("href", &trip.address)]);
    xml.end();
    xml.text("time", &itinerary.updated_at.0.format("%Y-%m-%dT%H:%M:%SZ").to_string());
    xml.text("keywords", &itinerary.tags.iter().map(|tag| line(tag)).collect::<Vec<_>>().join(", "));
    xml.end();
    waypoints(&mut xml, trip);
    routes(&mut xml, trip);
    for day in trip.days.iter().filter(|day| day.points().next().is_some()) {
        xml.start("trk", &[]);
        let title = day.day.title.as_deref().map(line).unwrap_or_default();
        xml.text("name", &join([format!("Day {}, {}", day.number, day.date), title], ": "));
        xml.text("desc", notes(day.day.notes.as_deref()).unwrap_or_default());
        xml.start("trkseg", &[]);
        for stop in &day.stops {
            let Some(point) = stop.point else { continue };
            xml.start("trkpt", &attributes(&coordinates(point)));
            xml.text("name", &line(&stop.stop.name));
            xml.end();
        }
        xml.end();
        xml.end();
    }
    xml.finish()
}

fn waypoints(xml: &mut Xml, trip: &Trip<'_>) {
    for (day, stop) in trip.stops() {
        let Some(point) = stop.point else { continue };
        let when = stop.starts.as_ref().map(Moment::time).unwrap_or_default();
        let place = words::location(&stop.stop.name, stop.stop.place.as_ref());
        let about = join([format!("Day {}, {}", day.number, day.date), when, place], ", ");
        let notes = notes(stop.stop.notes.as_deref()).unwrap_or_default().to_owned();
        let kind = stop.stop.category.map(words::stop_category).unwrap_or_default();
        waypoint(xml, point, stop.starts.as_ref(), &stop.stop.name, &join([about, notes], "\n"), kind);
    }
    for of in &trip.hotels {
        let (Some(point), hotel) = (of.point, of.hotel) else { continue };
        let place = words::location(&hotel.name, hotel.place.as_ref());
        waypoint(xml, point, of.checks_in.as_ref(), &hotel.name, &about(place, hotel), "Lodging");
    }
    // A hired car that is returned where it was collected, or a transport of which one end is on no map.
    for of in &trip.transports {
        let transport = of.transport;
        let [point] = of.ends().collect::<Vec<_>>()[..] else { continue };
        let time = if of.from.is_some() { of.departs.as_ref() } else { of.arrives.as_ref() };
        let (name, kind) = (words::transport(transport), words::transport_mode(transport.mode));
        waypoint(xml, point, time, &name, &about(String::new(), transport), kind);
    }
    for of in &trip.reservations {
        let (Some(point), reservation) = (of.point, of.reservation) else { continue };
        let when = of.starts.as_ref().map(Moment::time).unwrap_or_default();
        let day = of.day.map(|day| day.to_string()).unwrap_or_default();
        let place = words::location(&reservation.name, reservation.place.as_ref());
        let description = about(join([day, when, place], ", "), reservation);
        let kind = reservation.category.map_or("Reservation", words::stop_category);
        waypoint(xml, point, of.starts.as_ref(), &reservation.name, &description, kind);
    }
}

fn routes(xml: &mut Xml, trip: &Trip<'_>) {
    for of in &trip.flights {
        let (Some(from), Some(to), flight) = (of.from, of.to, of.flight) else { continue };
        let ends = [
            (from, of.departs.as_ref(), words::airport_in_full(flight.departure_airport.as_ref())),
            (to, of.arrives.as_ref(), words::airport_in_full(flight.arrival_airport.as_ref())),
        ];
        route(xml, &words::flight(flight), &about(String::new(), flight), "Flight", ends);
    }
    for of in &trip.transports {
        let transport = of.transport;
        let [from, to] = of.ends().collect::<Vec<_>>()[..] else { continue };
        let ends = [
            (from, of.departs.as_ref(), words::station_in_full(transport.departure_place.as_ref())),
            (to, of.arrives.as_ref(), words::station_in_full(transport.arrival_place.as_ref())),
        ];
        let kind = words::transport_mode(transport.mode);
        route(xml, &words::transport(transport), &about(String::new(), transport), kind, ends);
    }
}

/// A description: a line about the booking, and what all bookings have in common.
fn about<'d>(line: String, booking: impl Into<Details<'d>>) -> String {
    join([line, booking.into().in_plain_text()], "\n")
}

fn waypoint(xml: &mut Xml, point: GeoPoint, at: Option<&Moment>, name: &str, description: &str, kind: &str) {
    xml.start("wpt", &attributes(&coordinates(point)));
    xml.text("time", &time(at));
    xml.text("name", &line(name));
    xml.text("desc", description);
    xml.text("type", kind);
    xml.end();
}

/// A point of a route: where it is, when, and its name.
type RoutePoint<'t> = (GeoPoint, Option<&'t Moment>, String);

fn route(xml: &mut Xml, name: &str, description: &str, kind: &str, ends: [RoutePoint<'_>; 2]) {
    xml.start("rte", &[]);
    xml.text("name", name);
    xml.text("desc", description);
    xml.text("type", kind);
    for (point, at, name) in ends {
        xml.start("rtept", &attributes(&coordinates(point)));
        xml.text("time", &time(at));
        xml.text("name", &name);
        xml.end();
    }
    xml.end();
}

/// A time in UTC, which is all that GPX has. Empty if its zone is unknown.
fn time(at: Option<&Moment>) -> String {
    let instant = at.and_then(|at| at.instant);
    instant.map(|instant| instant.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}

/// Latitude and longitude. GPX excludes the longitude 180, which is the same meridian as -180.
fn coordinates(GeoPoint { latitude, longitude }: GeoPoint) -> [String; 2] {
    let longitude = if longitude >= 180.0 { -180.0 } else { longitude };
    [latitude.to_string(), longitude.to_string()]
}

fn attributes([latitude, longitude]: &[String; 2]) -> [(&str, &str); 2] {
    [("lat", latitude), ("lon", longitude)]
}
