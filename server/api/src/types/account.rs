//! People: travellers as others and as they themselves see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Place;
use crate::values::Timestamp;

/// What a traveller pays for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum Plan {
    Free,
    Pro,
}

/// The owner of an itinerary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// The account's id.
    pub account_id: Uuid,
    /// The name that is unique.
    pub username: String,
    /// The name for people.
    pub display_name: String,
    /// A picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// Whether the account has the Pro subscription.
    pub is_pro: bool,
}

/// The traveller whose token it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The account's id.
    pub account_id: Uuid,
    /// The name that is unique.
    pub username: String,
    /// The name for people.
    pub display_name: String,
    /// A picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// Whether the account has the Pro subscription.
    pub is_pro: bool,
    /// What the traveller pays for.
    pub plan: Plan,
    /// Where journeys start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_place: Option<Place>,
    /// The scopes of the token that asked.
    pub scopes: Vec<String>,
    /// When the account was made.
    pub created_at: Timestamp,
}
