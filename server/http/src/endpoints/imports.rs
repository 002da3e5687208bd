//! Files to import: one as the body, or several in a form.

use bytes::BytesMut;
use http::header::{self, HeaderMap};
use itinerary_api::error::ApiError;
use itinerary_api::extract::UploadBody;
use itinerary_api::policy::{BodyRule, Policy};
use itinerary_api::request_state::Caller;
use itinerary_api::types::{ImportQuery, ImportResult};
use itinerary_api::values::limits;
use itinerary_app::itineraries::imports::{self, ImportFile};
use itinerary_app::{Error, admission};
use itinerary_platform::context::Service;

use crate::body::{BodyError, StreamedUpload};
use crate::{guards, multipart};

pub(super) async fn import(
    service: &Service,
    caller: &Caller,
    query: &ImportQuery,
    UploadBody { head, body }: UploadBody,
) -> Result<ImportResult, ApiError> {
    imports::admit(service, caller, query).await?;
    // The files are in memory until they are read.
    let _upload = service.uploads.acquire(caller.account).ok_or(Error::TooManyTransfers)?;
    let is_form = is_form(&head.headers);
    let limit = if is_form { limits::IMPORT_BODY } else { limits::IMPORT_FILE as u64 };
    let body = StreamedUpload::new(&head.headers, body, limit, service.config.body_stall);
    let files = if is_form {
        multipart::read_files(&head.headers, body).await?
    } else {
        vec![file(&head.headers, body).await?]
    };
    let policy = Policy::of("import_read").expect("the operation has a policy");
    // Checks token, scope and plan again, because receiving files takes a while.
    let caller = guards::authenticate(service, policy, &head.headers).await?;
    admission::check_scope(policy.scope, &caller)?;
    Ok(imports::import(service, &caller, query, files).await?)
}

fn is_form(headers: &HeaderMap) -> bool {
    let media_type = media_type(headers).unwrap_or_default();
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("multipart/form-data")
}

fn media_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

/// The body as a file without a name.
async fn file(headers: &HeaderMap, mut body: StreamedUpload) -> Result<ImportFile, ApiError> {
    let mut content = BytesMut::new();
    while let Some(bytes) = body.next().await.map_err(refuse)? {
        content.extend_from_slice(&bytes);
    }
    let media_type = media_type(headers).map(str::to_owned);
    Ok(ImportFile { name: String::new(), media_type, content: Some(content.freeze()) })
}

fn refuse(error: BodyError) -> ApiError {
    guards::body_refused(error, BodyRule::Files)
}
