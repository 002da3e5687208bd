//! Bookings from files: sending files to be read, which the generated client cannot because they are a multipart form, and
//! turning the result into a request.

use std::io;
use std::path::Path;

use bytes::Bytes;
use chrono::NaiveDate;
use futures::TryStreamExt;
use progenitor_client::{ClientInfo, ResponseValue};
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use reqwest::multipart::{Form, Part};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::error::{ApiError, Error, refused};
use crate::generated::Client;
use crate::types::{ImportResult, ItineraryCreate, ItineraryDraft, ItineraryPatch};

/// The id of the operation.
pub(crate) const IMPORT: &str = "import_read";

/// A file to read: a mail, a calendar, a pass, or another file with bookings or places. At most 5 MB.
///
/// ```
/// use itinerary_sdk::ImportFile;
///
/// let calendar = ImportFile::new("trip.ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n").media_type("text/calendar");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportFile {
    /// The file's name, by which the result names it.
    pub name: String,
    /// The media type, such as `message/rfc822`. The service detects the format by the content if it is missing or wrong.
    pub media_type: Option<String>,
    /// The bytes.
    pub content: Bytes,
}

impl ImportFile {
    /// A file in memory.
    ///
    /// ```
    /// let file = itinerary_sdk::ImportFile::new("booking.eml", "From: airline@example.org\r\n\r\n");
    /// assert_eq!(file.media_type, None);
    /// ```
    pub fn new(name: impl Into<String>, content: impl Into<Bytes>) -> Self {
        Self { name: name.into(), media_type: None, content: content.into() }
    }

    /// Reads the file at a path, and names it by its file name.
    ///
    /// ```no_run
    /// # async fn example() -> std::io::Result<()> {
    /// let file = itinerary_sdk::ImportFile::open("booking.eml").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Self::new(name.unwrap_or_default(), tokio::fs::read(path).await?))
    }

    /// Sets the media type, such as `text/calendar`.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    fn part(self) -> reqwest::Result<Part> {
        // A line break would end the header of the part.
        let name = self.name.replace(char::is_control, "_");
        let part = Part::stream_with_length(self.content.clone(), self.content.len() as u64).file_name(name);
        match &self.media_type {
            Some(media_type) => part.mime_str(media_type),
            None => Ok(part),
        }
    }
}

/// How files are read. The default drafts a new itinerary, and dates what has no year by today.
///
/// ```
/// use itinerary_sdk::{ImportOptions, Uuid};
///
/// let options = ImportOptions::into_itinerary(Uuid::from_u128(7)).overwrite();
/// assert_eq!(options.itinerary, Some(Uuid::from_u128(7)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// The itinerary to import into. `None` for a new one.
    pub itinerary: Option<Uuid>,
    /// The day that gives a year to dates that have none. `None` for today.
    pub as_of: Option<NaiveDate>,
    /// Whether values of the files replace those of the itinerary that differ.
    pub overwrite: bool,
}

impl ImportOptions {
    /// Imports into an itinerary, of which empty fields are filled.
    ///
    /// ```
    /// let options = itinerary_sdk::ImportOptions::into_itinerary(itinerary_sdk::Uuid::nil());
    /// assert!(!options.overwrite);
    /// ```
    pub fn into_itinerary(id: Uuid) -> Self {
        Self { itinerary: Some(id), ..Self::default() }
    }

    /// Sets the day that gives a year to dates that have none, such as those of boarding passes.
    ///
    /// ```
    /// use itinerary_sdk::{ImportOptions, chrono::NaiveDate};
    ///
    /// let day = NaiveDate::from_ymd_opt(2027, 5, 1).unwrap();
    /// assert_eq!(ImportOptions::default().as_of(day).as_of, Some(day));
    /// ```
    #[must_use]
    pub fn as_of(mut self, day: NaiveDate) -> Self {
        self.as_of = Some(day);
        self
    }

    /// Replaces values of the itinerary that differ from those of the files.
    ///
    /// ```
    /// assert!(itinerary_sdk::ImportOptions::default().overwrite().overwrite);
    /// ```
    #[must_use]
    pub fn overwrite(mut self) -> Self {
        self.overwrite = true;
        self
    }

    fn query(self) -> Vec<(&'static str, String)> {
        let itinerary = self.itinerary.map(|id| ("itineraryId", id.to_string()));
        let as_of = self.as_of.map(|day| ("asOf", day.to_string()));
        let overwrite = self.overwrite.then(|| ("overwrite", "true".to_owned()));
        [itinerary, as_of, overwrite].into_iter().flatten().collect()
    }
}

/// The operations with the tag Imports, returned by [`Client::imports`]. Bookings, places and trips from files.
#[derive(Clone, Copy)]
pub struct Imports<'a> {
    client: &'a Client,
}

impl Imports<'_> {
    /// Same as [`Client::import_read`].
    pub async fn read(
        self,
        files: impl IntoIterator<Item = ImportFile>,
        options: ImportOptions,
    ) -> Result<ImportResult, ApiError> {
        self.client.import_read(files, options).await
    }
}

impl Client {
    /// The operations of [`Imports`]. Bookings, places and trips from files.
    pub fn imports(&self) -> Imports<'_> {
        Imports { client: self }
    }

    /// Finds bookings, places and trips in up to 20 files of 5 MB each, 20 MB in all. The service stores nothing: review the
    /// result, then send its `itinerary` ([`ItineraryDraft::into_create`], [`ItineraryDraft::into_update`]). Needs the scope
    /// `itineraries:write`.
    ///
    /// Fails with [`VALIDATION_FAILED`](crate::code::VALIDATION_FAILED) on `file` if no file has anything to import.
    ///
    /// ```no_run
    /// # async fn example(client: &itinerary_sdk::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use itinerary_sdk::{ImportFile, ImportOptions};
    ///
    /// let files = [ImportFile::open("flight.eml").await?, ImportFile::open("hotel.eml").await?];
    /// let found = client.import_read(files, ImportOptions::default()).await?;
    /// for item in &found.items {
    ///     println!("{} from {}", item.field, item.file);
    /// }
    /// let trip = client.itinerary_create(found.itinerary.into_create()?).send().await?;
    /// println!("created {}", trip.id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn import_read(
        &self,
        files: impl IntoIterator<Item = ImportFile>,
        options: ImportOptions,
    ) -> Result<ImportResult, ApiError> {
        let mut form = Form::new();
        for file in files {
            form = form.part("file", file.part()?);
        }
        let content_type = format!("multipart/form-data; boundary={}", form.boundary());
        // In memory, so that the request can be repeated.
        let body: Vec<Bytes> = form.into_stream().try_collect().await?;
        let address = format!("{}/v1/imports", self.baseurl());
        let request = self.client().post(address).query(&options.query()).header(CONTENT_TYPE, content_type);
        let answer = self.call(request.body(body.concat()).build()?, IMPORT).await?;
        if answer.status() != StatusCode::OK {
            return Err(refused(answer).await);
        }
        Ok(ResponseValue::<ImportResult>::from_response(answer).await?.into_inner())
    }
}

impl ItineraryDraft {
    /// The request that creates this itinerary. Fails with [`Error::InvalidRequest`] without a destination: ask the traveller
    /// and set `destination` first.
    ///
    /// ```
    /// use itinerary_sdk::types::ItineraryDraft;
    ///
    /// assert!(ItineraryDraft::default().into_create().is_err());
    /// ```
    #[expect(clippy::result_large_err, reason = "the error of all operations")]
    pub fn into_create(self) -> Result<ItineraryCreate, ApiError> {
        if self.destination.is_none() {
            return Err(Error::InvalidRequest("the draft has no destination".to_owned()));
        }
        self.into_request()
    }

    /// The request that updates the itinerary that the files were compared with. Send it with `etag` of the result in
    /// `If-Match`.
    ///
    /// ```
    /// use itinerary_sdk::types::{ItineraryDraft, ItineraryPatch};
    ///
    /// # fn example() -> Result<(), itinerary_sdk::ApiError> {
    /// assert_eq!(ItineraryDraft::default().into_update()?, ItineraryPatch::default());
    /// # Ok(())
    /// # }
    /// # example().unwrap();
    /// ```
    #[expect(clippy::result_large_err, reason = "the error of all operations")]
    pub fn into_update(self) -> Result<ItineraryPatch, ApiError> {
        self.into_request()
    }

    #[expect(clippy::result_large_err, reason = "the error of all operations")]
    fn into_request<T: DeserializeOwned>(self) -> Result<T, ApiError> {
        let request = serde_json::to_value(self).and_then(serde_json::from_value);
        request.map_err(|error| Error::InvalidRequest(error.to_string()))
    }
}
