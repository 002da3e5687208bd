//! Missing addresses of places, and the fields that stay empty.

use itinerary_api::types::{Attention, AttentionCode, Coordinate, Place};

use crate::content::Content;
use crate::place_path::{self, EntryPlace, PlacePath};

/// A place with a coordinate and without an address.
#[derive(Clone, Debug, PartialEq)]
pub struct WithoutAddress {
    pub path: PlacePath,
    pub coordinate: Coordinate,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// The places that have a coordinate and no address, in order.
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

/// The fields of placed places that are still empty.
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
            let (field, message) = (format!("{path}.{field}"), message.to_owned());
            Attention { field, code: AttentionCode::NotFilled, message }
        }));
    })?;
    Ok(attention)
}

/// Visits the places that have a coordinate.
fn each_placed(content: &Content, mut visit: impl FnMut(PlacePath, &Place, Coordinate)) -> serde_json::Result<()> {
    place_path::each_place(content, |EntryPlace { path, place, .. }| {
        if let Some(place) = place
            && let Some(coordinate) = place.coordinate
        {
            visit(path, place, coordinate);
        }
    })
}
