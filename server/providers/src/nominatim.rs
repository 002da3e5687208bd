//! Places from Nominatim, by `GET /search` in the format `jsonv2`.
//!
//! Follows <https://nominatim.org/release-docs/latest/api/Search/> and, for the fields,
//! <https://nominatim.org/release-docs/latest/api/Output/>. The public server allows one call a second for a whole
//! application and asks for an identifying `User-Agent`, a cache and attribution:
//! <https://operations.osmfoundation.org/policies/nominatim/>.

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde::Deserialize;
use tokio::time::Instant;
use url::Url;

use crate::endpoint::json;
use crate::geocoder::Bounds;
use crate::http::Request;
use crate::text::{MAX_ADDRESS_CHARS, MAX_NAME_CHARS, clean, country_code};
use crate::{Endpoint, Failure, Found, Geocoder, Point, Question};

const LIMIT: usize = 10;
const MAX_OTHER_NAMES: usize = 100;

/// The geocoder Nominatim, on any server.
#[derive(Clone)]
pub struct Nominatim {
    endpoint: Endpoint,
}

impl Nominatim {
    /// An adapter for a server, such as `https://nominatim.openstreetmap.org`.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    fn url(&self, name: &str, question: &Question<'_>) -> Url {
        let mut url = self.endpoint.url(&["search"]);
        let mut query = url.query_pairs_mut();
        query
            .append_pair("q", name)
            .append_pair("format", "jsonv2")
            .append_pair("addressdetails", "1")
            .append_pair("namedetails", "1")
            .append_pair("limit", &LIMIT.to_string())
            .append_pair("viewbox", &Bounds::of(question).to_string())
            .append_pair("bounded", "1");
        if let Some(country) = question.country {
            query.append_pair("countrycodes", &country.to_ascii_lowercase());
        }
        query.append_pair("accept-language", question.language);
        drop(query);
        url
    }
}

#[async_trait]
impl Geocoder for Nominatim {
    async fn search(&self, question: &Question<'_>, deadline: Instant) -> Result<Vec<Found>, Failure> {
        let Some(name) = clean(question.name, MAX_NAME_CHARS) else {
            return Ok(Vec::new());
        };
        let request = Request::get(self.url(&name, question));
        self.endpoint.call(&request, deadline, parse).await
    }

    fn name(&self) -> &'static str {
        "nominatim"
    }
}

#[derive(Deserialize)]
struct NominatimPlace {
    osm_type: Option<String>,
    osm_id: Option<OsmId>,
    lat: String,
    lon: String,
    name: Option<String>,
    display_name: String,
    category: Option<String>,
    r#type: Option<String>,
    address: Option<Address>,
    namedetails: Option<BTreeMap<String, String>>,
}

/// A number; older servers send it as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum OsmId {
    Number(u64),
    Text(String),
}

#[derive(Deserialize)]
struct Address {
    country_code: Option<String>,
}

fn parse(body: &[u8]) -> Result<Vec<Found>, Failure> {
    let places: Vec<NominatimPlace> = json(body)?;
    places.into_iter().take(LIMIT).filter_map(|place| found(place).transpose()).collect()
}

/// `None` for places that are not OpenStreetMap objects, such as postcodes.
fn found(place: NominatimPlace) -> Result<Option<Found>, Failure> {
    let point = point(&place.lat, &place.lon)?;
    let Some(place_id) = place_id(place.osm_type.as_deref(), place.osm_id.as_ref()) else {
        return Ok(None);
    };
    let names = place.namedetails.unwrap_or_default();
    let first_line = place.display_name.split(',').next().unwrap_or_default();
    let candidates = [place.name.as_deref(), names.get("name").map(String::as_str), Some(first_line)];
    let Some(name) = candidates.into_iter().flatten().find_map(|name| clean(name, MAX_NAME_CHARS)) else {
        return Ok(None);
    };
    let category = match (place.category, place.r#type) {
        (Some(key), Some(value)) => clean(&format!("{key}/{value}"), MAX_NAME_CHARS),
        _ => None,
    };
    Ok(Some(Found {
        other_names: other_names(&name, &names),
        name,
        point,
        address: clean(&place.display_name, MAX_ADDRESS_CHARS),
        place_id,
        country: place.address.and_then(|address| country_code(&address.country_code?)),
        category,
    }))
}

fn point(lat: &str, lon: &str) -> Result<Point, Failure> {
    let number = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
    Point::checked(number(lat), number(lon)).ok_or_else(|| Failure::malformed("lat or lon is not a coordinate"))
}

fn place_id(osm_type: Option<&str>, osm_id: Option<&OsmId>) -> Option<String> {
    let kind = osm_type.filter(|kind| matches!(*kind, "node" | "way" | "relation"))?;
    let id = match osm_id? {
        OsmId::Number(id) => *id,
        OsmId::Text(id) => id.parse().ok()?,
    };
    Some(format!("osm:{kind}/{id}"))
}

/// The names among the name details, which also hold references, operators and brands.
fn other_names(name: &str, details: &BTreeMap<String, String>) -> Vec<String> {
    let is_name = |key: &str| {
        let tag = key.split(':').next().unwrap_or_default();
        tag == "name" || tag.ends_with("_name")
    };
    let mut names = Vec::new();
    let values = details.iter().filter(|(key, _)| is_name(key)).flat_map(|(_, value)| value.split(';'));
    for other in values.filter_map(|value| clean(value, MAX_NAME_CHARS)) {
        if names.len() < MAX_OTHER_NAMES && other != name && !names.contains(&other) {
            names.push(other);
        }
    }
    names
}
