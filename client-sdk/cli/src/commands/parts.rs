//! The parts of a trip beside its days, as tables: flights, hotels, expenses and things to pack. Their numbers name them in
//! other commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset};
use itinerary_sdk::types::{Flight, Hotel, Itinerary, Place};

use crate::output::{DIM, TITLE};
use crate::table::{Cell, Column, Table};
use crate::text;

use super::show::TIME;

/// All parts that are not empty.
pub(super) fn all(trip: &Itinerary, width: Option<usize>) -> String {
    let parts = [flights(trip, width), hotels(trip, width), expenses(trip, width), packing(trip, width)];
    parts.iter().filter(|part| !part.is_empty()).flat_map(|part| ["\n", part]).collect()
}

pub(super) fn flights(trip: &Itinerary, width: Option<usize>) -> String {
    section("Flights", trip.flights.iter().flatten().map(flight), width)
}

pub(super) fn hotels(trip: &Itinerary, width: Option<usize>) -> String {
    section("Hotels", trip.hotels.iter().flatten().map(hotel), width)
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
fn money(amount: f64, currency: &str) -> String {
    let is_fine = ((amount * 100.0).round() - amount * 100.0).abs() > 0.01;
    let amount = if is_fine { format!("{amount:.3}") } else { format!("{amount:.2}") };
    format!("{amount} {currency}").trim_end().to_owned()
}

fn flight(flight: &Flight) -> [String; 2] {
    let airport = |airport: Option<&Place>| {
        airport.and_then(|place| place.code.clone().or_else(|| place.name.clone())).unwrap_or_else(|| "?".to_owned())
    };
    let (from, to) = (airport(flight.departure_airport.as_ref()), airport(flight.arrival_airport.as_ref()));
    let number = flight.flight_number.as_deref().unwrap_or("flight");
    let arrival = flight.arrival_date.map(|arrival| {
        let is_same = flight.departure_date.is_some_and(|departure| departure.date_naive() == arrival.date_naive());
        format!(", arrives {}", arrival.format(if is_same { "%H:%M" } else { "%a %-d %b %H:%M" }))
    });
    [instant(flight.departure_date), format!("{number}  {from} → {to}{}", arrival.unwrap_or_default())]
}

fn hotel(hotel: &Hotel) -> [String; 2] {
    let until = hotel.check_out_date.map(|date| format!(", until {}", date.format("%a %-d %b"))).unwrap_or_default();
    [instant(hotel.check_in_date), format!("{}{until}", hotel.name)]
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
