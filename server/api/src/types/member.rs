//! Members: the travellers that an itinerary is shared with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use crate::values::Timestamp;

/// The role of a member: `editor` can change content and documents, `viewer` can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum MemberRole {
    Editor,
    Viewer,
}

/// A traveller that an itinerary is shared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The id of the member's account.
    pub account_id: Uuid,
    /// The member's unique username, in lower case.
    pub username: String,
    /// The name to show to people; not unique. At most 100 characters.
    pub display_name: String,
    /// The address of the member's profile picture. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// The member's role: `editor` or `viewer`.
    pub role: MemberRole,
    /// When the itinerary was shared with the member, in UTC.
    pub since: Timestamp,
}

/// The role to give to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberChange {
    /// The member's role: `editor` or `viewer`.
    pub role: MemberRole,
}

/// The path of an operation on a member.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The id of the member's account, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub account_id: Uuid,
}
