//! KML 2.2: a folder for each day with its stops and its way, and folders of flights, transports, hotels and reservations.

use jiff::civil::Date;

use crate::details::{Details, notes};
use crate::moment::Moment;
use crate::text::{clean, join, line, markup};
use crate::trip::{GeoPoint, Trip, TripDay, TripFlight, TripHotel, TripReservation, TripTransport};
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
        let title = day.day.title.as_deref().map(line).unwrap_or_default();
        xml.text("name", &join([format!("Day {}, {}", day.number, day.date), title], ": "));
        description(&mut xml, notes(day.day.notes.as_deref()).unwrap_or_default());
        stops(&mut xml, day);
        xml.end();
    }
    folder(&mut xml, "Flights", &trip.flights, flight);
    folder(&mut xml, "Transport", &trip.transports, transport);
    folder(&mut xml, "Hotels", &trip.hotels, hotel);
    folder(&mut xml, "Reservations", &trip.reservations, reservation);
    xml.finish()
}

/// A folder with a placemark for each booking. No folder if there are none.
fn folder<T>(xml: &mut Xml, name: &str, bookings: &[T], write: fn(&mut Xml, &T)) {
    if bookings.is_empty() {
        return;
    }
    xml.start("Folder", &[]);
    xml.text("name", name);
    for booking in bookings {
        xml.start("Placemark", &[]);
        write(xml, booking);
        xml.end();
    }
    xml.end();
}

fn stops(xml: &mut Xml, day: &TripDay<'_>) {
    for stop in &day.stops {
        xml.start("Placemark", &[]);
        xml.text("name", &line(&stop.stop.name));
        let category = stop.stop.category.map(words::stop_category).unwrap_or_default().to_owned();
        let place = words::location(&stop.stop.name, stop.stop.place.as_ref());
        let notes = notes(stop.stop.notes.as_deref()).unwrap_or_default().to_owned();
        description(xml, &join([time(stop.starts.as_ref()), category, place, notes], "\n"));
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

fn flight(xml: &mut Xml, of: &TripFlight<'_>) {
    xml.text("name", &words::flight(of.flight));
    let times = [when("Departs", of.departs.as_ref(), of.day), when("Arrives", of.arrives.as_ref(), None)];
    about(xml, times, of.flight);
    if let (Some(from), Some(to)) = (of.from, of.to) {
        way_of(xml, &[from, to]);
    }
}

fn transport(xml: &mut Xml, of: &TripTransport<'_>) {
    xml.text("name", &words::transport(of.transport));
    let verbs = if of.is_hired_car() { ["Collection", "Return"] } else { ["Departs", "Arrives"] };
    let times = [when(verbs[0], of.departs.as_ref(), of.day), when(verbs[1], of.arrives.as_ref(), None)];
    about(xml, times, of.transport);
    match &of.ends().collect::<Vec<_>>()[..] {
        [from, to] => way_of(xml, &[*from, *to]),
        ends => point(xml, ends.first().copied()),
    }
}

fn hotel(xml: &mut Xml, of: &TripHotel<'_>) {
    xml.text("name", &line(&of.hotel.name));
    about(xml, [words::location(&of.hotel.name, of.hotel.place.as_ref())], of.hotel);
    point(xml, of.point);
}

fn reservation(xml: &mut Xml, of: &TripReservation<'_>) {
    let reservation = of.reservation;
    xml.text("name", &line(&reservation.name));
    let lines = [
        when("Starts", of.starts.as_ref(), of.day),
        when("Ends", of.ends.as_ref(), of.last_day),
        reservation.category.map(words::stop_category).unwrap_or_default().to_owned(),
        words::location(&reservation.name, reservation.place.as_ref()),
    ];
    about(xml, lines, reservation);
    stamp(xml, of.starts.as_ref());
    point(xml, of.point);
}

/// The description of a booking: lines about it, and what all bookings have in common.
fn about<'d>(xml: &mut Xml, lines: impl IntoIterator<Item = String>, booking: impl Into<Details<'d>>) {
    description(xml, &join(lines.into_iter().chain([booking.into().in_plain_text()]), "\n"));
}

/// A time with a verb, or the day if that is all that is known. Empty if neither is.
fn when(verb: &str, at: Option<&Moment>, day: Option<Date>) -> String {
    let time = at.map(Moment::in_words).or_else(|| day.map(|day| day.to_string()));
    time.map(|time| format!("{verb} {time}")).unwrap_or_default()
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
