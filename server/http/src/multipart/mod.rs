//! Multipart forms, which operations read as streams: `document.rs` that of an upload, whose file is passed on piece by piece;
//! `files.rs` that of an import, whose files are kept in memory.
//!
//! multer parses forms. It limits neither the headers of a part nor its buffer; this module limits both.

mod document;
mod files;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::Stream;
use futures::stream;
use http::header::{self, HeaderMap, HeaderValue};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::BodyRule;
use itinerary_api::values::limits;
use multer::{Constraints, Field, Multipart};
use percent_encoding::percent_decode_str;

use super::body::{BodyError, StreamedUpload as Body};
use super::guards::body_refused;

pub(super) use document::read as read_document;
pub(super) use files::read as read_files;

/// The name of the part with the file.
const FILE: &str = "file";
/// The maximum number of bytes before the first part, or of a part's headers.
const HEADERS: u64 = 16 * 1024;
/// The number of those bytes passed on at a time, because multer may buffer two pieces before it parses them.
const PIECE: u64 = 2 * 1024;
/// The maximum length of a boundary (RFC 2046).
const BOUNDARY: usize = 70;

/// A form, part by part.
struct Form {
    parts: Multipart<'static>,
    budget: Budget,
    rule: BodyRule,
}

impl Form {
    fn new(headers: &HeaderMap, body: Body, constraints: Constraints, rule: BodyRule) -> Result<Self, ApiError> {
        let boundary = boundary(headers)?;
        let budget = Budget::default();
        let parts = Multipart::with_constraints(frames(body, budget.clone()), boundary, constraints);
        Ok(Self { parts, budget, rule })
    }

    /// The next part; the one before must have been read. `None` at the end.
    async fn next(&mut self) -> Result<Option<Field<'static>>, ApiError> {
        self.budget.set(HEADERS);
        let field = self.parts.next_field().await.map_err(|error| refuse(error, self.rule))?;
        self.budget.set(u64::MAX);
        Ok(field)
    }
}

fn boundary(headers: &HeaderMap) -> Result<String, ApiError> {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(content_type).ok();
    boundary
        .filter(|boundary| (1..=BOUNDARY).contains(&boundary.len()))
        .ok_or_else(|| ApiError::invalid("Content-Type", "must have a boundary of 1 to 70 characters"))
}

/// How many bytes may arrive before the headers of a part must have ended. Unlimited inside a part.
#[derive(Clone)]
struct Budget(Arc<AtomicU64>);

impl Default for Budget {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(HEADERS)))
    }
}

impl Budget {
    fn set(&self, left: u64) {
        self.0.store(left, Ordering::Relaxed);
    }

    /// How many of these bytes to pass on next; 0 once the budget is used up.
    fn take(&self, bytes: u64) -> u64 {
        let left = self.0.load(Ordering::Relaxed);
        if left == u64::MAX {
            return bytes;
        }
        let taken = bytes.min(PIECE).min(left);
        self.set(left - taken);
        taken
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the headers of a part are too long")]
struct HeadersTooLong;

type FrameError = Box<dyn std::error::Error + Send + Sync>;

/// The frames of a body, one at a time, because multer buffers all that are ready. Small pieces while headers are read.
fn frames(body: Body, budget: Budget) -> impl Stream<Item = Result<Bytes, FrameError>> + Send {
    stream::try_unfold((body, Bytes::new(), budget), |(mut body, mut frame, budget)| async move {
        tokio::task::yield_now().await;
        while frame.is_empty() {
            let Some(next) = body.next().await? else { return Ok(None) };
            frame = next;
        }
        let taken = budget.take(frame.len() as u64);
        if taken == 0 {
            return Err(HeadersTooLong.into());
        }
        let piece = frame.split_to(usize::try_from(taken).unwrap_or(frame.len()));
        Ok(Some((piece, (body, frame, budget))))
    })
}

/// The file's name: `filename*` (RFC 8187), which some clients send for names beyond ASCII, or else `filename`.
fn file_name(field: &Field<'_>) -> String {
    let disposition = field.headers().get(header::CONTENT_DISPOSITION).map(HeaderValue::as_bytes);
    let disposition = String::from_utf8_lossy(disposition.unwrap_or_default());
    let extended = disposition.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        let (charset, value) = value.split_once('\'')?;
        let is_extended = name.trim().eq_ignore_ascii_case("filename*") && charset.eq_ignore_ascii_case("utf-8");
        let (_, value) = value.split_once('\'').filter(|_| is_extended)?;
        percent_decode_str(value).decode_utf8().ok().map(Into::into)
    });
    extended.or_else(|| field.file_name().map(str::to_owned)).unwrap_or_default()
}

/// The error for an invalid form or a failure of its body.
fn refuse(error: multer::Error, rule: BodyRule) -> ApiError {
    use multer::Error as E;
    match error {
        E::UnknownField { field_name } => match field_name {
            Some(name) => ApiError::invalid(name, "is not a field of this form"),
            None => ApiError::new(ErrorCode::ValidationFailed, "A field of the form has no name."),
        },
        E::FieldSizeExceeded { field_name: Some(name), .. } if name != FILE => {
            ApiError::invalid(name, format!("must have at most {} bytes", limits::DOCUMENT_PART))
        }
        E::FieldSizeExceeded { .. } => body_refused(BodyError::TooLarge, rule),
        E::StreamReadFailed(error) => match error.downcast_ref::<BodyError>() {
            Some(error) => body_refused(*error, rule),
            None => malformed(&error),
        },
        error => malformed(&error),
    }
}

fn malformed(error: &dyn std::fmt::Display) -> ApiError {
    let message = format!("The multipart form is malformed: {error}.");
    ApiError::new(ErrorCode::ValidationFailed, message).with_header(header::CONNECTION, "close")
}
