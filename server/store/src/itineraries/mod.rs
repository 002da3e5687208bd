//! Itineraries: one row each, replaced as a whole by a guarded write.
//!
//! The four fragments, the card and the origin are JSON texts that this crate never looks into. Who may see
//! or change an itinerary is decided by those who call.

mod duplicates;
mod page;
pub(crate) mod summary;
mod write;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::query::{Query, query, text};
use crate::row::{Columns, FromRow, joined_row, row};
use crate::{Plan, Result, Store};

pub use duplicates::{DUPLICATE_RADIUS_KM, DuplicateRule};
pub use page::{ListFilter, ListQuery};
pub use summary::SummaryRow;
pub use write::{
    CreateOutcome, ItineraryChange, ItineraryColumns, ListingChange, NewItinerary, SaveOutcome, Saved, WriteOutcome,
};

row! {
    /// An itinerary as it is read, with what a reader is told of its owner. What only lists and checks need is left out.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ItineraryRow {
        /// Its id.
        pub id: Uuid = "i.id",
        /// Whose it is.
        pub owner_id: Uuid = "i.owner_id",
        /// Rises by one with every change.
        pub version: i64 = "i.version",
        /// Who may see it besides members.
        pub visibility: String = "i.visibility",
        /// When it was first shown to others.
        pub published_at: Option<DateTime<Utc>> = "i.published_at",
        /// When it was made.
        pub created_at: DateTime<Utc> = "i.created_at",
        /// When its content last changed.
        pub updated_at: DateTime<Utc> = "i.updated_at",
        /// The owner's username.
        pub username: String = "a.username",
        /// The owner's name.
        pub display_name: String = "a.display_name",
        /// The owner's picture.
        pub image_url: Option<String> = "a.image_url",
        /// The owner's plan.
        pub plan: Plan = "a.plan",
        /// The reader's role as a member.
        pub member_role: Option<String> = "m.role",
        /// Whether the reader follows the owner.
        pub follows: bool = "f.follower_id IS NOT NULL",
        /// How many people like it.
        pub likes: i64 = "COALESCE(c.likes, 0)",
        /// How often it was read.
        pub views: i64 = "COALESCE(c.views, 0)",
        /// What it is a copy of.
        pub saved_from: Option<SavedFromRow> = SavedFromRow::COLUMNS,
    }
}

joined_row! {
    /// The itinerary that another is a copy of, with what is told of its owner.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SavedFromRow {
        /// The itinerary's id; it may be gone.
        pub itinerary_id: Uuid = "i.saved_from",
        /// Its owner's username.
        pub username: String = "s.username",
        /// Its owner's name.
        pub display_name: String = "s.display_name",
        /// Its owner's plan.
        pub plan: Plan = "s.plan",
    }
}

/// An itinerary's content: four JSON objects. What is not wanted, or not for the reader, is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentRow {
    /// What everyone who may see it is shown.
    pub everyone: String,
    /// What members are shown besides.
    pub members: String,
    /// What members with Pro are shown besides.
    pub pro: String,
    /// Its documents.
    pub documents: String,
}

/// In the order of [`itinerary_with`].
impl FromRow for ContentRow {
    fn from_row(columns: &mut Columns<'_>) -> Result<Self> {
        Ok(Self {
            everyone: columns.take()?,
            members: columns.take()?,
            pro: columns.take()?,
            documents: columns.take()?,
        })
    }
}

/// How much of an itinerary's content is read. Whatever is wanted, nothing is read for somebody who may not see it: so a
/// refusal costs the same however large the itinerary is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// None of it.
    Nothing,
    /// All of it, for the owner and members: a change needs it.
    Everything,
    /// Part of it, unless the itinerary still has a version that the reader knows.
    Shown {
        /// Which part.
        part: Shown,
        /// The version that the reader knows.
        known: Option<i64>,
    },
}

/// What a reader is shown of an itinerary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Everyone's part, and to owner and members theirs.
    All {
        /// Also what needs Pro.
        pro: bool,
        /// Also the documents.
        documents: bool,
    },
    /// What everyone who may see it is shown.
    Everyone,
    /// What members are shown besides.
    Members,
    /// What members with Pro are shown besides.
    Pro,
}

/// The itinerary $1 as $2 reads it, with the content that these expressions give: [`ItineraryRow`], [`ContentRow`].
macro_rules! itinerary_with {
    ($everyone:expr, $members:expr, $pro:expr, $documents:expr) => {
        text!(
            "SELECT ",
            ItineraryRow::COLUMNS,
            ", ",
            $everyone,
            ", ",
            $members,
            ", ",
            $pro,
            ", ",
            $documents,
            " FROM itineraries i JOIN accounts a ON a.id = i.owner_id \
             LEFT JOIN members m ON m.itinerary_id = i.id AND m.account_id = $2 \
             LEFT JOIN follows f ON f.followed_id = i.owner_id AND f.follower_id = $2 \
             LEFT JOIN itinerary_counters c ON c.itinerary_id = i.id \
             LEFT JOIN accounts s ON s.id = i.saved_author WHERE i.id = $1"
        )
    };
}

/// An expression that is read only under a condition.
macro_rules! only_if {
    ($condition:expr, $column:literal) => {
        text!("CASE WHEN ", $condition, " THEN ", $column, " ELSE '' END")
    };
}

const NONE: &str = "''";
const IS_MEMBER: &str = "(i.owner_id = $2 OR m.account_id IS NOT NULL)";
/// `page.rs` has the same rule for lists, `itinerary-core` for one that was read.
const IS_VISIBLE: &str = text!(
    "(",
    IS_MEMBER,
    " OR i.visibility IN ('unlisted', 'public') OR (i.visibility = 'followers' AND f.follower_id IS NOT NULL))"
);
const IS_NEW: &str = "i.version <> $3";

const NOTHING: &str = itinerary_with!(NONE, NONE, NONE, NONE);
const EVERYTHING: &str = itinerary_with!(
    only_if!(IS_MEMBER, "i.everyone"),
    only_if!(IS_MEMBER, "i.members"),
    only_if!(IS_MEMBER, "i.pro"),
    only_if!(IS_MEMBER, "i.documents")
);
const EVERYONE_IF_NEW: &str = only_if!(text!(IS_NEW, " AND ", IS_VISIBLE), "i.everyone");
const MEMBERS_IF_NEW: &str = only_if!(text!(IS_NEW, " AND ", IS_MEMBER), "i.members");
const ALL: &str = itinerary_with!(
    EVERYONE_IF_NEW,
    MEMBERS_IF_NEW,
    only_if!(text!("$4 AND ", IS_NEW, " AND ", IS_MEMBER), "i.pro"),
    only_if!(text!("$5 AND ", IS_NEW, " AND ", IS_MEMBER), "i.documents")
);
const EVERYONE: &str = itinerary_with!(EVERYONE_IF_NEW, NONE, NONE, NONE);
const MEMBERS: &str = itinerary_with!(NONE, MEMBERS_IF_NEW, NONE, NONE);
const PRO: &str = itinerary_with!(NONE, NONE, only_if!(text!(IS_NEW, " AND ", IS_MEMBER), "i.pro"), NONE);

/// No itinerary has this version.
const UNKNOWN: i64 = 0;

impl Wanted {
    fn query(self, id: Uuid, reader: Uuid) -> Query {
        let (part, known) = match self {
            Self::Nothing => return query!(NOTHING, id, reader),
            Self::Everything => return query!(EVERYTHING, id, reader),
            Self::Shown { part, known } => (part, known.unwrap_or(UNKNOWN)),
        };
        match part {
            Shown::All { pro, documents } => query!(ALL, id, reader, known, pro, documents),
            Shown::Everyone => query!(EVERYONE, id, reader, known),
            Shown::Members => query!(MEMBERS, id, reader, known),
            Shown::Pro => query!(PRO, id, reader, known),
        }
    }
}

const LATEST_ORIGIN: &str = "SELECT origin FROM itineraries WHERE owner_id = $1 AND origin IS NOT NULL \
     ORDER BY created_at DESC, id DESC LIMIT 1";

impl Store {
    /// The itinerary of an id, with what the reader is to it, and as much of its content as is wanted and may be seen.
    pub async fn itinerary(
        &self,
        id: Uuid,
        reader: Uuid,
        wanted: Wanted,
    ) -> Result<Option<(ItineraryRow, ContentRow)>> {
        self.fetch_optional(&wanted.query(id, reader)).await
    }

    /// The origin (JSON) of the owner's most recently made itinerary that has one.
    pub async fn latest_origin(&self, owner_id: Uuid) -> Result<Option<String>> {
        self.fetch_optional(&query!(LATEST_ORIGIN, owner_id)).await
    }
}
