//! GPX 1.1: stops and hotels as waypoints, flights as routes, days as tracks.

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
    for (day, stop) in trip.stops() {
        let Some(point) = stop.point else { continue };
        let time = stop.starts.as_ref().and_then(|starts| starts.instant);
        let when = stop.starts.as_ref().map(crate::Moment::time).unwrap_or_default();
        let place = words::location(&stop.stop.name, stop.stop.place.as_ref());
        waypoint(
            &mut xml,
            point,
            time,
            &stop.stop.name,
            &join([format!("Day {}, {}", day.number, day.date), when, place], ", "),
            stop.stop.category.map(words::stop_category).unwrap_or_default(),
        );
    }
    for hotel in &trip.hotels {
        let Some(point) = hotel.point else { continue };
        let time = hotel.checks_in.as_ref().and_then(|checks_in| checks_in.instant);
        let description = words::location(&hotel.hotel.name, hotel.hotel.place.as_ref());
        waypoint(&mut xml, point, time, &hotel.hotel.name, &description, "Lodging");
    }
    for flight in &trip.flights {
        let (Some(from), Some(to)) = (flight.from, flight.to) else { continue };
        xml.start("rte", &[]);
        xml.text("name", &words::flight(flight.flight));
        xml.text("type", "Flight");
        let ends = [
            (from, &flight.departs, flight.flight.departure_airport.as_ref()),
            (to, &flight.arrives, flight.flight.arrival_airport.as_ref()),
        ];
        for (point, time, airport) in ends {
            xml.start("rtept", &attributes(&coordinates(point)));
            let time = time.as_ref().and_then(|time| time.instant);
            xml.text("time", &time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default());
            xml.text("name", &words::airport_in_full(airport));
            xml.end();
        }
        xml.end();
    }
    for day in trip.days.iter().filter(|day| day.points().next().is_some()) {
        xml.start("trk", &[]);
        xml.text("name", &format!("Day {}, {}", day.number, day.date));
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

fn waypoint(xml: &mut Xml, point: GeoPoint, time: Option<jiff::Timestamp>, name: &str, description: &str, kind: &str) {
    xml.start("wpt", &attributes(&coordinates(point)));
    xml.text("time", &time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default());
    xml.text("name", &line(name));
    xml.text("desc", description);
    xml.text("type", kind);
    xml.end();
}

/// Latitude and longitude. GPX excludes the longitude 180, which is the same meridian as -180.
fn coordinates(GeoPoint { latitude, longitude }: GeoPoint) -> [String; 2] {
    let longitude = if longitude >= 180.0 { -180.0 } else { longitude };
    [latitude.to_string(), longitude.to_string()]
}

fn attributes([latitude, longitude]: &[String; 2]) -> [(&str, &str); 2] {
    [("lat", latitude), ("lon", longitude)]
}
