//! Members: those whom an itinerary is shared with, besides its owner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use crate::values::Timestamp;

/// What a member may do: an `editor` changes content and documents, a `viewer` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum MemberRole {
    Editor,
    Viewer,
}

/// A member of an itinerary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The account's id.
    pub account_id: Uuid,
    /// The name that is unique.
    pub username: String,
    /// The name for people.
    pub display_name: String,
    /// A picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// What the member may do.
    pub role: MemberRole,
    /// Since when the itinerary is shared with them.
    pub since: Timestamp,
}

/// What a member is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberChange {
    /// What the member may do.
    pub role: MemberRole,
}

/// Names a member of an itinerary, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPath {
    /// The itinerary's id.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The member's account.
    #[serde(deserialize_with = "hyphenated")]
    pub account_id: Uuid,
}
