//! Images, at unguessable, immutable addresses.

use dropshot::Body;
use http::Response;
use http::header::{self, HeaderValue};
use itinerary_api::error::ApiError;
use uuid::Uuid;

use crate::app::itineraries::covers::{self, Size};
use crate::context::Service;
use crate::http::answers::refusal;

/// A year: an address is given to one image.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(super) async fn view(service: &Service, id: &str, size: Size) -> Result<Response<Body>, ApiError> {
    let id = Uuid::try_parse(id).map_err(|_| ApiError::not_found())?;
    let bytes = covers::view(service, id, size).await.map_err(refusal)?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    headers.insert(header::CACHE_CONTROL, FOREVER);
    Ok(response)
}
