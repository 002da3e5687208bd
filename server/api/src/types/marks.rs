//! Likes, dislikes, saves and reports.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::values::{Text, limits};

/// The caller's marks on an itinerary, and the number of travellers with such marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Marks {
    /// Whether the caller likes the itinerary.
    pub liked: bool,
    /// Whether the caller dislikes the itinerary; the Explore feed then leaves it out for them.
    pub disliked: bool,
    /// Whether the caller has saved a copy of the itinerary.
    pub saved: bool,
    /// The number of travellers who like the itinerary.
    pub likes_count: i64,
    /// The number of travellers who have saved a copy.
    pub saves_count: i64,
}

/// Why an itinerary is reported. `other` if none of the values fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "a comment on a variant would turn the schema's plain list into a oneOf")]
pub enum ReportReason {
    Spam,
    Offensive,
    Copyright,
    Dangerous,
    Privacy,
    Other,
}

impl ReportReason {
    /// The reason's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Spam => "spam",
            Self::Offensive => "offensive",
            Self::Copyright => "copyright",
            Self::Dangerous => "dangerous",
            Self::Privacy => "privacy",
            Self::Other => "other",
        }
    }
}

/// A report of an itinerary to the operators of the service.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportCreate {
    /// Why the itinerary is reported, such as `spam`.
    pub reason: ReportReason,
    /// An explanation in the caller's words, at most 1,000 characters.
    pub note: Option<Text<0, { limits::NOTE }>>,
}

/// A report that the service has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The id of the report, a UUID.
    pub id: Uuid,
}
