//! Bookings with all their fields, as this service's own calendars contain them (`X-ITINERARY-ITEM`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use itinerary_api::types::{Flight, Hotel, Reservation, Transport};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::item::{Item, Part};
use crate::readers::json;

/// The longest JSON of a booking that is read. The longest that is written has 8 KiB.
const LONGEST: usize = 64 * 1024;
/// The highest number of unknown fields that are left out.
const MOST_UNKNOWN: usize = 20;

/// A booking of the API's type.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum OwnBooking {
    Flight(Box<Flight>),
    Hotel(Box<Hotel>),
    Transport(Box<Transport>),
    Reservation(Box<Reservation>),
}

/// A booking as a calendar of this service contains it.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnItem {
    /// The booking.
    pub booking: OwnBooking,
    /// Whether its event is cancelled.
    pub cancelled: bool,
    /// When the event was last changed.
    pub modified: Option<DateTime<Utc>>,
}

impl OwnBooking {
    /// Reads base64 with the JSON of a booking. `None` if it is not a booking of that kind, such as `flight`.
    pub(crate) fn read(kind: &str, text: &str) -> Option<Self> {
        if text.len() > LONGEST.div_ceil(3) * 4 {
            return None;
        }
        let content = STANDARD.decode(text.trim()).ok()?;
        let value = json::parse(&content).ok().filter(Value::is_object)?;
        let booking = match kind {
            "flight" => typed(value).map(Box::new).map(Self::Flight),
            "hotel" => typed(value).map(Box::new).map(Self::Hotel),
            "transport" => typed(value).map(Box::new).map(Self::Transport),
            "reservation" => typed(value).map(Box::new).map(Self::Reservation),
            _ => None,
        };
        // Without a field of its own, it says less than the event.
        booking.filter(|booking| booking.item().is_some_and(|item| !item.fields.is_empty() || !item.tickets.is_empty()))
    }

    fn item(&self) -> Option<Item> {
        match self {
            Self::Flight(flight) => Item::of(Part::Flights, flight, &flight.tickets),
            Self::Hotel(hotel) => Item::of(Part::Hotels, hotel, &hotel.tickets),
            Self::Transport(transport) => Item::of(Part::Transports, transport, &transport.tickets),
            Self::Reservation(reservation) => Item::of(Part::Reservations, reservation, &reservation.tickets),
        }
    }
}

impl OwnItem {
    /// The booking as a reading of a source.
    pub(crate) fn item(&self, source: usize, written: Option<DateTime<Utc>>) -> Option<Item> {
        let modified = self.modified.or(written);
        Some(Item { id: None, cancelled: self.cancelled, modified, source, ..self.booking.item()? })
    }
}

/// A value of the API's type, without fields that it does not have: a newer server may have written them.
fn typed<T: DeserializeOwned>(mut value: Value) -> Option<T> {
    for _ in 0..MOST_UNKNOWN {
        let error = match serde_json::from_value(value.clone()) {
            Ok(typed) => return Some(typed),
            Err(error) => error.to_string(),
        };
        let (name, _) = error.strip_prefix("unknown field `")?.split_once('`')?;
        remove(&mut value, name);
    }
    None
}

fn remove(value: &mut Value, name: &str) {
    match value {
        Value::Object(members) => {
            members.remove(name);
            members.values_mut().for_each(|member| remove(member, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove(item, name)),
        _ => {}
    }
}
