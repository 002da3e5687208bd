//! GeoJSON (RFC 7946): a feature for each stop, hotel, flight, transport and reservation, and one for the way of each day.

use itinerary_api::types::Place;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::details::{Details, notes};
use crate::moment::{Moment, Zone};
use crate::text::{clean, line};
use crate::trip::{GeoPoint, Trip, TripDay, TripFlight, TripHotel, TripReservation, TripStop, TripTransport};
use crate::words;

pub(crate) fn export(trip: &Trip<'_>) -> String {
    let itinerary = trip.itinerary;
    let mut features = Vec::new();
    for day in &trip.days {
        features.extend(day.stops.iter().map(|stop| stop_feature(day, stop)));
        features.extend(day_feature(day));
    }
    features.extend(trip.hotels.iter().map(hotel_feature));
    features.extend(trip.flights.iter().map(flight_feature));
    features.extend(trip.transports.iter().map(transport_feature));
    features.extend(trip.reservations.iter().map(reservation_feature));
    let collection = json!({
        "type": "FeatureCollection",
        "id": itinerary.id,
        "title": line(&itinerary.title),
        "summary": itinerary.summary.as_ref().map(|summary| clean(summary)),
        "startDate": itinerary.start_date,
        "url": trip.address,
        "updatedAt": itinerary.updated_at,
        "features": features,
    });
    collection.to_string()
}

fn hotel_feature(of: &TripHotel<'_>) -> Value {
    let hotel = of.hotel;
    let mut properties = FeatureProperties::new("hotel", &line(&hotel.name));
    properties.place(hotel.place.as_ref());
    properties.moment("checkInDate", of.checks_in.as_ref());
    properties.moment("checkOutDate", of.checks_out.as_ref());
    properties.details(hotel.into());
    properties.feature(hotel.id.as_deref(), of.point.map(point))
}

fn flight_feature(of: &TripFlight<'_>) -> Value {
    let flight = of.flight;
    let mut properties = FeatureProperties::new("flight", &words::flight(flight));
    properties.set("from", words::airport(flight.departure_airport.as_ref()));
    properties.set("to", words::airport(flight.arrival_airport.as_ref()));
    properties.moment_or_day(["departureDate", "departureDay"], of.departs.as_ref(), of.day);
    properties.moment("arrivalDate", of.arrives.as_ref());
    properties.details(flight.into());
    let way = of.from.zip(of.to).map(|(from, to)| lines(&[from, to]));
    properties.feature(flight.id.as_deref(), way)
}

/// A transport, with a point as geometry if it has only one place.
fn transport_feature(of: &TripTransport<'_>) -> Value {
    let transport = of.transport;
    let mut properties = FeatureProperties::new("transport", &words::transport(transport));
    if let Some(mode) = transport.mode {
        properties.set("mode", serde_json::to_value(mode).unwrap_or_default());
    }
    properties.set("from", words::station(transport.departure_place.as_ref()));
    properties.set("to", words::station(transport.arrival_place.as_ref()));
    properties.moment_or_day(["departureDate", "departureDay"], of.departs.as_ref(), of.day);
    properties.moment("arrivalDate", of.arrives.as_ref());
    properties.details(transport.into());
    let geometry = match &of.ends().collect::<Vec<_>>()[..] {
        [] => None,
        [one] => Some(point(*one)),
        ends => Some(lines(ends)),
    };
    properties.feature(transport.id.as_deref(), geometry)
}

fn reservation_feature(of: &TripReservation<'_>) -> Value {
    let reservation = of.reservation;
    let mut properties = FeatureProperties::new("reservation", &line(&reservation.name));
    if let Some(category) = reservation.category {
        properties.set("category", serde_json::to_value(category).unwrap_or_default());
    }
    properties.place(reservation.place.as_ref());
    properties.moment_or_day(["startDate", "startDay"], of.starts.as_ref(), of.day);
    properties.moment_or_day(["endDate", "endDay"], of.ends.as_ref(), of.last_day);
    if let Some(people) = reservation.party_size {
        properties.set("partySize", people.get());
    }
    properties.details(reservation.into());
    properties.feature(reservation.id.as_deref(), of.point.map(point))
}

fn stop_feature(day: &TripDay<'_>, of: &TripStop<'_>) -> Value {
    let stop = of.stop;
    let mut properties = FeatureProperties::new("stop", &line(&stop.name));
    properties.set("day", day.number);
    properties.set("number", of.number);
    properties.set("date", day.date.to_string());
    if let Some(category) = stop.category {
        properties.set("category", serde_json::to_value(category).unwrap_or_default());
    }
    properties.place(stop.place.as_ref());
    properties.moment("startTime", of.starts.as_ref());
    if let Some(minutes) = stop.duration_minutes {
        properties.set("durationMinutes", minutes.get());
    }
    properties.text("notes", notes(stop.notes.as_deref()));
    properties.feature(stop.id.as_deref(), of.point.map(point))
}

fn day_feature(day: &TripDay<'_>) -> Option<Value> {
    let points: Vec<GeoPoint> = day.points().collect();
    if points.len() < 2 {
        return None;
    }
    let mut properties = FeatureProperties::new("day", &format!("Day {}", day.number));
    properties.set("day", day.number);
    properties.set("date", day.date.to_string());
    properties.text("title", day.day.title.as_deref());
    properties.text("notes", notes(day.day.notes.as_deref()));
    properties.set("minutes", day.leg_minutes);
    properties.set("metres", day.leg_metres);
    Some(properties.feature(day.day.id.as_deref(), Some(lines(&points))))
}

struct FeatureProperties(Map<String, Value>);

impl FeatureProperties {
    fn new(kind: &str, name: &str) -> Self {
        let mut properties = Self(Map::new());
        properties.set("kind", kind);
        properties.set("name", name);
        properties
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn place(&mut self, place: Option<&Place>) {
        if let Some(address) = place.and_then(|place| place.address.as_ref()) {
            self.set("address", line(address));
        }
    }

    /// A text with its line breaks, cleaned. No property if there is none.
    fn text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.set(name, clean(text));
        }
    }

    /// How something was booked, and its notes.
    fn details(&mut self, details: Details<'_>) {
        self.text("confirmationNumber", details.confirmation_number);
        self.text("provider", details.provider);
        self.text("bookingUrl", details.link().as_deref());
        self.text("notes", details.notes());
    }

    /// A time, or the day if that is all that is known.
    fn moment_or_day(&mut self, [time, day]: [&str; 2], moment: Option<&Moment>, date: Option<Date>) {
        self.moment(time, moment);
        if let Some(date) = date.filter(|_| moment.is_none()) {
            self.set(day, date.to_string());
        }
    }

    /// A time as RFC 3339, without an offset if it floats, and the name of its zone.
    fn moment(&mut self, name: &str, moment: Option<&Moment>) {
        let Some(moment) = moment else { return };
        self.set(name, moment.rfc3339());
        if let Zone::Named { name: zone, .. } = &moment.zone {
            self.set(&format!("{name}Zone"), zone.as_str());
        }
    }

    /// A feature. Its geometry is null if its position is unknown.
    fn feature(self, id: Option<&str>, geometry: Option<Value>) -> Value {
        let mut feature = Map::new();
        feature.insert("type".to_owned(), "Feature".into());
        feature.extend(id.map(|id| ("id".to_owned(), id.into())));
        feature.insert("geometry".to_owned(), geometry.unwrap_or_default());
        feature.insert("properties".to_owned(), self.0.into());
        feature.into()
    }
}

fn point(at: GeoPoint) -> Value {
    json!({ "type": "Point", "coordinates": position(at) })
}

fn position(GeoPoint { latitude, longitude }: GeoPoint) -> Value {
    json!([longitude, latitude])
}

/// A line, cut where it crosses the antimeridian (RFC 7946 §3.1.9).
fn lines(points: &[GeoPoint]) -> Value {
    let mut lines: Vec<Vec<Value>> = Vec::new();
    let mut line: Vec<Value> = points.first().map(|first| position(*first)).into_iter().collect();
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]];
        if let Some((side, latitude)) = crossing(from, to) {
            line.push(json!([side, latitude]));
            lines.push(std::mem::replace(&mut line, vec![json!([-side, latitude])]));
        }
        line.push(position(to));
    }
    lines.push(line);
    match &mut lines[..] {
        [one] => json!({ "type": "LineString", "coordinates": one }),
        several => json!({ "type": "MultiLineString", "coordinates": several }),
    }
}

/// Where the shorter way between two points crosses the antimeridian: the longitude on the side of the first, 180 or -180,
/// and the latitude.
fn crossing(from: GeoPoint, to: GeoPoint) -> Option<(f64, f64)> {
    if (to.longitude - from.longitude).abs() <= 180.0 {
        return None;
    }
    let side = 180.0_f64.copysign(from.longitude);
    let (before, after) = ((side - from.longitude).abs(), (-side - to.longitude).abs());
    let share = if before + after > 0.0 { before / (before + after) } else { 0.0 };
    Some((side, from.latitude + share * (to.latitude - from.latitude)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_the_antimeridian() {
        let at = |latitude, longitude| GeoPoint { latitude, longitude };
        let cut = lines(&[at(10.0, 170.0), at(20.0, -170.0), at(20.0, -160.0)]);
        assert_eq!(cut["type"], "MultiLineString");
        let expected = json!([[[170.0, 10.0], [180.0, 15.0]], [[-180.0, 15.0], [-170.0, 20.0], [-160.0, 20.0]],]);
        assert_eq!(cut["coordinates"], expected);
        let whole = lines(&[at(1.0, -90.0), at(2.0, 90.0)]);
        assert_eq!(whole, json!({ "type": "LineString", "coordinates": [[-90.0, 1.0], [90.0, 2.0]] }));
        let on_it = lines(&[at(1.0, -180.0), at(2.0, 180.0)]);
        assert_eq!(on_it["coordinates"][0], json!([[-180.0, 1.0], [-180.0, 1.0]]));
    }
}
