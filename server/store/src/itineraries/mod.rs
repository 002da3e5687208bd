//! Itineraries: one row each, replaced as a whole by a conditional write.
//!
//! The four fragments, the card and the origin are opaque JSON texts here. Callers check permissions.

pub(crate) mod duplicates;
mod page;
mod read;
pub(crate) mod statements;
mod upcoming;
mod write;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use itinerary_model::{MemberRole, Plan, Visibility};
use uuid::Uuid;

use crate::entity::itineraries::{self, Column};
use crate::query::query;
use crate::query::row::row;
use crate::query::statement::statements;
use crate::{Result, Store};

use crate::summary::{PICTURE, source_shown};
pub use duplicates::{DUPLICATE_RADIUS_KM, DuplicateRule};
pub use page::{ListContent, ListQuery};
pub(crate) use read::BARE_COLUMNS;
pub use read::{CallerReads, ContentSelection, VisibleSections};
pub(crate) use statements::{DELETE_ANSWERS, INTO, UNCOUNT_SAVE};
pub use write::{
    CreateOutcome, ExploreEntryChange, ItineraryChange, ItineraryColumns, NewItinerary, SaveOutcome, Saved,
};

row! {
    /// An itinerary with its owner's public profile, for a reader. Without columns that only lists and checks need.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ItineraryRow {
        pub id: Uuid = "i.id",
        pub owner_id: Uuid = "i.owner_id",
        /// Incremented by every change.
        pub version: i64 = "i.version",
        /// The visibility to people who are not members.
        pub visibility: Visibility = "i.visibility",
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        pub created_at: DateTime<Utc> = "i.created_at",
        /// When its content last changed.
        pub updated_at: DateTime<Utc> = "i.updated_at",
        /// The cover, if it is a picture with a row of its own.
        pub picture: Option<Uuid> = PICTURE,
        /// Whether the cover may be a picture that has no row yet.
        pub has_cover_of_before: bool = "i.cover_id IS NOT NULL AND i.picture_id IS DISTINCT FROM i.cover_id",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub plan: Plan = "a.plan",
        pub member_role: Option<MemberRole> = "m.role",
        pub follows: bool = "f.follower_id IS NOT NULL",
        /// Whether a pending invitation lets the reader see it.
        pub invited: bool = IS_INVITED,
        pub likes: i64 = "COALESCE(c.likes, 0)",
        pub views: i64 = "COALESCE(c.views, 0)",
        pub saved_from: SavedFromRow = SavedFromRow::COLUMNS,
    }
}

row! {
    /// The source of a copy, with its author's public profile.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SavedFromRow {
        /// The source's id, if this is a copy; the source may have been deleted.
        pub itinerary_id: Option<Uuid> = "i.saved_from",
        /// Whether the reader may see the id.
        pub is_shown: bool = IS_SOURCE_SHOWN,
        /// `None` if the account has been deleted.
        pub username: Option<String> = "s.username",
        pub display_name: Option<String> = "s.display_name",
        pub plan: Option<Plan> = "s.plan",
    }
}

/// Looks for an invitation only where it decides what the reader $2 may see.
const IS_INVITED: &str = "(m.account_id IS NULL AND i.visibility IN ('private', 'followers') \
     AND EXISTS (SELECT 1 FROM invitations v WHERE v.itinerary_id = i.id AND v.account_id = $2))";

/// Whether the reader $2 may see the id of the source of `itineraries i`.
const IS_SOURCE_SHOWN: &str = source_shown!("$2");

/// An itinerary's content: four JSON objects, whose UTF-8 is not validated. Fragments that were not requested, or that
/// the reader may not see, are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentRow {
    /// The public section.
    pub everyone: Bytes,
    /// The members' section.
    pub members: Bytes,
    /// The Pro section.
    pub pro: Bytes,
    pub documents: Bytes,
}

statements! {
    const LATEST_ORIGIN = itineraries::Entity::find()
        .select_only()
        .column(Column::Origin)
        .filter(Column::OwnerId.eq(p(1)))
        .filter(Column::Origin.is_not_null())
        .order_by_desc(Column::CreatedAt)
        .order_by_desc(Column::Id)
        .limit(1);
}

impl Store {
    /// The origin (JSON) of the owner's latest itinerary that has one.
    pub async fn latest_origin(&self, owner_id: Uuid) -> Result<Option<String>> {
        self.fetch_optional(&query!(LATEST_ORIGIN, owner_id)).await
    }
}
