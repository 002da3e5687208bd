//! Revisions: the versions that an itinerary has had.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Author;
use super::page::hyphenated;
use crate::values::Timestamp;

/// What happened to a field or an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ChangeKind {
    Added,
    Changed,
    Removed,
    Moved,
}

/// A change of one field or one item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RevisionChange {
    /// The path of the field or item, with items by their ids, such as `days[id=day-2].stops[id=s7].name`.
    pub path: String,
    /// What happened to the field or item: `added`, `changed`, `removed` or `moved`.
    pub kind: ChangeKind,
}

/// A version of an itinerary, without its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    /// The version, 1 for a new itinerary.
    pub version: i64,
    /// The `ETag` that reading the itinerary responded with, quotes included. Can be sent in `If-Match` with
    /// `Prefer: merge`.
    pub etag: String,
    /// When the version was made, in UTC.
    pub updated_at: Timestamp,
    /// The traveller who made it; null if the account has been deleted.
    pub by: Option<Author>,
    /// The name of the app that made it; null if it was made on the service's own pages, or if the app is no longer
    /// registered.
    pub app: Option<String>,
    /// What changed since the version before, in the sections that the caller may see; at most 20 changes.
    pub changes: Vec<RevisionChange>,
    /// The version whose content was restored. Absent if none was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
}

/// Names a version of an itinerary, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub struct RevisionPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The version of the itinerary, 1 for a new one.
    pub version: i64,
}
