//! Bookings of all formats in one form: the API's fields, within the API's limits.
//!
//! What does not fit is cut or left out, and listed. Times keep what the file says; [`crate::finish`] gives them an offset once
//! everything that is known of their place has come together.

mod money;
pub(crate) mod name;
mod place;
pub(crate) mod text;
mod ticket;
pub(crate) mod time;
pub(crate) mod zones;

use chrono::{DateTime, Utc};
use itinerary_api::types::ImportIgnoredCode;
use itinerary_api::values::limits;
use serde_json::Value;

use crate::booking::{Booking, Call, Category, Kind, Mode};
use crate::item::{Item, Part};
use crate::lookup::Lookup;

pub(crate) use place::{airport_code, country_code, spot, town_name};

/// What was cut or left out of a booking.
#[derive(Debug, Default)]
pub(crate) struct Cuts(pub Vec<(ImportIgnoredCode, String)>);

impl Cuts {
    /// A text of at most `max` characters.
    pub(crate) fn fit(&mut self, path: &str, text: String, max: usize) -> String {
        let (text, is_cut) = text::cut(text, max);
        if is_cut {
            let message = format!("The field `{path}` was cut to {max} characters.");
            self.0.push((ImportIgnoredCode::TooLarge, message));
        }
        text
    }

    pub(crate) fn left_out(&mut self, code: ImportIgnoredCode, message: &str) {
        self.0.push((code, message.to_owned()));
    }
}

/// Sets a field to one line of text.
pub(crate) fn set(item: &mut Item, path: &str, value: Option<&str>, cuts: &mut Cuts) {
    if let Some(line) = value.and_then(text::line) {
        let line = cuts.fit(path, line, text::longest(path));
        item.fields.insert(path.to_owned(), line.into());
    }
}

/// A booking as an item. `written` is the time of its file.
pub(crate) fn item(
    booking: &Booking,
    source: usize,
    written: Option<DateTime<Utc>>,
    lookup: &dyn Lookup,
    cuts: &mut Cuts,
) -> Item {
    let mut item = Item::new(part(booking.kind), source);
    item.cancelled = booking.cancelled;
    item.modified = booking.modified.or(written);
    place::set_spots(&mut item, booking, cuts);
    set_fields_of_kind(&mut item, booking, cuts);
    common(&mut item, booking, cuts);
    time::set_times(&mut item, booking, lookup, cuts);
    item.tickets = ticket::tickets(booking, cuts);
    item.price = booking.price.as_ref().and_then(|price| {
        let known = money::price(price);
        if known.is_none() {
            let price: String = format!("{} {}", price.amount, price.currency).chars().take(50).collect();
            let message = format!("The price `{}` was left out.", text::line(&price).unwrap_or_default());
            cuts.left_out(ImportIgnoredCode::Malformed, &message);
        }
        known.filter(|(amount, _)| amount.thousandths() > 0)
    });
    item
}

fn part(kind: Kind) -> Part {
    match kind {
        Kind::Flight => Part::Flights,
        Kind::Hotel => Part::Hotels,
        Kind::Transport(_) => Part::Transports,
        Kind::Reservation(_) => Part::Reservations,
    }
}

/// Sets the fields that only some kinds have.
fn set_fields_of_kind(item: &mut Item, booking: &Booking, cuts: &mut Cuts) {
    match booking.kind {
        Kind::Flight => flight(item, booking, cuts),
        Kind::Hotel => named(item, booking, "Hotel", cuts),
        Kind::Transport(mode) => transport(item, booking, mode, cuts),
        Kind::Reservation(category) => {
            let (name, category) = match category {
                Category::Restaurant => ("Restaurant", "restaurant"),
                Category::Event => ("Event", "entertainment"),
                Category::Activity => ("Activity", "activity"),
            };
            named(item, booking, name, cuts);
            item.fields.insert("category".to_owned(), category.into());
            if let Some(size) = booking.party_size.filter(|size| (1..=999).contains(size)) {
                item.fields.insert("partySize".to_owned(), size.into());
            }
        }
    }
}

fn flight(item: &mut Item, booking: &Booking, cuts: &mut Cuts) {
    company(item, "flightAirline", booking, cuts);
    let airline = item.text("flightAirline.code").map(str::to_owned);
    let number = booking.number.as_deref().and_then(|number| text::flight_number(number, airline.as_deref()));
    set(item, "flightNumber", number.as_deref(), cuts);
    if let Some(class) = booking.travel_class.as_deref().and_then(text::cabin)
        && let Ok(class) = serde_json::to_value(class)
    {
        item.fields.insert("cabinClass".to_owned(), class);
    }
    set(item, "gateNumber", booking.start.gate.as_deref(), cuts);
    set(item, "departureTerminal", booking.start.terminal.as_deref(), cuts);
    set(item, "arrivalTerminal", booking.end.terminal.as_deref(), cuts);
}

fn transport(item: &mut Item, booking: &Booking, mode: Mode, cuts: &mut Cuts) {
    let mode = match mode {
        Mode::Train => "train",
        Mode::Bus => "bus",
        Mode::Ferry => "ferry",
        Mode::Car => "car",
        Mode::Taxi => "taxi",
        Mode::Transfer => "transfer",
        Mode::Other => "other",
    };
    item.fields.insert("mode".to_owned(), mode.into());
    company(item, "operator", booking, cuts);
    set(item, "number", booking.number.as_deref(), cuts);
    set(item, "travelClass", booking.travel_class.as_deref(), cuts);
    let platform = |call: &Call| call.platform.clone().or_else(|| call.gate.clone());
    set(item, "departurePlatform", platform(&booking.start).as_deref(), cuts);
    set(item, "arrivalPlatform", platform(&booking.end).as_deref(), cuts);
}

/// An airline or another company. A name that only repeats the code is none.
fn company(item: &mut Item, path: &str, booking: &Booking, cuts: &mut Cuts) {
    let code = booking.operator.code.as_deref().and_then(text::company_code);
    let repeats = |name: &&str| code.as_ref().is_some_and(|code| code.eq_ignore_ascii_case(name.trim()));
    let name = booking.operator.name.as_deref().filter(|name| !repeats(name));
    set(item, &format!("{path}.code"), code.as_deref(), cuts);
    set(item, &format!("{path}.name"), name, cuts);
}

/// The name of a hotel or a reservation. It is required, so that something stands for a missing one.
fn named(item: &mut Item, booking: &Booking, fallback: &str, cuts: &mut Cuts) {
    let names = [booking.name.as_deref(), booking.start.place.name.as_deref(), booking.operator.name.as_deref()];
    let name = names.into_iter().flatten().find_map(text::line);
    if name.is_none() {
        item.fields.insert("@unnamed".to_owned(), Value::Bool(true));
    }
    set(item, "name", Some(name.as_deref().unwrap_or(fallback)), cuts);
}

/// The fields that all kinds have.
fn common(item: &mut Item, booking: &Booking, cuts: &mut Cuts) {
    set(item, "confirmationNumber", booking.confirmation_number.as_deref(), cuts);
    set(item, "provider", booking.provider.as_deref(), cuts);
    set(item, "phoneNumber", booking.phone_number.as_deref(), cuts);
    if let Some(text) = booking.booking_url.as_deref() {
        match text::url(text) {
            Some(url) => {
                item.fields.insert("bookingUrl".to_owned(), (*url).into());
            }
            None => cuts.left_out(ImportIgnoredCode::Malformed, "The field `bookingUrl` was no web address."),
        }
    }
    // The name of a ship or of a hired car has no field of its own.
    let own_name = booking.name.as_deref().filter(|_| item.part.is_way()).and_then(text::line);
    let notes = [own_name, booking.notes.as_deref().and_then(text::lines)];
    let notes = notes.into_iter().flatten().collect::<Vec<_>>().join("\n");
    if !notes.is_empty() {
        let notes = cuts.fit("notes", notes, limits::NOTES);
        item.fields.insert("notes".to_owned(), notes.into());
    }
}

#[cfg(test)]
mod tests;
