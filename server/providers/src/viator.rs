//! Activities from Viator, by `POST /search/freetext` of the partner API, version 2.
//!
//! Follows <https://docs.viator.com/partner-api/technical/>. Affiliates may search live and must not store the
//! catalogue. The link to book carries the affiliate's tracking and must not be changed.

use async_trait::async_trait;
use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use crate::http::Request;
use crate::text::{MAX_NAME_CHARS, clean, web_link};
use crate::{Activities, Activity, Endpoint, Failure, Misconfigured, Nearby};

const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json;version=2.0");
const API_KEY: HeaderName = HeaderName::from_static("exp-api-key");
/// The most products that Viator returns on one page.
const MAX_COUNT: usize = 50;
const MAX_RATING: f64 = 5.0;

/// The settings of a Viator account.
#[derive(Clone)]
pub struct ViatorOptions {
    /// The account's key. Sent as a header, never shown.
    pub api_key: String,
    /// The language of titles, such as `en-US`.
    pub language: String,
    /// The currency (ISO 4217), such as `EUR`. Viator requires it; no price is kept.
    pub currency: String,
}

/// The catalogue of tours and activities Viator. It has no positions, so the search is by name.
#[derive(Clone)]
pub struct Viator {
    endpoint: Endpoint,
    api_key: HeaderValue,
    language: HeaderValue,
    currency: String,
}

impl Viator {
    /// An adapter for a server, such as `https://api.viator.com/partner`.
    ///
    /// Fails if the key or the language is not a valid header value.
    pub fn new(endpoint: Endpoint, options: ViatorOptions) -> Result<Self, Misconfigured> {
        let header = |name: &str, value: &str| {
            let value = HeaderValue::from_str(value).ok().filter(|value| !value.is_empty());
            value.ok_or_else(|| Misconfigured(format!("Viator's {name} must be one line of visible ASCII characters.")))
        };
        let mut api_key = header("API key", &options.api_key)?;
        api_key.set_sensitive(true);
        let language = header("language", &options.language)?;
        Ok(Self { endpoint, api_key, language, currency: options.currency })
    }

    fn request(&self, name: &str, limit: usize) -> Request {
        let body = json!({
            "searchTerm": name,
            "searchTypes": [{"searchType": "PRODUCTS", "pagination": {"start": 1, "count": limit}}],
            "currency": self.currency,
        });
        let mut request = Request::post(self.endpoint.url(&["search", "freetext"]), &body);
        request.headers.insert(ACCEPT, ACCEPTED);
        request.headers.insert(ACCEPT_LANGUAGE, self.language.clone());
        request.headers.insert(API_KEY, self.api_key.clone());
        request
    }
}

#[async_trait]
impl Activities for Viator {
    async fn near(&self, question: &Nearby<'_>, deadline: Instant) -> Result<Vec<Activity>, Failure> {
        let limit = question.limit.min(MAX_COUNT);
        let name = clean(question.name, MAX_NAME_CHARS).filter(|_| limit > 0);
        let Some(name) = name else {
            return Ok(Vec::new());
        };
        let mut activities = self.endpoint.call(&self.request(&name, limit), deadline, parse).await?;
        activities.truncate(limit);
        Ok(activities)
    }

    fn name(&self) -> &'static str {
        "viator"
    }
}

#[derive(Deserialize)]
struct ProductsResponse {
    products: Option<Products>,
}

#[derive(Deserialize)]
struct Products {
    results: Vec<ProductItem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProductItem {
    product_code: String,
    title: String,
    reviews: Option<Reviews>,
    product_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reviews {
    total_reviews: Option<u32>,
    combined_average_rating: Option<f64>,
}

fn parse(body: &[u8]) -> Result<Vec<Activity>, Failure> {
    let response: ProductsResponse = crate::endpoint::json(body)?;
    let products = response.products.ok_or_else(|| Failure::malformed("products are missing"))?;
    Ok(products.results.iter().filter_map(activity).collect())
}

/// `None` for a product without a code or title.
fn activity(item: &ProductItem) -> Option<Activity> {
    let reviews = item.reviews.as_ref();
    let review_count = reviews.and_then(|reviews| reviews.total_reviews);
    let rating = reviews.and_then(|reviews| reviews.combined_average_rating);
    Some(Activity {
        name: clean(&item.title, MAX_NAME_CHARS)?,
        point: None,
        product_code: clean(&item.product_code, MAX_NAME_CHARS)?,
        // Viator sends a rating of 0 for a product without reviews.
        rating: rating.filter(|rating| review_count != Some(0) && (0.0..=MAX_RATING).contains(rating)),
        review_count,
        booking_url: item.product_url.as_deref().and_then(web_link),
    })
}
