//! Rules of a single flight, hotel, transport or reservation.

use itinerary_api::read::FieldError;
use itinerary_api::types::{Airline, Flight, Hotel, Operator, Place, Reservation, Ticket, Transport};
use itinerary_api::values::{Date, OffsetTime};

use super::{Checked, place};

pub(super) fn flight(flight: &Flight, n: usize) -> Checked {
    let airline = flight.flight_airline.as_ref().filter(|airline| **airline != Airline::default());
    let empty = Flight { id: flight.id.clone(), flight_airline: flight.flight_airline.clone(), ..Flight::default() };
    let is_empty = airline.is_none() && *flight == empty;
    let path = format_args!("flights[{n}]");
    has_a_field(is_empty, path)?;
    ends(path, [("departureAirport", &flight.departure_airport), ("arrivalAirport", &flight.arrival_airport)])?;
    ordered(flight.departure_date.as_ref(), flight.arrival_date.as_ref(), || {
        FieldError::new(format!("{path}.arrivalDate"), "must be after `departureDate`")
    })?;
    tickets(path, &flight.tickets)
}

pub(super) fn hotel(hotel: &Hotel, n: usize) -> Checked {
    let path = format_args!("hotels[{n}]");
    ends(path, [("place", &hotel.place)])?;
    ordered(hotel.check_in_date.as_ref(), hotel.check_out_date.as_ref(), || {
        FieldError::new(format!("{path}.checkOutDate"), "must be after `checkInDate`")
    })?;
    tickets(path, &hotel.tickets)
}

pub(super) fn transport(transport: &Transport, n: usize) -> Checked {
    let operator = transport.operator.as_ref().filter(|operator| **operator != Operator::default());
    let empty = Transport { id: transport.id.clone(), operator: transport.operator.clone(), ..Transport::default() };
    let path = format_args!("transports[{n}]");
    has_a_field(operator.is_none() && *transport == empty, path)?;
    ends(path, [("departurePlace", &transport.departure_place), ("arrivalPlace", &transport.arrival_place)])?;
    ordered(transport.departure_date.as_ref(), transport.arrival_date.as_ref(), || {
        FieldError::new(format!("{path}.arrivalDate"), "must be after `departureDate`")
    })?;
    tickets(path, &transport.tickets)
}

pub(super) fn reservation(reservation: &Reservation, n: usize) -> Checked {
    let path = format_args!("reservations[{n}]");
    ends(path, [("place", &reservation.place)])?;
    ordered(reservation.start_date.as_ref(), reservation.end_date.as_ref(), || {
        FieldError::new(format!("{path}.endDate"), "must be after `startDate`")
    })?;
    let start_date = reservation.start_date.as_ref().map(|time| time.instant().date_naive());
    let starts = start_date.or(reservation.start_day.map(Date::day));
    let ends = reservation.end_day.filter(|_| reservation.end_date.is_none());
    if starts.zip(ends).is_some_and(|(starts, ends)| ends.day() < starts) {
        return Err(FieldError::new(format!("{path}.endDay"), "must not be before the start"));
    }
    tickets(path, &reservation.tickets)
}

fn has_a_field(is_empty: bool, path: std::fmt::Arguments) -> Checked {
    if is_empty { Err(FieldError::new(path.to_string(), "must have at least one field")) } else { Ok(()) }
}

fn ends<const N: usize>(path: std::fmt::Arguments, places: [(&str, &Option<Place>); N]) -> Checked {
    let places = places.into_iter().filter_map(|(name, at)| Some((name, at.as_ref()?)));
    places.into_iter().try_for_each(|(name, at)| place(at, || format!("{path}.{name}")))
}

fn tickets(path: std::fmt::Arguments, tickets: &[Ticket]) -> Checked {
    for (t, ticket) in tickets.iter().enumerate() {
        has_a_field(*ticket == Ticket::default(), format_args!("{path}.tickets[{t}]"))?;
        let code = ticket.code.as_ref();
        if code.is_some_and(|code| code.text.is_some() == code.data.is_some()) {
            let message = "must have either `text` or `data`";
            return Err(FieldError::new(format!("{path}.tickets[{t}].code"), message));
        }
    }
    Ok(())
}

/// Compares instants: 09:00 in Tokyo is before 08:00 in Lisbon.
fn ordered(first: Option<&OffsetTime>, last: Option<&OffsetTime>, refusal: impl Fn() -> FieldError) -> Checked {
    match (first, last) {
        (Some(first), Some(last)) if first.instant() >= last.instant() => Err(refusal()),
        _ => Ok(()),
    }
}
