//! Calendars at secret addresses.

use dropshot::Body;
use http::header::{self, HeaderValue};
use http::{Response, StatusCode};
use itinerary_api::error::ApiError;
use itinerary_api::extract::{WebRequest, entity_tags};
use itinerary_app::admission;
use itinerary_app::calendars;
use itinerary_export::ics;
use itinerary_platform::context::Service;
use itinerary_platform::limits::Bucket;

pub(super) async fn view(service: &Service, file: &str, request: &WebRequest) -> Result<Response<Body>, ApiError> {
    take(service, Bucket::Calendar(request.address)).await?;
    let found = calendars::find(service, file).await?;
    let mut response = Response::new(Body::empty());
    let known = entity_tags(&request.headers, &header::IF_NONE_MATCH).ok().flatten();
    if known.is_some_and(|tags| tags.includes(&found.etag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else {
        take(service, Bucket::AccountCalendar(found.account)).await?;
        *response.body_mut() = Body::from(found.file(service).await?);
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(ics::MEDIA_TYPE));
    }
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_str(&found.etag).expect("letters and digits in quotes"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}

async fn take(service: &Service, bucket: Bucket) -> Result<(), ApiError> {
    let verdict = service.limits.take(&[bucket], service.clock.now()).await;
    if verdict.allowed { Ok(()) } else { Err(admission::rate_limited(verdict)) }
}
