//! Missing addresses of stops and hotels, and the fields that stay empty.

use itinerary_api::types::{Attention, AttentionCode, Coordinate, Place};

use crate::content::{Content, Part};
use crate::entry_path::EntryPath;

/// A place with a coordinate and without an address.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutAddress {
    pub path: EntryPath,
    pub coordinate: Coordinate,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// The stops and hotels that have a coordinate and no address, in order.
pub fn without_address(content: &Content) -> serde_json::Result<Vec<WithoutAddress>> {
    let mut found = Vec::new();
    each_placed(content, |path, place, coordinate| {
        if place.address.is_none() {
            let country = place.country_code.as_ref().map(ToString::to_string);
            found.push(WithoutAddress { path, coordinate, country });
        }
    })?;
    Ok(found)
}

/// The fields of placed stops and hotels that are still empty.
pub fn not_filled(content: &Content) -> serde_json::Result<Vec<Attention>> {
    let mut attention = Vec::new();
    each_placed(content, |path, place, _| {
        let fields = [
            ("address", place.address.is_none(), "No address was found."),
            ("placeId", place.place_id.is_none(), "No place of this name was found at the coordinate."),
            ("countryCode", place.country_code.is_none(), "No country was found at the coordinate."),
            ("timeZone", place.time_zone.is_none(), "No time zone was found at the coordinate."),
        ];
        attention.extend(fields.into_iter().filter(|(_, is_missing, _)| *is_missing).map(|(field, _, message)| {
            let (field, message) = (format!("{path}.place.{field}"), message.to_owned());
            Attention { field, code: AttentionCode::NotFilled, message }
        }));
    })?;
    Ok(attention)
}

/// Visits the places of stops and hotels that have a coordinate.
fn each_placed(content: &Content, mut visit: impl FnMut(EntryPath, &Place, Coordinate)) -> serde_json::Result<()> {
    let mut placed = |path: EntryPath, place: Option<&Place>| {
        if let Some(place) = place
            && let Some(coordinate) = place.coordinate
        {
            visit(path, place, coordinate);
        }
    };
    for (d, day) in content.everyone.days.iter().enumerate() {
        for (s, stop) in day.value()?.stops.iter().enumerate() {
            placed(EntryPath::stop(d, s), stop.place.as_ref());
        }
    }
    for (h, hotel) in content.members.hotels.iter().enumerate() {
        placed(EntryPath::new(Part::Hotels, h), hotel.value()?.place.as_ref());
    }
    Ok(())
}
