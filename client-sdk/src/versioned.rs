//! Values with their `ETag`, so that a write states which version it is based on. The generated operations underneath take
//! the `ETag` as text.

use std::ops::Deref;
use std::time::Duration;

use progenitor_client::{ClientInfo, Error, ResponseValue};
use reqwest::StatusCode;
use reqwest::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, LOCATION};
use uuid::Uuid;

use crate::code;
use crate::error::{ApiError, ErrorExt, refused};
use crate::generated::Client;
use crate::types::{Itinerary, ItineraryCreate, ItineraryPatch};

/// Attempts of an update in all, before its conflict is returned.
const ATTEMPTS: u32 = 8;
/// The wait after the first conflict; doubled after each further one.
const FIRST_WAIT: Duration = Duration::from_millis(10);

/// A value with the `ETag` that it was read at. A part of an itinerary, such as a document, has the itinerary's `ETag`.
#[derive(Clone, Debug, PartialEq)]
pub struct Versioned<T> {
    value: T,
    etag: String,
}

impl<T> Versioned<T> {
    /// Joins a value with the `ETag` that was stored with it.
    pub fn new(value: T, etag: impl Into<String>) -> Self {
        Self { value, etag: etag.into() }
    }

    /// Returns the `ETag`, quotes included, as `If-Match` expects it.
    pub fn etag(&self) -> &str {
        &self.etag
    }

    /// Returns the value without its `ETag`.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Versioned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Fails if the response has no `ETag`, such as that of a dry run.
impl<T> TryFrom<ResponseValue<T>> for Versioned<T> {
    type Error = ApiError;

    fn try_from(answer: ResponseValue<T>) -> Result<Self, ApiError> {
        let etag = text(answer.headers(), ETAG.as_str()).ok_or_else(|| missing("ETag"))?;
        Ok(Self { value: answer.into_inner(), etag })
    }
}

/// A created itinerary.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// The itinerary with its `ETag`. Its `needs_attention` lists what could not be placed or filled in.
    pub itinerary: Versioned<Itinerary>,
    /// The path of the itinerary, from the header `Location`.
    pub location: String,
    /// Whether this is the stored response to an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// Fails for the response to a dry run, which creates nothing.
impl TryFrom<ResponseValue<Itinerary>> for Created {
    type Error = ApiError;

    fn try_from(answer: ResponseValue<Itinerary>) -> Result<Self, ApiError> {
        let location = text(answer.headers(), LOCATION.as_str()).ok_or_else(|| missing("Location"))?;
        let replayed = text(answer.headers(), "idempotency-replayed").is_some_and(|value| value == "true");
        Ok(Self { itinerary: answer.try_into()?, location, replayed })
    }
}

impl Client {
    /// Creates an itinerary. To set an idempotency key, allow a duplicate or make a dry run, use
    /// [`itinerary_create`](Client::itinerary_create), whose response can be converted to [`Created`] too.
    pub async fn create_itinerary(&self, itinerary: ItineraryCreate) -> Result<Created, ApiError> {
        self.itinerary_create().body(itinerary).send().await?.try_into()
    }

    /// Reads an itinerary with its `ETag`.
    pub async fn read_itinerary(&self, id: Uuid) -> Result<Versioned<Itinerary>, ApiError> {
        self.itinerary_view().id(id).send().await?.try_into()
    }

    /// Reads an itinerary if its version differs from this one; `None` if it is the same. Counts of likes and views do
    /// not change the version.
    pub async fn read_itinerary_if_changed(
        &self,
        known: &Versioned<Itinerary>,
    ) -> Result<Option<Versioned<Itinerary>>, ApiError> {
        let address = format!("{}/v1/itineraries/{}", self.baseurl(), known.id);
        let etag = HeaderValue::try_from(known.etag())?;
        let request = self.client().get(address).header(IF_NONE_MATCH, etag).build()?;
        let answer = self.call(request, "itinerary_view").await?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => Ok(None),
            StatusCode::OK => ResponseValue::<Itinerary>::from_response(answer).await?.try_into().map(Some),
            _ => Err(refused(answer).await),
        }
    }

    /// Updates an itinerary that has not changed since it was read, and returns its new version. Otherwise fails with
    /// [`ITINERARY_MODIFIED`](crate::code::ITINERARY_MODIFIED).
    pub async fn update_itinerary(
        &self,
        current: &Versioned<Itinerary>,
        patch: ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        self.itinerary_update().id(current.id).if_match(current.etag()).body(patch).send().await?.try_into()
    }

    /// Reads an itinerary, makes a patch from it and applies the patch. On
    /// [`ITINERARY_MODIFIED`](crate::code::ITINERARY_MODIFIED), starts again; at most eight times in all.
    pub async fn update_itinerary_with(
        &self,
        id: Uuid,
        mut patch: impl FnMut(&Itinerary) -> ItineraryPatch,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        let mut wait = FIRST_WAIT;
        for _ in 1..ATTEMPTS {
            let current = self.read_itinerary(id).await?;
            match self.update_itinerary(&current, patch(&current)).await {
                Err(error) if error.is(code::ITINERARY_MODIFIED) => tokio::time::sleep(wait).await,
                result => return result,
            }
            wait *= 2;
        }
        let current = self.read_itinerary(id).await?;
        self.update_itinerary(&current, patch(&current)).await
    }

    /// Sets the cover image: a JPEG, PNG or WebP file of at most 10 MB. If empty, the server picks an image.
    pub async fn cover_image(
        &self,
        current: &Versioned<Itinerary>,
        image: impl Into<reqwest::Body>,
    ) -> Result<Versioned<Itinerary>, ApiError> {
        let set = self.itinerary_cover_image_set().id(current.id).if_match(current.etag());
        set.body(image.into()).send().await?.try_into()
    }

    /// Deletes an itinerary that has not changed since it was read, for everyone it is shared with.
    pub async fn delete_itinerary(&self, current: &Versioned<Itinerary>) -> Result<(), ApiError> {
        self.itinerary_delete().id(current.id).if_match(current.etag()).send().await?;
        Ok(())
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

pub(crate) fn missing(header: &str) -> ApiError {
    Error::Custom(format!("the response has no {header} header"))
}
