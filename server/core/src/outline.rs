//! The fields of an entry that rules across entries compare: ids, links, and whether there is a coordinate.
//!
//! An outline is scanned from stored JSON, skipping all other fields, or taken from a value.

use std::borrow::Cow;

use itinerary_api::types::{BelongsTo, Day, Document, Expense, Flight, Hotel, PackingItem, Place, Stop};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use crate::entry::Listed;

/// The compared fields of an entry. Fields that its type does not have are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// `None` until the content is completed.
    pub id: Option<Box<str>>,
    pub name: Box<str>,
    pub belongs_to: Option<BelongsTo>,
    /// Whether its place has a coordinate.
    pub is_placed: bool,
    /// Whether its cost has a currency.
    pub has_currency: bool,
    /// A day's stops.
    pub stops: Vec<Self>,
    /// Whether every leg of the day joins a stop to the next one.
    pub legs_fit: bool,
}

/// The fields that an outline is made of.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scan<'a> {
    id: Option<&'a str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    belongs_to: Option<BelongsTo>,
    #[serde(rename = "place", deserialize_with = "has_coordinate")]
    is_placed: bool,
    #[serde(rename = "cost", deserialize_with = "has_currency")]
    has_currency: bool,
    #[serde(borrow)]
    stops: Vec<Scan<'a>>,
    #[serde(borrow)]
    legs: Vec<Ends<'a>>,
}

/// The ids of the stops that a leg joins.
#[derive(Debug, Deserialize)]
struct Ends<'a> {
    from: &'a str,
    to: &'a str,
}

fn has_coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    struct Place {
        coordinate: Option<IgnoredAny>,
    }
    Ok(Option::<Place>::deserialize(deserializer)?.is_some_and(|place| place.coordinate.is_some()))
}

fn has_currency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    struct Cost {
        currency: Option<IgnoredAny>,
    }
    Ok(Option::<Cost>::deserialize(deserializer)?.is_some_and(|cost| cost.currency.is_some()))
}

impl From<Scan<'_>> for Outline {
    fn from(scan: Scan<'_>) -> Self {
        Self {
            legs_fit: legs_fit(&scan),
            id: scan.id.map(Box::from),
            name: scan.name.into(),
            belongs_to: scan.belongs_to,
            is_placed: scan.is_placed,
            has_currency: scan.has_currency,
            stops: scan.stops.into_iter().map(Self::from).collect(),
        }
    }
}

/// Legs are usually in the order of the stops, so the search for each starts at the previous leg's stop.
fn legs_fit(day: &Scan) -> bool {
    let mut last = 0;
    day.legs.iter().all(|leg| {
        let ends = [Some(leg.from), Some(leg.to)];
        let joins = |n: &usize| ends == [day.stops[*n].id, day.stops[n + 1].id];
        let found = (last..day.stops.len().saturating_sub(1)).chain(0..last).find(joins);
        last = found.unwrap_or(last);
        found.is_some()
    })
}

fn is_placed(place: Option<&Place>) -> bool {
    place.is_some_and(|place| place.coordinate.is_some())
}

impl Listed for Day {
    fn scan(&self) -> Scan<'_> {
        Scan {
            id: self.id.as_deref(),
            stops: self.stops.iter().map(stop).collect(),
            legs: self.legs.iter().map(|leg| Ends { from: &leg.from, to: &leg.to }).collect(),
            ..Scan::default()
        }
    }
}

fn stop(stop: &Stop) -> Scan<'_> {
    Scan {
        id: stop.id.as_deref(),
        name: Cow::Borrowed(&stop.name),
        is_placed: is_placed(stop.place.as_ref()),
        ..Scan::default()
    }
}

impl Listed for Flight {
    fn scan(&self) -> Scan<'_> {
        Scan { id: self.id.as_deref(), ..Scan::default() }
    }
}

impl Listed for Hotel {
    fn scan(&self) -> Scan<'_> {
        Scan {
            id: self.id.as_deref(),
            name: Cow::Borrowed(&self.name),
            is_placed: is_placed(self.place.as_ref()),
            ..Scan::default()
        }
    }
}

impl Listed for Expense {
    fn scan(&self) -> Scan<'_> {
        Scan {
            id: self.id.as_deref(),
            name: Cow::Borrowed(&self.name),
            belongs_to: self.belongs_to.clone(),
            has_currency: self.cost.currency.is_some(),
            ..Scan::default()
        }
    }
}

impl Listed for PackingItem {
    fn scan(&self) -> Scan<'_> {
        Scan {
            id: self.id.as_deref(),
            name: Cow::Borrowed(&self.name),
            belongs_to: self.belongs_to.clone(),
            ..Scan::default()
        }
    }
}

impl Listed for Document {
    fn scan(&self) -> Scan<'_> {
        Scan {
            id: Some(&self.id),
            name: Cow::Borrowed(&self.name),
            belongs_to: self.belongs_to.clone(),
            ..Scan::default()
        }
    }
}
