//! Changes of the itineraries that an account owns or is a member of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::PageLimit;
use crate::values::{Cursor, Timestamp};

/// What happened: `itinerary.updated`, it was created or has a new version, or the caller's role has changed;
/// `itinerary.shared`, the caller became a member; `itinerary.unshared`, the caller is not a member any more;
/// `itinerary.deleted`, it was deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ChangeType {
    #[serde(rename = "itinerary.updated")]
    Updated,
    #[serde(rename = "itinerary.deleted")]
    Deleted,
    #[serde(rename = "itinerary.shared")]
    Shared,
    #[serde(rename = "itinerary.unshared")]
    Unshared,
}

impl ChangeType {
    /// All types.
    pub const ALL: [Self; 4] = [Self::Updated, Self::Deleted, Self::Shared, Self::Unshared];

    /// The name on the wire, which is also the name of the event in a stream.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Updated => "itinerary.updated",
            Self::Deleted => "itinerary.deleted",
            Self::Shared => "itinerary.shared",
            Self::Unshared => "itinerary.unshared",
        }
    }
}

/// A change of an itinerary that the caller owns or is a member of, or of the caller's membership.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// What happened to the itinerary or the membership.
    #[serde(rename = "type")]
    pub kind: ChangeType,
    /// The id of the itinerary, a UUID.
    pub itinerary_id: Uuid,
    /// The current `ETag` of the itinerary as the caller sees it, with its quotes. A copy with this tag is current.
    /// Absent with `itinerary.deleted` and `itinerary.unshared`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// When it happened, in UTC. The order of changes is that of the list, not of these times.
    pub at: Timestamp,
}

/// Changes in their order, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangePage {
    /// The changes after the cursor. Of several changes of one itinerary, the last one may stand for all.
    pub data: Vec<Change>,
    /// The `cursor` with which to continue, now or later. Opaque, and valid for 30 days and the same account only.
    pub next_cursor: String,
    /// Whether there are more changes: continue at once.
    pub has_more: bool,
}

/// The query of the list of changes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ChangeQuery {
    /// The maximum number of changes on a page, 1 to 100. Defaults to 25.
    pub limit: Option<PageLimit>,
    /// The `nextCursor` of the previous page, or the `id` of an event of the stream. Without it, the response has no
    /// changes, and a cursor for the changes from now on.
    pub cursor: Option<Cursor>,
}
