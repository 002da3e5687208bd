//! The fields of an entry that rules across entries compare: ids, links, coordinates, and whether the legs and times of a
//! day fit.
//!
//! An index is scanned from stored JSON, skipping all other fields, or taken from a value.

use std::borrow::Cow;

use itinerary_api::types::{BelongsTo, Cost, Leg, Place, Stop};
use itinerary_api::values::{ItemId, List, LocalTime, Measure, Text, Whole};
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::entry::ListItem;
use crate::{schedule, stored};

/// Latitude and longitude.
pub type Degrees = (f64, f64);

/// The compared fields of an entry. Fields that its type does not have are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemIndex {
    /// `None` until the content is completed.
    pub id: Option<Box<str>>,
    pub name: Box<str>,
    pub belongs_to: Option<BelongsTo>,
    /// The coordinate of its place.
    pub coordinate: Option<Degrees>,
    /// Whether its place of departure and of arrival lack a coordinate. One that it does not have lacks none.
    pub unplaced_ends: [bool; 2],
    /// Whether its cost has a currency.
    pub has_currency: bool,
    /// A day's stops.
    pub stops: Vec<Self>,
    /// Whether every leg of the day joins a stop to the next one.
    pub legs_fit: bool,
    /// Whether the start times have no conflict in any time zone of the destination. If false, `schedule::conflicts` checks.
    pub times_fit: bool,
}

impl ItemIndex {
    /// Whether its place has a coordinate.
    pub fn is_placed(&self) -> bool {
        self.coordinate.is_some()
    }

    /// Whether it, or a stop of it, has no id yet.
    pub fn lacks_ids(&self) -> bool {
        self.id.is_none() || self.stops.iter().any(Self::lacks_ids)
    }
}

/// The scanned fields of an item.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Scan<'a> {
    pub(crate) id: Option<&'a str>,
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    #[serde(deserialize_with = "known_link")]
    pub(crate) belongs_to: Option<BelongsTo>,
    #[serde(borrow)]
    pub(crate) place: Option<PlaceScan<'a>>,
    #[serde(borrow)]
    pub(crate) departure_place: Option<PlaceScan<'a>>,
    #[serde(borrow)]
    pub(crate) arrival_place: Option<PlaceScan<'a>>,
    /// Whether it has a currency.
    #[serde(deserialize_with = "has_currency")]
    pub(crate) cost: bool,
    pub(crate) start_time: Option<&'a str>,
    pub(crate) duration_minutes: Option<u32>,
    #[serde(borrow)]
    pub(crate) stops: Vec<Scan<'a>>,
    #[serde(borrow)]
    pub(crate) legs: Vec<LegScan<'a>>,
}

/// The scanned fields of a leg.
#[derive(Debug, Deserialize)]
pub(crate) struct LegScan<'a> {
    /// The ids of the stops that it joins.
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    #[serde(default)]
    pub(crate) minutes: f64,
}

/// A link; `None` if it names what only a newer server knows.
fn known_link<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<BelongsTo>, D::Error> {
    let Some(json) = Option::<&RawValue>::deserialize(deserializer)? else { return Ok(None) };
    match serde_json::from_str(json.get()) {
        Ok(link) => Ok(Some(link)),
        Err(error) if stored::is_of_newer_server(&error.to_string()) => Ok(None),
        Err(error) => Err(D::Error::custom(error)),
    }
}

/// The scanned fields of a place.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct PlaceScan<'a> {
    pub(crate) time_zone: Option<&'a str>,
    #[serde(deserialize_with = "degrees")]
    pub(crate) coordinate: Option<Degrees>,
}

fn has_currency<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    struct Cost {
        currency: Option<IgnoredAny>,
    }
    Ok(Option::<Cost>::deserialize(deserializer)?.is_some_and(|cost| cost.currency.is_some()))
}

/// A coordinate; `None` if a newer server has stored it in another form.
fn degrees<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Degrees>, D::Error> {
    #[derive(Deserialize)]
    struct Coordinate {
        latitude: f64,
        longitude: f64,
    }
    let Some(json) = Option::<&RawValue>::deserialize(deserializer)? else { return Ok(None) };
    let coordinate = serde_json::from_str(json.get()).ok();
    Ok(coordinate.map(|Coordinate { latitude, longitude }| (latitude, longitude)))
}

impl From<Scan<'_>> for ItemIndex {
    fn from(scan: Scan<'_>) -> Self {
        Self {
            legs_fit: legs_fit(&scan),
            times_fit: schedule::is_on_time(&scan, None),
            id: scan.id.map(Box::from),
            name: scan.name.into(),
            belongs_to: scan.belongs_to,
            coordinate: scan.place.and_then(|place| place.coordinate),
            unplaced_ends: [scan.departure_place, scan.arrival_place]
                .map(|place| place.is_some_and(|place| place.coordinate.is_none())),
            has_currency: scan.cost,
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

/// A field of an item that rules across items read.
pub(crate) trait IndexedField {
    /// The field as it is scanned.
    type Scanned<'f>
    where
        Self: 'f;

    fn scanned(&self) -> Self::Scanned<'_>;

    fn complete(&mut self, _make: &dyn Fn() -> ItemId) {}

    fn belongs_to(&mut self) -> Option<&mut Option<BelongsTo>> {
        None
    }
}

impl IndexedField for Option<ItemId> {
    type Scanned<'f> = Option<&'f str>;

    fn scanned(&self) -> Option<&str> {
        self.as_deref()
    }

    fn complete(&mut self, make: &dyn Fn() -> ItemId) {
        self.get_or_insert_with(make);
    }
}

impl IndexedField for ItemId {
    type Scanned<'f> = Option<&'f str>;

    fn scanned(&self) -> Option<&str> {
        Some(self)
    }
}

impl IndexedField for Option<LocalTime> {
    type Scanned<'f> = Option<&'f str>;

    fn scanned(&self) -> Option<&str> {
        self.as_deref()
    }
}

impl<const LEAST: i64, const MOST: i64> IndexedField for Option<Whole<LEAST, MOST>> {
    type Scanned<'f> = Option<u32>;

    fn scanned(&self) -> Option<u32> {
        self.and_then(|number| u32::try_from(number.get()).ok())
    }
}

impl<const LEAST: usize, const MOST: usize> IndexedField for Text<LEAST, MOST> {
    type Scanned<'f> = Cow<'f, str>;

    fn scanned(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl IndexedField for Option<Place> {
    type Scanned<'f> = Option<PlaceScan<'f>>;

    fn scanned(&self) -> Option<PlaceScan<'_>> {
        let place = self.as_ref()?;
        let coordinate = place.coordinate.map(|at| (at.latitude.get(), at.longitude.get()));
        Some(PlaceScan { time_zone: place.time_zone.as_deref(), coordinate })
    }
}

impl IndexedField for Cost {
    type Scanned<'f> = bool;

    fn scanned(&self) -> bool {
        self.currency.is_some()
    }
}

impl IndexedField for Option<BelongsTo> {
    type Scanned<'f> = Self;

    fn scanned(&self) -> Self {
        self.clone()
    }

    fn belongs_to(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

impl<const MAX: usize> IndexedField for List<Stop, MAX> {
    type Scanned<'f> = Vec<Scan<'f>>;

    fn scanned(&self) -> Vec<Scan<'_>> {
        self.iter().map(ListItem::scan).collect()
    }

    fn complete(&mut self, make: &dyn Fn() -> ItemId) {
        self.iter_mut().for_each(|stop| ListItem::complete(stop, make));
    }
}

impl<const MAX: usize> IndexedField for List<Leg, MAX> {
    type Scanned<'f> = Vec<LegScan<'f>>;

    fn scanned(&self) -> Vec<LegScan<'_>> {
        let minutes = |leg: &Leg| leg.minutes.map_or(0.0, Measure::get);
        self.iter().map(|leg| LegScan { from: &leg.from, to: &leg.to, minutes: minutes(leg) }).collect()
    }
}

/// Implements [`ListItem`] for a type of item with these fields besides the id.
macro_rules! list_item {
    ($Item:ident [$($field:ident)*]) => {
        impl $crate::entry::ListItem for itinerary_api::types::$Item {
            fn scan(&self) -> $crate::item_index::Scan<'_> {
                use $crate::item_index::{IndexedField, Scan};
                Scan { id: self.id.scanned(), $($field: self.$field.scanned(),)* ..Scan::default() }
            }

            fn complete(&mut self, make: &dyn Fn() -> itinerary_api::values::ItemId) {
                $crate::item_index::IndexedField::complete(&mut self.id, make);
                $($crate::item_index::IndexedField::complete(&mut self.$field, make);)*
            }

            fn belongs_to(&mut self) -> Option<&mut Option<itinerary_api::types::BelongsTo>> {
                let link = None;
                $(let link = link.or($crate::item_index::IndexedField::belongs_to(&mut self.$field));)*
                link
            }
        }
    };
}

pub(crate) use list_item;

list_item!(Stop [name place start_time duration_minutes]);
