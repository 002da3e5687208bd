//! The parts of a trip beside its days, as tables: bookings, expenses and things to pack. Their numbers name them in
//! other commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset, NaiveDate};
use itinerary_sdk::types::{Flight, Hotel, Itinerary, Place, Reservation, Transport, TransportMode};

use crate::output::{DIM, TITLE};
use crate::table::{Cell, Column, Table};
use crate::text;

use super::show::TIME;

/// All parts that are not empty.
pub(super) fn all(trip: &Itinerary, width: Option<usize>) -> String {
    let parts = [
        flights(trip, width),
        hotels(trip, width),
        transports(trip, width),
        reservations(trip, width),
        expenses(trip, width),
        packing(trip, width),
    ];
    parts.iter().filter(|part| !part.is_empty()).flat_map(|part| ["\n", part]).collect()
}

pub(super) fn flights(trip: &Itinerary, width: Option<usize>) -> String {
    section("Flights", trip.flights.iter().flatten().map(flight), width)
}

pub(super) fn hotels(trip: &Itinerary, width: Option<usize>) -> String {
    section("Hotels", trip.hotels.iter().flatten().map(hotel), width)
}

pub(super) fn transports(trip: &Itinerary, width: Option<usize>) -> String {
    section("Transports", trip.transports().iter().map(transport), width)
}

pub(super) fn reservations(trip: &Itinerary, width: Option<usize>) -> String {
    section("Reservations", trip.reservations().iter().map(reservation), width)
}

pub(super) fn expenses(trip: &Itinerary, width: Option<usize>) -> String {
    let mut sums = BTreeMap::<String, f64>::new();
    let rows: Vec<_> = trip
        .expenses
        .iter()
        .flatten()
        .map(|expense| {
            let currency = expense.cost.currency.clone().or_else(|| trip.currency.clone()).unwrap_or_default();
            let amount = money(expense.cost.amount, &currency);
            *sums.entry(currency).or_default() += expense.cost.amount;
            let date = expense.date.map(|date| date.format("%a %-d %b").to_string()).unwrap_or_default();
            let kind = expense.category.as_ref().map(|kind| format!(" · {}", text::words(&kind.to_string())));
            [date, format!("{amount}  {}{}", expense.name, kind.unwrap_or_default())]
        })
        .collect();
    let count = rows.len();
    let mut out = section("Expenses", rows.into_iter(), width);
    if count > 1 {
        let sums: Vec<_> = sums.iter().map(|(currency, sum)| text::clean(&money(*sum, currency))).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {DIM}{} in all{DIM:#}", sums.join(" + "));
    }
    out
}

pub(super) fn packing(trip: &Itinerary, width: Option<usize>) -> String {
    let items = trip.packing.iter().flatten().map(|item| {
        let mark = if item.is_packed { "[x]" } else { "[ ]" };
        let quantity = if item.quantity == 1 { String::new() } else { format!(" × {}", item.quantity) };
        let kind = item.category.as_ref().map(|kind| format!(" · {}", text::words(&kind.to_string())));
        [mark.to_owned(), format!("{}{quantity}{}", item.name, kind.unwrap_or_default())]
    });
    section("Packing", items, width)
}

/// A title and numbered rows; nothing if there are none.
fn section(title: &str, rows: impl Iterator<Item = [String; 2]>, width: Option<usize>) -> String {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    let mut table = Table::new([Column::right(""), Column::left(""), Column::wrapped("")]).indent(2);
    for (at, [time, what]) in rows.enumerate() {
        table.row([Cell::styled((at + 1).to_string(), DIM), Cell::styled(time, TIME), Cell::new(what)]);
    }
    table.drop_empty();
    format!("{TITLE}{title}{TITLE:#}\n{}", table.render(width))
}

/// An amount such as `48.50 EUR`; three decimals only where they are used.
pub(super) fn money(amount: f64, currency: &str) -> String {
    let is_fine = ((amount * 100.0).round() - amount * 100.0).abs() > 0.01;
    let amount = if is_fine { format!("{amount:.3}") } else { format!("{amount:.2}") };
    format!("{amount} {currency}").trim_end().to_owned()
}

pub(super) fn flight(flight: &Flight) -> [String; 2] {
    let airport = |airport: Option<&Place>| {
        airport.and_then(|place| place.code.clone().or_else(|| place.name.clone())).unwrap_or_else(|| "?".to_owned())
    };
    let (from, to) = (airport(flight.departure_airport.as_ref()), airport(flight.arrival_airport.as_ref()));
    let number = flight.flight_number.as_deref().unwrap_or("flight");
    let arrival = until("arrives", flight.departure_date, flight.arrival_date);
    let booked = booked(flight.confirmation_number.as_deref());
    [instant_or_day(flight.departure_date, flight.departure_day), format!("{number}  {from} → {to}{arrival}{booked}")]
}

pub(super) fn transport(transport: &Transport) -> [String; 2] {
    let name = |place: Option<&Place>| place.and_then(|place| place.name.clone().or_else(|| place.code.clone()));
    let ways = [name(transport.departure_place.as_ref()), name(transport.arrival_place.as_ref())];
    let way = match ways {
        [Some(from), Some(to)] if from != to => format!("{from} → {to}"),
        [from, to] => from.or(to).unwrap_or_default(),
    };
    let mode = transport.mode.as_ref().map_or_else(|| "transport".to_owned(), |mode| text::words(&mode.to_string()));
    let operator =
        transport.operator.as_ref().and_then(|operator| operator.name.clone().or_else(|| operator.code.clone()));
    let what = transport.number.clone().or(operator).map_or(mode.clone(), |name| format!("{mode} {name}"));
    let is_car = transport.mode.as_ref().is_some_and(|mode| *mode == TransportMode::Car);
    let verb = if is_car { "returned" } else { "arrives" };
    let arrival = until(verb, transport.departure_date, transport.arrival_date);
    let booked = booked(transport.confirmation_number.as_deref());
    let what = format!("{what}  {way}{arrival}{booked}");
    [instant_or_day(transport.departure_date, transport.departure_day), what]
}

pub(super) fn reservation(reservation: &Reservation) -> [String; 2] {
    let party = reservation.party_size.map(|size| format!(" · for {size}")).unwrap_or_default();
    let kind = reservation.category.as_ref().map(|kind| format!(" · {}", text::words(&kind.to_string())));
    let end = until("until", reservation.start_date, reservation.end_date);
    let booked = booked(reservation.confirmation_number.as_deref());
    let what = format!("{}{}{party}{end}{booked}", reservation.name, kind.unwrap_or_default());
    [instant_or_day(reservation.start_date, reservation.start_day), what]
}

/// `, arrives 10:55`, with the date if it is another.
fn until(verb: &str, from: Option<DateTime<FixedOffset>>, to: Option<DateTime<FixedOffset>>) -> String {
    let Some(to) = to else { return String::new() };
    let is_same = from.is_some_and(|from| from.date_naive() == to.date_naive());
    format!(", {verb} {}", to.format(if is_same { "%H:%M" } else { "%a %-d %b %H:%M" }))
}

fn booked(number: Option<&str>) -> String {
    number.map(|number| format!(" · {number}")).unwrap_or_default()
}

pub(super) fn hotel(hotel: &Hotel) -> [String; 2] {
    let until = hotel.check_out_date.map(|date| format!(", until {}", date.format("%a %-d %b"))).unwrap_or_default();
    [instant(hotel.check_in_date), format!("{}{until}{}", hotel.name, booked(hotel.confirmation_number.as_deref()))]
}

/// A time, or the day where the time is unknown.
fn instant_or_day(time: Option<DateTime<FixedOffset>>, day: Option<NaiveDate>) -> String {
    let day = || day.map(|day| day.format("%a %-d %b").to_string()).unwrap_or_default();
    if time.is_some() { instant(time) } else { day() }
}

fn instant(instant: Option<DateTime<FixedOffset>>) -> String {
    instant.map(|instant| instant.format("%a %-d %b %H:%M").to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_two_decimals_or_three() {
        assert_eq!(money(48.5, "EUR"), "48.50 EUR");
        assert_eq!(money(1.255, "KWD"), "1.255 KWD");
        assert_eq!(money(31.0, ""), "31.00");
    }
}
