//! What a pass says about itself for programs: Apple's semantic tags.

use calcard::common::timezone::Tz;
use chrono::{DateTime, TimeZone, Utc};
use serde_json::Value;

use crate::booking::{Price, Time};
use crate::readers::{json, when};

/// The tags of a pass and of its fields.
pub(super) struct Semantics<'v>(Vec<&'v Value>);

impl<'v> Semantics<'v> {
    pub(super) fn read(pass: &'v Value, style: &'v Value) -> Self {
        let sections = ["primaryFields", "headerFields", "secondaryFields", "auxiliaryFields", "backFields"];
        let fields = sections.iter().flat_map(|section| json::elements(style, section));
        let tags = pass.get("semantics").into_iter().chain(fields.filter_map(|field| field.get("semantics")));
        Self(tags.filter(|tags| tags.is_object()).take(100).collect())
    }

    fn value(&self, name: &str) -> Option<&'v Value> {
        self.0.iter().find_map(|tags| tags.get(name))
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        json::text(self.value(name)?)
    }

    /// The first of several tags.
    pub(super) fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.text(name))
    }

    /// Latitude and longitude.
    pub(super) fn coordinate(&self, name: &str) -> Option<(f64, f64)> {
        coordinate(self.value(name)?)
    }

    /// The first of several times, at the place whose zone is in another tag.
    pub(super) fn time(&self, names: &[&str], zone: &str) -> Option<Time> {
        let at = when::iso(&self.first(names)?)?;
        let zone = self.text(zone).and_then(|name| Some((name.parse::<Tz>().ok()?, name)));
        let instant = at.date.zip(at.time).zip(at.offset).and_then(|((date, time), offset)| {
            date.and_time(time).checked_sub_signed(chrono::TimeDelta::minutes(offset.into()))
        });
        match (zone, instant) {
            (Some((zone, name)), Some(instant)) => {
                let instant: DateTime<Utc> = instant.and_utc();
                Some(Time::Zone(zone.from_utc_datetime(&instant.naive_utc()).naive_local(), name))
            }
            _ => at.on(None),
        }
    }

    /// The traveller's given and family name.
    pub(super) fn passenger(&self) -> Option<String> {
        let name = self.value("passengerName")?;
        let parts = ["givenName", "middleName", "familyName"].map(|part| json::member(name, part));
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The first seat, with its row.
    pub(super) fn seat(&self) -> Option<String> {
        let seat = self.value("seats")?.get(0)?;
        let (row, number) = (json::member(seat, "seatRow"), json::member(seat, "seatNumber"));
        match (row, number) {
            (Some(row), Some(number)) if number.starts_with(&row) => Some(number),
            (Some(row), Some(number)) => Some(row + &number),
            (row, number) => number.or(row).or_else(|| json::member(seat, "seatIdentifier")),
        }
    }

    pub(super) fn price(&self) -> Option<Price> {
        let price = self.value("totalPrice")?;
        Some(Price { amount: json::member(price, "amount")?, currency: json::member(price, "currencyCode")? })
    }
}

/// Latitude and longitude of an object that has both, within their ranges.
pub(super) fn coordinate(place: &Value) -> Option<(f64, f64)> {
    let (latitude, longitude) = (json::number(place, "latitude")?, json::number(place, "longitude")?);
    let is_one = latitude.abs() <= 90.0 && longitude.abs() <= 180.0 && (latitude, longitude) != (0.0, 0.0);
    is_one.then_some((latitude, longitude))
}
