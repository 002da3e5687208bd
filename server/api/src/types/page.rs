//! Pages, queries of lists, and health.

use itinerary_model::ListFilter;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use crate::values::{Cursor, OffsetTime, Whole, limits};

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// The entries of this page, in the list's order.
    pub data: Vec<T>,
    /// The `cursor` of the next page; null on the last page. Opaque, and valid only for the same operation, filters and
    /// account.
    pub next_cursor: Option<String>,
}

/// The path of an operation on an itinerary.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct ItineraryPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
}

/// Reads a UUID with hyphens only; the library also accepts it without them, in braces and as a URN.
pub(super) fn hyphenated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(deserializer)?;
    let right_length = text.len() == uuid::fmt::Hyphenated::LENGTH;
    let id = Uuid::try_parse(&text).ok().filter(|_| right_length);
    id.ok_or_else(|| D::Error::custom("must be a UUID"))
}

/// Reads an optional UUID in the same way.
pub(super) fn optional_hyphenated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Uuid>, D::Error> {
    hyphenated(deserializer).map(Some)
}

/// The maximum number of entries on a page, 1 to 100.
pub type PageLimit = Whole<1, { limits::PAGE }>;

/// The query of a list that comes in pages.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct PageQuery {
    /// The maximum number of entries on a page, 1 to 100. Defaults to 25.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the previous page. Absent for the first page.
    pub cursor: Option<Cursor>,
}

/// The query of a list of itineraries.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuery {
    /// Lists only itineraries that changed or joined the library at or after this instant, oldest first. An RFC 3339
    /// date-time with an offset, in the years 1900 to 2200. Encode the `+` of an offset as `%2B`; a plain `+` is
    /// understood too.
    #[serde(default, deserialize_with = "with_plus")]
    pub updated_since: Option<OffsetTime>,
    /// Which itineraries to list. Defaults to `all`.
    pub filter: Option<ListFilter>,
    /// The maximum number of entries on a page, 1 to 100. Defaults to 25.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the previous page. Absent for the first page.
    pub cursor: Option<Cursor>,
}

/// The query of a list of another traveller's itineraries.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AccountListQuery {
    /// Must be absent or `owned`; any other word is rejected with `forbidden`.
    #[schemars(with = "Option<ListFilter>")]
    pub filter: Option<String>,
    /// The maximum number of entries on a page, 1 to 100. Defaults to 25.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the previous page. Absent for the first page.
    pub cursor: Option<Cursor>,
}

/// A query decodes `+` as a space, which no date-time contains.
fn with_plus<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OffsetTime>, D::Error> {
    let text = String::deserialize(deserializer)?.replace(' ', "+");
    OffsetTime::new(text).map(Some).map_err(D::Error::custom)
}

/// The query of creating an itinerary.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateQuery {
    /// Whether to create a second itinerary with the same destination and start date. Defaults to false.
    pub allow_duplicate: Option<bool>,
    /// Validates the itinerary and fills it in without storing it. Defaults to false.
    pub dry_run: Option<bool>,
}

/// The path of a reference page, below `/docs`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct DocsPath {
    /// The segments; none for the overview.
    pub path: Vec<String>,
}

/// The health of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Always `ok`; a failure has another status code.
    pub status: String,
}
