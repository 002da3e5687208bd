//! Members: the travellers that an itinerary is shared with, and invitations.

use itinerary_model::MemberRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use super::{Author, Destination, Title};
use crate::values::Timestamp;

/// Whether a member has accepted: `accepted`, or `pending` until the invitation is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum MemberStatus {
    Accepted,
    Pending,
}

/// A traveller that an itinerary is shared with, or who is invited.
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
    /// `accepted`, or `pending` until the traveller accepts the invitation.
    pub status: MemberStatus,
    /// When the traveller became a member or, if `pending`, was invited, in UTC.
    pub since: Timestamp,
}

/// A pending invitation to become a member of an itinerary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// The id of the itinerary, a UUID. Names the invitation when it is accepted or declined.
    pub itinerary_id: Uuid,
    /// The title of the itinerary, 1 to 200 characters.
    pub title: Title,
    /// The place that the trip goes to.
    pub destination: Destination,
    /// The role that the caller gets: `editor` or `viewer`.
    pub role: MemberRole,
    /// The owner of the itinerary, who invites.
    pub from: Author,
    /// When the caller was invited, in UTC.
    pub at: Timestamp,
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
