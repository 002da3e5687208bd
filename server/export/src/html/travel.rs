//! Flights and hotels.

use jiff::tz::Offset;

use super::days::city;
use super::words::count;
use crate::moment::{Moment, Zone};
use crate::trip::{TripFlight, TripHotel};
use crate::words::{cabin, duration};
use itinerary_api::types::Place;

pub(super) struct FlightView<'a> {
    /// Airline and flight number.
    pub(super) name: String,
    /// Departure and arrival, as far as they are known.
    pub(super) ends: Vec<(&'static str, FlightEnd<'a>)>,
    /// Duration, cabin, seat, terminals and gate.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
}

/// Where a flight departs or arrives, and when in the time there.
pub(super) struct FlightEnd<'a> {
    pub(super) code: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) time: Option<String>,
    /// The date, and the time zone with its offset.
    pub(super) date: Option<String>,
}

impl<'a> FlightView<'a> {
    pub(super) fn of(in_trip: &TripFlight<'a>) -> Self {
        let flight = in_trip.flight;
        let airline = flight.flight_airline.as_ref();
        let airline = airline.and_then(|airline| airline.name.as_deref().or(airline.code.as_deref()));
        let number = flight.flight_number.as_deref();
        let name = [airline, number].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let (departs, arrives) = (in_trip.departs.as_ref(), in_trip.arrives.as_ref());
        let minutes =
            departs.zip(arrives).and_then(|(from, to)| Some((to.instant? - from.instant?).get_seconds() / 60));
        let labelled = |label: &str, text: Option<&str>| text.map(|text| format!("{label} {text}"));
        #[expect(clippy::cast_precision_loss, reason = "three centuries have few minutes")]
        let facts = [
            minutes.filter(|minutes| *minutes > 0).map(|minutes| duration(minutes as f64)),
            flight.cabin_class.map(|class| cabin(class).to_owned()),
            labelled("seat", flight.seat_number.as_deref()),
            labelled("from terminal", flight.departure_terminal.as_deref()),
            labelled("gate", flight.gate_number.as_deref()),
            labelled("to terminal", flight.arrival_terminal.as_deref()),
        ];
        let ends = [
            FlightEnd::of(flight.departure_airport.as_ref(), departs).map(|end| ("From", end)),
            FlightEnd::of(flight.arrival_airport.as_ref(), arrives).map(|end| ("To", end)),
        ];
        Self {
            name: if name.is_empty() { "Flight".to_owned() } else { name },
            ends: ends.into_iter().flatten().collect(),
            facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: flight.phone_number.as_deref(),
        }
    }
}

impl<'a> FlightEnd<'a> {
    fn of(place: Option<&'a Place>, time: Option<&Moment>) -> Option<Self> {
        if place.is_none() && time.is_none() {
            return None;
        }
        Some(Self {
            code: place.and_then(|place| place.code.as_deref()),
            name: place.and_then(|place| place.name.as_deref()),
            time: time.map(Moment::time),
            date: time.map(|time| format!("{} · {}", date(time), zone(time))),
        })
    }
}

fn date(time: &Moment) -> String {
    time.local.strftime("%a %-d %B %Y").to_string()
}

/// The time zone in words: "Amsterdam time, UTC+2".
fn zone(time: &Moment) -> String {
    let offset = time.offset().map(offset).unwrap_or_default();
    match &time.zone {
        Zone::Named { name, .. } => format!("{} time, {offset}", city(name)),
        Zone::Offset(_) | Zone::Floating => offset,
    }
}

/// `UTC+2` or `UTC−3:30`.
fn offset(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '−' } else { '+' };
    match (minutes.abs() / 60, minutes.abs() % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

pub(super) struct HotelView<'a> {
    pub(super) name: &'a str,
    pub(super) address: Option<&'a str>,
    pub(super) check_in: Option<String>,
    pub(super) check_out: Option<String>,
    /// Nights and room.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
}

impl<'a> HotelView<'a> {
    pub(super) fn of(in_trip: &TripHotel<'a>) -> Self {
        let hotel = in_trip.hotel;
        let (from, to) = (in_trip.checks_in.as_ref(), in_trip.checks_out.as_ref());
        let nights = from.zip(to).and_then(|(from, to)| {
            let days = (to.local.date() - from.local.date()).get_days();
            usize::try_from(days).ok().filter(|nights| *nights > 0)
        });
        let nights = nights.map(|nights| count(nights, "night", "nights"));
        let room = hotel.room_number.as_deref().map(|room| format!("room {room}"));
        let written = |time: &Moment| format!("{}, {}", date(time), time.time());
        let address = hotel.place.as_ref().and_then(|place| place.address.as_deref());
        Self {
            name: &hotel.name,
            address: address.filter(|address| !address.is_empty()),
            check_in: from.map(written),
            check_out: to.map(written),
            facts: [nights, room].into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: hotel.phone_number.as_deref(),
        }
    }
}
