//! Itineraries: one row each, replaced as a whole by a guarded write.
//!
//! The four fragments, the card and the origin are JSON texts that this crate never looks into. Who may see
//! or change an itinerary is decided by those who call.

mod duplicates;
mod page;
mod read;
pub(crate) mod summary;
mod write;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::query;
use crate::row::row;
use crate::{Plan, Result, Store};

pub use duplicates::{DUPLICATE_RADIUS_KM, DuplicateRule};
pub use page::{ListFilter, ListQuery};
pub use read::{CallerReads, Shown, Wanted};
pub use summary::SummaryRow;
use summary::source_shown;
pub use write::{
    CreateOutcome, ItineraryChange, ItineraryColumns, ListingChange, NewItinerary, SaveOutcome, Saved, WriteOutcome,
};
pub(crate) use write::{DELETE_ANSWERS, UNCOUNT_SAVE};

row! {
    /// An itinerary as it is read, with what a reader is told of its owner. What only lists and checks need is left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ItineraryRow {
        pub id: Uuid = "i.id",
        pub owner_id: Uuid = "i.owner_id",
        /// Rises by one with every change.
        pub version: i64 = "i.version",
        /// Who may see it besides members.
        pub visibility: String = "i.visibility",
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        pub created_at: DateTime<Utc> = "i.created_at",
        /// When its content last changed.
        pub updated_at: DateTime<Utc> = "i.updated_at",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub plan: Plan = "a.plan",
        pub member_role: Option<String> = "m.role",
        /// Whether the reader follows the owner.
        pub follows: bool = "f.follower_id IS NOT NULL",
        pub likes: i64 = "COALESCE(c.likes, 0)",
        pub views: i64 = "COALESCE(c.views, 0)",
        /// What it is a copy of.
        pub saved_from: SavedFromRow = SavedFromRow::COLUMNS,
    }
}

row! {
    /// What an itinerary is a copy of, with what is told of its author.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SavedFromRow {
        /// The itinerary's id, if this is a copy; the itinerary may be gone.
        pub itinerary_id: Option<Uuid> = "i.saved_from",
        /// Whether the reader is told the id.
        pub is_shown: bool = IS_SOURCE_SHOWN,
        /// The author's username; none when the account is gone.
        pub username: Option<String> = "s.username",
        pub display_name: Option<String> = "s.display_name",
        pub plan: Option<Plan> = "s.plan",
    }
}

/// Whether the reader $2 is told the id of what `itineraries i` is a copy of.
const IS_SOURCE_SHOWN: &str = source_shown!("$2");

/// An itinerary's content: four JSON objects, whose bytes are not validated. What is not wanted, or not for the reader, is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentRow {
    /// What everyone who may see it is shown.
    pub everyone: Bytes,
    /// What members are shown besides.
    pub members: Bytes,
    /// What members with Pro are shown besides.
    pub pro: Bytes,
    pub documents: Bytes,
}

const LATEST_ORIGIN: &str = "SELECT origin FROM itineraries WHERE owner_id = $1 AND origin IS NOT NULL \
     ORDER BY created_at DESC, id DESC LIMIT 1";

impl Store {
    /// The origin (JSON) of the owner's most recently made itinerary that has one.
    pub async fn latest_origin(&self, owner_id: Uuid) -> Result<Option<String>> {
        self.fetch_optional(&query!(LATEST_ORIGIN, owner_id)).await
    }
}
