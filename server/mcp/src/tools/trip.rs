//! An itinerary from an operation's answer, with lookups: days by number and date, stops by id.
//!
//! Parses the fields that the tools show, and keeps the JSON, which is passed on by copying.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use chrono::{Days, NaiveDate};
use itinerary_api::types::Itinerary;
use itinerary_api::values::ItemId;
use itinerary_app::Rendered;
use itinerary_core::content::Part;
use itinerary_platform::log::without_quotes;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};
use smol_str::SmolStr;

use super::json::Object;

/// An itinerary with its `ETag`.
#[derive(Debug)]
pub(super) struct Trip {
    /// The operation's answer.
    pub json: Bytes,
    pub content: Content,
    /// `None` if it is not stored.
    pub etag: Option<String>,
}

/// The fields of an itinerary that the tools show.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub id: String,
    pub title: String,
    pub summary: Option<String>,
    pub destination: Value,
    pub start_date: Option<NaiveDate>,
    pub travellers: u64,
    pub currency: Option<SmolStr>,
    pub tags: Vec<SmolStr>,
    pub author: Value,
    /// The source of a saved copy.
    pub saved_from: Value,
    pub visibility: SmolStr,
    pub role: SmolStr,
    pub updated_at: Option<String>,
    pub days: Vec<Day>,
    /// Empty after a read.
    pub needs_attention: Vec<Value>,
    /// The parts of [`lists`].
    lists: Vec<(Part, Vec<Item>)>,
}

/// Written out because a list is found by the name of its part: a new part needs no field.
impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_map(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an itinerary")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Content, A::Error> {
        let mut content = Content::default();
        while let Some(name) = fields.next_key::<&str>()? {
            match name {
                "id" => content.id = fields.next_value()?,
                "title" => content.title = fields.next_value()?,
                "summary" => content.summary = fields.next_value()?,
                "destination" => content.destination = fields.next_value()?,
                "startDate" => content.start_date = fields.next_value()?,
                "travellers" => content.travellers = fields.next_value()?,
                "currency" => content.currency = fields.next_value()?,
                "tags" => content.tags = fields.next_value()?,
                "author" => content.author = fields.next_value()?,
                "savedFrom" => content.saved_from = fields.next_value()?,
                "visibility" => content.visibility = fields.next_value()?,
                "role" => content.role = fields.next_value()?,
                "updatedAt" => content.updated_at = fields.next_value()?,
                "days" => content.days = fields.next_value()?,
                "needsAttention" => content.needs_attention = fields.next_value()?,
                name => match lists().find(|part| part.name() == name) {
                    Some(part) => content.lists.push((part, fields.next_value()?)),
                    None => fields.next_value::<IgnoredAny>().map(|_| ())?,
                },
            }
        }
        Ok(content)
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Day {
    pub id: ItemId,
    pub stops: Vec<Stop>,
    #[serde(default)]
    pub legs: Vec<Leg>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stop {
    pub id: SmolStr,
    pub name: SmolStr,
    pub category: Option<SmolStr>,
    pub start_time: Option<SmolStr>,
    #[serde(default)]
    pub start_time_suggested: bool,
    pub duration_minutes: Option<u64>,
    pub place: Option<StopPlace>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct StopPlace {
    pub coordinate: Option<IgnoredAny>,
    pub address: Option<SmolStr>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Leg {
    pub from: SmolStr,
    pub to: SmolStr,
    pub mode: SmolStr,
    pub minutes: Option<f64>,
}

/// The fields of an item of any part in [`lists`] that the tools show.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Item {
    pub id: SmolStr,
    /// A part without a line of its own in `items.rs` is shown by `name` or `text`.
    pub name: Option<SmolStr>,
    pub text: Option<SmolStr>,
    pub category: Option<SmolStr>,
    pub place: Option<StopPlace>,
    // Flights.
    pub flight_number: Option<SmolStr>,
    pub departure_airport: Option<Airport>,
    pub departure_date: Option<SmolStr>,
    pub departure_terminal: Option<SmolStr>,
    pub arrival_airport: Option<Airport>,
    pub arrival_date: Option<SmolStr>,
    pub arrival_terminal: Option<SmolStr>,
    pub gate_number: Option<SmolStr>,
    pub seat_number: Option<SmolStr>,
    // Hotels.
    pub check_in_date: Option<SmolStr>,
    pub check_out_date: Option<SmolStr>,
    pub room_number: Option<SmolStr>,
    pub confirmation_number: Option<SmolStr>,
    // Transports.
    pub mode: Option<SmolStr>,
    pub number: Option<SmolStr>,
    pub departure_place: Option<Airport>,
    pub arrival_place: Option<Airport>,
    pub departure_day: Option<SmolStr>,
    pub departure_platform: Option<SmolStr>,
    // Reservations.
    pub start_date: Option<SmolStr>,
    pub end_date: Option<SmolStr>,
    pub start_day: Option<SmolStr>,
    pub party_size: Option<u64>,
    // Expenses.
    pub cost: Option<Cost>,
    pub date: Option<SmolStr>,
    // Packing items.
    pub quantity: u64,
    pub is_packed: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Airport {
    pub code: Option<SmolStr>,
    pub name: Option<SmolStr>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Cost {
    pub amount: Number,
    pub currency: SmolStr,
}

/// The indexes of a stop's day and of the stop in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub day: usize,
    pub stop: usize,
}

/// The parts other than days that tools show.
pub(super) fn lists() -> impl Iterator<Item = Part> {
    Part::ALL.into_iter().filter(|part| !matches!(part, Part::Days | Part::Documents))
}

/// The part whose items are of this kind, if tools show it.
pub(super) fn part_of(kind: &str) -> Option<Part> {
    lists().find(|part| part.kind() == kind)
}

impl From<Rendered<Itinerary>> for Trip {
    fn from(rendered: Rendered<Itinerary>) -> Self {
        let Rendered { etag, body, .. } = rendered;
        Self::new(joined(body), etag)
    }
}

/// The chunks of a response in one piece.
pub(super) fn joined(mut body: Vec<Bytes>) -> Bytes {
    if body.len() == 1 { body.remove(0) } else { body.concat().into() }
}

impl Trip {
    /// Parses an itinerary. Anything else yields empty content.
    pub(super) fn new(json: Bytes, etag: Option<String>) -> Self {
        // Checks UTF-8 once for the whole text: faster than for each string.
        let text = std::str::from_utf8(&json).unwrap_or_default();
        let content = serde_json::from_str(text).unwrap_or_else(|error| {
            tracing::error!(
                error = without_quotes(&error.to_string()),
                "the itinerary of an operation's response cannot be parsed"
            );
            Content::default()
        });
        Self { json, content, etag }
    }

    pub(super) fn days(&self) -> &[Day] {
        &self.content.days
    }

    /// The date of the day at an index.
    pub(super) fn date(&self, day: usize) -> Option<NaiveDate> {
        self.content.start_date?.checked_add_days(Days::new(day as u64))
    }

    /// The index of the day with this id.
    pub(super) fn day_with_id(&self, id: &str) -> Option<usize> {
        self.days().iter().position(|day| *day.id == *id)
    }

    /// The index of the day on this date.
    pub(super) fn day_on(&self, date: NaiveDate) -> Option<usize> {
        let index = usize::try_from((date - self.content.start_date?).num_days()).ok()?;
        (index < self.days().len()).then_some(index)
    }

    /// The position of the stop with this id.
    pub(super) fn stop(&self, id: &str) -> Option<Position> {
        self.days().iter().enumerate().find_map(|(day, entry)| {
            let stop = entry.stops.iter().position(|stop| *stop.id == *id)?;
            Some(Position { day, stop })
        })
    }

    /// The items of a part. Empty for days, which have [`Trip::days`], and documents, which tools do not show.
    pub(super) fn list(&self, part: Part) -> &[Item] {
        let found = self.content.lists.iter().find(|(listed, _)| *listed == part);
        found.map_or(&[], |(_, items)| items)
    }

    /// The short form: days with the names of their stops, without places, legs and lists.
    pub(super) fn outline(&self) -> TripHead<'_> {
        let days = (0..self.days().len()).map(|day| self.day_outline(day)).collect();
        TripHead { days: Some(days), ..self.head() }
    }

    /// The fields beside one of the itinerary's days.
    pub(super) fn head(&self) -> TripHead<'_> {
        let Content { id, title, destination, start_date, travellers, currency, visibility, role, updated_at, .. } =
            &self.content;
        TripHead {
            id: Some(id).filter(|id| !id.is_empty()),
            title,
            destination,
            start_date: *start_date,
            travellers: *travellers,
            currency: currency.as_deref(),
            visibility,
            role,
            updated_at: updated_at.as_deref(),
            days_count: self.days().len(),
            days: None,
        }
    }

    fn day_outline(&self, day: usize) -> DayOutline<'_> {
        let Day { id, stops, .. } = &self.days()[day];
        let stops = stops.iter().map(|stop| {
            let Stop { id, name, start_time, .. } = stop;
            StopOutline { id, name, start_time: start_time.as_deref() }
        });
        DayOutline { number: day + 1, date: self.date(day), id, stops: stops.collect() }
    }

    /// The JSON of the item at this index of a part in [`lists`].
    pub(super) fn item_json(&self, part: Part, index: usize) -> Vec<u8> {
        let parts: HashMap<&str, &RawValue> = serde_json::from_slice(&self.json).unwrap_or_default();
        let items = parts.get(part.name()).and_then(|list| serde_json::from_str::<Vec<&RawValue>>(list.get()).ok());
        items.and_then(|items| items.get(index).map(|item| item.get().into())).unwrap_or_default()
    }

    /// The JSON of a day, with its number and date.
    pub(super) fn day(&self, day: usize) -> Vec<u8> {
        #[derive(Deserialize)]
        struct Days<'j> {
            #[serde(borrow)]
            days: Vec<&'j RawValue>,
        }
        let days = serde_json::from_slice::<Days<'_>>(&self.json).map(|answer| answer.days).unwrap_or_default();
        let mut object = Object::default();
        object.field("number", &(day + 1));
        object.field("date", &self.date(day));
        if let Some(day) = days.get(day) {
            object.fields_of(day.get().as_bytes());
        }
        object.finish()
    }
}

/// The short form of an itinerary for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TripHead<'t> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'t String>,
    title: &'t str,
    destination: &'t Value,
    start_date: Option<NaiveDate>,
    travellers: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'t str>,
    visibility: &'t str,
    role: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<&'t str>,
    days_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    days: Option<Vec<DayOutline<'t>>>,
}

#[derive(Serialize)]
struct DayOutline<'t> {
    number: usize,
    date: Option<NaiveDate>,
    id: &'t str,
    stops: Vec<StopOutline<'t>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StopOutline<'t> {
    id: &'t str,
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_time: Option<&'t str>,
}

/// The leg of a day from one stop to another.
pub(super) fn leg<'d>(day: &'d Day, from: &Stop, to: &Stop) -> Option<&'d Leg> {
    day.legs.iter().find(|leg| *leg.from == *from.id && *leg.to == *to.id)
}

/// A date with its weekday, such as `Sat 2027-05-15`.
pub(super) struct Weekday(pub Option<NaiveDate>);

impl fmt::Display for Weekday {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(date) => write!(f, "{} {date}", date.format("%a")),
            None => f.write_str("no date"),
        }
    }
}
