//! Renders the items of lists other than days: flights, hotels, expenses, packing items. An item is one line.

use std::fmt::Write;

use smol_str::SmolStr;

use super::text::{code, line, quoted};
use super::trip::{Airport, Cost, Item};

/// An entry of a list other than days.
pub(super) fn entry(kind: &str, entry: &Item) -> String {
    let parts = match kind {
        "flight" => flight(entry),
        "hotel" => hotel(entry),
        "expense" => expense(entry),
        "packing" => packing_item(entry),
        kind => {
            let name = entry.name.as_deref().or(entry.text.as_deref());
            vec![words(&[kind, &name.map(|name| quoted(name).to_string()).unwrap_or_default()])]
        }
    };
    let mut text = String::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        text.push_str(&part);
        text.push_str(" · ");
    }
    let _ = write!(text, "id {}", quoted(&entry.id));
    text
}

fn flight(flight: &Item) -> Vec<String> {
    let end = |airport: Option<&Airport>, date: Option<&SmolStr>, terminal: Option<&SmolStr>| {
        let airport = match airport.map(|airport| (airport.code.as_deref(), airport.name.as_deref())) {
            Some((Some(code), _)) => line(code).to_string(),
            Some((None, Some(name))) => quoted(name).to_string(),
            Some((None, None)) | None => String::new(),
        };
        words(&[&airport, &shown(date), &labelled("terminal", terminal)])
    };
    let from =
        end(flight.departure_airport.as_ref(), flight.departure_date.as_ref(), flight.departure_terminal.as_ref());
    let to = end(flight.arrival_airport.as_ref(), flight.arrival_date.as_ref(), flight.arrival_terminal.as_ref());
    let way = if from.is_empty() && to.is_empty() { String::new() } else { words(&[&from, "→", &to]) };
    let number = flight.flight_number.as_deref().map(code).unwrap_or_default();
    let (gate, seat) = (labelled("gate", flight.gate_number.as_ref()), labelled("seat", flight.seat_number.as_ref()));
    vec![words(&["Flight", &number]), way, gate, seat]
}

fn hotel(hotel: &Item) -> Vec<String> {
    let date =
        |date: Option<&SmolStr>, word: &str| date.map(|date| format!("{word} {}", line(date))).unwrap_or_default();
    let (from, to) = (date(hotel.check_in_date.as_ref(), "from"), date(hotel.check_out_date.as_ref(), "to"));
    let is_placed = hotel.place.as_ref().is_some_and(|place| place.coordinate.is_some());
    let missing = if is_placed { "" } else { "not placed" };
    let name = format!("Hotel {}", quoted(hotel.name.as_deref().unwrap_or_default()));
    vec![name, words(&[&from, &to]), labelled("room", hotel.room_number.as_ref()), missing.to_owned()]
}

fn expense(expense: &Item) -> Vec<String> {
    let name = format!("Expense {}", quoted(expense.name.as_deref().unwrap_or_default()));
    let cost = expense.cost.as_ref().map(|Cost { amount, currency }| format!("{amount} {}", line(currency)));
    vec![name, cost.unwrap_or_default(), shown(expense.category.as_ref()), shown(expense.date.as_ref())]
}

fn packing_item(item: &Item) -> Vec<String> {
    let packed = if item.is_packed { "packed" } else { "not packed" };
    let name = format!("Pack {} × {}", item.quantity, quoted(item.name.as_deref().unwrap_or_default()));
    vec![name, shown(item.category.as_ref()), packed.to_owned()]
}

/// A field on one line. Empty if there is none.
fn shown(field: Option<&SmolStr>) -> String {
    field.map(|field| line(field).to_string()).unwrap_or_default()
}

/// A short text after a label. Empty if there is no text.
fn labelled(word: &str, text: Option<&SmolStr>) -> String {
    text.map(|text| format!("{word} {}", code(text))).unwrap_or_default()
}

/// Joins the words that are not empty.
fn words(words: &[&str]) -> String {
    words.iter().copied().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
