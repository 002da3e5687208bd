//! Flights and hotels.

use chrono::{DateTime, FixedOffset, TimeDelta};
use itinerary_api::types::{self, Place};
use itinerary_api::values::OffsetTime;

use super::days::city;
use crate::words::{count, minutes, value};

pub(super) struct Flight<'a> {
    /// Airline and flight number.
    pub(super) name: String,
    /// Departure and arrival, as far as they are known.
    pub(super) ends: Vec<(&'static str, End<'a>)>,
    /// Duration, cabin, seat, terminals and gate.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
}

/// Where a flight departs or arrives, and when in the time there.
pub(super) struct End<'a> {
    pub(super) code: Option<&'a str>,
    pub(super) name: Option<&'a str>,
    pub(super) time: Option<String>,
    pub(super) date: Option<String>,
    /// The time zone: its offset and its city.
    pub(super) zone: Option<String>,
}

impl<'a> Flight<'a> {
    pub(super) fn of(flight: &'a types::Flight) -> Self {
        let airline = flight.flight_airline.as_ref();
        let airline = airline.and_then(|airline| airline.name.as_deref().or(airline.code.as_deref()));
        let number = flight.flight_number.as_deref();
        let name = [airline, number].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let (departure, arrival) = (flight.departure_date.as_ref(), flight.arrival_date.as_ref());
        let duration = departure.zip(arrival).map(|(from, to)| minutes_between(from.instant(), to.instant()));
        let labelled = |label: &str, text: Option<&str>| text.map(|text| format!("{label} {text}"));
        let facts = [
            duration.filter(|it| *it > 0.0).map(minutes),
            flight.cabin_class.map(value),
            labelled("seat", flight.seat_number.as_deref()),
            labelled("from terminal", flight.departure_terminal.as_deref()),
            labelled("gate", flight.gate_number.as_deref()),
            labelled("to terminal", flight.arrival_terminal.as_deref()),
        ];
        let ends = [
            End::of(flight.departure_airport.as_ref(), departure).map(|end| ("From", end)),
            End::of(flight.arrival_airport.as_ref(), arrival).map(|end| ("To", end)),
        ];
        Self {
            name: if name.is_empty() { "Flight".to_owned() } else { name },
            ends: ends.into_iter().flatten().collect(),
            facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: flight.phone_number.as_deref(),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "three centuries have few minutes")]
fn minutes_between(from: DateTime<FixedOffset>, to: DateTime<FixedOffset>) -> f64 {
    (to - from).num_minutes() as f64
}

impl<'a> End<'a> {
    fn of(place: Option<&'a Place>, time: Option<&OffsetTime>) -> Option<Self> {
        if place.is_none() && time.is_none() {
            return None;
        }
        let time = time.map(OffsetTime::instant);
        let zone = place.and_then(|place| place.time_zone.as_deref());
        Some(Self {
            code: place.and_then(|place| place.code.as_deref()),
            name: place.and_then(|place| place.name.as_deref()),
            time: time.map(|time| time.format("%H:%M").to_string()),
            date: time.map(|time| time.format("%a %-d %B %Y").to_string()),
            zone: time.map(|time| match zone {
                Some(zone) => format!("{} time, {}", city(zone), offset(time)),
                None => offset(time),
            }),
        })
    }
}

/// The offset of a time, such as `UTC+2` or `UTC−3:30`.
fn offset(time: DateTime<FixedOffset>) -> String {
    let minutes = time.offset().local_minus_utc() / 60;
    let sign = if minutes < 0 { '−' } else { '+' };
    match (minutes.abs() / 60, minutes.abs() % 60) {
        (0, 0) => "UTC".to_owned(),
        (hours, 0) => format!("UTC{sign}{hours}"),
        (hours, minutes) => format!("UTC{sign}{hours}:{minutes:02}"),
    }
}

pub(super) struct Hotel<'a> {
    pub(super) name: &'a str,
    pub(super) address: Option<&'a str>,
    pub(super) check_in: Option<String>,
    pub(super) check_out: Option<String>,
    /// Nights and room.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
}

impl<'a> Hotel<'a> {
    pub(super) fn of(hotel: &'a types::Hotel) -> Self {
        let (from, to) = (hotel.check_in_date.as_ref(), hotel.check_out_date.as_ref());
        let nights = from.zip(to).map(|(from, to)| to.instant().date_naive() - from.instant().date_naive());
        let nights = nights.map(|it: TimeDelta| usize::try_from(it.num_days()).unwrap_or_default());
        let nights = nights.filter(|nights| *nights > 0).map(|nights| count(nights, "night", "nights"));
        let room = hotel.room_number.as_deref().map(|room| format!("room {room}"));
        let written = |time: &OffsetTime| time.instant().format("%a %-d %B %Y, %H:%M").to_string();
        let place = hotel.place.as_ref();
        Self {
            name: &hotel.name,
            address: place.and_then(|place| place.address.as_deref()).filter(|address| !address.is_empty()),
            check_in: from.map(written),
            check_out: to.map(written),
            facts: [nights, room].into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: hotel.phone_number.as_deref(),
        }
    }
}
