//! An itinerary as an operation answered it, and where things are in it: days by number and date, stops by id.
//!
//! Only looks; how it is told is `text`'s.

use std::fmt;

use chrono::{Days, NaiveDate};
use serde_json::{Map, Value, json};

/// An itinerary with its `ETag`.
#[derive(Debug)]
pub(super) struct Trip {
    pub json: Value,
    /// `None` for what is not stored.
    pub etag: Option<String>,
}

/// Where a stop is: the indices of its day and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub day: usize,
    pub stop: usize,
}

/// The lists of an itinerary besides its days, with the kind of their entries.
pub(super) const LISTS: [(&str, &str); 4] =
    [("flight", "flights"), ("hotel", "hotels"), ("expense", "expenses"), ("packing", "packing")];

/// The list that the entries of a kind are in.
pub(super) fn list_of(kind: &str) -> &'static str {
    LISTS.iter().find(|(known, _)| *known == kind).map_or("", |(_, list)| list)
}

impl Trip {
    pub(super) fn new(json: Value, etag: Option<String>) -> Self {
        Self { json, etag }
    }

    pub(super) fn id(&self) -> &str {
        self.json["id"].as_str().unwrap_or_default()
    }

    pub(super) fn days(&self) -> &[Value] {
        entries(&self.json["days"])
    }

    /// The date of a day, by its index.
    pub(super) fn date(&self, day: usize) -> Option<NaiveDate> {
        self.start()?.checked_add_days(Days::new(day as u64))
    }

    fn start(&self) -> Option<NaiveDate> {
        self.json["startDate"].as_str()?.parse().ok()
    }

    /// The index of the day with this id.
    pub(super) fn day_with_id(&self, id: &str) -> Option<usize> {
        self.days().iter().position(|day| day["id"] == id)
    }

    /// The index of the day on this date.
    pub(super) fn day_on(&self, date: NaiveDate) -> Option<usize> {
        let index = usize::try_from((date - self.start()?).num_days()).ok()?;
        (index < self.days().len()).then_some(index)
    }

    /// The id of a day, by its index.
    pub(super) fn day_id(&self, day: usize) -> Option<&str> {
        self.days().get(day)?["id"].as_str()
    }

    /// Where the stop with this id is.
    pub(super) fn stop(&self, id: &str) -> Option<Position> {
        self.days().iter().enumerate().find_map(|(day, entry)| {
            let stop = stops(entry).iter().position(|stop| stop["id"] == id)?;
            Some(Position { day, stop })
        })
    }

    /// The entries of a kind's list.
    pub(super) fn list(&self, name: &str) -> &[Value] {
        entries(&self.json[name])
    }

    /// The index of the entry with this id in a list.
    pub(super) fn entry(&self, list: &str, id: &str) -> Option<usize> {
        self.list(list).iter().position(|entry| entry["id"] == id)
    }

    /// What needs attention; empty for what was read.
    pub(super) fn attention(&self) -> &[Value] {
        entries(&self.json["needsAttention"])
    }

    /// Takes the list of what needs attention out, so that what is left is as it is read.
    pub(super) fn take_attention(&mut self) -> Value {
        let taken = self.json.as_object_mut().and_then(|fields| fields.remove("needsAttention"));
        taken.unwrap_or_else(|| json!([]))
    }

    /// A short form: days with the names of their stops, and no places, legs and lists.
    pub(super) fn outline(&self) -> Value {
        let days: Vec<_> = (0..self.days().len()).map(|day| self.day_outline(day)).collect();
        self.head_with("days", json!(days))
    }

    /// What is said about an itinerary beside one of its days.
    pub(super) fn head(&self) -> Value {
        self.head_with("daysCount", json!(self.days().len()))
    }

    fn head_with(&self, name: &str, value: Value) -> Value {
        const KEPT: [&str; 9] =
            ["id", "title", "destination", "startDate", "travellers", "currency", "visibility", "role", "updatedAt"];
        let kept = KEPT.iter().filter_map(|name| Some(((*name).to_owned(), self.json.get(*name)?.clone())));
        kept.chain([(name.to_owned(), value)]).collect::<Map<_, _>>().into()
    }

    fn day_outline(&self, day: usize) -> Value {
        let stop = |stop: &Value| {
            let fields = ["id", "name", "startTime"];
            let kept = fields.iter().filter_map(|name| Some(((*name).to_owned(), stop.get(*name)?.clone())));
            Value::Object(kept.collect())
        };
        let stops: Vec<_> = stops(&self.days()[day]).iter().map(stop).collect();
        json!({ "number": day + 1, "date": self.date(day), "id": self.days()[day]["id"], "stops": stops })
    }

    /// A day with its number and date.
    pub(super) fn day(&self, day: usize) -> Value {
        let mut entry = self.days()[day].clone();
        (entry["number"], entry["date"]) = (json!(day + 1), json!(self.date(day)));
        entry
    }
}

/// The stops of a day.
pub(super) fn stops(day: &Value) -> &[Value] {
    entries(&day["stops"])
}

/// The leg of a day from one stop to another.
pub(super) fn leg<'d>(day: &'d Value, from: &Value, to: &Value) -> Option<&'d Value> {
    entries(&day["legs"]).iter().find(|leg| leg["from"] == *from && leg["to"] == *to)
}

fn entries(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
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
