//! Renders the items of lists other than days, such as flights. An item is one line.

use std::fmt::Write;

use smol_str::SmolStr;

use super::text::{code, line, quoted};
use super::trip::{Airport, Cost, Item};

/// An entry of a list other than days.
pub(super) fn entry(kind: &str, entry: &Item) -> String {
    let parts = match kind {
        "flight" => flight(entry),
        "hotel" => hotel(entry),
        "transport" => transport(entry),
        "reservation" => reservation(entry),
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

/// Where and when something departs or arrives.
fn end(place: Option<&Airport>, date: Option<&SmolStr>, terminal: Option<&SmolStr>) -> String {
    let place = match place.map(|place| (place.code.as_deref(), place.name.as_deref())) {
        Some((Some(code), _)) => line(code).to_string(),
        Some((None, Some(name))) => quoted(name).to_string(),
        Some((None, None)) | None => String::new(),
    };
    words(&[&place, &shown(date), &labelled("terminal", terminal)])
}

fn way(from: &str, to: &str) -> String {
    if from.is_empty() && to.is_empty() { String::new() } else { words(&[from, "→", to]) }
}

fn booked(item: &Item) -> String {
    labelled("confirmation", item.confirmation_number.as_ref())
}

fn transport(transport: &Item) -> Vec<String> {
    let departs = transport.departure_date.as_ref().or(transport.departure_day.as_ref());
    let from = end(transport.departure_place.as_ref(), departs, None);
    let to = end(transport.arrival_place.as_ref(), transport.arrival_date.as_ref(), None);
    let number = transport.number.as_deref().map(code).unwrap_or_default();
    let mode = transport.mode.as_deref().unwrap_or("transport");
    let platform = labelled("platform", transport.departure_platform.as_ref());
    vec![words(&["Transport", &line(mode).to_string(), &number]), way(&from, &to), platform, booked(transport)]
}

fn reservation(reservation: &Item) -> Vec<String> {
    let name = format!("Reservation {}", quoted(reservation.name.as_deref().unwrap_or_default()));
    let starts = shown(reservation.start_date.as_ref().or(reservation.start_day.as_ref()));
    let ends = labelled("until", reservation.end_date.as_ref());
    let party = reservation.party_size.map(|size| format!("for {size}")).unwrap_or_default();
    vec![name, words(&[&starts, &ends]), party, booked(reservation)]
}

fn flight(flight: &Item) -> Vec<String> {
    let departs = flight.departure_date.as_ref().or(flight.departure_day.as_ref());
    let from = end(flight.departure_airport.as_ref(), departs, flight.departure_terminal.as_ref());
    let to = end(flight.arrival_airport.as_ref(), flight.arrival_date.as_ref(), flight.arrival_terminal.as_ref());
    let way = way(&from, &to);
    let number = flight.flight_number.as_deref().map(code).unwrap_or_default();
    let (gate, seat) = (labelled("gate", flight.gate_number.as_ref()), labelled("seat", flight.seat_number.as_ref()));
    vec![words(&["Flight", &number]), way, gate, seat, booked(flight)]
}

fn hotel(hotel: &Item) -> Vec<String> {
    let date =
        |date: Option<&SmolStr>, word: &str| date.map(|date| format!("{word} {}", line(date))).unwrap_or_default();
    let (from, to) = (date(hotel.check_in_date.as_ref(), "from"), date(hotel.check_out_date.as_ref(), "to"));
    let is_placed = hotel.place.as_ref().is_some_and(|place| place.coordinate.is_some());
    let missing = if is_placed { "" } else { "not placed" };
    let name = format!("Hotel {}", quoted(hotel.name.as_deref().unwrap_or_default()));
    vec![name, words(&[&from, &to]), labelled("room", hotel.room_number.as_ref()), booked(hotel), missing.to_owned()]
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
