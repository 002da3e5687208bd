//! Secret links: pages of an itinerary that need no account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use crate::values::{OffsetTime, Text, Timestamp, limits};

/// The label of a secret link, 1 to 100 characters.
pub type LinkLabel = Text<1, { limits::LINK_LABEL }>;

/// What the page of a secret link shows: `plan`, what everyone sees of a public itinerary; `bookings`, also flights,
/// hotels, transports and reservations, without confirmation numbers, tickets, addresses of bookings, notes, telephone
/// numbers and room numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum LinkSections {
    #[default]
    Plan,
    Bookings,
}

/// A new secret link of an itinerary.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkCreate {
    /// Whom or what the link is for, 1 to 100 characters. Each link of an itinerary has another label.
    pub label: LinkLabel,
    /// When the link ends, an RFC 3339 date-time with an offset: in the future, at most 10 years from now. Without it the
    /// link works until it is deleted.
    #[serde(default)]
    pub expires_at: Option<OffsetTime>,
    /// What the page shows. Defaults to `plan`.
    #[serde(default)]
    pub sections: Option<LinkSections>,
}

/// A secret link: anyone who has its address sees the itinerary's page, without an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Link {
    /// The id of the link, a UUID. It is not part of the address.
    pub id: Uuid,
    /// Whom or what the link is for, 1 to 100 characters.
    pub label: String,
    /// What the page of the link shows.
    pub sections: LinkSections,
    /// When the link ends, in UTC; in the past if it has ended. Absent if it works until it is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// When the link was created, in UTC.
    pub created_at: Timestamp,
    /// The address of the page. Only in the response that creates the link: store it then. It is not repeated to a retry
    /// with the same `Idempotency-Key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<crate::values::WebUrl>")]
    pub url: Option<String>,
}

/// Names a secret link of an itinerary, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkPath {
    /// The id of the itinerary, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub id: Uuid,
    /// The id of the link, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub link_id: Uuid,
}

/// The path of the page of a secret link.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct SecretPath {
    /// The secret of the link.
    pub secret: String,
}
