//! Flights and hotels.

use jiff::civil;
use jiff::tz::Offset;

use super::bookings::DetailsView;
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
    pub(super) ends: Vec<(&'static str, JourneyEnd<'a>)>,
    /// Duration, cabin, seat, terminals and gate.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
    pub(super) details: DetailsView<'a>,
}

/// Where a flight or a transport departs or arrives, and when in the time there.
pub(super) struct JourneyEnd<'a> {
    /// The code of an airport.
    pub(super) code: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    /// The address of a station.
    pub(super) address: Option<&'a str>,
    pub(super) time: Option<String>,
    /// The date, and the time zone with its offset if the time is known.
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
        let labelled = |label: &str, text: Option<&str>| text.map(|text| format!("{label} {text}"));
        let facts = [
            minutes_between(departs, arrives).map(duration),
            flight.cabin_class.map(|class| cabin(class).to_owned()),
            labelled("seat", flight.seat_number.as_deref()),
            labelled("from terminal", flight.departure_terminal.as_deref()),
            labelled("gate", flight.gate_number.as_deref()),
            labelled("to terminal", flight.arrival_terminal.as_deref()),
        ];
        let ends = [
            JourneyEnd::at_airport(flight.departure_airport.as_ref(), departs, in_trip.day).map(|end| ("From", end)),
            JourneyEnd::at_airport(flight.arrival_airport.as_ref(), arrives, None).map(|end| ("To", end)),
        ];
        let name = if name.is_empty() { "Flight".to_owned() } else { name };
        Self {
            details: DetailsView::of(flight, &name),
            name,
            ends: ends.into_iter().flatten().collect(),
            facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: flight.phone_number.as_deref(),
        }
    }
}

impl<'a> JourneyEnd<'a> {
    /// An airport, which is known by its code. `day` is the date of a time that is unknown.
    fn at_airport(place: Option<&'a Place>, time: Option<&Moment>, day: Option<civil::Date>) -> Option<Self> {
        let end = Self::at_station(place, time, day)?;
        Some(Self { code: place.and_then(|place| place.code.as_deref()), address: None, ..end })
    }

    /// A station, which is known by its name. `day` is the date of a time that is unknown.
    pub(super) fn at_station(
        place: Option<&'a Place>,
        time: Option<&Moment>,
        day: Option<civil::Date>,
    ) -> Option<Self> {
        if place.is_none() && time.is_none() && day.is_none() {
            return None;
        }
        let name = place.and_then(|place| place.name.as_deref());
        Some(Self {
            code: place.filter(|_| name.is_none()).and_then(|place| place.code.as_deref()),
            name,
            address: place.and_then(|place| place.address.as_deref()).filter(|address| !address.is_empty()),
            time: time.map(Moment::time),
            date: match time {
                Some(time) => Some(format!("{} · {}", date(time.local.date()), zone(time))),
                None => day.map(date),
            },
        })
    }
}

/// The minutes of a journey, if it takes any.
pub(super) fn minutes_between(departs: Option<&Moment>, arrives: Option<&Moment>) -> Option<f64> {
    let minutes = (arrives?.instant? - departs?.instant?).get_seconds() / 60;
    #[expect(clippy::cast_precision_loss, reason = "three centuries have few minutes")]
    (minutes > 0).then_some(minutes as f64)
}

/// `Sat 15 May 2027`.
pub(super) fn date(date: civil::Date) -> String {
    date.strftime("%a %-d %B %Y").to_string()
}

/// `Sat 15 May 2027, 15:00`.
pub(super) fn written(time: &Moment) -> String {
    format!("{}, {}", date(time.local.date()), time.time())
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
    pub(super) details: DetailsView<'a>,
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
        let address = hotel.place.as_ref().and_then(|place| place.address.as_deref());
        Self {
            name: &hotel.name,
            address: address.filter(|address| !address.is_empty()),
            check_in: from.map(written),
            check_out: to.map(written),
            facts: [nights, room].into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: hotel.phone_number.as_deref(),
            details: DetailsView::of(hotel, &hotel.name),
        }
    }
}
