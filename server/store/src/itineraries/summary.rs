//! An itinerary as lists and Explore show it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::text;
use crate::row::row;

row! {
    /// An itinerary as a list shows it, with what is told of its owner and what the reader is to it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SummaryRow {
        pub id: Uuid = "i.id",
        pub version: i64 = "i.version",
        /// Who may see it besides members.
        pub visibility: String = "i.visibility",
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        /// When its content last changed.
        pub updated_at: DateTime<Utc> = "i.updated_at",
        pub owner_id: Uuid = "i.owner_id",
        /// The rest of what a list shows, as JSON.
        pub card: String = "i.card",
        pub username: String = "a.username",
        pub display_name: String = "a.display_name",
        pub image_url: Option<String> = "a.image_url",
        pub member_role: Option<String> = MEMBER_ROLE,
        pub likes: i64 = "COALESCE(c.likes, 0)",
        /// Whether it is a copy, and the reader is told the id of what it is a copy of.
        pub shows_source: bool = SHOWS_SOURCE,
    }
}

/// Whether a reader (`$account`) is told the id of the itinerary that `itineraries i` is a copy of. The owner of the copy
/// is; others are when that itinerary is public, or theirs, or shared with them.
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
pub(super) use source_shown;

/// The column with whether the source is shown to the reader $1.
pub(super) const SHOWS_SOURCE: &str = source_shown!("$1");

/// The column with the reader's role. It is `NULL` for the owner.
pub(crate) const MEMBER_ROLE: &str = "m.role";

/// What a summary's columns need besides `itineraries i`; the reader is $1.
pub(crate) const JOINS: &str = text!(
    " JOIN accounts a ON a.id = i.owner_id AND a.deleted_at IS NULL \
     LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $1",
    COUNTERS
);

/// The counters among them.
pub(crate) const COUNTERS: &str = " LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id";
