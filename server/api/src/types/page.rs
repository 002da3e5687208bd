//! What lists take and answer, and other small shapes.

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
    /// The entries.
    pub data: Vec<T>,
    /// Send it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// The id of an itinerary, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct ItineraryPath {
    /// The itinerary's id.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
}

/// A UUID as it is always written; the library also reads it bare, in braces and as a URN.
pub(super) fn hyphenated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
    let text = String::deserialize(deserializer)?;
    let right_length = text.len() == uuid::fmt::Hyphenated::LENGTH;
    let id = Uuid::try_parse(&text).ok().filter(|_| right_length);
    id.ok_or_else(|| D::Error::custom("must be a UUID"))
}

/// How many entries a page holds.
pub type PageLimit = Whole<1, { limits::PAGE }>;

/// Which page of a list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct PageQuery {
    /// How many entries a page holds, 1 to 100; 25 when left out.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the page before.
    pub cursor: Option<Cursor>,
}

/// Which itineraries a list holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ListFilter {
    #[default]
    All,
    Owned,
    Shared,
    Saved,
    Liked,
    Disliked,
}

/// What a list of itineraries may be asked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListQuery {
    /// Only what has changed, or has come into the library, since then; oldest first. A `+` of an offset is sent as
    /// `%2B`; one that is not is understood all the same.
    #[serde(default, deserialize_with = "with_plus")]
    pub updated_since: Option<OffsetTime>,
    /// Which itineraries; `all` when left out.
    pub filter: Option<ListFilter>,
    /// How many entries a page holds, 1 to 100; 25 when left out.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the page before.
    pub cursor: Option<Cursor>,
}

/// What a list of a traveller's own itineraries, as others see it, may be asked for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AccountListQuery {
    /// `owned`, or left out: other lists are for the traveller alone.
    pub filter: Option<ListFilter>,
    /// How many entries a page holds, 1 to 100; 25 when left out.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the page before.
    pub cursor: Option<Cursor>,
}

/// In a query a `+` reads as a blank, which no date-time has.
fn with_plus<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OffsetTime>, D::Error> {
    let text = String::deserialize(deserializer)?.replace(' ', "+");
    OffsetTime::new(text).map(Some).map_err(D::Error::custom)
}

/// What a create may be asked for.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateQuery {
    /// Whether a second itinerary with the same destination and start date is fine.
    pub allow_duplicate: Option<bool>,
    /// Whether to check and fill everything, answer with what would be stored, and store nothing.
    pub dry_run: Option<bool>,
}

/// How the server is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `ok`.
    pub status: String,
}
