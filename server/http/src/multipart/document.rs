//! The form of an upload: one file, which is passed on piece by piece, and small fields.

use std::ops::ControlFlow;

use http::header::{self, HeaderMap};
use itinerary_api::error::ApiError;
use itinerary_api::policy::BodyRule;
use itinerary_api::read::{self, FieldError};
use itinerary_api::types::DocumentDetails;
use itinerary_api::values::{MediaType, limits};
use itinerary_app::itineraries::documents::{Sending, Upload};
use multer::{Constraints, Field, SizeLimit};
use serde_json::{Map, Value};

use super::{Body, FILE, Form, file_name, refuse};

/// The names of the other fields.
const PARTS: [&str; 4] = ["name", "category", "belongsTo", "mimeType"];

/// Reads a form and passes its file to an upload.
pub(crate) async fn read(headers: &HeaderMap, body: Body, upload: &mut Upload<'_>) -> Result<Sending, ApiError> {
    let size = SizeLimit::new().per_field(limits::DOCUMENT_PART).for_field(FILE, limits::DOCUMENT);
    let names = [&PARTS[..], &[FILE]].concat();
    let constraints = Constraints::new().allowed_fields(names).size_limit(size);
    let mut form = Form::new(headers, body, constraints, BodyRule::Upload)?;
    let mut reading = Reading { upload, parts: Vec::new(), file: None };
    while let ControlFlow::Continue(()) = reading.part(&mut form).await? {}
    reading.finish()
}

/// The state of reading a form.
struct Reading<'r, 's> {
    upload: &'r mut Upload<'s>,
    parts: Vec<(String, String)>,
    /// The file's name and media type.
    file: Option<(String, Option<MediaType>)>,
}

impl Reading<'_, '_> {
    async fn part(&mut self, form: &mut Form) -> Result<ControlFlow<()>, ApiError> {
        let Some(field) = form.next().await? else { return Ok(ControlFlow::Break(())) };
        let name = field.name().unwrap_or_default().to_owned();
        let is_repeated = if name == FILE { self.file.is_some() } else { self.parts.iter().any(|part| part.0 == name) };
        if is_repeated {
            return Err(ApiError::invalid(name, "appears more than once"));
        }
        if name == FILE {
            self.file(field).await?;
        } else {
            let text = field.bytes().await.map_err(|error| refuse(error, BodyRule::Upload))?;
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
        while let Some(bytes) = field.chunk().await.map_err(|error| refuse(error, BodyRule::Upload))? {
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
