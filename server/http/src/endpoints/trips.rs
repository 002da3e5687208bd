//! The pictures of public and unlisted itineraries for links to their pages.

use std::net::IpAddr;

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::error::ApiError;
use itinerary_app::admission;
use itinerary_app::itineraries::page;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;

use super::images;

/// Long enough for a link that many people see, short enough for an itinerary that is no longer open.
const A_WHILE: HeaderValue = HeaderValue::from_static("public, max-age=600");

pub(super) async fn picture(service: &Service, address: IpAddr, id: &str) -> Result<Response<Body>, ApiError> {
    let verdict = service.limits.take(&[Bucket::TripPage(address)], service.clock.now()).await;
    if !verdict.allowed {
        return Err(admission::rate_limited(verdict));
    }
    let id = page::id(id).ok_or_else(ApiError::not_found)?;
    let mut response = images::response(page::picture(service, id, address).await?);
    response.headers_mut().insert(header::CACHE_CONTROL, A_WHILE);
    Ok(response)
}
