//! The form of an import: files, which are kept in memory.

use bytes::BytesMut;
use http::header::{self, HeaderMap};
use itinerary_api::error::ApiError;
use itinerary_api::policy::BodyRule;
use itinerary_api::values::limits;
use itinerary_app::itineraries::imports::ImportFile;
use multer::{Constraints, Field};

use super::{Body, FILE, Form, file_name, refuse};

/// Reads a form's files. Of one that is too large, nothing is kept.
pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<Vec<ImportFile>, ApiError> {
    let mut form = Form::new(headers, body, Constraints::new(), BodyRule::Files)?;
    let mut files = Vec::new();
    while let Some(field) = form.next().await? {
        if field.file_name().is_none() && field.name() != Some(FILE) {
            let name = field.name().unwrap_or(FILE).to_owned();
            return Err(ApiError::invalid(name, "is not a file"));
        }
        if files.len() == limits::IMPORT_FILES {
            return Err(ApiError::invalid(FILE, format!("appears more than {} times", limits::IMPORT_FILES)));
        }
        files.push(file(field).await?);
    }
    Ok(files)
}

async fn file(mut field: Field<'_>) -> Result<ImportFile, ApiError> {
    let name = file_name(&field);
    let media_type = field.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut content = Some(BytesMut::new());
    while let Some(bytes) = field.chunk().await.map_err(|error| refuse(error, BodyRule::Files))? {
        content = content.filter(|content| content.len() + bytes.len() <= limits::IMPORT_FILE);
        if let Some(content) = &mut content {
            content.extend_from_slice(&bytes);
        }
    }
    Ok(ImportFile { name, media_type, content: content.map(BytesMut::freeze) })
}
