//! Bookings as fields of the API's items, by path: `departureAirport.code`. In this form all kinds are united and compared by
//! the same code.
//!
//! Fields whose paths begin with `@` are internal: they hold what is needed to recognise a booking or to finish its times, and
//! [`crate::finish`] removes them.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use itinerary_api::types::Ticket;
use itinerary_api::values::{Amount, Currency, ItemId, OffsetTime};
use serde::Serialize;
use serde_json::{Map, Value};

/// The fields of an item. A coordinate is one value; tickets are kept apart.
pub(crate) type Fields = BTreeMap<String, Value>;

/// A list of an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Part {
    Flights,
    Hotels,
    Transports,
    Reservations,
}

/// The names of the fields of one end of a booking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The date-time.
    pub date: &'static str,
    /// The day, where the API has one.
    pub day: Option<&'static str>,
    /// The place.
    pub place: &'static str,
    /// Internal fields: a local time, a day, the town, a station's code.
    pub local: &'static str,
    pub local_day: &'static str,
    pub city: &'static str,
    pub station: &'static str,
    /// What happens, in words.
    pub word: &'static str,
}

const fn start(date: &'static str, day: Option<&'static str>, place: &'static str, word: &'static str) -> End {
    End { date, day, place, local: "@start", local_day: "@startDay", city: "@startCity", station: "@startCode", word }
}

const fn end(date: &'static str, day: Option<&'static str>, place: &'static str, word: &'static str) -> End {
    End { date, day, place, local: "@end", local_day: "@endDay", city: "@endCity", station: "@endCode", word }
}

impl Part {
    /// The name of the list.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Flights => "flights",
            Self::Hotels => "hotels",
            Self::Transports => "transports",
            Self::Reservations => "reservations",
        }
    }

    /// The name of one of its items.
    pub(crate) fn item_name(self) -> &'static str {
        match self {
            Self::Flights => "flight",
            Self::Hotels => "hotel",
            Self::Transports => "transport",
            Self::Reservations => "reservation",
        }
    }

    /// The first and the last end. A stay and a reservation are at one place.
    pub(crate) fn ends(self) -> [End; 2] {
        match self {
            Self::Flights => [
                start("departureDate", Some("departureDay"), "departureAirport", "Departure"),
                end("arrivalDate", None, "arrivalAirport", "Arrival"),
            ],
            Self::Transports => [
                start("departureDate", Some("departureDay"), "departurePlace", "Departure"),
                end("arrivalDate", None, "arrivalPlace", "Arrival"),
            ],
            Self::Hotels => [
                start("checkInDate", None, "place", "Check-in"),
                End { city: "@startCity", station: "@startCode", ..end("checkOutDate", None, "place", "Check-out") },
            ],
            Self::Reservations => [
                start("startDate", Some("startDay"), "place", "Start"),
                End { city: "@startCity", station: "@startCode", ..end("endDate", Some("endDay"), "place", "End") },
            ],
        }
    }

    pub(crate) fn start(self) -> End {
        self.ends()[0]
    }

    /// Whether it goes from one place to another.
    pub(crate) fn is_way(self) -> bool {
        matches!(self, Self::Flights | Self::Transports)
    }
}

/// A booking, in the form of the API's item.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Item {
    pub part: Part,
    pub id: Option<ItemId>,
    pub fields: Fields,
    pub tickets: Vec<Ticket>,
    pub price: Option<(Amount, Currency)>,
    pub cancelled: bool,
    /// When it was last changed, as far as the file says it.
    pub modified: Option<DateTime<Utc>>,
    /// The index of the source that it was read from.
    pub source: usize,
}

impl Item {
    pub(crate) fn new(part: Part, source: usize) -> Self {
        Self {
            part,
            id: None,
            fields: Fields::new(),
            tickets: Vec::new(),
            price: None,
            cancelled: false,
            modified: None,
            source,
        }
    }

    /// An item of an itinerary. `None` if it cannot be written as JSON.
    pub(crate) fn of<T: Serialize>(part: Part, item: &T, tickets: &[Ticket]) -> Option<Self> {
        let mut read = Self::new(part, 0);
        flatten("", serde_json::to_value(item).ok()?, &mut read.fields);
        read.fields.remove("tickets");
        read.id = read.fields.remove("id").and_then(|id| ItemId::new(id.as_str()?).ok());
        read.tickets = tickets.to_vec();
        Some(read)
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.fields.get(path)?.as_str()
    }

    /// A field of a place.
    pub(crate) fn at(&self, place: &str, field: &str) -> Option<&Value> {
        self.fields.get(&format!("{place}.{field}"))
    }

    pub(crate) fn coordinate(&self, place: &str) -> Option<(f64, f64)> {
        let coordinate = self.at(place, "coordinate")?;
        Some((coordinate.get("latitude")?.as_f64()?, coordinate.get("longitude")?.as_f64()?))
    }

    /// The date-time of an end.
    pub(crate) fn instant(&self, end: End) -> Option<DateTime<chrono::FixedOffset>> {
        OffsetTime::new(self.text(end.date)?).ok().map(|time| time.instant())
    }

    /// The local day of an end.
    pub(crate) fn day(&self, end: End) -> Option<NaiveDate> {
        let day = self.text(end.local_day).or_else(|| end.day.and_then(|day| self.text(day)));
        match day {
            Some(day) => day.parse().ok(),
            None => self.instant(end).map(|time| time.date_naive()),
        }
    }
}

/// Writes the leaves of a value by their paths.
pub(crate) fn flatten(path: &str, value: Value, fields: &mut Fields) {
    match value {
        Value::Object(members) if !path.ends_with("coordinate") => {
            for (name, member) in members {
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                flatten(&path, member, fields);
            }
        }
        value => {
            fields.insert(path.to_owned(), value);
        }
    }
}

/// The object with these leaves, at most two names deep as the API's items are.
pub(crate) fn unflatten(fields: &Fields) -> Map<String, Value> {
    let mut object = Map::new();
    for (path, value) in fields.iter().filter(|(path, _)| !path.starts_with('@')) {
        match path.split_once('.') {
            None => {
                object.insert(path.clone(), value.clone());
            }
            Some((first, rest)) => {
                let inner = object.entry(first).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(inner) = inner {
                    inner.insert(rest.to_owned(), value.clone());
                }
            }
        }
    }
    object
}

/// A text in the form in which names are compared: without case, accents, punctuation and repeated spaces.
pub(crate) fn fold(text: &str) -> String {
    let plain = deunicode::deunicode(text).to_lowercase();
    let folded = plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let folded = folded.collect::<Vec<_>>().join(" ");
    if folded.is_empty() { text.trim().to_lowercase() } else { folded }
}

/// The distance of two coordinates in kilometres, on a sphere.
pub(crate) fn kilometres(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (lat_a, lat_b) = (a.0.to_radians(), b.0.to_radians());
    let (lat, lon) = (lat_b - lat_a, (b.1 - a.1).to_radians());
    let h = (lat / 2.0).sin().powi(2) + lat_a.cos() * lat_b.cos() * (lon / 2.0).sin().powi(2);
    2.0 * 6_371.0 * h.sqrt().min(1.0).asin()
}
