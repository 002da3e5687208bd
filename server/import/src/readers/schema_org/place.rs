//! Airports, stations, hotels and other places.

use super::node::Node;
use crate::booking::{Booking, Spot};
use crate::text;

/// Countries that write the postal code behind the town and region.
const REGION_BEFORE_CODE: [&str; 6] = ["US", "USA", "United States", "CA", "Canada", "AU"];

/// Reads a place: an object, or a text with its name.
pub(super) fn spot(node: Node) -> Spot {
    if let Some(name) = node.text() {
        return Spot { name: Some(name), ..Spot::default() };
    }
    let mut spot =
        Spot { name: node.text_of(&["name"]), code: code(node), coordinate: coordinate(node), ..Spot::default() };
    if let Some(address) = node.get("address") {
        add_address(&mut spot, address);
    } else if node.is_a(&["PostalAddress"]) {
        add_address(&mut spot, node);
    }
    spot
}

/// Reads an airport: an object, its IATA code or its name.
pub(super) fn airport(node: Node) -> Spot {
    let mut spot = spot(node);
    if spot.code.is_none() && spot.name.as_deref().is_some_and(is_iata_code) {
        spot.code = spot.name.take();
    }
    spot
}

fn is_iata_code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// The IATA code, or the identifier of a station such as `ibnr:8000105`.
fn code(node: Node) -> Option<String> {
    node.text_of(&["iataCode"]).or_else(|| node.all("identifier").into_iter().find_map(identifier))
}

fn identifier(node: Node) -> Option<String> {
    let text = node.text().or_else(|| {
        // schema.org's PropertyValue.
        Some(format!("{}:{}", node.text_of(&["propertyID"])?, node.text_of(&["value"])?))
    })?;
    let (kind, value) = text.split_once(':')?;
    let is_kind = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (is_kind && !value.is_empty() && !value.starts_with("//")).then_some(text)
}

fn add_address(spot: &mut Spot, address: Node) {
    if let Some(text) = address.raw() {
        let lines = text::plain_lines(&text).unwrap_or_default();
        let parts: Vec<&str> =
            lines.lines().map(|line| line.trim().trim_end_matches(',')).filter(|line| !line.is_empty()).collect();
        spot.address = (!parts.is_empty()).then(|| parts.join(", "));
        return;
    }
    spot.city = address.text_of(&["addressLocality"]);
    spot.country = address.name_of(&["addressCountry"]);
    let street = address.text_of(&["streetAddress"]).or_else(|| address.text_of(&["name"]));
    let code = address.text_of(&["postalCode"]);
    let region = address
        .text_of(&["addressRegion"])
        .filter(|region| spot.city.as_ref().is_none_or(|city| !city.eq_ignore_ascii_case(region)));
    let is_code_last = spot.country.as_deref().is_some_and(|country| REGION_BEFORE_CODE.contains(&country));
    let town = if is_code_last {
        [spot.city.clone(), joined([region, code], " ")]
    } else {
        [joined([code, spot.city.clone()], " "), region]
    };
    let town = joined(town, ", ");
    // Some senders write all of it as the street.
    let town = town.filter(|_| match (&street, &spot.city) {
        (Some(street), Some(city)) => !street.contains(city.as_str()),
        _ => true,
    });
    spot.address = joined([street, town], ", ");
}

fn joined<const N: usize>(parts: [Option<String>; N], separator: &str) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}

/// `geo` as an object or text, or latitude and longitude of the place itself.
fn coordinate(node: Node) -> Option<(f64, f64)> {
    node.get("geo").and_then(pair).or_else(|| pair(node))
}

fn pair(node: Node) -> Option<(f64, f64)> {
    let number = |text: String| text.parse::<f64>().ok();
    let (latitude, longitude) = match node.text() {
        Some(text) => {
            let (latitude, longitude) = text.strip_prefix("geo:").unwrap_or(&text).split_once(',')?;
            (number(latitude.trim().to_owned())?, number(longitude.trim().to_owned())?)
        }
        None => (number(node.text_of(&["latitude"])?)?, number(node.text_of(&["longitude"])?)?),
    };
    // Templates without a value write zeros.
    let is_set = latitude != 0.0 || longitude != 0.0;
    (is_set && latitude.abs() <= 90.0 && longitude.abs() <= 180.0).then_some((latitude, longitude))
}

/// Gives places without a coordinate that of the same place in another booking of the file. Places are the same if their
/// codes are, or without codes their names and towns. A place with two coordinates gives none.
pub(super) fn share_coordinates(bookings: &mut [Booking]) {
    let mut known: std::collections::HashMap<Key, Option<(f64, f64)>> = std::collections::HashMap::new();
    for spot in bookings.iter().flat_map(|booking| [&booking.start.place, &booking.end.place]) {
        if let (Some(key), Some(coordinate)) = (key(spot), spot.coordinate) {
            let entry = known.entry(key).or_insert(Some(coordinate));
            *entry = entry.filter(|other| *other == coordinate);
        }
    }
    for spot in bookings.iter_mut().flat_map(|booking| [&mut booking.start.place, &mut booking.end.place]) {
        if let (Some(key), None) = (key(spot), spot.coordinate) {
            spot.coordinate = known.get(&key).copied().flatten();
        }
    }
}

type Key = (Option<String>, Option<String>, Option<String>);

fn key(spot: &Spot) -> Option<Key> {
    match (&spot.code, &spot.name) {
        (Some(code), _) => Some((Some(code.clone()), None, None)),
        (None, Some(name)) => {
            Some((None, Some(name.to_lowercase()), spot.city.as_ref().map(|city| city.to_lowercase())))
        }
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::node::Graph;
    use super::*;
    use crate::booking::Kind;

    fn read(value: Value) -> Spot {
        let values = [value];
        let graph = Graph::new(&values);
        spot(graph.node(&values[0]))
    }

    #[test]
    fn addresses_are_one_line() {
        let german = read(json!({"@type": "Hotel", "name": "Zum Hirsch", "address": {
            "streetAddress": "Am Markt 1", "postalCode": "79098", "addressLocality": "Freiburg", "addressCountry": {"name": "DE"}}}));
        assert_eq!(german.address.as_deref(), Some("Am Markt 1, 79098 Freiburg"));
        assert_eq!((german.city.as_deref(), german.country.as_deref()), (Some("Freiburg"), Some("DE")));
        let american =
            read(json!({"address": {"streetAddress": "1 Elm St", "addressLocality": "Reno", "addressRegion": "NV",
            "postalCode": "89501", "addressCountry": "US"}}));
        assert_eq!(american.address.as_deref(), Some("1 Elm St, Reno, NV 89501"));
        let as_street =
            read(json!({"address": {"streetAddress": "Rua Nova 5, 1100 Lisboa", "addressLocality": "Lisboa"}}));
        assert_eq!(as_street.address.as_deref(), Some("Rua Nova 5, 1100 Lisboa"));
        let text = read(json!({"name": "Hall", "address": "Kade 3,\n1011 Amsterdam"}));
        assert_eq!(text.address.as_deref(), Some("Kade 3, 1011 Amsterdam"));
    }

    #[test]
    fn stations_have_identifiers() {
        let code = |identifier: Value| read(json!({"name": "Basel", "identifier": identifier})).code;
        assert_eq!(code(json!("ibnr:8500010")).as_deref(), Some("ibnr:8500010"));
        assert_eq!(code(json!(["", "https://station", "uic:8500010"])).as_deref(), Some("uic:8500010"));
        assert_eq!(
            code(json!({"@type": "PropertyValue", "propertyID": "uic", "value": 8_500_010})).as_deref(),
            Some("uic:8500010")
        );
        assert_eq!(code(json!("8500010")), None);
    }

    #[test]
    fn airports_may_be_codes_or_names() {
        let values = [json!("BSL"), json!("Basel"), json!({"name": "Basel", "iataCode": "BSL"})];
        let graph = Graph::new(&values);
        let read: Vec<Spot> = values.iter().map(|value| airport(graph.node(value))).collect();
        let fields: Vec<_> = read.iter().map(|spot| (spot.code.as_deref(), spot.name.as_deref())).collect();
        assert_eq!(fields, [(Some("BSL"), None), (None, Some("Basel")), (Some("BSL"), Some("Basel"))]);
    }

    #[test]
    fn coordinates_have_many_forms() {
        let here = Some((50.5, -4.25));
        assert_eq!(read(json!({"geo": {"latitude": "50.5", "longitude": -4.25}})).coordinate, here);
        assert_eq!(read(json!({"geo": "geo:50.5,-4.25"})).coordinate, here);
        assert_eq!(read(json!({"latitude": 50.5, "longitude": "-4.25"})).coordinate, here);
        assert_eq!(read(json!({"geo": {"latitude": 0, "longitude": 0}})).coordinate, None);
        assert_eq!(read(json!({"geo": {"latitude": 91, "longitude": 0}})).coordinate, None);
        assert_eq!(read(json!({"geo": {"latitude": "NaN", "longitude": 1}})).coordinate, None);
    }

    #[test]
    fn coordinates_are_shared_by_mentions_of_a_place() {
        let at = |name: &str, coordinate: Option<(f64, f64)>| {
            let mut booking = Booking::new(Kind::Hotel);
            booking.start.place = Spot { name: Some(name.to_owned()), coordinate, ..Spot::default() };
            booking
        };
        let mut bookings = [
            at("Porto", Some((41.0, -8.0))),
            at("porto", None),
            at("Faro", Some((37.0, -7.0))),
            at("Faro", Some((38.0, -7.0))),
            at("Faro", None),
        ];
        share_coordinates(&mut bookings);
        assert_eq!(bookings[1].start.place.coordinate, Some((41.0, -8.0)));
        assert_eq!(bookings[4].start.place.coordinate, None);
    }
}
