//! Transports and reservations, and what all bookings have in common.

use askama::Template;

use super::travel::{JourneyEnd, date, minutes_between, written};
use super::words::count;
use crate::details::Details;
use crate::trip::{TripReservation, TripTransport};
use crate::words::{duration, stop_category, transport_mode, travel_class};

/// How something was booked, its tickets and notes.
#[derive(Template)]
#[template(path = "details.html")]
pub(super) struct DetailsView<'a> {
    /// The name of the booking, for its link.
    name: String,
    number: Option<&'a str>,
    provider: Option<&'a str>,
    link: Option<String>,
    tickets: Vec<String>,
    notes: Option<&'a str>,
}

impl<'a> DetailsView<'a> {
    pub(super) fn of(booking: impl Into<Details<'a>>, name: &str) -> Self {
        let details: Details<'a> = booking.into();
        Self {
            name: name.to_owned(),
            number: details.confirmation_number,
            provider: details.provider,
            link: details.link(),
            tickets: details.tickets().collect(),
            notes: details.notes(),
        }
    }
}

pub(super) struct TransportView<'a> {
    /// The means of transport, the operator and the number.
    pub(super) name: String,
    /// Departure and arrival, or collection and return, as far as they are known.
    pub(super) ends: Vec<(&'static str, JourneyEnd<'a>)>,
    /// Duration, class and platforms.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
    pub(super) details: DetailsView<'a>,
}

impl<'a> TransportView<'a> {
    pub(super) fn of(in_trip: &TripTransport<'a>) -> Self {
        let transport = in_trip.transport;
        let operator = transport.operator.as_ref();
        let operator = operator.and_then(|operator| operator.name.as_deref().or(operator.code.as_deref()));
        let name = [Some(transport_mode(transport.mode)), operator, transport.number.as_deref()];
        let name = name.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let (departs, arrives) = (in_trip.departs.as_ref(), in_trip.arrives.as_ref());
        let labelled = |label: &str, text: Option<&str>| text.map(|text| format!("{label} {text}"));
        let facts = [
            minutes_between(departs, arrives).filter(|_| !in_trip.is_hired_car()).map(duration),
            transport.travel_class.as_deref().map(travel_class),
            labelled("from platform", transport.departure_platform.as_deref()),
            labelled("to platform", transport.arrival_platform.as_deref()),
        ];
        let labels = if in_trip.is_hired_car() { ["Collection", "Return"] } else { ["From", "To"] };
        let ends = [
            JourneyEnd::at_station(transport.departure_place.as_ref(), departs, in_trip.day),
            JourneyEnd::at_station(transport.arrival_place.as_ref(), arrives, None),
        ];
        Self {
            ends: labels.into_iter().zip(ends).filter_map(|(label, end)| Some((label, end?))).collect(),
            facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: transport.phone_number.as_deref(),
            details: DetailsView::of(transport, &name),
            name,
        }
    }
}

pub(super) struct ReservationView<'a> {
    pub(super) name: &'a str,
    /// The place's name, if it says more than the reservation's.
    pub(super) place: Option<&'a str>,
    pub(super) address: Option<&'a str>,
    pub(super) starts: Option<String>,
    pub(super) ends: Option<String>,
    /// Category and number of people.
    pub(super) facts: String,
    pub(super) phone: Option<&'a str>,
    pub(super) details: DetailsView<'a>,
}

impl<'a> ReservationView<'a> {
    pub(super) fn of(in_trip: &TripReservation<'a>) -> Self {
        let reservation = in_trip.reservation;
        let place = reservation.place.as_ref();
        let people = reservation.party_size.and_then(|people| usize::try_from(people.get()).ok());
        let facts = [
            reservation.category.map(|category| stop_category(category).to_owned()),
            people.map(|people| count(people, "person", "people")),
        ];
        let ends_same_day = in_trip.last_day == in_trip.day;
        let ends = match in_trip.ends.as_ref() {
            Some(ends) if ends_same_day => Some(ends.time()),
            Some(ends) => Some(written(ends)),
            None => in_trip.last_day.filter(|_| !ends_same_day).map(date),
        };
        Self {
            name: &reservation.name,
            place: place.and_then(|place| place.name.as_deref()).filter(|name| *name != &*reservation.name),
            address: place.and_then(|place| place.address.as_deref()).filter(|address| !address.is_empty()),
            starts: in_trip.starts.as_ref().map(written).or_else(|| in_trip.day.map(date)),
            ends,
            facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
            phone: reservation.phone_number.as_deref(),
            details: DetailsView::of(reservation, &reservation.name),
        }
    }
}

#[cfg(test)]
mod tests;
