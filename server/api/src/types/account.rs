//! People: travellers as others and as they themselves see them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use super::{Place, PlacePatch};
use crate::values::{Change, Ignored, Patch, Text, Timestamp, WebUrl, limits};

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

/// A merge patch for the own account: absent keeps, null clears, an object merges.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AccountPatch {
    /// The name for people.
    pub display_name: Change<Text<1, { limits::DISPLAY_NAME }>>,
    /// A picture.
    pub image_url: Patch<WebUrl>,
    /// Where journeys start.
    pub home_place: Patch<PlacePatch>,
    #[schemars(skip)]
    account_id: Ignored,
    #[schemars(skip)]
    username: Ignored,
    #[schemars(skip)]
    is_pro: Ignored,
    #[schemars(skip)]
    plan: Ignored,
    #[schemars(skip)]
    scopes: Ignored,
    #[schemars(skip)]
    created_at: Ignored,
}

/// A traveller, as others see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
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
    /// How many people follow them.
    pub followers_count: i64,
    /// How many people they follow.
    pub following_count: i64,
    /// Whether the caller follows them.
    pub following: bool,
}

/// The id of an account, in an address.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountPath {
    /// The account's id.
    #[serde(deserialize_with = "hyphenated")]
    pub account_id: Uuid,
}

/// Whom to find.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AccountQuery {
    /// The username; capitals make no difference.
    pub username: String,
}
