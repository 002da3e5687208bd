//! Uploading and downloading sealed documents, which the generated client cannot: uploads are multipart forms, and download
//! links are outside the API. See `sealing` for sealing and opening the files.

mod download;
mod file;
mod progress;

use std::io;
use std::time::Duration;

use futures::TryStreamExt;
use progenitor_client::{ClientInfo, ResponseValue};
use reqwest::multipart::{Form, Part};
use reqwest::{Body, Response, StatusCode};
use uuid::Uuid;

pub use download::Download;
#[cfg(feature = "sealing")]
pub(crate) use file::BLOCK;
pub use file::FileSource;
pub(crate) use file::OpenFile;
pub use progress::Progress;

use crate::error::{ApiError, Error, refused};
use crate::generated::Client;
use crate::groups::Documents;
use crate::hooks;
use crate::types::{BelongsToInput, DocumentCategory, UploadedDocument};
use crate::versioned::{Versioned, missing};

/// The time limit of the smallest transfer.
const LEAST_TIME: Duration = Duration::from_mins(1);
/// The lowest transfer rate that the service accepts, in bytes a second.
const SLOWEST: u64 = 16 * 1024;
/// The largest document that the service accepts, in bytes.
pub(crate) const LARGEST: u64 = 20 * 1024 * 1024;
/// The media type of every sealed file, whatever it contains.
const SEALED: &str = "application/octet-stream";

/// A document's metadata besides its sealed file. It is not encrypted: leave secrets out of it.
///
/// ```
/// use itinerary_sdk::UploadDetails;
/// use itinerary_sdk::types::DocumentCategory;
///
/// let details = UploadDetails::named("boarding-pass.pdf.age")
///     .name("Boarding pass to Lisbon")
///     .category(DocumentCategory::BoardingPass)
///     .media_type("application/pdf");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UploadDetails {
    /// The file's name when it is downloaded, 1 to 200 characters.
    pub file_name: String,
    /// The document's name, 1 to 200 characters. Defaults to the file's name.
    pub name: Option<String>,
    /// The media type of the file before it was sealed, such as `application/pdf`.
    pub media_type: Option<String>,
    /// The kind of document. Defaults to [`DocumentCategory::Other`].
    pub category: Option<DocumentCategory>,
    /// The part of the itinerary that the document belongs to.
    pub belongs_to: Option<BelongsToInput>,
    /// A UUID that makes the upload repeatable: with the same key, the document is stored once. Defaults to a new one.
    pub idempotency_key: Option<String>,
}

impl UploadDetails {
    /// Details with a file name and defaults.
    ///
    /// ```
    /// assert_eq!(itinerary_sdk::UploadDetails::named("boarding-pass.pdf.age").category, None);
    /// ```
    pub fn named(file_name: impl Into<String>) -> Self {
        Self { file_name: file_name.into(), ..Self::default() }
    }

    /// Sets the document's name, 1 to 200 characters.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the media type of the file before it was sealed, such as `application/pdf`.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Sets the kind of document.
    #[must_use]
    pub fn category(mut self, category: DocumentCategory) -> Self {
        self.category = Some(category);
        self
    }

    /// Sets the part of the itinerary that the document belongs to, such as `BelongsToInput::flight("outbound")`.
    #[must_use]
    pub fn belongs_to(mut self, part: impl Into<BelongsToInput>) -> Self {
        self.belongs_to = Some(part.into());
        self
    }

    /// Sets the idempotency key, a UUID or its text: with the same key, the document is stored once. A key covers the
    /// retries of one upload; do not derive keys from your data.
    ///
    /// ```
    /// use itinerary_sdk::{UploadDetails, Uuid};
    ///
    /// let details = UploadDetails::named("pass.pdf.age").idempotency_key(Uuid::from_u128(7));
    /// let same = UploadDetails::named("pass.pdf.age").idempotency_key("00000000-0000-0000-0000-000000000007");
    /// assert_eq!(details, same);
    /// ```
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// The form of an upload, with the file as its last part.
    fn form(&self, file: OpenFile) -> reqwest::Result<Form> {
        let mut form = Form::new();
        let category = self.category.map(|category| category.to_string());
        for (name, text) in [("name", &self.name), ("category", &category), ("mimeType", &self.media_type)] {
            if let Some(text) = text {
                form = form.text(name, text.clone());
            }
        }
        if let Some(belongs_to) = &self.belongs_to {
            let text = serde_json::json!(belongs_to).to_string();
            form = form.part("belongsTo", Part::text(text).mime_str("application/json")?);
        }
        // A line break would end the header of the part.
        let file_name = self.file_name.replace(char::is_control, "_");
        let body = Body::wrap_stream(file.blocks.map_err(Unreadable));
        let part = Part::stream_with_length(body, file.size).mime_str(SEALED)?.file_name(file_name);
        Ok(form.part("file", part))
    }
}

/// The caller's file could not be read; the connection did not fail.
#[derive(Debug, thiserror::Error)]
#[error("failed to read the file: {0}")]
struct Unreadable(#[source] io::Error);

impl Client {
    /// Uploads a sealed file of at most 20 MB, and returns the document with the itinerary's new version. Needs the
    /// scope `documents:write` and the Pro subscription. With the feature `sealing`, `seal_and_upload` seals the file
    /// too.
    ///
    /// The file is sent as it is read. The time limit is one minute plus one second for each 16 KiB, regardless of the
    /// client's timeout. If the access token is rejected and the file cannot be read again (see [`FileSource`]), fails
    /// with [`UNAUTHENTICATED`](crate::code::UNAUTHENTICATED); the token is refreshed by then, and the caller can
    /// repeat the upload.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid) -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::{FileSource, UploadDetails};
    ///
    /// let file = FileSource::path("boarding-pass.pdf.age");
    /// let document = client.document_upload(trip, file, UploadDetails::named("boarding-pass.pdf.age")).await?;
    /// println!("{} is stored; the itinerary is at {}", document.name, document.etag());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn document_upload(
        &self,
        itinerary: Uuid,
        file: impl Into<FileSource>,
        details: UploadDetails,
    ) -> Result<Versioned<UploadedDocument>, ApiError> {
        let mut file = file.into();
        let mut answer = self.send_document(itinerary, &details, open(&mut file).await?).await?;
        if file.is_repeatable() && hooks::was_renewed(&answer) {
            answer = self.send_document(itinerary, &details, open(&mut file).await?).await?;
        }
        uploaded(answer).await
    }

    /// Downloads the sealed file behind a link: the `url` of [`document_link`](Client::document_link) or of an upload. Sends
    /// no token, as the link needs none. Fails with [`NOT_FOUND`](crate::code::NOT_FOUND) if the link has expired.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client, trip: uuid::Uuid, document: uuid::Uuid)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::TryStreamExt;
    /// use tokio::io::AsyncWriteExt;
    ///
    /// let link = client.document_link(trip, document).send().await?;
    /// let mut download = client.document_download(&link.url).await?;
    /// let mut file = tokio::fs::File::create("boarding-pass.pdf.age").await?;
    /// while let Some(bytes) = download.try_next().await? {
    ///     file.write_all(&bytes).await?;
    ///     println!("{} of {} bytes", download.progress().transferred, download.size());
    /// }
    /// file.flush().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn document_download(&self, url: &str) -> Result<Download, ApiError> {
        // The size is not known yet.
        let request = self.client().get(url).timeout(transfer_time(LARGEST)).build();
        let request = request.map_err(|error| Error::InvalidRequest(error.without_url().to_string()))?;
        let answer = self.call(request, hooks::DOWNLOAD).await.map_err(without_url)?;
        if answer.status() != StatusCode::OK {
            return Err(refused(answer).await);
        }
        let size = answer.content_length().ok_or_else(|| missing("Content-Length"))?;
        Ok(Download::new(answer, size))
    }

    /// Sends the form of an upload once.
    pub(crate) async fn send_document(
        &self,
        itinerary: Uuid,
        details: &UploadDetails,
        file: OpenFile,
    ) -> Result<Response, ApiError> {
        let address = format!("{}/v1/itineraries/{itinerary}/documents", self.baseurl());
        let mut request = self.client().post(address).timeout(transfer_time(file.size));
        if let Some(key) = &details.idempotency_key {
            request = request.header(hooks::IDEMPOTENCY_KEY, key);
        }
        let request = request.multipart(details.form(file)?).build()?;
        self.call(request, "document_upload").await.map_err(name_unreadable)
    }
}

impl Documents<'_> {
    /// Same as [`Client::document_upload`].
    pub async fn upload(
        self,
        itinerary: Uuid,
        file: impl Into<FileSource>,
        details: UploadDetails,
    ) -> Result<Versioned<UploadedDocument>, ApiError> {
        self.client.document_upload(itinerary, file, details).await
    }

    /// Same as [`Client::document_download`].
    pub async fn download(self, url: &str) -> Result<Download, ApiError> {
        self.client.document_download(url).await
    }
}

async fn open(file: &mut FileSource) -> Result<OpenFile, ApiError> {
    file.open().await.map_err(|error| Error::Custom(Unreadable(error).to_string()))
}

/// Reads the document in the response to an upload.
pub(crate) async fn uploaded(answer: Response) -> Result<Versioned<UploadedDocument>, ApiError> {
    if answer.status() != StatusCode::CREATED {
        return Err(refused(answer).await);
    }
    ResponseValue::<UploadedDocument>::from_response(answer).await?.try_into()
}

fn transfer_time(size: u64) -> Duration {
    LEAST_TIME + Duration::from_secs(size / SLOWEST)
}

/// Tells whether a request failed because its file did.
fn name_unreadable(error: ApiError) -> ApiError {
    let mut cause = match &error {
        Error::CommunicationError(error) => std::error::Error::source(error),
        _ => None,
    };
    while let Some(error) = cause {
        if let Some(unreadable) = error.downcast_ref::<Unreadable>() {
            return Error::Custom(unreadable.to_string());
        }
        cause = error.source();
    }
    error
}

/// Anyone with the link can download the file, so it must not be logged.
fn without_url(error: ApiError) -> ApiError {
    match error {
        Error::CommunicationError(error) => Error::CommunicationError(error.without_url()),
        other => other,
    }
}
