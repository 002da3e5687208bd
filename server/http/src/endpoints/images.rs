//! Images, at unguessable, immutable addresses.

use std::net::IpAddr;

use dropshot::Body;
use futures::TryStreamExt;
use http::Response;
use http::header::{self, HeaderValue};
use http_body::Frame;
use http_body_util::StreamBody;
use itinerary_api::error::ApiError;
use itinerary_api::extract::BytesBody;
use itinerary_api::reply::Reply;
use itinerary_api::request_state::{Caller, Conditions};
use itinerary_api::types::Itinerary;
use itinerary_app::itineraries;
use itinerary_app::itineraries::covers::{self, Cover, OpenImage, Size};
use itinerary_platform::context::Service;
use sync_wrapper::SyncStream;
use uuid::Uuid;

use crate::replies;

/// A year, because an address always has the same image.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub(super) async fn view(service: &Service, address: IpAddr, id: &str, size: Size) -> Result<Response<Body>, ApiError> {
    let id = Uuid::try_parse(id).map_err(|_| ApiError::not_found())?;
    let mut response = response(covers::view(service, id, size, address).await?);
    response.headers_mut().insert(header::CACHE_CONTROL, FOREVER);
    Ok(response)
}

/// Makes what was sent the cover of an itinerary.
pub(super) async fn set_cover(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    conditions: Conditions,
    body: BytesBody,
) -> Result<Reply<Itinerary>, ApiError> {
    let cover = Cover::read(body.bytes, body.is_json)?;
    Ok(replies::rendered(itineraries::set_cover(service, caller, id, conditions, cover).await?))
}

pub(super) fn response(OpenImage { size, pieces }: OpenImage) -> Response<Body> {
    let frames = pieces.map_ok(Frame::data);
    let mut response = Response::new(Body::wrap(StreamBody::new(SyncStream::new(frames))));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(size));
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    response
}
