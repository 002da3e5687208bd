//! Changes as a page or, if the client asks for it, as a stream of server-sent events.

use std::sync::Arc;

use dropshot::Body;
use futures::stream::unfold;
use http::Response;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http_body::Frame;
use http_body_util::StreamBody;
use itinerary_api::error::ApiError;
use itinerary_api::reply::{Changes, IsStream};
use itinerary_api::request_state::Caller;
use itinerary_api::types::ChangeQuery;
use itinerary_api::values::Cursor;
use itinerary_app::changes::{self, ChangeStream};
use itinerary_platform::context::Service;
use sync_wrapper::SyncStream;

use super::export::quality;
use crate::guards;

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// Tells nginx not to buffer the response.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// The number of media ranges in `Accept` that are read.
const RANGES: usize = 64;

pub(super) async fn list(
    service: Arc<Service>,
    headers: &HeaderMap,
    caller: &Caller,
    query: ChangeQuery,
) -> Result<Changes, ApiError> {
    let mut response = if wants_stream(headers) {
        stream(service, headers, caller, query).await?
    } else {
        let page = changes::list(&service, caller, query).await?;
        let page = serde_json::to_vec(&page).expect("wire types are plain data");
        let mut response = Response::new(Body::from(page));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    };
    let vary = HeaderValue::from_static("Accept, Authorization, Service-Itinerary-Shape, Accept-Encoding");
    response.headers_mut().insert(header::VARY, vary);
    Ok(Changes(response))
}

async fn stream(
    service: Arc<Service>,
    headers: &HeaderMap,
    caller: &Caller,
    query: ChangeQuery,
) -> Result<Response<Body>, ApiError> {
    let token = *guards::access_token(headers)?.hash();
    let last = last_event_id(headers)?;
    let last = last.as_deref().map(|last| ("Last-Event-ID", last));
    let cursor = last.or_else(|| query.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let stream = ChangeStream::open(service, caller, token, cursor).await?;
    let pieces = unfold(Box::new(stream), |mut stream| async move {
        let piece = stream.next().await?;
        Some((Ok::<_, std::convert::Infallible>(Frame::data(piece)), stream))
    });
    let mut response = Response::new(Body::wrap(StreamBody::new(SyncStream::new(Box::pin(pieces)))));
    response.headers_mut().insert(header::CONTENT_TYPE, EVENT_STREAM);
    response.headers_mut().insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response.extensions_mut().insert(IsStream);
    Ok(response)
}

/// The cursor in `Last-Event-ID`. An empty one is that of a client that has had no event.
fn last_event_id(headers: &HeaderMap) -> Result<Option<Cursor>, ApiError> {
    let Some(value) = headers.get(LAST_EVENT_ID).filter(|value| !value.is_empty()) else { return Ok(None) };
    let refuse = || ApiError::invalid("Last-Event-ID", "must be the `id` of an event of this stream");
    let text = value.to_str().map_err(|_| refuse())?;
    Cursor::new(text.to_owned()).map(Some).map_err(|_| refuse())
}

/// Whether `Accept` names the stream, and does not prefer JSON.
fn wants_stream(headers: &HeaderMap) -> bool {
    let of = |name: &str| {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let ranges = values.flat_map(|value| value.split(',')).take(RANGES).filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            parts.next().filter(|media_type| media_type.eq_ignore_ascii_case(name))?;
            quality(parts)
        });
        ranges.fold(0.0, f32::max)
    };
    let stream = of("text/event-stream");
    stream > 0.0 && stream >= of("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_asks_for_the_stream_by_its_name() {
        for (value, expected) in [
            ("text/event-stream", true),
            ("application/json, TEXT/event-stream", true),
            ("application/json;q=0.5, text/event-stream;q=0.4", false),
            ("text/event-stream;q=0", false),
            ("text/*", false),
            ("*/*", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, value.parse().expect("a header"));
            assert_eq!(wants_stream(&headers), expected, "{value}");
        }
        assert!(!wants_stream(&HeaderMap::new()));
    }
}
