//! KML 2.2: a folder for each day with its stops and its way, and folders of flights and hotels.

use crate::moment::Moment;
use crate::text::{clean, join, line, markup};
use crate::trip::{GeoPoint, Trip, TripDay};
use crate::words;
use crate::xml::Xml;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    let itinerary = trip.itinerary;
    let mut xml = Xml::new();
    xml.start("kml", &[("xmlns", "http://www.opengis.net/kml/2.2")]);
    xml.start("Document", &[]);
    xml.text("name", &line(&itinerary.title));
    description(&mut xml, itinerary.summary.as_deref().unwrap_or_default());
    for day in trip.days.iter().filter(|day| !day.stops.is_empty()) {
        xml.start("Folder", &[]);
        xml.text("name", &format!("Day {}, {}", day.number, day.date));
        stops(&mut xml, day);
        xml.end();
    }
    if !trip.flights.is_empty() {
        xml.start("Folder", &[]);
        xml.text("name", "Flights");
        flights(&mut xml, trip);
        xml.end();
    }
    if !trip.hotels.is_empty() {
        xml.start("Folder", &[]);
        xml.text("name", "Hotels");
        hotels(&mut xml, trip);
        xml.end();
    }
    xml.finish()
}

fn stops(xml: &mut Xml, day: &TripDay<'_>) {
    for stop in &day.stops {
        xml.start("Placemark", &[]);
        xml.text("name", &line(&stop.stop.name));
        let category = stop.stop.category.map(words::stop_category).unwrap_or_default().to_owned();
        let place = words::location(&stop.stop.name, stop.stop.place.as_ref());
        description(xml, &join([time(stop.starts.as_ref()), category, place], "\n"));
        stamp(xml, stop.starts.as_ref());
        point(xml, stop.point);
        xml.end();
    }
    let way: Vec<GeoPoint> = day.points().collect();
    if way.len() > 1 {
        xml.start("Placemark", &[]);
        xml.text("name", &format!("Way of day {}", day.number));
        way_of(xml, &way);
        xml.end();
    }
}

fn flights(xml: &mut Xml, trip: &Trip<'_>) {
    for flight in &trip.flights {
        xml.start("Placemark", &[]);
        xml.text("name", &words::flight(flight.flight));
        let departs = join(["Departs".to_owned(), time(flight.departs.as_ref())], " ");
        let arrives = join(["Arrives".to_owned(), time(flight.arrives.as_ref())], " ");
        let times = [(&flight.departs, departs), (&flight.arrives, arrives)];
        let times = times.into_iter().filter(|(at, _)| at.is_some()).map(|(_, words)| words);
        description(xml, &join(times, "\n"));
        if let (Some(from), Some(to)) = (flight.from, flight.to) {
            way_of(xml, &[from, to]);
        }
        xml.end();
    }
}

fn hotels(xml: &mut Xml, trip: &Trip<'_>) {
    for hotel in &trip.hotels {
        xml.start("Placemark", &[]);
        xml.text("name", &line(&hotel.hotel.name));
        description(xml, &words::location(&hotel.hotel.name, hotel.hotel.place.as_ref()));
        point(xml, hotel.point);
        xml.end();
    }
}

/// A description, which map programs read as HTML: it is escaped twice, as HTML and as XML.
fn description(xml: &mut Xml, text: &str) {
    xml.text("description", &markup(&clean(text)).replace('\n', "<br>"));
}

fn time(moment: Option<&Moment>) -> String {
    moment.map(Moment::in_words).unwrap_or_default()
}

fn stamp(xml: &mut Xml, moment: Option<&Moment>) {
    // A time without an offset would be read as UTC.
    if let Some(moment) = moment.filter(|moment| moment.instant.is_some()) {
        xml.start("TimeStamp", &[]);
        xml.text("when", &moment.rfc3339());
        xml.end();
    }
}

fn point(xml: &mut Xml, point: Option<GeoPoint>) {
    if let Some(point) = point {
        xml.start("Point", &[]);
        xml.text("coordinates", &coordinates(point));
        xml.end();
    }
}

/// A line on the ground.
fn way_of(xml: &mut Xml, way: &[GeoPoint]) {
    xml.start("LineString", &[]);
    xml.text("tessellate", "1");
    xml.text("coordinates", &way.iter().map(|point| coordinates(*point)).collect::<Vec<_>>().join(" "));
    xml.end();
}

fn coordinates(GeoPoint { latitude, longitude }: GeoPoint) -> String {
    format!("{longitude},{latitude}")
}
