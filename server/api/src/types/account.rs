//! Accounts and profiles.

use itinerary_model::Plan;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::page::hyphenated;
use super::{Place, PlacePatch};
use crate::values::{Change, Ignored, Patch, Text, Timestamp, WebUrl, limits};

/// The owner of an itinerary, as everyone who can see it sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// The id of the owner's account.
    pub account_id: Uuid,
    /// The owner's unique username, in lower case.
    pub username: String,
    /// The name to show to people; not unique. At most 100 characters.
    pub display_name: String,
    /// The address of the owner's profile picture. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// Whether the owner has the Pro subscription.
    pub is_pro: bool,
}

/// The account of the traveller that the token acts for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// The id of the caller's account.
    pub account_id: Uuid,
    /// The caller's unique username, in lower case.
    pub username: String,
    /// The name to show to people; not unique. At most 100 characters.
    pub display_name: String,
    /// The address of the caller's profile picture. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// Whether the caller has the Pro subscription.
    pub is_pro: bool,
    /// The caller's subscription: `free` or `pro`.
    pub plan: Plan,
    /// Where the caller's trips usually start. New itineraries get it as `origin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_place: Option<Place>,
    /// The scopes of the token that the request was sent with.
    pub scopes: Vec<String>,
    /// When the account was created, in UTC.
    pub created_at: Timestamp,
}

/// A JSON merge patch for the caller's account: an absent field is kept, `null` clears a field, an object merges.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AccountPatch {
    /// The name to show to people, 1 to 100 characters. Cannot be cleared.
    pub display_name: Change<Text<1, { limits::DISPLAY_NAME }>>,
    /// The `https` or `http` address of a profile picture, at most 2,000 characters.
    pub image_url: Patch<WebUrl>,
    /// Where the caller's trips usually start. New itineraries get it as `origin`.
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

/// A traveller's public profile, and whether the caller follows the traveller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// The id of the traveller's account.
    pub account_id: Uuid,
    /// The traveller's unique username, in lower case.
    pub username: String,
    /// The name to show to people; not unique. At most 100 characters.
    pub display_name: String,
    /// The address of the traveller's profile picture. Absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
    /// Whether the traveller has the Pro subscription.
    pub is_pro: bool,
    /// The number of people who follow the traveller.
    pub followers_count: i64,
    /// The number of people whom the traveller follows.
    pub following_count: i64,
    /// Whether the caller follows the traveller.
    pub following: bool,
}

/// The path of an operation on an account.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountPath {
    /// The id of the account, a UUID.
    #[serde(deserialize_with = "hyphenated")]
    pub account_id: Uuid,
}

/// The query that finds a traveller.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct AccountQuery {
    /// The complete username of the traveller; case-insensitive.
    pub username: String,
}
