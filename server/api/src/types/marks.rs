//! Marks: what travellers say of an itinerary by liking, disliking, saving and reporting it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::values::{Text, limits};

/// The caller's marks on an itinerary, and how many people's there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Marks {
    /// Whether the caller likes it.
    pub liked: bool,
    /// Whether the caller dislikes it: Explore's feed then leaves it out for them.
    pub disliked: bool,
    /// Whether the caller has a copy of it.
    pub saved: bool,
    /// How many people like it.
    pub likes_count: i64,
    /// How many people have a copy of it.
    pub saves_count: i64,
}

/// What is wrong with a reported itinerary.
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
    /// Its name on the wire.
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

/// A report, for those who run the service.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportCreate {
    /// What is wrong.
    pub reason: ReportReason,
    /// The same in the reporter's words.
    pub note: Option<Text<0, { limits::NOTE }>>,
}

/// A report that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// The report's id.
    pub id: Uuid,
}
