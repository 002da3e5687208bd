//! What happens on which date: flights, check-ins and check-outs, each on its local date.

use std::collections::HashMap;

use itinerary_api::types::{BelongsTo, BelongsToKind};
use itinerary_api::values::Date;
use jiff::civil;

use crate::moment::{Moment, days_after};
use crate::text;
use crate::trip::{Trip, TripFlight, TripHotel};
use crate::words::{airport, flight};

/// A flight's departure or arrival, a check-in or a check-out.
#[derive(Clone, Copy)]
pub(crate) struct Booking<'t> {
    /// The local time there.
    pub(crate) at: &'t Moment,
    what: What<'t>,
    /// The index of the flight or of the hotel.
    index: usize,
}

#[derive(Clone, Copy)]
enum What<'t> {
    Departure(&'t TripFlight<'t>),
    /// On another date than the departure.
    Arrival(&'t TripFlight<'t>),
    CheckIn(&'t TripHotel<'t>),
    CheckOut(&'t TripHotel<'t>),
}

impl Booking<'_> {
    /// The date of the local time.
    pub(crate) fn date(&self) -> civil::Date {
        self.at.local.date()
    }

    /// The id of the flight or of the hotel on the page.
    pub(crate) fn anchor(&self) -> String {
        match self.what {
            What::Departure(_) | What::Arrival(_) => format!("flight-{}", self.index + 1),
            What::CheckIn(_) | What::CheckOut(_) => format!("hotel-{}", self.index + 1),
        }
    }

    /// `Flight TP1363 LHR → LIS`, `Check in at Quinta do Sol`.
    pub(crate) fn name(&self) -> String {
        match self.what {
            What::Departure(in_trip) => flight_name(in_trip),
            What::Arrival(in_trip) => {
                let to = airport(in_trip.flight.arrival_airport.as_ref());
                if to.is_empty() { "Arrival".to_owned() } else { format!("Arrival at {to}") }
            }
            What::CheckIn(in_trip) => format!("Check in at {}", text::line(&in_trip.hotel.name)),
            What::CheckOut(in_trip) => format!("Check out of {}", text::line(&in_trip.hotel.name)),
        }
    }

    /// What the name does not say: when a flight arrives, or which flight arrives.
    pub(crate) fn more(&self) -> Option<String> {
        match self.what {
            What::Departure(in_trip) => {
                let arrives = in_trip.arrives.as_ref()?;
                let is_same_day = arrives.local.date() == self.date();
                let day = if is_same_day { String::new() } else { arrives.local.strftime("%a %-d %B, ").to_string() };
                Some(format!("arrives {day}{}", arrives.time()))
            }
            What::Arrival(in_trip) => Some(flight_name(in_trip)),
            What::CheckIn(_) | What::CheckOut(_) => None,
        }
    }
}

fn flight_name(in_trip: &TripFlight<'_>) -> String {
    let name = flight(in_trip.flight);
    if name.starts_with("Flight") { name } else { format!("Flight {name}") }
}

/// All bookings with a time, in order of time.
pub(crate) fn bookings<'t>(trip: &'t Trip<'t>) -> Vec<Booking<'t>> {
    let mut bookings = Vec::new();
    for (index, flight) in trip.flights.iter().enumerate() {
        let (departs, arrives) = (flight.departs.as_ref(), flight.arrives.as_ref());
        bookings.extend(departs.map(|at| Booking { at, what: What::Departure(flight), index }));
        let date = departs.map(|at| at.local.date());
        let arrives = arrives.filter(|at| date != Some(at.local.date()));
        bookings.extend(arrives.map(|at| Booking { at, what: What::Arrival(flight), index }));
    }
    for (index, hotel) in trip.hotels.iter().enumerate() {
        bookings.extend(hotel.checks_in.as_ref().map(|at| Booking { at, what: What::CheckIn(hotel), index }));
        bookings.extend(hotel.checks_out.as_ref().map(|at| Booking { at, what: What::CheckOut(hotel), index }));
    }
    bookings.sort_by_key(|booking| (booking.at.instant, booking.at.local));
    bookings
}

/// On which date the parts of a trip are that expenses and packing items belong to.
pub(crate) struct DateIndex<'t>(HashMap<(Kind, &'t str), civil::Date>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Flight,
    Hotel,
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
            let date = local(flight.departs.as_ref().or(flight.arrives.as_ref()));
            dates.extend(flight.flight.id.as_deref().zip(date).map(|(id, date)| ((Kind::Flight, id), date)));
        }
        for hotel in &trip.hotels {
            let date = local(hotel.checks_in.as_ref());
            dates.extend(hotel.hotel.id.as_deref().zip(date).map(|(id, date)| ((Kind::Hotel, id), date)));
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
            BelongsToKind::Day => Kind::Day,
            BelongsToKind::Stop => Kind::Stop,
            BelongsToKind::Itinerary => return None,
        };
        self.0.get(&(kind, &*belongs_to.id)).copied()
    }
}
