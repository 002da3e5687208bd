//! Streams the multipart form of an upload. The file is passed on piece by piece; the other fields are small.
//!
//! multer parses the form. It limits neither the headers of a part nor its buffer; this module limits both.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::Stream;
use futures::stream;
use http::header::{self, HeaderMap, HeaderValue};
use itinerary_api::error::{ApiError, ErrorCode};
use itinerary_api::policy::BodyRule;
use itinerary_api::read::{self, FieldError};
use itinerary_api::types::DocumentDetails;
use itinerary_api::values::{MediaType, limits};
use itinerary_app::itineraries::documents::{Sending, Upload};
use multer::{Constraints, Field, Multipart, SizeLimit};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::body::{BodyError, StreamedUpload as Body};
use super::guards::body_refused;

const FILE: &str = "file";
/// The names of the other fields.
const PARTS: [&str; 4] = ["name", "category", "belongsTo", "mimeType"];
/// The maximum number of bytes before the first part, or of a part's headers.
const HEADERS: u64 = 16 * 1024;
/// The number of those bytes passed on at a time, because multer may buffer two pieces before it parses them.
const PIECE: u64 = 2 * 1024;
/// The maximum length of a boundary (RFC 2046).
const BOUNDARY: usize = 70;

/// Reads a form and passes its file to an upload.
pub(super) async fn read(headers: &HeaderMap, body: Body, upload: &mut Upload<'_>) -> Result<Sending, ApiError> {
    let boundary = boundary(headers)?;
    let size = SizeLimit::new().per_field(limits::DOCUMENT_PART).for_field(FILE, limits::DOCUMENT);
    let names = [&PARTS[..], &[FILE]].concat();
    let constraints = Constraints::new().allowed_fields(names).size_limit(size);
    let budget = Budget::default();
    let mut form = Multipart::with_constraints(frames(body, budget.clone()), boundary, constraints);
    let mut reading = Reading { upload, budget, parts: Vec::new(), file: None };
    while let ControlFlow::Continue(()) = reading.part(&mut form).await? {}
    reading.finish()
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

/// The state of reading a form.
struct Reading<'r, 's> {
    upload: &'r mut Upload<'s>,
    budget: Budget,
    parts: Vec<(String, String)>,
    /// The file's name and media type.
    file: Option<(String, Option<MediaType>)>,
}

impl Reading<'_, '_> {
    async fn part(&mut self, form: &mut Multipart<'_>) -> Result<ControlFlow<()>, ApiError> {
        self.budget.set(HEADERS);
        let field = form.next_field().await.map_err(refuse)?;
        let Some(field) = field else { return Ok(ControlFlow::Break(())) };
        self.budget.set(u64::MAX);
        let name = field.name().unwrap_or_default().to_owned();
        let is_repeated = if name == FILE { self.file.is_some() } else { self.parts.iter().any(|part| part.0 == name) };
        if is_repeated {
            return Err(ApiError::invalid(name, "appears more than once"));
        }
        if name == FILE {
            self.file(field).await?;
        } else {
            let text = field.bytes().await.map_err(refuse)?;
            let text = String::from_utf8(text.into()).map_err(|_| ApiError::invalid(&name, "must be UTF-8"))?;
            self.parts.push((name, text));
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn file(&mut self, mut field: Field<'_>) -> Result<(), ApiError> {
        let media_type = field.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = media_type.and_then(|value| value.split(';').next()).map(str::trim);
        self.file = Some((file_name(&field), essence.and_then(|essence| MediaType::new(essence).ok())));
        self.upload.begin_file().await?;
        while let Some(bytes) = field.chunk().await.map_err(refuse)? {
            self.upload.write(bytes).await?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Sending, ApiError> {
        let Some((file_name, file_type)) = self.file else { return Err(ApiError::invalid(FILE, "is required")) };
        let details = details(&self.parts)?;
        Ok(Sending { parts: self.parts, details, file_name, file_type })
    }
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

/// Checks the fields other than the file. Empty fields count as absent, because browsers send them.
fn details(parts: &[(String, String)]) -> Result<DocumentDetails, FieldError> {
    let mut object = Map::new();
    for (name, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
        let value = if name == "belongsTo" {
            serde_json::from_str(text).map_err(|_| FieldError::new("belongsTo", "must be JSON with kind and id"))?
        } else {
            Value::from(text.as_str())
        };
        object.insert(name.clone(), value);
    }
    read::json(Value::Object(object).to_string().as_bytes())
}

/// The error for an invalid form or a failure of its body.
fn refuse(error: multer::Error) -> ApiError {
    use multer::Error as E;
    match error {
        E::UnknownField { field_name } => match field_name {
            Some(name) => ApiError::invalid(name, "is not a field of this form"),
            None => ApiError::new(ErrorCode::ValidationFailed, "A field of the form has no name."),
        },
        E::FieldSizeExceeded { field_name: Some(name), .. } if name != FILE => {
            ApiError::invalid(name, format!("must have at most {} bytes", limits::DOCUMENT_PART))
        }
        E::FieldSizeExceeded { .. } => body_refused(BodyError::TooLarge, BodyRule::Upload),
        E::StreamReadFailed(error) => match error.downcast_ref::<BodyError>() {
            Some(error) => body_refused(*error, BodyRule::Upload),
            None => malformed(&error),
        },
        error => malformed(&error),
    }
}

fn malformed(error: &dyn std::fmt::Display) -> ApiError {
    let message = format!("The multipart form is malformed: {error}.");
    ApiError::new(ErrorCode::ValidationFailed, message).with_header(header::CONNECTION, "close")
}
