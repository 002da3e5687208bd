//! An itinerary with its dates, times and coordinates worked out: what all formats share.

use std::collections::HashMap;
use std::ops::Add;

use itinerary_api::types::{
    Coordinate, Day, Flight, Hotel, Itinerary, Leg, Place, Reservation, Stop, Transport, TransportMode,
};
use itinerary_api::values::{Date, Measure, TimeZone, Whole};
use jiff::civil;

use crate::moment::{Moment, days_after};

/// An itinerary as its reader sees it, with the dates of its days and the times of its items.
pub struct Trip<'i> {
    pub itinerary: &'i Itinerary,
    /// The version in its ETag.
    pub version: i64,
    /// The address of the trip's page.
    pub address: String,
    /// In order; the first is on the itinerary's start date.
    pub days: Vec<TripDay<'i>>,
    /// In the itinerary's order. Empty if the reader may not see them.
    pub flights: Vec<TripFlight<'i>>,
    /// In the itinerary's order. Empty if the reader may not see them.
    pub hotels: Vec<TripHotel<'i>>,
    /// In the itinerary's order. Empty if the reader may not see them.
    pub transports: Vec<TripTransport<'i>>,
    /// In the itinerary's order. Empty if the reader may not see them.
    pub reservations: Vec<TripReservation<'i>>,
}

/// A day of a trip.
pub struct TripDay<'i> {
    /// 1 for the first day.
    pub number: usize,
    pub date: civil::Date,
    pub day: &'i Day,
    pub stops: Vec<TripStop<'i>>,
    /// The minutes of the day's legs together, where they are known.
    pub leg_minutes: f64,
    /// The metres of the day's legs together, where they are known.
    pub leg_metres: f64,
}

/// A stop of a day.
pub struct TripStop<'i> {
    /// 1 for the first stop of its day.
    pub number: usize,
    pub stop: &'i Stop,
    /// In the time zone of its place, otherwise in that of the destination; floating if neither is known.
    pub starts: Option<Moment>,
    /// The start and the duration, if both are known.
    pub ends: Option<Moment>,
    pub point: Option<GeoPoint>,
    /// The leg to the next stop of the day.
    pub leg: Option<&'i Leg>,
    /// What is wrong with its start time, if the stops before it take too long.
    pub late: Option<String>,
}

/// A flight, with its times in the zones of its airports, or with the offsets that were sent.
pub struct TripFlight<'i> {
    pub flight: &'i Flight,
    pub departs: Option<Moment>,
    pub arrives: Option<Moment>,
    /// The date of the departure, also if its time is unknown.
    pub day: Option<civil::Date>,
    pub from: Option<GeoPoint>,
    pub to: Option<GeoPoint>,
}

/// A transport, with its times in the zones of its places, or with the offsets that were sent.
pub struct TripTransport<'i> {
    pub transport: &'i Transport,
    pub departs: Option<Moment>,
    pub arrives: Option<Moment>,
    /// The date of the departure, also if its time is unknown.
    pub day: Option<civil::Date>,
    pub from: Option<GeoPoint>,
    pub to: Option<GeoPoint>,
}

/// A reservation, with its times in the zone of its place, or with the offsets that were sent.
pub struct TripReservation<'i> {
    pub reservation: &'i Reservation,
    pub starts: Option<Moment>,
    pub ends: Option<Moment>,
    /// The date of the start, also if its time is unknown.
    pub day: Option<civil::Date>,
    /// The date of the end, also if its time is unknown.
    pub last_day: Option<civil::Date>,
    pub point: Option<GeoPoint>,
}

/// A stay, with its times in the zone of its place, or with the offsets that were sent.
pub struct TripHotel<'i> {
    pub hotel: &'i Hotel,
    pub checks_in: Option<Moment>,
    pub checks_out: Option<Moment>,
    pub point: Option<GeoPoint>,
}

/// A point on the earth, in degrees (WGS 84).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeoPoint {
    pub latitude: f64,
    pub longitude: f64,
}

impl From<Coordinate> for GeoPoint {
    fn from(at: Coordinate) -> Self {
        Self { latitude: at.latitude.get(), longitude: at.longitude.get() }
    }
}

impl<'i> Trip<'i> {
    /// `address` is that of the trip's page.
    pub fn new(itinerary: &'i Itinerary, version: i64, address: String) -> Self {
        let destination = itinerary.destination.time_zone.as_ref();
        let days = itinerary.days.iter().enumerate();
        let flights = itinerary.flights.iter().flat_map(|flights| flights.iter());
        let hotels = itinerary.hotels.iter().flat_map(|hotels| hotels.iter());
        let transports = itinerary.transports.iter().flat_map(|transports| transports.iter());
        let reservations = itinerary.reservations.iter().flat_map(|reservations| reservations.iter());
        Self {
            itinerary,
            version,
            address,
            days: days
                .filter_map(|(index, day)| {
                    let date = days_after(itinerary.start_date, index)?;
                    Some(TripDay::new(index, date, day, destination))
                })
                .collect(),
            flights: flights.map(TripFlight::new).collect(),
            hotels: hotels.map(TripHotel::new).collect(),
            transports: transports.map(TripTransport::new).collect(),
            reservations: reservations.map(TripReservation::new).collect(),
        }
    }

    /// The trip with what is wrong with start times: the index of a day and of a stop in it, and a sentence.
    #[must_use]
    pub fn with_late_stops(mut self, late: impl IntoIterator<Item = (usize, usize, String)>) -> Self {
        for (day, stop, message) in late {
            if let Some(stop) = self.days.get_mut(day).and_then(|day| day.stops.get_mut(stop)) {
                stop.late = Some(message);
            }
        }
        self
    }

    /// The date of the last day, or the start date of a trip without days.
    pub fn last_date(&self) -> Option<civil::Date> {
        self.days.last().map(|day| day.date).or_else(|| days_after(self.itinerary.start_date, 0))
    }

    /// All stops, with their days.
    pub fn stops(&self) -> impl Iterator<Item = (&TripDay<'i>, &TripStop<'i>)> {
        self.days.iter().flat_map(|day| day.stops.iter().map(move |stop| (day, stop)))
    }
}

impl<'i> TripDay<'i> {
    fn new(index: usize, date: civil::Date, day: &'i Day, destination: Option<&TimeZone>) -> Self {
        // Of several legs from a stop, the first counts.
        let legs: HashMap<&str, &Leg> = day.legs.iter().rev().map(|leg| (&*leg.from, leg)).collect();
        let stops = day.stops.iter().enumerate().map(|(at, stop)| {
            let zone = stop.place.as_ref().and_then(|place| place.time_zone.as_ref()).or(destination);
            let starts = stop.start_time.as_ref().and_then(|time| Moment::on_date(date, time, zone));
            let minutes = stop.duration_minutes.map(Whole::get).filter(|minutes| *minutes > 0);
            let ends = starts.as_ref().zip(minutes).and_then(|(starts, minutes)| starts.after_minutes(minutes));
            let leg = stop.id.as_ref().and_then(|id| legs.get(&**id).copied());
            TripStop { number: at + 1, stop, starts, ends, point: point(stop.place.as_ref()), leg, late: None }
        });
        // The sum of nothing would be -0.0.
        let total = |measure: fn(&Leg) -> Option<f64>| day.legs.iter().filter_map(measure).fold(0.0, Add::add);
        Self {
            number: index + 1,
            date,
            day,
            stops: stops.collect(),
            leg_minutes: total(|leg| leg.minutes.map(Measure::get)),
            leg_metres: total(|leg| leg.metres.map(Measure::get)),
        }
    }

    /// The points of the day's stops that have one, in order.
    pub fn points(&self) -> impl Iterator<Item = GeoPoint> {
        self.stops.iter().filter_map(|stop| stop.point)
    }
}

impl<'i> TripFlight<'i> {
    fn new(flight: &'i Flight) -> Self {
        let (departure, arrival) = (flight.departure_airport.as_ref(), flight.arrival_airport.as_ref());
        let time = |time: Option<&_>, place: Option<&Place>| Moment::at_place(time?, zone(place));
        let departs = time(flight.departure_date.as_ref(), departure);
        Self {
            flight,
            day: day_of(departs.as_ref(), flight.departure_day),
            departs,
            arrives: time(flight.arrival_date.as_ref(), arrival),
            from: point(departure),
            to: point(arrival),
        }
    }
}

impl<'i> TripHotel<'i> {
    fn new(hotel: &'i Hotel) -> Self {
        let zone = zone(hotel.place.as_ref());
        let time = |time: Option<&_>| Moment::at_place(time?, zone);
        Self {
            hotel,
            checks_in: time(hotel.check_in_date.as_ref()),
            checks_out: time(hotel.check_out_date.as_ref()),
            point: point(hotel.place.as_ref()),
        }
    }
}

impl<'i> TripTransport<'i> {
    fn new(transport: &'i Transport) -> Self {
        let (departure, arrival) = (transport.departure_place.as_ref(), transport.arrival_place.as_ref());
        let time = |time: Option<&_>, place: Option<&Place>| Moment::at_place(time?, zone(place));
        let departs = time(transport.departure_date.as_ref(), departure);
        Self {
            transport,
            day: day_of(departs.as_ref(), transport.departure_day),
            departs,
            arrives: time(transport.arrival_date.as_ref(), arrival),
            from: point(departure),
            to: point(arrival),
        }
    }

    /// Whether it is a hired car, which is collected and returned.
    pub fn is_hired_car(&self) -> bool {
        self.transport.mode == Some(TransportMode::Car)
    }

    /// Where it is on a map: at both ends, or at the only one with a known position.
    pub fn ends(&self) -> impl Iterator<Item = GeoPoint> + use<> {
        let to = self.to.filter(|to| Some(*to) != self.from);
        [self.from, to].into_iter().flatten()
    }
}

impl<'i> TripReservation<'i> {
    fn new(reservation: &'i Reservation) -> Self {
        let zone = zone(reservation.place.as_ref());
        let time = |time: Option<&_>| Moment::at_place(time?, zone);
        let (starts, ends) = (time(reservation.start_date.as_ref()), time(reservation.end_date.as_ref()));
        Self {
            reservation,
            day: day_of(starts.as_ref(), reservation.start_day),
            last_day: day_of(ends.as_ref(), reservation.end_day),
            starts,
            ends,
            point: point(reservation.place.as_ref()),
        }
    }
}

/// The date of a time, or the day that is given instead.
fn day_of(time: Option<&Moment>, day: Option<Date>) -> Option<civil::Date> {
    time.map(|time| time.local.date()).or_else(|| days_after(day?, 0))
}

fn zone(place: Option<&Place>) -> Option<&TimeZone> {
    place.and_then(|place| place.time_zone.as_ref())
}

fn point(place: Option<&Place>) -> Option<GeoPoint> {
    place.and_then(|place| place.coordinate).map(GeoPoint::from)
}
