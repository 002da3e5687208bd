//! Images, at unguessable, immutable addresses.

use std::net::IpAddr;

use dropshot::Body;
use futures::TryStreamExt;
use http::Response;
use http::header::{self, HeaderValue};
use http_body::Frame;
use http_body_util::StreamBody;
use itinerary_api::error::ApiError;
use sync_wrapper::SyncStream;
use uuid::Uuid;

use crate::app::itineraries::covers::{self, OpenImage, Size};
use crate::context::Service;

/// A year, because an address always has the same image.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(super) async fn view(service: &Service, address: IpAddr, id: &str, size: Size) -> Result<Response<Body>, ApiError> {
    let id = Uuid::try_parse(id).map_err(|_| ApiError::not_found())?;
    let mut response = response(covers::view(service, id, size, address).await?);
    response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
    Ok(response)
}

pub(super) fn response(OpenImage { size, pieces }: OpenImage) -> Response<Body> {
    let frames = pieces.map_ok(Frame::data);
    let mut response = Response::new(Body::wrap(StreamBody::new(SyncStream::new(frames))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    response
}
