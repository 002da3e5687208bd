//! Places from Photon, by `GET /api`.
//!
//! Follows <https://github.com/komoot/photon/blob/master/docs/api-v1.md>. It sends only parameters that all versions
//! support, because servers reject others. The country is therefore checked in the response.

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
/// The languages of the published index. A server rejects languages that its index does not have.
const LANGUAGES: [&str; 3] = ["en", "de", "fr"];

/// The geocoder Photon, on any server.
#[derive(Clone)]
pub struct Photon {
    endpoint: Endpoint,
}

impl Photon {
    /// An adapter for a server, such as `https://photon.komoot.io`.
    pub fn new(endpoint: Endpoint) -> Self {
        Self { endpoint }
    }

    fn url(&self, name: &str, question: &Question<'_>) -> Url {
        let mut url = self.endpoint.url(&["api"]);
        let mut query = url.query_pairs_mut();
        query
            .append_pair("q", name)
            .append_pair("lat", &question.near.latitude.to_string())
            .append_pair("lon", &question.near.longitude.to_string())
            .append_pair("bbox", &Bounds::of(question).to_string())
            .append_pair("limit", &LIMIT.to_string());
        let language = question.language.split('-').next().unwrap_or_default();
        if LANGUAGES.contains(&language) {
            query.append_pair("lang", language);
        }
        drop(query);
        url
    }
}

#[async_trait]
impl Geocoder for Photon {
    async fn search(&self, question: &Question<'_>, deadline: Instant) -> Result<Vec<Found>, Failure> {
        let Some(name) = clean(question.name, MAX_NAME_CHARS) else {
            return Ok(Vec::new());
        };
        let request = Request::get(self.url(&name, question));
        let mut found = self.endpoint.call(&request, deadline, parse).await?;
        if let Some(country) = question.country {
            found.retain(|place| place.country.as_deref().is_none_or(|code| code.eq_ignore_ascii_case(country)));
        }
        Ok(found)
    }

    fn name(&self) -> &'static str {
        "photon"
    }
}

#[derive(Deserialize)]
struct PhotonResponse {
    features: Vec<Feature>,
}

#[derive(Deserialize)]
struct Feature {
    geometry: Geometry,
    properties: Properties,
}

#[derive(Deserialize)]
struct Geometry {
    /// Longitude first.
    coordinates: (f64, f64),
}

#[derive(Deserialize)]
struct Properties {
    osm_type: Option<String>,
    osm_id: Option<u64>,
    osm_key: Option<String>,
    osm_value: Option<String>,
    name: Option<String>,
    housenumber: Option<String>,
    street: Option<String>,
    postcode: Option<String>,
    city: Option<String>,
    state: Option<String>,
    country: Option<String>,
    countrycode: Option<String>,
}

fn parse(body: &[u8]) -> Result<Vec<Found>, Failure> {
    let response: PhotonResponse = json(body)?;
    response.features.into_iter().take(LIMIT).filter_map(|feature| found(feature).transpose()).collect()
}

/// `None` for features without a name, such as addresses, and for features that are not from OpenStreetMap.
fn found(feature: Feature) -> Result<Option<Found>, Failure> {
    let (longitude, latitude) = feature.geometry.coordinates;
    let point =
        Point::checked(latitude, longitude).ok_or_else(|| Failure::malformed("coordinates are out of range"))?;
    let place = feature.properties;
    let name = place.name.as_deref().and_then(|name| clean(name, MAX_NAME_CHARS));
    let (Some(name), Some(place_id)) = (name, place_id(&place)) else {
        return Ok(None);
    };
    let category = match (&place.osm_key, &place.osm_value) {
        (Some(key), Some(value)) => clean(&format!("{key}/{value}"), MAX_NAME_CHARS),
        _ => None,
    };
    Ok(Some(Found {
        name,
        other_names: Vec::new(),
        point,
        address: address(&place),
        place_id,
        country: place.countrycode.as_deref().and_then(country_code),
        category,
    }))
}

fn place_id(place: &Properties) -> Option<String> {
    let kind = match place.osm_type.as_deref()? {
        "N" => "node",
        "W" => "way",
        "R" => "relation",
        _ => return None,
    };
    Some(format!("osm:{kind}/{}", place.osm_id?))
}

/// Such as `Olympischer Platz 3, 14053 Berlin, Germany`.
fn address(place: &Properties) -> Option<String> {
    let line = |parts: &[&Option<String>]| parts.iter().copied().flatten().cloned().collect::<Vec<_>>().join(" ");
    let city = if place.city.is_some() { &place.city } else { &place.state };
    let lines = [line(&[&place.street, &place.housenumber]), line(&[&place.postcode, city]), line(&[&place.country])];
    let lines: Vec<_> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    clean(&lines.join(", "), MAX_ADDRESS_CHARS)
}
