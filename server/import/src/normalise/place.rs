//! Places within the API's limits.

use itinerary_api::values::{Latitude, Longitude};
use serde_json::json;

use super::{Cuts, set, text};
use crate::booking::{Booking, Spot};
use crate::item::{End, Item};

/// An airport's code. `None` if the text is not three letters.
pub(crate) fn airport_code(text: &str) -> Option<String> {
    text::airport(text)
}

/// A country's code from its code or its English name.
pub(crate) fn country_code(text: &str) -> Option<String> {
    text::country(text).map(|code| code.to_string())
}

/// The name of a town as it is looked up.
pub(crate) fn town_name(text: &str) -> Option<String> {
    text::line(text).map(|name| text::cut(name, 100).0)
}

/// Sets the places of both ends.
pub(super) fn set_spots(item: &mut Item, booking: &Booking, cuts: &mut Cuts) {
    let [start, end] = item.part.ends();
    spot(item, start, &booking.start.place, cuts);
    if item.part.is_way() {
        spot(item, end, &booking.end.place, cuts);
    }
}

/// Sets the place of an end.
pub(crate) fn spot(item: &mut Item, end: End, spot: &Spot, cuts: &mut Cuts) {
    let path = |field: &str| format!("{}.{field}", end.place);
    let airport = spot.code.as_deref().and_then(text::airport);
    // A name that only repeats the code is none.
    let repeats = |name: &&str| spot.code.as_ref().is_some_and(|code| code.eq_ignore_ascii_case(name.trim()));
    set(item, &path("name"), spot.name.as_deref().filter(|name| !repeats(name)), cuts);
    set(item, &path("address"), address(spot).as_deref(), cuts);
    if let Some((latitude, longitude)) = spot.coordinate
        && Latitude::new(latitude).is_some()
        && Longitude::new(longitude).is_some()
    {
        item.fields.insert(path("coordinate"), json!({"latitude": latitude, "longitude": longitude}));
    }
    if let Some(country) = spot.country.as_deref().and_then(country_code) {
        item.fields.insert(path("countryCode"), country.into());
    }
    if let Some(city) = spot.city.as_deref().and_then(town_name) {
        item.fields.insert(end.city.to_owned(), city.into());
    }
    match airport {
        Some(code) => item.fields.insert(path("code"), code.into()),
        None => spot.code.as_ref().and_then(|code| item.fields.insert(end.station.to_owned(), code.trim().into())),
    };
}

/// The address with its town, in one line.
fn address(spot: &Spot) -> Option<String> {
    let address = spot.address.as_deref().and_then(text::line);
    let city = spot.city.as_deref().and_then(text::line);
    match (address, city) {
        (Some(address), Some(city)) if !address.to_lowercase().contains(&city.to_lowercase()) => {
            Some(format!("{address}, {city}"))
        }
        (None, Some(city)) if spot.code.is_none() => Some(city),
        (address, _) => address,
    }
}
