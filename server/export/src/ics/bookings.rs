//! The events of flights, transports, stays and reservations.

use itinerary_api::types::Place;
use jiff::civil::Date;

use super::{Calendar, Event, labelled, place_words};
use crate::details::Details;
use crate::moment::Moment;
use crate::text::{join, line};
use crate::trip::{Trip, TripFlight, TripHotel, TripReservation, TripTransport};
use crate::words;

/// When a booking is, as far as it is known.
enum When<'t> {
    /// From a time to another.
    Times(&'t Moment, Option<&'t Moment>),
    /// On whole days, because the start is known without its time.
    Days(Date, Date),
}

impl<'t> When<'t> {
    /// The time or the day of the start, and of the end. `None` if nothing is known. Without a start, the end alone.
    fn of([starts, ends]: [Option<&'t Moment>; 2], [first, last]: [Option<Date>; 2]) -> Option<Self> {
        let last = last.or_else(|| ends.map(|ends| ends.local.date()));
        match (starts, first, ends) {
            (Some(starts), ..) => Some(Self::Times(starts, ends)),
            (None, Some(first), _) => Some(Self::Days(first, last.map_or(first, |last| last.max(first)))),
            (None, None, Some(ends)) => Some(Self::Times(ends, None)),
            (None, None, None) => last.map(|last| Self::Days(last, last)),
        }
    }
}

impl Event<'_> {
    /// `is_free` if the traveller can do something else meanwhile. On whole days that is always so.
    fn when(&mut self, when: &When<'_>, is_free: bool) {
        match when {
            When::Days(first, last) => self.all_day(*first, *last),
            When::Times(starts, ends) => {
                self.moment("DTSTART", starts);
                if let Some(ends) = ends {
                    self.moment("DTEND", ends);
                }
                if is_free {
                    self.lines.line("TRANSP", "TRANSPARENT");
                }
            }
        }
    }

    /// The description: lines about the booking, and what all bookings have in common.
    fn about<'d>(&mut self, lines: impl IntoIterator<Item = String>, booking: impl Into<Details<'d>>) {
        self.text("DESCRIPTION", &join([join(lines, "\n"), booking.into().in_plain_text()], "\n"));
    }
}

/// One end of a journey in words: `Departs 2027-05-15 08:05 (Europe/Lisbon, UTC+01:00), LIS, terminal 1`.
struct JourneyEnd<'t> {
    at: Option<&'t Moment>,
    day: Option<Date>,
    place: String,
}

impl JourneyEnd<'_> {
    fn in_words<const N: usize>(self, verb: &str, more: [(&str, Option<&str>); N]) -> String {
        let time = self.at.map(Moment::in_words).or_else(|| self.day.map(|day| day.to_string()));
        let more = more.map(|(label, value)| labelled(label, value));
        labelled(verb, Some(&join([time.unwrap_or_default(), self.place].into_iter().chain(more), ", ")))
    }
}

impl Calendar {
    pub(super) fn flight(&mut self, trip: &Trip<'_>, of: &TripFlight<'_>) {
        let (flight, departs, arrives) = (of.flight, of.departs.as_ref(), of.arrives.as_ref());
        let Some(when) = When::of([departs, arrives], [of.day, None]) else { return };
        let Some(mut event) = self.event(trip, "flight", flight.id.as_ref(), &words::flight(flight)) else { return };
        event.when(&when, false);
        let airport = |airport: Option<&Place>| words::airport_in_full(airport);
        let (from, to) = (airport(flight.departure_airport.as_ref()), airport(flight.arrival_airport.as_ref()));
        event.text("LOCATION", if of.day.is_some() { &from } else { &to });
        event.point(if of.day.is_some() { of.from } else { of.to });
        let gate = [("terminal", flight.departure_terminal.as_deref()), ("gate", flight.gate_number.as_deref())];
        let terminal = [("terminal", flight.arrival_terminal.as_deref())];
        let airline = flight.flight_airline.as_ref().and_then(|airline| airline.name.as_deref());
        let lines = [
            JourneyEnd { at: departs, day: of.day, place: from }.in_words("Departs", gate),
            JourneyEnd { at: arrives, day: None, place: to }.in_words("Arrives", terminal),
            labelled("Airline:", airline),
            labelled("Cabin:", flight.cabin_class.map(words::cabin)),
            labelled("Seat:", flight.seat_number.as_deref()),
            labelled("Phone:", flight.phone_number.as_deref()),
        ];
        event.about(lines, flight);
        event.tags(["Flight"]);
        event.item(flight);
        event.end();
    }

    /// A transport. A hired car, from collection to return, leaves the traveller free for other events.
    pub(super) fn transport(&mut self, trip: &Trip<'_>, of: &TripTransport<'_>) {
        let (transport, departs, arrives) = (of.transport, of.departs.as_ref(), of.arrives.as_ref());
        let Some(when) = When::of([departs, arrives], [of.day, None]) else { return };
        let title = words::transport(transport);
        let Some(mut event) = self.event(trip, "transport", transport.id.as_ref(), &title) else { return };
        event.when(&when, of.is_hired_car());
        let from = words::station_in_full(transport.departure_place.as_ref());
        let to = words::station_in_full(transport.arrival_place.as_ref());
        event.text("LOCATION", if of.day.is_some() { &from } else { &to });
        event.point(if of.day.is_some() { of.from } else { of.to });
        let verbs = if of.is_hired_car() { ["Collection", "Return"] } else { ["Departs", "Arrives"] };
        let platforms = [transport.departure_platform.as_deref(), transport.arrival_platform.as_deref()];
        let operator = transport.operator.as_ref();
        let operator = operator.and_then(|operator| operator.name.as_deref().or(operator.code.as_deref()));
        let lines = [
            JourneyEnd { at: departs, day: of.day, place: from }.in_words(verbs[0], [("platform", platforms[0])]),
            JourneyEnd { at: arrives, day: None, place: to }.in_words(verbs[1], [("platform", platforms[1])]),
            labelled("Operator:", operator),
            labelled("Class:", transport.travel_class.as_deref()),
            labelled("Phone:", transport.phone_number.as_deref()),
        ];
        event.about(lines, transport);
        event.tags([words::transport_mode(transport.mode)]);
        event.item(transport);
        event.end();
    }

    /// A stay, from check-in to check-out. It leaves the traveller free for other events.
    pub(super) fn hotel(&mut self, trip: &Trip<'_>, of: &TripHotel<'_>) {
        let (hotel, checks_in, checks_out) = (of.hotel, of.checks_in.as_ref(), of.checks_out.as_ref());
        let Some(when) = When::of([checks_in, checks_out], [None, None]) else { return };
        let name = line(&hotel.name);
        let title = if checks_in.is_some() { name } else { format!("Check-out: {name}") };
        let Some(mut event) = self.event(trip, "hotel", hotel.id.as_ref(), &title) else { return };
        event.when(&when, true);
        event.text("LOCATION", &place_words(&hotel.name, hotel.place.as_ref()));
        event.point(of.point);
        let lines = [
            labelled("Check-in:", checks_in.map(Moment::in_words).as_deref()),
            labelled("Check-out:", checks_out.map(Moment::in_words).as_deref()),
            labelled("Room:", hotel.room_number.as_deref()),
            labelled("Phone:", hotel.phone_number.as_deref()),
        ];
        event.about(lines, hotel);
        event.tags(["Lodging"]);
        event.item(hotel);
        event.end();
    }

    pub(super) fn reservation(&mut self, trip: &Trip<'_>, of: &TripReservation<'_>) {
        let (reservation, starts, ends) = (of.reservation, of.starts.as_ref(), of.ends.as_ref());
        let Some(when) = When::of([starts, ends], [of.day, of.last_day]) else { return };
        let name = line(&reservation.name);
        let title = if of.day.is_some() { name } else { format!("End: {name}") };
        let Some(mut event) = self.event(trip, "reservation", reservation.id.as_ref(), &title) else { return };
        event.when(&when, false);
        event.text("LOCATION", &place_words(&reservation.name, reservation.place.as_ref()));
        event.point(of.point);
        let time = |at: Option<&Moment>, day: Option<Date>| {
            at.map(Moment::in_words).or_else(|| day.map(|day| day.to_string()))
        };
        let people = reservation.party_size.map(|people| people.get().to_string());
        let lines = [
            labelled("Starts:", time(starts, of.day).as_deref()),
            labelled("Ends:", time(ends, of.last_day).as_deref()),
            labelled("People:", people.as_deref()),
            labelled("Phone:", reservation.phone_number.as_deref()),
        ];
        event.about(lines, reservation);
        event.tags([reservation.category.map_or("Reservation", words::stop_category)]);
        event.item(reservation);
        event.end();
    }
}
