//! Uploads of documents, and downloads by link.

use std::ops::Range;

use dropshot::Body;
use futures::TryStreamExt;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::Frame;
use http_body_util::StreamBody;
use http_range_header::{EndPosition, StartPosition};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::extract::UploadBody;
use itinerary_api::policy::Policy;
use itinerary_api::reply::Reply;
use itinerary_api::request_state::{Caller, IdempotencyKey};
use itinerary_api::types::UploadedDocument;
use itinerary_api::values::limits;
use itinerary_app::Error;
use itinerary_app::admission;
use itinerary_app::itineraries::documents::{self, Followed, Upload};
use itinerary_core::file_name;
use itinerary_platform::context::Service;
use sync_wrapper::SyncStream;
use uuid::Uuid;

use crate::{body, guards, multipart, replies};

pub(super) async fn upload(
    service: &Service,
    caller: &Caller,
    id: Uuid,
    key: Option<IdempotencyKey>,
    UploadBody { head, body }: UploadBody,
) -> Result<Reply<UploadedDocument, 201>, ApiError> {
    let limit = limits::DOCUMENT + limits::DOCUMENT_REST;
    let length = body::content_length(&head.headers).map_or(0, |length| length.saturating_sub(limits::DOCUMENT_REST));
    let body = body::StreamedUpload::new(&head.headers, body, limit, service.config.body_stall);
    let mut upload = Upload::begin(service, caller, id, key.is_some(), length).await?;
    if body.waits_for_continue() {
        // A client that asks before it sends hears of a refusal before the form's own errors.
        upload.refuse()?;
    }
    let read = async {
        let sending = multipart::read_document(&head.headers, body, &mut upload).await?;
        Ok((authenticate_again(service, &head.headers).await?, sending))
    };
    let (caller, sending) = match read.await {
        Ok(read) => read,
        Err(error) => {
            upload.abort().await;
            return Err(error);
        }
    };
    Ok(replies::rendered(upload.finish(&caller, key, sending).await?))
}

/// Checks token, pause, scope and plan again after an upload has arrived, which takes a while.
async fn authenticate_again(service: &Service, headers: &HeaderMap) -> Result<Caller, ApiError> {
    let policy = Policy::of("document_upload").expect("the operation has a policy");
    let caller = guards::authenticate(service, policy, headers).await?;
    admission::check_scope(policy.scope, &caller)?;
    Ok(caller)
}

/// Sends the file of a link, or the requested range of it.
pub(super) async fn file(service: &Service, signed: &str, headers: &HeaderMap) -> Result<Response<Body>, ApiError> {
    let mut file = documents::follow(service, signed).await.map_err(link_refused)?;
    let etag = HeaderValue::from_str(&file.etag()).expect("a UUID in quotes");
    let is_known = headers.get_all(header::IF_NONE_MATCH).iter().any(|known| names(known, &etag));
    let (status, range) = if is_known {
        (StatusCode::NOT_MODIFIED, 0..0)
    } else {
        match range(headers, &etag, file.size)? {
            Some(range) => (StatusCode::PARTIAL_CONTENT, range),
            None => (StatusCode::OK, 0..file.size),
        }
    };
    let mut response = Response::new(Body::empty());
    if status != StatusCode::NOT_MODIFIED {
        let frames = file.read(service, range.clone()).await?.map_ok(Frame::data);
        *response.body_mut() = Body::wrap(StreamBody::new(SyncStream::new(frames)));
        describe(&file, &range, response.headers_mut());
    }
    *response.status_mut() = status;
    if status == StatusCode::PARTIAL_CONTENT {
        let content_range = format!("bytes {}-{}/{}", range.start, range.end - 1, file.size);
        set(response.headers_mut(), header::CONTENT_RANGE, &content_range);
    }
    response.headers_mut().insert(header::ETAG, etag);
    set(response.headers_mut(), header::CACHE_CONTROL, "private, no-store");
    Ok(response)
}

/// The error for a link that cannot be used. Whatever the reason, the client needs a new one.
fn link_refused(error: Error) -> ApiError {
    match error {
        Error::NotFound => {
            let message = "This link has expired or is no longer valid. Create a new one with document_link.";
            ApiError::new(ErrorCode::NotFound, message)
        }
        error => error.into(),
    }
}

/// Whether `If-None-Match` names a tag. The comparison is weak (RFC 9110 §13.1.2).
fn names(known: &HeaderValue, etag: &HeaderValue) -> bool {
    let mut tags = known.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    tags.any(|tag| tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag.as_bytes())
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    headers.insert(name, HeaderValue::from_str(value).expect("ASCII without control characters"));
}

fn describe(file: &Followed, range: &Range<u64>, headers: &mut HeaderMap) {
    // A browser cannot show a sealed file.
    set(headers, header::CONTENT_TYPE, "application/octet-stream");
    set(headers, header::ACCEPT_RANGES, "bytes");
    set(headers, header::CONTENT_DISPOSITION, &file_name::attachment(&file.file_name));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(range.end - range.start));
}

/// The requested range (RFC 9110 §14). `None` for the whole file, also if the header names several ranges, is
/// malformed, or `If-Range` names another file.
fn range(headers: &HeaderMap, etag: &HeaderValue, size: u64) -> Result<Option<Range<u64>>, ApiError> {
    let Some(asked) = headers.get(header::RANGE).and_then(|value| value.to_str().ok()) else { return Ok(None) };
    if headers.get(header::IF_RANGE).is_some_and(|wanted| wanted != etag) {
        return Ok(None);
    }
    let Ok(ranges) = http_range_header::parse_range_header(asked) else { return Ok(None) };
    let [asked] = &ranges.ranges[..] else { return Ok(None) };
    let range = match (asked.start, asked.end) {
        (StartPosition::Index(first), EndPosition::Index(last)) if last < first => return Ok(None),
        (StartPosition::Index(first), EndPosition::Index(last)) => first..size.min(last.saturating_add(1)),
        (StartPosition::Index(first), EndPosition::LastByte) => first..size,
        (StartPosition::FromLast(bytes), _) => size.saturating_sub(bytes)..size,
    };
    if range.start < size {
        return Ok(Some(range));
    }
    let error = ApiError::new(
        ErrorCode::RangeNotSatisfiable,
        format!("The range starts beyond the end of the file, which has {size} bytes."),
    );
    Err(error.with_header(header::CONTENT_RANGE, &format!("bytes */{size}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_sent_and_what_is_no_range_is_ignored() {
        let etag = HeaderValue::from_static("\"a\"");
        let range = |asked: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, HeaderValue::from_static(asked));
            range(&headers, &etag, 100)
        };
        for (asked, expected) in [
            ("bytes=0-0", Some(0..1)),
            ("bytes=10-", Some(10..100)),
            ("bytes=-10", Some(90..100)),
            ("bytes=90-200", Some(90..100)),
            ("bytes=-200", Some(0..100)),
            ("bytes=5-2", None),
            ("bytes=0-1,5-6", None),
            ("lines=0-1", None),
            ("bytes=x", None),
        ] {
            assert_eq!(range(asked).expect("a range or none"), expected, "{asked}");
        }
        assert_eq!(range("bytes=100-").expect_err("past the end").code, ErrorCode::RangeNotSatisfiable);
    }
}
