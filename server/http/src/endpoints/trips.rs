//! The pictures of public and unlisted itineraries for links to their pages.

use dropshot::Body;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::extract::{WebRequest, entity_tags};
use itinerary_app::admission;
use itinerary_app::itineraries::page::{self, PagePicture};
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;

use super::images;

/// Long enough for a link that many people see, short enough for an itinerary that is no longer open.
const A_WHILE: HeaderValue = HeaderValue::from_static("public, max-age=600");

pub(super) async fn picture(service: &Service, request: &WebRequest, id: &str) -> Result<Response<Body>, ApiError> {
    let verdict = service.limits.take(&[Bucket::TripPage(request.address)], service.clock.now()).await;
    if !verdict.allowed {
        return Err(admission::rate_limited(verdict));
    }
    let id = page::id(id).ok_or_else(ApiError::not_found)?;
    let known = entity_tags(&request.headers, &header::IF_NONE_MATCH).ok().flatten();
    let PagePicture { etag, image } = page::picture(service, id, known.as_ref(), request.address).await?;
    let mut response = image.map_or_else(not_modified, images::response);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, A_WHILE);
    headers.insert(header::ETAG, HeaderValue::from_str(&etag).expect("tags are plain ASCII"));
    Ok(response)
}

fn not_modified() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}
