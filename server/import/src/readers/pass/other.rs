//! Tickets for events, and passes of no kind of their own that are of a booking all the same.

use super::Pass;
use super::journey;
use crate::booking::{Booking, Call, Category, Kind, Organisation, Spot, Ticket, Time};
use crate::readers::labels::Role;
use crate::readers::when;

/// The booking of a ticket for an event. `None` if it does not say for which.
pub(super) fn event(pass: &Pass<'_>) -> Option<Booking> {
    let (fields, semantics) = (&pass.fields, &pass.semantics);
    let primary =
        fields.primary().map(|field| field.value.clone()).find(|value| when::words(value, None).date.is_none());
    let name = semantics.text("eventName").or(primary).or_else(|| pass.description.clone())?;
    let venue = semantics
        .text("venueName")
        .or_else(|| fields.get(Role::Venue).map(str::to_owned))
        .filter(|venue| *venue != name);
    let place =
        Spot { name: venue, coordinate: semantics.coordinate("venueLocation").or(pass.coordinate), ..Spot::default() };
    let confirmation = fields.get(Role::Confirmation).filter(|value| value.len() <= 50).map(str::to_owned);
    Some(Booking {
        name: Some(name),
        provider: pass.organisation.clone(),
        start: Call { place, time: start(pass), ..Call::default() },
        end: Call { time: semantics.time(&["eventEndDate"], "venueTimeZone"), ..Call::default() },
        confirmation_number: confirmation.or_else(|| semantics.text("confirmationNumber")),
        phone_number: semantics.text("venuePhoneNumber"),
        price: semantics.price(),
        tickets: vec![journey::ticket(pass, Ticket::default(), false)],
        ..Booking::new(Kind::Reservation(Category::Event))
    })
}

/// When an event starts. Fields have the local time, which the relevant time of the pass may not be.
fn start(pass: &Pass<'_>) -> Option<Time> {
    let tagged = pass.semantics.time(&["eventStartDate"], "venueTimeZone");
    tagged.or_else(|| {
        let read = |role| pass.fields.all(role).map(|text| when::words(text, Some(pass.near)));
        let date = read(Role::Date).chain(read(Role::Departure)).find_map(|when| when.date);
        let time = read(Role::Date).chain(read(Role::Departure)).find_map(|when| when.time);
        let relevant = pass.relevant;
        let day = date.or(relevant.and_then(|when| when.date));
        match (day, time) {
            (Some(day), Some(time)) => Some(journey::with_offset(Time::Local(day.and_time(time)), relevant)),
            (Some(day), None) if relevant.and_then(|when| when.date) != Some(day) => Some(Time::Day(day)),
            _ => relevant.and_then(|when| when.on(None)),
        }
    })
}

/// The bookings of a pass of no kind: flights of its barcode, a stay with both its days, or an event that its tags name.
pub(super) fn read(pass: &Pass<'_>) -> Vec<Booking> {
    if !journey::flights_of_code(pass).is_empty() || pass.semantics.text("departureAirportCode").is_some() {
        return journey::read(pass, None);
    }
    if let Some(stay) = stay(pass) {
        return vec![stay];
    }
    if pass.semantics.text("eventName").is_some() { event(pass).into_iter().collect() } else { Vec::new() }
}

/// A stay: a pass with the days of check-in and check-out.
fn stay(pass: &Pass<'_>) -> Option<Booking> {
    let fields = &pass.fields;
    let day = |role| {
        let mut times = fields.all(role).map(|text| when::words(text, Some(pass.near)));
        times.find(|when| when.date.is_some())?.on(None)
    };
    let (arrives, leaves) = (day(Role::CheckIn)?, day(Role::CheckOut)?);
    let venue = fields.get(Role::Venue).map(str::to_owned);
    let name = pass.organisation.clone().or_else(|| pass.description.clone())?;
    let place = Spot { address: venue, coordinate: pass.coordinate, ..Spot::default() };
    Some(Booking {
        name: Some(name),
        operator: Organisation::default(),
        start: Call { place, time: Some(arrives), ..Call::default() },
        end: Call { time: Some(leaves), ..Call::default() },
        confirmation_number: fields.get(Role::Confirmation).map(str::to_owned),
        tickets: vec![Ticket { seat_number: None, ..journey::ticket(pass, Ticket::default(), false) }],
        ..Booking::new(Kind::Hotel)
    })
}
