//! What happens on which date: departures, arrivals, stays and reservations, each on its local date.

use std::collections::HashMap;

use itinerary_api::types::{BelongsTo, BelongsToKind};
use itinerary_api::values::Date;
use jiff::civil;

use crate::moment::{Moment, days_after};
use crate::text;
use crate::trip::{Trip, TripFlight, TripHotel, TripReservation, TripTransport};
use crate::words::{airport, flight, station, transport, transport_number};

/// A departure, an arrival, a check-in, a check-out, or the start or end of a reservation.
#[derive(Clone, Copy)]
pub(crate) struct Booking<'t> {
    /// The local date there.
    pub(crate) date: civil::Date,
    /// The local time there. `None` if only the date is known.
    pub(crate) at: Option<&'t Moment>,
    what: What<'t>,
    /// The index of the item in its part.
    index: usize,
}

#[derive(Clone, Copy)]
enum What<'t> {
    FlightDeparture(&'t TripFlight<'t>),
    /// On another date than the departure.
    FlightArrival(&'t TripFlight<'t>),
    /// Also the collection of a hired car.
    Departure(&'t TripTransport<'t>),
    /// On another date than the departure, or the return of a hired car.
    Arrival(&'t TripTransport<'t>),
    CheckIn(&'t TripHotel<'t>),
    CheckOut(&'t TripHotel<'t>),
    Start(&'t TripReservation<'t>),
    /// On another date than the start.
    End(&'t TripReservation<'t>),
}

impl Booking<'_> {
    /// The id of the item on the page.
    pub(crate) fn anchor(&self) -> String {
        let part = match self.what {
            What::FlightDeparture(_) | What::FlightArrival(_) => "flight",
            What::Departure(_) | What::Arrival(_) => "transport",
            What::CheckIn(_) | What::CheckOut(_) => "hotel",
            What::Start(_) | What::End(_) => "reservation",
        };
        format!("{part}-{}", self.index + 1)
    }

    /// `Flight TP1363 LHR → LIS`, `Check in at Quinta do Sol`.
    pub(crate) fn name(&self) -> String {
        match self.what {
            What::FlightDeparture(in_trip) => flight_name(in_trip),
            What::FlightArrival(in_trip) => at("Arrival", &airport(in_trip.flight.arrival_airport.as_ref())),
            What::Departure(in_trip) if in_trip.is_hired_car() => {
                at("Collect the hired car", &station(in_trip.transport.departure_place.as_ref()))
            }
            What::Departure(in_trip) => transport(in_trip.transport),
            What::Arrival(in_trip) if in_trip.is_hired_car() => {
                at("Return the hired car", &station(in_trip.transport.arrival_place.as_ref()))
            }
            What::Arrival(in_trip) => at("Arrival", &station(in_trip.transport.arrival_place.as_ref())),
            What::CheckIn(in_trip) => format!("Check in at {}", text::line(&in_trip.hotel.name)),
            What::CheckOut(in_trip) => format!("Check out of {}", text::line(&in_trip.hotel.name)),
            What::Start(in_trip) => text::line(&in_trip.reservation.name),
            What::End(in_trip) => format!("End of {}", text::line(&in_trip.reservation.name)),
        }
    }

    /// What the name does not say: when a flight arrives, or which flight arrives.
    pub(crate) fn more(&self) -> Option<String> {
        match self.what {
            What::FlightDeparture(in_trip) => self.later("arrives", in_trip.arrives.as_ref()),
            What::FlightArrival(in_trip) => Some(flight_name(in_trip)),
            What::Departure(in_trip) | What::Arrival(in_trip) if in_trip.is_hired_car() => {
                transport_number(in_trip.transport)
            }
            What::Departure(in_trip) => self.later("arrives", in_trip.arrives.as_ref()),
            What::Arrival(in_trip) => Some(transport(in_trip.transport)),
            What::Start(in_trip) => self.later("until", in_trip.ends.as_ref()),
            What::CheckIn(_) | What::CheckOut(_) | What::End(_) => None,
        }
    }

    /// `arrives 11:00`, with the date if it is another.
    fn later(&self, verb: &str, time: Option<&Moment>) -> Option<String> {
        let time = time?;
        let is_same_day = time.local.date() == self.date;
        let day = if is_same_day { String::new() } else { time.local.strftime("%a %-d %B, ").to_string() };
        Some(format!("{verb} {day}{}", time.time()))
    }
}

/// `Arrival at LIS`, or `Arrival` at an unknown place.
fn at(what: &str, place: &str) -> String {
    if place.is_empty() { what.to_owned() } else { format!("{what} at {place}") }
}

fn flight_name(in_trip: &TripFlight<'_>) -> String {
    let name = flight(in_trip.flight);
    if name.starts_with("Flight") { name } else { format!("Flight {name}") }
}

/// All bookings with a date: first those without a time, then the others in order of time. So those of one date are in
/// order, too.
pub(crate) fn bookings<'t>(trip: &'t Trip<'t>) -> Vec<Booking<'t>> {
    let mut all = Bookings(Vec::new());
    for (index, flight) in trip.flights.iter().enumerate() {
        all.add(index, flight.day, flight.departs.as_ref(), What::FlightDeparture(flight));
        let arrives = flight.arrives.as_ref().filter(|arrives| flight.day != Some(arrives.local.date()));
        all.add(index, None, arrives, What::FlightArrival(flight));
    }
    for (index, transport) in trip.transports.iter().enumerate() {
        all.add(index, transport.day, transport.departs.as_ref(), What::Departure(transport));
        let is_separate = |at: &&Moment| transport.is_hired_car() || transport.day != Some(at.local.date());
        all.add(index, None, transport.arrives.as_ref().filter(is_separate), What::Arrival(transport));
    }
    for (index, hotel) in trip.hotels.iter().enumerate() {
        all.add(index, None, hotel.checks_in.as_ref(), What::CheckIn(hotel));
        all.add(index, None, hotel.checks_out.as_ref(), What::CheckOut(hotel));
    }
    for (index, reservation) in trip.reservations.iter().enumerate() {
        all.add(index, reservation.day, reservation.starts.as_ref(), What::Start(reservation));
        if reservation.last_day != reservation.day {
            all.add(index, reservation.last_day, reservation.ends.as_ref(), What::End(reservation));
        }
    }
    all.0.sort_by_key(|booking| booking.at.map(|at| (at.instant, at.local)));
    all.0
}

struct Bookings<'t>(Vec<Booking<'t>>);

impl<'t> Bookings<'t> {
    /// Adds what is at a time, or on a day if that is all that is known.
    fn add(&mut self, index: usize, day: Option<civil::Date>, at: Option<&'t Moment>, what: What<'t>) {
        let date = at.map(|at| at.local.date()).or(day);
        self.0.extend(date.map(|date| Booking { date, at, what, index }));
    }
}

/// On which date the parts of a trip are that expenses and packing items belong to.
pub(crate) struct DateIndex<'t>(HashMap<(Kind, &'t str), civil::Date>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Flight,
    Hotel,
    Transport,
    Reservation,
    Day,
    Stop,
}

impl<'t> DateIndex<'t> {
    pub(crate) fn of(trip: &'t Trip<'t>) -> Self {
        let mut dates = HashMap::new();
        for day in &trip.days {
            dates.extend(day.day.id.as_deref().map(|id| ((Kind::Day, id), day.date)));
            let stops = day.stops.iter().filter_map(|stop| stop.stop.id.as_deref());
            dates.extend(stops.map(|id| ((Kind::Stop, id), day.date)));
        }
        let local = |at: Option<&Moment>| at.map(|at| at.local.date());
        for flight in &trip.flights {
            let date = flight.day.or_else(|| local(flight.arrives.as_ref()));
            dates.extend(flight.flight.id.as_deref().zip(date).map(|(id, date)| ((Kind::Flight, id), date)));
        }
        for hotel in &trip.hotels {
            let date = local(hotel.checks_in.as_ref());
            dates.extend(hotel.hotel.id.as_deref().zip(date).map(|(id, date)| ((Kind::Hotel, id), date)));
        }
        for transport in &trip.transports {
            let date = transport.day.or_else(|| local(transport.arrives.as_ref()));
            let id = transport.transport.id.as_deref();
            dates.extend(id.zip(date).map(|(id, date)| ((Kind::Transport, id), date)));
        }
        for reservation in &trip.reservations {
            let date = reservation.day.or(reservation.last_day);
            let id = reservation.reservation.id.as_deref();
            dates.extend(id.zip(date).map(|(id, date)| ((Kind::Reservation, id), date)));
        }
        Self(dates)
    }

    /// The date of an item: its own, otherwise that of what it belongs to.
    pub(crate) fn date(&self, own: Option<Date>, belongs_to: Option<&BelongsTo>) -> Option<civil::Date> {
        if let Some(own) = own {
            return days_after(own, 0);
        }
        let belongs_to = belongs_to?;
        let kind = match belongs_to.kind {
            BelongsToKind::Flight => Kind::Flight,
            BelongsToKind::Hotel => Kind::Hotel,
            BelongsToKind::Transport => Kind::Transport,
            BelongsToKind::Reservation => Kind::Reservation,
            BelongsToKind::Day => Kind::Day,
            BelongsToKind::Stop => Kind::Stop,
            BelongsToKind::Itinerary => return None,
        };
        self.0.get(&(kind, &*belongs_to.id)).copied()
    }
}
