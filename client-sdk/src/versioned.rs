//! Values with their `ETag`, so that a write states which version it is based on.

use std::fmt;
use std::ops::Deref;

use progenitor_client::{ClientInfo, ResponseValue};
use reqwest::StatusCode;
use reqwest::header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, LOCATION};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{ApiError, Error, refused};
use crate::generated::Client;
use crate::groups::Itineraries;
use crate::types::{Itinerary, ListedItinerary};

const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A value with the `ETag` of its version. A part of an itinerary, such as a document, has the itinerary's `ETag`.
///
/// ```
/// use itinerary_sdk::Versioned;
///
/// let stored = Versioned::new("A week in Lisbon".to_owned(), "\"v1.m\"");
/// assert_eq!((stored.len(), stored.etag()), (16, "\"v1.m\""));
/// ```
///
/// A program can store it: with serde, it is an object with the fields `value` and `etag`.
///
/// ```
/// use itinerary_sdk::Versioned;
///
/// let copy = Versioned::new("Lisbon".to_owned(), "\"v3.m\"");
/// let json = serde_json::to_string(&copy)?;
/// assert_eq!(json, r#"{"value":"Lisbon","etag":"\"v3.m\""}"#);
/// assert_eq!(serde_json::from_str::<Versioned<String>>(&json)?, copy);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Versioned<T> {
    value: T,
    etag: String,
    #[serde(skip)]
    replayed: bool,
}

/// Compares value and version.
impl<T: PartialEq> PartialEq for Versioned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && self.etag == other.etag
    }
}

impl<T> Versioned<T> {
    /// Joins a value with the `ETag` that was stored with it.
    ///
    /// ```
    /// let stored = itinerary_sdk::Versioned::new("Lisbon", "\"v3.m\"");
    /// assert_eq!(stored.etag(), "\"v3.m\"");
    /// ```
    pub fn new(value: T, etag: impl Into<String>) -> Self {
        Self { value, etag: etag.into(), replayed: false }
    }

    /// Returns the `ETag`, quotes included, as `If-Match` expects it.
    ///
    /// ```
    /// # async fn example(client: &itinerary_sdk::Client, id: uuid::Uuid) -> Result<(), itinerary_sdk::ApiError> {
    /// let days = client.day_list(id).send().await?;
    /// println!("the days are those of version {}", days.etag());
    /// # Ok(())
    /// # }
    /// ```
    pub fn etag(&self) -> &str {
        &self.etag
    }

    /// Returns whether this is the stored response to an earlier request with the same idempotency key, so that the
    /// request changed nothing. Value and version are those of the earlier request; the itinerary may have changed
    /// since. Also true if the SDK retried a request whose first response was lost.
    ///
    /// ```no_run
    /// # use itinerary_sdk::{ApiError, Client, Uuid, Versioned, types::{Itinerary, ItineraryPatch}};
    /// # async fn example(client: &Client, trip: Versioned<Itinerary>, key: Uuid) -> Result<(), ApiError> {
    /// let patch = ItineraryPatch::default().title("A week in Lisbon");
    /// let renamed = client.itinerary_update(trip.id, &trip, patch).idempotency_key(key).send().await?;
    /// if renamed.replayed() {
    ///     println!("stored before, as version {}", renamed.etag());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn replayed(&self) -> bool {
        self.replayed
    }

    /// Returns the value without its `ETag`, so that fields can be moved out of it. For a list, `into_data` returns its
    /// entries.
    ///
    /// ```
    /// assert_eq!(itinerary_sdk::Versioned::new("Lisbon", "\"v3.m\"").into_inner(), "Lisbon");
    /// ```
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

/// Fails if the response has no `ETag`, as for a dry run.
impl<T> TryFrom<ResponseValue<T>> for Versioned<T> {
    type Error = ApiError;

    fn try_from(answer: ResponseValue<T>) -> Result<Self, ApiError> {
        let etag = text(answer.headers(), ETAG.as_str()).ok_or_else(|| missing("ETag"))?;
        let replayed = is_replayed(answer.headers());
        Ok(Self { value: answer.into_inner(), etag, replayed })
    }
}

/// The version that a write is based on, or that a reader has: what `If-Match` and `If-None-Match` send. Made from a
/// [`Versioned`] value or an entry of a list by reference, or from the text of an `ETag`.
///
/// Every part of an itinerary has the itinerary's version, so what was read last will do: the itinerary, or one of its
/// lists.
///
/// ```
/// # use itinerary_sdk::{ApiError, Client, Uuid};
/// # async fn example(client: &Client, id: Uuid) -> Result<(), ApiError> {
/// let trip = client.itinerary_view(id).send().await?;
/// client.itinerary_delete(id, &trip).send().await
/// # }
/// ```
///
/// A program that forgets it does not compile:
///
/// ```compile_fail
/// # use itinerary_sdk::{ApiError, Client, Uuid};
/// # async fn example(client: &Client, id: Uuid) -> Result<(), ApiError> {
/// let trip = client.itinerary_view(id).send().await?;
/// client.itinerary_delete(id).send().await
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IfMatch(String);

impl IfMatch {
    /// Any version: a concurrent change is overwritten.
    ///
    /// ```
    /// # use itinerary_sdk::{ApiError, Client, IfMatch, Uuid};
    /// # async fn example(client: &Client, id: Uuid) -> Result<(), ApiError> {
    /// client.itinerary_delete(id, IfMatch::any()).send().await
    /// # }
    /// ```
    #[must_use]
    pub fn any() -> Self {
        Self("*".to_owned())
    }
}

impl<T> From<&Versioned<T>> for IfMatch {
    fn from(value: &Versioned<T>) -> Self {
        Self(value.etag.clone())
    }
}

impl<T> From<Versioned<T>> for IfMatch {
    fn from(value: Versioned<T>) -> Self {
        Self(value.etag)
    }
}

/// The version of an entry of a list.
impl From<&ListedItinerary> for IfMatch {
    fn from(entry: &ListedItinerary) -> Self {
        Self(entry.etag.clone())
    }
}

impl From<&str> for IfMatch {
    fn from(etag: &str) -> Self {
        Self(etag.to_owned())
    }
}

impl From<&String> for IfMatch {
    fn from(etag: &String) -> Self {
        Self(etag.clone())
    }
}

impl From<String> for IfMatch {
    fn from(etag: String) -> Self {
        Self(etag)
    }
}

impl fmt::Display for IfMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A created itinerary.
///
/// ```no_run
/// # use itinerary_sdk::{ApiError, Client, Created, types::ItineraryCreate};
/// # async fn example(client: &Client, trip: ItineraryCreate) -> Result<(), ApiError> {
/// let created = Created::try_from(client.itinerary_create(trip).send_raw().await?)?;
/// println!("{} is at {}", created.itinerary.title, created.location);
/// # Ok(())
/// # }
/// ```
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
        let replayed = is_replayed(answer.headers());
        Ok(Self { itinerary: answer.try_into()?, location, replayed })
    }
}

impl Client {
    /// Reads an itinerary if its version differs from the known one; `None` if it is the same. The known version is a
    /// [`Versioned`] value or an entry of a list by reference, or the text of an `ETag`. Counts of likes and views do not
    /// change the version.
    ///
    /// ```no_run
    /// # use itinerary_sdk::{ApiError, Client, Uuid, Versioned, types::Itinerary};
    /// # async fn example(client: &Client, mut copy: Versioned<Itinerary>) -> Result<(), ApiError> {
    /// if let Some(newer) = client.itinerary_view_if_changed(copy.id, &copy).await? {
    ///     copy = newer;
    /// }
    /// let (id, etag) = (copy.id, copy.etag().to_owned()); // as a program would store them
    /// assert_eq!(client.itinerary_view_if_changed(id, etag).await?, None);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn itinerary_view_if_changed(
        &self,
        id: Uuid,
        known: impl Into<IfMatch>,
    ) -> Result<Option<Versioned<Itinerary>>, ApiError> {
        let address = format!("{}/v1/itineraries/{id}", self.baseurl());
        let etag = HeaderValue::try_from(known.into().0)?;
        let request = self.client().get(address).header(IF_NONE_MATCH, etag).build()?;
        let answer = self.call(request, "itinerary_view").await?;
        match answer.status() {
            StatusCode::NOT_MODIFIED => Ok(None),
            StatusCode::OK => ResponseValue::<Itinerary>::from_response(answer).await?.try_into().map(Some),
            _ => Err(refused(answer).await),
        }
    }
}

impl Itineraries<'_> {
    /// Same as [`Client::itinerary_view_if_changed`].
    pub async fn view_if_changed(
        self,
        id: Uuid,
        known: impl Into<IfMatch>,
    ) -> Result<Option<Versioned<Itinerary>>, ApiError> {
        self.client.itinerary_view_if_changed(id, known).await
    }
}

fn is_replayed(headers: &HeaderMap) -> bool {
    headers.get(IDEMPOTENCY_REPLAYED).is_some_and(|value| value == "true")
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    Some(headers.get(name)?.to_str().ok()?.to_owned())
}

pub(crate) fn missing(header: &str) -> ApiError {
    Error::Custom(format!("the response has no {header} header"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(replayed: Option<&'static str>) -> Versioned<u8> {
        let mut headers = HeaderMap::new();
        headers.insert(ETAG, HeaderValue::from_static("\"v3.m\""));
        headers.extend(replayed.map(|value| (IDEMPOTENCY_REPLAYED, HeaderValue::from_static(value))));
        ResponseValue::new(7_u8, StatusCode::OK, headers).try_into().unwrap()
    }

    #[test]
    fn a_replay_is_known_by_its_header_and_equals_the_first_response() {
        assert!(response(Some("true")).replayed());
        assert!(!response(None).replayed() && !response(Some("false")).replayed());
        assert!(!Versioned::new(7, "\"v3.m\"").replayed());
        assert_eq!(response(Some("true")), response(None));
        assert_ne!(response(None), Versioned::new(8, "\"v3.m\""));
        assert_ne!(response(None), Versioned::new(7, "\"v4.m\""));
    }
}
