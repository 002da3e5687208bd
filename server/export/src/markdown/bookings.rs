//! Flights, transports, hotels and reservations.

use std::fmt::Write;

use itinerary_api::types::Place;
use jiff::civil::Date;

use super::{escaped, heading, in_words, labelled, linked, nested};
use crate::details::Details;
use crate::moment::Moment;
use crate::text::join;
use crate::trip::{Trip, TripFlight, TripHotel, TripReservation, TripTransport};
use crate::words;

pub(super) fn write(md: &mut String, trip: &Trip<'_>) {
    heading(md, "Flights", trip.flights.len());
    for flight in &trip.flights {
        write_flight(md, flight);
    }
    heading(md, "Transport", trip.transports.len());
    for transport in &trip.transports {
        write_transport(md, transport);
    }
    heading(md, "Hotels", trip.hotels.len());
    for hotel in &trip.hotels {
        write_hotel(md, hotel);
    }
    heading(md, "Reservations", trip.reservations.len());
    for reservation in &trip.reservations {
        write_reservation(md, reservation);
    }
}

fn write_flight(md: &mut String, of: &TripFlight<'_>) {
    let flight = of.flight;
    let airport = |airport: Option<&Place>| escaped(&words::airport_in_full(airport));
    let departure = [
        time(of.departs.as_ref(), of.day),
        airport(flight.departure_airport.as_ref()),
        labelled("terminal", flight.departure_terminal.as_deref()),
    ];
    let arrival = [
        time(of.arrives.as_ref(), None),
        airport(flight.arrival_airport.as_ref()),
        labelled("terminal", flight.arrival_terminal.as_deref()),
    ];
    let airline = flight.flight_airline.as_ref().and_then(|airline| airline.name.as_deref());
    let facts = [
        escaped(airline.unwrap_or_default()),
        flight.cabin_class.map(words::cabin).unwrap_or_default().to_owned(),
        labelled("seat", flight.seat_number.as_deref()),
        labelled("gate", flight.gate_number.as_deref()),
        labelled("phone", flight.phone_number.as_deref()),
    ];
    entry(md, &words::flight(flight), [end("Departs", departure), end("Arrives", arrival), join(facts, ", ")], flight);
}

fn write_transport(md: &mut String, of: &TripTransport<'_>) {
    let transport = of.transport;
    let station = |station: Option<&Place>| escaped(&words::station_in_full(station));
    let departure = [
        time(of.departs.as_ref(), of.day),
        station(transport.departure_place.as_ref()),
        labelled("platform", transport.departure_platform.as_deref()),
    ];
    let arrival = [
        time(of.arrives.as_ref(), None),
        station(transport.arrival_place.as_ref()),
        labelled("platform", transport.arrival_platform.as_deref()),
    ];
    let verbs = if of.is_hired_car() { ["Collection", "Return"] } else { ["Departs", "Arrives"] };
    let operator = transport.operator.as_ref();
    let operator = operator.and_then(|operator| operator.name.as_deref().or(operator.code.as_deref()));
    let facts = [
        escaped(operator.unwrap_or_default()),
        escaped(&words::travel_class(transport.travel_class.as_deref().unwrap_or_default())),
        labelled("phone", transport.phone_number.as_deref()),
    ];
    let rows = [end(verbs[0], departure), end(verbs[1], arrival), join(facts, ", ")];
    entry(md, &words::transport(transport), rows, transport);
}

fn write_hotel(md: &mut String, of: &TripHotel<'_>) {
    let hotel = of.hotel;
    let facts = [labelled("room", hotel.room_number.as_deref()), labelled("phone", hotel.phone_number.as_deref())];
    let rows = [
        escaped(&words::location(&hotel.name, hotel.place.as_ref())),
        end("Check-in", [time(of.checks_in.as_ref(), None)]),
        end("Check-out", [time(of.checks_out.as_ref(), None)]),
        join(facts, ", "),
    ];
    entry(md, &hotel.name, rows, hotel);
}

fn write_reservation(md: &mut String, of: &TripReservation<'_>) {
    let reservation = of.reservation;
    let people = reservation.party_size.map(|people| match people.get() {
        1 => "1 person".to_owned(),
        several => format!("{several} people"),
    });
    let facts = [
        reservation.category.map(words::stop_category).unwrap_or_default().to_owned(),
        people.unwrap_or_default(),
        labelled("phone", reservation.phone_number.as_deref()),
    ];
    let rows = [
        escaped(&words::location(&reservation.name, reservation.place.as_ref())),
        end("Starts", [time(of.starts.as_ref(), of.day)]),
        end("Ends", [time(of.ends.as_ref(), of.last_day)]),
        join(facts, ", "),
    ];
    entry(md, &reservation.name, rows, reservation);
}

/// A booking with its rows, and what all bookings have in common.
fn entry<'d>(md: &mut String, name: &str, rows: impl IntoIterator<Item = String>, booking: impl Into<Details<'d>>) {
    _ = writeln!(md, "- **{}**", escaped(name));
    let details = booking.into();
    let link = details.link();
    let facts = details.facts().into_iter().map(|(label, value)| match &link {
        Some(address) if *address == value => linked(label, address),
        _ => format!("{label}: {}", escaped(&value)),
    });
    nested(md, rows);
    nested(md, facts.chain(details.note_lines().map(escaped)));
}

/// A time, or the day if that is all that is known. Empty if neither is.
fn time(at: Option<&Moment>, day: Option<Date>) -> String {
    at.map(in_words).or_else(|| day.map(|day| day.to_string())).unwrap_or_default()
}

/// `Departs 2027-05-15 08:05, LIS`. Empty if nothing is known of it.
fn end<const N: usize>(verb: &str, parts: [String; N]) -> String {
    let parts = join(parts, ", ");
    if parts.is_empty() { parts } else { format!("{verb} {parts}") }
}
