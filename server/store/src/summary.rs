//! Itineraries in lists and Explore.

use chrono::{DateTime, Utc};
use itinerary_model::{MemberRole, Visibility};
use uuid::Uuid;

use crate::DatabaseKind;
use crate::query::row::row;

/// The itineraries that an account ($1) may see in lists. `itineraries/read.rs` applies the same rule to a single itinerary, which an
/// invited account may see too.
pub(crate) const VISIBLE: &str = "(i.owner_id = $1 OR i.visibility IN ('unlisted', 'public') \
     OR EXISTS (SELECT 1 FROM members v WHERE v.itinerary_id = i.id AND v.account_id = $1) \
     OR (i.visibility = 'followers' \
     AND EXISTS (SELECT 1 FROM follows v WHERE v.followed_id = i.owner_id AND v.follower_id = $1)))";

/// The picture that is the cover. `cover_id` alone names a cover that has no row in `pictures` yet.
pub(crate) const PICTURE: &str = "CASE WHEN i.picture_id = i.cover_id THEN i.picture_id END";

row! {
    /// An entry of a list, with its owner's public profile and the reader's role.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SummaryRow {
        pub id: Uuid = "i.id",
        pub version: i64 = "i.version",
        /// The visibility to people who are not members.
        pub visibility: Visibility = "i.visibility",
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        /// When its content last changed.
        pub updated_at: DateTime<Utc> = "i.updated_at",
        pub owner_id: Uuid = "i.owner_id",
        /// The cover, if it is a picture with a row of its own.
        pub picture: Option<Uuid> = PICTURE,
        /// The remaining fields of the entry, as JSON.
        pub card: String = "i.card",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub member_role: Option<MemberRole> = MEMBER_ROLE,
        pub likes: i64 = "COALESCE(c.likes, 0)",
        /// Whether this is a copy and the reader may see the id of its source.
        pub shows_source: bool = SHOWS_SOURCE,
    }
}

/// Whether a reader (`$account`) may see the id of the source of `itineraries i`: the owner of the copy may, and others
/// if the source is public, theirs or shared with them.
macro_rules! source_shown {
    ($account:literal) => {
        concat!(
            "(i.saved_from IS NOT NULL AND (i.owner_id = ",
            $account,
            " OR EXISTS (SELECT 1 FROM itineraries o WHERE o.id = i.saved_from AND (o.visibility = 'public' \
             OR o.owner_id = ",
            $account,
            " OR EXISTS (SELECT 1 FROM members p WHERE p.itinerary_id = o.id AND p.account_id = ",
            $account,
            ")))))"
        )
    };
}
pub(crate) use source_shown;

/// The column with whether the reader $1 may see the source.
pub(crate) const SHOWS_SOURCE: &str = source_shown!("$1");

/// The column with the reader's role; `NULL` for the owner.
pub(crate) const MEMBER_ROLE: &str = "m.role";

/// The joins that the columns need besides `itineraries i`; the reader is $1.
pub(crate) fn joins(kind: DatabaseKind) -> String {
    let itinerary = match kind {
        // A lookup by the itinerary reads a random page of a large index. The reader's own memberships are near each
        // other, so those from this owner are looked up first. SQLite looks for no `NULL`.
        DatabaseKind::Sqlite => {
            "CASE WHEN EXISTS (SELECT 1 FROM members g WHERE g.account_id = $1 AND g.owner_id = i.owner_id) THEN i.id END"
        }
        DatabaseKind::Postgres => "i.id",
    };
    format!(
        " JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
         LEFT JOIN members m ON m.itinerary_id = {itinerary} AND m.account_id = $1{COUNTERS}"
    )
}

/// The joins for the counters.
pub(crate) const COUNTERS: &str = " LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id";
