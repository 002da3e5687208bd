//! Boarding passes: flights, trains, buses and ships.

use chrono::NaiveDate;

use super::Pass;
use super::fields::Field;
use crate::booking::{Booking, Kind, Mode, Spot, Ticket, Time};
use crate::readers::boarding_pass;
use crate::readers::labels::{Role, is_heading};
use crate::readers::number;
use crate::readers::when::{self, When};

/// The bookings of a boarding pass: its barcode's flights, or the one journey of its fields. `None` is a flight.
pub(super) fn read(pass: &Pass<'_>, mode: Option<Mode>) -> Vec<Booking> {
    let mut bookings = flights_of_code(pass);
    let is_of_code = !bookings.is_empty();
    if !is_of_code {
        bookings.push(Booking::new(mode.map_or(Kind::Flight, Kind::Transport)));
    }
    let ends = ends(pass, mode.is_none() || is_of_code);
    let code = |spot: &Spot| spot.code.clone();
    let at = bookings
        .iter()
        .position(|booking| code(&booking.start.place).is_some() && code(&booking.start.place) == code(&ends.0))
        .unwrap_or_default();
    let shared = bookings.len() > 1;
    let booking = &mut bookings[at];
    fill(booking, pass, ends);
    let is_booking = booking.start.place != Spot::default() || booking.number.is_some();
    if shared {
        // The name and the issuer hold for all flights of the barcode.
        let (holder, name) = (booking.tickets[0].holder.clone(), pass.organisation.clone());
        for booking in &mut bookings {
            booking.tickets[0].holder.clone_from(&holder);
            booking.operator.name = booking.operator.name.take().or_else(|| name.clone());
        }
    }
    if is_booking { bookings } else { Vec::new() }
}

/// The flights of the barcode, if it is one of IATA.
pub(super) fn flights_of_code(pass: &Pass<'_>) -> Vec<Booking> {
    pass.code_text().map(|(text, format)| boarding_pass::read_code(text, format, pass.near)).unwrap_or_default()
}

/// Puts what the fields of the pass say into the booking, which has what the barcode says.
fn fill(booking: &mut Booking, pass: &Pass<'_>, (from, to): (Spot, Spot)) {
    let (fields, semantics) = (&pass.fields, &pass.semantics);
    let short = |role: Role| fields.get(role).filter(|value| value.len() <= 50).map(str::to_owned);
    let is_flight = booking.kind == Kind::Flight;
    booking.start.place = united(from, std::mem::take(&mut booking.start.place));
    booking.end.place = united(to, std::mem::take(&mut booking.end.place));
    if booking.start.place.coordinate.is_none() {
        booking.start.place.coordinate = semantics.coordinate("departureLocation").or(pass.coordinate);
    }
    if booking.end.place.coordinate.is_none() {
        booking.end.place.coordinate = semantics.coordinate("destinationLocation");
    }
    set_number(booking, pass);
    booking.operator.name = short(Role::Operator)
        .filter(|name| number::flight(name).is_none())
        .or_else(|| semantics.text("transitProvider"))
        .or_else(|| pass.organisation.clone());
    let day = fill_times(booking, pass);
    if booking.start.time.is_none() {
        booking.start.time = day.map(Time::Day);
    }
    booking.travel_class = short(Role::Class).or(booking.travel_class.take());
    let confirmation = short(Role::Confirmation).or_else(|| semantics.text("confirmationNumber"));
    booking.confirmation_number = booking.confirmation_number.take().or(confirmation);
    let start = &mut booking.start;
    start.terminal = semantics.text("departureTerminal").or_else(|| short(Role::Terminal));
    if is_flight {
        start.gate = semantics.text("departureGate").or_else(|| short(Role::Gate));
        booking.end.terminal = semantics.text("destinationTerminal");
        booking.end.gate = semantics.text("destinationGate");
    } else {
        start.platform =
            semantics.text("departurePlatform").or_else(|| short(Role::Platform)).or_else(|| short(Role::Gate));
        booking.end.platform = semantics.text("destinationPlatform");
    }
    booking.price = semantics.price();
    if let Some(boarding) = fields.get(Role::Boarding).filter(|text| when::words(text, None).time.is_some()) {
        booking.notes = Some(format!("Boarding: {boarding}"));
    }
    let known = booking.tickets.pop().unwrap_or_default();
    booking.tickets = vec![ticket(pass, known, !is_flight)];
}

/// The traveller's ticket. `known` is what the barcode says.
pub(super) fn ticket(pass: &Pass<'_>, known: Ticket, has_coach: bool) -> Ticket {
    let (fields, semantics) = (&pass.fields, &pass.semantics);
    let short = |role: Role, most| fields.get(role).filter(|value| value.len() <= most).map(str::to_owned);
    let passenger = short(Role::Passenger, 100).filter(|name| name.chars().any(char::is_alphabetic));
    // Of names in capital letters with a slash, the barcode's is the better one: others have a title behind the name.
    let (words, slashed): (Vec<_>, Vec<_>) = passenger.into_iter().partition(|name| !name.contains('/'));
    let holder = semantics.passenger().or(words.into_iter().next()).or(known.holder).or(slashed.into_iter().next());
    let coach = semantics.text("carNumber").or_else(|| short(Role::Coach, 20));
    Ticket {
        holder,
        seat_number: short(Role::Seat, 40).or_else(|| semantics.seat()).or(known.seat_number),
        coach_number: coach.filter(|_| has_coach),
        ticket_number: known.ticket_number.or_else(|| short(Role::TicketNumber, 50)),
        code: pass.code.clone(),
    }
}

/// The flight's or train's number. That of the barcode stays.
fn set_number(booking: &mut Booking, pass: &Pass<'_>) {
    if booking.number.is_some() {
        return;
    }
    let semantics = &pass.semantics;
    if booking.kind != Kind::Flight {
        let tagged = semantics.first(&["transitProviderTrainNumber", "vehicleNumber"]);
        booking.number =
            tagged.or_else(|| pass.fields.all(Role::Number).find(|text| has_digit(text)).map(str::to_owned));
        return;
    }
    let tagged = semantics.text("airlineCode").zip(semantics.text("flightNumber"));
    let coded = || semantics.text("flightCode").and_then(|code| number::flight(&code));
    if let Some((code, number)) =
        tagged.or_else(coded).or_else(|| pass.fields.all(Role::Number).find_map(number::flight))
    {
        booking.operator.code = Some(code);
        booking.number = Some(number::without_zeros(&number));
    } else {
        booking.number =
            pass.fields.all(Role::Number).find(|text| has_digit(text) && text.len() <= 10).map(str::to_owned);
    }
}

fn has_digit(text: &str) -> bool {
    text.len() <= 40 && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Sets the times of departure and arrival, and gives the day of the departure.
fn fill_times(booking: &mut Booking, pass: &Pass<'_>) -> Option<NaiveDate> {
    let (fields, semantics) = (&pass.fields, &pass.semantics);
    let of_code = match booking.start.time {
        Some(Time::Day(day)) => Some(day),
        _ => None,
    };
    let written =
        fields.all(Role::Date).map(|text| when::words(text, Some(pass.near))).find(|when| when.date.is_some());
    let timed = |role| fields.all(role).map(|text| when::words(text, Some(pass.near))).find(|when| when.time.is_some());
    let (departs, arrives, boards) = (timed(Role::Departure), timed(Role::Arrival), timed(Role::Boarding));
    let relevant = pass.relevant;
    let day = of_code
        .or(departs.and_then(|when| when.date))
        .or(written.and_then(|when| when.date))
        .or(relevant.and_then(|when| when.date));
    let zoned = semantics.time(&["currentDepartureDate", "originalDepartureDate"], "departureLocationTimeZone");
    let departs = departs.or(written.filter(|when| when.time.is_some()));
    let by_fields = departs.and_then(|when| Some(with_offset(when.on(day)?, relevant)));
    // Where no field says what the relevant time is, it is the departure; that of a flight is the boarding more often.
    let by_pass = || {
        let relevant = relevant.filter(|when| when.time.is_some() && booking.kind != Kind::Flight)?;
        let is_boarding = boards.is_some_and(|boards| boards.time == relevant.time);
        if is_boarding { None } else { relevant.on(None) }
    };
    if let Some(time) = zoned.or(by_fields).or_else(by_pass) {
        booking.start.time = Some(time);
    }
    let zoned = semantics.time(&["currentArrivalDate", "originalArrivalDate"], "destinationLocationTimeZone");
    booking.end.time = zoned.or_else(|| arrival(arrives?, departs.and_then(|when| when.time), day, booking.kind));
    day
}

/// The arrival. One that has no date and a time before that of the departure is on the next day; a flight's is left out
/// then, since it may as well be in a zone whose clocks are behind.
fn arrival(arrives: When, departs: Option<chrono::NaiveTime>, day: Option<NaiveDate>, kind: Kind) -> Option<Time> {
    let is_next_day = arrives.date.is_none() && departs.is_some() && arrives.time < departs;
    if !is_next_day {
        return arrives.on(day);
    }
    if kind == Kind::Flight { None } else { arrives.on(day?.succ_opt()) }
}

/// A local time with the offset of the pass's relevant time, if that is the same local time.
pub(super) fn with_offset(time: Time, relevant: Option<When>) -> Time {
    let Time::Local(local) = time else { return time };
    let same = relevant.filter(|when| when.date == Some(local.date()) && when.time == Some(local.time()));
    same.and_then(|when| when.offset).map_or(Time::Local(local), |offset| Time::Offset(local, offset))
}

/// Departure and arrival: the tags of the pass, its first two primary fields, and fields of such names.
fn ends(pass: &Pass<'_>, is_flight: bool) -> (Spot, Spot) {
    let primary: Vec<&Field> = pass.fields.primary().collect();
    let of_fields = |index: usize, role: Role| match primary.as_slice() {
        [_, _, ..] => spot(&primary[index].label, &primary[index].value, is_flight),
        _ => pass.fields.get(role).map(|value| spot("", value, is_flight)).unwrap_or_default(),
    };
    let tagged = |names: [&str; 3], city: &str| Spot {
        code: pass.semantics.text(names[0]).filter(|_| is_flight),
        name: pass.semantics.first(&names[1..]),
        city: pass.semantics.text(city),
        ..Spot::default()
    };
    let from = tagged(["departureAirportCode", "departureAirportName", "departureStationName"], "departureCityName");
    let to =
        tagged(["destinationAirportCode", "destinationAirportName", "destinationStationName"], "destinationCityName");
    (united(from, of_fields(0, Role::From)), united(to, of_fields(1, Role::To)))
}

/// The place of a field: its value is a name or, with its label as the name, a code.
fn spot(label: &str, value: &str, is_flight: bool) -> Spot {
    let label = Some(label.trim()).filter(|label| !is_heading(label) && when::words(label, None).time.is_none());
    let named = |name: Option<&str>, code: &str| Spot {
        name: name.map(str::to_owned),
        code: Some(code.to_owned()).filter(|_| is_flight),
        ..Spot::default()
    };
    if when::words(value, None).time.is_some() && label.is_some() {
        return named(label, "").name.map(|name| Spot { name: Some(name), ..Spot::default() }).unwrap_or_default();
    }
    match (number::airport_in_full(value), label) {
        (Some((name, code)), _) => named(Some(name), code),
        (None, Some(label)) if number::is_airport(value) => named(Some(label), value),
        (None, Some(label)) if is_flight && number::is_airport(label) => named(Some(value), label),
        (None, None) if is_flight && number::is_airport(value) => named(None, value),
        _ => Spot { name: Some(value.to_owned()), ..Spot::default() },
    }
}

/// One place of two descriptions, of which the first counts more.
fn united(first: Spot, second: Spot) -> Spot {
    Spot {
        name: first.name.or(second.name),
        code: first.code.or(second.code),
        address: first.address.or(second.address),
        city: first.city.or(second.city),
        country: first.country.or(second.country),
        coordinate: first.coordinate.or(second.coordinate),
    }
}
